"""Markdown cells as plain text and as the tokens of the `nl` column."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from nl2code.markdown_lines import simple_blocks
from nl2code.treebank import treebank_words

CODE_MARK = "CTAG"
"""Stands before and after code in prose, as in the released data."""


def nl_tokens(markdown: str) -> list[str]:
    r"""The tokens of a markdown cell's text, code between two `CTAG`.

    Follows the authors' markdown2, text and `word_tokenize`, but reads CommonMark and does not
    escape HTML entities a second time. An image leaves nothing.

    >>> nl_tokens("## Load\n\nDon't call `pd.read_csv()`, *please*.")
    ['Load', 'Do', "n't", 'call', 'CTAG', 'pd.read_csv', '(', ')', 'CTAG', ',', 'please', '.']
    >>> nl_tokens("![a plot](plot.png)")
    []
    """
    sentences = _sentences(_text(markdown, CODE_MARK))
    return [word for sentence in sentences for word in treebank_words(sentence)]


# No tag, image or link's address begins before the first letter.
_BEGINS_WITH_TEXT = re.compile(r"[\s#*+.):\d-]*[A-Za-z]")


def has_text(markdown: str) -> bool:
    """Whether `nl_tokens` gives any; most cells tell by their first letter.

    >>> has_text("# Load"), has_text("![a plot](plot.png)")
    (True, False)
    """
    return _BEGINS_WITH_TEXT.match(markdown) is not None or bool(nl_tokens(markdown))


def plain_text(markdown: str) -> str:
    r"""The prose of a markdown cell, without code, links' targets and HTML.

    >>> plain_text("# Ein *Titel*\n\nMit `code` und [Link](http://example.org).")
    'Ein Titel\nMit und Link.'
    """
    lines = (" ".join(line.split()) for line in _text(markdown, None).splitlines())
    return "\n".join(line for line in lines if line)


_SHORT = 3_000
_DATA_URI = re.compile(r"data:[\w/+.;=-]{0,100}base64,[A-Za-z0-9+/=%\s]+")


def _text(markdown: str, code_mark: str | None) -> str:
    # An embedded image can be a megabyte that every later step would carry along.
    text = _DATA_URI.sub("data:", markdown) if "base64," in markdown else markdown
    return "".join(_pieces(_parse(text), code_mark))


def _parse(text: str) -> list[Token]:
    return (_parse_short if len(text) <= _SHORT else _parse_blocks)(text)


# A notebook's first cells are read for their language, and again for their tokens.
@lru_cache(maxsize=64)
def _parse_short(text: str) -> list[Token]:
    return _parse_blocks(text)


# `snake_case`, a lone `]`, `>` or `&` is text.
_BEYOND_TEXT = re.compile(
    r"[\\`*\[<]|&[#A-Za-z]|(?<![^\W_])_|_(?![^\W_])|[ \t]\n|\n[ \t]",
)


def _parse_blocks(text: str) -> list[Token]:
    """The blocks; what stands in them is parsed where it can be more than text."""
    links: dict[str, Any] = {}
    blocks = simple_blocks(text)  # most cells, in a tenth of the parser's time
    if blocks is None:
        tokens = _parser().parse(text, links)
    else:
        tokens = [Token("inline", "", 0, content=block) for block in blocks]
    for token in tokens:
        if token.type == "inline" and _BEYOND_TEXT.search(token.content):
            token.children = []
            _parser().inline.parse(token.content, _parser(), links, token.children)
    return tokens


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # Entities and escapes stay apart from the text around them for `_unescaped`.
    return _Parser("commonmark").disable(["text_join", "inline"])


class _Parser(MarkdownIt):
    """Leaves addresses as they are written: none is printed."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url


def _pieces(tokens: Iterable[Token], code_mark: str | None) -> Iterator[str]:
    for token in tokens:
        match token.type:
            case "inline":
                yield from (
                    _pieces(token.children, code_mark) if token.children else (token.content,)
                )
                yield "\n"
            case "text":
                yield token.content
            case "text_special":
                yield _unescaped(token)
            case "softbreak" | "hardbreak":
                yield "\n"
            case "code_inline" | "code_block" | "fence":
                yield _marked(f"{token.info} {token.content}", code_mark)
            case "html_inline" | "html_block":
                yield _without_tags(token.content, code_mark)


# The characters that Markdown.pl and markdown2 let a backslash escape. CommonMark adds all ASCII
# punctuation, which eats the backslashes of LaTeX's `\,` and `\;`.
_ESCAPABLE = frozenset("\\`*_{}[]()>#+-.!")


def _unescaped(token: Token) -> str:
    if token.info == "escape" and token.content not in _ESCAPABLE:
        return token.markup
    return token.content


def _marked(code: str, code_mark: str | None) -> str:
    return " " if code_mark is None else f" {code_mark} {code} {code_mark} "


_UNSEEN = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.I)
_CODE_TAG = re.compile(r"</?code\b[^<>]*>", re.I)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<[!?][^<>]*>")


def _without_tags(text: str, code_mark: str | None) -> str:
    """The text of HTML as a reader sees it.

    >>> _without_tags("<p>a &lt; b<br>c</p>", None)
    'a < bc'
    """
    text = _CODE_TAG.sub(f" {code_mark or ''} ", _UNSEEN.sub("", text))
    return html.unescape(_TAG.sub("", text))


# Abbreviations whose period does not end a sentence; punkt's English model, which the authors
# used, is a download, and only its verdict on periods reaches the tokens.
_ABBREVIATION = re.compile(
    r"\b(?:[A-Za-z]|e\.?g|i\.?e|cf|vs|al|[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|St|[JS]r|[Ff]igs?|[Ee]qs?"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
_BOUNDARY = re.compile(r"(?<=[.?!])[\"')\]}*”\u2019]*\s+(?:(?=[^\sa-z])|(?<=\n))")


def _sentences(text: str) -> Iterator[str]:
    """Split where a period ends a sentence.

    >>> list(_sentences("Boston, e.g. Cambridge. See J. Doe. Then 2."))
    ['Boston, e.g. Cambridge.', 'See J. Doe.', 'Then 2.']
    """
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        before = text[max(start, boundary.start() - 12) : boundary.start()]
        if not _ABBREVIATION.search(before):
            yield text[start : boundary.end()].strip()
            start = boundary.end()
    yield text[start:].strip()
