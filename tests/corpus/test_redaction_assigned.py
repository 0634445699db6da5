"""Secrets here are made up, and put together so that none stands in the file."""

import re
from collections import Counter

import pytest

from nl2code.corpus.redaction import redact
from nl2code.corpus.redaction_rules import RULES

MIXED = "a1B2c3D4e5F6g7H8i9J0"  # letters and digits in turns, as no word has them
HEX = "0123456789abcdef" * 2
DOTTED = "Xy7~Q." + MIXED + "." + MIXED[::-1]
LOUD = "aB3$x9Kq!" + "7zL&m2P%w8#x@1"


def redacted(text):
    counts = Counter()
    return redact(text, counts), counts


@pytest.mark.parametrize(
    "text",
    [
        f'api_key = "<{MIXED}>"',
        f"enter_client_secret='<{MIXED}>'",
        f'os.environ["AZURE_API_KEY"] = "<{MIXED}>"',
        f'{{"access_token": b"<{MIXED}>"}}',
        f'"{{\\"apikey\\": \\"<{MIXED}>\\"}}"',
        f"%env API_KEY=<{MIXED}>",
        f"http://x.org/?token=<{MIXED}>&n=1",
        f"AccountKey=<{MIXED * 4}==>;",
        f'password: str = "<{MIXED}>"',
        f'API_KEY = ("<{MIXED}>")',
        f'API_KEY_2 = """<{MIXED}>"""',
        f'bot_token = "<12345:{MIXED}>"',
        "secret_key = '<" + "aBcDeFgHiJkL/" * 3 + "7>'",
        f"wandb.login(key='<{HEX}>')",
        f"wandb.login(anonymous='never', key='<{HEX}>')",
        f"wandb_key = '<{HEX}>'",
        f"googlemaps.Client(key='<{MIXED}>')",
        f"mapbox_access_token = 'pk.eyJ<{MIXED}.{MIXED}>'",
        f"TOKEN = '<{MIXED}.x1Y2z3.{MIXED}>'",
        f"client_secret = '<{DOTTED}>'",
        f"password = '<{LOUD}>'",
        f"if password == '<{LOUD}>':",
        f"os.environ.setdefault('API_KEY', '<{MIXED}>')",
        f'conf.set("fs.s3a.secret.key", "<{MIXED}>")',
        f"ngrok.set_auth_token('<{MIXED}>')",
        f"set_api_key('<{MIXED}>')",
        f"authtoken='<{MIXED}_{MIXED}>'",
        f"My API key is `<{HEX}>`.",
        f"The password is <{MIXED}>",
        f"`TOKEN` is <{MIXED}>",
        f"API Key: <{HEX}>",
        f"**API key:** `<{HEX}>`",
        f"token = <{HEX}>",
        f"{{'Authorization': 'Basic <{MIXED}>'}}",
        f"-H 'X-Api-Key:<{MIXED}>'",
        f"http://x.org/?units=metric&appid=<{HEX}>",
        f"appid = '<{HEX}>'",
        f'url = "https://x.org/v1?apikey=<{HEX}>"',
        f"url='https://x.org/v1?q=1&api_key=<{HEX}>&z=1'",
        f"headers = {{'cookie': 'session=1;token=<{MIXED}>'}}",
    ],
)
def test_a_mixed_value_given_to_a_key_goes(text):
    """What goes stands between angle brackets."""
    secret = text.replace("<", "").replace(">", "")
    placed, counts = redacted(secret)
    assert placed == re.sub("<.*>", "REDACTED", text)
    assert counts.total() == 1


@pytest.mark.parametrize(
    "text",
    [
        f"key='{HEX}'",
        f"s3.put_object(Bucket='b', Key='{HEX}')",
        f"client('s3').get(key='{HEX}')",
        f"s3_key = 'data/{MIXED}'",
        f"public_key = '{HEX}'",
        f"skeleton_key = '{HEX}'",
        f"f('{HEX}', '{HEX}')",
        f"f(token, '{HEX}')",
        f"f('token', 1, token, '{HEX}')",
        f"bitmaps_key = '{HEX}'",
        f"file:AA{MIXED}{MIXED[:13]}",
        "ngrok authtoken your_own_token_from_the_dashboard",
        "ngrok authtoken put_1_of_your_own_tokens_here",
        "sig=" + "a" * 50,
        "Signature=" + "_" * 50,
        f"tokenize('{HEX}')",
        f"The commit is {HEX}",
        f"a token of {HEX[:30]}",
        f"token = 'token_{MIXED}.json'",
        f"token = 'https://x.org/{MIXED}'",
        f"token = '{MIXED}...'",
        f"token = '{MIXED}{{}}'",
        f"token = 'a{MIXED} (b)'[:3]".replace(MIXED, "1B"),
        f"token: {MIXED}.value",
        f"token = {MIXED}.value",
        "token = layer1.conv2.weight3.value",
        f"myappid = {HEX}",
        f"The API key is {MIXED}.value",
    ],
)
def test_a_value_given_to_something_else_stays(text):
    assert redacted(text) == (text, {})


def test_three_changes_between_letters_and_digits_make_a_secret_and_two_a_word():
    three, two = "abcdefgh1ijklmn2", "abcdefgh1ijklmno"
    assert redacted(f"token = '{three}' or '{two}'")[0] == f"token = 'REDACTED' or '{two}'"
    assert redacted(f"token = '{two}'")[0] == f"token = '{two}'"


def test_sixteen_characters_make_a_secret_and_fifteen_do_not():
    text = f"token = '{MIXED[:16]}', token = '{MIXED[:15]}'"
    assert redacted(text)[0] == f"token = 'REDACTED', token = '{MIXED[:15]}'"


@pytest.mark.parametrize("case", [str.lower, str.upper, str.capitalize])
@pytest.mark.parametrize(
    "name", ["api_key", "secret", "token", "password", "passwd", "pwd", "authorization", "appid"]
)
@pytest.mark.parametrize("form", ["{} = '{}'", "{}: {}", "f('{}', '{}')", "The {} is {}"])
def test_every_name_is_known_in_each_case_and_form(name, case, form):
    text, counts = redacted(form.format(case(name), MIXED))
    assert (text, counts) == (form.format(case(name), "REDACTED"), {"assigned_secret": 1})


NEVER = "never"  # no text of one literal alone; tested above, or in `test_redaction.py`
SECRETS = {
    "://": NEVER,
    "PRIVATE KEY-----": NEVER,
    "username": NEVER,
    "@": NEVER,
    "AKIA": "ABCD2345" * 2,
    "ASIA": "ABCD2345" * 2,
    **{f"gh{letter}_": MIXED + MIXED[:16] for letter in "pousr"},
    "github_pat_": MIXED * 3,
    "glpat-": MIXED,
    **{f"xox{letter}-": "12345678-" * 2 + MIXED for letter in "abeps"},
    "hooks.slack.com/services/": "T1/B2/" + MIXED * 2,
    "AIza": MIXED + MIXED[:15],
    "GOCSPX-": MIXED + MIXED,
    "ya29.": MIXED * 2,
    "hf_": MIXED + MIXED[:14],
    "sk-": MIXED,
    "gsk_": MIXED * 2,
    "dapi": HEX,
    "sk_live_": MIXED,
    "rk_live_": MIXED,
    "SG.": MIXED + "aa." + MIXED * 2 + "abc",
    "npm_": MIXED + MIXED[:16],
    "pypi-": "AgE" + MIXED * 3,
    "eyJ": MIXED + "." + MIXED + "." + MIXED,
    **{f"{word} ": MIXED for word in ("Bearer", "bearer")},
    **{f"{word} ": HEX for word in ("Token", "token")},
    **{f"{word} ": MIXED * 2 for word in ("authtoken", "add-authtoken")},
    **{f"wandb login {flag}": HEX + HEX[:8] for flag in ("", "--relogin ")},
    "pk.eyJ": MIXED + "." + MIXED,
    "sk.eyJ": MIXED + "." + MIXED,
    ":AA": MIXED + MIXED[:13],
    "sig=": MIXED * 2 + "%3D",
    "Signature=": MIXED + "~-_" + MIXED + "%3D",
}


@pytest.mark.parametrize("prefix", [prefix for prefix in SECRETS if SECRETS[prefix] != NEVER])
def test_every_prefix_is_known(prefix):
    before = "('123456789" if prefix == ":AA" else "('"
    text, counts = redacted(f"{before}{prefix}{SECRETS[prefix]}')")
    assert text == f"{before}{prefix}REDACTED')"
    assert counts.total() == 1


def test_every_rule_has_its_test():
    literals = {rule.literals[0] for rule in RULES if rule.kind != "assigned_secret"}
    assert literals == set(SECRETS)
