"""What the evaluate modules in `metrics/` take: a prediction with one reference or with several."""

from __future__ import annotations

from datasets import Features, List, Value

TEXT = Value("string")
# The list comes first: evaluate would cast a list to a string, were the string offered first.
TOKEN_FEATURES = [
    Features({"predictions": TEXT, "references": List(TEXT)}),
    Features({"predictions": TEXT, "references": TEXT}),
]

INPUTS = """
Args:
    predictions: list of str, tokens joined by blanks.
    references: list of str, or list of lists of str; the lists may differ in length.
"""

# Of Bash: ranked candidates, or one prediction; again lists come first.
RANKED_FEATURES = [
    Features({"predictions": predictions, "references": references})
    for predictions in (List(TEXT), TEXT)
    for references in (List(TEXT), TEXT)
]

RANKED_INPUTS = """
Args:
    predictions: list of str, or list of lists of str, best first: commands as written.
    references: list of str, or list of lists of str; the lists may differ in length.
    k: how many of an example's predictions count, the best of them; 1 when not given.
"""
