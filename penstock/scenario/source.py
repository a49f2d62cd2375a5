# SPDX-License-Identifier: GPL-2.0-only
"""The raw tables of a scenario and where each of their keys was written."""

import codecs
import copy
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from penstock.errors import ConfigError, OptionError, UsageError, UserError, near
from penstock.scenario.locate import Path as KeyPath
from penstock.scenario.locate import key_lines

_PLACE: Final = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_NAMED: Final = ("link", "gateway", "tcp", "udp")  # tables of tables that a scenario names
_FILES: Final = (
    ("tcp", "*", "traffic", "file"),
    ("link", "*", "trace"),
    ("link", "*", "back", "trace"),
)
SYNTHETIC: Final = "synthetic:"  # before the kind of a generated trace, in place of a file
_EXTENDS: Final = ("extends",)
_EITHER: Final = {"rtt": "delay", "delay": "rtt"}  # of a link: the same in two ways
_LARGEST_BYTES: Final = 10_000_000
_DEEPEST: Final = 20  # tables and arrays within each other, more than any key needs
_LONG_NUMBER: Final = re.compile(r"[\d_]{4301}", re.ASCII)  # more digits than Python reads
SET: Final = "--set"
SWEEP: Final = "--sweep"
STDIN: Final = "-"


class Origin(NamedTuple):
    """A file and a line, or an option, line 0, and what was given for it."""

    name: str
    line: int = 0
    given: str = ""


_BY_SET: Final = Origin(SET)


def dotted(path: KeyPath) -> str:
    """A key path as a user writes it: tcp.bulk.size."""
    return ".".join(str(part) for part in path)


def _lines(text: str) -> dict[KeyPath, int]:
    """Those of the keys; of keys that are nested too deeply to be followed, none."""
    try:
        return key_lines(text)
    except RecursionError:
        return {}


@dataclass
class Source:
    """The merged tables, and the texts of their files by name, those that others extend first."""

    name: str
    tables: dict[str, Any]
    texts: tuple[tuple[str, str], ...] = ()
    _origins: dict[KeyPath, Origin] | None = None

    @property
    def origins(self) -> dict[KeyPath, Origin]:
        """For each key path the file and line that it came from; found when first asked for."""
        if self._origins is None:
            self._origins = {
                path: Origin(name, line)
                for name, text in self.texts
                for path, line in _lines(text).items()
            }
        return self._origins

    def copy(self) -> "Source":
        """A copy that can be changed."""
        found = None if self._origins is None else dict(self._origins)
        return Source(self.name, copy.deepcopy(self.tables), self.texts, found)

    def error(self, path: KeyPath, message: str) -> UserError:
        """The error to raise for the value at `path`: exit 78, or 2 if an option gave it."""
        inner = path
        while inner and inner not in self.origins:
            inner = inner[:-1]
        name, line, given = self.origins.get(inner, Origin(self.name, 1))
        key = f" {dotted(path)}:" if path else ""
        if line == 0:
            if name in (SET, SWEEP) and not path:
                return UsageError(f"{name} {message}")
            key = dotted(path) if name in (SET, SWEEP) else ""
            return OptionError(name, given, message, key)
        return ConfigError(f"{name}:{line}:{key} {message}")


def _decode(name: str, data: bytes) -> str:
    if len(data) > _LARGEST_BYTES:
        raise ConfigError(f"{name}:1: the file is too large to be a scenario")
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{name}:{line}: byte {error.start} is not UTF-8; a scenario is a TOML text file"
        ) from None
    if not text.strip():
        raise ConfigError(
            f"{name}:1: the file is empty; `penstock new-link FILE` writes a scenario to start from"
        )
    return text


def _is_too_deep(tables: dict[str, Any]) -> bool:
    level: list[Any] = [tables]
    for _ in range(_DEEPEST):
        held = [each.values() if isinstance(each, dict) else each for each in level]
        level = [each for values in held for each in values if isinstance(each, dict | list)]
    return bool(level)


def _parse(name: str, text: str) -> dict[str, Any]:
    try:
        tables = tomllib.loads(text)
        if _is_too_deep(tables):
            raise RecursionError
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = place[1] if place and place[1] else str(text.count("\n") + 1)
        column = f", column {place[2]}" if place and place[2] else ""
        what = _PLACE.sub("", message)
        raise ConfigError(f"{name}:{line}: not TOML: {what}{column}") from None
    except RecursionError:
        raise ConfigError(f"{name}:1: tables or arrays are nested too deeply") from None
    except ValueError:
        place = _LONG_NUMBER.search(text)
        line = text.count("\n", 0, place.start() if place else 0) + 1
        raise ConfigError(f"{name}:{line}: not TOML: a number has too many digits") from None
    return tables


def parse(name: str, data: bytes) -> Source:
    """The tables of one file, without what it extends."""
    text = _decode(name, data).replace("\r\n", "\n")
    return Source(name, _parse(name, text), ((name, text),))


def is_file(text: str) -> bool:
    """Whether it is the path of a file and not a synthetic trace."""
    return not text.startswith(SYNTHETIC)


def _anchor(tables: dict[str, Any], folder: Path) -> None:
    """Makes the files that a scenario names relative to its own folder."""
    for keys in _FILES:
        _anchor_at(tables, keys, folder)


def _anchor_at(table: Any, keys: KeyPath, folder: Path) -> None:
    if not isinstance(table, dict):
        return
    names = list(table) if keys[0] == "*" else [keys[0]] if keys[0] in table else []
    for name in names:
        if len(keys) > 1:
            _anchor_at(table[name], keys[1:], folder)
        elif isinstance(table[name], str) and table[name] and is_file(table[name]):
            table[name] = str(folder / table[name])


def _merge(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _merge(old, value) if both and old else value
    return merged


def _read_bytes(path: Path, name: str, asked_by: Source | None) -> bytes:
    try:
        if str(path) == STDIN:
            return sys.stdin.buffer.read(_LARGEST_BYTES + 1)
        with path.open("rb") as file:
            return file.read(_LARGEST_BYTES + 1)
    except OSError as error:
        message = f"{name}: cannot be read: {error.strerror}"
        raise asked_by.error(_EXTENDS, message) if asked_by else ConfigError(message) from None


def load(
    path: Path, name: str, above: tuple[Path, ...] = (), asked_by: Source | None = None
) -> Source:
    """The tables of a file and of those that it extends, its own keys last."""
    source = parse(name, _read_bytes(path, name, asked_by))
    _anchor(source.tables, path.parent)
    base = source.tables.pop("extends", None)
    if base is None:
        return source
    if not isinstance(base, str) or not base or "\0" in base:
        raise source.error(_EXTENDS, "expected the path of a scenario file, as text")
    target = (path.parent / base).resolve()
    chain = (*above, path.resolve())
    if target in chain:
        raise source.error(_EXTENDS, f"{base} extends this file in turn; break the circle")
    below = load(target, str(path.parent / base), chain, source)
    tables = _merge(below.tables, source.tables)
    return Source(name, tables, (*below.texts, *source.texts))


def _toml_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _misplaced(origin: Origin, key: str, message: str) -> UserError:
    if origin.line == 0:
        return OptionError(origin.name, "", message, key)
    return ConfigError(f"{origin.name}:{origin.line}: sweep.{key}: {message}")


def _leave_out(source: Source, table: dict[str, Any], path: KeyPath, origin: Origin) -> None:
    """Removes a file's key that an option replaces by its other name."""
    other = _EITHER.get(str(path[-1])) if path[0] == "link" and len(path) == 3 else None
    if other is None or other not in table:
        return
    both = (*path[:-1], other)
    if source.origins.get(both, origin).line == 0:
        what = f"{dotted(both)} is given too, and says the same; leave one of them out"
        raise _misplaced(origin, dotted(path), what)
    del table[other]


def override(source: Source, key: str, value: Any, origin: Origin = _BY_SET) -> None:
    """Puts the value of `--set key=value` into the tables; `key` has a dot.

    A text is read as TOML, where it is TOML.
    """
    path = tuple(key.split("."))
    table = source.tables
    named = table.get(path[0])
    if path[0] in _NAMED and not (isinstance(named, dict) and path[1] in named):
        known = [f"{path[0]}.{name}" for name in named] if isinstance(named, dict) else []
        what = f"there is no such table; {near('.'.join(path[:2]), known)}"
        raise _misplaced(origin, key, what)
    for part in path[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise _misplaced(origin, key, f"{part!r} is a value, not a table")
    _leave_out(source, table, path, origin)
    table[path[-1]] = _toml_value(value) if isinstance(value, str) else value
    for depth in range(1, len(path)):
        source.origins.setdefault(path[:depth], origin)
    source.origins[path] = origin


def replace(
    source: Source, path: tuple[str, str], option: str, values: Sequence[tuple[str, Any]]
) -> None:
    """Puts the list that an option gave at `path`; each value with its text as it was typed."""
    table = source.tables.setdefault(path[0], {})
    if not isinstance(table, dict):
        return  # which validation will say
    table[path[1]] = [value for _, value in values]
    for index, (text, _) in enumerate(values):
        source.origins[(*path, index)] = Origin(option, given=text)
