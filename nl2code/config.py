"""Configs of recipes: a frozen dataclass, a YAML file that names what differs, overrides on top."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import yaml
from jsonargparse import ArgumentError, ArgumentParser, Namespace, set_parsing_settings

from nl2code.errors import UserError
from nl2code.jsonl import write_text

Config = TypeVar("Config")

set_parsing_settings(docstring_parse_attribute_docstrings=True)


def read_config(
    kind: type[Config], arguments: Sequence[str] | None = None, description: str | None = None
) -> Config:
    """Return the config that `--config FILE` and the overrides after it describe.

    Each field of the dataclass `kind` is an option; a field of a nested one has a dot:
    `--optim.lr 1e-3`. The string that follows a field is its help text.

    Raises:
        UserError: An unknown key, a wrong type, a missing file or value.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = ArgumentParser(exit_on_error=False, description=description or kind.__doc__)
    parser.add_argument("--config", action="config", help="YAML file; later options override it")
    parser.add_class_arguments(kind)
    place = _config_file(arguments)
    try:
        namespace = parser.parse_args(arguments)
    except ArgumentError as error:
        raise UserError(place + _cause(str(error))) from None
    namespace.pop("config")
    _check_sections(kind, namespace, place)
    return kind(**vars(parser.instantiate(namespace)))


def _check_sections(kind: type[Any], namespace: Namespace, place: str) -> None:
    # The parser lets a scalar pass where a section of options is meant.
    for name, annotation in get_type_hints(kind).items():
        value = namespace[name]
        if dataclasses.is_dataclass(annotation) and not isinstance(value, Namespace):
            raise UserError(f'{place}key "{name}": a section is expected, not {value!r}')


def _config_file(arguments: Sequence[str]) -> str:
    """The config file as the beginning of an error, or nothing."""
    match = re.search(r"(?:^|\n)--config[=\n]([^\n]*)", "\n".join(arguments))
    if match is None:
        return ""
    if not Path(match[1]).is_file():
        kind = "a folder, not a file" if Path(match[1]).is_dir() else "no such file"
        raise UserError(f"--config {match[1]}: {kind}")
    return f"{match[1]}: "


def _cause(message: str) -> str:
    r"""The parser's message in one line.

    >>> _cause('Parser key "n": Does not validate ...\nGiven value type: int\nGiven value: 3')
    'key "n": the value 3 has the wrong type'
    """
    line = " ".join(message.split()).removeprefix("Parser ")
    match = re.match(r'(key "[^"]*"): Does not validate.*Given value: (.*)', line)
    return f"{match[1]}: the value {match[2]} has the wrong type" if match else line


def save_config(config: Any, path: Path) -> None:
    """Write the resolved config beside the result it made; `--config` reads it back."""
    write_text(path, yaml.safe_dump(_plain(dataclasses.asdict(config)), sort_keys=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value
