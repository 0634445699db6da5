"""The built folder's README.md: the YAML that `load_dataset` reads, and the card of NL2Bash."""

from __future__ import annotations

from pathlib import Path
from string import Template

from huggingface_hub import DatasetCardData

from nl2code.corpus.card import describe_files, markdown_table, write_readme
from nl2code.corpus.nl2bash_build import BuiltPairs
from nl2code.corpus.nl2bash_schema import FEATURES

_SPLITS = ("split", "pairs", "normalised NL", "commands", "templates", "leaking pairs")
_CONFIGS = {
    "published": "These are the paper's pairs in the paper's split, taken by their line numbers:"
    " the authors' normalisation needs a word list that may not be passed on.",
    "rebuilt": "The pairs were chosen and split by our own filter and rule, so scores on them do"
    " not stand beside the paper's.",
}


def write_card(built: BuiltPairs, folder: Path, template: str) -> None:
    """Write README.md: YAML with the digest, so that no cache serves other data, and the text."""
    config = built.options["config"]
    splits = [
        (name, split.examples, split.clusters, split.commands, split.templates, split.leaks)
        for name, split in built.splits.items()
    ]
    text = Template(template).substitute(
        digest=built.digest,
        config=_CONFIGS[config],
        note=built.note,
        splits=markdown_table(_SPLITS, splits),
        funnel=markdown_table(("stage", "reason", "count"), built.funnel),
        sources=markdown_table(("file", "SHA-256"), _sources(built)),
    )
    card = DatasetCardData(
        language=["en", "code"],
        license="mit",
        pretty_name="NL2Bash",
        task_categories=["text-generation"],
        tags=["code", "bash", "shell"],
    )
    describe_files(card, folder, config, FEATURES, built.splits, built.digest)
    write_readme(folder, card, text)


def _sources(built: BuiltPairs) -> list[tuple[str, str]]:
    return [(name, digest) for name, digest in built.options.items() if name.startswith("all.")]
