# SPDX-License-Identifier: GPL-2.0-only
"""The backend of ns-3: the same cells, methods and columns, played by ns-3's TCP and queues.

A runner (ns3/lab), compiled once for each version of ns-3 and of the sources, is given the
network as text; its result is JSON.
"""

import functools
import json
import subprocess
import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.plan.build import build, clock
from penstock.plan.cells import Cell
from penstock.plan.network import Clock, Network
from penstock.results.row import Row
from penstock.runs.backends import ns3_runner, ns3_text, rows, whole
from penstock.runs.backends.ns3_text import Options

_CONFIG: Final = 78  # the runner's exit code for a network that ns-3 cannot run
_COMPLAINTS: Final = ("NS_ASSERT", "NS_ABORT", "NS_FATAL_ERROR", "msg=", "aborted.")
_PLAIN: Final = Options()


class Result:
    """The counterpart of _native.Result, from the runner's JSON. Flows have fewer columns."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.end_ns: int = content["end_ns"]
        self.events: int = content["events"]
        self.all_done: bool = content["all_done"]
        self.flows = _arrays(content["flows"])
        self.series = _arrays(content["series"])
        self.groups: list[dict[str, Any]] = []

    def queue(self, link: int) -> dict[str, float]:
        """Counters of the queue of `link`."""
        counters: dict[str, float] = self.content["queues"][str(link)]
        return counters

    def delay_quantiles_ns(self, link: int) -> list[float]:
        """Of the packets that left it."""
        quantiles: list[float] = self.content["delay_quantiles_ns"][str(link)]
        return quantiles


def _arrays(columns: Mapping[str, Any]) -> dict[str, NDArray[np.int64]]:
    return {name: np.array(values, dtype=np.int64) for name, values in columns.items()}


def _reason(said: str) -> str:
    """What ns-3 says last before it ends, which is not why."""
    lines = said.strip().splitlines() or ["no message"]
    return next((line for line in lines if line.startswith(_COMPLAINTS)), lines[-1])


def play(network: Network, clock: Clock, options: Options = _PLAIN) -> Result:
    """Runs a network. ValueError for features that ns-3 lacks, RuntimeError on failure."""
    done = subprocess.run(
        [str(ns3_runner.path())],
        input=ns3_text.description(network, clock, options),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode == _CONFIG:
        raise ValueError(done.stderr.strip())
    if done.returncode:
        raise RuntimeError(f"ns-3 failed (exit {done.returncode}): {_reason(done.stderr)}")
    return Result(json.loads(done.stdout))


class Ns3:
    """Runs cells in ns-3, each in a process of its own; `law` as Options has it."""

    needs_process = True

    def __init__(self, engine: str, law: str = "ns3") -> None:
        self.engine = engine
        self._options = Options(law)

    def run(self, cell: Cell) -> Row:
        """Runs one cell to its end or to the scenario's time limit."""
        if cell.scenario.time.warm_up:
            raise ValueError("the ns3 backend counts from the start; leave time.warm_up out")
        built = build(cell)
        begin = time.perf_counter()
        with whole.captures(built.network) as network:
            result = play(network, clock(cell), self._options)
        wall_s = time.perf_counter() - begin
        return rows.row(cell, built, result, wall_s)


@functools.cache
def backend() -> Ns3:
    """The backend with its compiled runner; exit 69 if ns-3 is not installed."""
    ns3_runner.path()
    return Ns3(f"ns3 {ns3_runner.version()} {ns3_runner.fingerprint()} {rows.digest()}")
