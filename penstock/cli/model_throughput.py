# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model sqrt-p` and `pftk`: a formula's throughput beside the simulator's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen

if TYPE_CHECKING:
    from penstock.results.models import throughput

_LOSSES: Final = "0.0001,0.0003,0.001,0.003,0.01,0.03,0.1"

Losses = Annotated[str, typer.Option("--loss", help="Loss rates p, with commas.")]
Rtt = Annotated[str, typer.Option("--rtt", help="Round trip.")]
Rto = Annotated[str, typer.Option("--rto", help="Retransmission timeout, at least the RTT.")]
Acks = Annotated[int, typer.Option("--segments-per-ack", help="Segments per ACK, b.")]
Window = Annotated[int, typer.Option("--window", help="Receive window in segments; 0: no limit.")]
Sender = Annotated[str, typer.Option("--sender", help="Congestion control to measure.")]
Events = Annotated[
    int,
    typer.Option("--losses", help="Losses to simulate; 0: only the formula."),
]
Output = Annotated[Path | None, options.output("Write a page and a table.")]


def _show(name: str, found: list[throughput.Compared], as_json: bool, output: Path | None) -> None:
    from penstock.results.models import throughput
    from penstock.view.report import sheet
    from penstock.view.report import throughput as pages

    if as_json:
        for each in found:
            print(json.dumps(each.describe()))
    else:
        rows = [pages.row(each) for each in found]
        headers = pages.HEADERS[: len(rows[0])]
        screen.out().print(screen.table(f"{throughput.TITLES[name]}; segments", headers, rows))
    if output:
        records = [each.describe() for each in found]
        written = sheet.write_with_rows(output, name, records, pages.page(name, found))
        screen.say(f"plot and values: {written}, {name}.csv")


def sqrt_p(
    loss: Losses = _LOSSES,
    rtt: Rtt = "100ms",
    rto: Rto = "300ms",
    segments_per_ack: Acks = 1,
    sender: Sender = "newreno",
    losses: Events = 1000,
    as_json: options.AsJson = False,
    output: Output = None,
) -> None:
    """The inverse square-root p law beside the simulator (nis-2004 eq. 2.21)."""
    from penstock.api import models
    from penstock.api.words import in_options

    found = in_options(models.sqrt_p)(
        loss, rtt=rtt, rto=rto, segments_per_ack=segments_per_ack, sender=sender, losses=losses
    )
    _show("sqrt-p", found, as_json, output)


def pftk(
    loss: Losses = _LOSSES,
    rtt: Rtt = "100ms",
    rto: Rto = "300ms",
    segments_per_ack: Acks = 1,
    window: Window = 0,
    sender: Sender = "newreno",
    losses: Events = 1000,
    as_json: options.AsJson = False,
    output: Output = None,
) -> None:
    """The formula of Padhye, Firoiu, Towsley, Kurose beside the simulator (nis-2004 eq. 2.22)."""
    from penstock.api import models
    from penstock.api.words import in_options

    found = in_options(models.pftk)(
        loss,
        rtt=rtt,
        rto=rto,
        segments_per_ack=segments_per_ack,
        window=window,
        sender=sender,
        losses=losses,
    )
    _show("pftk", found, as_json, output)
