# SPDX-License-Identifier: GPL-2.0-only
"""The main result, in a sentence per kind of receivers, and the rows that each number is from.

Methods are compared by seed: with the same seed they share their random draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from penstock.results import differences, stats
from penstock.results.tables import Line
from penstock.view.plots.data import Data

_BASE: Final = "droptail"
_LOSS: Final = "loss_percent"
_GOODPUT: Final = "goodput_mbps_total"
_SLOWEST: Final = "transfer_s_max"
_MOST: Final = 3  # sentences


@dataclass(frozen=True)
class Claim:
    """A number of a sentence, and what it is computed from.

    `mean`: of a column over the runs of a line. `change`: the mean difference by seed from the
    line `base`, in percent of the mean of that; its 95 % interval does not hold 0, if there is
    one. `same`: it does, and is whole within the margin of results/differences.py. `cannot tell`:
    it does, and is not. `least`: in how many situations no method of the line's load has less.
    """

    what: Literal["mean", "change", "same", "cannot tell", "least"]
    column: str
    line: Line
    value: float
    base: Line | None = None
    group: str = ""

    def describe(self) -> dict[str, Any]:
        """As one JSON object."""
        line = self.line
        return {
            "what": self.what,
            "column": self.column,
            "value": self.value,
            "receivers": line.receivers,
            "flows": line.flows,
            "settings": line.settings,
            "method": line.method,
            "mode": line.mode,
            "parameters": line.parameters,
            "against": self.base.method if self.base else None,
            "group": self.group,
            "seeds": sorted(line.values[self.column]),
        }


@dataclass(frozen=True)
class Sentence:
    """A finding in words, with its numbers."""

    text: str
    claims: Sequence[Claim] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """As one JSON object."""
        return {"sentence": self.text, "from": [claim.describe() for claim in self.claims]}


def number(value: float) -> str:
    """A number of a sentence, with two digits."""
    return f"{value:.2g}"


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


class _Comparison:
    """The lines of one load beside each other; collects what it states."""

    def __init__(self, data: Data, lines: Sequence[Line]) -> None:
        self._data, self._lines = data, lines
        self.claims: list[Claim] = []

    def name(self, line: Line) -> str:
        return self._data.name(line.label)

    def loss(self, *lines: Line, verb: str = "lose") -> str:
        """'loses 4 % of the packets'; of several lines, from the least to the most."""
        means = [mean.mean for line in lines if (mean := line.means.get(_LOSS))]
        if len(means) < len(lines):
            return "carries no packet" if verb == "loses" else "carry no packet"
        self.claims += [
            Claim("mean", _LOSS, line, mean) for line, mean in zip(lines, means, strict=True)
        ]
        texts = list(dict.fromkeys(map(number, (min(means), max(means)))))
        if texts == ["0"]:
            return f"{verb} no packet"
        return f"{verb} {' to '.join(texts)} % of the packets"

    def equals(self, lines: Sequence[Line]) -> list[Line]:
        """The line with the least loss, and those that seeds do not tell from it."""
        known = [line for line in lines if line.means.get(_LOSS)]
        if not known:
            return list(lines[:1])
        best = min(known, key=lambda line: line.means[_LOSS].mean)  # type: ignore[union-attr]
        return [line for line in known if line is best or self._is_same(line, best)]

    def _is_same(self, line: Line, best: Line) -> bool:
        change = stats.paired(line.values[_LOSS], best.values[_LOSS])
        if change is None or change.half is None:
            return change is not None and change.mean == 0
        return change.holds_zero

    def change(self, column: str, line: Line, base: Line, group: str = "") -> Claim | None:
        """By how much a column differs; None where either has none."""
        mean, found = base.means.get(column), differences.verdict_by_seed(column, line, base)
        if mean is None or found is None or not mean.mean:
            return None
        what, difference = found
        claim = Claim(what, column, line, 100 * difference.mean / mean.mean, base, group)
        self.claims.append(claim)
        return claim

    def _said(self, claim: Claim | None, same: str, more: str, less: str, which: str) -> list[str]:
        if claim is None:
            return []
        if claim.what == "same":
            return [same]
        if claim.what == "cannot tell":
            return [f"{_seeds(claim.line)} do not tell whether {which}"]
        percent = f"{number(abs(claim.value))} %"
        return [(less if claim.value < 0 else more).format(percent)]

    def speed(self, line: Line, base: Line) -> str:
        """What arrives, and when the slowest is done: a mean of flows hides the starved."""
        parts = []
        groups = self._data.by_group
        for group, lines in groups.items():  # added up, they would hide each other
            pair = [_like(each, lines) for each in (line, base)]
            if pair[0] is not None and pair[1] is not None:
                claim = self.change(_GOODPUT, pair[0], pair[1], group)
                texts = f"{group} receives {{}} more", f"{group} receives {{}} less"
                which = f"{group} receives more or less"
                parts += self._said(claim, f"{group} receives as much", *texts, which)
        if not groups:
            parts += self._said(
                self.change(_GOODPUT, line, base),
                "the link carries as much",
                "the link carries {} more",
                "the link carries {} less",
                "it carries more or less",
            )
        if line.is_finished and base.is_finished:
            parts += self._said(
                self.change(_SLOWEST, line, base),
                "the slowest transfer takes as long",
                "the slowest transfer takes {} longer",
                "the slowest transfer takes {} less time",
                "the slowest transfer takes longer",
            )
        return _listed(parts) if parts else ""


def _like(line: Line, lines: Sequence[Line]) -> Line | None:
    """That line among those of a group of traffic."""
    place = (line.receivers, line.flows, line.settings, line.label)
    every = ((each.receivers, each.flows, each.settings, each.label) for each in lines)
    return next((each for each, at in zip(lines, every, strict=True) if at == place), None)


def _seeds(line: Line) -> str:
    return f"{len(line.values[_LOSS])} seeds"


def _windows(receivers: str) -> str:
    return "that autotune" if receivers == "auto" else f"of {int(receivers):,} bytes"


def _goodput(line: Line) -> float:
    mean = line.means.get(_GOODPUT)
    return mean.mean if mean else 0.0


def _best(told: _Comparison, others: Sequence[Line], base: Line) -> str:
    """The methods with the least loss beside drop-tail."""
    equal = told.equals(others)
    best = max(equal, key=_goodput)
    verdict = differences.verdict_by_seed(_LOSS, best, base)
    what, change = verdict or ("change", None)
    if what == "change" and change and change.mean > 0:
        return f"no method loses less than drop-tail, which {told.loss(base, verb='loses')}"
    speed = told.speed(best, base)
    names, verb = _listed([told.name(each) for each in equal]), "lose" + "s" * (len(equal) == 1)
    more = ", of these the one with most goodput," if len(equal) > 1 else ","
    after = f"; with {told.name(best)}{more} {speed}" if speed else ""
    if what == "same":
        theirs = told.loss(base, verb="loses")
        return f"{names} {told.loss(*equal, verb=verb)}, and drop-tail {theirs}: the same{after}"
    if what == "cannot tell":
        return (
            f"{_seeds(best)} do not tell whether {names}, which {told.loss(*equal, verb=verb)}, "
            f"{verb} less than drop-tail, which {told.loss(base, verb='loses')}{after}"
        )
    one = " (one seed, so by how much is chance)" if change and change.half is None else ""
    said = f"{names} {told.loss(*equal, verb=verb)}"
    return f"{said}, where drop-tail {told.loss(base, verb='loses')}{one}{after}"


def _sentence(data: Data, receivers: str, lines: Sequence[Line]) -> Sentence:
    most = max(line.flows for line in lines)
    heaviest = [line for line in lines if line.flows == most]
    base = next((line for line in heaviest if line.method == _BASE), None)
    others = [line for line in heaviest if line.method != _BASE]
    told = _Comparison(data, heaviest)
    if base is not None and others:
        text = _best(told, others, base)
    else:
        equal = told.equals(heaviest)
        verb = "loses" if len(equal) == 1 else "lose"
        text = f"{_listed([told.name(each) for each in equal])} {told.loss(*equal, verb=verb)}"
    where = f"With {heaviest[0].load} and receive windows {_windows(receivers)}, "
    return Sentence(f"{where}{text}.", told.claims)


def _overall(data: Data, groups: Sequence[Sequence[Line]]) -> Sentence:
    """How often each method loses least, where there are too many settings to list each."""
    counts: dict[str, int] = {}
    first: dict[str, Line] = {}
    for lines in groups:
        most = max(line.flows for line in lines)
        means: Mapping[str, float] = {
            line.label: mean.mean
            for line in lines
            if line.flows == most and (mean := line.means.get(_LOSS))
        }
        least = [name for name, loss in means.items() if loss == min(means.values())]
        counts |= {name: counts.get(name, 0) + 1 for name in least}
        first = {line.label: line for line in lines} | first
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    told = [f"{data.name(name)} in {count}" for name, count in ranked]
    text = (
        f"Of {len(groups)} situations, the least loss (or as little as others): {', '.join(told)}."
    )
    return Sentence(text, [Claim("least", _LOSS, first[name], count) for name, count in ranked])


def sentences(data: Data) -> list[Sentence]:
    """One for each sort of receivers and settings, about the largest number of flows.

    Of many settings, one for all.
    """
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in data.lines:
        groups.setdefault((line.receivers, line.settings), []).append(line)
    if len(groups) > _MOST:
        return [_overall(data, list(groups.values()))]
    return [_sentence(data, receivers, lines) for (receivers, _), lines in groups.items()]
