# SPDX-License-Identifier: GPL-2.0-only
"""Chapters 7 to 9: one end system, with and without what its connections share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import end_system_stated as stated
import plotly.graph_objects as go
from end_system_stated import EFCM, FS_TCBI, STANDARD

from penstock.api.reproduce.runs import Effort, Part, Runs
from penstock.api.reproduce.study import Study
from penstock.runs.wishes import Wishes
from penstock.view.report import curves

_SCENARIO: Final = "nis-2004/part-1/end-system"
# Of as many seconds in all, more seeds have narrower intervals: 4.3 errors of the mean with three.
_QUICK_S: Final = 2_500
_DELAY, _LOSS = "link.core.delay", "link.last_hop.loss"
_SHARING: Final[Mapping[str, str | None]] = {STANDARD: None, FS_TCBI: "fs_tcbi", EFCM: "efcm"}
_FIGURES: Final = (
    ("1", stated.TPO_NEW),
    ("2", stated.TPC_NEW),
    ("3", stated.TPO_BESIDE),
    ("4", stated.TPC_BESIDE),
    ("5", stated.FAIRNESS),
)


def sharing(method: str) -> tuple[str, ...]:
    """The settings of a method: what is shared, and the pacing of sections 5.2.5.2 and 5.3.6.3."""
    name = _SHARING[method]
    if name is None:
        return ()
    keys = {"sharing": name, "pacing": "true", "pacing_gain": "1.0", "pacing_burst": "2"}
    return tuple(f"tcp.{tcp}.{key}={value}" for tcp in stated.TCPS for key, value in keys.items())


@dataclass(frozen=True)
class Runner(Effort):
    """Its campaigns."""

    def _wishes(self, method: str) -> Wishes:
        given = {each.partition("=")[0] for each in self.sets}
        limit = (f"time.limit={_QUICK_S}s",) if self.quick else ()
        own = (each for each in (*sharing(method), *limit) if each.partition("=")[0] not in given)
        return Wishes(
            seeds=self.seeds,
            sets=(*self.sets, *own),
            sweeps=(
                f"{_DELAY}={','.join(stated.delay(rtt_ms) for rtt_ms in stated.RTTS_MS)}",
                f"{_LOSS}={','.join(stated.HOPS.values())}",
            ),
        )

    def _runs(self, method: str) -> Runs:
        name = method.lower().replace(" ", "-")
        folder = self.folder / (f"{name}-quick" if self.quick else name)
        return Runs(_SCENARIO, self._wishes(method), folder)

    def work(self) -> Iterator[Part]:
        """All runs but those of a second, and the cells of each."""
        for runs in map(self._runs, stated.METHODS):
            yield runs, runs.plan().cells()

    def everything(self) -> stated.Found:
        """All runs of chapters 8 and 9."""
        limits = {runs.plan().scenario.time.limit for runs in map(self._runs, stated.METHODS)}
        (limit_ns,) = limits
        found = stated.Found(stated.PAPER_S * 1e9 / limit_ns)
        rtts = {stated.delay(rtt_ms): rtt_ms for rtt_ms in stated.RTTS_MS}
        hops = {float(loss): hop for hop, loss in stated.HOPS.items()}
        for method in stated.METHODS:
            for row in self.rows(self._runs(method)):
                columns: Mapping[str, Any] = row.columns
                groups: Sequence[Mapping[str, Any]] = row.groups
                place = rtts[columns[_DELAY]], hops[float(columns[_LOSS])]
                stated.take(found, stated.Setting(method, *place), columns, groups)
        self.console.say(f"results: {self.folder}")
        return found


def _figure(found: stated.Found, metric: str, hop: str) -> go.Figure:
    figure = curves.chart("least round trip, ms", stated.WORDS[metric])
    figure.update_xaxes(type="category")
    for index, method in enumerate(stated.METHODS):
        settings = [stated.Setting(method, rtt_ms, hop) for rtt_ms in stated.RTTS_MS]
        means = [stated.mean(stated.pooled(found, setting, metric)) for setting in settings]
        figure.add_scatter(
            x=[str(rtt_ms) for rtt_ms in stated.RTTS_MS],
            y=[mean.mean if mean else None for mean in means],
            name=method,
            line={"color": curves.colour(index)},
            error_y={"array": [(mean.half or 0) if mean else 0 for mean in means]},
        )
    return figure


def plots(found: stated.Found) -> Iterator[tuple[str, go.Figure]]:
    """All figures, of both last hops."""
    for number, metric in _FIGURES:
        for hop in stated.HOPS:
            title = f"Figs. 8.{number}, 9.{number}: {stated.WORDS[metric]}; {hop} last hop"
            yield title, _figure(found, metric, hop)


def study(effort: Effort) -> Study:
    """Chapters 7 to 9."""
    runner = Runner(**vars(effort))
    return Study(runner.everything, stated.entries, plots, runner.work)
