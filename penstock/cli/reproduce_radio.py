# SPDX-License-Identifier: GPL-2.0-only
"""The runs of nis-2004 Part II: web users behind six base stations, two loads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.backends import Row
from penstock.cli import screen
from penstock.cli.reproduce_runs import Effort, Part, Runs
from penstock.reproduce import radio_access as paper
from penstock.runs.wishes import Wishes

_SCENARIO: Final = "nis-2004/part-2/radio-access"
_ERRORS: Final = "nis-2004/part-2/errors"
_HANDOVER: Final = "nis-2004/part-2/handover"
_LONG_QUEUE: Final = "nis-2004/part-2/long-queue"
_OWN, _BEYOND = "radio-access", "beyond"  # what the paper compares, and other methods
_FREEZE: Final = "mobility.freeze"
_FULL_S: Final = 16_200  # 18,000 s less the first 1,800 s
_QUICK_S: Final = (1_200, 2_400)
_QUICK_SEEDS: Final = "3"
_SEEDS_BEYOND: Final = "5"  # of what the paper does not have; with --quick as many as of the rest
_WARM_UP_S: Final = 1_800
_SAMPLE: Final = "100ms"


def _of_group(row: Row, name: str) -> float:
    """The overall throughput of a group of users."""
    groups: Sequence[Mapping[str, Any]] = row.groups
    return float(next(group[paper.TPO] for group in groups if group["group"] == name))


@dataclass(frozen=True)
class Runner(Effort):
    """Its campaigns."""

    def _limits(self) -> Sequence[str]:
        if not self.quick:
            return self.sets
        warm_up, limit = _QUICK_S
        return *self.sets, f"time.limit={limit}s", f"time.warm_up={warm_up}s"

    def _runs(self) -> dict[str, Runs]:
        """All runs, by part."""
        limits = tuple(self._limits())
        seeds = self.seeds or (_QUICK_SEEDS if self.quick else None)
        few = seeds or _SEEDS_BEYOND
        measured, others = tuple(paper.LABELS), (*paper.NEXT, *paper.TODAY)
        sampled = (*limits, f"sample.interval={_SAMPLE}")
        every = {
            _OWN: (_SCENARIO, Wishes(methods=measured, seeds=seeds, sets=limits)),
            _BEYOND: (_SCENARIO, Wishes(methods=others, seeds=few, sets=limits)),
            "errors": (_ERRORS, Wishes(seeds=few, sets=limits)),
            "handover": (_HANDOVER, Wishes(seeds=few, sets=limits)),
            "long-queue": (_LONG_QUEUE, Wishes(seeds=few, sets=limits)),
            "queue": (_SCENARIO, Wishes(methods=measured, seeds="1", sets=sampled)),
        }
        suffix = "-quick" if self.quick else ""
        return {
            part: Runs(scenario, wishes, self.folder / (part + suffix))
            for part, (scenario, wishes) in every.items()
        }

    def work(self) -> Iterator[Part]:
        """All runs, and the cells of each."""
        for runs in self._runs().values():
            yield runs, runs.quiet_plan().cells()

    def _play(self, part: str) -> Iterator[Row]:
        return self._runs()[part].play(self.workers, self.cluster)

    def _queue(self, found: paper.Found) -> None:
        """The queue of the measured base station over time, of one seed."""
        for row in self._play("queue"):
            columns: Mapping[str, Any] = row.columns
            assert row.series is not None
            begin_s = _QUICK_S[0] if self.quick else _WARM_UP_S
            samples = zip(row.series["time_s"], row.series["queue_packets"], strict=True)
            place = columns["method"], columns["flows"]
            found.series[place] = [(t, float(packets)) for t, packets in samples if t >= begin_s]

    def everything(self) -> paper.Found:
        """All runs of Part II."""
        found = paper.Found()
        if self.quick:
            found.per_s = _FULL_S / (_QUICK_S[1] - _QUICK_S[0])
        for part in (_OWN, _BEYOND):
            self._tables(found, part)
        self._steps(found)
        for row in self._play("long-queue"):
            columns: Mapping[str, Any] = row.columns
            found.long_queue.setdefault(columns["method"], []).append(_of_group(row, "web"))
        self._queue(found)
        screen.say(f"results: {self.folder}")
        return found

    def _steps(self, found: paper.Found) -> None:
        """What the paper names as its next step: errors on the last hop, and handover."""
        for row in self._play("errors"):
            self._keep(found, paper.ERRORS, row)
        for row in self._play("handover"):
            columns: Mapping[str, Any] = row.columns
            self._keep(found, paper.HANDOVER[columns[_FREEZE]], row)

    def _keep(self, found: paper.Found, words: str, row: Row) -> None:
        """The means of a run over its cells."""
        columns: Mapping[str, Any] = row.columns
        cells: Sequence[Mapping[str, Any]] = row.groups
        cells = [group for group in cells if group["group"] in paper.CELLS]
        values = found.steps.setdefault((words, columns["method"], columns["flows"]), {})
        for metric in (paper.TPO, paper.TPC, paper.TIMEOUTS):
            mean = sum(group[metric] for group in cells) / len(cells)
            values.setdefault(metric, []).append(mean)

    def _tables(self, found: paper.Found, part: str) -> None:
        """Throughputs, losses and the mean queue of each run."""
        for row in self._play(part):
            columns: Mapping[str, Any] = row.columns
            method, users = columns["method"], columns["flows"]
            found.queues.setdefault((method, users), []).append(columns["queue_packets_mean"])
            groups: Sequence[Mapping[str, Any]] = row.groups
            own = {paper.MEASURED: columns["drops"]}
            for group in groups:
                if group["group"] not in paper.CELLS:
                    continue
                for metric in paper.METRICS:
                    key = method, users, group["group"], metric
                    lost = own if metric == paper.LOSSES else {}
                    value = lost.get(group["group"], group[metric])
                    found.values.setdefault(key, []).append(value)
