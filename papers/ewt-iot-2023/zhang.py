# SPDX-License-Identifier: GPL-2.0-only
"""The paper's statements about Zhang's model (section 3.2)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from penstock.api.reproduce.runs import Effort
from penstock.api.reproduce.study import Study
from penstock.results.entries import Entry, verdict
from penstock.results.models.zhang import (
    PAPER_G,
    Reading,
    Sample,
    Settings,
    Variant,
    summarise,
    trace,
)

SAMPLES: Final = 100  # section 3.2
_G: Final = (PAPER_G, "0.01", "0.1", "0.5")
_PART: Final = "Zhang's model"
_READINGS: Final[dict[Reading, str]] = {
    "advertised": "each round from 65",
    "compound": "each round from the last",
}


def _run(variant: Variant) -> list[Sample]:
    return list(trace(variant, Settings().exact(), SAMPLES))


def _entry(figure: str, what: str, paper: str, ours: str, holds: bool) -> Entry:
    return Entry(_PART, figure, what, "", paper, ours, verdict(holds), "section 3.2")


def _droptail() -> Iterator[Entry]:
    samples = _run(Variant("droptail"))
    windows = [sample.window for sample in samples[:8]]
    shape = windows == [1, 2, 4, 8, 16, 20, 21, 22]
    listed = ", ".join(str(window) for window in windows)
    yield _entry(
        "Fig. 8", "growth of W", "exponential to ssthresh, then linear", f"W = {listed}", shape
    )
    losses = summarise(samples).losses
    text = f"{losses} in {SAMPLES} samples"
    yield _entry("Fig. 10", "drop-tail, losses", "the queue reaches its limit", text, losses > 0)


def _rewriting(reading: Reading, words: str) -> Iterator[Entry]:
    ewt = summarise(_run(Variant("ewt", reading=reading)))
    averaged = {g: summarise(_run(Variant("ewt_iot", Fraction(g), reading=reading))) for g in _G}
    every = [ewt, *averaged.values()]
    losses = sum(each.losses for each in every)
    largest = max(each.queue_max for each in every)
    text = f"{losses}; largest queue {largest:.2f} of 30"
    yield _entry("Fig. 10", f"EWT and EWT-IoT, losses ({words})", "none", text, not losses)
    text = f"W swings by {ewt.swing:.2f} at the end"
    yield _entry("Figs. 8-10", f"EWT, convergence ({words})", "monotone", text, ewt.monotone)
    parts = [f"g = {g}: {'yes' if each.monotone else 'no'}" for g, each in averaged.items()]
    steady = all(each.monotone for each in averaged.values())
    what = f"EWT-IoT, convergence ({words})"
    yield _entry("Figs. 8-10", what, "monotone for various g", ", ".join(parts), steady)


def _untouched(samples: Sequence[Sample]) -> Entry:
    empty = {sample.receive_window for sample in samples if sample.queue == 0}
    text = "Wr = " + ", ".join(f"{float(window):g}" for window in sorted(empty))
    what = "EWT-IoT, Wr while the queue is empty"
    return _entry("Fig. 9", what, "unchanged (65)", text, empty == {65})


def _equilibrium(samples: Sequence[Sample]) -> Entry:
    """Section 3.2: once Wr is below W, the window follows Wr."""
    first = next(sample.k for sample in samples if sample.receive_window < sample.window)
    after = samples[first + 1 :]
    previous = samples[first:]
    follows = all(a.window == b.receive_window for a, b in zip(after, previous, strict=False))
    text = f"from sample {first + 1} on W = Wr, {float(after[-1].window):.2f} at the end"
    what = f"EWT-IoT, g = {PAPER_G}, equilibrium"
    return _entry("Figs. 8, 9", what, "once Wr < W, the window uses Wr", text, follows)


def entries() -> list[Entry]:
    """All statements, with both readings of Fig. 7."""
    found = list(_droptail())
    paper_g = _run(Variant("ewt_iot", Fraction(PAPER_G)))
    found += [_untouched(paper_g), _equilibrium(paper_g)]
    for reading, words in _READINGS.items():
        found += _rewriting(reading, words)
    return found


def study(_: Effort) -> Study:
    """The model, which takes no runs."""
    return Study(lambda: None, lambda _: entries())
