# SPDX-License-Identifier: GPL-2.0-only
"""A shipped scenario with other values: as tables, to be checked and run, and as a text to keep."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from penstock.scenario.locate import Path, key_lines
from penstock.scenario.read import shipped
from penstock.scenario.source import Origin, Source, dotted, parse
from penstock.scenario.units import Quantity

_LINE: Final = re.compile(r"^(\w+ = ).*?( +# .*)?$")


def _toml(value: Any) -> str:
    """A value as a line of a scenario has it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(str(value) if isinstance(value, Quantity) else value, ensure_ascii=False)


class Draft:
    """The tables and the text of a scenario, which change together.

    The text keeps the comments of the shipped file; nothing reads it again.
    """

    def __init__(self, name: str) -> None:
        data = shipped()[name].read_bytes()
        text = data.decode("utf-8")
        self.source: Final[Source] = parse(name, data)
        self._lines = text.splitlines()
        self._places = {path: line - 1 for path, line in key_lines(text).items()}

    @property
    def text(self) -> str:
        """The scenario as TOML."""
        return "\n".join(self._lines) + "\n"

    def marked(self, option: str) -> list[Path]:
        """The keys whose lines have the comment `--option`."""
        mark = re.compile(rf" # --{option}\b")
        lines = {index for index, line in enumerate(self._lines) if mark.search(line)}
        keys = {self._places[path]: path for path in sorted(self._places, key=len, reverse=True)}
        return [keys[index] for index in sorted(lines)]

    def put(self, path: Path, value: Any, origin: Origin | None = None) -> None:
        """Gives a key of the file another value; an error about it will name its origin."""
        self._set(path, value, origin)
        index = self._places[path]
        found = _LINE.match(self._lines[index])
        assert found
        self._lines[index] = f"{found[1]}{_toml(value)}{found[2] or ''}"

    def put_after(self, path: Path, key: str, value: Any) -> None:
        """Adds a key to a table, below one that it has."""
        self._set((*path[:-1], key), value, None)
        self._lines[self._places[path]] += f"\n{key} = {_toml(value)}"

    def add(
        self,
        path: Path,
        values: Mapping[str, Any],
        origin: Origin | None = None,
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Adds a table at the end; `notes` follow the lines of its keys, that of "" its name."""
        notes = notes or {}
        self._lines += ["", f"[{dotted(path)}]{notes.get('', '')}"]
        for key, value in values.items():
            self._set((*path, key), value, origin)
            self._lines.append(f"{key} = {_toml(value)}{notes.get(key, '')}")

    def _set(self, path: Path, value: Any, origin: Origin | None) -> None:
        table = self.source.tables
        for part in path[:-1]:
            table = table.setdefault(str(part), {})
        table[str(path[-1])] = value
        if origin is not None:
            for known in [each for each in self.source.origins if each[: len(path)] == path]:
                del self.source.origins[known]
            self.source.origins[path] = origin
