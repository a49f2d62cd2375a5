# SPDX-License-Identifier: GPL-2.0-only
"""The backend of ns-3: the same cells, methods and columns, played by ns-3's TCP and queues.

The network is recorded as text, one line a thing, and given to a runner (ns3/lab) that is
compiled once for each version of ns-3 and of the sources; its result is JSON.
"""

import functools
import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.backends import Row, ns3_runner
from penstock.plan import build
from penstock.plan.cells import Cell
from penstock.results import groups, metrics

# Queue disciplines that decide as packets leave, or hold several queues: the module has one FIFO.
_NOT_HERE: Final = ("codel", "fq_codel")
_CONFIG: Final = 78  # the runner's exit code for a network that ns-3 cannot run

# Fields of sim/tcp/config.h that a scenario does not set, with their defaults there.
_SENDER: Final = {"rto_granularity_ns": 200_000_000, "dupack_threshold": 3}
_SENDER_FIELDS: Final = (
    "method",
    "mss_bytes",
    "initial_window_segments",
    "initial_rto_ns",
    "min_rto_ns",
    "rto_granularity_ns",
    "dupack_threshold",
    "sack",
    "timestamps",
    "window_scale",
    "limited_transmit",
    "ecn",
    "nagle",
    "pacing",
)
_RECEIVER_FIELDS: Final = (
    "buffer_bytes",
    "mss_bytes",
    "delayed_ack_segments",
    "delayed_ack_ns",
    "sack",
    "timestamps",
    "window_scale",
    "ecn",
)


def _text(value: object) -> str:
    """A value as the runner reads it."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(str(each) for each in value)
    return str(value)


def _line(what: str, **fields: object) -> str:
    return " ".join([what, *(f"{name}={_text(value)}" for name, value in fields.items())])


class Result:
    """What _native.Result has, read from the runner's JSON. Flows have fewer columns."""

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


def _arrays(columns: Mapping[str, Any]) -> dict[str, NDArray[np.int64]]:
    return {name: np.array(values, dtype=np.int64) for name, values in columns.items()}


class Network:
    """Records what _native.Network would be told; run() gives it to ns-3.

    `law` says whose congestion control the senders have: ns-3's own, or core's within
    ns-3's TCP. `checksums` makes ns-3 compute and verify them.
    """

    def __init__(self, seed: int, *, law: str = "ns3", checksums: bool = False) -> None:
        self.seed = seed
        self.law = law
        self.checksums = checksums
        self.lines: list[str] = []
        self._counts = {"node": 0, "link": 0, "flow": 0}

    def _add(self, count: str, line: str) -> int:
        number = self._counts[count]
        self._counts[count] += 1
        self.lines.append(line)
        return number

    def node(self, name: str) -> int:
        """As _native.Network.node."""
        return self._add("node", _line("node", name=name))

    def link(
        self,
        src: int,
        dst: int,
        *,
        rate_bps: int,
        delay_ns: int,
        mtu_bytes: int = 1500,
        overhead_bytes: int = 0,
        queue_bytes: int = 0,
        queue_packets: int = 0,
        loss_ratio: float = 0.0,
        drop_data_packets: Sequence[int] = (),
    ) -> int:
        """As _native.Network.link; ns-3 needs one for each direction."""
        return self._add(
            "link",
            _line(
                "link",
                src=src,
                dst=dst,
                rate_bps=rate_bps,
                delay_ns=delay_ns,
                mtu_bytes=mtu_bytes,
                overhead_bytes=overhead_bytes,
                queue_bytes=queue_bytes,
                queue_packets=queue_packets,
                loss_ratio=loss_ratio,
                drop_data_packets=drop_data_packets,
            ),
        )

    def radio(
        self,
        access_point: int,
        station: int,
        *,
        medium: str,
        distance_m: float,
        mtu_bytes: int,
        queue_bytes: int,
        queue_packets: int,
    ) -> tuple[int, int]:
        """Joins a station to an access point; the links to it and from it.

        The access point has one queue, of which the first such link's limits, gateway and
        counters are those of all.
        """
        ends = ((access_point, station), (station, access_point))
        limits = ((queue_bytes, queue_packets), (0, 0))
        forward, back = (
            self._add(
                "link",
                _line(
                    "radio",
                    src=src,
                    dst=dst,
                    medium=medium,
                    distance_mm=round(1000 * distance_m),
                    mtu_bytes=mtu_bytes,
                    queue_bytes=bytes_,
                    queue_packets=packets,
                ),
            )
            for (src, dst), (bytes_, packets) in zip(ends, limits, strict=True)
        )
        return forward, back

    def gateway(
        self,
        link: int,
        *,
        discipline: str,
        law: str,
        signal: str,
        mode: str,
        params: Mapping[str, int],
    ) -> None:
        """As _native.Network.gateway. ValueError for a discipline that needs another queue."""
        if discipline in _NOT_HERE:
            raise ValueError(
                f"{discipline} decides as packets leave its queues, and the ns-3 module has one "
                "FIFO; run it without --backend ns3"
            )
        parts = {"discipline": discipline, "law": law, "signal": signal, "mode": mode}
        fields = {f"param.{name}": value for name, value in params.items()}
        self.lines.append(_line("gateway", link=link, **parts, **fields))

    def tcp(
        self,
        src: int,
        dst: int,
        *,
        start_ns: int,
        size_bytes: int,
        sender: Mapping[str, Any],
        receiver: Mapping[str, Any],
    ) -> int:
        """As _native.Network.tcp. ValueError for receivers that autotune: ns-3's do not."""
        if receiver.get("autotune"):
            raise ValueError("ns-3's receivers do not autotune; give --receivers BYTES")
        whole = {**_SENDER, **sender}
        fields: dict[str, object] = {"law": self.law}
        fields |= {f"sender.{name}": whole[name] for name in _SENDER_FIELDS}
        fields |= {f"param.{name}": value for name, value in whole.get("params", {}).items()}
        fields |= {f"receiver.{name}": receiver[name] for name in _RECEIVER_FIELDS}
        line = _line("tcp", src=src, dst=dst, start_ns=start_ns, size_bytes=size_bytes, **fields)
        return self._add("flow", line)

    def udp(
        self, src: int, dst: int, *, start_ns: int, stop_ns: int, rate_bps: int, payload_bytes: int
    ) -> int:
        """As _native.Network.udp."""
        line = _line(
            "udp",
            src=src,
            dst=dst,
            start_ns=start_ns,
            stop_ns=stop_ns,
            rate_bps=rate_bps,
            payload_bytes=payload_bytes,
        )
        return self._add("flow", line)

    def sample(self, interval_ns: int, links: Sequence[int], flows: Sequence[int]) -> None:
        """As _native.Network.sample."""
        self.lines.append(_line("sample", interval_ns=interval_ns, links=links, flows=flows))

    def trace(self, *, flows: Sequence[int] = (), links: Sequence[int] = ()) -> None:
        """Keeps every event at these senders and every event at these links' gateways."""
        self.lines.append(_line("trace", flows=flows, links=links))

    def pcap(self, link: int, path: str) -> None:
        """As _native.Network.pcap."""
        self.lines.append(f"pcap {link} {path}")

    def description(self, until_ns: int) -> str:
        """The text that the runner reads."""
        head = _line("run", seed=self.seed, until_ns=until_ns, checksums=self.checksums)
        return "\n".join([head, *self.lines]) + "\n"

    def run(self, until_ns: int) -> Result:
        """As _native.Network.run. ValueError for what ns-3 cannot do, RuntimeError if it fails."""
        done = subprocess.run(
            [str(ns3_runner.path())],
            input=self.description(until_ns),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == _CONFIG:
            raise ValueError(done.stderr.strip())
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"ns-3 failed (exit {done.returncode}): {last}")
        return Result(json.loads(done.stdout))


class Ns3:
    """Runs cells in ns-3, each in a process of its own; `law` as Network takes it."""

    needs_process = True

    def __init__(self, engine: str, law: str = "ns3") -> None:
        self.engine = engine
        self._make = functools.partial(Network, law=law)

    def run(self, cell: Cell) -> Row:
        """Runs one cell to its end or to the scenario's time limit."""
        if cell.scenario.time.warm_up:
            raise ValueError("the ns3 backend counts from the start; leave time.warm_up out")
        built = build.network(cell, self._make)
        begin = time.perf_counter()
        result = built.network.run(cell.scenario.time.limit)
        wall_s = time.perf_counter() - begin
        columns = metrics.columns(cell, result, built.measured, wall_s)
        by_group = groups.rows(cell.scenario, result, built.groups)
        sample = cell.scenario.sample
        if not (sample and cell.sampled):
            return Row(columns, groups=by_group)
        return Row(columns, metrics.series(result, sample.until), by_group)


@functools.cache
def backend() -> Ns3:
    """The backend, its runner compiled; exit 69 where ns-3 is not installed."""
    ns3_runner.path()
    return Ns3(f"ns3 {ns3_runner.version()} {ns3_runner.fingerprint()}")
