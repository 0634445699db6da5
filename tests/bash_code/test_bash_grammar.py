"""The table of utilities says nothing twice and nothing that the reader does not know."""

import tomllib
from pathlib import Path

import pytest

import nl2code.bash_code
from nl2code.bash_code.grammar import find_utility, utilities_table

TYPES = {
    *["Regex", "Path", "File", "Type", "Quantity", "Permission", "Timespan", "Size", "Number"],
    *["Directory", "Format", "Option", "Program", "DateTime", "Bandwidth", "Command"],
}
PAGES = sorted((Path(nl2code.bash_code.__file__).parent / "utilities").glob("*.toml"))


def test_the_table_has_the_102_utilities_their_two_aliases_and_four_prefixes():
    assert len(utilities_table()) == 102 + 2 + 4


def test_every_type_is_one_of_the_papers():
    for utility in utilities_table().values():
        for kind in (*utility.arguments, *(k for f in utility.flags.values() for k in f.takes)):
            assert kind in TYPES, f"{utility.name}: {kind}"


def test_every_utility_takes_arguments_or_becomes_another():
    assert all(one.arguments or one.becomes for one in utilities_table().values())


def test_what_an_entry_refers_to_is_there():
    for utility in utilities_table().values():
        assert utility.pattern <= set(utility.flags), utility.name
        if utility.becomes:
            other, *flags = utility.becomes
            assert set(flags) <= set(utilities_table()[other].flags)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_flag_is_declared_twice(page):
    for name, fields in tomllib.loads(page.read_text(encoding="utf-8")).items():
        lists = [fields.get("flags", ""), *fields.get("takes", {}).values()]
        flags = " ".join([*lists, *fields.get("maybe", {}).values()]).split()
        assert [flag for flag in set(flags) if flags.count(flag) > 1] == [], name


def test_a_long_flag_may_be_cut_short_where_one_begins_so():
    find = find_utility("/usr/bin/grep").flag
    assert find("--max-c").name == "--max-count"
    assert find("--include").name == "--include"
    assert find("--no") is None
    assert find("-max") is None
