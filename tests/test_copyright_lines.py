import pytest

from nl2code.copyright_lines import is_copyright_line


@pytest.mark.parametrize(
    "line",
    [
        "Copyright (c) 2020 Ada Lovelace",
        "  * Copyright \u00a9 2017-present, Jane A. Doe, Inc. All rights reserved.",
        "Copyright Ada Lovelace",
        "(C) 2004 ada lovelace <ada@example.org>",
        "Copyright (c) 2017 ada",
        "Portions Copyright [2007] Example Inc.",
        "Copyright: 2016 The Example Software Foundation.",
        "Copyright(c) 2013, 2014, 2015, the respective contributors",
        "Copyright (c) 2012 - present, Victor and {fmt} contributors",
        "Copyright \u00a9 2019\u20132020, [Encode OSS Ltd](https://www.encode.io/).",
        "Copyright (c) [year] [fullname]",
        "Copyright [yyyy] [name of copyright owner]",
        "Copyright (c) 2020 Ada, http://example.org",
        "All rights reserved.",
    ],
)
def test_years_and_names_are_a_copyright_line(line):
    assert is_copyright_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Ada Lovelace",
        "Copyright (c) 2020 Ada. For academic, non-commercial research use only.",
        "Copyright (c) 2020 Ada, NOT FOR SALE, RESEARCH ONLY",
        "Copyright (c) 2020 Ada: Classrooms",
        "Copyright (c) 2020 Ada - Classrooms",
        "Copyright (c) 2020 Ada Lovelace. Classrooms",
        "Copyright (c) 2020 Ada in classrooms elsewhere",
        "Copyright (c) 2020 may be kept by whoever asks",
        "Copyright (c) 2020 Ada Lovelace (noncommercial)",
        "Copyright (c) 2020 " + "Ada, " * 30,
        "The above copyright notice shall be included.",
        "All rights reserved, patents too.",
    ],
)
def test_a_line_that_says_more_is_none(line):
    assert not is_copyright_line(line)
