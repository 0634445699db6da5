"""A reader of the simplest commands, so that the corpus can be tested without a grammar."""

from nl2code.corpus.nl2bash.commands import Command

KNOWN = ("ls", "wc", "cat", "find", "sed")


def read_simple(command):
    """Words between pipes: the first is the utility, those with a dash are flags."""
    if "&&" in command:
        return "compound"
    parts = [part.split() for part in command.split("|")]
    utilities = [part[0] for part in parts if part]
    if len(utilities) < len(parts) or not set(utilities) <= set(KNOWN):
        return "no_grammar"
    words = [word for part in parts for word in part[1:]]
    flags = [word for word in words if word.startswith("-")]
    typed = [[word if word[0] == "-" else "File" for word in part[1:]] for part in parts]
    return Command(
        template=" | ".join(
            " ".join([name, *kinds]) for name, kinds in zip(utilities, typed, strict=True)
        ),
        utilities=utilities,
        flags=flags,
        reserved=["|"] * (len(parts) - 1),
        tokens=command.split(),
        sub_tokens=list(command.replace(" ", "")),
    )
