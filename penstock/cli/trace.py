# SPDX-License-Identifier: GPL-2.0-only
"""`penstock trace`: traces of links whose rate varies, synthetic ones and recordings."""

from __future__ import annotations

import functools
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import options, screen, stdio

if TYPE_CHECKING:
    from penstock.api.traces import Trace


def _write(made: Trace, output: Path | None) -> None:
    if output is None:
        stdio.document(made.text)
        return
    made.save(output)
    setting = shlex.quote(f"link.NAME.trace={output}")
    screen.say(f"{output}: use it with --set {setting}")


def trace(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="lte, satellite or wifi; of recordings mahimahi, cellsim, or csv, as for 5G.",
        ),
    ],
    recording: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A recording, or a folder of them.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Number of the trace.")] = 1,
    duration: Annotated[str, typer.Option(help="Length of the trace, which is repeated.")] = "60s",
    rate: Annotated[
        str, typer.Option(help="Mean rate; 12mbit for lte, 80mbit for satellite, 60mbit for wifi.")
    ] = "",
    column: Annotated[str, typer.Option(help="Of a csv: the column with the rate.")] = "",
    unit: Annotated[str, typer.Option(help="Of that column: bit, kbit or mbit.")] = "",
    time_column: Annotated[str, typer.Option(help="Of a csv: the column with the time.")] = "",
    time_unit: Annotated[str, typer.Option(help="Of that column: s, ms, us or ns.")] = "",
    source: Annotated[str, typer.Option(help="Where a recording is from.")] = "",
    licence: Annotated[str, typer.Option(help="Its licence.")] = "",
    output: Annotated[Path | None, options.output("Stdout by default.", "FILE")] = None,
) -> None:
    """Write a trace of a link whose rate varies, synthetic or of a recording."""
    from penstock.api import traces
    from penstock.api.words import in_options

    made = functools.partial(
        in_options(traces.trace),
        kind,
        seed=seed,
        duration=duration,
        rate=rate,
        column=column,
        unit=unit,
        time_column=time_column,
        time_unit=time_unit,
        source=source,
        licence=licence,
    )
    if recording is None:
        _write(made(), output)
        return
    found = traces.convert(recording, output, made)
    for line in found.summary():
        screen.say(line)
    for _, target, each in found.traces:
        _write(each, target)
