# SPDX-License-Identifier: GPL-2.0-only
"""The shipped scenarios, and what each is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from penstock.scenario.read import shipped
from penstock.scenario.source import load

# What one would run first; then all that is not named here, which is of papers.
BEGIN: Final = (
    "link",
    "ewt-2019/scenario-1",
    "traffic/web",
    "traffic/last-hop",
    "traffic/varying-link",
    "traffic/l4s",
)
_LAST: Final = ("live", "hidden", "law")


@dataclass(frozen=True)
class Entry:
    """A scenario: its name, title, and what of a paper it reproduces."""

    name: str
    title: str
    reproduces: str


def _place(name: str) -> tuple[int, str]:
    if name in BEGIN:
        return BEGIN.index(name), name
    folder = name.partition("/")[0]
    if folder == "traffic":
        return len(BEGIN), name
    return len(BEGIN) + 1 + (1 + _LAST.index(folder) if folder in _LAST else 0), name


def names() -> list[str]:
    """The names of all scenarios, those to begin with first."""
    return sorted(shipped(), key=_place)


def entries(words: Sequence[str] = ()) -> list[Entry]:
    """The scenarios whose name, title or aim mentions all of the words, in any case."""
    files = shipped()
    found = []
    for name in sorted(files, key=_place):
        about = load(files[name], name).tables["scenario"]
        entry = Entry(name, about["title"], about.get("reproduces", ""))
        text = " ".join((name, entry.title, entry.reproduces)).lower()
        if all(word.lower() in text for word in words):
            found.append(entry)
    return found
