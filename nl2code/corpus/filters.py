"""Which notebooks may give training examples (paper, section 3.1); each "no" is a reason."""

from __future__ import annotations

import re
from itertools import islice

import py3langid

from nl2code.markdown import plain_text
from nl2code.records import Notebook

MAX_CODE_PER_NL = 3
_PYTHON = re.compile(r"i?python|pyspark")
# Kernels that name no language in the metadata; any other such kernel gets the benefit of the
# doubt, since its cells must parse as Python anyway.
_OTHER_KERNEL = re.compile(
    r"ir\b|julia|bash|iqsharp|matlab|octave|clojure|scala|apache_toree|ijavascript|javascript"
    r"|xcpp|ruby|haskell|ihaskell|sos|sas|stata|\.net|go|rust|swift|coq|logtalk|sql",
    re.IGNORECASE,
)
_IDENTIFIED_CHARACTERS = 500
_IDENTIFIABLE_WORDS = 5


def why_no_training_notebook(notebook: Notebook) -> str | None:
    """Why the notebook gives no training example, or None to keep it.

    Returns:
        `no_code`, `not_python`, `no_markdown`, `too_much_code`, `not_english`, or None.
    """
    types = [cell.cell_type for cell in notebook.cells]
    code, markdown = types.count("code"), types.count("markdown")
    if not code:
        return "no_code"
    if not is_python(notebook):
        return "not_python"
    if not markdown:
        return "no_markdown"
    if code > MAX_CODE_PER_NL * markdown:
        return "too_much_code"
    return None if is_english(prose(notebook)) else "not_english"


def is_python(notebook: Notebook) -> bool:
    """Whether the kernel is Python 2 or 3; a notebook that names none counts as Python."""
    if notebook.language:
        return _PYTHON.match(notebook.language) is not None
    return _OTHER_KERNEL.match(notebook.kernel) is None


def prose(notebook: Notebook) -> str:
    """Return the text of the first markdown cells, as much as language identification needs."""
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    text = ""
    for source in islice(texts, 50):
        text += plain_text(source[:_IDENTIFIED_CHARACTERS]) + "\n"
        if len(text) >= _IDENTIFIED_CHARACTERS:
            break
    return text[:_IDENTIFIED_CHARACTERS]


def is_english(text: str) -> bool:
    """Whether the text is in English; one without letters is not.

    A handful of words is too little to identify ("My Notebook" passes for Afrikaans): such a text
    counts as English when it is ASCII.

    >>> is_english("Load the data and plot the mean of each group.")
    True
    >>> is_english("Chargez les données et tracez la moyenne de chaque groupe.")
    False
    """
    words = set(re.findall(r"[^\W\d_]{2,}", text.lower()))
    if len(words) < _IDENTIFIABLE_WORDS:
        return bool(words) and text.isascii()
    language, _ = py3langid.classify(text)
    return bool(language == "en")
