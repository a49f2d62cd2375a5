# SPDX-License-Identifier: GPL-2.0-only
"""Two backends' rows of the same cells side by side: means, difference, interval, verdict.

The runs of a combination are independent samples of the same quantity, so the difference of
the means has Welch's interval. The verdict is `same` if the whole interval is within the margin,
`differs` if it does not hold 0 and the means are further apart than the margin, and else `cannot
tell`: more seeds would.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from penstock.results import differences, tables
from penstock.results.differences import Pair
from penstock.results.metrics import Value
from penstock.results.tables import Line

COLUMNS: Final = ("goodput_mbps", "transfer_s", "loss_percent", "jain", "queue_bytes_mean")

Columns = Mapping[str, Value]
Load = tuple[str, int, str]  # receivers, flows, settings of the scenario

VERDICTS: Final = ("same", "differs", "cannot tell")


def is_close(column: str, one: float, other: float) -> bool:
    """Whether the difference of two means is irrelevant."""
    return abs(one - other) <= differences.margin(column, one, other)


def verdict(pair: Pair) -> str:
    """same, differs, or cannot tell."""
    if pair.is_within:
        return "same"
    close = is_close(pair.column, pair.one.mean, pair.base.mean)
    apart = pair.low is not None and not pair.holds_zero
    return "differs" if apart and not close else "cannot tell"


def by_load(rows: Iterable[Columns]) -> dict[Load, dict[str, Line]]:
    """The lines of the summary by load and label."""
    found: dict[Load, dict[str, Line]] = {}
    for line in tables.summarise(rows):
        found.setdefault((line.receivers, line.flows, line.settings), {})[line.label] = line
    return found


def compare(
    ours: Iterable[Columns], theirs: Iterable[Columns], columns: Sequence[str] = COLUMNS
) -> list[Pair]:
    """Every column of every combination that both have, ours less theirs, in the order of ours."""
    found, other = [], by_load(theirs)
    for load, lines in by_load(ours).items():
        for label, line in lines.items():
            yours = other.get(load, {}).get(label)
            if yours is not None:
                found += [
                    differences.pair(line, yours, column, by_seed=False) for column in columns
                ]
    return [each for each in found if each]


def describe(found: Pair) -> dict[str, Value]:
    """A pair of the simulator and ns-3 as one JSON object."""
    line = found.line
    return {
        "receivers": line.receivers,
        "flows": line.flows,
        "settings": line.settings,
        "method": line.method,
        "mode": line.mode,
        "parameters": line.parameters,
        "column": found.column,
        "runs": found.one.count,
        "sim": found.one.mean,
        "ns3": found.base.mean,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "margin": found.margin,
        "verdict": verdict(found),
    }
