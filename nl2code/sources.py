"""Where notebooks come from: trees of repositories, and dumps."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from nl2code.dumps import DUMPS, DamagedDump, RawNotebook, check_dump, read_dump
from nl2code.errors import UserError
from nl2code.license_files import license_above, licenses_by_folder


def find_notebooks(sources: Iterable[Path]) -> Iterator[RawNotebook]:
    """Yield the notebooks of all sources, without reading more than one dump's batch at a time.

    A folder that holds .ipynb files is a tree of repositories; of several such folders, each is
    one, called by its path below what they have in common. A folder without them is searched for
    Parquet and JSON Lines dumps. A source given twice counts once.

    Raises:
        UserError: A source is missing, of an unknown kind, or holds no notebooks; or none can be
            read.
    """
    for found in list_sources(sources):
        if isinstance(found, RawNotebook):
            yield found
        else:
            yield from read_dump(found)


def list_sources(sources: Iterable[Path]) -> Iterator[RawNotebook | Path]:
    """Yield what `find_notebooks` reads, unread: a notebook for each .ipynb file, and the dumps.

    A mistake in any source is told before the first is read. Of several dumps, one that is damaged
    stands for what it holds, as a notebook that is lost.

    Of .ipynb files the licence is what the nearest LICENSE file above states, within the source
    and the repository; of a file that is named itself, one beside it.
    """
    # `Path.resolve` raises RuntimeError where links lead in a circle (before Python 3.13).
    different = {Path(os.path.realpath(source)): source for source in reversed(list(sources))}
    _refuse_nested(different)
    files = {place: _walk(source) for place, source in different.items() if source.is_dir()}
    trees = [place for place in files if any(map(_is_notebook, files[place]))]
    above = Path(os.path.commonpath(trees)) if len(trees) > 1 else None
    dumps = {
        place: _from_dumps(source, files[place]) if place in files else [_checked(source)]
        for place, source in sorted(different.items())
        if place not in trees and not (_is_notebook(source) and source.is_file())
    }
    beside = _licenses_beside(different.values())
    damaged = _damaged(list(chain(*dumps.values())), alone=len(dumps) == len(different))
    for place, source in sorted(different.items()):
        if place in trees:
            yield from _from_tree(source, files[place], _name_below(above, place))
        elif place in dumps:
            yield from (damaged.get(dump, dump) for dump in dumps[place])
        else:
            folder = source.absolute().parent
            repo, license = _printable(folder.name), beside.get(folder)
            yield RawNotebook(repo, _printable(source.name), file=source, license=license)


def _refuse_nested(sources: Mapping[Path, Path]) -> None:
    # Its notebooks would count twice, as those of two repositories.
    for place, source in sorted(sources.items()):
        for above in place.parents:
            if above in sources:
                raise UserError(f"{source}: lies in {sources[above]}, which is a source as well")


def _name_below(above: Path | None, place: Path) -> str | None:
    """What tells a folder from the others that were given; None where it is alone."""
    if above is None:
        return None
    return place.relative_to(above).as_posix() if place != above else place.name


def _licenses_beside(sources: Iterable[Path]) -> dict[Path, str | None]:
    folders = {source.absolute().parent for source in sources if _is_notebook(source)}
    return licenses_by_folder(file for folder in folders for file in folder.glob("*"))


def _is_notebook(file: Path) -> bool:
    return file.suffix.lower() == ".ipynb"


def _from_tree(folder: Path, files: list[Path], name: str | None) -> Iterator[RawNotebook]:
    repositories = {file.parent for file in files if file.name == ".git"}
    licenses = licenses_by_folder(files)
    for file in filter(_is_notebook, files):
        raw = _in_tree(file, folder, repositories, name)
        yield replace(raw, license=license_above(file, licenses, {*repositories, folder}))


def _from_dumps(folder: Path, files: list[Path]) -> list[Path]:
    # A dataset that was built below the dumps is none of them.
    names = ("build.json", "ATTRIBUTION.csv")
    built = {
        file.parent
        for file in files
        if file.parent != folder and all((file.parent / name).is_file() for name in names)
    }
    dumps = [file for file in files if file.suffix.lower() in DUMPS and file.parent not in built]
    if not dumps:
        what = "holds no .ipynb, .parquet or .jsonl file" if files else "the folder is empty"
        raise UserError(f"{folder}: {what}")
    return list(map(_checked, dumps))


def _damaged(dumps: list[Path], alone: bool) -> dict[Path, RawNotebook]:
    """Name the dumps that cannot be read, and give what stands for them.

    Only here: what cannot be read later is the machine's fault, and another run would read it.

    Raises:
        DamagedDump: They are all there is.
    """
    faults = {}
    for file in dumps:
        try:
            check_dump(file)
        except DamagedDump as error:
            faults[file] = error
    if alone and len(faults) == len(dumps):
        raise next(iter(faults.values()))
    for fault in faults.values():
        print(f"{fault}; it is left out", file=sys.stderr)
    return {file: RawNotebook("", "", file=file, lost="unreadable_dump") for file in faults}


def _walk(folder: Path) -> list[Path]:
    """The regular files below the folder, and `.git` folders; links are followed, circles not.

    A folder that cannot be listed stands for what it holds, as a notebook that cannot be read; so
    does a notebook's or a dump's name that leads to nothing.
    """
    found: list[Path] = []
    seen: set[str] = set()

    def closed(error: OSError) -> None:
        found.append(Path(error.filename, "?.ipynb"))

    for parent, folders, files in os.walk(folder, onerror=closed, followlinks=True):
        if os.path.realpath(parent) in seen:
            folders.clear()
            continue
        seen.add(os.path.realpath(parent))
        if ".git" in folders:
            found.append(Path(parent, ".git"))
            folders.remove(".git")
        folders.sort()
        found += filter(_is_listed, (Path(parent, file) for file in files))
    return sorted(found)


def _is_listed(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.stat().st_mode)
    except OSError:  # a link to what is gone, or in a circle
        return file.suffix.lower() in (".ipynb", *DUMPS)


def _in_tree(file: Path, folder: Path, repositories: set[Path], name: str | None) -> RawNotebook:
    """A repository is what holds `.git`, else a named folder, else a folder of the first level."""
    root = next((parent for parent in file.parents if parent in repositories), None)
    if root is None:
        first = file.relative_to(folder).parts[0]
        root = folder if name is not None or first == file.name else folder / first
    if root == folder:
        repo = name or folder.absolute().name
    else:
        repo = "/".join(filter(None, (name, root.relative_to(folder).as_posix())))
    return RawNotebook(_printable(repo), _printable(file.relative_to(root).as_posix()), file=file)


def _printable(name: str) -> str:
    # From the bytes on disk, so that no locale renames a notebook; those that are no UTF-8, which
    # no Parquet column can hold, are spelt out, so that two such names stay two.
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _checked(file: Path) -> Path:
    if not file.is_file():
        raise UserError(f"{file}: no such file or folder")
    if file.suffix.lower() not in DUMPS:
        raise UserError(f"{file}: a source is a folder, or an .ipynb, .parquet or .jsonl file")
    return file
