# SPDX-License-Identifier: GPL-2.0-only
"""`penstock list`: the scenarios that come with Penstock."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, near


def list_scenarios(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[WORD]...", help="Only scenarios that mention all of these."),
    ] = [],  # noqa: B006
    as_json: options.AsJson = False,
) -> None:
    """List the scenarios, all or those that mention a word."""
    from penstock.scenario import catalogue

    entries = catalogue.entries(words)
    if not entries:
        folders = [name.partition("/")[0] for name in catalogue.names()]
        raise UsageError(f"no scenario mentions {' and '.join(words)}; {near(words[0], folders)}")
    if as_json:
        for entry in entries:
            print(json.dumps(asdict(entry)))
        return
    rows = [[entry.name, entry.title, entry.reproduces] for entry in entries]
    if words:
        _print("", rows)
    else:
        first = len(catalogue.BEGIN)
        _print("To begin with", rows[:first])
        screen.out().print()
        _print("All others", rows[first:])
    screen.say("`penstock run SCENARIO` runs one; `penstock new-link FILE` writes your own link")


def _print(title: str, rows: Sequence[Sequence[str]]) -> None:
    screen.out().print(screen.table(title, ["scenario", "what", "reproduces"], rows, left=3))
