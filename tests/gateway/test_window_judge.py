# SPDX-License-Identifier: GPL-2.0-only
"""The judge of packets before and behind a gateway, and of packetdrill's outcomes."""

import struct
from collections.abc import Mapping
from pathlib import Path

import drill
import pytest
from capture import Packet
from drill import Played, compare, last_line
from packets import checksum
from window_judge import ACK, SYN, judge

CLIENT, SERVER = (b"\x0a\0\0\1", 40000), (b"\x0a\0\0\2", 80)
SCALED = b"\3\3\7\0"
ISS, IRS = 0xFFFFFF00, 5000  # the numbers of the data wrap


def packet(
    at: int,
    upload: bool,
    sequence: int,
    acknowledged: int,
    *,
    window: int,
    flags: int = ACK,
    payload: int = 0,
    options: bytes = b"",
) -> Packet:
    (source, sport), (target, dport) = (CLIENT, SERVER) if upload else (SERVER, CLIENT)
    offset = (5 + len(options) // 4) << 4
    numbers = (sequence % (1 << 32), acknowledged % (1 << 32))
    head = struct.pack("!HHIIBBHHH", sport, dport, *numbers, offset, flags, window, 0, 0)
    segment = head + options + bytes(payload)
    whole = checksum(source + target + struct.pack("!II", len(segment), 6) + segment)
    segment = segment[:16] + struct.pack("!H", whole) + segment[18:]
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(segment), 1, 0, 0, 6, 0) + source + target
    return Packet(at, 64, ip + segment, 20)


def conversation(left: int, offered: int = 500, **options: bytes) -> tuple[list[str], int]:
    """1,000 bytes of data, and its ACK, whose window becomes `left`."""
    syn = options.get("syn", SCALED)
    uploads = [
        packet(1, True, ISS, 0, window=60000, flags=SYN, options=syn),
        packet(3, True, ISS + 1, IRS + 1, window=100, payload=1000),
        packet(4, True, ISS + 1001, IRS + 1, window=100, payload=1000),
    ]
    answer = packet(2, False, IRS, ISS + 1, window=60000, flags=SYN | ACK, options=SCALED)
    acks = [
        [answer, packet(5, False, IRS + 1, ISS + 1001, window=window)] for window in (offered, left)
    ]
    return judge([(uploads, uploads), (acks[0], acks[1])])


@pytest.mark.parametrize(
    ("left", "offered", "fault"),
    [
        (501, 500, "R1"),
        (0, 500, "R4"),
        (1, 0, "R5"),
        (7, 500, "R2: the edge is 104 bytes"),
    ],
)
def test_a_window_against_a_rule(left: int, offered: int, fault: str) -> None:
    faults, _ = conversation(left, offered)
    assert any(fault in each for each in faults), faults


def test_a_window_that_obeys() -> None:
    assert conversation(8) == ([], 1)
    assert conversation(500) == ([], 0)


def test_scales_count_only_if_both_offer_one() -> None:
    faults, _ = conversation(8, 2000, syn=b"\2\4\5\xb4")
    assert "R2: the edge is 992 bytes left of data that was seen" in faults


def test_other_bytes_and_checksums() -> None:
    before = packet(1, True, ISS + 1, IRS + 1, window=100, payload=10)
    other = packet(1, True, ISS + 2, IRS + 1, window=100, payload=10)
    assert judge([([before], [other])])[0] == ["bytes [7] of the header changed"]
    broken = Packet(1, 64, before.rest[:36] + b"\0\0" + before.rest[38:], 20)
    assert judge([([before], [broken])])[0] == ["wrong checksum"]
    assert judge([([before], [])])[0] == ["1 packets came and 0 left"]


def test_a_duplicate_repeats_its_field() -> None:
    data = [packet(at, True, ISS + at * 1000, IRS, window=1, payload=1000) for at in (0, 2)]
    acks = [packet(at, False, IRS, ISS, window=2000) for at in (1, 3)]
    handshake = packet(-2, True, ISS - 1, 0, window=900, flags=SYN)
    answer = packet(-1, False, IRS - 1, ISS, window=900, flags=SYN | ACK)
    left = [packet(at, False, IRS, ISS, window=800) for at in (1, 3)]
    up = [handshake, *data]
    faults, _ = judge([(up, up), ([answer, *acks], [answer, *left])])
    assert len(faults) == 1  # the first of the two
    assert "R2" in faults[0]


class Stage:
    """Plays what a test has written down."""

    def __init__(self, ends: Mapping[str, Played]) -> None:
        self.ends = ends
        self.now = ""

    def gateway(self, words: object) -> "Stage":
        self.now = next(name for name, each in drill.GATEWAYS.items() if each == words)
        return self

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def play(self, *_: object) -> Played:
        return self.ends[self.now]


GOOD = Played(True, "", (), 0)
BAD = Played(False, "x.pkt:3: no packet\nmore", (), 0)


@pytest.mark.parametrize(
    ("ends", "outcome", "why"),
    [
        ({"plain": GOOD, "observed": GOOD, "live": GOOD}, "passed", "0 windows"),
        ({"plain": BAD}, "skipped", "x.pkt:3"),
        ({"plain": GOOD, "observed": BAD}, "failed", "observes"),
        ({"plain": GOOD, "observed": Played(True, "", (), 2)}, "failed", "2 windows differ"),
        ({"plain": GOOD, "observed": GOOD, "live": BAD}, "passed", "a window binds"),
        (
            {"plain": GOOD, "observed": GOOD, "live": Played(True, "", ("R1: so",), 1)},
            "failed",
            "live: R1",
        ),
    ],
)
def test_outcomes(ends: Mapping[str, Played], outcome: str, why: str) -> None:
    found = compare(Stage(ends), Path("x.pkt"), "ipv4", Path())
    assert found[0] == outcome
    assert why in found[1]


def test_the_line_that_is_told() -> None:
    assert last_line("a\nx.pkt:7: timing error\nb") == "x.pkt:7: timing error"
    assert last_line("") == "no word"
