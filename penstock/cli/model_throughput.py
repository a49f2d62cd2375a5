# SPDX-License-Identifier: GPL-2.0-only
"""`penstock model sqrt-p` and `pftk`: a formula's throughput beside the simulator's."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import model_output, options, screen
from penstock.errors import UsageError, near
from penstock.scenario import units

if TYPE_CHECKING:
    from penstock.results.models import throughput as model
    from penstock.view.report import sheet

_LOSSES: Final = "0.0001,0.0003,0.001,0.003,0.01,0.03,0.1"
_NS: Final = 10**9
_MOST_SEGMENTS: Final = 20_000_000  # a run of some seconds
_HEADERS: Final = ("loss", "formula/s", "sent/s", "delivered/s", "sent/formula", "timeouts")
_TITLES: Final = {
    "sqrt-p": "Inverse square-root p law (nis-2004 eq. 2.21)",
    "pftk": "PFTK formula (nis-2004 eq. 2.22)",
}

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


def _record(
    loss: float, formula: float, path: model.Path, sender: str, losses: int
) -> dict[str, Any]:
    from penstock.results.models import throughput as model

    record: dict[str, Any] = {
        "loss": loss,
        "rtt_s": path.rtt_s,
        "rto_s": path.rto_s,
        "segments_per_ack": path.segments_per_ack,
        "throughput_segments_per_s": formula,
    }
    if losses:
        seconds = min(losses / loss, _MOST_SEGMENTS) / model.pftk(loss, path)
        found = model.measure(loss, path, seconds, sender)
        record |= {
            "sender": sender,
            "simulated_s": seconds,
            "sent_segments_per_s": found.sent_per_s,
            "delivered_segments_per_s": found.delivered_per_s,
            "timeouts": found.timeouts,
            "fast_recoveries": found.fast_recoveries,
        }
    return record


def _row(record: dict[str, Any]) -> list[str]:
    formula = record["throughput_segments_per_s"]
    row = [f"{record['loss']:g}", f"{formula:.2f}"]
    if "sent_segments_per_s" in record:
        sent = record["sent_segments_per_s"]
        row += [
            f"{sent:.2f}",
            f"{record['delivered_segments_per_s']:.2f}",
            f"{sent / formula:.3f}",
            str(record["timeouts"]),
        ]
    return row


def _page(name: str, records: Sequence[dict[str, Any]]) -> sheet.Sheet:
    from penstock.view.report import curves, sheet

    figure = curves.chart("loss rate p", "segments per second", type="log", rangemode="normal")
    figure.update_xaxes(type="log")
    x = [record["loss"] for record in records]
    curves.line(figure, "formula", x, [r["throughput_segments_per_s"] for r in records], 1)
    if "sent_segments_per_s" in records[0]:
        sender = records[0]["sender"]
        for index, (label, key) in enumerate((("sent", "sent"), ("delivered", "delivered")), 2):
            y = [record[f"{key}_segments_per_s"] for record in records]
            curves.points(figure, f"{sender}, {label}", x, y, index)
    rows = [_row(record) for record in records]
    return sheet.Sheet(
        title=_TITLES[name],
        notes=[
            f"RTT {records[0]['rtt_s']:g} s, timeout {records[0]['rto_s']:g} s, "
            f"{records[0]['segments_per_ack']} segment(s) per ACK; segments per second. The "
            "simulator's path loses each data segment with probability p and has no queue."
        ],
        tables=[sheet.Grid("Throughput", _HEADERS[: len(rows[0])], rows)],
        plots=[("Throughput over loss rate", figure)],
    )


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
    from penstock.scenario import params

    if sender not in params.senders():
        raise UsageError(f"--sender {sender}: {near(sender, params.senders())}")
    records = [_record(loss, formula(loss, path), path, sender, events) for loss in _rates(losses)]
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        rows = [_row(record) for record in records]
        headers = _HEADERS[: len(rows[0])]
        screen.out().print(screen.table(f"{_TITLES[name]}; segments", headers, rows))
    if output:
        written = model_output.write(output, name, records, _page(name, records))
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
