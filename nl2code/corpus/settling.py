"""What dev and test are made of, once it is known what the notebooks hold."""

from __future__ import annotations

from dataclasses import replace

from nl2code.corpus.curated import Problems
from nl2code.corpus.funnel import counted, dropped, unconfirmed
from nl2code.corpus.held_out import SPLITS, HeldOut
from nl2code.corpus.mapping import Drops
from nl2code.corpus.splits import Names
from nl2code.errors import UserError

FEW_PROBLEMS = 100
"""With fewer curated problems `auto` says that another dev and test would be larger."""


def settle(
    held_out: HeldOut, drops: Drops, problems: Problems, names: Names
) -> tuple[HeldOut, str]:
    """What is held out, and a word on what `auto` chose.

    Raises:
        UserError: There is too little of what dev and test are to be made of.
    """
    asked, note = held_out.unit, ""
    if held_out.unit == "auto" and problems.kept:
        held_out, note = replace(held_out, unit="curated"), _few(problems)
    elif held_out.unit == "auto":
        held_out = replace(
            held_out,
            unit="repositories" if names.repositories >= len(SPLITS) else "notebooks",
        )
        note = _no_problem(held_out, problems)
    if why := _why_not(held_out, drops, problems, names):
        raise UserError(f"--dev-test {asked}: {why}; {dropped(drops, problems)}")
    return held_out, note


def _few(problems: Problems) -> str:
    found, hint = problems.kept.total(), unconfirmed(problems)
    if found >= FEW_PROBLEMS:
        return ""
    return (
        f"Only {found} curated {'problem was' if found == 1 else 'problems were'} found;"
        " --dev-test repositories makes a larger dev and test"
        f"{f'; {hint}' if hint else ''}."
    )


def _no_problem(held_out: HeldOut, problems: Problems) -> str:
    hint = unconfirmed(problems)
    return (
        "The notebooks hold no nbgrader assignment and no exercise with its solution that gives a"
        f" problem, so whole {held_out.unit} are held out{f'; {hint}' if hint else ''}."
    )


def _why_not(held_out: HeldOut, drops: Drops, problems: Problems, names: Names) -> str:
    """What there is too little of, and what to do instead; empty where there is enough."""
    if held_out.unit == "curated":
        if problems.kept:
            return ""
        return (
            "no nbgrader assignment and no exercise with its solution in"
            f" {counted(drops.notebooks)} gives a problem; --dev-test repositories holds out whole"
            " repositories instead"
        )
    found = names.repositories if held_out.unit == "repositories" else names.notebooks
    if found >= len(SPLITS):
        return ""
    instead = "add some" if held_out.unit == "notebooks" else "try --dev-test notebooks"
    return (
        f"examples come from too few {held_out.unit} ({found}), and train, dev and test need one"
        f" each; {instead}"
    )
