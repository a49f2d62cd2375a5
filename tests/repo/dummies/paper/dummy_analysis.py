# SPDX-License-Identifier: GPL-2.0-only
"""The dummy paper's own comparison: the loss of drop-tail, of runs that are kept."""

import math
from collections.abc import Iterator

from penstock.api.reproduce.papers import Strict
from penstock.api.reproduce.runs import Effort, Part, Runs
from penstock.api.reproduce.study import Study, expected
from penstock.results import judge, stats
from penstock.results.entries import Entry
from penstock.runs.wishes import Wishes


class Stated(Strict):
    """expected.toml."""

    least_percent: float


def entries(losses: list[float]) -> Iterator[Entry]:
    """The only statement."""
    least, mean = expected(__file__, Stated).least_percent, stats.mean(losses)
    texts = "own", "Fig. 9", "loss", "", f"at least {least} %", f"{losses}", "page 9"
    yield judge.entry(judge.inside(mean, least, math.inf), *texts)


def study(effort: Effort) -> Study:
    """Runs of its own."""
    runs = Runs("dummy-2026/small", Wishes(methods=["droptail"]), effort.folder / "own")

    def run() -> list[float]:
        return [float(row.columns["loss_percent"] or 0) for row in effort.rows(runs)]

    def work() -> Iterator[Part]:
        yield runs, runs.plan().cells()

    return Study(run, entries, work=work)
