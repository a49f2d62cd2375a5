# SPDX-License-Identifier: GPL-2.0-only
"""nis-2004 Part II: Tables 16.1, 16.2, 17.1 and 17.2 beside our results."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from penstock.reproduce import judge
from penstock.reproduce.entries import DIFFERS, NOT_STATED, Entry
from penstock.reproduce.judge import Judged, Margin
from penstock.results import comparison, stats

LOADS: Final[Mapping[int, str]] = {16: "lower load", 32: "higher load"}  # users in a cell
CELLS: Final = tuple(f"cell_{number}" for number in range(1, 7))
BUSY: Final = CELLS[3:]  # RAN 2
TPO, TPC, LOSSES = "tpo_segments_per_s", "tpc_segments_per_s", "packets_dropped_queue"
METRICS: Final[Mapping[str, str]] = {
    TPO: "overall throughput, segments/s",
    TPC: "throughput of a connection, segments/s",
    LOSSES: "packets lost",
}
MEASURED: Final = BUSY[0]  # whose base station's own losses there are; of others, all on the way
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
_OVER_EWA: Final = 25.0  # percent, section E.3.1
_NO_LOSS: Final = 0.01  # of the largest count beside it: what counts as equal to the paper's 0

Values = tuple[float, float, float]  # of the table's three methods


@dataclass(frozen=True)
class Table:
    """One table: by metric, the values of cells 1 to 6 and the column of t tests."""

    name: str
    users: int
    methods: tuple[str, str, str]
    values: Mapping[str, Sequence[Values]]
    tests: Mapping[str, Sequence[str]]


_16: Final = ("droptail", "ewa", "fewa")
_17: Final = ("droptail", "etcp_3", "xcp")
_QUIET: Final = ((0.0, 0.0, 0.0),) * 3

TABLES: Final = (
    Table(
        "Table 16.1",
        16,
        _16,
        {
            TPO: (
                (52.77, 52.87, 52.83),
                (52.78, 52.90, 52.69),
                (53.04, 52.84, 52.89),
                (37.78, 37.86, 38.68),
                (37.72, 37.79, 38.78),
                (37.82, 38.04, 38.65),
            ),
            TPC: (
                (47.59, 47.66, 47.67),
                (47.65, 47.67, 47.63),
                (47.71, 47.67, 47.66),
                (36.36, 36.29, 36.46),
                (36.36, 36.31, 36.46),
                (36.36, 36.42, 36.39),
            ),
            LOSSES: (
                *_QUIET,
                (2581.10, 954.30, 0.0),
                (2598.30, 912.70, 0.0),
                (2561.50, 891.55, 0.0),
            ),
        },
        {
            TPO: ("===", "", "===", "=++", "=++", "=++"),
            TPC: ("===", "===", "===", "==+", "==+", "==="),
            LOSSES: ("===", "===", "===", "+++", "+++", "+++"),
        },
    ),
    Table(
        "Table 16.2",
        32,
        _16,
        {
            TPO: (
                (47.72, 47.79, 47.94),
                (47.72, 47.67, 47.91),
                (47.97, 47.67, 47.94),
                (28.31, 28.04, 29.30),
                (28.10, 27.96, 29.48),
                (28.17, 28.11, 29.42),
            ),
            TPC: (
                (44.98, 44.97, 45.09),
                (44.94, 44.96, 45.03),
                (45.06, 44.92, 45.04),
                (30.46, 30.22, 30.34),
                (30.42, 30.14, 30.45),
                (30.35, 30.22, 30.40),
            ),
            LOSSES: (
                *_QUIET,
                (14840.70, 4636.05, 0.0),
                (15196.55, 4706.90, 0.0),
                (14980.55, 4626.10, 0.0),
            ),
        },
        {
            TPO: ("", "", "-==", "=++", "=++", "=++"),
            TPC: ("===", "===", "===", "===", "-==", ""),
            LOSSES: ("===", "===", "===", "+++", "+++", "+++"),
        },
    ),
    Table(
        "Table 17.1",
        16,
        _17,
        {
            TPO: (
                (52.77, 58.88, 54.18),
                (52.78, 59.10, 53.87),
                (53.04, 59.00, 54.10),
                (37.78, 43.50, 34.80),
                (37.72, 43.56, 34.87),
                (37.82, 43.60, 34.83),
            ),
            TPC: (
                (47.59, 58.61, 51.17),
                (47.65, 58.67, 51.07),
                (47.71, 58.60, 51.13),
                (36.36, 42.49, 32.14),
                (36.36, 42.57, 32.09),
                (36.36, 42.60, 32.12),
            ),
            LOSSES: (
                *_QUIET,
                (2581.10, 0.0, 0.0),
                (2598.30, 0.0, 0.0),
                (2561.50, 0.0, 0.0),
            ),
        },
        {
            TPO: ("++-", "++-", "++-", "+--", "+--", "+--"),
            TPC: ("++-", "++-", "++-", "+--", "+--", "+--"),
            LOSSES: ("===", "===", "===", "++=", "++=", "++="),
        },
    ),
    Table(
        "Table 17.2",
        32,
        _17,
        {
            TPO: (
                (47.72, 47.46, 46.89),
                (47.72, 47.91, 46.91),
                (47.97, 47.70, 46.74),
                (28.31, 32.00, 25.87),
                (28.10, 31.73, 25.86),
                (28.17, 32.27, 25.96),
            ),
            TPC: (
                (44.98, 54.16, 45.82),
                (44.94, 54.24, 45.81),
                (45.06, 54.48, 45.86),
                (30.46, 34.92, 26.05),
                (30.42, 34.81, 26.07),
                (30.35, 35.10, 26.08),
            ),
            LOSSES: (
                *_QUIET,
                (14840.70, 0.0, 63.75),
                (15196.55, 0.0, 0.0),
                (14980.55, 0.0, 58.80),
            ),
        },
        {
            TPO: ("=-=", "", "=-=", "+--", "+--", "+--"),
            TPC: ("++-", "++-", "++-", "+--", "+--", "+--"),
            LOSSES: ("===", "===", "===", "++=", "++=", "++="),
        },
    ),
)

# Mean queue of the base stations in RAN 2, packets: sections 16.4 and 17.4.
QUEUES: Final[Mapping[tuple[str, int], float]] = {
    ("droptail", 16): 7.16,
    ("droptail", 32): 19.53,
    ("ewa", 16): 7.21,
    ("ewa", 32): 16.65,
    ("fewa", 16): 4.64,
    ("fewa", 32): 11.41,
    ("etcp_3", 16): 5.37,
    ("etcp_3", 32): 13.57,
    ("xcp", 16): 0.77,
    ("xcp", 32): 1.60,
}


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


def sign(first: Sequence[float], second: Sequence[float], metric: str) -> str:
    """The paper's t test for unpaired observations; ? where a mean has no interval."""
    if min(len(first), len(second)) < 2:
        return "?"
    return comparison.unpaired(first, second).sign("low" if metric == LOSSES else "high")


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


def _where(metric: str, cell: str) -> str:
    if metric != LOSSES:
        return ""
    return " in the base station" if cell == MEASURED else " on the whole way"


def _rows(table: Table, found: Found) -> Iterator[Entry]:
    for metric, words in METRICS.items():
        scale = found.per_s if metric == LOSSES else 1.0
        for index, cell in enumerate(CELLS):
            ours = [found.values[m, table.users, cell, metric] for m in table.methods]
            one, two, three = ours
            tests = sign(one, two, metric) + sign(one, three, metric) + sign(two, three, metric)
            means = [stats.mean([scale * value for value in values]) for values in ours]
            stated, paper = table.values[metric][index], table.tests[metric][index]
            largest = max(value for cells in table.values[metric] for value in cells)
            factor = judge.LOSSES if metric == LOSSES else judge.LEVEL
            margin = Margin(factor, _NO_LOSS * largest, _LAST_DIGIT)
            parts = [judge.level(m, p, margin) for m, p in zip(means, stated, strict=True)]
            yield judge.entry(
                _signed(judge.together(parts), tests, paper),
                LOADS[table.users],
                table.name,
                f"{words}{_where(metric, cell)} of {cell.replace('_', ' ')}",
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
            judge.level(ours, paper, Margin(judge.QUEUE, precision=_LAST_DIGIT)),
            LOADS[users],
            "sections 16.4, 17.4",
            f"{LABELS[method]}: mean queue of a base station in RAN 2",
            "373760",
            f"{paper:.2f} packets",
            f"{_number(ours)} packets",
            "nis-2004 sections 16.4 and 17.4",
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
    tcp, ewa, fewa = (found.long_queue[method] for method in _16)
    over_tcp, over_ewa = judge.gain(tcp, fewa), judge.gain(ewa, fewa)
    parts = judge.inside(over_tcp, 0.0, math.inf), judge.inside(over_ewa, _OVER_EWA, math.inf)
    yield judge.entry(
        judge.together(parts),
        "B = 999",
        "section E.3.1",
        "overall throughput of web users, FEWA over TCP and EWA",
        "373760",
        f"+590 %, more than +{_OVER_EWA:.0f} %",
        f"{_number(over_tcp)} %, {_number(over_ewa)} %",
        "nis-2004 section E.3.1",
    )


def entries(found: Found) -> list[Entry]:
    """All statements."""
    tables = [entry for table in TABLES for entry in _rows(table, found)]
    beyond = [*_others(found), *_steps(found)]
    return [*tables, *_queues(found), *_long_queue(found), *beyond]
