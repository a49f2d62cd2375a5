# SPDX-License-Identifier: GPL-2.0-only
"""Which method a gateway should run on a link: the best of several in runs of the same seeds.

Columns are judged one after the other. Methods that differ from the best in a column, beyond
the 95 % interval of the difference by seed, are out; the others go on to the next column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.results import stats
from penstock.results.tables import Columns, Line
from penstock.scenario.params import Variant

BASE: Final = "droptail"
_BELOW: Final = (BASE, "fair")  # disciplines below a law of penstock-gw
LEAST_SEEDS: Final = 3  # fewer tell nothing from chance
JUDGED: Final = {  # and which is better there
    "loss_percent": "low",
    "queue_delay_ms_p99": "low",
    "goodput_mbps_total": "high",
}
GOODPUT: Final = "goodput_mbps_total"
_SLOWER: Final = 0.05  # of drop-tail's goodput, which a method may cost

Values = Mapping[int, float]  # by seed


@dataclass(frozen=True)
class Candidate:
    """A method and its values, each the mean over all loads and receivers."""

    name: str
    values: Mapping[str, Values]

    def mean(self, column: str) -> stats.Mean | None:
        """Over seeds."""
        return stats.mean(list(self.values[column].values()))


@dataclass(frozen=True)
class Step:
    """What a column decided: the best there, and those that it told from it, with how much."""

    column: str
    best: str
    out: Mapping[str, stats.Mean]


@dataclass(frozen=True)
class Answer:
    """The method, those that nothing tells from it, and how they were found.

    `slower` are methods that carry less than drop-tail, and how much.
    """

    method: str
    equal: Sequence[str]
    steps: Sequence[Step]
    slower: Mapping[str, stats.Mean]
    candidates: Sequence[Candidate]


def attachable(method: Variant) -> bool:
    """Whether penstock-gw has it, for hosts as they are."""
    if method.sender or method.sharing:
        return False
    acts_on_acks = method.discipline in _BELOW and method.rewrites
    return method.name == BASE or method.signal == "window" or acts_on_acks


def _mean_of(parts: Sequence[Values]) -> dict[int, float]:
    """By seed, over loads; seeds that all loads have."""
    seeds = set(parts[0]).intersection(*parts) if parts else set()
    return {seed: sum(part[seed] for part in parts) / len(parts) for seed in sorted(seeds)}


def candidates(lines: Sequence[Line]) -> list[Candidate]:
    """The methods of a summary."""
    found = []
    for name in dict.fromkeys(line.method for line in lines):
        own = [line for line in lines if line.method == name]
        values = {column: _mean_of([line.values[column] for line in own]) for column in JUDGED}
        found.append(Candidate(name, values))
    return found


def _difference(ours: Candidate, theirs: Candidate, column: str) -> stats.Mean | None:
    return stats.paired(ours.values[column], theirs.values[column])


def _differs(difference: stats.Mean | None) -> bool:
    """Beyond chance; a single seed tells nothing."""
    return difference is not None and difference.half is not None and not difference.holds_zero


def _slower(found: Sequence[Candidate]) -> dict[str, stats.Mean]:
    """Methods whose goodput is surely more than _SLOWER below drop-tail's."""
    base = next((each for each in found if each.name == BASE), None)
    mean = base.mean(GOODPUT) if base else None
    slower: dict[str, stats.Mean] = {}
    for each in found if base and mean else []:
        assert base is not None
        assert mean is not None
        less = _difference(each, base, GOODPUT)
        if less and _differs(less) and less.high < -_SLOWER * mean.mean:
            slower[each.name] = less
    return slower


def _step(left: Sequence[Candidate], column: str) -> Step | None:
    """None where the column tells nobody from the best, or does not exist."""
    means = {each.name: mean.mean for each in left if (mean := each.mean(column)) is not None}
    if len(means) < len(left):
        return None
    choose = min if JUDGED[column] == "low" else max
    best = choose(left, key=lambda each: means[each.name])
    out = {}
    for each in left:
        difference = _difference(each, best, column)
        if difference is not None and _differs(difference):
            out[each.name] = difference
    return Step(column, best.name, out) if out else None


def _first(left: Sequence[Candidate], preferred: str) -> str:
    """Of methods that are equal, drop-tail, which needs no gateway, or else the preferred one."""
    names = [each.name for each in left]
    return next((name for name in (BASE, preferred) if name in names), names[0])


def recommend(found: Sequence[Candidate], preferred: str = "penstock") -> Answer:
    """The best of the candidates."""
    slower = _slower(found)
    left = [each for each in found if each.name not in slower]
    steps = []
    for column in JUDGED:
        step = _step(left, column) if len(left) > 1 else None
        if step is not None:
            steps.append(step)
            left = [each for each in left if each.name not in step.out]
    method = _first(left, preferred)
    equal = [each.name for each in left if each.name != method]
    return Answer(method, equal, steps, slower, found)


def seeds_of(rows: Sequence[Columns]) -> int:
    """How many seeds were run."""
    return len({row["seed"] for row in rows})
