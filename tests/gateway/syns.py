# SPDX-License-Identifier: GPL-2.0-only
"""A flood of SYNs from a host, each of a connection of its own, as fast as it can."""

import ctypes
import socket
import sys

import numpy as np
from packets import ether, ipv4, tcp
from spaces import LIBC, inside

BATCH = 1000
PORTS_AT = 34  # behind the link and IPv4 headers


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


def flood(namespace: str, device: str, thousands: int) -> None:
    """Sends 1000 SYNs for each of so many ports; as broadcasts they get to the hook, no further."""
    one = ether(0x0800, ipv4(tcp(flags=2)))
    frames = np.tile(np.frombuffer(b"\xff" * 6 + one[6:], np.uint8), (BATCH, 1))
    ports = frames[:, PORTS_AT : PORTS_AT + 4].view(">u2")
    ports[:, 0] = np.arange(BATCH) + 1024
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
            sent = 0
            while sent < BATCH:
                rest = ctypes.byref(messages, sent * ctypes.sizeof(_Message))
                done = LIBC.sendmmsg(raw.fileno(), rest, BATCH - sent, 0)
                if done < 0:
                    raise OSError(ctypes.get_errno(), "sendmmsg")
                sent += done


if __name__ == "__main__":
    flood(sys.argv[1], sys.argv[2], int(sys.argv[3]))
