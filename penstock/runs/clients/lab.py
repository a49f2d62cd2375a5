# SPDX-License-Identifier: GPL-2.0-only
"""What a client needs to know of the lab that it runs in, and what it reports."""

import importlib.util
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from penstock.runs.live import network, programs
from penstock.runs.live.busy import BusyError
from penstock.runs.live.network import Network
from penstock.runs.live.session import Process, Session, inside, run

_READY_S: Final = 10.0
_GRACE_S: Final = 180
_POLL_S: Final = 0.02
_LISTENING: Final = "0A"  # Linux, include/net/tcp_states.h
_NS: Final = 1e9


@dataclass(frozen=True)
class Lab:
    """A network that is up, and the times of a run, which begins at `epoch_ns`."""

    session: Session
    net: Network
    hosts: Sequence[str]
    version: int
    epoch_ns: int
    warm_up_s: int
    end_s: int

    def address(self, host: str) -> str:
        """The address of a host."""
        return network.address(self.hosts.index(host) + 1, self.version)

    def url(self, host: str, port: int) -> str:
        """The root of a web server."""
        address = self.address(host)
        return f"http://[{address}]:{port}" if self.version == 6 else f"http://{address}:{port}"

    def at_ns(self, seconds: float) -> int:
        """A time of the run as one of CLOCK_MONOTONIC."""
        return self.epoch_ns + int(seconds * _NS)

    def spawn(self, name: str, host: str, *command: str) -> Process:
        """Starts a program on a host, which ends some time after the run even if nobody ends it."""
        bounded = ["timeout", str(self.end_s + _GRACE_S), "env", f"PATH={programs.search_path()}"]
        return self.session.spawn(name, inside(self.net.spaces[host], *bounded, *command))

    def wait_listening(self, server: Process, host: str, port: int) -> None:
        """Waits until a TCP server accepts connections."""
        end = time.monotonic() + _READY_S
        while port not in self._listening(host):
            if server.popen.poll() is not None:
                raise RuntimeError(f"{server.name}: {server.complaint()}")
            if time.monotonic() > end:
                raise BusyError(f"{server.name} did not listen within {_READY_S:g} s")
            time.sleep(_POLL_S)

    def _listening(self, host: str) -> set[int]:
        """Ports; a server of both IPv4 and IPv6 stands in the second file alone."""
        text = run(inside(self.net.spaces[host], "sh", "-c", "cat /proc/net/tcp*"))
        rows = [line.split() for line in text.splitlines()]
        return {int(row[1].rsplit(":", 1)[1], 16) for row in rows if row[3] == _LISTENING}


@dataclass(frozen=True)
class Report:
    """What a client measured: rates of its connections, and times of what it waited for."""

    mbps: Sequence[float] = ()
    times_ms: Sequence[float] = ()


def printed_times_ms(process: Process, who: str) -> list[float]:
    """The list of times that a client printed; RuntimeError with its complaint if it did not."""
    try:
        return [float(each) for each in json.loads(process.text())]
    except ValueError:
        raise RuntimeError(f"{who}: {process.complaint()}") from None


class Client(Protocol):
    """A program of others that uses the network. `needs` are commands, or Python modules."""

    @property
    def name(self) -> str:
        """What the results call it."""

    @property
    def start_s(self) -> float:
        """When it starts, after the run's begin."""

    @property
    def needs(self) -> Sequence[str]:
        """What has to be installed."""

    def serve(self, lab: Lab) -> None:
        """Starts its servers, and waits until they accept connections."""

    def start(self, lab: Lab) -> list[Process]:
        """Starts it."""

    def report(self, lab: Lab, processes: Sequence[Process]) -> Report:
        """Reads what it printed; RuntimeError if it failed."""


_PACKAGES: Final = {
    "nft": "nftables",
    "nginx": "nginx-light",
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
}
_MODULES: Final = {"aioquic": "tools/setup --extra live in the checkout"}
_OFFLOADS: Final = "ethtool"  # which each lab with offloads needs
_SBIN: Final = ("/usr/local/sbin", "/usr/sbin", "/sbin")


def which(command: str) -> str | None:
    """The path of a command, also where only root's PATH leads."""
    found = shutil.which(command, path=programs.search_path())
    return found or next((str(p) for p in (Path(d, command) for d in _SBIN) if p.exists()), None)


def path_of(command: str) -> str:
    """Likewise of one that is known to be there."""
    path = which(command)
    if path is None:
        raise RuntimeError(f"{command} is not installed")
    return path


def missing(clients: Sequence[Client]) -> Iterator[str]:
    """What is not installed, each with what to do."""
    for need in sorted({_OFFLOADS, *(need for client in clients for need in client.needs)}):
        if need in _MODULES:
            if importlib.util.find_spec(need) is None:
                yield f"{need} ({_MODULES[need]})"
        elif which(need) is None:
            yield f"{need} (Debian: apt install {_PACKAGES.get(need, need)})"
