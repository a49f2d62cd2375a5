# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model`: analytical models of the papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import (
    model_aggressiveness,
    model_throughput,
    options,
    screen,
)
from penstock.cli.group import Group

app = typer.Typer(
    help="Analytical models of the papers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=Group,
)


@app.callback()
def _root() -> None:
    pass


@app.command("zhang")
def zhang(
    samples: Annotated[int, typer.Option("--samples", help="Round trips.")] = 100,
    g: Annotated[
        str, typer.Option("--g", help="EWT-IoT's smoothing factor; with commas for several.")
    ] = "0.0007,0.01,0.1,0.5",
    average: Annotated[
        str, typer.Option("--average", help="eq3, fig6 (keeps the average when it falls) or both.")
    ] = "eq3",
    reading: Annotated[
        str,
        typer.Option(
            "--reading",
            help="What a round starts from: advertised (the receiver's window), compound (the "
            "window that the last round left), or both.",
        ),
    ] = "advertised",
    sets: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="A row of Table 1.")
    ] = [],  # noqa: B006
    as_json: options.AsJson = False,
    output: Annotated[
        Path | None,
        options.output("Write zhang.html and zhang.csv."),
    ] = None,
) -> None:
    """Zhang's discrete model: drop-tail, EWT, EWT-IoT (ewt-iot-2023 section 3.2)."""
    from penstock.api import models
    from penstock.api.words import in_options
    from penstock.view.report import sheet
    from penstock.view.report import zhang as pages

    asked = in_options(models.zhang)
    told = dict(options.pairs(sets))
    found = asked(samples, g, average=average, reading=reading, set=told)
    settings, traces, records = found.settings, found.traces, found.records
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        title = f"{samples} round trips; segments"
        screen.out().print(screen.table(title, pages.HEADERS, pages.rows(traces)))
        path, steady = float(settings.path_segments), float(settings.equilibrium_segments)
        screen.say(
            f"path C d / M = {path:.3f}, EWT's equilibrium W = {steady:.3f}; swing: in the last "
            "half; monotone: after the peak and one step down, W never turns back"
        )
    if output:
        written = sheet.write_with_rows(output, "zhang", records, pages.page(traces, settings))
        screen.say(f"plots and samples: {written}, zhang.csv")


app.command("aggressiveness")(model_aggressiveness.aggressiveness)
app.command("sqrt-p")(model_throughput.sqrt_p)
app.command("pftk")(model_throughput.pftk)
