"""From sources to texts: beam search, faster on a CPU than `generate`, in parts that resume."""

from nl2code.decoding.checkpoint import load_checkpoint
from nl2code.decoding.decode import decode, has_steps
from nl2code.decoding.parts import Parts, fingerprint, plan_batches
from nl2code.decoding.ranking import log_probabilities, ranked
from nl2code.decoding.search import Search

__all__ = [
    "Parts",
    "Search",
    "decode",
    "fingerprint",
    "has_steps",
    "load_checkpoint",
    "log_probabilities",
    "plan_batches",
    "ranked",
]
