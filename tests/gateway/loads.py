# SPDX-License-Identifier: GPL-2.0-only
"""Connections through the lab's gateway, and what the hosts' kernels count."""

import hashlib
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gateway_lab import Lab
from spaces import inside
from transfer import CHUNK

TRANSFER = str(Path(__file__).with_name("transfer.py"))
MEGABYTE_CHUNKS = 64
ACKED_AT = 120  # of struct tcp_info: tcpi_bytes_acked
GRANTED_AT = 228  # tcpi_snd_wnd


class Load:
    """One TCP connection from the server to the client, or the other way, through the gateway."""

    def __init__(
        self,
        lab: Lab,
        megabytes: int,
        port: int = 5001,
        *,
        upload: bool = False,
        client_opens: bool = False,
        ipv6: bool = False,
        address: str = "",
    ) -> None:
        """The server opens it unless `client_opens`; to `address`, or the lab's."""
        chunks = str(megabytes * MEGABYTE_CHUNKS)
        host = lab.server if client_opens else lab.client
        address = address or lab.address(host, ipv6=ipv6)

        def start(role: str, where: str) -> subprocess.Popen[str]:
            how = "listen" if where == host else "connect"
            words = [sys.executable, TRANSFER, role, how, address, str(port), chunks]
            command = ["ip", "netns", "exec", where, *words]
            one = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            if how == "listen":
                assert one.stdout is not None
                assert one.stdout.readline() == "ready\n"
            return one

        ends = [("send", lab.server), ("receive", lab.client)]
        if upload:
            ends = [("send", lab.client), ("receive", lab.server)]
        ends.sort(key=lambda end: end[1] != host)
        running = {role: start(role, where) for role, where in ends}
        self.sender, self.receiver = running["send"], running["receive"]

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


@contextmanager
def connections(lab: Lab, count: int) -> Iterator[list[tuple[socket.socket, socket.socket]]]:
    """Pairs of sockets, of the server and of the client."""
    with ExitStack() as stack:
        with inside(lab.client):
            listener = stack.enter_context(socket.create_server(("10.9.1.2", 6000)))
        pairs = []
        for _ in range(count):
            with inside(lab.server):
                near = stack.enter_context(socket.create_connection(("10.9.1.2", 6000), 60))
                near.settimeout(60)
            pairs.append((near, stack.enter_context(listener.accept()[0])))
        yield pairs


@contextmanager
def meanwhile(play: Callable[[threading.Event], None]) -> Iterator[None]:
    """Plays in a thread, which ends soon after the event is set."""
    ending = threading.Event()
    thread = threading.Thread(target=play, args=(ending,))
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


class _Stream:
    """Data from one socket to the other, until it is told to end."""

    def __init__(self, near: socket.socket, far: socket.socket) -> None:
        far.settimeout(60)
        self.ending = threading.Event()
        self.sent, self.received = hashlib.sha256(), hashlib.sha256()
        self.threads = [
            threading.Thread(target=self._send, args=[near], daemon=True),
            threading.Thread(target=self._receive, args=[far], daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def _send(self, near: socket.socket) -> None:
        try:
            while not self.ending.is_set():
                near.sendall(CHUNK)
                self.sent.update(CHUNK)
        finally:  # or the receiver would wait for ever
            near.shutdown(socket.SHUT_WR)

    def _receive(self, far: socket.socket) -> None:
        while data := far.recv(1 << 16):
            self.received.update(data)

    def join(self) -> None:
        """Returns once its threads have left the sockets alone."""
        for thread in self.threads:
            thread.join()


@contextmanager
def streaming(*pairs: tuple[socket.socket, socket.socket]) -> Iterator[None]:
    """Data over each pair meanwhile; in the end all bytes came as they were sent."""
    streams = [_Stream(*pair) for pair in pairs]
    try:
        yield
    finally:
        for stream in streams:
            stream.ending.set()
        for stream in streams:
            stream.join()
    assert all(stream.sent.digest() == stream.received.digest() for stream in streams)


def acked_bytes(near: socket.socket) -> int:
    """What the sender knows to have arrived."""
    info = near.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, ACKED_AT + 8)
    return int(struct.unpack_from("Q", info, ACKED_AT)[0])


def goodput_mbps(seconds: float, *nears: socket.socket) -> float:
    """Of all of them, for so long from now."""
    before, begun = sum(map(acked_bytes, nears)), time.monotonic()
    time.sleep(seconds)
    return (sum(map(acked_bytes, nears)) - before) * 8e-6 / (time.monotonic() - begun)


@contextmanager
def flooding(send: Callable[[], int], bps: float) -> Iterator[Callable[[], float]]:
    """Calls `send`, which says how many bytes of IP it sent, again and again.

    Says at which rate so far, in bit/s.
    """
    ending = threading.Event()
    begun, sent_bytes = time.monotonic(), 0

    def flood() -> None:
        nonlocal sent_bytes
        while not ending.is_set():
            if sent_bytes * 8 > (time.monotonic() - begun) * bps:
                time.sleep(0.0005)
            else:
                sent_bytes += send()

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        yield lambda: sent_bytes * 8 / (time.monotonic() - begun)
    finally:
        ending.set()
        thread.join()


def granted_bytes(near: socket.socket) -> int:
    """The window that the sender has."""
    info = near.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, GRANTED_AT + 4)
    return int(struct.unpack_from("I", info, GRANTED_AT)[0])


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for it to hold; the time is what a very busy machine may take."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


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
