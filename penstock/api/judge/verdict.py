# SPDX-License-Identifier: GPL-2.0-only
"""What paired runs say of two subjects: one dominates the other, or not, or nobody can tell yet.

Each link gives a difference in each column, in steps of what counts, positive where the judged one
is better. It counts up to MOST_STEPS, so that no single link decides. Intervals are Student's,
divided by the columns and by the looks at growing numbers of links, so that all of them hold
together with 95 %.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.results import stats

DOMINATES: Final = "dominates"
DOMINATED: Final = "dominated by"
TRADES: Final = "trades with"  # better in a column, worse in another
SAME: Final = "as good as"
UNDECIDED: Final = "undecided against"
BETTER: Final = "better"
WORSE: Final = "worse"
EQUAL: Final = "same"
OPEN: Final = "open"
MOST_STEPS: Final = 4.0
LOOKS: Final = (8, 16, 32, 64, 128)  # numbers of links after which it is decided


@dataclass(frozen=True)
class Column:
    """A column that is judged; `step` is a difference that counts, negative where more is better.

    With `ratio` it is of the logarithm: 0.02 is two percent.
    """

    name: str
    title: str
    step: float
    ratio: bool = False

    def advantage(self, ours: float, theirs: float) -> float | None:
        """How many steps ours is better, within MOST_STEPS; None if it cannot be compared."""
        if self.ratio and (ours <= 0 or theirs <= 0):
            return None
        less = math.log(ours / theirs) if self.ratio else ours - theirs
        return max(-MOST_STEPS, min(MOST_STEPS, -less / self.step))


COLUMNS: Final = (
    Column("loss_percent", "loss %", 0.1),
    Column("utilisation_percent", "use %", -1.0),
    Column("queue_delay_ms_p99", "p99 delay ms", 1.0),
    Column("jain", "Jain", -0.01),
    Column("timeouts", "timeouts", 1.0),
    Column("fct_ms_mean", "completion ms", 0.02, ratio=True),
)

Figures = Mapping[str, float | None]  # of one run, by column


@dataclass(frozen=True)
class Compared:
    """A column against one peer: means over the links, and the advantage in steps that count."""

    column: Column
    ours: float
    theirs: float
    advantage: stats.Mean
    says: str  # BETTER, WORSE, EQUAL or OPEN

    def describe(self) -> dict[str, Any]:
        """As -j has it."""
        return {
            "ours": round(self.ours, 6),
            "theirs": round(self.theirs, 6),
            "advantage_steps": round(self.advantage.mean, 4),
            "half_steps": None if self.advantage.half is None else round(self.advantage.half, 4),
            "step": abs(self.column.step),
            "links": self.advantage.count,
            "says": self.says,
        }


def _worse_by_no_step(advantage: stats.Mean) -> bool:
    return advantage.half is not None and advantage.low > -1


def _better_by_no_step(advantage: stats.Mean) -> bool:
    return advantage.half is not None and advantage.high < 1


def says(advantage: stats.Mean) -> str:
    """Of an advantage with its interval; less than a step is none."""
    if advantage.half is None:
        return OPEN
    if _worse_by_no_step(advantage) and _better_by_no_step(advantage):
        return EQUAL
    return BETTER if advantage.low > 0 else WORSE if advantage.high < 0 else OPEN


_SURE: Final = 1 - (1 - stats.CONFIDENCE) / (len(COLUMNS) * len(LOOKS))


def _compared(column: Column, pairs: Sequence[tuple[float, float]]) -> Compared | None:
    steps = [column.advantage(*pair) for pair in pairs]
    kept = [pair for pair, step in zip(pairs, steps, strict=True) if step is not None]
    advantage = stats.mean([step for step in steps if step is not None], _SURE)
    if advantage is None:
        return None
    ours, theirs = (math.fsum(pair[side] for pair in kept) / len(kept) for side in (0, 1))
    return Compared(column, ours, theirs, advantage, says(advantage))


def compare(ours: Sequence[Figures], theirs: Sequence[Figures]) -> list[Compared]:
    """Each column that both have, of runs on the same links in the same order."""
    found = []
    for column in COLUMNS:
        values = [
            (one[column.name], other[column.name]) for one, other in zip(ours, theirs, strict=True)
        ]
        pairs = [(one, other) for one, other in values if one is not None and other is not None]
        found.append(_compared(column, pairs))
    return [each for each in found if each is not None]


def verdict(compared: Sequence[Compared]) -> str:
    """Of all columns against one peer."""
    found = {each.says for each in compared}
    if BETTER in found and WORSE in found:
        return TRADES
    if BETTER in found and all(_worse_by_no_step(each.advantage) for each in compared):
        return DOMINATES
    if WORSE in found and all(_better_by_no_step(each.advantage) for each in compared):
        return DOMINATED
    return SAME if found == {EQUAL} else UNDECIDED


def decided(verdicts: Sequence[str]) -> bool:
    """Whether more links would tell nothing more."""
    return UNDECIDED not in verdicts
