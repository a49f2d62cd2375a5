# SPDX-License-Identifier: GPL-2.0-only
"""The throughput of a formula beside the simulator's, as a table and as a page."""

from collections.abc import Sequence
from typing import Final

from penstock.results.models.throughput import TITLES, Compared
from penstock.view.report import curves, sheet

HEADERS: Final = ("loss", "formula/s", "sent/s", "delivered/s", "sent/formula", "timeouts")


def row(each: Compared) -> list[str]:
    """A loss rate as a line of the table."""
    found = [f"{each.loss:g}", f"{each.formula_per_s:.2f}"]
    if each.measured:
        found += [
            f"{each.measured.sent_per_s:.2f}",
            f"{each.measured.delivered_per_s:.2f}",
            f"{each.measured.sent_per_s / each.formula_per_s:.3f}",
            str(each.measured.timeouts),
        ]
    return found


def page(name: str, found: Sequence[Compared]) -> sheet.Sheet:
    """The formula `name` at each loss rate."""
    figure = curves.chart("loss rate p", "segments per second", type="log", rangemode="normal")
    figure.update_xaxes(type="log")
    x = [each.loss for each in found]
    curves.line(figure, "formula", x, [each.formula_per_s for each in found], 1)
    measured = [each.measured for each in found if each.measured]
    if measured:
        sent = [each.sent_per_s for each in measured]
        delivered = [each.delivered_per_s for each in measured]
        for index, (label, y) in enumerate((("sent", sent), ("delivered", delivered)), 2):
            curves.points(figure, f"{found[0].sender}, {label}", x, y, index)
    rows, path = [row(each) for each in found], found[0].path
    return sheet.Sheet(
        title=TITLES[name],
        notes=[
            f"RTT {path.rtt_s:g} s, timeout {path.rto_s:g} s, "
            f"{path.segments_per_ack} segment(s) per ACK; segments per second. The "
            "simulator's path loses each data segment with probability p and has no queue."
        ],
        tables=[sheet.Grid("Throughput", HEADERS[: len(rows[0])], rows)],
        plots=[("Throughput over loss rate", figure)],
    )
