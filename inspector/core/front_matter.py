"""Front matter at the very top of a document: YAML, TOML or JSON."""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # pragma: no cover - a PyYAML built without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_DEPTH = 100
"""Deeper nesting is refused: libyaml recurses in C."""

_YAML = re.compile(r"---[ \t]*\n(?P<body>.*?)(?:(?<=\n)|\A)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\+\+\+[ \t]*\n(?P<body>.*?)(?<=\n)\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_JSON_END = re.compile(r"[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was found: the end position of the block, its data, and what is wrong with it (or "")."""

    end: int
    data: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""


class _Refused(ValueError):
    """YAML that is read as nothing: an alias, or nesting too deep."""


def read_front_matter(text: str, start: int) -> FrontMatter | None:
    """Read the front matter of a text with LF line ends at `start` (0, or 1 after a byte order mark)."""
    if text.startswith("---", start):
        match = _YAML.match(text, start)
        return _read_yaml(match) if match else None
    if text.startswith("+++", start):
        match = _TOML.match(text, start)
        return _read_toml(match) if match else None
    if text.startswith("{", start):
        return _read_json(text, start)
    return None


def _read_yaml(match: re.Match[str]) -> FrontMatter | None:
    try:
        data = _load_yaml(match["body"])
    except _Refused as error:
        return FrontMatter(match.end(), {}, str(error))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError, AttributeError) as error:
        return FrontMatter(match.end(), {}, f"invalid YAML: {_first_line(error)}")
    if data is None:
        return FrontMatter(match.end())
    if not isinstance(data, dict):
        return None
    return FrontMatter(match.end(), _plain(data))


def _load_yaml(body: str) -> Any:
    depth = 0
    for event in yaml.parse(body, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise _Refused("YAML aliases are not followed")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _Refused(f"YAML nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return yaml.load(body, Loader=_Loader)


def _read_toml(match: re.Match[str]) -> FrontMatter:
    try:
        return FrontMatter(match.end(), _plain(tomllib.loads(match["body"])))
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        return FrontMatter(match.end(), {}, f"invalid TOML: {_first_line(error)}")


def _read_json(text: str, start: int) -> FrontMatter | None:
    try:
        data, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    after = _JSON_END.match(text, end)
    if not isinstance(data, dict) or after is None:
        return None
    return FrontMatter(after.end(), _plain(data))


def _first_line(error: Exception) -> str:
    """Say in one line what is wrong; of YAML with the line of the file, of which `---` is the first."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark:
        return f"{error.problem} at line {error.problem_mark.line + 2}"
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return ", ".join(lines[:2])[:160]


def _plain(value: Any) -> Any:
    """Turn dates and other types into what JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(entry) for entry in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
