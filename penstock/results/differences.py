# SPDX-License-Identifier: GPL-2.0-only
"""Differences of means with their intervals: between methods, and between two sets of results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from penstock.columns import BY_NAME
from penstock.results import comparison, settings, stats, tables
from penstock.results.tables import Columns, Line, Shown

NONE: Final = "="
Told = Literal["change", "same", "cannot tell"]
_OF_FINISHED: Final = ("transfer_s", "transfer_s_max")
MARGIN: Final = 0.03  # of the larger mean
# Differences up to these do not matter, however narrow the interval.
STEP: Final = {"loss_percent": 0.02, "jain": 0.002}
MARGIN_NOTE: Final = (
    f"same: the 95 % interval is within {100 * MARGIN:g} % of the larger mean, "
    f"{STEP['loss_percent']:g} percentage points of loss, or {STEP['jain']:g} of Jain's index"
)
NOTE: Final = (
    f"=: the same, as the 95 % interval is within {100 * MARGIN:g} % of the larger mean; "
    "an interval that holds 0 and is wider tells nothing"
)


def base_of(line: Line, lines: Iterable[Line], method: str) -> Line | None:
    """The runs of `method` that a line is compared with: those of the same load."""
    place = line.receivers, line.load
    same = [other for other in lines if (other.receivers, other.load) == place]
    return next((other for other in same if other.method == method), None)


def by_seed(ours: Line, theirs: Line, column: str) -> stats.Mean | None:
    """Ours less theirs: runs of one seed share their random draws."""
    return stats.paired(ours.values.get(column, {}), theirs.values.get(column, {}))


def text(shown: Shown, line: Line, base: Line) -> str:
    """'-1.23 ± 0.04', '=' where both are the same, '-' where nothing exists."""
    found = verdict_by_seed(shown.column, line, base)
    if found is None:
        return "-"
    what, difference = found
    same = what == "same" and difference.half is not None
    return NONE if same else tables.with_half(shown, difference, "+")


def verdict_by_seed(column: str, line: Line, base: Line) -> tuple[Told, stats.Mean] | None:
    """Whether seeds tell a column of two lines apart, and the mean difference; None without any.

    `change`: the interval does not hold 0, if there is one. `same`: it does, and is whole within
    the margin.
    """
    ours, theirs = line.means.get(column), base.means.get(column)
    found = by_seed(line, base, column)
    if ours is None or theirs is None or found is None:
        return None
    if found.half is None:
        return ("same" if found.mean == 0 else "change"), found
    if not found.holds_zero:
        return "change", found
    most = margin(column, ours.mean, theirs.mean)
    return ("same" if -most <= found.low and found.high <= most else "cannot tell"), found


@dataclass(frozen=True)
class Pair:
    """One column of one combination in two sets of results. `low` to `high` is the 95 %
    interval of `one` less `base`, None where it does not exist.
    """

    line: Line  # of `one`
    base_line: Line
    column: str
    one: stats.Mean
    base: stats.Mean
    low: float | None
    high: float | None

    @property
    def difference(self) -> float:
        """One less base."""
        return self.one.mean - self.base.mean

    @property
    def is_of_all(self) -> bool:
        """False for times of finished transfers where some of either did not finish."""
        lines = self.line, self.base_line
        return self.column not in _OF_FINISHED or all(line.is_finished for line in lines)

    @property
    def holds_zero(self) -> bool:
        """Whether there is an interval, and 0 is within it."""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high

    @property
    def margin(self) -> float:
        """By how much two means may differ and count as the same."""
        return margin(self.column, self.one.mean, self.base.mean)

    @property
    def is_within(self) -> bool:
        """Whether the whole interval is within the margin."""
        if self.low is None or self.high is None:
            return False
        return -self.margin <= self.low and self.high <= self.margin


def margin(column: str, one: float, other: float) -> float:
    """MARGIN of the larger mean, or the column's smallest difference that matters."""
    return max(MARGIN * max(abs(one), abs(other)), STEP.get(column, 0.0))


def verdict(pair: Pair) -> str:
    """What `one` is: better, worse or differs beyond chance; same if the whole interval is within
    the margin; else cannot tell, as of transfer times where those of some flows are missing.
    """
    if pair.low is None or not pair.is_of_all:
        return "cannot tell"
    if pair.holds_zero:
        return "same" if pair.is_within else "cannot tell"
    better = BY_NAME[pair.column].better
    if not better:
        return "differs"
    return "better" if (pair.difference > 0) == (better == "high") else "worse"


def _interval(
    one: Mapping[int, float], base: Mapping[int, float], by_seed: bool
) -> tuple[float, float] | tuple[None, None]:
    if min(len(one), len(base)) < 2:
        return None, None
    if by_seed and one.keys() == base.keys():
        mean = stats.paired(one, base)
        return (mean.low, mean.high) if mean else (None, None)
    apart = comparison.unpaired(list(one.values()), list(base.values()))
    return apart.low, apart.high


def pair(one: Line, base: Line, column: str, *, by_seed: bool) -> Pair | None:
    """A column of two lines, None unless both have it. `by_seed`: runs of one seed are paired if
    both have the same seeds; otherwise the runs are independent samples.
    """
    means = one.means.get(column), base.means.get(column)
    if means[0] is None or means[1] is None:
        return None
    low, high = _interval(one.values[column], base.values[column], by_seed)
    return Pair(one, base, column, means[0], means[1], low, high)


def constants(
    first: Sequence[Columns], second: Sequence[Columns]
) -> dict[str, tuple[object, object]]:
    """The settings that are the same in all rows of each set, with both values."""
    found: dict[str, tuple[object, object]] = {}
    for name in settings.names([*first, *second]):
        one, other = ({row.get(name) or "" for row in rows} for rows in (first, second))
        if len(one) == len(other) == 1:
            found[name] = one.pop(), other.pop()
    return found


def matches(first: Sequence[Line], second: Sequence[Line]) -> list[tuple[Line, Line]]:
    """The same combination in both sets, in the order of the first.

    A method's variant meets the same variant, or else, of those that no other meets, one that is
    called the same.
    """
    same = {(line.receivers, line.load, tables.variant(vars(line))): line for line in second}
    mine = [(line.receivers, line.load, tables.variant(vars(line))) for line in first]
    rest = {
        (line.receivers, line.load, line.label): line
        for key, line in same.items()
        if key not in mine
    }
    both = [
        (line, same.get(key) or rest.get((line.receivers, line.load, line.label)))
        for key, line in zip(mine, first, strict=True)
    ]
    return [(line, other) for line, other in both if other]


def pairs(
    first: Sequence[Columns], second: Sequence[Columns], columns: Sequence[str]
) -> list[Pair]:
    """Each of these columns of all combinations that both have: the second less the first."""
    same = constants(first, second)
    ours, theirs = (
        tables.summarise({name: row[name] for name in row if name not in same} for row in rows)
        for rows in (first, second)
    )
    found = [
        pair(other, line, column, by_seed=True)
        for line, other in matches(ours, theirs)
        for column in columns
    ]
    return [each for each in found if each]


def describe(found: Pair) -> dict[str, object]:
    """A pair of the second and the first results as one JSON object."""
    return {
        "receivers": found.line.receivers,
        "load": found.line.load,
        "method": found.line.label,
        "column": found.column,
        "first": found.base.mean,
        "second": found.one.mean,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "margin": found.margin,
        "verdict": verdict(found),
    }
