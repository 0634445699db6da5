"""What a push of a built folder sends, to a Hub that only writes down what it was asked."""

from types import SimpleNamespace

import pytest
from huggingface_hub.errors import HfHubHTTPError

from nl2code.errors import UserError
from nl2code.hub import dataset
from nl2code.hub.dataset import files_to_push, push_dataset

FILES = {
    "README.md": b"# Card",
    "build.json": b"{}",
    "dev-0.parquet": b"PAR1",
    "ATTRIBUTION.csv": b"",
}


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


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
    assert files_to_push(folder, "ada/juice") == {name: len(FILES[name]) for name in sorted(FILES)}


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
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES


@pytest.mark.parametrize("name", ["juice", "ada/ju ice", "a/b/c", "", "ada/", "/juice", "-/juice"])
def test_a_name_that_is_none_is_one_sentence(folder, name):
    with pytest.raises(UserError, match="REPOSITORY") as caught:
        files_to_push(folder, name)
    assert "\n" not in str(caught.value)


def test_a_folder_that_no_build_made_is_not_pushed(folder, tmp_path):
    (folder / "build.json").unlink()
    for place in (folder, tmp_path / "gone"):
        with pytest.raises(UserError, match="not a folder that a build made"):
            files_to_push(place, "ada/juice")


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
        files_to_push(folder, "ada/juice")
