# SPDX-License-Identifier: GPL-2.0-only
"""The paper's numbers and orders beside ours."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.report.data import Data
from penstock.results import stats
from penstock.results.columns import BY_NAME
from penstock.scenario.model import PaperCapacity, PaperChange, PaperOrder, PaperValue

AGREES, DIFFERS, MISSING = "agrees", "differs", "not run"
_LARGE: Final = 10_000  # from here on without decimals
SERVED: Final = "flows served"
_WORD: Final = {"lowest": "lower than", "highest": "higher than", "similar": "as"}


@dataclass(frozen=True)
class Verdict:
    """Ours for one sort of receivers, and whether it is as the paper says."""

    text: str
    verdict: str


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


def _value(data: Data, receivers: str, entry: PaperValue) -> Verdict:
    mean = _mean(data, receivers, entry.flows, entry.method, entry.column)
    if mean is None:
        return Verdict("-", MISSING)
    match entry.relation:
        case "at most":
            holds = mean.mean <= entry.value + entry.tolerance
        case "at least":
            holds = mean.mean >= entry.value - entry.tolerance
        case "equal":
            holds = mean.low - entry.tolerance <= entry.value <= mean.high + entry.tolerance
    return Verdict(_number(mean), AGREES if holds else DIFFERS)


def _value_text(entry: PaperValue) -> str:
    relation = "" if entry.relation == "equal" else f"{entry.relation} "
    unit = BY_NAME[entry.column].unit
    return f"{relation}{entry.value:g}" + ("" if unit == "1" else f" {unit}")


def _holds(relation: str, one: stats.Mean, other: stats.Mean) -> bool:
    if relation == "similar":
        return one.half is None or other.half is None or not stats.apart(one, other)
    return one.mean < other.mean if relation == "lowest" else one.mean > other.mean


def _order(data: Data, receivers: str, entry: PaperOrder, flows: int) -> Verdict:
    mean = _mean(data, receivers, flows, entry.method, entry.column)
    others = {name: _mean(data, receivers, flows, name, entry.column) for name in entry.others}
    known = {name: other for name, other in others.items() if other is not None}
    if mean is None or not known:
        return Verdict("-", MISSING)
    against = [name for name, other in known.items() if not _holds(entry.relation, mean, other)]
    text = f"{data.name(entry.method)} {_number(mean)}"
    if against:
        listed = (f"{data.name(name)} {_number(known[name])}" for name in against)
        text += f"; but {', '.join(listed)}"
    return Verdict(text, DIFFERS if against else AGREES)


def _orders(data: Data, receivers: Sequence[str], entry: PaperOrder) -> Iterator[Comparison]:
    others = ", ".join(data.name(name) for name in entry.others)
    for flows in entry.flows:
        yield Comparison(
            entry.figure,
            f"{data.name(entry.method)}, {entry.column}, {flows} flows",
            f"{_WORD[entry.relation]} {others}",
            entry.source,
            entry.note,
            {name: _order(data, name, entry, flows) for name in receivers},
        )


def _change(data: Data, receivers: str, entry: PaperChange, flows: int) -> Verdict:
    mean = _mean(data, receivers, flows, entry.method, entry.column)
    others = {name: _mean(data, receivers, flows, name, entry.column) for name in entry.others}
    changes = {
        name: 100.0 * (mean.mean - other.mean) / (other.mean + entry.plus)
        for name, other in others.items()
        if mean is not None and other is not None and other.mean + entry.plus
    }
    if not changes:
        return Verdict("-", MISSING)
    text = ", ".join(f"{value:+.1f} % of {data.name(name)}" for name, value in changes.items())
    near = (abs(value - entry.change_percent) <= entry.tolerance for value in changes.values())
    return Verdict(text, AGREES if all(near) else DIFFERS)


def _changes(data: Data, receivers: Sequence[str], entry: PaperChange) -> Iterator[Comparison]:
    others = ", ".join(data.name(name) for name in entry.others)
    plus = f" + {entry.plus:g} {BY_NAME[entry.column].unit}" if entry.plus else ""
    within = f" ± {entry.tolerance:g}" if entry.tolerance else ""
    for flows in entry.flows:
        yield Comparison(
            entry.figure,
            f"{data.name(entry.method)}, {entry.column}{plus}, {flows} flows",
            f"{entry.change_percent:+g}{within} % of {others}",
            entry.source,
            entry.note,
            {name: _change(data, name, entry, flows) for name in receivers},
        )


def _flows(data: Data, receivers: str) -> dict[tuple[str, float], int | None]:
    return {
        (served["method"], served["level_percent"]): served["flows"]
        for served in data.served
        if served["receivers"] == receivers
    }


def gains(data: Data, receivers: str, entry: PaperCapacity) -> dict[float, float]:
    """The gain in flows served at each level, percent, where both sides are known."""
    flows = _flows(data, receivers)
    found = {}
    for level in dict.fromkeys(level for _, level in flows):
        ours = flows.get((entry.method, level))
        rivals = [
            count
            for (method, at), count in flows.items()
            if at == level
            and count is not None
            and method != entry.method
            and entry.over in ("best", method)
        ]
        if ours is not None and rivals and max(rivals):
            found[level] = 100.0 * (ours - max(rivals)) / max(rivals)
    return found


def _capacity(data: Data, receivers: str, entry: PaperCapacity) -> Verdict:
    found = gains(data, receivers, entry)
    if not found:
        return Verdict("-", MISSING)
    mean = sum(found.values()) / len(found)
    levels = ", ".join(f"{gain:+.0f} % at {level:g} %" for level, gain in found.items())
    return Verdict(f"{mean:+.1f} % ({levels})", AGREES if mean >= entry.gain_percent else DIFFERS)


def compare(data: Data) -> list[Comparison]:
    """All statements of the scenario's paper; [] where there is none."""
    if data.paper is None:
        return []
    receivers = list(dict.fromkeys(line.receivers for line in data.lines))
    found = [
        Comparison(
            entry.figure,
            f"{data.name(entry.method)}, {entry.column}, {entry.flows} flows",
            _value_text(entry),
            entry.source,
            entry.note,
            {name: _value(data, name, entry) for name in receivers},
        )
        for entry in data.paper.value
    ]
    for order in data.paper.order:
        found += _orders(data, receivers, order)
    for change in data.paper.change:
        found += _changes(data, receivers, change)
    for gain in data.paper.capacity:
        over = "the best other method" if gain.over == "best" else data.name(gain.over)
        found.append(
            Comparison(
                gain.figure,
                f"{data.name(gain.method)} against {over}, {SERVED}",
                f"+{gain.gain_percent:g} %",
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
    """How many statements agree, differ, or were not run."""
    verdicts = [comparison.ours[receivers].verdict for comparison in comparisons]
    return {name: verdicts.count(name) for name in (AGREES, DIFFERS, MISSING)}
