"""Sentences decoded a CPU second: our beam search, `generate`, and CTranslate2.

    pip install -c constraints.txt -e '.[train,benchmarks]'
    OMP_NUM_THREADS=1 python benchmarks/decode.py
    OMP_NUM_THREADS=1 python benchmarks/decode.py --checkpoint runs/k3/best --data juice --split dev

By default a model of the paper's size with random weights writes exactly 40 tokens for made-up
sources; with `--checkpoint` a trained one writes what it wants for those of a split. All systems
decode the same sentences with beam 5 in float32, in turns; the medians of `--rounds` are printed,
and for how many sentences the best text is that of plain `generate`.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from transformers import MarianMTModel, PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from nl2code.dataset import read_split
from nl2code.decoding import Search, decode, load_checkpoint, plan_batches
from nl2code.decoding.decode import generate
from nl2code.encoding import cut
from nl2code.errors import run_program
from nl2code.linearisation import linearise
from nl2code.models import (
    CopyTransformerConfig,
    CopyTransformerForConditionalGeneration,
    LSTMForConditionalGeneration,
    LSTMSeq2SeqConfig,
)
from nl2code.models.transformer import transformer_config

BEAMS = 5
VOCABULARY = {
    "vocab_size": 10_262,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
}
MODELS: dict[str, Callable[[], PreTrainedModel]] = {
    "transformer": lambda: MarianMTModel(transformer_config(**VOCABULARY)),
    "lstm": lambda: LSTMForConditionalGeneration(LSTMSeq2SeqConfig(**VOCABULARY)),
    "copy_transformer": lambda: CopyTransformerForConditionalGeneration(
        CopyTransformerConfig(**VOCABULARY)
    ),
}
Texts = list[list[int]]
"""The best text of each sentence, as token ids up to its end."""


def main() -> None:
    """Let each system decode the sentences, turn by turn, and print their speeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=MODELS, default="transformer")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--data")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--longest", type=int, help="tokens (40; 150 with a checkpoint)")
    parser.add_argument("--batch", type=int, default=16, help="sentences, where they are unsorted")
    parser.add_argument("--batch_tokens", type=int, default=12_000, help="as in recipes/predict.py")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    disable_progress_bar()
    if options.checkpoint:
        model, sources = trained(options)
    else:
        model, sources = made_up(options.model, options.sentences)
    longest = options.longest or (150 if options.checkpoint else 40)
    order = np.random.default_rng(0).permutation(len(sources)).tolist()
    unsorted = [order[at : at + options.batch] for at in range(0, len(order), options.batch)]
    batches = plan_batches(sources, options.batch_tokens // BEAMS)
    end = model.generation_config.eos_token_id
    how = Search(beams=BEAMS, longest=longest)

    def ours(batch: Texts) -> Texts:
        return [beams[0] for beams in decode(model, batch, how)]

    def theirs(batch: Texts) -> Texts:
        return [up_to(end, beams[0]) for beams in generate(model, batch, how)]

    systems = {
        "generate, unsorted": lambda: in_batches(theirs, sources, unsorted),
        "generate, sorted": lambda: in_batches(theirs, sources, batches),
        "ours": lambda: in_batches(ours, sources, batches),
    }
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(model, MarianMTModel):
            translate = ctranslate2_of(model, Path(folder), longest)
            systems["CTranslate2, sorted"] = lambda: in_batches(translate, sources, batches)
        Console(width=100).print(table(systems, len(sources), options.rounds))


def made_up(kind: str, sentences: int) -> tuple[PreTrainedModel, Texts]:
    """A random model whose texts never end, and sources of about 150 words drawn by Zipf's law."""
    torch.manual_seed(0)
    model = MODELS[kind]().eval()
    with torch.no_grad():
        bias = dict(model.named_parameters()) | dict(model.named_buffers())
        names = ("final_logits_bias", "lm_head.bias", "head.vocabulary.bias")
        next(bias[name] for name in names if name in bias)[..., VOCABULARY["eos_token_id"]] = -1e4
    random = np.random.default_rng(0)
    lengths = np.clip(random.lognormal(np.log(150), 0.5, sentences), 10, 600).astype(int)
    words = np.arange(3, VOCABULARY["vocab_size"])
    likely = 1 / (words - 2)
    return model, [random.choice(words, n, p=likely / likely.sum()).tolist() for n in lengths]


def trained(options: argparse.Namespace) -> tuple[PreTrainedModel, Texts]:
    """The checkpoint's model, and the sources of the split's first examples."""
    fmt, tokenizer, model = load_checkpoint(options.checkpoint)
    rows = read_split(options.data, options.split).select(range(options.sentences))
    encoded = (tokenizer(linearise(row, fmt), verbose=False)["input_ids"] for row in rows)
    return model.eval(), [cut(ids, tokenizer.model_max_length) for ids in encoded]


def in_batches(system: Callable[[Texts], Texts], sources: Texts, batches: list[list[int]]) -> Texts:
    """The texts for the sources, in their order."""
    found: dict[int, list[int]] = {}
    for places in batches:
        found.update(zip(places, system([sources[place] for place in places]), strict=True))
    return [found[place] for place in range(len(sources))]


def up_to(end: int, ids: list[int]) -> list[int]:
    """The ids with what stands behind the end left out."""
    return ids[: ids.index(end) + 1] if end in ids else ids


def ctranslate2_of(model: MarianMTModel, folder: Path, longest: int) -> Callable[[Texts], Texts]:
    """The same model in CTranslate2, one thread, float32.

    Its loader for Marian takes the decoder to start from zeros and the last row for padding, as
    the original models have it; the one for Bart takes the tensors as they are.
    """
    from ctranslate2 import Translator
    from ctranslate2.converters.transformers import BartLoader

    model.config.normalize_before = model.config.normalize_embedding = False
    loader, config = BartLoader(), model.generation_config
    spec = loader.get_model_spec(model)
    words = [f"w{number}" for number in range(model.config.vocab_size)]
    loader.set_vocabulary(spec, words)
    spec.config.bos_token = spec.config.unk_token = words[config.bos_token_id]
    spec.config.eos_token = words[config.eos_token_id]
    spec.config.decoder_start_token = words[config.decoder_start_token_id]
    spec.validate()
    spec.save(str(folder))
    translator = Translator(str(folder), compute_type="float32", intra_threads=1)

    def translate(batch: Texts) -> Texts:
        found = translator.translate_batch(
            [[words[number] for number in source] for source in batch],
            beam_size=BEAMS,
            max_decoding_length=longest,
            return_end_token=True,
        )
        return [[int(word[1:]) for word in one.hypotheses[0]] for one in found]

    return translate


def table(systems: dict[str, Callable[[], Texts]], sentences: int, rounds: int) -> Table:
    """The speed of each, the ratio of ours to it in the same round, and how often it agrees."""
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    texts: dict[str, Texts] = {}
    for _ in range(rounds):
        for name, system in systems.items():
            started = time.process_time()
            texts[name] = system()
            seconds[name].append(time.process_time() - started)
    plain = texts["generate, unsorted"]
    rows = Table("system", "sentences a CPU second", "ours ÷ it", "best texts as plain generate's")
    for name, spent in seconds.items():
        ratio = statistics.median(b / a for a, b in zip(seconds["ours"], spent, strict=True))
        same = sum(a == b for a, b in zip(texts[name], plain, strict=True))
        speed = sentences / statistics.median(spent)
        rows.add_row(name, f"{speed:.2f}", f"{ratio:.2f}", f"{same} of {sentences}")
    return rows


if __name__ == "__main__":
    run_program(main)
