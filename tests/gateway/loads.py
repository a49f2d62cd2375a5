# SPDX-License-Identifier: GPL-2.0-only
"""Connections through the lab's gateway, and what the hosts' kernels count."""

import subprocess
import sys
from pathlib import Path

from gateway_lab import Lab

TRANSFER = str(Path(__file__).with_name("transfer.py"))
MEGABYTE_CHUNKS = 64


class Load:
    """One TCP connection from the server to the client, or the other way, through the gateway."""

    def __init__(
        self,
        lab: Lab,
        megabytes: int,
        port: int = 5001,
        *,
        upload: bool = False,
        ipv6: bool = False,
    ) -> None:
        def run(where: str, *words: str) -> subprocess.Popen[str]:
            command = ["ip", "netns", "exec", where, sys.executable, TRANSFER, *words]
            return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

        sender, receiver = (lab.client, lab.server) if upload else (lab.server, lab.client)
        address = lab.address(receiver, ipv6=ipv6)
        self.receiver = run(receiver, "receive", address, str(port))
        assert self.receiver.stdout is not None
        assert self.receiver.stdout.readline() == "ready\n"
        chunks = str(megabytes * MEGABYTE_CHUNKS)
        self.sender = run(sender, "send", address, str(port), chunks)

    def finish(self, seconds: float = 60) -> None:
        """Waits for the end: all bytes came as they were sent."""
        try:
            sent = self.sender.communicate(timeout=seconds)[0]
            received = self.receiver.communicate(timeout=seconds)[0]
        finally:
            self.sender.kill()
            self.receiver.kill()
        assert self.sender.returncode == self.receiver.returncode == 0
        assert sent == received


def tcp_count(namespace: str, name: str) -> int:
    """A counter of a host's TCP, such as InCsumErrors."""
    text = subprocess.run(
        ["ip", "netns", "exec", namespace, "cat", "/proc/net/snmp"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names, values = [line.split() for line in text.splitlines() if line.startswith("Tcp:")]
    return int(values[names.index(name)])
