# SPDX-License-Identifier: GPL-2.0-only
"""`penstock live real`: live runs with nginx, curl, iperf3, ssh and aioquic."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import Exit, UserError

if TYPE_CHECKING:
    from penstock.runs.clients.run import Outcome


def _words(given: Sequence[str]) -> list[str]:
    return [word for text in given for word in text.split(",") if word]


def _print_json(each: Outcome) -> None:
    typer.echo(json.dumps(asdict(each)))


def real(
    cases: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CASE]...", help="Default: the usual cases; --list shows all."),
    ] = None,
    method: options.Methods = [],  # noqa: B006
    ipv6: Annotated[bool, typer.Option("--ipv6", help="Over IPv6.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the cases without running them.")
    ] = False,
    output: Annotated[
        Path | None,
        options.output("Write results.json there."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Fail if a case leaves the bounds that docs/live.md lists."),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Run the cases of live/real: nginx, curl, iperf3, ssh and aioquic on one bottleneck."""
    from penstock.api import real as cases_of

    chosen = cases_of.choose(_words(cases or []), _words(method), every=listed)
    if listed:
        rows = [list(each) for each in chosen.titles()]
        screen.out().print(screen.table("", ["case", "what it is"], rows, left=2))
        return
    each = _print_json if as_json else None
    found = cases_of.play(chosen, screen, 6 if ipv6 else 4, output, each)
    if not found.outcomes and not found.failed:
        raise UserError("live real: no case could be run", Exit.SKIPPED)
    if found.outcomes and not as_json:
        screen.out().print(screen.table("", cases_of.HEADERS, found.rows(), left=2))
    if found.failed:
        raise UserError(f"live real: failed runs: {found.failed}", Exit.SOME_CELLS_FAILED)
    if check and (outside := found.broken()):
        raise UserError("live real: outside of the bounds: " + "; ".join(outside))
