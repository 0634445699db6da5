"""Python in notebook cells: magics, token schemes, API sequences, names defined and used."""

from nl2code.python_code.analysis import Analysis, analyse, why_not_a_target
from nl2code.python_code.api import NO_API_SEQUENCE, api_sequence
from nl2code.python_code.magics import NotPython, strip_magics
from nl2code.python_code.names import Names, names_defined, names_used
from nl2code.python_code.schemes import normal_form, restore
from nl2code.python_code.words import comments, imports

__all__ = [
    "NO_API_SEQUENCE",
    "Analysis",
    "Names",
    "NotPython",
    "analyse",
    "api_sequence",
    "comments",
    "imports",
    "names_defined",
    "names_used",
    "normal_form",
    "restore",
    "strip_magics",
    "why_not_a_target",
]
