# SPDX-License-Identifier: GPL-2.0-only
"""Bulk transfers by iperf3."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from penstock.clients.lab import Lab, Report
from penstock.live.session import Process

_FIRST_PORT: Final = 5201


@dataclass(frozen=True)
class Bulk:
    """`count` connections from one host, of one iperf3; the lab's warm-up is not counted.

    One that starts later counts from `settle_s` after its start.
    """

    needs: ClassVar[Sequence[str]] = ("iperf3",)

    name: str = "bulk"
    count: int = 1
    source: str = "senders"
    sink: str = "receivers"
    start_s: float = 0.0
    settle_s: int = 1
    congestion: str = "cubic"
    port: int = _FIRST_PORT

    def serve(self, lab: Lab) -> None:
        """An iperf3 that serves one client."""
        command = ["iperf3", "--server", "--one-off", "--port", str(self.port)]
        server = lab.spawn(f"the server of {self.name}", self.sink, *command)
        lab.wait_listening(server, self.sink, self.port)

    def start(self, lab: Lab) -> list[Process]:
        """Its client, which ends with the run."""
        omitted_s = self.settle_s if self.start_s else lab.warm_up_s
        seconds = max(1, int(lab.end_s - self.start_s) - omitted_s)
        command = ["iperf3", "--client", lab.address(self.sink), "--port", str(self.port), "--json"]
        command += ["--parallel", str(self.count), "--congestion", self.congestion]
        command += ["--omit", str(omitted_s), "--time", str(seconds)]
        return [lab.spawn(self.name, self.source, *command)]

    def report(self, lab: Lab, processes: Sequence[Process]) -> Report:
        """What its receiver counted, by connection."""
        (process,) = processes
        try:
            found = json.loads(process.text())
            if "error" in found:
                raise RuntimeError(f"iperf3 ({self.name}): {found['error']}")
            streams = found["end"]["streams"]
            return Report([float(each["receiver"]["bits_per_second"]) / 1e6 for each in streams])
        except (ValueError, KeyError):
            raise RuntimeError(f"iperf3 ({self.name}): {process.complaint()}") from None
