# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model sqrt-p` and `pftk`: a formula's throughput beside the simulator's."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, near
from penstock.scenario import units

if TYPE_CHECKING:
    from penstock.results.models import throughput as model

_LOSSES: Final = "0.0001,0.0003,0.001,0.003,0.01,0.03,0.1"
_NS: Final = 10**9

Losses = Annotated[str, typer.Option("--loss", help="Loss rates p, with commas.")]
Rtt = Annotated[str, typer.Option("--rtt", help="Round trip.")]
Rto = Annotated[str, typer.Option("--rto", help="Retransmission timeout, at least the RTT.")]
Acks = Annotated[
    int, typer.Option("--segments-per-ack", min=1, max=100, help="Segments per ACK, b.")
]
Window = Annotated[
    int, typer.Option("--window", min=0, help="Receive window in segments; 0: no limit.")
]
Sender = Annotated[str, typer.Option("--sender", help="Congestion control to measure.")]
Events = Annotated[
    int,
    typer.Option("--losses", min=0, max=1_000_000, help="Losses to simulate; 0: only the formula."),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="DIR", help="Write a page and a table.")
]


def _rates(text: str) -> list[float]:
    from penstock.runs.numbers import split

    found = []
    for part in split([text]):
        try:
            rate = float(part)
        except ValueError:
            rate = inf
        if not (isfinite(rate) and 1e-9 <= rate <= 0.9):
            raise UsageError(f"--loss {part}: must be a rate from 1e-9 to 0.9")
        found.append(rate)
    if not found:
        raise UsageError("--loss: name at least one rate, such as 0.01")
    return found


def _time_s(option: str, text: str) -> float:
    try:
        value = units.parse_time(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from None
    if not 0 < value <= 1000 * _NS:
        raise UsageError(f"{option} {text}: must be above 0s and at most 1000s")
    return value / _NS


def _path(rtt: str, rto: str, acks: int, window: int) -> model.Path:
    from penstock.results.models import throughput as model

    path = model.Path(_time_s("--rtt", rtt), _time_s("--rto", rto), window or inf, acks)
    if path.rto_s < path.rtt_s:
        raise UsageError(f"--rto {rto}: a timeout is not shorter than the round trip, {rtt}")
    return path


def _show(
    name: str,
    formula: Callable[[float, model.Path], float],
    losses: str,
    path: model.Path,
    sender: str,
    events: int,
    as_json: bool,
    output: Path | None,
) -> None:
    from penstock.results.models import throughput as model
    from penstock.scenario import params
    from penstock.view.report import sheet
    from penstock.view.report import throughput as pages

    if sender not in params.senders():
        raise UsageError(f"--sender {sender}: {near(sender, params.senders())}")
    found = [model.compare(formula, loss, path, sender, events) for loss in _rates(losses)]
    if as_json:
        for each in found:
            print(json.dumps(each.describe()))
    else:
        rows = [pages.row(each) for each in found]
        headers = pages.HEADERS[: len(rows[0])]
        screen.out().print(screen.table(f"{model.TITLES[name]}; segments", headers, rows))
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
    from penstock.results.models import throughput as model

    path = _path(rtt, rto, segments_per_ack, 0)
    _show("sqrt-p", model.inverse_sqrt, loss, path, sender, losses, as_json, output)


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
    from penstock.results.models import throughput as model

    path = _path(rtt, rto, segments_per_ack, window)
    _show("pftk", model.pftk, loss, path, sender, losses, as_json, output)
