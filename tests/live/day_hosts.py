# SPDX-License-Identifier: GPL-2.0-only
"""What the hosts of a home do all day: serve, talk, watch, load. Each prints what it saw as JSON.

    day_hosts.py serve ADDRESS
    day_hosts.py use ADDRESS EPOCH PLAN

EPOCH is a time of CLOCK_MONOTONIC in seconds, and so are all times that are printed, from it on.
PLAN is JSON: a list of {"what", "from", "to"}, in seconds from EPOCH.
"""

import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from typing import Any, Final

PORT: Final = 5010
CHUNK: Final = bytes(65536)
HEAD: Final = struct.Struct("!BIq")  # kind, number, when it was sent (ns since 1970)
STAMP: Final = struct.Struct("@qq")
SO_TIMESTAMPNS: Final = 35
BUCKET_S: Final = 0.1

# Kinds of datagrams: packets per second, bytes. Both ways alike.
DATAGRAMS: Final = {"voice": (50, 200), "video": (60, 1000), "game": (60, 100)}
KINDS: Final = list(DATAGRAMS)
ASKS: Final = 0x80

SSH_S: Final = 0.2
SSH_BYTES: Final = 100
PAGE_S: Final = 4.0
PAGE_FILES: Final = (60_000, 30_000, 30_000, 20_000, 20_000, 10_000, 10_000, 5_000)
PAGE_CONNECTIONS: Final = 4
TELEVISION_S: Final = 2.0
TELEVISION_BYTES: Final = 1_000_000  # 4 Mbit/s


class Seen:
    """What was seen, from the epoch on."""

    def __init__(self, epoch_s: float) -> None:
        self.epoch_s = epoch_s
        self.real_s = time.time() - time.monotonic()
        self.bytes: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.datagrams: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
        self.took: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def count(self, what: str, size: int) -> None:
        """Bytes that came in."""
        self.bytes[what][int((time.monotonic() - self.epoch_s) / BUCKET_S)] += size

    def datagram(self, what: str, number: int, sent_ns: int, came_ns: int) -> None:
        """One that came in: its number, when it was sent, its time on the way."""
        at_s = sent_ns / 1e9 - self.real_s - self.epoch_s
        self.datagrams[what].append((number, round(at_s, 4), round((came_ns - sent_ns) / 1e6, 3)))

    def take(self, what: str, begun_s: float) -> None:
        """Something that began then has ended."""
        took_ms = 1e3 * (time.monotonic() - begun_s)
        self.took[what].append((round(begun_s - self.epoch_s, 3), round(took_ms, 3)))

    def text(self) -> str:
        """As JSON; buckets as times and bytes."""
        counts = {
            what: [(round(n * BUCKET_S, 3), size) for n, size in sorted(buckets.items())]
            for what, buckets in self.bytes.items()
        }
        return json.dumps({"bytes": counts, "datagrams": self.datagrams, "took": self.took})


def hurry() -> None:
    """Before others of this machine: what is measured is the network."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(2))


def udp(address: str = "") -> socket.socket:
    """A socket whose packets the kernel stamps when they come in."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    if address:
        one.bind((address, PORT))
    return one


def stream(one: socket.socket, to: tuple[str, int], kind: int, end_s: float) -> None:
    """Sends datagrams of a kind until then."""
    per_s, size = DATAGRAMS[KINDS[kind]]
    number, next_s = 0, time.monotonic()
    while next_s < end_s:
        time.sleep(max(0.0, next_s - time.monotonic()))
        number += 1
        data = HEAD.pack(kind, number, time.time_ns()).ljust(size, b"\0")
        with suppress(OSError):
            one.sendto(data, to)
        next_s += 1 / per_s


def listen(one: socket.socket, seen: Seen, way: str, ask: Any = None) -> None:
    """Notes all datagrams that come in, for ever."""
    while True:
        try:
            data, extra, _, sender = one.recvmsg(2048, 256)
        except OSError:
            return
        kind, number, sent_ns = HEAD.unpack_from(data)
        if kind & ASKS:
            ask(sender, kind & ~ASKS, number)
            continue
        seconds, ns = STAMP.unpack(extra[0][2])
        seen.datagram(f"{KINDS[kind]} {way}", number, sent_ns, seconds * 1_000_000_000 + ns)


def serve_datagrams(address: str, seen: Seen) -> None:
    """Sends what is asked for: a kind, for so many seconds."""
    one = udp(address)
    asked: set[tuple[Any, int]] = set()

    def ask(sender: tuple[str, int], kind: int, seconds: int) -> None:
        if (sender, kind) not in asked:
            asked.add((sender, kind))
            words = [one, sender, kind, time.monotonic() + seconds]
            threading.Thread(target=stream, args=words, daemon=True).start()

    threading.Thread(target=listen, args=[one, seen, "up", ask], daemon=True).start()


def answer(one: socket.socket, seen: Seen) -> None:
    """One connection: its first line says what it wants."""
    with suppress(OSError), one, one.makefile("rb") as lines:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        what = lines.readline()
        while what == b"down\n":
            one.sendall(CHUNK)
        while what == b"up\n":
            got = one.recv(1 << 16)
            if not got:
                return
            seen.count("upload", len(got))
        if what == b"ssh\n":
            while data := lines.read(SSH_BYTES):
                one.sendall(data)
        while what.startswith(b"get "):
            one.sendall(bytes(int(what[4:])))
            what = lines.readline()


def serve(address: str) -> None:
    """Until SIGTERM."""
    hurry()
    epoch_s = float(sys.argv[3])
    seen = Seen(epoch_s)
    serve_datagrams(address, seen)
    with socket.create_server((address, PORT), backlog=256) as listener:
        signal.signal(signal.SIGTERM, lambda *_: (print(seen.text(), flush=True), os._exit(0)))
        print("ready", flush=True)
        while True:
            one = listener.accept()[0]
            threading.Thread(target=answer, args=[one, seen], daemon=True).start()


def connect(address: str, first: str) -> socket.socket:
    """A connection that says what it wants."""
    one = socket.create_connection((address, PORT), 30)
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    one.settimeout(60)
    if first:
        one.sendall(first.encode() + b"\n")
    return one


def read(one: socket.socket, size: int, seen: Seen, what: str) -> None:
    """So many bytes."""
    while size:
        got = one.recv(min(size, 1 << 16))
        if not got:
            raise OSError("the connection ended")
        size -= len(got)
        seen.count(what, len(got))


class Use:
    """What a client does; each method runs in a thread of its own, until `end_s`."""

    def __init__(self, address: str, seen: Seen) -> None:
        self.address = address
        self.seen = seen

    def download(self, end_s: float) -> None:
        """One, without end."""
        with connect(self.address, "down") as one:
            while time.monotonic() < end_s:
                got = one.recv(1 << 16)
                if not got:
                    return
                self.seen.count("download", len(got))

    def upload(self, end_s: float) -> None:
        """Likewise; the server counts."""
        with connect(self.address, "up") as one:
            one.settimeout(5)
            while time.monotonic() < end_s:
                with suppress(TimeoutError):
                    one.send(CHUNK)
            # What still waits here is not sent.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def ssh(self, end_s: float) -> None:
        """A keystroke and its echo, now and then."""
        with connect(self.address, "ssh") as one:
            while (begun_s := time.monotonic()) < end_s:
                one.sendall(bytes(SSH_BYTES))
                size = SSH_BYTES
                while size:
                    size -= len(one.recv(size))
                self.seen.take("ssh", begun_s)
                time.sleep(max(0.0, begun_s + SSH_S - time.monotonic()))

    def pages(self, end_s: float) -> None:
        """A page of some files by some connections, now and then."""
        while (begun_s := time.monotonic()) < end_s:
            files, lock = list(PAGE_FILES), threading.Lock()

            def fetch(files: list[int] = files, lock: threading.Lock = lock) -> None:
                with connect(self.address, "") as one:
                    while True:
                        with lock:
                            if not files:
                                return
                            size = files.pop(0)
                        one.sendall(f"get {size}\n".encode())
                        read(one, size, self.seen, "pages")

            threads = [threading.Thread(target=fetch) for _ in range(PAGE_CONNECTIONS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.seen.take("page", begun_s)
            time.sleep(max(0.0, begun_s + PAGE_S - time.monotonic()))

    def television(self, end_s: float) -> None:
        """A segment of so many seconds after the other, at most one ahead."""
        with connect(self.address, "") as one:
            while (begun_s := time.monotonic()) < end_s:
                one.sendall(f"get {TELEVISION_BYTES}\n".encode())
                read(one, TELEVISION_BYTES, self.seen, "television")
                self.seen.take("television", begun_s)
                time.sleep(max(0.0, begun_s + TELEVISION_S - time.monotonic()))

    def datagrams(self, kind: int, end_s: float) -> None:
        """A kind, both ways."""
        with udp() as one:
            one.bind(("", 0))
            listening = threading.Thread(target=listen, args=[one, self.seen, "down"], daemon=True)
            listening.start()
            seconds = max(1, round(end_s - time.monotonic()))
            for _ in range(3):
                one.sendto(HEAD.pack(kind | ASKS, seconds, 0), (self.address, PORT))
            stream(one, (self.address, PORT), kind, end_s)
            time.sleep(1)

    def of(self, what: str, end_s: float) -> None:
        """What a plan names."""
        if what in KINDS:
            return self.datagrams(KINDS.index(what), end_s)
        does = {
            "download": self.download,
            "upload": self.upload,
            "ssh": self.ssh,
            "pages": self.pages,
            "television": self.television,
        }
        return does[what](end_s)


def use(address: str, epoch_s: float, plan: list[dict[str, Any]]) -> None:
    """Plays the plan."""
    if not any(row["what"] in {"download", "upload"} for row in plan):
        hurry()
    seen = Seen(epoch_s)
    one = Use(address, seen)

    def run(row: dict[str, Any]) -> None:
        time.sleep(max(0.0, epoch_s + row["from"] - time.monotonic()))
        try:
            one.of(row["what"], epoch_s + row["to"])
        except OSError as error:
            print(f"{row['what']}: {error}", file=sys.stderr)

    threads = [threading.Thread(target=run, args=[row], daemon=True) for row in plan]
    for thread in threads:
        thread.start()
    end_s = epoch_s + max(row["to"] for row in plan) + 3
    for thread in threads:
        thread.join(max(0.0, end_s - time.monotonic()))
    print(seen.text(), flush=True)
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        use(sys.argv[2], float(sys.argv[3]), json.loads(sys.argv[4]))
