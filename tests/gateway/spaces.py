# SPDX-License-Identifier: GPL-2.0-only
"""Sockets of this process in other network namespaces, and devices' settings there."""

import array
import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000
SIOCETHTOOL = 0x8946
ETHTOOL_STXCSUM = 0x17

LIBC = ctypes.CDLL(None, use_errno=True)


def _enter(path: str) -> None:
    with open(path) as file:
        if LIBC.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter {path}")


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Sockets that are made here belong to `namespace`, for as long as they live."""
    with open("/proc/thread-self/ns/net") as home:
        _enter(f"/run/netns/{namespace}")
        try:
            yield
        finally:
            LIBC.setns(home.fileno(), CLONE_NEWNET)


@contextmanager
def one_cpu() -> Iterator[None]:
    """This process and those that it starts share a CPU, so that no packet overtakes another."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def compute_checksums(namespace: str, device: str) -> None:
    """Has the host write whole TCP checksums, where a device is told to do so otherwise."""
    value = array.array("I", [ETHTOOL_STXCSUM, 0])
    request = struct.pack("16sP", device.encode(), value.buffer_info()[0])
    with inside(namespace), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCETHTOOL, request)
