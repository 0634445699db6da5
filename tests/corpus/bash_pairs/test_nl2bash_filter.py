"""What makes the corpus of NL2Bash, and the reasons for what does not."""

import pytest
from simple_bash import read_simple

from nl2code.corpus.nl2bash import filter as pair_filter
from nl2code.corpus.nl2bash.filter import allowed_utilities, choose, is_foreign
from nl2code.corpus.nl2bash.sources import Pair

DROPPED = [
    (" ", "ls", "empty_nl"),
    ("list files", " ", "empty_command"),
    ("List\0files", "ls", "null_byte"),
    ("List files", "ls 'a\0'", "null_byte"),
    ("word " * 51, "ls", "long_nl"),
    (" 'a" * 100_000, "ls", "long_nl"),
    ("Affiche tous les fichiers du répertoire courant et leur taille", "ls", "other_language"),
    ("list files twice", "ls && ls", "compound"),
    ("make a phone call", "phone home", "no_grammar"),
    ("edit the stream", "cat a | sed s/a/b/", "other_utility"),
]


@pytest.mark.parametrize(("nl", "command", "reason"), DROPPED)
def test_what_is_dropped_has_a_reason(nl, command, reason):
    chosen = choose([Pair(1, nl, command), Pair(2, "list files", "ls")], read_simple)
    assert [row.pair.line for row in chosen.kept] == [2]
    assert [row[1:] for row in chosen.funnel() if row[1] != "kept"] == [(reason, 1)]


def test_each_stage_ends_with_what_it_kept():
    pairs = [Pair(line, nl, command) for line, (nl, command, _) in enumerate(DROPPED)]
    chosen = choose([*pairs, Pair(99, "count lines", "cat a | wc -l")], read_simple)
    assert [row.command.utilities for row in chosen.kept] == [["cat", "wc"]]
    assert [row for row in chosen.funnel() if row[1] == "kept"] == [
        ("sentence", "kept", 4),
        ("command", "kept", 2),
        ("utility", "kept", 1),
    ]


def test_fifty_words_are_not_too_many():
    assert len(choose([Pair(1, "list " * 50, "ls")], read_simple).kept) == 1


def test_the_most_frequent_utilities_are_allowed_and_those_as_frequent_as_the_last(monkeypatch):
    monkeypatch.setattr(pair_filter, "TOP_UTILITIES", 2)
    commands = [["ls", "sed"], ["ls", "sed"], ["ls", "sed"], ["wc", "ls"], ["cat"], ["sed"]]
    assert allowed_utilities(commands) == {"ls", "wc", "cat"}
    assert allowed_utilities([*commands, ["wc"]]) == {"ls", "wc"}


@pytest.mark.parametrize(
    "nl",
    [
        "Finde alle Dateien im aktuellen Verzeichnis, die größer als 10 MB sind",
        "Найти все файлы в каталоге",
        "列出 /tmp 的文件",
    ],
)
def test_another_language_is_found_in_whatever_script(nl):
    assert is_foreign(nl)


@pytest.mark.parametrize(
    "nl",
    [
        "run ls command on *.pl files",
        'Print "Добро пожаловать в наш каталог" five times',
        "mount /dev/sda1",
        "Changes group ownership of 'shared' to 'Workers'.",
    ],
)
def test_names_and_quotes_in_another_language_are_english_all_the_same(nl):
    assert not is_foreign(nl)
