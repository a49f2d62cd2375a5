# SPDX-License-Identifier: GPL-2.0-only
"""Pages of several files from one server: a connection for each file, or one that carries all.

As a program it is either end:
python -m penstock.runs.clients.files serve ADDRESS PORT CONGESTION
python -m penstock.runs.clients.files fetch ADDRESS PORT ONE FILE_BYTES AT_NS[,AT_NS...]...
with a word of times of CLOCK_MONOTONIC for each page, one for each of its files; it prints the
milliseconds from each page's first request to its last byte.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from penstock.runs.clients.lab import Lab, Report, printed_times_ms
from penstock.runs.live.session import Process, inside, run

_SERVER: Final = "senders"
_CLIENT: Final = "receivers"
_LENGTH_BYTES: Final = 8  # of a request: the size of the file
_PIECE_BYTES: Final = 1 << 16
_STALL_S: Final = 60.0
_START_S: Final = 2.0  # that the client takes at most
# What Linux keeps of ended connections (tcp_metrics): by default no threshold. The lab has it off,
# as a connection must not depend on earlier ones.
_CACHE: Final = {
    "rtt": ("net.ipv4.tcp_no_metrics_save=0", "net.ipv4.tcp_no_ssthresh_metrics_save=1"),
    "all": ("net.ipv4.tcp_no_metrics_save=0", "net.ipv4.tcp_no_ssthresh_metrics_save=0"),
}


@dataclass(frozen=True)
class Files:
    """`pages` pages, one every `every_s`: one file, and after `gap_s` its `others`.

    `congestion` is the server's; `cache` is what its kernel keeps of ended connections, "" for
    nothing. With `one` a single connection carries all files of all pages, in their order.
    """

    needs: ClassVar[Sequence[str]] = ()

    name: str = "files"
    pages: int = 10
    every_s: float = 2.0
    others: int = 5
    gap_s: float = 0.2
    size_bytes: int = 100_000
    congestion: str = "cubic"
    one: bool = False
    cache: str = ""
    start_s: float = 0.0
    port: int = 8200

    def serve(self, lab: Lab) -> None:
        """Its own server."""
        if self.cache:
            space = lab.net.spaces[_SERVER]
            run(inside(space, "sysctl", "-qw", *_CACHE[self.cache]))
        server = self._spawn(lab, _SERVER, "serve", self.congestion)
        lab.wait_listening(server, _SERVER, self.port)

    def start(self, lab: Lab) -> list[Process]:
        """All pages, from the end of the warm-up on, and once the client is up."""
        begin_s = max(self.start_s + _START_S, lab.warm_up_s)
        pages = []
        for page in range(self.pages):
            at_s = begin_s + page * self.every_s
            times = [at_s, *[at_s + self.gap_s] * self.others]
            pages.append(",".join(str(lab.at_ns(each)) for each in times))
        return [
            self._spawn(lab, _CLIENT, "fetch", str(int(self.one)), str(self.size_bytes), *pages)
        ]

    def _spawn(self, lab: Lab, host: str, what: str, *words: str) -> Process:
        own = [sys.executable, "-m", "penstock.runs.clients.files", what, lab.address(_SERVER)]
        return lab.spawn(f"{what} of {self.name}", host, *own, str(self.port), *words)

    def report(self, lab: Lab, processes: Sequence[Process]) -> Report:
        """The time of each page."""
        (process,) = processes
        times_ms = printed_times_ms(process, self.name)
        if len(times_ms) < self.pages:
            raise RuntimeError(f"{self.name}: {len(times_ms)} of {self.pages} pages arrived")
        return Report(times_ms=times_ms)


def _read(connection: socket.socket, size: int) -> bytes:
    """So much, or what there is before the end."""
    pieces, left = [], size
    while left and (piece := connection.recv(min(left, _PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _answer(connection: socket.socket) -> None:
    with connection:
        while len(request := _read(connection, _LENGTH_BYTES)) == _LENGTH_BYTES:
            connection.sendall(bytes(int.from_bytes(request, "big")))


def _serve(address: str, port: int, congestion: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, port), family=family, backlog=100) as listener:
        # A connection gets it from its listener.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
        while True:
            threading.Thread(target=_answer, args=(listener.accept()[0],), daemon=True).start()


def _sleep_until(at_ns: int) -> None:
    time.sleep(max(0.0, (at_ns - time.monotonic_ns()) * 1e-9))


class _Fetch:
    """The client: when the last byte of each page arrived."""

    def __init__(self, address: str, port: int, size: int, pages: Sequence[Sequence[int]]) -> None:
        self.place = address, port
        self.size = size
        self.pages = pages
        self.done_ns = [0] * len(pages)

    def _take(self, connection: socket.socket, page: int) -> None:
        if len(_read(connection, self.size)) < self.size:
            raise RuntimeError("the server ended a file early")
        self.done_ns[page] = max(self.done_ns[page], time.monotonic_ns())

    def _connect(self) -> socket.socket:
        return socket.create_connection(self.place, _STALL_S)

    def _ask(self, connection: socket.socket, at_ns: int) -> None:
        _sleep_until(at_ns)
        connection.sendall(self.size.to_bytes(_LENGTH_BYTES, "big"))

    def _ask_all(self, connection: socket.socket, times: Sequence[int]) -> None:
        for at_ns in times:
            self._ask(connection, at_ns)

    def _file(self, page: int, at_ns: int) -> None:
        _sleep_until(at_ns)
        with self._connect() as connection:
            self._ask(connection, at_ns)
            self._take(connection, page)

    def apart(self) -> None:
        """A connection for each file."""
        files = [(page, at_ns) for page, times in enumerate(self.pages) for at_ns in times]
        threads = [threading.Thread(target=self._file, args=each) for each in files]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def over_one(self) -> None:
        """One connection, open before the first page."""
        with self._connect() as connection:
            times = [at_ns for page in self.pages for at_ns in page]
            asking = threading.Thread(target=self._ask_all, args=(connection, times))
            asking.start()
            for page, requests in enumerate(self.pages):
                for _ in requests:
                    self._take(connection, page)
            asking.join()

    def times_ms(self) -> list[float]:
        """Of the pages that arrived whole."""
        ends = zip(self.pages, self.done_ns, strict=True)
        return [(done_ns - times[0]) * 1e-6 for times, done_ns in ends if done_ns]


def _fetch(address: str, port: int, words: Sequence[str]) -> None:
    pages = [[int(each) for each in word.split(",")] for word in words[2:]]
    fetch = _Fetch(address, port, int(words[1]), pages)
    if int(words[0]):
        fetch.over_one()
    else:
        fetch.apart()
    json.dump(fetch.times_ms(), sys.stdout)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        _serve(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        _fetch(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
