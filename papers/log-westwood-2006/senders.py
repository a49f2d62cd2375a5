# SPDX-License-Identifier: GPL-2.0-only
"""Figs. 3 to 8: three senders over error rates and numbers of flows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import plotly.graph_objects as go
import senders_stated as stated

from penstock.api.reproduce.runs import Effort, Part, Runs
from penstock.api.reproduce.study import Study
from penstock.plan.cells import Plan
from penstock.results import stats
from penstock.runs.backends import sim
from penstock.runs.wishes import Wishes
from penstock.view.report import curves

_SCENARIOS: Final = "log-westwood-2006"
_SHOWN_S: Final = (100.0, 150.0)  # Fig. 3 shows 50 s
_GOODPUT: Final = "goodput_mbps_total"
_QUICK: Final = ("time.limit=200s",)
_QUICK_SEEDS: Final = "2"
_QUICK_FLOWS: Final = ("1", "10", "30")
_STEPS: Final = 4  # points of Fig. 4 beside the end
_OTHERS: Final = {stated.NEWRENO: "newreno", stated.WESTWOOD: "westwood_plus", "CUBIC": "cubic"}


@dataclass(frozen=True)
class Runner(Effort):
    """Its campaigns."""

    def _runs(self, name: str, part: str, sets: Sequence[str], **more: Any) -> Runs:
        wishes = Wishes(sets=(*self.sets, *sets), **more)
        name += " quick" if self.quick else ""  # its time limit is another
        folder = self.folder / part / name.lower().replace(" ", "-").replace(",", "")
        return Runs(f"{_SCENARIOS}/{part}", wishes, folder)

    def _rows(self, runs: Runs) -> Iterator[Mapping[str, Any]]:
        for row in self.rows(runs):
            yield row.columns

    def _seeds(self) -> str | None:
        return self.seeds or (_QUICK_SEEDS if self.quick else None)

    def _windows(self) -> dict[str, Runs]:
        return {
            sender: self._runs(sender, "window", sets) for sender, sets in stated.SENDERS.items()
        }

    def _errors(self) -> dict[tuple[str, str], Runs]:
        """By sender and error rate. Without errors nothing is drawn, and one seed does."""
        limit = _QUICK if self.quick else ()
        return {
            (sender, rate): self._runs(
                f"{sender} {rate}",
                "errors",
                (*sets, f"link.bottleneck.loss={rate}", *limit),
                seeds="1" if rate == "0" else self._seeds(),
            )
            for sender, sets in stated.READINGS.items()
            for rate in stated.ERROR_RATES
        }

    def _growth(self) -> dict[tuple[str, int], Runs]:
        """By sender and the second that the run ends at."""
        last_s = 200 if self.quick else 2000
        ends = [last_s * step // _STEPS for step in range(1, _STEPS + 1)]
        return {
            (sender, end_s): self._runs(
                f"{sender} {end_s}", "errors", (*sets, f"time.limit={end_s}s"), seeds="1"
            )
            for sender, sets in stated.SENDERS.items()
            for end_s in ends
        }

    def _flows(self) -> dict[str, Runs]:
        limit = _QUICK if self.quick else ()
        more: dict[str, Any] = {"seeds": self._seeds()}
        more["flows"] = _QUICK_FLOWS if self.quick else ()
        return {
            sender: self._runs(sender, "flows", (*sets, *limit), **more)
            for sender, sets in stated.SENDERS.items()
        }

    def _friendliness(self) -> dict[str, Plan]:
        """By the other sender."""
        limit, found = _QUICK if self.quick else (), {}
        for other, name in _OTHERS.items():
            wishes = Wishes(
                seeds=self._seeds(), sets=(*self.sets, f"tcp.other.congestion={name}", *limit)
            )
            _, found[other] = self.plan(f"{_SCENARIOS}/friendliness", wishes)
        return found

    def work(self) -> Iterator[Part]:
        """All runs of the paper, and the cells of each."""
        steps = (self._windows(), self._errors(), self._growth(), self._flows())
        for runs in (each for step in steps for each in step.values()):
            yield runs, runs.plan().cells()
        for plan in () if self.own else self._friendliness().values():
            yield None, plan.cells()  # not kept

    def windows(self, found: stated.Found) -> None:
        """Fig. 3."""
        for sender, runs in self._windows().items():
            for row in self.rows(runs):
                assert row.series is not None
                found.windows[sender] = row.series

    def errors(self, found: stated.Found) -> None:
        """Figs. 4 to 7."""
        for key, runs in self._errors().items():
            mean = stats.mean([row[_GOODPUT] for row in self._rows(runs)])
            assert mean is not None
            exact = key[1] == "0"  # nothing is drawn
            found.errors[key] = replace(mean, half=0.0) if exact else mean

    def growth(self, found: stated.Found) -> None:
        """Fig. 4: packets acknowledged over time, by runs that end earlier."""
        for (sender, end_s), runs in self._growth().items():
            for row in self._rows(runs):
                packets = row[_GOODPUT] * 1e6 / 8 * end_s / stated.SEGMENT_BYTES
                found.growth.setdefault(sender, []).append((end_s, packets))

    def flows(self, found: stated.Found) -> None:
        """Fig. 8."""
        for sender, runs in self._flows().items():
            by_count: dict[int, list[float]] = {}
            for row in self._rows(runs):
                by_count.setdefault(row["flows"], []).append(row[_GOODPUT])
            for count, values in by_count.items():
                mean = stats.mean(values)
                assert mean is not None
                found.flows[sender, count] = mean

    def friendliness(self, found: stated.Found) -> None:
        """The bytes of each group, which rows do not have."""
        for other, plan in self._friendliness().items():
            for count in plan.flows:
                ours = total = 0
                for seed in plan.seeds:
                    cell = plan.cell("droptail", plan.receivers[0], count, seed)
                    _, result = sim.play(cell)
                    delivered = result.flows["delivered_bytes"]
                    ours += int(delivered[:count].sum())
                    total += int(delivered.sum())
                found.shares[other, count] = ours / total

    def everything(self) -> stated.Found:
        """All runs of the stated."""
        found = stated.Found()
        steps = (self.windows, self.errors, self.growth, self.flows)
        for step in steps if self.own else (*steps, self.friendliness):
            step(found)
        self.console.say(f"results: {self.folder}")
        return found


def _curve(figure: go.Figure, name: str, points: Sequence[tuple[float, float]], index: int) -> None:
    curves.line(figure, name, [x for x, _ in points], [y for _, y in points], index)


def _window_plot(found: stated.Found) -> go.Figure:
    figure = curves.chart("time, s", "congestion window, segments")
    for index, (sender, series) in enumerate(found.windows.items()):
        points = [
            (time, window / stated.SEGMENT_BYTES)
            for time, window in zip(series["time_s"], series["cwnd_bytes"][0], strict=True)
            if _SHOWN_S[0] <= time <= _SHOWN_S[1]
        ]
        _curve(figure, sender, points, index)
    return figure


def _growth_plot(found: stated.Found) -> go.Figure:
    figure = curves.chart("time, s", "packets acknowledged")
    for index, (sender, points) in enumerate(found.growth.items()):
        _curve(figure, sender, [(0.0, 0.0), *points], index)
    return figure


def _error_plot(found: stated.Found) -> go.Figure:
    figure = curves.chart("packet error rate (leftmost: none)", "throughput, Mbit/s")
    figure.update_xaxes(type="category")
    for index, sender in enumerate(stated.READINGS):
        means = [found.errors[sender, rate].mean for rate in stated.ERROR_RATES]
        figure.add_scatter(
            x=list(stated.ERROR_RATES),
            y=means,
            name=sender,
            line={"color": curves.colour(index)},
            error_y={"array": [found.errors[sender, r].half or 0 for r in stated.ERROR_RATES]},
        )
    return figure


def _ratio_plot(found: stated.Found) -> go.Figure:
    figure = curves.chart("packet error rate (leftmost: none)", "LogWestwood+ / other")
    figure.update_xaxes(type="category")
    for index, other in enumerate((stated.WESTWOOD, stated.NEWRENO), start=1):
        ratios = [
            found.errors[stated.LOG, rate].mean / found.errors[other, rate].mean
            for rate in stated.ERROR_RATES
        ]
        figure.add_scatter(
            x=list(stated.ERROR_RATES),
            y=ratios,
            name=f"against {other}",
            line={"color": curves.colour(index)},
        )
    return figure


def _flows_plot(found: stated.Found) -> go.Figure:
    figure = curves.chart("flows", "aggregated throughput, Mbit/s")
    for index, sender in enumerate(stated.SENDERS):
        counts = sorted(count for name, count in found.flows if name == sender)
        curves.line(figure, sender, counts, [found.flows[sender, n].mean for n in counts], index)
    return figure


def plots(found: stated.Found) -> list[tuple[str, go.Figure]]:
    """The paper's figures."""
    return [
        ("Fig. 3: window", _window_plot(found)),
        ("Fig. 4: packets acknowledged, no errors", _growth_plot(found)),
        ("Figs. 5 and 6: throughput over the error rate", _error_plot(found)),
        ("Fig. 7: improvement by LogWestwood+", _ratio_plot(found)),
        ("Fig. 8: 1 to 30 flows", _flows_plot(found)),
    ]


def study(effort: Effort) -> Study:
    """The whole paper."""
    runner = Runner(**vars(effort))
    return Study(runner.everything, stated.entries, plots, runner.work)
