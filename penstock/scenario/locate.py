# SPDX-License-Identifier: GPL-2.0-only
"""On which line of a TOML text each key stands, which tomllib does not tell.

The text has passed tomllib, so only its shape is followed here: headers, keys,
strings, and the nesting of inline tables and arrays.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Final

Path = tuple[str | int, ...]

_STRING: Final = (
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
)
_TOKEN: Final = re.compile(
    rf"(?P<string>{_STRING})|(?P<comment>#[^\n]*)|(?P<newline>\n)|(?P<mark>[\[\]{{}},=.])"
    r"|(?P<space>[ \t\r]+)|(?P<word>[^\s\[\]{},=.#\"']+)|(?P<other>.)",
    re.DOTALL,
)


def _unquote(text: str) -> str:
    if text[0] not in "\"'":
        return text
    return str(tomllib.loads(f"k={text}")["k"])


class _Walk:
    """Follows the tokens and notes the line of each key and array element."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.table: Path = ()
        self.tables: dict[Path, int] = {}
        self.line = 1
        self.tokens = self._scan(text)
        self.kind, self.text = next(self.tokens)

    def _scan(self, text: str) -> Iterator[tuple[str, str]]:
        for match in _TOKEN.finditer(text):
            kind, piece = match.lastgroup or "other", match[0]
            if kind not in ("space", "comment"):
                yield kind, piece
            self.line += piece.count("\n")
        while True:
            yield "end", ""

    def step(self) -> None:
        self.kind, self.text = next(self.tokens)

    def skip_newlines(self) -> None:
        while self.kind == "newline":
            self.step()

    def key(self) -> Path:
        parts: list[str] = []
        while self.kind in ("word", "string") or self.text == ".":
            if self.text != ".":
                parts.append(_unquote(self.text))
            self.step()
        return tuple(parts)

    def note(self, path: Path, line: int) -> None:
        for depth in range(1, len(path) + 1):
            self.lines.setdefault(path[:depth], line)

    def resolve(self, path: Path) -> Path:
        """`path` with the number of the last element put in for each array of tables."""
        full: Path = ()
        for part in path:
            full = (*full, part)
            if full in self.tables:
                full = (*full, self.tables[full])
        return full

    def header(self) -> None:
        line = self.line
        self.step()
        array = self.text == "["
        if array:
            self.step()
        path = self.key()
        if array:
            plain = (*self.resolve(path[:-1]), *path[-1:])
            self.tables[plain] = self.tables.get(plain, -1) + 1
        self.table = self.resolve(path)
        self.note(self.table, line)

    def pair(self, base: Path) -> None:
        line = self.line
        path = (*base, *self.key())
        self.note(path, line)
        if self.text == "=":
            self.step()
            self.value(path)

    def value(self, path: Path) -> None:
        self.note(path, self.line)
        if self.text == "[" and self.kind == "mark":
            self.array(path)
        elif self.text == "{" and self.kind == "mark":
            self.inline(path)
        else:
            while self.kind in ("word", "string", "other") or self.text == ".":
                self.step()

    def array(self, path: Path) -> None:
        self.step()
        index = 0
        while self.kind != "end":
            self.skip_newlines()
            if self.text == "]" and self.kind == "mark":
                break
            if self.text == "," and self.kind == "mark":
                index += 1
                self.step()
                continue
            before = self.kind, self.text, self.line
            self.value((*path, index))
            if before == (self.kind, self.text, self.line):
                self.step()
        self.step()

    def inline(self, path: Path) -> None:
        self.step()
        while self.kind != "end" and not (self.text == "}" and self.kind == "mark"):
            if self.kind in ("word", "string"):
                self.pair(path)
            else:
                self.step()
        self.step()

    def run(self) -> None:
        while self.kind != "end":
            if self.kind == "mark" and self.text == "[":
                self.header()
            elif self.kind in ("word", "string"):
                self.pair(self.table)
                continue
            self.step()


def key_lines(text: str) -> dict[Path, int]:
    """The line, from 1, of each key path; arrays count their elements from 0."""
    walk = _Walk(text)
    walk.run()
    return walk.lines
