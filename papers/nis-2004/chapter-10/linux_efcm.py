# SPDX-License-Identifier: GPL-2.0-only
"""Chapter 10: Linux TCP against Linux EFCM on this machine's kernel, and what is stated of it."""

import functools
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import plotly.graph_objects as go

from penstock.api.reproduce.runs import Effort
from penstock.api.reproduce.study import Study
from penstock.errors import Exit, UserError
from penstock.plan.cells import Plan
from penstock.results import concurrency, judge, sealed, stats
from penstock.results.entries import NOT_RUN, NOT_STATED, Entry
from penstock.results.judge import Judged, Stated, about
from penstock.runs.backends import live
from penstock.runs.live import controls, pages, run
from penstock.runs.live import plan as labs
from penstock.runs.wishes import Wishes
from penstock.view.report import curves

_SCENARIO: Final = "nis-2004/chapter-10/laboratory-link"
_EFCM: Final = ("linux_efcm_1", "linux_efcm_3")
_NS: Final = 1e9
_DIGITS: Final = 12  # of a digest
_IP_VERSION: Final = 4
_QUICK_S, _QUICK_SEEDS = 12, "2"
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
METRICS: Final = {
    TPC: "tpc_segments_per_s",
    TPO: "tpo_segments_per_s",
    LOSS: "retransmitted_percent",
    FAIRNESS: "fairness",
}
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
    if metric == FAIRNESS:
        return judge.effect(gain, Stated(_FAIRER, 0.5), "+")
    percent = LINKS[link].percent
    if percent is None:
        return judge.inside(gain, 0.0, math.inf)
    return judge.effect(gain, about(percent), "+")


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


@functools.cache
def _engine() -> str:
    """The kernel and the build."""
    return live.Live(_IP_VERSION).engine


@dataclass(frozen=True)
class Runner(Effort):
    """Its runs, one after the other."""

    def _planned(self, link: str) -> Plan:
        given = any(each.startswith("time.limit=") for each in self.sets)
        limit = (f"time.limit={_QUICK_S}s",) if self.quick and not given else ()
        seeds = self.seeds or (_QUICK_SEEDS if self.quick else None)
        sets = (*self.sets, *LINKS[link].sets, *limit)
        _, plan = self.plan(_SCENARIO, Wishes(seeds=seeds, sets=sets))
        return plan

    def _play(self, plan: Plan, seed: int, link: str, method: str) -> dict[str, float]:
        lab = labs.plan(plan.cell("droptail", plan.receivers[0], 1, seed))
        drawn = pages.draw(seed, LINKS[link].interval_s, lab.limit_ns / _NS)
        lab = pages.with_pages(lab, drawn, METHODS[method])
        result, _ = run.play(lab, seed, _IP_VERSION)
        sent_bytes = result.series["sent_bytes"]
        return {**asdict(pages.outcome(result, lab)), "fairness": concurrency.fairness(sent_bytes)}

    def _path(self, link: str, plan: Plan, seed: int, method: str) -> Path:
        """The file of a run, with a digest of what its result depends on beside what it names."""
        depends = {
            **{"engine": _engine(), "setup": plan.scenario.setup()},
            "interval_s": LINKS[link].interval_s,
        }
        digest = hashlib.sha256(sealed.canonical(depends).encode()).hexdigest()[:_DIGITS]
        name = f"{link}-{method}-{seed}-{digest}.json"
        return self.folder / "cells" / name.lower().replace(" ", "-")

    def ahead(self) -> Iterator[tuple[bool, float]]:
        """Of each run: whether its result is there, and its seconds."""
        for link in LINKS:
            plan = self._planned(link)
            for seed in plan.seeds:
                for method in METHODS:
                    there = self._path(link, plan, seed, method).exists()
                    yield there, plan.scenario.time.limit / _NS

    def _one(self, link: str, plan: Plan, seed: int, method: str) -> dict[str, float]:
        """A run's metrics, from the folder where they are there."""
        path = self._path(link, plan, seed, method)
        values = sealed.read(path)
        if values is None:
            self.console.say(f"{link}, {method}, seed {seed}")
            values = self._play(plan, seed, link, method)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                sealed.write(path, values)
            except OSError as error:
                raise UserError(f"{path}: cannot be written: {error.strerror}") from None
        return values

    def everything(self) -> Found:
        """All runs; the refusal where this machine cannot run them."""
        found = Found()
        try:
            live.backend()
            with controls.loaded(_EFCM):
                for link in LINKS:
                    plan = self._planned(link)
                    for seed in plan.seeds:
                        for method in METHODS:
                            values = self._one(link, plan, seed, method)
                            for metric, key in METRICS.items():
                                found.add(link, method, metric, values[key])
        except UserError as error:
            if error.code not in (Exit.SKIPPED, Exit.BACKEND_MISSING):
                raise
            found.refusal = str(error)
        return found


def plots(found: Found) -> Iterator[tuple[str, go.Figure]]:
    """A figure for each metric; none where nothing was run."""
    for metric in METRICS if found.values else ():
        figure = curves.chart("", metric)
        for index, method in enumerate(METHODS):
            means = [stats.mean(found.values[link, method, metric]) for link in LINKS]
            figure.add_bar(
                x=list(LINKS),
                y=[mean.mean if mean else None for mean in means],
                name=method,
                marker={"color": curves.colour(index)},
                error_y={"array": [(mean.half or 0) if mean else 0 for mean in means]},
            )
        yield f"As Fig. 10.3: {metric}", figure


def study(effort: Effort) -> Study:
    """All of the chapter."""
    runner = Runner(**vars(effort))
    return Study(runner.everything, entries, plots, live=runner.ahead)
