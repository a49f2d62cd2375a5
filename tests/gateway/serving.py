# SPDX-License-Identifier: GPL-2.0-only
"""A running `penstock-gw serve`, and requests to it inside the gateway's network namespace."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gateway_lab import TOOL, Lab
from spaces import inside


class _Local(http.client.HTTPConnection):
    """HTTP over a socket that is already there."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__("localhost")
        self.sock = sock


class Served:
    """Where it listens, as it says itself."""

    def __init__(self, lab: Lab, process: subprocess.Popen[str], address: str) -> None:
        self.lab, self.process, self.address = lab, process, address

    def connect(self) -> socket.socket:
        """A new connection."""
        if self.address.startswith("unix:"):
            one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            one.connect(self.address.removeprefix("unix:"))
            return one
        place = self.address.removeprefix("http://").partition("/")[0]
        host, _, port = place.rpartition(":")
        with inside(self.lab.gateway):
            return socket.create_connection((host.strip("[]"), int(port)), timeout=30)

    def ask(
        self, path: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (names in small letters) and body of one answer."""
        connection = _Local(self.connect())
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, {key.lower(): value for key, value in answer.getheaders()}, body

    @contextmanager
    def stream(self, **headers: str) -> Iterator[Iterator[dict[str, object]]]:
        """The lines of the stream, as they come."""
        connection = _Local(self.connect())
        connection.request("GET", "/stream", headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200
        try:
            yield (json.loads(line) for line in answer)
        finally:
            answer.close()
            connection.close()

    def cpu_s(self) -> float:
        """CPU time of the process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(lab: Lab, *options: str) -> Iterator[Served]:
    """Serves the lab's device meanwhile."""
    command = [str(TOOL), "--netns", lab.gateway, "serve", lab.device, *options]
    one = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert one.stdout is not None
    try:
        yield Served(lab, one, one.stdout.readline().strip())
    finally:
        with contextlib.suppress(ProcessLookupError):
            one.terminate()
        assert one.wait(30) == 0
        one.stdout.close()


def lines_to(
    stream: Iterator[dict[str, object]], is_last: Callable[[dict[str, object]], bool]
) -> list[dict[str, object]]:
    """The lines up to the next such one, which a very busy machine may delay by a minute."""
    end = time.monotonic() + 60
    found = []
    for line in stream:
        found.append(line)
        if is_last(line):
            break
        assert time.monotonic() < end, "no such line came"
    return found


def lines_to_event(stream: Iterator[dict[str, object]], name: str) -> list[dict[str, object]]:
    """The lines up to the next event of that name."""
    return lines_to(stream, lambda line: line.get("event") == name)


def lines_for(stream: Iterator[dict[str, object]], seconds: float) -> list[dict[str, object]]:
    """The lines of the next seconds."""
    end = time.monotonic() + seconds
    found = []
    for line in stream:
        found.append(line)
        if time.monotonic() > end:
            break
    return found
