# SPDX-License-Identifier: GPL-2.0-only
"""`penstock list`: the scenarios that come with Penstock."""

import json
from typing import Annotated, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, near

# What is wanted most comes first; the folders that are not named here are those of papers.
_FIRST: Final = ("link", "traffic")
_LAST: Final = ("live", "law")


def _place(name: str) -> tuple[int, str]:
    folder = name.partition("/")[0]
    if folder in _FIRST:
        return _FIRST.index(folder), name
    return len(_FIRST) + (1 + _LAST.index(folder) if folder in _LAST else 0), name


def list_scenarios(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[WORD]...", help="Only scenarios that mention all of these."),
    ] = [],  # noqa: B006
    as_json: options.AsJson = False,
) -> None:
    """List the scenarios, all or those that mention a word."""
    from penstock.scenario.read import read, shipped

    entries = []
    for name in sorted(shipped(), key=_place):
        about = read(name).scenario.scenario
        entry = {"name": name, "title": about.title, "reproduces": about.reproduces}
        text = " ".join(entry.values()).lower()
        if all(word.lower() in text for word in words):
            entries.append(entry)
    if not entries:
        folders = [name.partition("/")[0] for name in sorted(shipped(), key=_place)]
        raise UsageError(f"no scenario mentions {' and '.join(words)}; {near(words[0], folders)}")
    if as_json:
        for entry in entries:
            print(json.dumps(entry))
        return
    rows = [list(entry.values()) for entry in entries]
    screen.out().print(screen.table("", ["scenario", "what", "reproduces"], rows, left=3))
