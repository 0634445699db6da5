"""Results for the Hub: what a submission holds, and the pull request that brings it there."""

from nl2code.hub.benchmarks import BENCHMARKS, JUICE, NL2BASH, Task, benchmark_yaml, tasks_of
from nl2code.hub.model_card import Submission, differences, model_card
from nl2code.hub.results import check_scores, push, read_results, results_yaml

__all__ = [
    "BENCHMARKS",
    "JUICE",
    "NL2BASH",
    "Submission",
    "Task",
    "benchmark_yaml",
    "check_scores",
    "differences",
    "model_card",
    "push",
    "read_results",
    "results_yaml",
    "tasks_of",
]
