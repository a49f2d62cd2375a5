# SPDX-License-Identifier: GPL-2.0-only
"""Patches of this tree that still fit when lines have moved or a name has changed.

A patch is a unified diff behind lines of notes, such as "Caught by: proof NAME". Of each hunk
one place must fit: as it is, or with up to three identifiers that have other names in all of the
hunk, or with less of its context, as its surroundings have changed.
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CONTEXT: Final = 3  # lines around a change, as in diff(1)
RENAMED: Final = 3  # identifiers of a hunk
# Lines of context before and behind a change that may differ: all on one side, or two on both.
_LESS: Final = ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (3, 0), (0, 3), (2, 2))
_NOTE: Final = re.compile(r"([A-Z][\w ]*): (.+)")
_TOKEN: Final = re.compile(r"[A-Za-z_]\w*|\s+|\w+|[^\w\s]")
Row = str  # its first character: ' ' of both sides, '-' of the old one, '+' of the new one


class PatchError(Exception):
    """A patch cannot be read, or does not fit the tree."""


@dataclass(frozen=True)
class Patch:
    """Its name, the notes before it, and hunks by file."""

    name: str
    notes: tuple[tuple[str, str], ...]
    hunks: Mapping[str, Sequence[Sequence[Row]]]


def parsed(name: str, text: str) -> Patch:
    """The patch of that text."""
    notes: list[tuple[str, str]] = []
    hunks: dict[str, list[list[Row]]] = {}
    path = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _NOTE.fullmatch(line) if not hunks else None:
            notes.append((found[1], found[2]))
        elif line.startswith("--- a/"):
            path = ""
        elif line.startswith("+++ b/"):
            path = line.removeprefix("+++ b/")
            hunks[path] = []
        elif line.startswith("@@ ") and path:
            hunks[path].append([])
        elif line[:1] in {" ", "-", "+"} and path and hunks[path]:
            hunks[path][-1].append(line)
        else:
            raise PatchError(f"{name}:{number}: {line!r} is no line of a patch or of its notes")
    if not hunks or not all(each and all(each) for each in hunks.values()):
        raise PatchError(f"{name}: there is no change in it")
    return Patch(name, tuple(notes), hunks)


def read_all(folder: Path) -> list[Patch]:
    """The patches of a folder, by name: their path in it without suffix."""
    found = sorted(folder.rglob("*.patch"))
    return [
        parsed(path.relative_to(folder).with_suffix("").as_posix(), path.read_text())
        for path in found
    ]


def _renamed(old: Sequence[list[str]], there: Sequence[list[str]]) -> dict[str, str] | None:
    """The names that differ, if nothing else does, and each in the same way everywhere."""
    names: dict[str, str] = {}
    for mine, other in zip(old, there, strict=True):
        if len(mine) != len(other):
            return None
        for a, b in zip(mine, other, strict=True):
            if a != b and not (a.isidentifier() and b.isidentifier()):
                return None
            if names.setdefault(a, b) != b:
                return None
    if len(set(names.values())) != len(names):
        return None
    return {a: b for a, b in names.items() if a != b}


def _trimmed(rows: Sequence[Row], before: int, behind: int) -> Sequence[Row]:
    """The rows with so many lines less of context at either end, or none of it there."""
    first = next(i for i, row in enumerate(rows) if row[0] != " ")
    last = next(i for i, row in enumerate(reversed(rows)) if row[0] != " ")
    return rows[min(before, first) : len(rows) - min(behind, last)]


def _places(
    tokens: Sequence[list[str]], old: Sequence[list[str]], most: int
) -> Iterator[tuple[int, dict[str, str]]]:
    """Where these lines are, and with which other names; up to @most of them."""
    for at in range(len(tokens) - len(old) + 1):
        names = _renamed(old, tokens[at : at + len(old)])
        if names is not None and len(names) <= most:
            yield at, names


def _put(lines: list[str], rows: Sequence[Row], at: int, names: Mapping[str, str]) -> list[str]:
    """The lines with the rows of a hunk in their place."""
    made: list[str] = []
    here = at
    for row in rows:
        if row[0] == "+":
            made.append("".join(names.get(each, each) for each in _TOKEN.findall(row[1:])))
            continue
        if row[0] == " ":
            made.append(lines[here])
        here += 1
    return [*lines[:at], *made, *lines[here:]]


def _applied(lines: list[str], rows: Sequence[Row]) -> list[str]:
    """The lines with a hunk; PatchError unless one place fits."""
    tokens = [_TOKEN.findall(line) for line in lines]
    several = 0
    for before, behind, most in ((0, 0, 0), (0, 0, RENAMED), *((*less, 0) for less in _LESS)):
        some = _trimmed(rows, before, behind)
        old = [_TOKEN.findall(row[1:]) for row in some if row[0] != "+"]
        found = list(_places(tokens, old, most)) if old else []
        if len(found) == 1:
            at, names = found[0]
            return _put(lines, some, at, names)
        several = several or len(found)
    raise PatchError(f"{f'{several} places fit' if several else 'no place fits'} {_first(rows)!r}")


def _first(rows: Sequence[Row]) -> str:
    return next(row for row in rows if row[0] != " ")


def changed(patch: Patch, root: Path) -> dict[str, str]:
    """The texts of the files that it changes; PatchError if it does not fit."""
    texts = {}
    for path, hunks in patch.hunks.items():
        if not (root / path).is_file():
            raise PatchError(f"{patch.name}: {path} is not there")
        lines = (root / path).read_text().split("\n")
        for rows in hunks:
            try:
                lines = _applied(lines, rows)
            except PatchError as error:
                raise PatchError(f"{patch.name}: {path}: {error}") from error
        texts[path] = "\n".join(lines)
    return texts


def refreshed(patch: Patch, root: Path) -> str:
    """The text of the patch as it applies to the tree today."""
    made = [f"{key}: {value}\n" for key, value in patch.notes]
    for path, text in changed(patch, root).items():
        sides = ((root / path).read_text().splitlines(True), text.splitlines(True))
        made += difflib.unified_diff(*sides, f"a/{path}", f"b/{path}", n=CONTEXT)
    return "".join(made)
