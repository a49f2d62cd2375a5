# SPDX-License-Identifier: GPL-2.0-only
"""The runs of log-westwood-2006: three senders over error rates and numbers of flows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from penstock.backends import sim
from penstock.cli import options, run, screen
from penstock.plan.cells import Plan
from penstock.reproduce import log_westwood as paper
from penstock.results import stats
from penstock.runs.campaign import Campaign
from penstock.runs.wishes import Wishes

_SCENARIOS: Final = "log-westwood-2006"
_GOODPUT: Final = "goodput_mbps_total"
_QUICK: Final = ("time.limit=200s",)
_QUICK_SEEDS: Final = "2"
_QUICK_FLOWS: Final = ("1", "10", "30")
_STEPS: Final = 4  # points of Fig. 4 beside the end
_OTHERS: Final = {paper.NEWRENO: "newreno", paper.WESTWOOD: "westwood_plus", "CUBIC": "cubic"}


@dataclass(frozen=True)
class Runner:
    """Where the runs are kept, and how many there are."""

    folder: Path
    workers: int
    seeds: str | None  # as --seeds has them
    quick: bool

    def _plan(self, part: str, sets: Sequence[str], **more: Any) -> tuple[Any, Plan]:
        wishes = Wishes(sets=tuple(sets), **more)
        return options.plan(f"{_SCENARIOS}/{part}", wishes)

    def _play(
        self, name: str, part: str, sets: Sequence[str], **more: Any
    ) -> Iterator[tuple[Mapping[str, Any], Any]]:
        """Rows and series of one combination, from the folder where they are there."""
        loaded, plan = self._plan(part, sets, **more)
        name += " quick" if self.quick else ""  # its time limit is another
        folder = self.folder / part / name.lower().replace(" ", "-").replace(",", "")
        with Campaign("sim", self.workers) as campaign:
            store = campaign.keep_in(folder, loaded)
            run.finish(campaign, run.execute(loaded, plan, campaign))
            for row in store.rows():
                yield row.columns, row.series

    def _seeds(self) -> str | None:
        return self.seeds or (_QUICK_SEEDS if self.quick else None)

    def windows(self, found: paper.Found) -> None:
        """Fig. 3."""
        for sender, sets in paper.SENDERS.items():
            for _, series in self._play(sender, "window", sets):
                found.windows[sender] = series

    def errors(self, found: paper.Found) -> None:
        """Figs. 4 to 7. Without errors nothing is drawn, and one seed does."""
        limit = _QUICK if self.quick else ()
        for sender, sets in paper.READINGS.items():
            for rate in paper.ERROR_RATES:
                seeds = "1" if rate == "0" else self._seeds()
                wishes = (*sets, f"link.bottleneck.loss={rate}", *limit)
                rows = self._play(f"{sender} {rate}", "errors", wishes, seeds=seeds)
                mean = stats.mean([row[_GOODPUT] for row, _ in rows])
                assert mean is not None
                found.errors[sender, rate] = mean

    def growth(self, found: paper.Found) -> None:
        """Fig. 4: packets acknowledged over time, by runs that end earlier."""
        last_s = 200 if self.quick else 2000
        for sender, sets in paper.SENDERS.items():
            for step in range(1, _STEPS + 1):
                end_s = last_s * step // _STEPS
                wishes = (*sets, f"time.limit={end_s}s")
                for row, _ in self._play(f"{sender} {end_s}", "errors", wishes, seeds="1"):
                    packets = row[_GOODPUT] * 1e6 / 8 * end_s / paper.SEGMENT_BYTES
                    found.growth.setdefault(sender, []).append((end_s, packets))

    def flows(self, found: paper.Found) -> None:
        """Fig. 8."""
        limit = _QUICK if self.quick else ()
        flows = _QUICK_FLOWS if self.quick else ()
        for sender, sets in paper.SENDERS.items():
            by_count: dict[int, list[float]] = {}
            rows = self._play(sender, "flows", (*sets, *limit), seeds=self._seeds(), flows=flows)
            for row, _ in rows:
                by_count.setdefault(row["flows"], []).append(row[_GOODPUT])
            for count, values in by_count.items():
                mean = stats.mean(values)
                assert mean is not None
                found.flows[sender, count] = mean

    def friendliness(self, found: paper.Found) -> None:
        """The bytes of each group, which rows do not have."""
        for other, name in _OTHERS.items():
            sets = (f"tcp.other.congestion={name}", *(_QUICK if self.quick else ()))
            _, plan = self._plan("friendliness", sets, seeds=self._seeds())
            for count in plan.flows:
                ours = total = 0
                for seed in plan.seeds:
                    cell = plan.cell("droptail", plan.receivers[0], count, seed)
                    _, result = sim.play(cell)
                    delivered = result.flows["delivered_bytes"]
                    ours += int(delivered[:count].sum())
                    total += int(delivered.sum())
                found.shares[other, count] = ours / total

    def everything(self) -> paper.Found:
        """All runs of the paper."""
        found = paper.Found()
        for step in (self.windows, self.errors, self.growth, self.flows, self.friendliness):
            step(found)
        screen.say(f"results: {self.folder}")
        return found
