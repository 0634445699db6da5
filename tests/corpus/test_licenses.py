import pytest

from nl2code.corpus.licenses import keeps, parse_licenses, spdx, why_not_licensed
from nl2code.errors import UserError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("apache-2.0", "Apache-2.0"),
        ("mit", "MIT"),
        ("cc-by-4.0", "CC-BY-4.0"),
        ("bsd-3-clause", "BSD-3-Clause"),
        ("gpl-3.0", "GPL-3.0-only"),
        ("gpl-2.0+", "GPL-2.0-or-later"),
        ("unlicense", "Unlicense"),
        (" MIT ", "MIT"),
        ("MIT License", "MIT"),
        ("The MIT Licence", "MIT"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ('BSD 3-Clause "New" or "Revised" License', "BSD-3-Clause"),
        ("GNU General Public License v3.0", "GPL-3.0-only"),
        ("MIT AND CC-BY-3.0", "MIT AND CC-BY-3.0"),
        ("(mit or apache-2.0) and cc0-1.0", "(MIT OR Apache-2.0) AND CC0-1.0"),
        (
            "GPL-2.0-only WITH Classpath-exception-2.0",
            "GPL-2.0-only WITH Classpath-exception-2.0",
        ),
    ],
)
def test_a_licence_is_read_however_it_is_written(written, expected):
    assert spdx(written) == expected
    assert spdx(expected) == expected


@pytest.mark.parametrize(
    "written",
    [
        None,
        "",
        " ",
        "other",
        "NOASSERTION",
        "BSD License",
        "Apache",
        "Creative Commons",
        "MIT, see LICENSE",
        "MIT OR",
        "MIT MIT",
        "AND (MIT",
        "\0",
        "(" * 10_000,
        "MIT OR " * 10_000 + "MIT",
        "Classpath-exception-2.0",
    ],
)
def test_an_uncertain_licence_is_unknown(written):
    assert spdx(written) is None
    assert why_not_licensed(written, frozenset({"MIT"})) == "license_unknown"
    assert not keeps(written, frozenset({"MIT"}))


@pytest.mark.parametrize(
    ("written", "allowed", "kept"),
    [
        ("mit", {"MIT"}, True),
        ("mit", {"Apache-2.0"}, False),
        ("MIT OR Apache-2.0", {"Apache-2.0"}, True),
        ("MIT AND CC-BY-4.0", {"MIT"}, False),
        ("MIT AND CC-BY-4.0", {"MIT", "CC-BY-4.0"}, True),
        ("(MIT OR GPL-3.0-only) AND CC-BY-4.0", {"MIT", "CC-BY-4.0"}, True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", {"GPL-2.0-only"}, True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", {"MIT"}, False),
        ("GPL-3.0-or-later", {"GPL-3.0-only"}, True),
        ("GPL-3.0-only", {"GPL-3.0-or-later"}, False),
        ("gpl-3.0", {"GPL-3.0-only"}, True),
        ("mit", set(), False),
    ],
)
def test_of_alternatives_one_must_be_allowed_and_of_a_sum_all(written, allowed, kept):
    allowed = frozenset(allowed)
    assert keeps(written, allowed) is kept
    assert why_not_licensed(written, allowed) == (None if kept else "license_not_kept")


def test_licenses_are_named_in_any_case_apart_or_with_commas():
    expected = {"MIT", "Apache-2.0", "GPL-3.0-only"}
    assert parse_licenses(["mit, apache-2.0,", "GPL-3.0"]) == expected
    assert parse_licenses(["MIT License", "Apache-2.0", "gpl-3.0-only"]) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("FOO", "--licenses FOO: not an SPDX identifier"),
        ("Apache2", "--licenses Apache2: not an SPDX identifier; did you mean Apache-2.0?"),
        ("mpl", "--licenses mpl: not an SPDX identifier; did you mean MPL-1.0?"),
        ("MIT OR ISC", "--licenses MIT OR ISC: not an SPDX identifier"),
        ("Classpath-exception-2.0", "--licenses Classpath-exception-2.0: not an SPDX identifier"),
        (" ,", "--licenses: names no licence; give SPDX identifiers, as in MIT,Apache-2.0"),
    ],
)
def test_a_value_that_is_no_identifier_is_refused_in_one_sentence(value, message):
    with pytest.raises(UserError) as caught:
        parse_licenses([value])
    assert str(caught.value) == message
