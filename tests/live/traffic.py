# SPDX-License-Identifier: GPL-2.0-only
"""Downloads and uploads between a server and a client, and a ping beside them."""

import array
import fcntl
import json
import os
import socket
import struct
import sys
import threading
import time

PORT = 5010
CHUNK = bytes(65536)
PINGS_S = 0.02
PING = struct.Struct("!BBHHHq")
STAMP = struct.Struct("@qq")
SO_TIMESTAMPNS = 35
SIOCETHTOOL = 0x8946
ETHTOOL_SGRO = 0x2C


def serve(address: str) -> None:
    """Sends to whoever asks for a download, or takes what an upload sends."""
    with socket.create_server((address, PORT), backlog=64) as listener:
        print("ready", flush=True)
        while True:
            one = listener.accept()[0]
            does = send if one.recv(1) == b"d" else drain
            threading.Thread(target=does, args=[one], daemon=True).start()


def send(one: socket.socket) -> None:
    """Until the other end goes away."""
    try:
        while True:
            one.sendall(CHUNK)
    except OSError:
        return


def drain(one: socket.socket) -> None:
    """Likewise."""
    try:
        while one.recv(1 << 16):
            pass
    except OSError:
        return


def checksum(data: bytes) -> int:
    """RFC 1071."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ping(address: str, end_s: float, found_ms: list[float]) -> None:
    """Echo requests until then; the kernel answers them, and stamps the answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as s:
        s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        s.settimeout(0.5)
        name = os.getpid() & 0xFFFF

        def receive() -> None:
            while True:
                try:
                    data, extra, _, _ = s.recvmsg(256, 256)
                except TimeoutError:
                    if time.monotonic() > end_s:
                        return
                    continue
                kind, _, _, who, _, sent_ns = PING.unpack_from(data, 20)
                if (kind, who) == (0, name):
                    seconds, ns = STAMP.unpack(extra[0][2])
                    found_ms.append((seconds * 1_000_000_000 + ns - sent_ns) / 1e6)

        thread = threading.Thread(target=receive)
        thread.start()
        while time.monotonic() < end_s:
            body = PING.pack(8, 0, 0, name, 0, time.time_ns())
            s.sendto(body[:2] + struct.pack("!H", checksum(body)) + body[4:], (address, 0))
            time.sleep(PINGS_S)
        thread.join()


def acked(one: socket.socket) -> int:
    """tcpi_bytes_acked."""
    return int.from_bytes(
        one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)[120:128], "little"
    )


def use(address: str, downs: int, ups: int, warm_s: float, seconds: float) -> None:
    """Prints the payload of each download and upload in bit/s, and the pings' times in order."""
    counts = [0] * downs
    connections = [socket.create_connection((address, PORT), 30) for _ in range(downs + ups)]
    for number, one in enumerate(connections):
        one.sendall(b"d" if number < downs else b"u")

    def take(number: int) -> None:
        while got := connections[number].recv(1 << 16):
            counts[number] += len(got)

    for number, one in enumerate(connections):
        does, what = (take, number) if number < downs else (send, one)
        threading.Thread(target=does, args=[what], daemon=True).start()
    time.sleep(warm_s)
    begun_s, before, sent = time.monotonic(), list(counts), [acked(c) for c in connections[downs:]]
    found_ms: list[float] = []
    pinging = threading.Thread(target=ping, args=[address, begun_s + seconds, found_ms])
    pinging.start()
    time.sleep(seconds)
    took_s, after = time.monotonic() - begun_s, list(counts)
    up = [(acked(c) - a) * 8 / took_s for a, c in zip(sent, connections[downs:], strict=True)]
    pinging.join()
    down = [(b - a) * 8 / took_s for a, b in zip(before, after, strict=True)]
    print(json.dumps({"down_bps": down, "up_bps": up, "ping_ms": sorted(found_ms)}), flush=True)
    os._exit(0)  # threads send for ever


def join_packets(device: str, *, joins: bool) -> None:
    """Whether GRO joins the packets that come in by a veth."""
    value = array.array("I", [ETHTOOL_SGRO, joins])
    request = struct.pack("16sP", device.encode(), value.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCETHTOOL, request)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    elif sys.argv[1] == "gro":
        join_packets(sys.argv[2], joins=sys.argv[3] == "on")
    else:
        use(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6]))
