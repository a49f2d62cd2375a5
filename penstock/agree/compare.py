# SPDX-License-Identifier: GPL-2.0-only
"""Two backends' rows of the same cells side by side: means, difference, interval, verdict.

The runs of a combination are independent samples of the same quantity, so the difference of
the means has Welch's interval. The verdict is `same` if that interval holds 0, `close` if the
means are within 3 % of each other or within the column's own smallest step that matters, and
else `differs`; `cannot tell` of single runs, which have no interval.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.results import comparison, stats, tables
from penstock.results.metrics import Value
from penstock.results.tables import Line

COLUMNS: Final = ("goodput_mbps", "transfer_s", "loss_percent", "jain", "queue_bytes_mean")
CLOSE: Final = 0.03
# Differences below these are irrelevant, however narrow the interval.
STEP: Final = {"loss_percent": 0.02, "jain": 0.002}

Columns = Mapping[str, Value]
Load = tuple[str, int, str]  # receivers, flows, settings of the scenario


def is_close(column: str, one: float, other: float) -> bool:
    """Whether the difference of two means is irrelevant."""
    size = max(abs(one), abs(other))
    return abs(one - other) <= max(CLOSE * size, STEP.get(column, 0.0))


@dataclass(frozen=True)
class Comparison:
    """One column of one combination. `low` to `high`: 95 % interval of ours minus theirs."""

    line: Line  # of ours
    column: str
    ours: stats.Mean
    theirs: stats.Mean
    low: float | None
    high: float | None

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours.mean - self.theirs.mean

    @property
    def verdict(self) -> str:
        """same, close, differs, or cannot tell: apart, but of one seed."""
        if self.low is not None and self.high is not None and self.low <= 0 <= self.high:
            return "same"
        if is_close(self.column, self.ours.mean, self.theirs.mean):
            return "close"
        return "differs" if self.low is not None else "cannot tell"


def _interval(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float | None, float | None]:
    """The interval of the difference of means; none with fewer than two values each."""
    if min(len(ours), len(theirs)) < 2:
        return None, None
    found = comparison.unpaired(ours, theirs)
    return found.low, found.high


def _compare(ours: Line, theirs: Line, column: str) -> Iterator[Comparison]:
    one, two = ours.means.get(column), theirs.means.get(column)
    if one is not None and two is not None:
        values = (list(line.values[column].values()) for line in (ours, theirs))
        yield Comparison(ours, column, one, two, *_interval(*values))


def by_load(rows: Iterable[Columns]) -> dict[Load, dict[str, Line]]:
    """The lines of the summary by load and label."""
    found: dict[Load, dict[str, Line]] = {}
    for line in tables.summarise(rows):
        found.setdefault((line.receivers, line.flows, line.settings), {})[line.label] = line
    return found


def compare(
    ours: Iterable[Columns], theirs: Iterable[Columns], columns: Sequence[str] = COLUMNS
) -> list[Comparison]:
    """Every column of every combination that both have, in the order of ours."""
    found, other = [], by_load(theirs)
    for load, lines in by_load(ours).items():
        for label, line in lines.items():
            yours = other.get(load, {}).get(label)
            if yours is not None:
                found += [each for column in columns for each in _compare(line, yours, column)]
    return found


def describe(found: Comparison) -> dict[str, Value]:
    """A comparison as one JSON object."""
    line = found.line
    return {
        "receivers": line.receivers,
        "flows": line.flows,
        "settings": line.settings,
        "method": line.method,
        "mode": line.mode,
        "parameters": line.parameters,
        "column": found.column,
        "runs": found.ours.count,
        "sim": found.ours.mean,
        "ns3": found.theirs.mean,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "verdict": found.verdict,
    }
