# SPDX-License-Identifier: GPL-2.0-only
"""`penstock live`: what there is beside `penstock run SCENARIO --backend live`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import live_real, options, screen
from penstock.cli.group import Group
from penstock.errors import Exit, UserError

if TYPE_CHECKING:
    from penstock.results.agree import live as comparison

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


def _row(pair: comparison.Pair, windows: bool) -> list[str]:
    from penstock.results import tables
    from penstock.results.agree.live import WINDOW

    flows = ", ".join(filter(None, [str(pair.flows), pair.settings]))
    cells = [tables.receivers_text(pair.receivers), flows, pair.method]
    compared = [("goodput_mbps_total", ".2f"), ("queue_bytes_mean", ",.0f")]
    if windows and not pair.has_windows:
        cells += ["-"] * 3
    elif windows:
        compared.insert(0, (WINDOW, ",.0f"))
    for column, form in compared:
        cells += [format(pair.live[column], form), format(pair.simulated[column], form)]
        cells.append(f"{100 * pair.deviation(column):+.1f}")
    for column, form in (("drops", ".0f"), ("jain", ".3f")):
        cells += [format(pair.live[column], form), format(pair.simulated[column], form)]
    return cells


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
    windows = any(pair.has_windows for pair in found)
    headers = ["receivers", "flows", "method", *(["cwnd live", "sim", "%"] if windows else [])]
    headers += ["Mbit/s live", "sim", "%", "queue live", "sim", "%"]
    headers += ["drops live", "sim", "Jain live", "sim"]
    rows = [_row(pair, windows) for pair in found]
    screen.out().print(screen.table("", headers, rows, left=1))
    good = sum(pair.is_predicted for pair in found)
    what = "goodput, mean queue and mean window" if windows else "goodput and mean queue"
    screen.say(f"{good} of {len(found)} have {what} within 10 %")
