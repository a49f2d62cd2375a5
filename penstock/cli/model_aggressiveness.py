# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model aggressiveness`: nis-2004 chapter 6, Tables 6.1 and 6.2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import options, screen


def aggressiveness(
    members: Annotated[
        str, typer.Option("--members", help="Connections, n: numbers and ranges with commas.")
    ] = "1..5,10,20,50",
    lost: Annotated[
        str, typer.Option("--lost", help="Losses in a row, l: numbers and ranges with commas.")
    ] = "0..10,20,30,40,50,60,70,80,90,100",
    cwnd: Annotated[int, typer.Option("--cwnd", help="Window of each, segments.")] = 32,
    ssthresh: Annotated[int, typer.Option("--ssthresh", help="Threshold of each, segments.")] = 64,
    runs: Annotated[
        int,
        typer.Option(
            "--runs",
            help="Also run the simulator's senders, with this many random draws of the losses.",
        ),
    ] = 0,
    as_json: options.AsJson = False,
    output: Annotated[
        Path | None,
        options.output("Write aggressiveness.html and .csv."),
    ] = None,
) -> None:
    """n standard connections against an EFCM ensemble of n after losses (nis-2004 chapter 6)."""
    from penstock.api import models
    from penstock.api.words import in_options
    from penstock.view.report import aggressiveness as pages
    from penstock.view.report import sheet

    asked = in_options(models.aggressiveness)
    found = asked(members, lost, cwnd=cwnd, ssthresh=ssthresh, runs=runs)
    if as_json:
        for each in found:
            print(json.dumps(each.describe()))
    else:
        for grid in (pages.grid(found, key) for key in pages.WHAT):
            screen.out().print(screen.table(grid.title, grid.headers, grid.rows))
            screen.out().print()
    if output:
        page, records = pages.page(found, cwnd, ssthresh), [each.describe() for each in found]
        path = sheet.write_with_rows(output, "aggressiveness", records, page)
        screen.say(f"plots and values: {path}, aggressiveness.csv")
