# SPDX-License-Identifier: GPL-2.0-only
"""What a plan will cost on this machine: segments, processor time, and time until it is done."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from penstock.plan.cells import Cell
from penstock.plan.work import Work, work
from penstock.runs import backends
from penstock.runs.backends import sim
from penstock.runs.campaign import Campaign

LONG_S: Final = 60.0  # from which on a run says what it will take
_USUAL_NS: Final = 1_000.0  # for a segment, on a processor of 3 GHz
_PROBED: Final = 20_000  # segments that a probe is to carry
_FEWEST: Final = 200  # of which it learns something
_FIRST_S: Final = 2.0
_MOST_TRIED: Final = 32  # runs of a plan of which a part is run
_TRIED_NS: Final = 50_000_000  # that a part of a run takes at least, where it stands for the whole
_NS3_COSTS: Final = 127.0  # times the simulator, in instructions (docs/architecture.md)


@dataclass(frozen=True)
class Estimate:
    """Runs in all and of those that are stored, and what the others will take.

    `at_most` is true where users decide how much they send.
    """

    runs: int
    stored: int
    segments: float
    ns_per_segment: float
    processor_s: float
    workers: int
    elapsed_s: float
    at_most: bool = False

    def describe(self) -> dict[str, Any]:
        """It as one JSON object."""
        found = asdict(self)
        return found | {"segments": round(self.segments)}


def _shorter(cell: Cell, seconds: float) -> Cell:
    limit = min(int(seconds * 1e9), cell.scenario.time.limit)
    clock = cell.scenario.time.model_copy(update={"limit": limit, "warm_up": None})
    scenario = cell.scenario.model_copy(update={"time": clock})
    quiet = replace(cell, pcap_dir=None, pcapng_dir=None, qlog_dir=None, flent_dir=None)
    return replace(quiet, scenario=scenario, sampled=False)


def _carried(cell: Cell, seconds: float) -> tuple[float, float]:
    """Segments of the first seconds of a run, and the nanoseconds that they took."""
    _, made = sim.play(_shorter(cell, 0.0))  # the first touch of everything
    begin = time.process_time_ns()
    _, made = sim.play(_shorter(cell, seconds))
    spent = time.process_time_ns() - begin
    segment = next(iter(cell.scenario.tcp.values())).segment
    delivered = int(made.flows["delivered_bytes"].sum())
    delivered += sum(int(group["delivered_bytes"]) for group in made.groups)
    return delivered / segment, spent


def ns_per_segment(cell: Cell, expected: Work) -> float:
    """The cost of a segment of a run, measured on as much of it as takes some milliseconds."""
    rate = expected.segments / max(expected.seconds, 1e-9)
    seconds = min(_FIRST_S + _PROBED / max(rate, 1e-9), expected.seconds)
    segments, spent = _carried(cell, seconds)
    return spent / segments if segments >= _FEWEST else _USUAL_NS


def _probed(cell: Cell, expected: Work, backend: str) -> float:
    """The cost of a segment there; that of ns-3 follows from the simulator's."""
    if backends.is_linux(backend) or any(backends.lacks("sim", cell.scenario)):
        return _USUAL_NS * (_NS3_COSTS if backend.startswith("ns3") else 1.0)
    try:
        cost = ns_per_segment(cell, expected)
    except (RuntimeError, ValueError, MemoryError):  # the run itself will tell
        cost = _USUAL_NS
    return cost * (_NS3_COSTS if backend.startswith("ns3") else 1.0)


@dataclass(frozen=True)
class _Load:
    """What one cell carries, and its processor time."""

    work: Work
    ns: float


def _tried(cell: Cell, expected: Work) -> _Load:
    """Where users send what the network lets them, no formula tells: a part of the run does."""
    seconds = min(_FIRST_S, expected.seconds)
    segments, spent = _carried(cell, seconds)
    while spent < _TRIED_NS and seconds < expected.seconds:
        seconds = min(4 * seconds, expected.seconds)
        segments, spent = _carried(cell, seconds)
    whole = expected.seconds / seconds
    return _Load(Work(segments * whole, expected.seconds), spent * whole)


def _tried_or_bound(backend: str, cell: Cell, most: Work) -> _Load:
    try:
        load = _tried(cell, most)
    except (RuntimeError, ValueError, MemoryError):  # the run itself will tell
        return _Load(most, most.segments * _USUAL_NS)
    return replace(load, ns=load.ns * (_NS3_COSTS if backend.startswith("ns3") else 1.0))


def _open_loads(backend: str, cells: Sequence[Cell], expected: Sequence[Work]) -> dict[int, _Load]:
    """By number of the cell, the loads that the formula only bounds: some stand for others."""
    here = [
        index
        for index, (cell, most) in enumerate(zip(cells, expected, strict=True))
        if most.bounded and not any(backends.lacks("sim", cell.scenario))
    ]
    if backends.is_linux(backend):
        return {}
    step = -(-len(here) // _MOST_TRIED)
    found: dict[int, _Load] = {}
    for rank, index in enumerate(here):
        if rank % step == 0:
            found[index] = _tried_or_bound(backend, cells[index], expected[index])
            continue
        near, seconds = found[here[rank - 1]], expected[index].seconds
        part = seconds / max(near.work.seconds, 1e-9)
        alike = replace(near.work, segments=near.work.segments * part, seconds=seconds)
        found[index] = _Load(alike, near.ns * part)
    return found


def _loads(backend: str, cells: Sequence[Cell], sure: bool) -> list[_Load]:
    """Of cells that differ; unless `sure`, measured only where it may be long."""
    expected = [work(cell) for cell in cells]
    segments = sum(each.segments for each in expected)
    if not cells or not (sure or segments * _USUAL_NS * 1e-9 > LONG_S / 4):
        return [_Load(each, each.segments * _USUAL_NS) for each in expected]
    tried = _open_loads(backend, cells, expected)
    rest = [index for index in range(len(cells)) if index not in tried]
    cost = _USUAL_NS
    if rest:
        largest = max(rest, key=lambda index: expected[index].segments)
        cost = _probed(cells[largest], expected[largest], backend)
    return [
        tried.get(index) or _Load(each, each.segments * cost) for index, each in enumerate(expected)
    ]


def estimate(campaign: Campaign, cells: Sequence[Cell], sure: bool = True) -> Estimate:
    """What the cells will take; unless `sure`, measured only where it may be long."""
    missing = [cell for cell in cells if not campaign.has(cell)]
    kinds: dict[tuple[int, int], Cell] = {}
    for cell in missing:
        kinds.setdefault((id(cell.scenario), cell.flows), cell)
    loads = dict(zip(kinds, _loads(campaign.backend, list(kinds.values()), sure), strict=True))
    found = [loads[id(cell.scenario), cell.flows] for cell in missing]
    segments = sum(each.work.segments for each in found)
    spent_ns = sum(each.ns for each in found)
    processor = spent_ns * 1e-9
    workers = max(min(campaign.workers, len(missing)), 1)
    elapsed = processor
    if backends.is_linux(campaign.backend):  # as long as on any network
        elapsed = sum(each.work.seconds for each in found)
    return Estimate(
        runs=len(cells),
        stored=len(cells) - len(missing),
        segments=segments,
        ns_per_segment=spent_ns / segments if segments else _USUAL_NS,
        processor_s=processor,
        workers=workers,
        elapsed_s=elapsed / workers,
        at_most=any(each.work.bounded for each in found),
    )
