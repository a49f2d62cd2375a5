# SPDX-License-Identifier: GPL-2.0-only
"""The number of seeds for a requested width of a column's 95 % interval."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from penstock.columns import BY_NAME, KEYS
from penstock.errors import OptionError
from penstock.plan.cells import Cell, Plan
from penstock.results import settings, stats, tables
from penstock.results.metrics import Value
from penstock.results.settings import joined
from penstock.results.tables import Columns, Line

FIRST: Final = 3  # seeds without which an interval says little
USUAL: Final = ("goodput_mbps", "goodput_mbps_total")


@dataclass(frozen=True)
class Target:
    """Half the width of a column's interval, in percent of its mean; '' is the goodput."""

    percent: float
    column: str = ""

    def mean(self, line: Line) -> stats.Mean | None:
        """The mean that it is about."""
        names = [self.column] if self.column else USUAL
        return next((mean for name in names if (mean := line.means.get(name))), None)

    def ratio(self, line: Line) -> float:
        """The interval's width over the requested one: at most 1 if it is narrow enough."""
        mean = self.mean(line)
        if mean is None or mean.half == 0.0:
            return 0.0
        if mean.half is None or mean.mean == 0.0:
            return math.inf
        return mean.half / abs(mean.mean) * 100.0 / self.percent


def parse(text: str) -> Target:
    """'5%', or 'loss_percent=5%'."""
    column, equals, value = (part.strip() for part in text.rpartition("="))
    if equals and (column not in BY_NAME or BY_NAME[column].across != "mean"):
        what = f"{column!r} is no column with a mean; docs/columns.md lists them"
        raise OptionError("--precision", text, what)
    try:
        percent = float(value.removesuffix("%"))
    except ValueError:
        percent = math.nan
    if not 0 < percent < 100:
        what = "write a width in percent, above 0 and below 100, such as 5%"
        raise OptionError("--precision", text, what)
    return Target(percent, column)


def too_wide(lines: Iterable[Line], targets: Sequence[Target]) -> list[tuple[Line, Target]]:
    """The intervals that are wider than requested."""
    return [(line, target) for line in lines for target in targets if target.ratio(line) > 1]


def next_count(lines: Sequence[Line], targets: Sequence[Target], have: int, most: int) -> int:
    """How many seeds these combinations should have; `have` where they are enough.

    An interval narrows with the root of their number. It is trusted to double them at most.
    """
    widest = max((target.ratio(line) for line in lines for target in targets), default=0.0)
    if widest <= 1:
        return have
    asked = have * widest**2 if widest < math.inf else math.inf
    return min(max(math.ceil(min(asked, 2 * have)), have + 1, FIRST), most)


def group(row: Columns) -> tuple[object, ...]:
    """The group of runs that are compared: all methods of a group have the same seeds."""
    return row["receivers"], row["flows"], settings.of_scenario(row)


@dataclass(frozen=True)
class Precision:
    """--precision: the requested intervals, and the maximum number of seeds."""

    targets: Sequence[Target]
    most: int

    def more(self, plan: Plan, cells: Sequence[Cell], rows: Sequence[Columns]) -> list[Cell]:
        """The cells of further seeds, for each group of runs whose intervals are too wide."""
        seeds: dict[tuple[object, ...], list[int]] = {}
        for row in rows:
            here = seeds.setdefault(group(row), [])
            if row["seed"] not in here:
                here.append(int(row["seed"] or 0))
        lines: dict[tuple[object, ...], list[tables.Line]] = {}
        for line in tables.summarise(rows):
            lines.setdefault((line.receivers, line.flows, line.settings), []).append(line)
        counts = {
            key: next_count(lines[key], self.targets, len(have), self.most)
            for key, have in seeds.items()
        }
        todo = {key: _further(have, counts[key] - len(have)) for key, have in seeds.items()}
        added = sorted({seed for new in todo.values() for seed in new})
        sampled = {cell.seed for cell in cells if cell.sampled}
        return [
            replace(cell, sampled=cell.sampled and cell.seed in sampled)
            for cell in replace(plan, seeds=added).cells()
            if cell.seed in todo[group(joined(_keys(cell), cell.settings))]
        ]

    def notes(self, rows: Sequence[Columns]) -> list[str]:
        """What is still too wide."""
        return [
            f"{line.label}, {line.load}: the interval of {target.column or USUAL[0]} is "
            f"± {target.ratio(line) * target.percent:.2g} % after {self.most} seeds; --most-seeds "
            "allows more"
            for line, target in too_wide(tables.summarise(rows), self.targets)
        ]


def asked(texts: Sequence[str], most: int) -> Precision | None:
    """What texts such as '5%' ask for, if there is one."""
    return Precision([parse(text) for text in texts], most) if texts else None


def _keys(cell: Cell) -> dict[str, Value]:
    return {name: getattr(cell, name) for name in KEYS}


def _further(have: Sequence[int], count: int) -> list[int]:
    """So many seeds that are not there yet, the lowest."""
    unused = (seed for seed in itertools.count(1) if seed not in have)
    return list(itertools.islice(unused, max(count, 0)))
