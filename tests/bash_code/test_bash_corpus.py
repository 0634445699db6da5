"""The published commands; skipped where `../shared` is absent."""

import time
from collections import Counter
from pathlib import Path

import pytest

from nl2code.bash_code import (
    NotBash,
    canonical,
    command_tokens,
    flags,
    parse,
    restore_command,
    template,
    utilities,
)

DATA = Path(__file__).parents[3] / "shared/data/nl2bash"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no {DATA}")


def published():
    commands = (DATA / "all.cm").read_text(encoding="utf-8").split("\n")
    rows = (DATA / "published_split.tsv").read_text(encoding="utf-8").split("\n")
    fields = [row.split("\t") for row in rows[1:] if row]
    return [commands[int(line) - 1] for line, split, *_ in fields if split != "excluded"]


@pytest.mark.slow
def test_every_published_command_parses_and_keeps_its_template(capsys):
    commands, reasons, templates, seen = published(), Counter(), set(), Counter()
    started = time.process_time()
    trees = [parse(command, redirects=True) for command in commands]
    seconds = time.process_time() - started
    for tree in trees:
        templates.add(template(tree))
        seen.update(flags(tree))
        assert template(canonical(tree), redirects=True) == template(tree)
    for command in commands:
        try:
            parse(command)
        except NotBash as error:
            reasons[error.reason] += 1
    with capsys.disabled():
        print(f"\n{len(trees)}/{len(commands)} parsed in {seconds:.1f} s; without {dict(reasons)}")
        print(f"{len(templates)} templates (published 4602), {len(seen)} flags (published 206)")
        print("flags met once:", *sorted(flag for flag, met in seen.items() if met == 1))
    assert len(trees) == 9305
    assert reasons == {"redirect": 3}
    assert seconds < 10
    assert abs(len(templates) / 4602 - 1) < 0.02
    allowed = set((DATA / "allowed_utilities_102.txt").read_text().split())
    assert {name for tree in trees for name in utilities(tree)} == allowed


def test_a_sample_of_published_commands_is_read_and_restored():
    for command in published()[::93]:
        tree = parse(command, redirects=True)
        for level in ("token", "sub-token", "char"):
            text = restore_command(command_tokens(tree, level), level)
            assert canonical(text, redirects=True) == canonical(tree)
