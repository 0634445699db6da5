"""The formatting rules of section 5 of the spec."""

import pytest

from nl2code.slot_filling import Constant, Slot
from nl2code.slot_filling.formats import formatted


def value(text, kind, slot="Regex", utility="find", flag="", sign=""):
    return formatted(Constant(text, kind, 0), Slot(slot, sign, utility, flag, 0))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("100 bytes", "100c"),
        ("1 byte", "1c"),
        ("512b", "512c"),
        ("10k", "10k"),
        ("10 KB", "10k"),
        ("10 kilobytes", "10k"),
        ("10 KiB", "10k"),
        ("5MB", "5M"),
        ("5 megabytes", "5M"),
        ("2G", "2G"),
        ("2 TB", "2000G"),
        ("1 pb", "1000000G"),
        ("0.5 TB", "500G"),
        ("1.5GB", "1536M"),
        ("100", "100"),
    ],
)
def test_sizes_have_the_units_of_find(text, size):
    assert value(text, "Size", "Size", flag="-size") == size


def test_other_utilities_count_bytes_without_a_unit():
    assert value("100 bytes", "Size", "Size", "head", "-c") == "100"
    assert value("10 MB", "Size", "Size", "split", "-b") == "10M"


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("7 days", "7"),
        ("1 day", "1"),
        ("2 weeks", "14"),
        ("3 months", "90"),
        ("2 years", "730"),
        ("5 hours", "5h"),
        ("5h", "5h"),
        ("30 minutes", "30m"),
        ("30 min", "30m"),
        ("10 seconds", "10s"),
        ("24 hours", "1"),
        ("36 hours", "36h"),
    ],
)
def test_timespans_are_days_or_have_a_unit(text, days):
    assert value(text, "Timespan", "Timespan", flag="-mtime") == days


@pytest.mark.parametrize(
    ("utility", "flag", "text", "number"),
    [
        ("find", "-mmin", "30 minutes", "30"),
        ("find", "-mmin", "2 hours", "120"),
        ("find", "-cmin", "1 day", "1440"),
        ("sleep", "", "5 minutes", "300"),
        ("watch", "-n", "5 seconds", "5"),
    ],
)
def test_who_counts_minutes_or_seconds_gets_those(utility, flag, text, number):
    assert value(text, "Timespan", "Timespan", utility, flag) == number


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2013-05-03", "2013-05-03"),
        ("2013/05/03", "2013-05-03"),
        ("May 3rd 2013", "2013-05-03"),
        ("May 3, 2013", "2013-05-03"),
        ("3rd may 2013", "2013-05-03"),
        ("Sept 12 2013", "2013-09-12"),
        ("January 2014", "2014-01-01"),
        ("10:30", "10:30"),
        ("May 3rd", '"May 3rd"'),
    ],
)
def test_dates_are_year_month_day(text, date):
    assert value(text, "DateTime", "DateTime", "touch", "-t") == date


@pytest.mark.parametrize(
    ("text", "kind", "utility", "flag", "word"),
    [
        ("txt", "File", "find", "-name", '"*.txt"'),
        ("PDF", "File", "find", "-iname", '"*.pdf"'),
        ("txt", "File", "rm", "", "*.txt"),
        (".java", "File", "find", "-name", '"*.java"'),
        (".java", "File", "rm", "", ".java"),
        (".profile", "File", "find", "-name", '".profile"'),
        ("a.txt", "File", "find", "-name", '"a.txt"'),
        ("a.txt", "File", "cat", "", "a.txt"),
        ("txt", "Regex", "find", "-name", '"txt"'),
    ],
)
def test_a_kind_of_file_is_a_pattern(text, kind, utility, flag, word):
    assert value(text, kind, "Regex", utility, flag) == word


@pytest.mark.parametrize(
    ("text", "utility", "flag", "word"),
    [
        ("foo", "find", "-name", '"foo"'),
        ("foo", "grep", "", '"foo"'),
        ("foo", "grep", "--include", '"foo"'),
        ("foo", "find", "-user", "foo"),
        ("*.c", "rm", "", "*.c"),
        ("$HOME/x", "rm", "", "$HOME/x"),
        ("$TYPE", "find", "-name", '"$TYPE"'),
        ("a b", "rm", "", '"a b"'),
        ("a;b", "rm", "", '"a;b"'),
        (r"\.c$", "grep", "", r"'\.c$'"),
        ('say "x"', "echo", "", "'say \"x\"'"),
        ("$(x)", "echo", "", "'$(x)'"),
        ("it's", "echo", "", '"it\'s"'),
        ('it\'s "x"', "echo", "", '"it\'s \\"x\\""'),
    ],
)
def test_patterns_are_quoted_and_so_is_what_the_shell_would_take_apart(text, utility, flag, word):
    assert value(text, "Regex", "Regex", utility, flag) == word


def test_a_number_loses_its_sign_only_where_the_template_has_one():
    assert value("+5", "Number", "Quantity", "tail", "-n", "+") == "5"
    assert value("+5", "Number", "Quantity", "tail", "-n") == "+5"
    assert value("u+x", "Permission", "Permission", "chmod") == "u+x"
