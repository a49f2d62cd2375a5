# SPDX-License-Identifier: GPL-2.0-only
"""nis-2004 chapter 10: Linux TCP against Linux EFCM, what is stated and what was measured."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from penstock.reproduce import judge
from penstock.reproduce.entries import NOT_RUN, NOT_STATED, Entry
from penstock.reproduce.judge import Judged
from penstock.results import stats

LINUX, EFCM_1, EFCM_3 = "Linux TCP", "Linux EFCM I", "Linux EFCM III"
METHODS: Final[Mapping[str, str]] = {  # what the kernel calls them
    LINUX: "kernel:reno",
    EFCM_1: "kernel:pst_lin_efcm_1",
    EFCM_3: "kernel:pst_lin_efcm_3",
}
RELIABLE, LOSSY, FAR = "lossless link", "lossy link", "loaded path"


@dataclass(frozen=True)
class Link:
    """A scenario of section 10.5.1, what section 10.6 says of Linux EFCM's throughput on it."""

    percent: float | None  # None: a gain without a number
    loss: str = "0"
    delay: str = "25ms"
    interval_s: float = 0.10  # between pages, of Table 10.1

    @property
    def gain(self) -> str:
        """In words."""
        return f"gain of about {self.percent:g} %" if self.percent else "significant gain"

    @property
    def sets(self) -> tuple[str, ...]:
        """Its settings."""
        return (f"link.bottleneck.loss={self.loss}", f"link.bottleneck.delay={self.delay}")


LINKS: Final[Mapping[str, Link]] = {
    RELIABLE: Link(10.0),
    LOSSY: Link(60.0, loss="0.01"),
    FAR: Link(None, delay="100ms", interval_s=0.05),
}
TPC, TPO, LOSS = "TPC, segments/s", "TPO, segments/s", "retransmitted, %"
FAIRNESS: Final = "fairness of concurrent connections"
METRICS: Final = (TPC, TPO, LOSS, FAIRNESS)
_SOURCE: Final = "nis-2004 section 10.6"
_FAIRER: Final = 10.0  # percent, section 10.6


@dataclass
class Found:
    """Values by seed of each metric, method and link; why nothing was run, if so."""

    values: dict[tuple[str, str, str], list[float]] = field(default_factory=dict)
    refusal: str = ""

    def add(self, link: str, method: str, metric: str, value: float) -> None:
        """The next seed's."""
        self.values.setdefault((link, method, metric), []).append(value)


def _listed(values: Sequence[float]) -> str:
    mean = stats.mean(values)
    assert mean is not None
    return f"{mean.mean:.4g}" if mean.half is None else f"{mean.mean:.4g} ± {mean.half:.2g}"


def _stated(link: str, metric: str) -> str:
    if metric == FAIRNESS:
        return f"{_FAIRER:g} % higher"
    if metric == LOSS:
        return "not stated for these links"
    return LINKS[link].gain


def _judged(link: str, metric: str, gain: stats.Mean | None) -> Judged:
    if metric == LOSS:
        return Judged(NOT_STATED)
    percent = _FAIRER if metric == FAIRNESS else LINKS[link].percent
    if percent is None:
        return judge.inside(gain, 0.0, math.inf)
    return judge.effect(gain, percent, "+")


def _compared(found: Found, link: str, method: str) -> Iterator[Entry]:
    for metric in METRICS:
        first, second = (found.values[link, one, metric] for one in (LINUX, method))
        gain = judge.gain(first, second)
        size = "" if gain is None else f" ({gain.mean:+.0f}"
        if gain is not None:
            size += " %)" if gain.half is None else f" ± {gain.half:.0f} %)"
        texts = _stated(link, metric), f"{_listed(first)} to {_listed(second)}{size}"
        what = f"{method}: {metric}"
        judged = _judged(link, metric, gain)
        yield judge.entry(judged, link, "section 10.6", what, "auto", *texts, _SOURCE)


def entries(found: Found) -> list[Entry]:
    """All statements."""
    if found.refusal:
        text = "laboratory-link"
        return [Entry("chapter 10", "all", text, "", "", found.refusal, NOT_RUN, "")]
    return [
        entry
        for link in LINKS
        for method in (EFCM_1, EFCM_3)
        for entry in _compared(found, link, method)
    ]
