"""Commands as their scores compare them; what is no Bash has a form of its own, and no template."""

from __future__ import annotations

from functools import lru_cache

from nl2code.bash_code import NotBash, Pipeline, canonical, parse, template


@lru_cache(maxsize=1 << 16)
def tree_of(command: str) -> Pipeline | None:
    """The typed tree, remembered, as each metric asks for it; None of what is no Bash."""
    try:
        return parse(command, redirects=True)
    except NotBash:
        return None


def form_of(command: str) -> str:
    """The canonical command, or the text as it stands.

    >>> form_of("ls -la"), form_of(" ls ( ")
    ('ls -l -a', 'ls (')
    """
    tree = tree_of(command)
    return canonical(tree) if tree else command.strip()


def template_of(command: str) -> str | None:
    """The template, or None.

    >>> template_of("ls -la /tmp"), template_of("ls (")
    ('ls -l -a File', None)
    """
    tree = tree_of(command)
    return template(tree) if tree else None
