# SPDX-License-Identifier: GPL-2.0-only
"""Differences of means with their intervals: between methods, and between two sets of results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.results import comparison, settings, stats, tables
from penstock.results.columns import BY_NAME
from penstock.results.tables import Columns, Line, Shown

NONE: Final = "="
NOTE: Final = "=: no difference within the 95 % interval"


def base_of(line: Line, lines: Iterable[Line], method: str) -> Line | None:
    """The runs of `method` that a line is compared with: those of the same load."""
    place = line.receivers, line.load
    same = [other for other in lines if (other.receivers, other.load) == place]
    return next((other for other in same if other.method == method), None)


def by_seed(ours: Line, theirs: Line, column: str) -> stats.Mean | None:
    """Ours less theirs: runs of one seed share their random draws."""
    return stats.paired(ours.values.get(column, {}), theirs.values.get(column, {}))


def text(shown: Shown, difference: stats.Mean | None) -> str:
    """'-1.23 ± 0.04', '=' where chance could have made it, '-' where nothing exists."""
    if difference is None:
        return "-"
    if difference.half is not None and difference.holds_zero:
        return NONE
    value = f"{difference.mean * shown.factor:+.{shown.digits}f}"
    if difference.half is None:
        return value
    return f"{value} ± {difference.half * shown.factor:.{shown.digits}f}"


@dataclass(frozen=True)
class Pair:
    """One column of one combination in two sets of results. `low` to `high` is the 95 %
    interval of theirs less ours, None where it does not exist.
    """

    receivers: str
    load: str
    label: str
    column: str
    ours: stats.Mean
    theirs: stats.Mean
    low: float | None
    high: float | None

    @property
    def difference(self) -> float:
        """Theirs less ours."""
        return self.theirs.mean - self.ours.mean

    @property
    def verdict(self) -> str:
        """better, worse or differs; same within the interval; cannot tell without one."""
        if self.low is None or self.high is None:
            return "cannot tell"
        if self.low <= 0 <= self.high:
            return "same"
        better = BY_NAME[self.column].better
        if not better:
            return "differs"
        return "better" if (self.difference > 0) == (better == "high") else "worse"


def _interval(ours: Mapping[int, float], theirs: Mapping[int, float]) -> tuple[float, float] | None:
    """By seed where both have the same seeds, else of two independent samples."""
    if min(len(ours), len(theirs)) < 2:
        return None
    if ours.keys() == theirs.keys():
        mean = stats.paired(theirs, ours)
        return (mean.low, mean.high) if mean else None
    apart = comparison.unpaired(list(theirs.values()), list(ours.values()))
    return apart.low, apart.high


def _plain(rows: Sequence[Columns]) -> list[dict[str, object]]:
    """Rows without the settings that are the same in all of them."""
    every = {name: {row.get(name) for row in rows} for name in settings.names(rows)}
    constant = [name for name, found in every.items() if len(found) == 1]
    return [{name: row[name] for name in row if name not in constant} for row in rows]


def pairs(ours: Sequence[Columns], theirs: Sequence[Columns], columns: Sequence[str]) -> list[Pair]:
    """Each of these columns of all combinations that both have."""
    both = [tables.summarise(_plain(rows)) for rows in (ours, theirs)]  # type: ignore[arg-type]
    other = {(line.receivers, line.load, line.label): line for line in both[1]}
    found = []
    for line in both[0]:
        place = line.receivers, line.load, line.label
        match = other.get(place)
        for column in columns if match else []:
            assert match is not None
            one, two = line.means.get(column), match.means.get(column)
            if one is None or two is None:
                continue
            low, high = _interval(line.values[column], match.values[column]) or (None, None)
            found.append(Pair(*place, column, one, two, low, high))
    return found


def describe(pair: Pair) -> dict[str, object]:
    """A pair as one JSON object."""
    return {
        "receivers": pair.receivers,
        "load": pair.load,
        "method": pair.label,
        "column": pair.column,
        "first": pair.ours.mean,
        "second": pair.theirs.mean,
        "difference": pair.difference,
        "low": pair.low,
        "high": pair.high,
        "verdict": pair.verdict,
    }
