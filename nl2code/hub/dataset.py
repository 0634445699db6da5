"""A built folder as a dataset repository on the Hub: pushed as it is."""

from __future__ import annotations

from pathlib import Path

from httpx2 import HTTPError
from huggingface_hub import HfApi
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]
from rich.console import Console
from rich.table import Table

from nl2code.corpus.check.stated import wrong_digests
from nl2code.corpus.check.statement import read_report
from nl2code.corpus.folders import CARD, REPORT, Maker
from nl2code.errors import UserError, sentence


def show_and_push(
    folder: Path, repo_id: str, maker: Maker, *, private: bool, dry_run: bool
) -> None:
    """Print what would go; unless it is a dry run, upload it."""
    files = files_to_push(folder, repo_id, maker)
    table = Table("file", "MB", title=f"{folder} → datasets/{repo_id}")
    for name, size in files.items():
        table.add_row(name, f"{size / 1e6:.1f}")
    Console().print(table)
    if dry_run:
        print(f"--dry-run: nothing was uploaded; {sum(files.values()) / 1e6:.1f} MB would be")
    else:
        print(f"Uploaded: {push_dataset(folder, repo_id, private=private)}")


def files_to_push(folder: Path, repo_id: str, maker: Maker) -> dict[str, int]:
    """The files of a folder that `maker` built and their sizes in bytes, by name.

    Raises:
        UserError: The repository's name is none, or the folder is not as it was built.
    """
    _check_name(repo_id)
    _check_folder(folder, maker)
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


def _check_name(repo_id: str) -> None:
    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise UserError(f"REPOSITORY {repo_id}: {sentence(error)}") from None
    if "/" not in repo_id:
        raise UserError(f"REPOSITORY {repo_id}: name the owner too: ORG/{repo_id}")


def _check_folder(folder: Path, maker: Maker) -> None:
    files = maker.files(folder)
    if files is None:
        raise UserError(f"{folder}: not a folder that {maker.program} made")
    found, needed = {path.name for path in folder.iterdir()}, {REPORT, CARD, *files, *maker.beside}
    for name in sorted(found - needed):
        raise UserError(f"{folder}: holds {name}, which no build made")
    for name in sorted(needed - found):
        raise UserError(f"{folder}: lacks {name}, which the build made")
    for wrong in wrong_digests(folder, read_report(folder)):
        raise UserError(f"{folder}: has changed since it was built: the digest of {wrong}")


def push_dataset(folder: Path, repo_id: str, *, private: bool) -> str:
    """Upload the folder, in one commit; return the repository's address.

    Raises:
        UserError: The Hub cannot be reached, or refuses.
    """
    api = HfApi()
    try:
        api.create_repo(repo_id, repo_type="dataset", private=private, exist_ok=True)
        done = api.upload_folder(
            repo_id=repo_id,
            repo_type="dataset",
            folder_path=folder,
            delete_patterns=["*.parquet"],  # files of an earlier build, of other names
            commit_message="Upload the built dataset",
        )
    except (HTTPError, OSError, ValueError) as error:
        raise UserError(f"REPOSITORY {repo_id}: cannot be pushed: {sentence(error)}") from None
    return str(done.commit_url)
