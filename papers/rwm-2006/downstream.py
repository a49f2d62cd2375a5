# SPDX-License-Identifier: GPL-2.0-only
"""Section I and IV: ECN depends on the queues of the routers downstream, and windows do not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from penstock.api.reproduce.runs import Effort, Part, Runs
from penstock.api.reproduce.study import Study
from penstock.results import judge
from penstock.results.entries import AGREES, DIFFERS, Entry
from penstock.results.judge import Judged
from penstock.runs.wishes import Wishes

# What packets wait downstream, as delay of the last link between routers: none beside its own
# 20 ms, and as long as 15 packets take there, RED's upper threshold.
_DELAY: Final = "link.third.delay"
EMPTY, FULL = "20ms", "100ms"
QUEUE: Final = "queue_bytes_mean"
METHODS: Final[Mapping[str, str]] = {  # by method the scenario that has it
    **dict.fromkeys(("red_ecn", "red_rwm"), "scenario-1"),
    **dict.fromkeys(("ared_ecn", "ared_rwm"), "scenario-2"),
    **dict.fromkeys(("blue_ecn", "blue_rwm"), "scenario-3"),
}
_QUICK_SEEDS: Final = "5"

Found = dict[tuple[str, str], list[float]]  # mean queues by seed, by method and delay


def _depends(one: Judged) -> Judged:
    """Whether two are not alike."""
    turned = {AGREES: DIFFERS, DIFFERS: AGREES}
    verdict = turned.get(one.verdict, one.verdict)
    return replace(one, verdict=verdict, by="" if verdict == AGREES else "not even a tenth")


def entries(found: Found) -> Iterator[Entry]:
    """A statement for each method."""
    for method in METHODS:
        gain = judge.gain(found[method, EMPTY], found[method, FULL])
        windows = method.endswith("_rwm")
        judged = judge.alike(gain) if windows else _depends(judge.alike(gain))
        half = "" if gain is None or gain.half is None else f" ± {gain.half:.0f}"
        ours = "none" if gain is None else f"{gain.mean:+.0f}{half} %"
        name = method.replace("_", "-").upper()
        what = f"{name}: mean queue, with {FULL} instead of {EMPTY} behind it"
        paper = "not influenced" if windows else "heavily dependent"
        source = "rwm-2006 sections I and IV"
        yield judge.entry(judged, "downstream", "section IV", what, "20000", paper, ours, source)


@dataclass(frozen=True)
class Runner(Effort):
    """Its campaigns."""

    def _runs(self) -> Iterator[tuple[str, str, Runs]]:
        seeds = self.seeds or (_QUICK_SEEDS if self.quick else None)
        if any(each.startswith(f"{_DELAY}=") for each in self.sets):
            return  # the delays that are compared are given otherwise
        for method, scenario in METHODS.items():
            for delay in (EMPTY, FULL):
                sets = (*self.sets, f"{_DELAY}={delay}")
                wishes = Wishes(methods=(method,), seeds=seeds, sets=sets)
                folder = self.folder / f"downstream-{delay}" / method
                yield method, delay, Runs(f"rwm-2006/{scenario}", wishes, folder)

    def work(self) -> Iterator[Part]:
        """All runs, and the cells of each."""
        for _, _, runs in self._runs():
            yield runs, runs.plan().cells()

    def everything(self) -> Found:
        """The mean queues."""
        found: Found = {}
        for method, delay, runs in self._runs():
            for row in self.rows(runs):
                columns: Mapping[str, Any] = row.columns
                found.setdefault((method, delay), []).append(columns[QUEUE])
        return found


def _entries(found: Found) -> list[Entry]:
    return list(entries(found)) if found else []


def study(effort: Effort) -> Study:
    """What the paper says of routers downstream."""
    runner = Runner(**vars(effort))
    return Study(runner.everything, _entries, work=runner.work)
