# SPDX-License-Identifier: GPL-2.0-only
"""`penstock live`: what there is beside `penstock run SCENARIO --backend live`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import live_real, options, screen
from penstock.cli.group import Group
from penstock.errors import Exit, UserError

app = typer.Typer(
    help="The live lab on this machine (docs/live.md).",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
)


app.command()(live_real.real)


@app.callback()
def _root() -> None:
    pass


@app.command()
def clean() -> None:
    """Remove the namespaces and pinned maps of live runs that were killed."""
    from penstock.runs.live import stale

    if os.geteuid() != 0:
        raise UserError("live clean: it removes network namespaces; use sudo", Exit.SKIPPED)
    try:
        removed = stale.clean()
    except RuntimeError as error:
        raise UserError(f"live clean: {error}") from None
    for name in removed:
        typer.echo(name)
    screen.say(f"{len(removed)} removed" if removed else "nothing was left behind")


@app.command()
def compare(
    live: Annotated[
        Path, typer.Argument(metavar="LIVE", parser=options.path, help="Results of --backend live.")
    ],
    simulated: Annotated[
        Path,
        typer.Argument(metavar="SIMULATED", parser=options.path, help="Results of a simulator."),
    ],
) -> None:
    """Show how well a simulator predicts the live lab: both tables side by side."""
    from penstock.results.agree import live as comparison

    found = list(comparison.pairs(live, simulated))
    grid = comparison.grid(found)
    screen.out().print(screen.table("", grid.headers, grid.rows, left=1))
    screen.say(comparison.verdict(found))
