# SPDX-License-Identifier: GPL-2.0-only
"""Two backends' rows of the same cells side by side: means, difference, interval, verdict.

The runs of a combination are independent samples of the same quantity, so the difference of
the means has Welch's interval. The verdict is `same` if that interval holds 0, `close` if the
means are within 3 % of each other or within the column's own smallest step that matters, and
else `differs`; `cannot tell` of single runs, which have no interval.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.results import comparison, settings, stats, tables
from penstock.results.metrics import Value

COLUMNS: Final = ("goodput_mbps", "transfer_s", "loss_percent", "jain", "queue_bytes_mean")
CLOSE: Final = 0.03
# Differences below these are irrelevant, however narrow the interval.
STEP: Final = {"loss_percent": 0.02, "jain": 0.002}

Columns = Mapping[str, Value]
Key = tuple[str, int, str, str]


def is_close(column: str, one: float, other: float) -> bool:
    """Whether the difference of two means is irrelevant."""
    size = max(abs(one), abs(other))
    return abs(one - other) <= max(CLOSE * size, STEP.get(column, 0.0))


@dataclass(frozen=True)
class Comparison:
    """One column of one combination. `low` to `high`: 95 % interval of ours minus theirs."""

    receivers: str
    flows: int
    settings: str  # of the scenario, that were swept or set
    method: str
    column: str
    ours: stats.Mean
    theirs: stats.Mean
    low: float | None
    high: float | None

    @property
    def load(self) -> str:
        """The load of the link in words, with the settings."""
        return tables.load_text(self.flows, self.settings)

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


def _grouped(rows: Iterable[Columns]) -> dict[Key, list[Columns]]:
    groups: dict[Key, list[Columns]] = {}
    for row in rows:
        load = (str(row["receivers"]), int(row["flows"] or 0), settings.of_scenario(row))
        key = (*load, str(row["method"]))
        groups.setdefault(key, []).append(row)
    return groups


def _values(rows: Iterable[Columns], column: str) -> list[float]:
    return [float(row[column]) for row in rows if isinstance(row[column], int | float)]  # type: ignore[arg-type]


def compare(
    ours: Iterable[Columns], theirs: Iterable[Columns], columns: Sequence[str] = COLUMNS
) -> list[Comparison]:
    """Every column of every combination that both have, in the order of ours."""
    found, other = [], _grouped(theirs)
    for key, rows in _grouped(ours).items():
        for column in columns:
            mine, yours = _values(rows, column), _values(other.get(key, []), column)
            one, two = stats.mean(mine), stats.mean(yours)
            if one is None or two is None:
                continue
            found.append(Comparison(*key, column, one, two, *_interval(mine, yours)))
    return found


def describe(found: Comparison) -> dict[str, Value]:
    """A comparison as one JSON object."""
    return {
        "receivers": found.receivers,
        "flows": found.flows,
        "settings": found.settings,
        "method": found.method,
        "column": found.column,
        "runs": found.ours.count,
        "sim": found.ours.mean,
        "ns3": found.theirs.mean,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "verdict": found.verdict,
    }
