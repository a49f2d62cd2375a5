# SPDX-License-Identifier: GPL-2.0-only
"""Bulk transfers by iperf3."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from penstock.runs.clients.lab import Lab, Report, path_of
from penstock.runs.live.session import Process, inside, run

Cheat = Literal["", "window", "ect1"]

_FIRST_PORT: Final = 5201
# By nft(8), in the sender's host, on its connections to {port}.
_CHEATS: Final = {
    "window": ("input", "tcp sport {port} tcp window set 65535"),
    "ect1": ("output", "tcp dport {port} {ip} ecn set ect1"),
}


@dataclass(frozen=True)
class Bulk:
    """`count` connections from one host, of one iperf3; the lab's warm-up is not counted.

    One that starts later counts from `settle_s` after its start. A sender that cheats takes each
    window for the largest one, or claims to obey marks (ECT(1)).
    """

    name: str = "bulk"
    count: int = 1
    source: str = "senders"
    sink: str = "receivers"
    start_s: float = 0.0
    settle_s: int = 1
    congestion: str = "cubic"
    cheat: Cheat = ""
    port: int = _FIRST_PORT

    @property
    def needs(self) -> Sequence[str]:
        """A cheat changes packets."""
        return ("iperf3", "nft") if self.cheat else ("iperf3",)

    def _mangle(self, lab: Lab) -> None:
        hook, rule = _CHEATS[self.cheat]
        text = rule.format(port=self.port, ip="ip6" if lab.version == 6 else "ip")
        chain = f"type filter hook {hook} priority mangle; {text};"
        rules = f"table inet penstock {{ chain cheat {{ {chain} }}\n}}\n"
        run([*inside(lab.net.spaces[self.source], path_of("nft")), "-f", "-"], rules)

    def serve(self, lab: Lab) -> None:
        """An iperf3 that serves one client."""
        if self.cheat:
            self._mangle(lab)
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
