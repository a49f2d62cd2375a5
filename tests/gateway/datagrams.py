# SPDX-License-Identifier: GPL-2.0-only
"""A stream of UDP through the gateway of the tests."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from capture import SO_RCVBUFFORCE
from gateway_lab import Lab
from spaces import inside

RATE_BPS = 20_000_000  # of the link
PORT = 9999
PAYLOAD = b"\xa5" * 1200
ROOM_BYTES = 1 << 22


class Udp:
    """Datagrams from the server to the client at a rate, which the client may answer."""

    def __init__(self, lab: Lab, bps: float, *, answered: bool, tos: int = 0) -> None:
        with inside(lab.client):
            self.far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.far.bind((lab.address(lab.client), PORT))
            self.far.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM_BYTES)
            self.far.settimeout(0.5)
        with inside(lab.server):
            self.near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.near.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
            self.near.connect((lab.address(lab.client), PORT))
        self.bps, self.answered = bps, answered
        self.sent = self.received = 0
        self.ending = threading.Event()
        self.threads = [threading.Thread(target=work) for work in (self._send, self._receive)]

    def _send(self) -> None:
        begun = time.monotonic()
        while not self.ending.wait(0.002):
            due = (time.monotonic() - begun) * self.bps / 8 / len(PAYLOAD)
            while self.sent < due:
                self.near.send(PAYLOAD)
                self.sent += 1

    def _receive(self) -> None:
        while True:
            try:
                _, sender = self.far.recvfrom(2048)
            except TimeoutError:
                if self.ending.is_set():
                    break
                continue
            self.received += 1
            if self.answered and self.received % 10 == 1:
                self.far.sendto(b"", sender)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Sends meanwhile."""
        for thread in self.threads:
            thread.start()
        try:
            yield
        finally:
            self.ending.set()
            for thread in self.threads:
                thread.join()
            self.near.close()
            self.far.close()
