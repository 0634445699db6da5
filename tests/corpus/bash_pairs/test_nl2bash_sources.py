"""The two files of NL2Bash, from a folder or a server, whole or not."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from nl2code.corpus.nl2bash import sources
from nl2code.corpus.nl2bash.sources import Pair, read_pairs, require_published
from nl2code.errors import UserError

NL, COMMANDS = b"List files\nCount lines\n", b"ls\nwc -l\n"
PAIRS = [Pair(1, "List files", "ls"), Pair(2, "Count lines", "wc -l")]


def write(folder, nl=NL, commands=COMMANDS):
    (folder / "all.nl").write_bytes(nl)
    (folder / "all.cm").write_bytes(commands)
    return str(folder)


def test_the_lines_of_the_files_are_pairs(tmp_path):
    found = read_pairs(write(tmp_path))
    assert (found.pairs, found.notes) == (PAIRS, [])


@pytest.mark.parametrize(
    ("nl", "note"),
    [
        (b"\xef\xbb\xbf" + NL, "all.nl: the byte order mark was dropped."),
        (NL.replace(b"\n", b"\r\n"), "all.nl: 2 Windows line ends were mended."),
    ],
)
def test_what_an_editor_adds_is_dropped_and_said(tmp_path, nl, note):
    found = read_pairs(write(tmp_path, nl))
    assert found.pairs == PAIRS
    assert found.digests["all.nl"] == hashlib.sha256(NL).hexdigest()
    assert [said.endswith(note) for said in found.notes] == [True]


def test_the_last_line_need_not_end(tmp_path):
    assert read_pairs(write(tmp_path, NL[:-1])).pairs == PAIRS


def test_other_line_separators_do_not_split_a_line(tmp_path):
    pairs = read_pairs(write(tmp_path, "a\x0bb\u2028c\rd\ne\n".encode())).pairs
    assert [pair.nl for pair in pairs] == ["a\x0bb\u2028c\rd", "e"]


@pytest.mark.parametrize(
    ("nl", "commands", "said"),
    [
        (NL + b"more\n", COMMANDS, "all.nl has 3 lines, all.cm has 2 lines"),
        (NL + b"\n", COMMANDS, "all.nl has 3 lines"),
        (b"", COMMANDS, "all.nl has 0 lines"),
        (b"", b"", "are empty"),
        (NL, b"ls\nls caf\xe9\n", "all.cm, line 2: not UTF-8"),
        (NL.decode().encode("utf-16"), COMMANDS, "all.nl, line 1: not UTF-8"),
    ],
)
def test_files_that_are_no_pairs_are_one_sentence(tmp_path, nl, commands, said):
    with pytest.raises(UserError, match=said):
        read_pairs(write(tmp_path, nl, commands))


def test_a_folder_without_the_files_says_which_one_is_missing(tmp_path):
    with pytest.raises(UserError, match=r"all.nl: no such file"):
        read_pairs(str(tmp_path))


def test_other_pairs_than_the_published_have_no_published_split(tmp_path):
    source = write(tmp_path)
    with pytest.raises(UserError, match=r"all.nl: not the published file .*--config rebuilt"):
        require_published(read_pairs(source), source)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        content = self.server.answers.get(self.path)
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        half = self.path == "/all.cm" and self.server.cut
        self.wfile.write((content or b"")[: 3 if half else None])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    served = HTTPServer(("127.0.0.1", 0), _Handler)
    served.cut, served.answers = False, {"/all.nl": NL, "/all.cm": COMMANDS}
    served.address = f"http://127.0.0.1:{served.server_port}/"
    digests = {"all.nl": hashlib.sha256(NL), "all.cm": hashlib.sha256(COMMANDS)}
    known = {name: digest.hexdigest() for name, digest in digests.items()}
    monkeypatch.setattr(sources, "SHA256", known)
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def test_the_published_files_are_downloaded_and_checked(server):
    found = read_pairs("published", server.address)
    require_published(found, "published")
    assert found.pairs == PAIRS


def test_a_download_that_is_cut_off_says_after_how_many_bytes(server):
    server.cut = True
    with pytest.raises(UserError, match=r"all.cm: cut off after 3 bytes"):
        read_pairs("published", server.address)


def test_a_download_of_other_content_is_refused(server):
    server.answers["/all.cm"] = b"ls\nwc -c\n"
    with pytest.raises(UserError, match=r"all.cm: SHA-256 .* not the published file, or damaged"):
        read_pairs("published", server.address)


def test_a_server_that_has_no_such_file_or_is_not_there_is_one_sentence(server):
    with pytest.raises(UserError, match=r"all.nl: the server answers 404"):
        read_pairs("published", server.address + "gone/")
    with pytest.raises(UserError, match=r"cannot be downloaded: Connection refused"):
        read_pairs("published", "http://127.0.0.1:1/")
