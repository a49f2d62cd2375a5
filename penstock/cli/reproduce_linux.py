# SPDX-License-Identifier: GPL-2.0-only
"""The runs of nis-2004 chapter 10: Linux TCP and Linux EFCM on this machine's kernel."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from penstock.backends import live
from penstock.cli import options, screen
from penstock.cli.reproduce_runs import Effort
from penstock.errors import Exit, UserError
from penstock.live import controls, pages, run
from penstock.live import plan as labs
from penstock.plan.cells import Plan
from penstock.reproduce import linux_efcm as paper
from penstock.results import concurrency
from penstock.runs import sealed
from penstock.runs.wishes import Wishes

_SCENARIO: Final = "nis-2004/chapter-10/laboratory-link"
_EFCM: Final = ("linux_efcm_1", "linux_efcm_3")
_NS: Final = 1e9
_QUICK_S, _QUICK_SEEDS = 12, "2"
_METRICS: Final = {
    paper.TPC: "tpc_segments_per_s",
    paper.TPO: "tpo_segments_per_s",
    paper.LOSS: "retransmitted_percent",
    paper.FAIRNESS: "fairness",
}


@dataclass(frozen=True)
class Runner(Effort):
    """Its runs, one after the other."""

    def _plan(self, link: str) -> Plan:
        limit = (f"time.limit={_QUICK_S}s",) if self.quick else ()
        seeds = self.seeds or (_QUICK_SEEDS if self.quick else None)
        sets = (*paper.LINKS[link].sets, *limit)
        _, plan = options.plan(_SCENARIO, Wishes(seeds=seeds, sets=sets))
        return plan

    def _play(self, plan: Plan, seed: int, link: str, method: str) -> dict[str, float]:
        lab = labs.plan(plan.cell("droptail", plan.receivers[0], 1, seed))
        drawn = pages.draw(seed, paper.LINKS[link].interval_s, lab.limit_ns / _NS)
        lab = pages.with_pages(lab, drawn, paper.METHODS[method])
        result, _ = run.play(lab, seed, 4)
        sent_bytes = result.series["sent_bytes"]
        return {**asdict(pages.outcome(result, lab)), "fairness": concurrency.fairness(sent_bytes)}

    def _path(self, link: str, seed: int, method: str) -> Path:
        name = f"{link}-{method}-{seed}{'-quick' if self.quick else ''}.json"
        return self.folder / "cells" / name.lower().replace(" ", "-")

    def live(self) -> Iterator[tuple[bool, float]]:
        """Of each run: whether its result is there, and its seconds."""
        for link in paper.LINKS:
            plan = self._plan(link)
            for seed in plan.seeds:
                for method in paper.METHODS:
                    there = self._path(link, seed, method).exists()
                    yield there, plan.scenario.time.limit / _NS

    def _one(self, link: str, plan: Plan, seed: int, method: str) -> dict[str, float]:
        """A run's metrics, from the folder where they are there."""
        path = self._path(link, seed, method)
        values = sealed.read(path)
        if values is None:
            screen.say(f"{link}, {method}, seed {seed}")
            values = self._play(plan, seed, link, method)
            path.parent.mkdir(parents=True, exist_ok=True)
            sealed.write(path, values)
        return values

    def everything(self) -> paper.Found:
        """All runs; the refusal where this machine cannot run them."""
        found = paper.Found()
        try:
            live.backend()
            with controls.loaded(_EFCM):
                for link in paper.LINKS:
                    plan = self._plan(link)
                    for seed in plan.seeds:
                        for method in paper.METHODS:
                            values = self._one(link, plan, seed, method)
                            for metric, key in _METRICS.items():
                                found.add(link, method, metric, values[key])
        except UserError as error:
            if error.code not in (Exit.SKIPPED, Exit.BACKEND_MISSING):
                raise
            found.refusal = str(error)
        return found
