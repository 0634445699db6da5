"""What a push of a built folder sends, to a Hub that only writes down what it was asked."""

from types import SimpleNamespace

import pytest
from huggingface_hub.errors import HfHubHTTPError

from nl2code.corpus.files import digest_of
from nl2code.corpus.folders import JUICE, NL2BASH
from nl2code.errors import UserError
from nl2code.hub import dataset
from nl2code.hub.dataset import files_to_push, push_dataset
from nl2code.jsonl import write_json

FILES = ["ATTRIBUTION.csv", "README.md", "build.json", "dev-0.parquet"]


@pytest.fixture
def folder(tmp_path):
    """What a build of JuICe leaves; nobody reads the Parquet."""
    folder = tmp_path / "juice"
    folder.mkdir()
    (folder / "dev-0.parquet").write_bytes(b"PAR1")
    (folder / "ATTRIBUTION.csv").touch()
    digest = digest_of(folder)
    (folder / "README.md").write_text(f"sha256:{digest}")
    dev = {"files": ["dev-0.parquet"], "examples": 1, "repositories": 1, "notebooks": 1}
    write_json(folder / "build.json", {"splits": {"dev": dev}, "digest": digest})
    return folder


class Hub:
    """Stands in for `HfApi`: writes down the calls."""

    def __init__(self):
        self.calls = []

    def create_repo(self, repo_id, **options):
        self.calls.append(("create_repo", repo_id, options))

    def upload_folder(self, **options):
        self.calls.append(("upload_folder", options.pop("repo_id"), options))
        return SimpleNamespace(commit_url="https://hub/commit/1")


@pytest.fixture
def hub(monkeypatch):
    hub = Hub()
    monkeypatch.setattr(dataset, "HfApi", lambda: hub)
    return hub


def test_the_files_are_those_of_the_folder_with_their_sizes(folder):
    found = files_to_push(folder, "ada/juice", JUICE)
    assert list(found) == FILES
    assert (found["dev-0.parquet"], found["ATTRIBUTION.csv"]) == (4, 0)


@pytest.mark.parametrize("private", [True, False])
def test_a_push_makes_the_repository_and_uploads_the_folder_as_it_is(folder, hub, private):
    assert push_dataset(folder, "ada/juice", private=private) == "https://hub/commit/1"
    (created, made, how), (uploaded, sent, what) = hub.calls
    assert (created, uploaded) == ("create_repo", "upload_folder")
    assert made == sent == "ada/juice"
    assert how == {"repo_type": "dataset", "private": private, "exist_ok": True}
    assert (what["repo_type"], what["folder_path"]) == ("dataset", folder)
    assert not what.keys() & {"allow_patterns", "ignore_patterns", "path_in_repo"}
    # Files of an earlier build have other names; `load_dataset` must not find them.
    assert what["delete_patterns"] == ["*.parquet"]
    assert sorted(path.name for path in folder.iterdir()) == FILES


@pytest.mark.parametrize("name", ["juice", "ada/ju ice", "a/b/c", "", "ada/", "/juice", "-/juice"])
def test_a_name_that_is_none_is_one_sentence(folder, name):
    with pytest.raises(UserError, match="REPOSITORY") as caught:
        files_to_push(folder, name, JUICE)
    assert "\n" not in str(caught.value)


def test_a_folder_that_no_build_made_is_not_pushed(folder, tmp_path):
    (folder / "build.json").unlink()
    for place in (folder, tmp_path / "gone"):
        with pytest.raises(UserError, match=r"not a folder that juice\.py made"):
            files_to_push(place, "ada/juice", JUICE)


def test_what_another_program_made_is_not_pushed(folder):
    with pytest.raises(UserError, match=r"not a folder that nl2bash\.py made"):
        files_to_push(folder, "ada/nl2bash", NL2BASH)


@pytest.mark.parametrize("call", ["create_repo", "upload_folder"])
@pytest.mark.parametrize(
    "error",
    [
        OSError("no\nroute to host"),
        ValueError("a token is needed"),
        HfHubHTTPError("403 Forbidden", response=SimpleNamespace(headers={}, request=None)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_hub_that_refuses_or_cannot_be_reached_is_one_sentence(
    folder, hub, monkeypatch, call, error
):
    def refuse(*arguments, **options):
        raise error

    monkeypatch.setattr(hub, call, refuse)
    with pytest.raises(UserError, match="REPOSITORY ada/juice: cannot be pushed: ") as caught:
        push_dataset(folder, "ada/juice", private=False)
    assert "\n" not in str(caught.value)


def test_what_no_build_made_is_not_pushed(folder):
    (folder / "secret.env").touch()
    with pytest.raises(UserError, match=r"holds secret\.env, which no build made"):
        files_to_push(folder, "ada/juice", JUICE)


@pytest.mark.parametrize("name", ["dev-0.parquet", "README.md", "ATTRIBUTION.csv"])
def test_a_folder_that_lacks_a_file_is_not_pushed(folder, name):
    (folder / name).unlink()
    with pytest.raises(UserError, match=f"lacks {name}, which the build made"):
        files_to_push(folder, "ada/juice", JUICE)


def test_a_folder_whose_parquet_or_card_is_of_another_build_is_not_pushed(folder):
    card = (folder / "README.md").read_text()
    (folder / "README.md").write_text("sha256:0")
    with pytest.raises(UserError, match=r"has changed since it was built: .* README\.md"):
        files_to_push(folder, "ada/juice", JUICE)
    (folder / "README.md").write_text(card)
    (folder / "dev-0.parquet").write_bytes(b"PAR2")
    with pytest.raises(UserError, match=r"has changed since it was built: .* build\.json"):
        files_to_push(folder, "ada/juice", JUICE)
