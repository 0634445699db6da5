"""The columns: one list of them, for Arrow and for `datasets`."""

import subprocess
import sys
from pathlib import Path

from nl2code.corpus.features import FEATURES
from nl2code.corpus.schema import SCHEMA

ROOT = Path(__file__).parents[2]


def test_the_schema_says_of_itself_what_datasets_would_write() -> None:
    assert FEATURES.arrow_schema.equals(SCHEMA, check_metadata=True)


def test_a_worker_process_does_without_datasets() -> None:
    """Its import takes longer than 100 notebooks."""
    code = "import sys; import nl2code.corpus.build; sys.exit('datasets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_worker_process_does_not_import_the_commands() -> None:
    code = (
        f"import runpy, sys; runpy.run_path({str(ROOT / 'juice.py')!r}, run_name='__mp_main__');"
        " sys.exit('nl2code' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
