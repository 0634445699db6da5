"""Secrets and addresses here are made up, and put together so that none stands in the file."""

import ast
import time
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nl2code.corpus.redaction import REDACTION_RULE, redact, redact_notebook

AT = "@"
MIXED = "a1B2c3D4e5F6g7H8i9J0"  # letters and digits in turns, as no word has them
EMAIL = f"ada{AT}lovelace.org"
PEM = "-" * 5
BLOCK = f"{PEM}BEGIN RSA PRIVATE KEY{PEM}\\n{MIXED * 3}\\n{MIXED}==\\n{PEM}END RSA PRIVATE KEY{PEM}"
HEX = "0123456789abcdef" * 2
TOKENS = {
    "aws_key": "AKIA" + "ABCD2345" * 2,
    "github_token": "ghp" + "_" + MIXED + MIXED[:16],
    "gitlab_token": "glpat" + "-" + MIXED,
    "slack_token": "xoxb" + "-" + "12345678-" * 2 + MIXED,
    "google_key": "AIza" + MIXED + MIXED[:15],
    "huggingface_token": "hf" + "_" + MIXED + MIXED[:14],
    "databricks_token": "dapi" + "0123456789abcdef" * 2,
    "llm_key": "sk" + "-" + "proj-" + MIXED * 2,
    "mapbox_token": "pk" + ".eyJ" + MIXED + "." + MIXED,
    "ngrok_token": "authtoken " + MIXED + "_" + MIXED,
    "url_signature": "sig" + "=" + MIXED * 2 + "%2B%3D",
    "wandb_key": "wandb login " + HEX + HEX[:8],
    "stripe_key": "sk_" + "live_" + MIXED,
    "sendgrid_key": "SG" + "." + MIXED + "aa" + "." + MIXED * 2 + "abc",
    "package_token": "npm" + "_" + MIXED + MIXED[:16],
    "jwt": ".".join(("eyJ" + MIXED, "eyJ" + MIXED, MIXED)),
    "bearer": "Bearer " + MIXED,
}


def redacted(text):
    counts = Counter()
    return redact(text, counts), counts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EMAIL, "user@example.com"),
        (f"mailto:{EMAIL}.", "mailto:user@example.com."),
        (f"`<{EMAIL}>`", "`<user@example.com>`"),
        (f'x = "{EMAIL}"', 'x = "user@example.com"'),
        (f'x = "mail:\\n{EMAIL}"', 'x = "mail:\\nuser@example.com"'),
        (f"A.B+c{AT}mail.x-y.CO.UK, b", "user@example.com, b"),
        (f"Jörg_{EMAIL}", "user@example.com"),
        (f"{EMAIL}/{EMAIL}", "user@example.com/user@example.com"),
        (f"ssh {EMAIL}:/home", "ssh user@example.com:/home"),
        (f"_{EMAIL}_", "_user@example.com_"),
        (f"__{EMAIL}__", "__user@example.com__"),
        (f"_Author: {EMAIL}_", "_Author: user@example.com_"),
        (f"{EMAIL}(Ada)", "user@example.com(Ada)"),
        (f"{EMAIL}[1]", "user@example.com[1]"),
        (f"{EMAIL}-", "user@example.com-"),
        (f"{EMAIL}-home", "user@example.com-home"),
        (f"{EMAIL}.Then", "user@example.com.Then"),
        (f"ada{AT}lovelace.fr-", "user@example.com-"),
        (f"ada{AT}lovelace.fr(Ada)", "user@example.com(Ada)"),
        (f"ada{AT}lovelace.fr.Then", "user@example.com.Then"),
        (f"_ada{AT}lovelace.fr_", "_user@example.com_"),
        (f"ada{AT}lovelace.ge bob{AT}um.edu.mt", "user@example.com user@example.com"),
        (f"ada{AT}lovelace.uz, bob{AT}x-y.science", "user@example.com, user@example.com"),
        (f"ada{AT}lovelace.community", "user@example.com"),
        (f"ada{AT}lovelace.email", "user@example.com"),
        (f"eva{AT}startup.tech or bob{AT}shop.xyz", "user@example.com or user@example.com"),
    ],
)
def test_an_address_becomes_the_example(text, expected):
    assert redacted(text) == (expected, {"email": expected.count("user")})


@pytest.mark.parametrize(
    "text",
    [
        "a@b",
        "x@y.T",
        "x@y.mT",
        "A@B.mean()",
        "x @ w.data",
        "X@w.co(1)",
        "X@w.at[0]",
        "A@weights.at[0]",
        "A@weights.mm(b)",
        "A@weights.mT",
        "A@weights.mH",
        "A@weights.organ",
        "A@weights.id.mean()",
        "A@weights.id@B",
        "A@weights.id-1",
        "A@weights.id_x",
        "A@weights.data",
        "h@self.wf",
        "W1@x.id",
        "x@W1.id",
        "Q@R.in",
        "x@W.is",
        "(a@b.co)",
        "@ada@mastodon.social",
        "ubuntu@sha256:" + HEX,
        "@property",
        "@app.route",
        "@pytest.mark.skip\ndef f(): ...",
        "y @= x",
        "git clone git@github.com:ada/engine.git",
        "pip install git+ssh://git@github.com/ada/engine",
        "you@example.com, me@mail.example.org",
        "npm/vega-lite@4.8.1/build.js",
        "logo@2x.png",
        "https://medium.com/@ada.lovelace",
        "wasbs://files@account.blob.core.windows.net/x",
        "robot@project.iam.gserviceaccount.com",
        'f"{user}@lovelace.org"',
        'f"{first}.last@lovelace.org"',
        "http://user:password@host.org/",
        'f"postgres://{user}:{password}@host"',
        '"https://%s:%s@host" % (user, password)',
        "http://localhost:8080/a@b",
        "gist://:TOKEN@<gist>/x",
        r"://ada:.*@(.*)",
        "postgres://ada:$PASSWORD@host",
        "https://" + "an_ordinary_name_of_somebody_or_other" + "@host",
        'r"://.*:.*@(.*)"',
        '"%s@lovelace.org" % user',
        '"%(user)s@lovelace.org"',
        "mail $USER@lovelace.org",
        "sha = '" + "0123456789abcdef" * 2 + "'",
        "commit " + "0123456789abcdef" * 2,
        'key = "' + "0123456789abcdef" * 2 + '"',
        '{"name": "a", "key": "' + "0123456789abcdef" * 2 + '"}',
        '{"username": "a", "key": "' + "0123456789" * 4 + '"}',
        "x = 0xdeadbeefdeadbeefdeadbeef",
        "commit = '" + HEX + "'",
        "uuid: " + HEX,
        'token = "distilbert-base-uncased-v2"',
        'api_key = "YOUR_API_KEY_GOES_HERE_123"',
        'api_key = os.environ["OPENAI_API_KEY"]',
        "f(token=a1b2c3d4e5f6g7h8i9.value)",
        "f(token=a1b2c3d4e5f6g7h8i9(1))",
        'OPENAI_API_KEY = "sk-..."',
        ".sk-toggleable__label-arrow:before {}",
        "sk-learn-pipelines-part-2-of-3",
        "Bearer the_token_of_your_account",
        "task-0A1b2C3d4E5f6G7h8I9j0K1l2",
        "hf_hub_download(hf_repo_id_of_the_model)",
        "hf_" + "a" * 50,
        "Bearer of good tidings_and_great_joy",
        PEM + "BEGIN CERTIFICATE" + PEM + MIXED + PEM + "END CERTIFICATE" + PEM,
        "192.168.0.1 and 8.8.8.8",
        "",
    ],
)
def test_ordinary_text_and_code_stay(text):
    assert redacted(text) == (text, {})


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize("frame", ["{}", "x = '{}'", "x = 'a\\n{}\\n'", "({}, b)", "`{}`."])
def test_a_token_goes_and_its_prefix_tells_the_kind(kind, frame):
    token = TOKENS[kind]
    text, counts = redacted(frame.format(token))
    assert counts == {kind: 1}
    assert "REDACTED" in text
    assert len(text) < len(frame) + 20
    before, _, after = frame.partition("{}")
    assert text.startswith(before + token[:2])
    assert text.endswith("REDACTED" + after)


def test_a_kaggle_key_goes_from_its_json():
    text = '{"username":"ada","key":"' + "0123456789abcdef" * 2 + '"}'
    assert redacted(text) == ('{"username":"ada","key":"REDACTED"}', {"kaggle_key": 1})


@pytest.mark.parametrize("host", ["host.org/x", "host.org", "host:80?a=b@c", "host.org,a@b"])
@pytest.mark.parametrize("name", ["ada", ""])
@pytest.mark.parametrize("word", ["pass%20word", f"p{AT}ss{AT}", "pa:ss", "p$s!*", "p?a=b", "p#a"])
def test_a_name_and_password_go_from_a_url_and_its_host_stays(name, word, host):
    url = f"mysql://{name}:{word}{AT}{host}"
    assert redacted(url) == (f"mysql://user:password@{host}", {"url_password": 1})


def test_a_token_in_the_place_of_a_name_goes_from_a_url():
    url = f"git clone https://{HEX}{AT}github.com/ada/engine"
    assert redacted(url) == (url.replace(HEX, "REDACTED"), {"url_password": 1})


@pytest.mark.parametrize("line_end", ["\\n", "\n", '\\n"\n"'])
def test_a_private_key_keeps_its_frame_its_escapes_and_its_quotes(line_end):
    frame = f'k = """{BLOCK}"""'.replace("\\n", line_end)
    ast.parse(frame)
    expected = frame.replace(MIXED * 3, "REDACTED").replace(MIXED + "==", "REDACTED")
    assert redacted(frame) == (expected, {"private_key": 1})


FRAGMENTS = [*TOKENS.values(), EMAIL, BLOCK, MIXED, PEM, AT, "\\n", "\n", " ", ".", "/", "://", ":"]
FRAGMENTS += ["token=", 'api_key = "', '"', "'", "user", "password", "ada", "-", "=", ".org", "{"]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
@example(f"token={TOKENS['aws_key']}token=-----{TOKENS['aws_key']}")
def test_what_is_redacted_stays_as_it_is(text):
    once, _ = redacted(text)
    assert redacted(once) == (once, {})


@given(st.lists(st.sampled_from([*TOKENS.values(), EMAIL, BLOCK, MIXED, "\\n", " ", "a.b"])))
def test_a_string_stays_a_string(parts):
    code = f'api_key = "{" ".join(parts)}"'
    ast.parse(code)
    text, _ = redacted(code)
    ast.parse(text)
    assert text.startswith('api_key = "')
    assert text.endswith('"')


BEGINNINGS = [
    *(token[:8] for token in TOKENS.values()),
    *("eyJ" + MIXED + ".", "a" + AT, "a.", f"{AT}a.", f"{AT}a-", f"a{AT}b-c.d.", "\\nada.", "é"),
    *("://", "://a:", "://a", PEM + "BEGIN PRIVATE KEY" + PEM, "-", PEM + "BEGIN PRIVATE KEY"),
    *("token=", "token=a1b2c3", 'token = "', "=", "==a", ":'", '"key": "', "username", "hf_sk-"),
    *(
        "=a:",
        ":a",
        ": a",
        "=`",
        ':"a=:',
        "key',\"a,",
        'oken("a',
        "key is a",
        "key is ",
        "login(key=",
    ),
    *("://:a@", "://a:b@", "_", "_a@", f"a{AT}b.com.", f"a{AT}W1.", ":AA", "12345678:AA", "sig="),
]


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_long_cell_takes_linear_time(beginning):
    """Quadratic time would be minutes for each, linear time is hundredths of a second."""
    start = time.process_time()
    names = f"username key token key', oken( key is {AT} :// PRIVATE KEY-----"
    for keep in (names, f"{AT} eyJ hf_ sk- Bearer sig= :AA wandb login "):
        redacted(keep + beginning * (100_000 // len(beginning)))
    assert time.process_time() - start < 5


def test_an_image_in_a_cell_stays():
    image = f"![plot](data:image/png;base64,{(MIXED + '/+') * 10_000}==)"
    assert redacted(f"{image}\nask {EMAIL}") == (f"{image}\nask user@example.com", {"email": 1})


def test_every_cell_of_a_notebook_is_redacted_and_the_rest_stays(notebook):
    before = notebook(f"# ask {EMAIL}", f"x = '{EMAIL}'", "y = 1")
    counts = Counter()
    after = redact_notebook(before, counts)
    assert [cell.source for cell in after.cells] == [
        "# ask user@example.com",
        "x = 'user@example.com'",
        "y = 1",
    ]
    assert counts == {"email": 2}
    assert after.cells[2] is before.cells[2]
    assert (after.repo, after.path, after.license) == (before.repo, before.path, before.license)


def test_the_card_names_the_placeholders_in_use():
    for text in (EMAIL, "http://a:b" + AT + "c.org", TOKENS["aws_key"]):
        placeholder = redacted(text)[0].removeprefix("http://").removeprefix("AKIA")
        assert f"`{placeholder.removesuffix('@c.org')}`" in REDACTION_RULE


def test_every_literal_is_found_beside_another_that_overlaps_it_and_a_lone_surrogate():
    token = TOKENS["stripe_key"]  # `sk_live_`, in the middle of which no other may hide it
    assert redacted(f"\ud800 key {token} {EMAIL}") == (
        "\ud800 key sk_" + "live_REDACTED user@example.com",
        {"stripe_key": 1, "email": 1},
    )
    assert redacted(f"tokey {TOKENS['llm_key']}")[1] == {"llm_key": 1}
    assert redacted(f"tasksk-{EMAIL}")[1] == {"email": 1}
