"""Bash's own syntax, by tree-sitter."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from nl2code.bash_code.reasons import NotBash
from nl2code.bash_code.shell import Line, Setting, Simple, Substitution, Word
from nl2code.bash_code.surface import escape_parentheses

MAX_DEPTH = 20
"""Of commands in commands: Python's stack is small, and what people write is far below."""


def read_line(command: str) -> Line:
    """The pipeline that a command is.

    Raises:
        NotBash: With the reason.
    """
    root = _parser().parse(command.encode("utf-8", "replace")).root_node
    if root.has_error and "find" in command:
        root = _parser().parse(escape_parentheses(command).encode("utf-8", "replace")).root_node
    if root.has_error:
        raise NotBash("unparsed")
    return _line(root, 0)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _line(node: Node, depth: int) -> Line:
    if depth > MAX_DEPTH:
        raise NotBash("too_deep")
    statements = [child for child in node.named_children if child.type != "comment"]
    if len(statements) != 1:
        raise NotBash("list" if statements else "empty")
    operators, commands = [], []
    for part in _pipeline(statements[0]):
        if part.is_named:
            commands.append(_simple(part, depth))
        elif part.type in ("|", "|&"):
            operators.append(part.type)
    background = any(child.type == "&" for child in node.children)
    return Line(tuple(commands), tuple(operators), background)


def _pipeline(node: Node) -> list[Node]:
    return node.children if node.type == "pipeline" else [node]


_LISTS = ("list", "negated_command")
_SETTINGS = ("variable_assignment", "variable_assignments")


def _simple(node: Node, depth: int) -> Simple:
    if node.type == "redirected_statement":
        return _redirected(node, depth)
    if node.type in _SETTINGS:
        nodes = [node] if node.type == _SETTINGS[0] else node.named_children
        return Simple((), tuple(_setting(child, depth) for child in nodes))
    if node.type != "command":
        raise NotBash("list" if node.type in _LISTS else _reason(node))
    words: list[list[Node]] = []
    redirects, settings = [], []
    for child in node.children:
        if child.type == "variable_assignment":
            settings.append(_setting(child, depth))
        elif child.type.endswith("redirect"):
            redirects.append(_redirect(child, depth))
        elif words and words[-1][-1].end_byte == child.start_byte:
            words[-1].append(child)
        else:
            words.append([child])
    read = tuple(_word(nodes, depth) for nodes in words)
    return Simple(read, tuple(settings), tuple(redirects))


def _reason(node: Node) -> str:
    if node.type in ("declaration_command", "unset_command"):
        return "no_grammar"
    return "compound"


def _redirected(node: Node, depth: int) -> Simple:
    body = node.child_by_field_name("body")
    redirects = tuple(_redirect(c, depth) for c in node.children if c.type.endswith("redirect"))
    if body is None or body.type == "pipeline":
        raise NotBash("redirect")
    simple = _simple(body, depth)
    return replace(simple, redirects=simple.redirects + redirects)


def _redirect(node: Node, depth: int) -> tuple[str, Word]:
    if node.type == "heredoc_redirect":
        raise NotBash("heredoc")
    *operator, target = node.children
    if len(operator) > 2:
        raise NotBash("unparsed")
    return "".join(_text([part]) for part in operator), _word([target], depth)


def _setting(node: Node, depth: int) -> Setting:
    name, operator, *value = node.children
    return Setting(_text([name]), operator.type, _word(value, depth) if value else None)


def _text(nodes: list[Node]) -> str:
    return b"".join(node.text or b"" for node in nodes).decode()


def _word(nodes: list[Node], depth: int) -> Word:
    return Word(_text(nodes), tuple(_substitutions(nodes, depth)))


_OPENERS = {"command_substitution": "$(", "process_substitution": ""}


def _substitutions(nodes: list[Node], depth: int) -> list[Substitution]:
    found = []
    stack = nodes[::-1]
    while stack:
        node = stack.pop()
        if node.type in _OPENERS:
            opener = _OPENERS[node.type] or _text([node])[:2]
            found.append(Substitution(_text([node]), opener, _line(node, depth + 1)))
        else:
            stack += node.children[::-1]
    return found
