# SPDX-License-Identifier: GPL-2.0-only
"""The times of a recording's rows: clocks go back, stamps are the same, recordings pause."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import fmean, median_low
from typing import Final, NamedTuple

NS: Final = 10**9
_FILLED_STEPS: Final = 3  # from here on a pause is told
_PAUSE_STEPS: Final = 10  # from here on, and from so many ns, it is left out
_PAUSE_NS: Final = 10 * NS
_NAMED: Final = 5  # lines in a note


class Row(NamedTuple):
    """A row with the line on which it begins."""

    line: int
    at_ns: int
    rate_bps: float


@dataclass(frozen=True)
class Timed:
    """Rates, each from its time until that of the next, the first from 0 on."""

    at_ns: Sequence[int]
    rates_bps: Sequence[float]
    end_ns: int


def spoken_ns(ns: int) -> str:
    """'3,604 s', or '0.2 s'."""
    seconds = ns / NS
    return f"{seconds:,.0f} s" if ns % NS == 0 else f"{seconds:,.6g} s"


def _lines(lines: Sequence[int]) -> str:
    named = ", ".join(str(line) for line in lines[:_NAMED])
    more = f" and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {named}{more}"


def _usual_ns(rows: Sequence[Row]) -> int:
    """The step between rows."""
    steps = [later.at_ns - row.at_ns for row, later in pairwise(rows) if later.at_ns > row.at_ns]
    return median_low(steps) if steps else NS


def _sorted(rows: list[Row], told: list[str]) -> None:
    """Puts single rows that were written late into their places."""
    moved = []
    for at in range(1, len(rows) - 1):
        before = rows[at - 2].at_ns if at > 1 else None
        early, late, after = (each.at_ns for each in rows[at - 1 : at + 2])
        if late < early < after and (before is None or before < late):
            rows[at - 1], rows[at] = rows[at], rows[at - 1]
            moved.append(rows[at - 1].line)
    if moved:
        told.append(f"put in order: {_lines(moved)}, whose time lies before that of the row above")


def _forward(rows: Sequence[Row], usual_ns: int, told: list[str]) -> list[Row]:
    """Rows whose clock never goes back: where it did, the next row comes after a usual step."""
    found: list[Row] = []
    shifted, offset_ns = [], 0
    for row in rows:
        at_ns = row.at_ns + offset_ns
        if found and at_ns < found[-1].at_ns:
            offset_ns += found[-1].at_ns + usual_ns - at_ns
            at_ns = row.at_ns + offset_ns
            shifted.append(row.line)
        found.append(row._replace(at_ns=at_ns))
    if shifted:
        told.append(
            f"clock set back: {_lines(shifted)}; the rows from there on follow after "
            f"{spoken_ns(usual_ns)}"
        )
    return found


def _joined(rows: Sequence[Row], told: list[str]) -> list[Row]:
    """One row for each time, with the mean of the rates."""
    found, lines = [], []
    for _, same in groupby(rows, key=lambda row: row.at_ns):
        first, *more = same
        lines += [row.line for row in more]
        mean = fmean([first.rate_bps, *(row.rate_bps for row in more)])
        found.append(first._replace(rate_bps=mean) if more else first)
    if lines:
        told.append(f"joined: {_lines(lines)}, of the same time as the row above, by the mean rate")
    return found


def _steps(rows: Sequence[Row], usual_ns: int, told: list[str]) -> list[int]:
    """How long each row lasts, the last one as long as the one before."""
    most_ns = max(_PAUSE_STEPS * usual_ns, _PAUSE_NS)
    found, filled, cut = [], [], []
    filled_ns = cut_ns = 0
    for row, later in pairwise(rows):
        step_ns = later.at_ns - row.at_ns
        if step_ns > most_ns:
            cut.append(later.line)
            cut_ns += step_ns - usual_ns
            step_ns = usual_ns
        elif step_ns > _FILLED_STEPS * usual_ns:
            filled.append(later.line)
            filled_ns += step_ns - usual_ns
        found.append(step_ns)
    if filled:
        told.append(
            f"filled with the rate before: {spoken_ns(filled_ns)}, pauses before {_lines(filled)}"
        )
    if cut:
        told.append(f"left out: {spoken_ns(cut_ns)}, pauses before {_lines(cut)}")
    return [*found, found[-1] if found else NS]


def timed(rows: list[Row]) -> tuple[Timed, list[str]]:
    """The rates of rows over time, and what was joined, moved, filled and left out."""
    told: list[str] = []
    _sorted(rows, told)
    usual_ns = _usual_ns(rows)
    rows = _joined(_forward(rows, usual_ns, told), told)
    at_ns = [0]
    for step_ns in _steps(rows, usual_ns, told):
        at_ns.append(at_ns[-1] + step_ns)
    return Timed(at_ns[:-1], [row.rate_bps for row in rows], at_ns[-1]), told
