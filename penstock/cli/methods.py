# SPDX-License-Identifier: GPL-2.0-only
"""`penstock methods`: methods, and the parameters of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, near

if TYPE_CHECKING:
    from penstock.scenario.described import Method


def _print_list(entries: Sequence[Method]) -> None:
    rows = [
        [each.name, each.kind, "yes" if each.rewrites else "", each.title, each.source]
        for each in entries
    ]
    headers = ["method", "works at", "rewrites windows", "title", "source"]
    screen.out().print(screen.table("", headers, rows, left=5))


def _print_one(entry: Method) -> None:
    console = screen.out()
    console.print(f"[bold]{entry.name}[/bold]  {entry.title}")
    console.print(f"source   {entry.source}", markup=False)
    if entry.formula and entry.rewrites:
        console.print(f"window   {entry.formula}", markup=False)
    if not entry.parameters:
        console.print("no parameters")
        return
    console.print()
    rows = [
        [p.key, p.unit, p.default, f"{p.min} .. {p.max}", p.help, p.source]
        for p in entry.parameters
    ]
    headers = ["parameter", "unit", "default", "range", "what it is", "source"]
    console.print(screen.table("", headers, rows, left=6))


def methods(
    method: Annotated[str, typer.Argument(metavar="[METHOD]", help="One method.")] = "",
    as_json: options.AsJson = False,
) -> None:
    """List the methods, or the parameters of one with unit, default, range and source."""
    from penstock.scenario import described

    entries = described.methods()
    names = [entry.name for entry in entries]
    stale = described.stale() if method else ""
    if method and method not in names:
        cure = stale or near(method, names, otherwise="`penstock methods` lists them")
        raise UsageError(f"there is no method {method!r}; {cure}")
    if stale:
        screen.say(stale)
    chosen = [entry for entry in entries if not method or entry.name == method]
    if as_json:
        for entry in chosen:
            print(json.dumps(asdict(entry)))
    elif method:
        for entry in chosen:
            _print_one(entry)
    else:
        _print_list(chosen)
