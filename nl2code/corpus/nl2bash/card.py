"""The built folder's README.md: the YAML that `load_dataset` reads, and the card of NL2Bash."""

from __future__ import annotations

from pathlib import Path
from string import Template

from huggingface_hub import DatasetCardData

from nl2code.corpus.card import describe_files, markdown_table, write_readme
from nl2code.corpus.nl2bash.build import BuiltPairs
from nl2code.corpus.nl2bash.schema import FEATURES
from nl2code.corpus.nl2bash.sources import SHA256

_SPLITS = ("split", "pairs", "normalised NL", "commands", "templates", "leaking pairs")
_CONFIGS = {
    "published": "These are the paper's pairs in the paper's split, taken by their line numbers:"
    " the authors' normalisation needs a word list that may not be passed on.",
    "rebuilt": "The pairs were chosen and split by our own filter and rule, so scores on them do"
    " not stand beside the paper's.",
}
_MIT = """\
These are the authors' files: experts wrote the sentences for commands found on the web.

> MIT License. Copyright (c) 2020 NL2Bash dataset
>
> Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
> associated documentation files (the "Software"), to deal in the Software without restriction,
> including without limitation the rights to use, copy, modify, merge, publish, distribute,
> sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
> furnished to do so, subject to the following conditions:
>
> The above copyright notice and this permission notice shall be included in all copies or
> substantial portions of the Software.
>
> THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
> NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
> NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
> DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
> OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""
_OTHER = "These are other pairs than the authors'; their licence is that of whoever wrote them."


def write_card(built: BuiltPairs, folder: Path, template: str) -> None:
    """Write README.md: YAML with the digest, so that no cache serves other data, and the text."""
    config = built.options["config"]
    sources = {name: built.options[name] for name in SHA256}
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
        sources=markdown_table(("file", "SHA-256"), list(sources.items())),
        origin=_MIT if sources == SHA256 else _OTHER,
    )
    card = DatasetCardData(
        language=["en", "code"],
        license="mit" if sources == SHA256 else "other",
        pretty_name="NL2Bash",
        task_categories=["text-generation"],
        tags=["code", "bash", "shell"],
    )
    describe_files(card, folder, config, FEATURES, built.splits, built.digest)
    write_readme(folder, card, text)
