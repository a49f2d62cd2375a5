# SPDX-License-Identifier: GPL-2.0-only
"""Sends numbered UDP packets with the time in them, or tells how long they took.

The receiver takes the kernel's own time stamps, so that Python's slowness does not
count. It ends with the last packet; if that is lost, when nothing came for five seconds
after something had.
"""

import socket
import struct
import sys
import time

SO_TIMESTAMPNS = 35
PACKET = struct.Struct("!Qq")
STAMP = struct.Struct("@qq")


def receive(address: str, port: int, count: int) -> None:
    """Prints the number and the milliseconds on the way of each packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        s.bind((address, port))
        print("ready", flush=True)
        s.settimeout(60)
        number = -1
        while number != count - 1:
            try:
                data, extra, _, _ = s.recvmsg(2048, 256)
            except TimeoutError:
                return
            s.settimeout(5)
            number, sent_ns = PACKET.unpack_from(data)
            seconds, ns = STAMP.unpack(extra[0][2])
            print(number, (seconds * 1_000_000_000 + ns - sent_ns) / 1e6)


def send(address: str, port: int, count: int, every_ms: float) -> None:
    """Sends `count` packets of 1000 bytes at even distances."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        begin = time.monotonic()
        for number in range(count):
            wait = begin + number * every_ms / 1e3 - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            s.sendto(PACKET.pack(number, time.time_ns()).ljust(1000, b"."), (address, port))


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
