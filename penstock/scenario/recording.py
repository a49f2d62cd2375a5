# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of a gateway: the JSON lines of `penstock-gw record` (docs/lines.md)."""

import itertools
import json
from pathlib import Path
from typing import Any, Final

from penstock.errors import ConfigError
from penstock.text import decoded

VERSION: Final = 1


def _parts(path: Path) -> list[Path]:
    """The file and the older ones that it has rotated into, the oldest first."""
    older = itertools.takewhile(
        Path.exists, (path.with_name(f"{path.name}.{n}") for n in itertools.count(1))
    )
    return [*reversed(list(older)), path]


def _value(line: str) -> Any:
    """What it says; None if it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_head(line: str) -> bool:
    value = _value(line)
    return isinstance(value, dict) and value.get("kind") == "head"


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        text = decoded(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    found = []
    whole, _, _ = text.rpartition("\n")  # the last line may be cut off
    lines = whole.split("\n") if whole else []
    for number, line in enumerate(lines, 1):
        value = _value(line)
        # A full disk cuts a line off; the next start begins with a head.
        if value is None and number < len(lines) and _is_head(lines[number]):
            continue
        if not isinstance(value, dict) or not isinstance(value.get("time_ns"), int):
            raise ConfigError(
                f"{path}:{number}: is no line of a recording; `penstock-gw record` writes one"
            )
        found.append(value)
    return found


def read(path: Path) -> list[dict[str, Any]]:
    """All lines, of rotated files too, in the order of their times."""
    found = [line for part in _parts(path) for line in _lines(part)]
    if not any(line.get("kind") == "sample" for line in found):
        raise ConfigError(f"{path}: is no recording: it has no samples of a gateway")
    heads = [line for line in found if line.get("kind") == "head"]
    if not heads:
        raise ConfigError(f"{path}: is no recording: it has no line of kind 'head'")
    for head in heads:
        if head.get("schema_version") != VERSION:
            raise ConfigError(
                f"{path}: has schema version {head.get('schema_version')}, not {VERSION}: "
                "of another version of penstock-gw"
            )
    return sorted(found, key=lambda line: int(line["time_ns"]))
