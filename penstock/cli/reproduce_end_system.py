# SPDX-License-Identifier: GPL-2.0-only
"""The runs of nis-2004 Part I: one end system, with and without what its connections share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from penstock.backends import sim
from penstock.cli import options, screen
from penstock.cli.reproduce_runs import Effort, Part, Runs
from penstock.reproduce import end_system as paper
from penstock.reproduce import single_connections as single
from penstock.reproduce.end_system_tables import EFCM, FS_TCBI, RTTS_MS, STANDARD
from penstock.runs.wishes import Wishes

_SCENARIO: Final = "nis-2004/part-1/end-system"
_SINGLE: Final = "nis-2004/part-1"
_STEPS: Final = 40  # of the sequence numbers in Fig. 2.12
# Of as many seconds in all, more seeds have narrower intervals: 4.3 errors of the mean with three.
_QUICK_S: Final = 2_500
_DELAY, _LOSS = "link.core.delay", "link.last_hop.loss"
_SHARING: Final[Mapping[str, str | None]] = {STANDARD: None, FS_TCBI: "fs_tcbi", EFCM: "efcm"}


def sharing(method: str) -> tuple[str, ...]:
    """The settings of a method: what is shared, and the pacing of sections 5.2.5.2 and 5.3.6.3."""
    name = _SHARING[method]
    if name is None:
        return ()
    keys = {"sharing": name, "pacing": "true", "pacing_gain": "1.0", "pacing_burst": "2"}
    return tuple(f"tcp.{tcp}.{key}={value}" for tcp in paper.TCPS for key, value in keys.items())


@dataclass(frozen=True)
class Runner(Effort):
    """Its campaigns."""

    def _wishes(self, method: str) -> Wishes:
        limit = (f"time.limit={_QUICK_S}s",) if self.quick else ()
        return Wishes(
            seeds=self.seeds,
            sets=(*self.sets, *sharing(method), *limit),
            sweeps=(
                f"{_DELAY}={','.join(paper.delay(rtt_ms) for rtt_ms in RTTS_MS)}",
                f"{_LOSS}={','.join(paper.HOPS.values())}",
            ),
        )

    def _runs(self, method: str) -> Runs:
        name = method.lower().replace(" ", "-")
        folder = self.folder / (f"{name}-quick" if self.quick else name)
        return Runs(_SCENARIO, self._wishes(method), folder)

    def work(self) -> Iterator[Part]:
        """All runs but those of a second, and the cells of each."""
        for runs in map(self._runs, paper.METHODS):
            yield runs, runs.quiet_plan().cells()

    def single_connections(self) -> single.Found:
        """Figs. 2.12 and 3.2, which take a second and are not kept."""
        found = single.Found()
        _, plan = options.plan(f"{_SINGLE}/one-connection", Wishes())
        cell = plan.cell("droptail", plan.receivers[0], 1, 1)
        series = sim.backend().run(replace(cell, sampled=True)).series
        assert series is not None
        for time_s, window in zip(series["time_s"], series["cwnd_bytes"][0], strict=True):
            found.windows.append((time_s, window / single.SEGMENT_BYTES))
        end_s = found.windows[-1][0]
        for step in range(1, _STEPS + 1):
            until_s = end_s * step / _STEPS
            limit = f"time.limit={round(1000 * until_s)}ms"
            _, plan = options.plan(f"{_SINGLE}/one-connection", Wishes(sets=(limit,)))
            _, result = sim.play(plan.cell("droptail", plan.receivers[0], 1, 1))
            bytes_ = int(result.flows["delivered_bytes"].sum())
            found.sequence.append((until_s, bytes_ / single.SEGMENT_BYTES))
        _, plan = options.plan(f"{_SINGLE}/ten-segments", Wishes())
        row = sim.backend().run(plan.cell("droptail", plan.receivers[0], 1, 1))
        for group in row.groups:
            if group["group"] in (single.STANDARD, single.LEARNED):
                rate = float(str(group["tpo_segments_per_s"]))
                found.rates[str(group["group"])] = single.lifetime_rate(rate)
        return found

    def everything(self) -> paper.Found:
        """All runs of chapters 8 and 9."""
        found = paper.Found()
        rtts = {paper.delay(rtt_ms): rtt_ms for rtt_ms in RTTS_MS}
        hops = {float(loss): hop for hop, loss in paper.HOPS.items()}
        for method in paper.METHODS:
            for row in self._runs(method).play(self.workers, self.cluster):
                columns: Mapping[str, Any] = row.columns
                groups: Sequence[Mapping[str, Any]] = row.groups
                place = rtts[columns[_DELAY]], hops[float(columns[_LOSS])]
                paper.take(found, paper.Setting(method, *place), columns, groups)
        screen.say(f"results: {self.folder}")
        return found
