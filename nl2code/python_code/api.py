"""The API sequence of a cell: its calls, by name and in order (paper, section 2)."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nl2code.python_code.parsing import read_python
from nl2code.python_code.scanning import split_code

NO_API_SEQUENCE = "NO_API_SEQUENCE"

# Python 3.6's, written out: what counts as an API call must not change with the interpreter.
_BUILTINS = """
    ArithmeticError AssertionError AttributeError BaseException BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
    ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis
    EnvironmentError Exception False FileExistsError FileNotFoundError FloatingPointError
    FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
    InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError
    OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
    RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
    StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
    TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
    __build_class__ __debug__ __doc__ __import__ __loader__ __name__ __package__ __spec__ abs
    all any ascii bin bool bytearray bytes callable chr classmethod compile complex copyright
    credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset
    getattr globals hasattr hash help hex id input int isinstance issubclass iter len license
    list locals map max memoryview min next object oct open ord pow print property quit range
    repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
"""
PYTHON_36_BUILTINS = frozenset(_BUILTINS.split())
_KEYWORDS = """
    False None True and as assert break class continue def del elif else except finally for from
    global if import in is lambda nonlocal not or pass raise return try while with yield
"""
_PYTHON_36_KEYWORDS = frozenset(_KEYWORDS.split())
_PYTHON_2_BUILTINS = frozenset(["xrange", "reduce", "unicode", "file", "reload"])
_NO_API = PYTHON_36_BUILTINS | _PYTHON_2_BUILTINS


def api_sequence(code: str) -> list[str]:
    """The names called in `code`, in order.

    A name before `(`, unless it is a builtin (a method of that name counts) or is being defined.
    As in the released files, a cell of `import` statements alone has none, and any other cell
    without calls has the one token `NO_API_SEQUENCE`.

    Raises:
        NotPython: With the reason.

    >>> api_sequence("print(len(x)); model.fit(np.sum(x))")
    ['fit', 'sum']
    >>> api_sequence("import os"), api_sequence("x = 1")
    ([], ['NO_API_SEQUENCE'])
    """
    code, tree = read_python(code)
    return called_names(split_code(code), tree)


def called_names(pieces: Sequence[str], tree: ast.Module) -> list[str]:
    """`api_sequence` of a cell that was parsed and split into tokens already."""
    if all(isinstance(statement, ast.Import) for statement in tree.body):
        return []
    calls = (place for place, piece in enumerate(pieces) if piece == "(")
    names = [pieces[place - 1] for place in calls if _is_call(pieces[max(0, place - 2) : place])]
    return names or [NO_API_SEQUENCE]


def _is_call(before: Sequence[str]) -> bool:
    """Whether the tokens before a parenthesis, two at most, make it a call.

    >>> _is_call([".", "print"]), _is_call(["=", "print"]), _is_call(["def", "f"])
    (True, False, False)
    """
    if not before or not before[-1].isidentifier() or before[-1] in _PYTHON_36_KEYWORDS:
        return False
    return before[0] == "." or (before[0] not in ("def", "class") and before[-1] not in _NO_API)
