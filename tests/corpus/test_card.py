import pytest
from markdown_it import MarkdownIt

from nl2code.corpus.card import markdown_table

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "![x](https://a.b/c.png)",
        "[MIT](https://a.b)",
        "[MIT][1]",
        "**MIT** `or` _mine_ __or__ ~~yours~~",
        "A | B \\| C",
        "&lt;MIT&gt; &amp;",
    ],
)
def test_what_others_named_stands_in_a_table_as_it_is_written(text):
    table = READER.parse(markdown_table(("licence", "examples"), [(text, 3)]))
    names = [token for token in table if token.type == "inline"][2]
    parts = {part.type for part in names.children}
    assert parts <= {"text", "text_special"}
    assert "".join(part.content for part in names.children) == text


def test_usual_names_stand_in_a_table_unescaped():
    table = markdown_table(("a", "b"), [("MIT OR Apache-2.0", "license_unknown"), (["MIT"], 3)])
    assert table.split("\n")[2:] == ["| MIT OR Apache-2.0 | license_unknown |", "| ['MIT'] | 3 |"]
