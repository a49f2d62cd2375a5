# SPDX-License-Identifier: GPL-2.0-only
"""A flood of SYNs from a host, each of a connection of its own, as fast as it can."""

import ctypes
import socket
import sys

import numpy as np
from packets import checksum, ether, ipv4, tcp
from spaces import LIBC, inside

BATCH = 1000
PORTS_AT = 34  # behind the link and IPv4 headers
CHECKSUM_AT = 50


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class _Message(ctypes.Structure):
    """A struct mmsghdr."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint),
        ("vectors", ctypes.POINTER(_Vector)),
        ("vector_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
        ("sent", ctypes.c_uint),
    )


def checksums(segment: bytes, ports: np.ndarray) -> np.ndarray:
    """Of `segment`, between the addresses of packets.ipv4(), with each pair of ports."""
    pseudo = bytes([10, 0, 0, 1, 10, 0, 0, 2, 0, 6, 0, len(segment)])
    rest = ~checksum(pseudo + bytes(4) + segment[4:]) & 0xFFFF
    total = rest + ports.astype(np.uint32).sum(axis=1)
    for _ in range(2):
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def flood(namespace: str, device: str, thousands: int) -> None:
    """Sends 1000 SYNs for each of so many ports; as broadcasts they get to the hook, no further."""
    syn = tcp(flags=2)
    one = ether(0x0800, ipv4(syn))
    frames = np.tile(np.frombuffer(b"\xff" * 6 + one[6:], np.uint8), (BATCH, 1))
    ports = frames[:, PORTS_AT : PORTS_AT + 4].view(">u2")
    ports[:, 0] = np.arange(BATCH) + 1024
    sums = frames[:, CHECKSUM_AT : CHECKSUM_AT + 2].view(">u2")
    vectors = (_Vector * BATCH)()
    messages = (_Message * BATCH)()
    for i in range(BATCH):
        vectors[i] = _Vector(frames[i].ctypes.data, frames.shape[1])
        messages[i].vectors = ctypes.pointer(vectors[i])
        messages[i].vector_count = 1
    with inside(namespace), socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
        raw.bind((device, 0))
        for port in range(thousands):
            ports[:, 1] = port + 1
            sums[:, 0] = checksums(syn, ports)
            sent = 0
            while sent < BATCH:
                rest = ctypes.byref(messages, sent * ctypes.sizeof(_Message))
                done = LIBC.sendmmsg(raw.fileno(), rest, BATCH - sent, 0)
                if done < 0:
                    raise OSError(ctypes.get_errno(), "sendmmsg")
                sent += done


if __name__ == "__main__":
    flood(sys.argv[1], sys.argv[2], int(sys.argv[3]))
