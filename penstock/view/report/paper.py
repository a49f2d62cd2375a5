# SPDX-License-Identifier: GPL-2.0-only
"""The paper's numbers and orders beside ours."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from penstock.columns import BY_NAME
from penstock.results import differences, judge, stats
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, RESOLUTION
from penstock.results.entries import NOT_RUN as MISSING
from penstock.results.judge import Judged, Stated
from penstock.results.tables import Line
from penstock.scenario.statements import (
    Paper,
    PaperCapacity,
    PaperChange,
    PaperOrder,
    PaperTrend,
    PaperValue,
)
from penstock.view.plots.data import Data
from penstock.view.report import gains
from penstock.view.report.paper_words import words

_LARGE: Final = 10_000  # from here on without decimals
SERVED: Final = "flows served"
_WORD: Final = {"lowest": "lower than", "highest": "higher than", "similar": "as"}


def _name(data: Data, method: str) -> str:
    """A method as one word of a list: 'RED with ECN'."""
    return data.name(method).replace(", ", " with ")


@dataclass(frozen=True)
class Verdict:
    """Ours for one sort of receivers, and whether it is as the paper says."""

    text: str
    judged: Judged

    @property
    def verdict(self) -> str:
        """The word alone."""
        return self.judged.verdict

    @property
    def words(self) -> str:
        """With its size, or what it lacks."""
        return judge.entry(self.judged, *[""] * 7).verdict_text


@dataclass(frozen=True)
class Comparison:
    """One statement of the paper, and our result by receivers."""

    figure: str
    statement: str
    paper: str
    source: str
    note: str
    ours: Mapping[str, Verdict]


def _mean(data: Data, receivers: str, flows: int, method: str, column: str) -> stats.Mean | None:
    line = data.line(receivers, flows, method)
    return line.means.get(column) if line else None


def _number(mean: stats.Mean) -> str:
    large = abs(mean.mean) >= _LARGE
    half = "" if mean.half is None else f" ± {mean.half:,.0f}" if large else f" ± {mean.half:.3g}"
    return (f"{mean.mean:,.0f}" if large else f"{mean.mean:.4g}") + half


_MISSING: Final = Judged(MISSING)


def _verdict(holds: bool | None) -> str:
    """None: chance could have decided."""
    return CANNOT_TELL if holds is None else AGREES if holds else DIFFERS


def _needed(less: stats.Mean | None, distance: float, holds: bool | None) -> int | None:
    """The seeds that would tell a difference of that size, where these do not."""
    if holds is not None or less is None:
        return None
    return judge.seeds_that_tell(less, abs(distance))


def _own(mean: stats.Mean, paper: Paper) -> float:
    """Half of the paper's own interval, if it says how many runs are behind its figures."""
    return judge.implied(mean, paper.runs)


def _value(data: Data, receivers: str, entry: PaperValue) -> Verdict:
    assert data.paper is not None
    mean = _mean(data, receivers, entry.flows, entry.method, entry.column)
    if mean is None:
        return Verdict("-", _MISSING)
    if entry.relation == "equal":
        own = _own(mean, data.paper) if entry.value else 0.0
        judged = judge.level(mean, Stated(entry.value, entry.tolerance, own))
        return Verdict(_number(mean), judged)
    least, most = entry.value - entry.tolerance, math.inf
    if entry.relation == "at most":
        least, most = -math.inf, entry.value + entry.tolerance
    ratio = mean.mean / entry.value if entry.value else None
    judged = replace(judge.inside(mean, least, most, ""), ratio=ratio)
    return Verdict(_number(mean), judged)


def _value_text(entry: PaperValue) -> str:
    relation = "" if entry.relation == "equal" else f"{entry.relation} "
    unit = BY_NAME[entry.column].unit
    return f"{relation}{entry.value:g}" + ("" if unit == "1" else f" {unit}")


def _less(one: Line, other: Line, column: str) -> stats.Mean | None:
    """One less the other: by seed, or of the means where the seeds are not known."""
    difference = differences.by_seed(one, other, column)
    mine, theirs = one.means.get(column), other.means.get(column)
    if difference is not None or mine is None or theirs is None:
        return difference
    known = mine.half is not None and theirs.half is not None
    half = math.hypot(mine.half or 0.0, theirs.half or 0.0) if known else None
    return stats.Mean(mine.mean - theirs.mean, half, min(mine.count, theirs.count))


def _similar(less: stats.Mean, one: stats.Mean, other: stats.Mean) -> bool | None:
    if stats.apart(one, other):
        return False
    size = max(abs(one.mean), abs(other.mean))
    return None if (less.half or 0.0) > RESOLUTION * size else True


def _holds(relation: str, column: str, one: Line, other: Line) -> bool | None:
    """Whether one is as `relation` says of the other; None where chance could have decided."""
    less, mine, theirs = _less(one, other, column), one.means[column], other.means[column]
    if less is None or less.half is None or mine is None or theirs is None:
        return None
    if relation == "similar":
        return _similar(less, mine, theirs)
    if less.half > 0 and less.holds_zero:
        return None
    return less.mean < 0 if relation == "lowest" else less.mean > 0


def _all(found: Iterable[bool | None]) -> bool | None:
    """False if any is, else None if any is."""
    every = list(found)
    return False if False in every else None if None in every else True


def _order(data: Data, receivers: str, entry: PaperOrder, flows: int) -> Verdict:
    one = data.line(receivers, flows, entry.method)
    mean = one.means.get(entry.column) if one else None
    lines = {name: data.line(receivers, flows, name) for name in entry.others}
    known = {name: other for name, other in lines.items() if other and other.means[entry.column]}
    if one is None or mean is None or not known:
        return Verdict("-", _MISSING)
    found = {
        name: _holds(entry.relation, entry.column, one, other) for name, other in known.items()
    }
    text = f"{_name(data, entry.method)} {_number(mean)}"
    for link, state in (("but", False), ("not distinguishable from", None)):
        means = {name: known[name].means[entry.column] for name, ok in found.items() if ok is state}
        listed = [f"{_name(data, name)} {_number(other)}" for name, other in means.items() if other]
        text += f"; {link} {', '.join(listed)}" if listed else ""
    parts = [_ordered(entry, one, known[name], holds) for name, holds in found.items()]
    return Verdict(text, judge.together(parts))


def _ordered(entry: PaperOrder, one: Line, other: Line, holds: bool | None) -> Judged:
    """The verdict on one pair; its ratio is ours of the two methods, as the paper has none."""
    mine, theirs = one.means[entry.column], other.means[entry.column]
    assert mine is not None
    assert theirs is not None
    less = _less(one, other, entry.column)
    ratio = mine.mean / theirs.mean if theirs.mean else None
    size = RESOLUTION * max(abs(mine.mean), abs(theirs.mean))
    distance = size if entry.relation == "similar" else mine.mean - theirs.mean
    by = f"{mine.mean - theirs.mean:+.3g}" if not ratio else judge.factor_text(ratio)
    needed = _needed(less, distance, holds)
    return Judged(_verdict(holds), None, by, mine.count, needed)


def _step(one: stats.Mean, other: stats.Mean) -> stats.Mean:
    """The other less the one, of other numbers of flows, whose draws are not shared."""
    known = one.half is not None and other.half is not None
    half = math.hypot(one.half or 0.0, other.half or 0.0) if known else None
    return stats.Mean(other.mean - one.mean, half, min(one.count, other.count))


def _trend(data: Data, receivers: str, entry: PaperTrend) -> Verdict:
    every = [_mean(data, receivers, flows, entry.method, entry.column) for flows in entry.flows]
    found = [mean for mean in every if mean is not None]
    if len(found) < len(every):
        return Verdict("-", _MISSING)
    steps = [_step(one, other) for one, other in pairwise(found)]
    bounds = (0.0, math.inf) if entry.relation == "rises" else (-math.inf, 0.0)
    parts = [judge.inside(step, *bounds, "") for step in steps]
    return Verdict(", ".join(map(_number, found)), judge.together(parts))


def _trends(data: Data, receivers: Sequence[str], entry: PaperTrend) -> Comparison:
    flows = ", ".join(map(str, entry.flows))
    return Comparison(
        entry.figure,
        f"{_name(data, entry.method)}: {words(entry.column)} with {flows} flows",
        entry.relation,
        entry.source,
        entry.note,
        {name: _trend(data, name, entry) for name in receivers},
    )


def _label(
    data: Data, entry: PaperValue | PaperOrder | PaperChange, flows: int, plus: str = ""
) -> str:
    noun = "flow" if flows == 1 else "flows"
    return f"{_name(data, entry.method)}: {words(entry.column)}{plus} with {flows} {noun}"


def _orders(data: Data, receivers: Sequence[str], entry: PaperOrder) -> Iterator[Comparison]:
    others = ", ".join(_name(data, name) for name in entry.others)
    for flows in entry.flows:
        yield Comparison(
            entry.figure,
            _label(data, entry, flows),
            f"{_WORD[entry.relation]} {others}",
            entry.source,
            entry.note,
            {name: _order(data, name, entry, flows) for name in receivers},
        )


def _percent(one: Line, other: Line, entry: PaperChange) -> stats.Mean | None:
    """By how much `one` changes the other's value, percent."""
    less, theirs = _less(one, other, entry.column), other.means.get(entry.column)
    whole = theirs.mean + entry.plus if theirs else 0.0
    if less is None or not whole:
        return None
    half = None if less.half is None else 100.0 * less.half / abs(whole)
    return stats.Mean(100.0 * less.mean / whole, half, less.count)


def _by_other(data: Data, receivers: str, entry: PaperChange, flows: int) -> dict[str, stats.Mean]:
    one = data.line(receivers, flows, entry.method)
    lines = {name: data.line(receivers, flows, name) for name in entry.others}
    return {
        name: change
        for name, other in lines.items()
        if one and other and (change := _percent(one, other, entry)) is not None
    }


def _largest(data: Data, receivers: str, entry: PaperChange) -> Verdict:
    """The largest change of all flows and others, in the direction of the paper's."""
    found = [
        (change, name, flows)
        for flows in entry.flows
        for name, change in _by_other(data, receivers, entry, flows).items()
    ]
    if not found:
        return Verdict("-", _MISSING)
    sign = math.copysign(1.0, entry.change_percent)
    change, name, flows = max(found, key=lambda each: sign * each[0].mean)
    text = f"{change.mean:+.1f} % of {_name(data, name)} with {flows} flows"
    return Verdict(text, judge.effect(change, Stated(entry.change_percent, entry.tolerance)))


def _change(data: Data, receivers: str, entry: PaperChange, flows: int) -> Verdict:
    changes = _by_other(data, receivers, entry, flows)
    if not changes:
        return Verdict("-", _MISSING)
    text = ", ".join(f"{each.mean:+.1f} % of {_name(data, name)}" for name, each in changes.items())
    paper = Stated(entry.change_percent, entry.tolerance)
    return Verdict(text, judge.together(judge.effect(each, paper) for each in changes.values()))


def _changes(data: Data, receivers: Sequence[str], entry: PaperChange) -> Iterator[Comparison]:
    others = ", ".join(_name(data, name) for name in entry.others)
    plus = f" + {entry.plus:g} {BY_NAME[entry.column].unit}" if entry.plus else ""
    within = f" ± {entry.tolerance:g}" if entry.tolerance else ""
    if entry.up_to:
        yield Comparison(
            entry.figure,
            f"{_name(data, entry.method)}: {words(entry.column)}{plus}, the largest change",
            f"up to {entry.change_percent:+g}{within} %",
            entry.source,
            entry.note,
            {name: _largest(data, name, entry) for name in receivers},
        )
        return
    for flows in entry.flows:
        yield Comparison(
            entry.figure,
            _label(data, entry, flows, plus),
            f"{entry.change_percent:+g}{within} % of {others}",
            entry.source,
            entry.note,
            {name: _change(data, name, entry, flows) for name in receivers},
        )


def _capacity(data: Data, receivers: str, entry: PaperCapacity) -> Verdict:
    found = gains.by_level(data, receivers, entry)
    if not found:
        return Verdict("-", _MISSING)
    levels = ", ".join(f"{gain.mean:+.0f} % at {level:g} %" for level, gain in found.items())
    mean = gains.mean(found.values())
    if entry.gain_percent is None:
        return Verdict(levels, gains.leads(found.values()))
    return Verdict(f"{mean.mean:+.1f} % ({levels})", gains.judged(mean, entry.gain_percent))


def capacity_text(entry: PaperCapacity) -> str:
    """What the paper states of a gain in flows served."""
    if entry.gain_percent is None:
        return "more at each level"
    return f"+{entry.gain_percent:g} %"


def compare(data: Data) -> list[Comparison]:
    """All statements of the scenario's paper; [] where there is none."""
    if data.paper is None:
        return []
    receivers = list(dict.fromkeys(line.receivers for line in data.lines))
    found = [
        Comparison(
            entry.figure,
            _label(data, entry, entry.flows),
            _value_text(entry),
            entry.source,
            entry.note,
            {name: _value(data, name, entry) for name in receivers},
        )
        for entry in data.paper.value
    ]
    for order in data.paper.order:
        found += _orders(data, receivers, order)
    found += [_trends(data, receivers, trend) for trend in data.paper.trend]
    for change in data.paper.change:
        found += _changes(data, receivers, change)
    for gain in data.paper.capacity:
        over = "the best other method" if gain.over == "best" else _name(data, gain.over)
        found.append(
            Comparison(
                gain.figure,
                f"{_name(data, gain.method)} against {over}: {SERVED}",
                capacity_text(gain),
                gain.source,
                gain.note,
                {name: _capacity(data, name, gain) for name in receivers},
            )
        )
    return sorted(found, key=lambda entry: _number_of(entry.figure))


def _number_of(figure: str) -> tuple[str, int]:
    """Sorts figures before tables, each by its number."""
    number = re.search(r"\d+", figure)
    return figure[:3], int(number[0]) if number else 0


def tally(comparisons: Sequence[Comparison], receivers: str) -> dict[str, Any]:
    """How many statements agree, differ, cannot be told, or were not run."""
    verdicts = [comparison.ours[receivers].verdict for comparison in comparisons]
    return {name: verdicts.count(name) for name in (AGREES, DIFFERS, CANNOT_TELL, MISSING)}
