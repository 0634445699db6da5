import os
import subprocess
import sys

import pytest

PROGRAM = """
from nl2code.errors import UserError, run_program
def main():
    {body}
run_program(main)
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('raise UserError("a.yaml: no key\\n  b")', "error: a.yaml: no key b\n"),
        ("raise MemoryError", "error: not enough memory\n"),
        ('open("/no/such")', "error: /no/such: No such file or directory\n"),
    ],
)
def test_a_users_mistake_is_one_sentence_and_exit_code_2(body, said):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(body=body)], capture_output=True, text=True
    )
    assert (run.returncode, run.stdout, run.stderr) == (2, "", said)


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_a_name_beyond_ascii_is_whole_in_every_locale(locale, tmp_path):
    body = "import sys; print(sys.argv[1].encode(), sys.argv[1], sys.flags.utf8_mode)"
    settings = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(body=body), "zoë"],
        env=os.environ | settings,
        capture_output=True,
        encoding="utf-8",
    )
    assert (run.stdout, run.stderr) == (f"{'zoë'.encode()} zoë 1\n", "")


def test_our_own_mistake_keeps_its_traceback():
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(body="assert 0")], capture_output=True, text=True
    )
    assert run.returncode == 1
    assert "Traceback" in run.stderr
