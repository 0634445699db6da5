"""Rows of NL2Bash in sight."""

from small_juice import write_juice

from nl2code.corpus.nl2bash.schema import FEATURES


def pair(name, nl, command, cluster=None, leaks=False):
    """A row with the columns that recipes read."""
    return {
        "id": name,
        "nl": nl,
        "nl_tokens": nl.lower().split(),
        "command": command,
        "cluster": cluster or nl.lower(),
        "leaks": leaks,
    }


def write_bash(folder, splits):
    """A built folder of these rows."""
    folder.mkdir()
    return write_juice(folder, splits, columns=FEATURES)
