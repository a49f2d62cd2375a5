# SPDX-License-Identifier: GPL-2.0-only
"""R7: this kernel and the gateway take the same options from SYNs of any bytes.

The SYNs come from a TUN device in a namespace of its own; what the kernel took is in its
SYN-ACK and in TCP_INFO. How many: PENSTOCK_FUZZ_SYNS.
"""

import ctypes
import fcntl
import os
import random
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from gateway_lab import ROOT, sh
from packets import checksum
from spaces import inside

USUAL_SYNS = 2000
TUNSETIFF = 0x400454CA
IFF_TUN_NO_PI = 0x1001
US, PEER, PORT = "10.9.8.1", "10.9.8.2", 7000
SYN, ACK, RST = 2, 0x10, 4
NO_SCALE = 255
TIMESTAMPS_BYTES = 12
LEAST_MSS = 88  # the kernel raises smaller ones; it raises none of these
USUAL = ((2, 4), (3, 3), (4, 2), (8, 10), (34, 2), (77, 6))
INFO_OPTIONS, INFO_SCALE, INFO_SND_MSS = 5, 6, 16  # of struct tcp_info
SOURCE = '#include "core/packet/options.h"\n\
void parse(const u8 *b, u32 n, struct pst_options *o) { pst_options_parse(b, n, o); }\n'


class Options(ctypes.Structure):
    """struct pst_options."""

    _fields_ = (
        ("mss_bytes", ctypes.c_uint16),
        ("scale", ctypes.c_uint8),
        ("timestamps", ctypes.c_bool),
        ("authenticated", ctypes.c_bool),
        ("multipath", ctypes.c_bool),
        ("next", ctypes.c_uint8),
        ("end", ctypes.c_uint8),
    )


@pytest.fixture
def parser(tmp_path: Path) -> ctypes.CDLL:
    """core's, compiled for this process."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    (tmp_path / "parse.c").write_text(SOURCE)
    command = [compiler, "-shared", "-fPIC", f"-I{ROOT}", "parse.c", "-o", "parse.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    return ctypes.CDLL(str(tmp_path / "parse.so"))


@contextmanager
def tunnel() -> Iterator[tuple[socket.socket, int]]:
    """A listener in a namespace, and the descriptor by which packets get there and back."""
    name = f"pst-o{os.getpid()}"
    with ExitStack() as stack:
        sh(f"ip netns add {name}")
        stack.callback(sh, f"ip netns del {name}")
        with inside(name):
            tun = os.open("/dev/net/tun", os.O_RDWR)
            stack.callback(os.close, tun)
            fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"tun0", IFF_TUN_NO_PI))
            sh("ip link set lo up")
            sh("ip link set tun0 up")
            sh(f"ip addr add {US} peer {PEER} dev tun0")
            sh("sysctl -qw net.ipv4.tcp_syncookies=0")
            listener = stack.enter_context(socket.create_server((US, PORT)))
        listener.settimeout(60)
        os.set_blocking(tun, False)
        yield listener, tun


def segment(port: int, seq: int, ack: int, flags: int, options: bytes = b"") -> bytes:
    """From PEER; `options` are whole words."""
    head = struct.pack(
        "!HHIIBBHHH", port, PORT, seq, ack, (5 + len(options) // 4) << 4, flags, 65_000, 0, 0
    )
    addresses = socket.inet_aton(PEER) + socket.inet_aton(US)
    total = checksum(addresses + struct.pack("!HH", 6, len(head + options)) + head + options)
    tcp = head[:16] + struct.pack("!H", total) + head[18:] + options
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + addresses
    return ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + tcp


def replies(tun: int, port: int) -> Iterator[bytes]:
    """What the kernel has sent to the port so far, from the TCP header on."""
    while True:
        try:
            packet = os.read(tun, 2000)
        except BlockingIOError:
            return
        if packet[0] >> 4 == 4 and packet[9] == 6 and packet[22:24] == struct.pack("!H", port):
            yield packet[20:]


def any_options(rng: random.Random) -> bytes:
    """Mostly whole ones, some with another length than theirs, some bytes of any value.

    Without those that sign a segment: without the key for it, the kernel drops the SYN.
    """
    found, length = b"", 4 * rng.randrange(11)
    while len(found) < length:
        kind, size = rng.choice(USUAL)
        odd = rng.randrange(16)
        if odd < 2:
            found += rng.choice([b"\1", bytes([kind]), b"\0", rng.randbytes(2)])
            continue
        body = rng.randbytes(size - 2)
        if kind == 2:
            body = struct.pack("!H", rng.choice([0, rng.randrange(LEAST_MSS, 1461)]))
        found += bytes([kind, rng.randrange(44) if odd == 2 else size]) + body
    return found[:length]


def taken(listener: socket.socket, tun: int, port: int, options: bytes) -> tuple[int, ...] | None:
    """Scale, timestamps and largest payload; None if the kernel does not answer the SYN."""
    os.write(tun, segment(port, 999, 0, SYN, options))
    answer = next((r for r in replies(tun, port) if r[13] == SYN | ACK), None)
    if answer is None:
        return None
    (isn,) = struct.unpack_from("!I", answer, 4)
    os.write(tun, segment(port, 1000, isn + 1 & 0xFFFFFFFF, ACK))
    with listener.accept()[0] as near:
        info = near.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    os.write(tun, segment(port, 1000, 0, RST))
    scale = info[INFO_SCALE] & 15 if info[INFO_OPTIONS] & 4 else NO_SCALE
    (mss,) = struct.unpack_from("I", info, INFO_SND_MSS)
    return scale, info[INFO_OPTIONS] & 1, mss


def test_this_kernel_takes_the_same(parser: ctypes.CDLL) -> None:
    if os.geteuid():
        pytest.skip("network namespaces need root")
    if not os.path.exists("/dev/net/tun"):
        pytest.skip("no TUN device")
    rng, count, answered, malformed = random.Random(1), 0, 0, 0
    syns = int(os.environ.get("PENSTOCK_FUZZ_SYNS", USUAL_SYNS))
    with tunnel() as (listener, tun):
        while count < syns:
            count += 1
            options = any_options(rng)
            kernels = taken(listener, tun, 1024 + count % 60_000, options)
            if kernels is None:
                continue
            answered += 1
            ours = Options()
            parser.parse(options + bytes(44 - len(options)), len(options), ctypes.byref(ours))
            payload = min(ours.mss_bytes or 536, 1460) - TIMESTAMPS_BYTES * ours.timestamps
            assert kernels == (ours.scale, ours.timestamps, payload), f"{count}: {options.hex()}"
            malformed += options[-1:] > b"\x02"
    assert answered > count * 3 // 4
    assert malformed > count // 16, "the SYNs say too little"
