"""Tellina's level: types for constants in, a template out."""

from nl2code.evaluation import dev_scores
from nl2code.linearisation import (
    InputFormat,
    in_normal_form,
    linearise,
    source_columns,
    target_column,
    target_text,
)

TEMPLATES = InputFormat(task="bash", level="template")


def test_the_sentence_has_types_and_no_stop_words() -> None:
    assert source_columns(TEMPLATES) == ["nl"]
    row = {"nl": "Find the '*.c' files  over 10 MB in /usr"}
    assert linearise(row, TEMPLATES) == "find Regex file over Size in Directory"


def test_the_normalised_columns_are_not_asked_for() -> None:
    fmt = InputFormat(task="bash", level="template", normalised_nl=True)
    assert source_columns(fmt) == ["nl"]
    assert linearise({"nl": "The 10 MB"}, fmt) == "Size"


def test_the_target_is_the_template() -> None:
    assert target_column(TEMPLATES) == "template"
    row = {"template": "find Path  -printf '%p %s'"}
    assert target_text(row, TEMPLATES) == "find Path -printf '%p %s'"


def test_a_template_is_read_as_it_was_written() -> None:
    for text in ("head - Quantity File", "Variable= Regex", "find Path -mtime +Timespan"):
        assert in_normal_form(text, TEMPLATES) == text
    assert in_normal_form("ls <unk>", TEMPLATES) == "ls _UNK"


def test_only_templates_that_are_right_count_as_such() -> None:
    answers = ["ls -l File", "ls File", "Variable= Regex"]
    wanted = ["ls -l File", "ls -l File", "Variable= Regex"]
    assert dev_scores(answers, wanted, TEMPLATES) == {"template_match": 2 / 3}


def test_a_level_says_nothing_of_code() -> None:
    assert not InputFormat(level="template").of_templates
    assert source_columns(InputFormat(level="template")) == ["nl_original", "context"]
