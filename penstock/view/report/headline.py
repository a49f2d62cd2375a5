# SPDX-License-Identifier: GPL-2.0-only
"""The main result, in a sentence per kind of receivers.

Methods are compared by seed: with the same seed they share their random draws.
"""

from penstock.results import stats
from penstock.results.tables import Line
from penstock.view.plots.data import Data

_BASE = "droptail"
_MOST = 3  # sentences


def _mean(line: Line, column: str) -> stats.Mean | None:
    return line.means.get(column)


def _best(lines: list[Line]) -> Line:
    """The line with the least loss; among those without a difference, what carries most."""

    def rank(line: Line) -> tuple[float, float]:
        loss, goodput = _mean(line, "loss_percent"), _mean(line, "goodput_mbps_total")
        return (round(loss.mean, 2) if loss else 100.0, -(goodput.mean if goodput else 0.0))

    return min(lines, key=rank)


def _loss(line: Line) -> str:
    loss = _mean(line, "loss_percent")
    if loss is None:
        return "carries no packet"
    return "loses no packet" if loss.mean == 0 else f"loses {loss.mean:.2g} % of the packets"


def _difference(ours: Line, theirs: Line, column: str) -> stats.Mean | None:
    return stats.paired(ours.values[column], theirs.values[column])


def _change(
    data: Data, best: Line, base: Line, column: str, same: str, texts: tuple[str, str]
) -> str:
    """By how much a column differs from drop-tail's: `texts` for more and for less."""
    theirs, change = _mean(base, column), _difference(best, base, column)
    if theirs is None or change is None or not theirs.mean:
        return ""
    if change.half is not None and change.holds_zero:
        return same
    percent = 100 * abs(change.mean) / theirs.mean
    return texts[change.mean < 0].format(f"{percent:.2g} %", data.name(best.label))


def _speed(data: Data, best: Line, base: Line) -> str:
    """What the link carries, and when the slowest is done: a mean of flows hides the starved."""
    parts = [
        _change(
            *(data, best, base, "goodput_mbps_total", "the link carries as much"),
            ("the link carries {} more", "the link carries {} less"),
        )
    ]
    if best.is_finished and base.is_finished:
        parts.append(
            _change(
                *(data, best, base, "transfer_s_max", "the slowest transfer takes as long"),
                (
                    "the slowest transfer takes {} longer with {}",
                    "the slowest transfer takes {} less time with {}",
                ),
            )
        )
    told = " and ".join(part for part in parts if part)
    return f"; {told}" if told else ""


def _windows(receivers: str) -> str:
    return "that autotune" if receivers == "auto" else f"of {int(receivers):,} bytes"


def _sentence(data: Data, receivers: str, lines: list[Line]) -> str:
    most = max(line.flows for line in lines)
    heaviest = [line for line in lines if line.flows == most]
    base = next((line for line in heaviest if line.method == _BASE), None)
    others = [line for line in heaviest if line.method != _BASE]
    where = f"With {heaviest[0].load} and receive windows {_windows(receivers)}, "
    if base is None or not others:
        best = _best(heaviest)
        return f"{where}{data.name(best.label)} {_loss(best)}."
    best = _best(others)
    name, change = data.name(best.label), _difference(best, base, "loss_percent")
    if change and change.half is not None and change.holds_zero:
        return (
            f"{where}there is no difference within the 95 % intervals between {name}, which "
            f"{_loss(best)}, and drop-tail, which {_loss(base)}{_speed(data, best, base)}."
        )
    if change and change.mean >= 0:
        return f"{where}no method loses less than drop-tail, which {_loss(base)}."
    one = " (one seed, so by how much is chance)" if change and change.half is None else ""
    speed = _speed(data, best, base)
    return f"{where}{name} {_loss(best)}, where drop-tail {_loss(base)}{one}{speed}."


def _overall(data: Data, groups: list[list[Line]]) -> str:
    """How often each method loses least, where there are too many settings to list each."""
    counts: dict[str, int] = {}
    for lines in groups:
        most = max(line.flows for line in lines)
        means = {
            line.label: mean.mean
            for line in lines
            if line.flows == most and (mean := _mean(line, "loss_percent"))
        }
        least = [name for name, loss in means.items() if loss == min(means.values())]
        counts |= {name: counts.get(name, 0) + 1 for name in least}
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    told = [f"{data.name(name)} in {count}" for name, count in ranked]
    return (
        f"Of {len(groups)} situations, the least loss (or as little as others): {', '.join(told)}."
    )


def sentences(data: Data) -> list[str]:
    """One for each sort of receivers and settings, about the largest number of flows.

    Of many settings, one for all.
    """
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in data.lines:
        groups.setdefault((line.receivers, line.settings), []).append(line)
    if len(groups) > _MOST:
        return [_overall(data, list(groups.values()))]
    return [_sentence(data, receivers, lines) for (receivers, _), lines in groups.items()]
