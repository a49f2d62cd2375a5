# SPDX-License-Identifier: GPL-2.0-only
"""Web users behind six base stations, two loads: Tables 16.1 to 17.2, and queues over time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from radio_access_expected import QUEUES, STATED, TABLES, Gain, Table

from penstock.api.reproduce.runs import Effort, Part, Runs
from penstock.api.reproduce.study import Study
from penstock.results import comparison, judge, stats
from penstock.results.entries import DIFFERS, NOT_STATED, Entry
from penstock.results.judge import Judged, Stated
from penstock.results.row import Row
from penstock.runs.wishes import Wishes
from penstock.view.report import curves

_FOLDER: Final = "nis-2004/part-2"
_OWN, _BEYOND = "radio-access", "beyond"  # what the paper compares, and other methods
_BESIDE: Final = (_BEYOND, "errors", "handover")  # of which the paper states nothing
_FREEZE: Final = "mobility.freeze"
_NS: Final = 1e9
_FULL_S: Final = 16_200  # 18,000 s less the first 1,800 s
_QUICK_S: Final = (1_200, 2_400)
_QUICK_SEEDS: Final = "3"
_SEEDS_BEYOND: Final = "5"  # of what the paper does not have; with --quick as many as of the rest
_SAMPLE: Final = "100ms"
_SHOWN_S: Final = 120.0
_LIMIT_PKTS: Final = 99
LOADS: Final[Mapping[int, str]] = {16: "lower load", 32: "higher load"}  # users in a cell
RUNS: Final = 20  # of each scenario: section 16.1
CELLS: Final = tuple(f"cell_{number}" for number in range(1, 7))
BUSY: Final = CELLS[3:]  # RAN 2
TPO, TPC, LOSSES = "tpo_segments_per_s", "tpc_segments_per_s", "packets_dropped_queue"
METRICS: Final[Mapping[str, str]] = {
    TPO: "overall throughput, segments/s",
    TPC: "throughput of a connection, segments/s",
    LOSSES: "packets lost in the base station",
}
LABELS: Final[Mapping[str, str]] = {
    "droptail": "TCP",
    "ewa": "EWA",
    "fewa": "FEWA",
    "etcp_3": "ETCP",
    "xcp": "XCP",
}
NEXT: Final = ("fxcp", "etcp_1", "etcp_2", "etcp_3b")  # the paper's next steps
TODAY: Final = ("integral", "codel", "codel_ecn", "pie", "pie_ecn", "fq_codel", "fq_codel_ecn")
ERRORS: Final = "5 % loss in the cells"
HANDOVER: Final[Mapping[str, str]] = {  # by mobility.freeze
    "false": "handover",
    "true": "handover with Freeze-TCP",
}
TIMEOUTS: Final = "timeouts"

_LAST_DIGIT: Final = 0.005  # half of it, as printed
_OVER_TCP, _OVER_EWA = 590.0, 25.0  # percent, section E.3.1


@dataclass
class Found:
    """What the runs gave: by method, users in a cell, cell and metric, a value for each seed."""

    values: dict[tuple[str, int, str, str], list[float]] = field(default_factory=dict)
    queues: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    # With errors or handovers, which the paper does not have: by these words, method and users.
    steps: dict[tuple[str, str, int], dict[str, list[float]]] = field(default_factory=dict)
    long_queue: dict[str, list[float]] = field(default_factory=dict)  # (2.17) by method
    # Times in seconds and packets waiting, by method and users in a cell.
    series: dict[tuple[str, int], list[tuple[float, float]]] = field(default_factory=dict)
    per_s: float = 1.0  # the paper's observed seconds over ours, for counts


def dropped(row: Row) -> dict[str, float]:
    """By cell, the packets that its base station dropped: voice too, on the way down alone."""
    queues: Sequence[Mapping[str, Any]] = row.queues
    down = [queue for queue in queues if queue["direction"] == "forward"]
    return {queue["link"]: float(queue["drops"]) for queue in down if queue["link"] in CELLS}


def _number(mean: stats.Mean | None) -> str:
    if mean is None:
        return "-"
    return f"{mean.mean:,.2f}" + (f" ± {mean.half:,.2f}" if mean.half else "")


def _text(methods: Sequence[str], values: Sequence[str], tests: str) -> str:
    parts = (f"{LABELS[m]} {value}" for m, value in zip(methods, values, strict=True))
    return ", ".join(parts) + (f"  {tests}" if tests else "")


def _signed(judged: Judged, ours: str, paper: str) -> Judged:
    """The same, unless a method is better where the paper has the other better."""
    against = any({one, other} == {"+", "-"} for one, other in zip(ours, paper, strict=False))
    if not against:
        return judged
    return Judged(DIFFERS, judged.ratio, "its order", judged.seeds, within=judged.within)


def _rows(table: Table, found: Found) -> Iterator[Entry]:
    for metric, words in METRICS.items():
        scale = found.per_s if metric == LOSSES else 1.0
        for index, cell in enumerate(CELLS):
            ours = [found.values[m, table.users, cell, metric] for m in table.methods]
            better: comparison.Better = "low" if metric == LOSSES else "high"
            tests = "".join(comparison.sign(*two, better) for two in combinations(ours, 2))
            means = [stats.mean([scale * value for value in values]) for values in ours]
            stated, paper = table.values[metric][index], table.tests[metric][index]
            halves = table.halves[metric][cell in BUSY]
            figures = [Stated(p, _LAST_DIGIT, h) for p, h in zip(stated, halves, strict=True)]
            parts = [judge.level(m, figure) for m, figure in zip(means, figures, strict=True)]
            yield judge.entry(
                _signed(judge.together(parts), tests, paper),
                LOADS[table.users],
                table.name,
                f"{words} of {cell.replace('_', ' ')}",
                "373760",
                _text(table.methods, [f"{value:,.2f}" for value in stated], paper),
                _text(table.methods, [_number(mean) for mean in means], tests),
                "nis-2004 chapters 16 and 17",
            )


def _mean(values: Sequence[float]) -> float:
    mean = stats.mean(values)
    assert mean is not None
    return mean.mean


def _queues(found: Found) -> Iterator[Entry]:
    for (method, users), paper in QUEUES.items():
        ours = stats.mean(found.queues[method, users])
        yield judge.entry(
            judge.level(ours, Stated(paper, _LAST_DIGIT, judge.implied(ours, RUNS, found.per_s))),
            LOADS[users],
            "sections 16.4, 17.4",
            f"{LABELS[method]}: mean queue of a base station in RAN 2",
            "373760",
            f"{paper:.2f} packets",
            f"{_number(ours)} packets",
            "nis-2004 sections 16.4 and 17.4",
        )


def _in_ran(found: Found, each: Gain, method: str) -> list[float]:
    """Means over the cells of a RAN, by seed."""
    cells = BUSY if each.ran == 2 else CELLS[:3]
    by_cell = [found.values[method, each.users, cell, each.metric] for cell in cells]
    return [sum(values) / len(cells) for values in zip(*by_cell, strict=True)]


def _gains(found: Found) -> Iterator[Entry]:
    """What the text states in percent."""
    for each in STATED.gain:
        first, second = (_in_ran(found, each, method) for method in (each.over, each.method))
        gain, own = judge.gain(first, second), judge.own_of_gain(first, second, RUNS, found.per_s)
        yield judge.entry(
            judge.effect(gain, Stated(each.percent, each.digit, own)),
            LOADS[each.users],
            f"section {each.section}",
            f"{LABELS[each.method]} against {LABELS[each.over]}: {METRICS[each.metric]}, "
            f"RAN {each.ran}",
            "373760",
            f"{each.percent:+g} %",
            f"{_number(gain)} %",
            f"nis-2004 section {each.section}",
        )


def _others(found: Found) -> Iterator[Entry]:
    """The methods that the paper names as its next step, and today's, in RAN 2."""
    for users, load in LOADS.items():
        for method in (*NEXT, *TODAY):
            if (method, users, BUSY[0], TPO) not in found.values:
                continue
            means = {
                metric: _mean([v for c in BUSY for v in found.values[method, users, c, metric]])
                for metric in METRICS
            }
            lost = means[LOSSES] * found.per_s
            text = f"{means[TPO]:.2f} and {means[TPC]:.2f} segments/s, {lost:,.0f} lost in a cell"
            yield Entry(load, "beyond", f"{method}, RAN 2", "373760", "-", text, NOT_STATED, "")


def _steps(found: Found) -> Iterator[Entry]:
    """Errors and handover, over all cells."""
    for (words, method, users), values in found.steps.items():
        means = {metric: _mean(values[metric]) for metric in (TPO, TPC, TIMEOUTS)}
        timeouts = means[TIMEOUTS] * found.per_s
        text = f"{means[TPO]:.2f} and {means[TPC]:.2f} segments/s, {timeouts:,.0f} timeouts a cell"
        what = f"{LABELS[method]}, {words}"
        yield Entry(LOADS[users], "beyond", what, "373760", "-", text, NOT_STATED, "")


def _long_queue(found: Found) -> Iterator[Entry]:
    """Section E.3.1; its rates and numbers of connections are ours."""
    if not found.long_queue:
        return
    tcp, ewa, fewa = (found.long_queue[method] for method in ("droptail", "ewa", "fewa"))
    over_tcp, over_ewa = judge.gain(tcp, fewa), judge.gain(ewa, fewa)
    parts = (
        judge.effect(over_tcp, Stated(_OVER_TCP, 0.5), "+"),
        judge.inside(over_ewa, _OVER_EWA, math.inf),
    )
    yield judge.entry(
        judge.together(parts),
        "B = 999",
        "section E.3.1",
        "overall throughput of web users, FEWA over TCP and EWA",
        "373760",
        f"+{_OVER_TCP:.0f} %, more than +{_OVER_EWA:.0f} %",
        f"{_number(over_tcp)} %, {_number(over_ewa)} %",
        "nis-2004 section E.3.1",
    )


def entries(found: Found) -> list[Entry]:
    """All statements."""
    tables = [entry for table in TABLES for entry in _rows(table, found)]
    beyond = [*_others(found), *_steps(found)]
    return [*tables, *_queues(found), *_gains(found), *_long_queue(found), *beyond]


def throughput(row: Row, name: str) -> float:
    """The overall throughput of a group of users."""
    groups: Sequence[Mapping[str, Any]] = row.groups
    return float(next(group[TPO] for group in groups if group["group"] == name))


@dataclass(frozen=True)
class Runner(Effort):
    """Its campaigns."""

    def _limits(self) -> Sequence[str]:
        if not self.quick:
            return self.sets
        warm_up, limit = _QUICK_S
        every = {"time.limit": limit, "time.warm_up": warm_up}
        given = {each.partition("=")[0] for each in self.sets}
        return *self.sets, *(f"{key}={value}s" for key, value in every.items() if key not in given)

    def _runs(self) -> dict[str, Runs]:
        """All runs, by part; with `own` those of the paper's statements."""
        limits = tuple(self._limits())
        seeds = self.seeds or (_QUICK_SEEDS if self.quick else None)
        few = seeds or _SEEDS_BEYOND
        measured, others = tuple(LABELS), (*NEXT, *TODAY)
        sampled = (*limits, f"sample.interval={_SAMPLE}")
        every = {
            _OWN: (f"{_FOLDER}/radio-access", Wishes(methods=measured, seeds=seeds, sets=limits)),
            _BEYOND: (f"{_FOLDER}/radio-access", Wishes(methods=others, seeds=few, sets=limits)),
            "errors": (f"{_FOLDER}/errors", Wishes(seeds=few, sets=limits)),
            "handover": (f"{_FOLDER}/handover", Wishes(seeds=few, sets=limits)),
            "long-queue": (f"{_FOLDER}/long-queue", Wishes(seeds=few, sets=limits)),
            "queue": (f"{_FOLDER}/radio-access", Wishes(methods=measured, seeds="1", sets=sampled)),
        }
        suffix = "-quick" if self.quick else ""
        return {
            part: Runs(scenario, wishes, self.folder / (part + suffix))
            for part, (scenario, wishes) in every.items()
            if not (self.own and part in _BESIDE)
        }

    @cached_property
    def observed_s(self) -> tuple[float, float]:
        """From when to when the runs count."""
        time = self._runs()[_OWN].plan().scenario.time
        return (time.warm_up or 0) / _NS, time.limit / _NS

    def work(self) -> Iterator[Part]:
        """All runs, and the cells of each."""
        for runs in self._runs().values():
            yield runs, runs.plan().cells()

    def _play(self, part: str) -> Iterator[Row]:
        return self.rows(self._runs()[part])

    def _queue(self, found: Found) -> None:
        """The queue of the measured base station over time, of one seed."""
        for row in self._play("queue"):
            columns: Mapping[str, Any] = row.columns
            assert row.series is not None
            samples = zip(row.series["time_s"], row.series["queue_packets"], strict=True)
            place = columns["method"], columns["flows"]
            begin_s, _ = self.observed_s
            found.series[place] = [(t, float(packets)) for t, packets in samples if t >= begin_s]

    def everything(self) -> Found:
        """All runs of Part II."""
        found = Found()
        begin_s, end_s = self.observed_s
        found.per_s = _FULL_S / (end_s - begin_s)
        self._tables(found, _OWN)
        if not self.own:
            self._tables(found, _BEYOND)
            self._steps(found)
        for row in self._play("long-queue"):
            columns: Mapping[str, Any] = row.columns
            found.long_queue.setdefault(columns["method"], []).append(throughput(row, "web"))
        self._queue(found)
        self.console.say(f"results: {self.folder}")
        return found

    def _steps(self, found: Found) -> None:
        """What the paper names as its next step: errors on the last hop, and handover."""
        for row in self._play("errors"):
            self._keep(found, ERRORS, row)
        for row in self._play("handover"):
            columns: Mapping[str, Any] = row.columns
            self._keep(found, HANDOVER[columns[_FREEZE]], row)

    def _keep(self, found: Found, words: str, row: Row) -> None:
        """The means of a run over its cells."""
        columns: Mapping[str, Any] = row.columns
        cells: Sequence[Mapping[str, Any]] = row.groups
        cells = [group for group in cells if group["group"] in CELLS]
        values = found.steps.setdefault((words, columns["method"], columns["flows"]), {})
        for metric in (TPO, TPC, TIMEOUTS):
            mean = sum(group[metric] for group in cells) / len(cells)
            values.setdefault(metric, []).append(mean)

    def _tables(self, found: Found, part: str) -> None:
        """Throughputs, losses and the mean queue of each run."""
        for row in self._play(part):
            columns: Mapping[str, Any] = row.columns
            method, users = columns["method"], columns["flows"]
            found.queues.setdefault((method, users), []).append(columns["queue_packets_mean"])
            groups: Sequence[Mapping[str, Any]] = row.groups
            lost = dropped(row)
            for group in groups:
                if group["group"] not in CELLS:
                    continue
                for metric in METRICS:
                    key = method, users, group["group"], metric
                    value = lost[group["group"]] if metric == LOSSES else group[metric]
                    found.values.setdefault(key, []).append(value)


def _process(found: Found, users: int) -> go.Figure:
    figure = curves.chart("time, s", "queue, packets")
    for index, method in enumerate(LABELS):
        samples = found.series[method, users]
        shown = [(t, q) for t, q in samples if t < samples[0][0] + _SHOWN_S]
        times, packets = [t for t, _ in shown], [q for _, q in shown]
        curves.line(figure, LABELS[method], times, packets, index)
    return figure


def _shares(found: Found, method: str, users: int) -> NDArray[np.float64]:
    """Of 0 to 99 packets, how often each was seen."""
    packets = np.array([packets for _, packets in found.series[method, users]])
    counts = np.bincount(packets.round().astype(int), minlength=_LIMIT_PKTS + 1)
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def _histogram(found: Found, users: int) -> go.Figure:
    figure = curves.chart("queue, packets", "share of the time", type="log")
    for index, (method, name) in enumerate(LABELS.items()):
        shares = _shares(found, method, users)
        seen = np.nonzero(shares)[0]
        curves.line(figure, name, seen.tolist(), shares[seen].tolist(), index)
    return figure


def _ccdf(found: Found, users: int) -> go.Figure:
    figure = curves.chart("queue, packets", "share of the time above it", type="log")
    for index, (method, name) in enumerate(LABELS.items()):
        above = 1 - np.cumsum(_shares(found, method, users))
        seen = np.nonzero(above > 1e-9)[0]
        curves.line(figure, name, seen.tolist(), above[seen].tolist(), index)
    return figure


def plots(found: Found) -> Iterator[tuple[str, go.Figure]]:
    """All figures, of both loads."""
    for users, load in LOADS.items():
        yield f"Figs. 16.1, 17.1: queue of a base station in RAN 2, {load}", _process(found, users)
        yield f"Figs. 16.2, 17.2: its histogram, {load}", _histogram(found, users)
        yield f"Figs. 16.3, 17.3: its complementary distribution, {load}", _ccdf(found, users)


def study(effort: Effort) -> Study:
    """All of Part II."""
    runner = Runner(**vars(effort))
    return Study(runner.everything, entries, plots, runner.work)
