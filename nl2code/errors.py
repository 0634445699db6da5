"""A user's mistakes: one clear sentence and exit code 2, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


class UserError(Exception):
    """What the user gave cannot be used. The message names the file, the field and the value."""


def run_program(main: Callable[[], None]) -> None:
    """Run a program's `main`; print a `UserError` as one sentence and exit with code 2.

    A full disk, a missing file or a folder without permission is the user's to mend as well.
    """
    _speak_utf8()
    try:
        main()
    except (UserError, OSError, MemoryError) as error:
        sys.stdout.flush()
        print(f"error: {sentence(error)}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


def _speak_utf8() -> None:
    """Start this program again in Python's UTF-8 mode where the locale has another encoding.

    Arrow and DuckDB take every name for UTF-8, so that none beyond ASCII would reach them whole.
    """
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def sentence(error: BaseException) -> str:
    """The error in one line.

    >>> sentence(OSError(28, "No space left on device", "juice/train.parquet"))
    'juice/train.parquet: No space left on device'
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError) and not str(error):
        return "not enough memory"
    return " ".join(str(error).split())
