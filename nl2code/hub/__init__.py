"""Results for the Hub: what a submission holds, and the pull request that brings it there."""

from nl2code.hub.benchmarks import BENCHMARKS, JUICE, NL2BASH, Task, benchmark_yaml, tasks_of
from nl2code.hub.evidence import check_evidence, config_of, made_by
from nl2code.hub.model_card import Submission, differences, model_card
from nl2code.hub.results import push, read_results, results_yaml
from nl2code.hub.scores import check_scores

__all__ = [
    "BENCHMARKS",
    "JUICE",
    "NL2BASH",
    "Submission",
    "Task",
    "benchmark_yaml",
    "check_evidence",
    "check_scores",
    "config_of",
    "differences",
    "made_by",
    "model_card",
    "push",
    "read_results",
    "results_yaml",
    "tasks_of",
]
