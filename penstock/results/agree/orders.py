# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of methods whose order is another in the second backend.

Within a backend, runs of one seed share their random draws, so two methods are compared by seed. A
pair `flips` if both differences have intervals without 0, on opposite sides of it; where only the
means do, chance could have decided: `cannot tell`. Methods whose means are close have no order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from penstock.results import stats
from penstock.results.agree.compare import COLUMNS, Columns, by_load, is_close
from penstock.results.metrics import Value
from penstock.results.tables import Line

FLIPS: Final = "flips"
CANNOT_TELL: Final = "cannot tell"


@dataclass(frozen=True)
class Flip:
    """A column by which `one` is above `other` in one backend, and below it in the other.

    `ours` and `theirs` are the mean of one less the other, with its interval by seed.
    """

    receivers: str
    flows: int
    settings: str
    column: str
    one: str
    other: str
    ours: stats.Mean
    theirs: stats.Mean

    @property
    def verdict(self) -> str:
        """flips, or cannot tell where chance could have made either difference."""
        sure = all(each.half is not None and not each.holds_zero for each in self.both)
        return FLIPS if sure else CANNOT_TELL

    @property
    def both(self) -> tuple[stats.Mean, stats.Mean]:
        """The differences in both backends."""
        return self.ours, self.theirs

    def describe(self) -> dict[str, Value | list[str]]:
        """It as one JSON object."""
        return {
            "receivers": self.receivers,
            "flows": self.flows,
            "settings": self.settings,
            "order": [self.one, self.other],
            "column": self.column,
            "runs": self.ours.count,
            "sim": self.ours.mean,
            "ns3": self.theirs.mean,
            "verdict": self.verdict,
        }


def _less(lines: Mapping[str, Line], one: str, other: str, column: str) -> stats.Mean | None:
    """The difference by seed; None where there is none, or where the two have no order."""
    pair = [lines[label] for label in (one, other)]
    first, second = (line.means.get(column) for line in pair)
    if first is None or second is None or is_close(column, first.mean, second.mean):
        return None
    values, others = (line.values[column] for line in pair)
    return stats.paired(values, others)


def _pairs(mine: Mapping[str, Line], yours: Mapping[str, Line]) -> Iterator[tuple[str, str]]:
    yield from combinations([label for label in mine if label in yours], 2)


def compare(
    ours: Iterable[Columns], theirs: Iterable[Columns], columns: Sequence[str] = COLUMNS
) -> tuple[int, list[Flip]]:
    """How many pairs have an order in both backends, and those whose order differs."""
    compared, found = 0, []
    other = by_load(theirs)
    for load, lines in by_load(ours).items():
        for one, two in _pairs(lines, other.get(load, {})):
            for column in columns:
                first = _less(lines, one, two, column)
                second = _less(other[load], one, two, column)
                if first is None or second is None:
                    continue
                compared += 1
                if first.mean * second.mean < 0:
                    found.append(Flip(*load, column, one, two, first, second))
    return compared, found
