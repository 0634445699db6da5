"""Configs of recipes: a frozen dataclass, a YAML file that names what differs, overrides on top."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import yaml
from jsonargparse import (
    ArgumentError,
    ArgumentParser,
    DefaultHelpFormatter,
    Namespace,
    set_parsing_settings,
)

from nl2code.errors import UserError
from nl2code.jsonl import write_text

Config = TypeVar("Config")

ENDLESS = {"endless": True}
"""The metadata of a field that may be infinite."""

set_parsing_settings(docstring_parse_attribute_docstrings=True)


def read_config(
    kind: type[Config], arguments: Sequence[str] | None = None, description: str | None = None
) -> Config:
    """Return the config that `--config FILE` and the overrides after it describe.

    Each field of the dataclass `kind` is an option; a field of a nested one has a dot:
    `--optim.lr 1e-3`. The string that follows a field is its help text.

    Raises:
        UserError: An unknown key, a wrong type, a number that is none, a missing file or value.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser(kind, description)
    path = config_file(arguments)
    if path is not None:
        _check_file(parser, path)
    try:
        namespace = parser.parse_args(arguments)
    except ArgumentError as error:
        raise UserError(_cause(str(error))) from None
    namespace.pop("config")
    _check_sections(kind, namespace, f"{path}: " if path else "")
    config = kind(**vars(parser.instantiate(namespace)))
    _check_numbers(config)
    return config


class _Help(RawDescriptionHelpFormatter, DefaultHelpFormatter):
    """Keeps the lines of a recipe's docstring, so that its commands can be copied."""


def _parser(kind: type[Any], description: str | None) -> ArgumentParser:
    parser = ArgumentParser(
        exit_on_error=False, description=description or kind.__doc__, formatter_class=_Help
    )
    parser.add_argument("--config", action="config", help="YAML file; later options override it")
    parser.add_class_arguments(kind)
    for action in parser._actions:
        if getattr(action, "_typehint", None) is bool:  # `--overwrite` alone means true
            action.nargs, action.const = "?", True
    return parser


def _check_file(parser: ArgumentParser, path: Path) -> None:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"--config {path}: not a text in UTF-8") from None
    # Alone, so that it is not blamed for the command line, which may give what it lacks.
    try:
        parser.parse_args(["--config", str(path)])
    except ArgumentError as error:
        if not re.search("arguments are required|is required but", str(error)):
            raise UserError(f"{path}: {_cause(str(error))}") from None


def _check_sections(kind: type[Any], namespace: Namespace, place: str) -> None:
    # The parser lets a scalar pass where a section of options is meant.
    for name, annotation in get_type_hints(kind).items():
        value = namespace[name]
        if dataclasses.is_dataclass(annotation) and not isinstance(value, Namespace):
            raise UserError(f'{place}key "{name}": a section is expected, not {value!r}')


def _check_numbers(config: Any, within: str = "") -> None:
    # YAML has `.nan` and `.inf`, and every comparison lets a NaN pass.
    for field in dataclasses.fields(config):
        name, value = within + field.name, getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            _check_numbers(value, f"{name}.")
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, float) and not (math.isfinite(one) or _may_be(one, field)):
                raise UserError(f"{name}: {one} is no number to count or measure with")


def _may_be(number: float, field: dataclasses.Field[Any]) -> bool:
    return math.isinf(number) and "endless" in field.metadata


def config_file(arguments: Sequence[str]) -> Path | None:
    """The file that `--config` names, if any.

    Raises:
        UserError: It is a folder, or not there.
    """
    match = re.search(r"(?:^|\n)--config[=\n]([^\n]*)", "\n".join(arguments))
    if match is None:
        return None
    path = Path(match[1])
    if not path.is_file():
        kind = "a folder, not a file" if path.is_dir() else "no such file"
        raise UserError(f"--config {path}: {kind}")
    return path


def _cause(message: str) -> str:
    r"""The parser's message in one line.

    >>> _cause('Parser key "n": Does not validate ...\nGiven value type: int\nGiven value: 3')
    'key "n": the value 3 has the wrong type'
    >>> _cause("Parser key \"n\":\n Expected a typing.Literal['a', 'b']. Got value: c")
    'key "n": \'c\' is none of \'a\', \'b\''
    """
    line = " ".join(message.split()).removeprefix("Parser ")
    choice = re.match(r'(key "[^"]*"): Expected a typing.Literal\[(.*)\]. Got value: (.*)', line)
    if choice:
        return f"{choice[1]}: {choice[3]!r} is none of {choice[2]}"
    match = re.match(r'(key "[^"]*"): (?:Does not validate|Expected a ).* value: (.*)', line)
    return f"{match[1]}: the value {match[2]} has the wrong type" if match else line


def read_settings(path: Path, complaint: str = "no config can be read from it") -> dict[str, Any]:
    """The settings that `save_config` has written; a `UserError` with the complaint without any."""
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        settings = None
    if not isinstance(settings, dict):
        raise UserError(f"{path}: {complaint}")
    return settings


def save_config(config: Any, path: Path) -> None:
    """Write the resolved config beside the result it made; `--config` reads it back."""
    write_text(path, _resolved(config))


def config_beside(out: Path, config: Any, arguments: Sequence[str] | None = None) -> Path:
    """Where the resolved config of the result `out` goes: never onto the user's own.

    Raises:
        UserError: The file that `--config` names lies there and says something else.
    """
    path = out.with_name(f"{out.name}.config.yaml")
    given = config_file(sys.argv[1:] if arguments is None else arguments)
    if given is None or not path.exists() or not given.samefile(path):
        return path
    if path.read_text(encoding="utf-8") != _resolved(config):
        raise UserError(f"--config {given}: the config beside --out {out} would replace this file")
    return path


def _resolved(config: Any) -> str:
    return yaml.safe_dump(_plain(dataclasses.asdict(config)), sort_keys=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value
