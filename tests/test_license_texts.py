import re
import time
from pathlib import Path

import pytest
from identify.vendor.licenses import LICENSES

from nl2code.corpus.licenses import spdx
from nl2code.license_texts import license_of

APACHE = (Path(__file__).parents[1] / "LICENSE").read_text(encoding="utf-8")
MIT = """MIT License

Copyright (c) 2026 Ada Lovelace

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
BODY = MIT.split("\n", 2)[2]
TERMS, APPENDIX = re.split("(?<=END OF TERMS AND CONDITIONS\n)", APACHE)
NOTICE = "\nCopyright 2026 Ada\n\nLicensed under" + APPENDIX.rpartition("Licensed under")[2]
BSD = dict(LICENSES)["BSD-3-Clause"]
CC0 = dict(LICENSES)["CC0-1.0"].replace("CC0 1.0 Universal\n", "", 1)
ABOVE_CC0 = """Creative Commons Legal Code

CC0 1.0 Universal

CREATIVE COMMONS CORPORATION IS NOT A LAW FIRM AND DOES NOT PROVIDE LEGAL SERVICES. DISTRIBUTION
OF THIS DOCUMENT DOES NOT CREATE AN ATTORNEY-CLIENT RELATIONSHIP. CREATIVE COMMONS PROVIDES THIS
INFORMATION ON AN "AS-IS" BASIS. CREATIVE COMMONS MAKES NO WARRANTIES REGARDING THE USE OF THIS
DOCUMENT OR THE INFORMATION OR WORKS PROVIDED HEREUNDER, AND DISCLAIMS LIABILITY FOR DAMAGES
RESULTING FROM THE USE OF THIS DOCUMENT OR THE INFORMATION OR WORKS PROVIDED HEREUNDER."""
COMMONS_CLAUSE = """"Commons Clause" License Condition v1.0

Without limiting other conditions in the License, the grant of rights under the License will not
include, and the License does not grant to you, the right to Sell the Software."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MIT, "MIT"),
        (f"The MIT License (MIT)\n=====================\n\n{BODY}All rights reserved.", "MIT"),
        (BODY.replace(", ", ",\r\n  "), "MIT"),
        (APACHE, "Apache-2.0"),
        (APACHE.split("APPENDIX")[0], "Apache-2.0"),
        (f"Copyright 2026 The Lovelace Authors. All rights reserved.\n\n{APACHE}", "Apache-2.0"),
        (f"Copyright (c) 2019 Ada\nPortions Copyright 2018-20 Bob\n\n{BODY}", "MIT"),
        (f"# SPDX-License-Identifier: MIT\n\n## The **MIT** Licence\n\n{BODY}", "MIT"),
        (BODY.replace("NONINFRINGEMENT", "NON-INFRINGEMENT").replace('"', "\u201d"), "MIT"),
        (
            BODY.replace("permission notice", "permission notice (including the next paragraph)"),
            "MIT",
        ),
        (APACHE.replace("http:", "https:"), "Apache-2.0"),
        (APACHE.split("   APPENDIX")[0].rstrip(), "Apache-2.0"),
        (TERMS + NOTICE, "Apache-2.0"),
        (BSD, "BSD-3-Clause"),
        (BSD.replace("1. ", "* ").replace("2. ", "* ").replace("3. ", "* "), "BSD-3-Clause"),
        (
            BSD.replace("of the copyright holder", "of the University of London, Inc."),
            "BSD-3-Clause",
        ),
        (BSD.replace("the names of its", "the names of their"), "BSD-3-Clause"),
        (BSD.replace("COPYRIGHT HOLDERS AND", "REGENTS AND"), "BSD-3-Clause"),
        (BSD.replace("COPYRIGHT HOLDER OR CONTRIBUTORS", "AUTHORS"), "BSD-3-Clause"),
        (CC0.replace("Statement of P", f"{ABOVE_CC0}\n\nStatement of P", 1), "CC0-1.0"),
        (CC0.split("For more information")[0], "CC0-1.0"),
    ],
)
def test_a_licence_is_known_by_its_text_whatever_its_title_and_holder(text, expected):
    assert license_of(text) == expected
    assert spdx(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "MIT License",
        "All rights reserved. Ask us.",
        f"{MIT}\nThe Software shall be used for Good, not Evil.",
        MIT.replace("to use,", "to use for non-commercial purposes,"),
        f"The notebooks are under CC-BY-4.0; for the code:\n\n{MIT}",
        f"{MIT}\n{APACHE}",
        f"{MIT}\nPermission to sell copies of the Software is not granted.",
        MIT.replace("Permission is hereby", "Permission is not hereby"),
        MIT.replace("sublicense, ", ""),
        MIT.replace("sell copies", "~~sell~~ copies"),
        MIT.replace("furnished to do so", "furnished to so do"),
        MIT.replace("Ada Lovelace", "Ada. For academic, non-commercial research use only."),
        MIT.replace("Ada Lovelace", "Ada\nFor students"),
        MIT.replace("MIT License", "BSD 2-Clause License"),
        BSD.replace("3-Clause", "2-Clause"),
        BSD.replace("of the copyright holder", "of Ada (who must be asked before a sale)"),
        BSD.replace("THE COPYRIGHT HOLDERS AND", "ADA AND"),
        f"{APACHE}\n{COMMONS_CLAUSE}",
        f"{TERMS}\n{COMMONS_CLAUSE}",
        APACHE.replace("END OF TERMS", f"{COMMONS_CLAUSE}\n\nEND OF TERMS"),
        APACHE.replace(
            "   END OF TERMS",
            "   10. This License does not grant permission for"
            " commercial use of the Work.\n\n   END OF TERMS",
        ),
        TERMS + NOTICE.replace("may not use", "may use"),
    ],
)
def test_a_text_with_a_condition_of_its_own_is_no_known_licence(text):
    assert license_of(text) is None


@pytest.mark.parametrize(("name", "text"), LICENSES, ids=[name for name, _ in LICENSES])
def test_each_licence_s_own_text_is_known_until_a_word_is_added(name, text):
    assert license_of(text) == name
    assert license_of(f"{text}\nNot for sale.") is None
    assert license_of(f"Not for sale.\n{text}") is None


@pytest.mark.parametrize("much", ["\n", " ", ".", "copyright ", "(c) .", "1. ", "\n1. "])
def test_much_of_one_thing_takes_no_time(much):
    start = time.process_time()
    license_of(f"{much * (150_000 // len(much))}\n{MIT}")
    assert time.process_time() - start < 2
