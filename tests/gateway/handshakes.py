# SPDX-License-Identifier: GPL-2.0-only
"""Connections that a client opens and resets without a byte, so many per second."""

import select
import socket
import struct
import sys
import threading
import time

from spaces import inside

ADDRESS, PORTS = "10.9.2.2", range(7000, 7008)
EVERY_S = 0.005
RESET = struct.pack("ii", 1, 0)  # a struct linger: close() sends a RST


def accept_all(namespace: str, ready: threading.Event, done: threading.Event) -> None:
    """The server's part."""
    with inside(namespace):
        listeners = [socket.create_server((ADDRESS, port), backlog=4096) for port in PORTS]
    ready.set()
    while not done.is_set():
        for listener in select.select(listeners, [], [], 0.1)[0]:
            listener.accept()[0].close()
    for listener in listeners:
        listener.close()


def open_all(namespace: str, each_s: int, seconds: float) -> int:
    """The client's part; how many were completed."""
    begun, started, completed = time.monotonic(), 0, 0
    poll = select.epoll()
    pending: dict[int, socket.socket] = {}
    with inside(namespace):
        while (now := time.monotonic() - begun) < seconds:
            while started < now * each_s:
                one = socket.socket()
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                one.setblocking(False)
                one.connect_ex((ADDRESS, PORTS[started % len(PORTS)]))
                poll.register(one, select.EPOLLOUT)
                pending[one.fileno()] = one
                started += 1
            for number, events in poll.poll(EVERY_S):
                completed += not events & select.EPOLLERR
                pending.pop(number).close()
    return completed


def main(client: str, server: str, each_s: str, seconds: str) -> None:
    """Prints a line when it begins, and in the end how many were completed."""
    ready, done = threading.Event(), threading.Event()
    accepting = threading.Thread(target=accept_all, args=[server, ready, done])
    accepting.start()
    ready.wait()
    print("begins", flush=True)
    print(open_all(client, int(each_s), float(seconds)))
    done.set()
    accepting.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
