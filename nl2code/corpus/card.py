"""The built folder's README.md: the YAML that `load_dataset` reads, and the dataset card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

import pyarrow.parquet as pq
from datasets import DatasetInfo, Features, SplitDict, SplitInfo
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCardData

from nl2code.corpus.build import Built
from nl2code.corpus.features import FEATURES
from nl2code.corpus.files import Files
from nl2code.corpus.redaction import REDACTION_RULE


def write_card(built: Built, folder: Path, template: str) -> None:
    """Write README.md: YAML with the digest, so that no cache serves other data, and the text."""
    text = Template(template).substitute(texts_of(built, folder))
    card = DatasetCardData(
        language=["en", "code"],
        license="other",
        license_name="each-notebook-its-own",
        pretty_name="JuICe",
        task_categories=["text-generation"],
        tags=["code", "jupyter", "notebooks"],
    )
    config = built.options.get("config", "default")
    describe_files(card, folder, config, FEATURES, built.splits, built.digest)
    write_readme(folder, card, text)


def texts_of(built: Built, folder: Path) -> dict[str, str]:
    """What stands in the card's text in place of each name of the template."""
    sizes = ("split", "examples", "repositories", "notebooks", "MB", "bytes an example")
    splits = [
        (
            name,
            split.examples,
            split.repositories,
            split.notebooks,
            _megabytes(folder, name),
            round(built.bytes_per_example.get(name, 0)) or "-",
        )
        for name, split in built.splits.items()
    ]
    redacted = ", ".join(f"{kind} {count:,}" for kind, count in built.redacted.items())
    return {
        "digest": built.digest,
        "splits": markdown_table(sizes, splits),
        "dev_test": _dev_test(built),
        "redacted": redacted or "none",
        "redaction_rule": REDACTION_RULE,
        "options": markdown_table(("option", "value"), list(built.options.items())),
        "funnel": markdown_table(("stage", "reason", "count"), built.funnel),
        "licenses": markdown_table(("licence", "examples"), list(built.licenses.items())),
    }


def write_readme(folder: Path, card: DatasetCardData, text: str) -> None:
    """Write README.md of the YAML and the text."""
    readme = f"---\n{card}\n---\n\n{text}"
    (folder / "README.md").write_text(readme, encoding="utf-8", newline="\n")


def describe_files(
    card: DatasetCardData,
    folder: Path,
    config: str,
    features: Features,
    written: Mapping[str, Files],
    digest: str,
) -> None:
    """Add to the YAML what `load_dataset` reads: the config, its columns, files and counts.

    The digest is part of it, so that no cache serves other data.
    """
    splits = SplitDict()
    filled = {name: split for name, split in written.items() if split.files}
    sizes = {name: _stored_bytes(folder, split.files) for name, split in filled.items()}
    for name, split in filled.items():
        splits.add(SplitInfo(name, sizes[name][1], split.examples))
    info = DatasetInfo(
        features=features,
        splits=splits,
        download_size=sum(size for size, _ in sizes.values()),
        dataset_size=sum(size for _, size in sizes.values()),
    )
    DatasetInfosDict({config: info}).to_dataset_card_data(card)
    files = [{"split": name, "path": list(split.files)} for name, split in filled.items()]
    described = {"data_files": files, "description": f"sha256:{digest}", "default": True}
    MetadataConfigs({config: described}).to_dataset_card_data(card)


def _stored_bytes(folder: Path, files: Iterable[str]) -> tuple[int, int]:
    """Bytes on disk, and uncompressed."""
    paths = [folder / name for name in files]
    groups = [
        metadata.row_group(group).total_byte_size
        for metadata in map(pq.read_metadata, paths)
        for group in range(metadata.num_row_groups)
    ]
    return sum(path.stat().st_size for path in paths), sum(groups)


def _megabytes(folder: Path, split: str) -> str:
    return f"{sum(path.stat().st_size for path in folder.glob(f'{split}-*')) / 1e6:.1f}"


def _dev_test(built: Built) -> str:
    unit, seed = built.options.get("dev_test"), built.options.get("seed")
    if unit is None:
        return ""
    if unit == "curated":
        others = built.options["min_repositories"]
        return (
            "dev and test are curated problems (section 3.2 of the paper): answers to nbgrader"
            " assignments whose tests ran without an error, and cells that a solution notebook"
            f" fills in, found in at least {others} other repositories. All problems of an"
            f" assignment or notebook are in one split, drawn by hash with seed {seed}; of several"
            f" right answers one is drawn. {built.note}".rstrip()
        )
    note = f" {built.note}" if built.note else ""
    return (
        f"dev and test are whole {unit} held out: a tenth of the {unit} each, drawn by the hash of "
        f"their names with seed {seed}.{note}"
    )


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(_in_a_table, line))} |" for line in lines)


_SPECIAL = re.compile(r"[\\`*~|]|\](?=[(\[])|(?<![^\W_])_|_(?![^\W_])")


def _in_a_table(value: object) -> str:
    r"""The value as it is written: what others named, such as a licence, must do nothing here.

    >>> _in_a_table("<b>|[MIT](x)"), _in_a_table("license_unknown")
    ('&lt;b&gt;\\|[MIT\\](x)', 'license_unknown')
    """
    text = escape(" ".join(str(value).split()), quote=False)
    return _SPECIAL.sub(r"\\\g<0>", text)
