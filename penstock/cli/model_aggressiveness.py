# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model aggressiveness`: nis-2004 chapter 6, Tables 6.1 and 6.2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import model_output, options, screen

if TYPE_CHECKING:
    from penstock.view.report import sheet

_MOST_MEMBERS: Final = 1000
_MOST_LOST: Final = 1000
_MOST_CWND: Final = 10_000
_MOST_SSTHRESH: Final = 1_000_000
_WHAT: Final = {
    "delta_cwnd_segments": "Table 6.1: aggregated congestion window, standard less EFCM",
    "delta_ssthresh_segments": "Table 6.2: aggregated slow-start threshold, standard less EFCM",
}


def _records(
    members: Sequence[int], lost: Sequence[int], cwnd: int, ssthresh: int, runs: int
) -> list[dict[str, Any]]:
    from penstock.results.models import aggressiveness as model

    found = []
    for count in members:
        differences = model.differences(count, cwnd, ssthresh, max(lost))
        sums = model.ensemble(count, cwnd, ssthresh)
        ensembles = [next(sums) for _ in range(max(lost) + 1)] if runs else []
        for losses in lost:
            record: dict[str, Any] = {
                "members": count,
                "lost": losses,
                "delta_cwnd_segments": float(differences[losses].cwnd),
                "delta_ssthresh_segments": float(differences[losses].ssthresh),
            }
            if runs:
                played = model.simulate(count, cwnd, ssthresh, losses, runs)
                record |= {
                    "simulated_cwnd_segments": played.cwnd - float(ensembles[losses].cwnd),
                    "simulated_cwnd_error": played.cwnd_error,
                    "simulated_ssthresh_segments": played.ssthresh
                    - float(ensembles[losses].ssthresh),
                    "simulated_ssthresh_error": played.ssthresh_error,
                }
            found.append(record)
    return found


def _grid(records: Sequence[dict[str, Any]], key: str) -> sheet.Grid:
    """Losses down, members across, as the paper prints it."""
    from penstock.view.report import sheet

    members = list(dict.fromkeys(record["members"] for record in records))
    lost = list(dict.fromkeys(record["lost"] for record in records))
    values = {
        (record["lost"], record["members"]): round(record[key], 5) + 0.0 for record in records
    }
    rows = [[str(line), *(f"{values[line, n]:.5f}" for n in members)] for line in lost]
    return sheet.Grid(_WHAT[key], ["lost", *(f"n = {n}" for n in members)], rows)


def _plot(records: Sequence[dict[str, Any]], key: str) -> tuple[str, Any]:
    from penstock.view.report import curves

    figure = curves.chart("losses in a row, l", "segments", rangemode="normal")
    for index, count in enumerate(dict.fromkeys(record["members"] for record in records)):
        chosen = [record for record in records if record["members"] == count]
        x = [record["lost"] for record in chosen]
        curves.line(figure, f"n = {count}", x, [record[key] for record in chosen], index)
        simulated = key.replace("delta", "simulated")
        if simulated in chosen[0]:
            y = [record[simulated] for record in chosen]
            curves.points(figure, f"n = {count}, simulated", x, y, index)
    return _WHAT[key], figure


def _page(records: Sequence[dict[str, Any]], cwnd: int, ssthresh: int) -> sheet.Sheet:
    from penstock.view.report import sheet

    return sheet.Sheet(
        title="Aggressiveness of standard connections and of an EFCM ensemble",
        notes=[
            f"nis-2004 chapter 6: n connections, each with a window of {cwnd} and a threshold of "
            f"{ssthresh} segments, after l losses in a row. Expected sum of the standard set less "
            "the ensemble's sum, segments. Below 0 the ensemble may send more."
        ],
        tables=[_grid(records, key) for key in _WHAT],
        plots=[_plot(records, key) for key in _WHAT],
    )


def aggressiveness(
    members: Annotated[
        str, typer.Option("--members", help="Connections, n: numbers and ranges with commas.")
    ] = "1..5,10,20,50",
    lost: Annotated[
        str, typer.Option("--lost", help="Losses in a row, l: numbers and ranges with commas.")
    ] = "0..10,20,30,40,50,60,70,80,90,100",
    cwnd: Annotated[
        int, typer.Option("--cwnd", min=1, max=_MOST_CWND, help="Window of each, segments.")
    ] = 32,
    ssthresh: Annotated[
        int,
        typer.Option("--ssthresh", min=2, max=_MOST_SSTHRESH, help="Threshold of each, segments."),
    ] = 64,
    runs: Annotated[
        int,
        typer.Option(
            "--runs",
            min=0,
            max=1_000_000,
            help="Also run the simulator's senders, with this many random draws of the losses.",
        ),
    ] = 0,
    as_json: options.AsJson = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Write aggressiveness.html and .csv."),
    ] = None,
) -> None:
    """n standard connections against an EFCM ensemble of n after losses (nis-2004 chapter 6)."""
    records = _records(
        model_output.whole_numbers("--members", members, 1, _MOST_MEMBERS),
        model_output.whole_numbers("--lost", lost, 0, _MOST_LOST),
        cwnd,
        ssthresh,
        runs,
    )
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        for grid in (_grid(records, key) for key in _WHAT):
            screen.out().print(screen.table(grid.title, grid.headers, grid.rows))
            screen.out().print()
    if output:
        page = _page(records, cwnd, ssthresh)
        path = model_output.write(output, "aggressiveness", records, page)
        screen.say(f"plots and values: {path}, aggressiveness.csv")
