# SPDX-License-Identifier: GPL-2.0-only
"""R38: advice to QUIC on a live gateway, with packets of scapy (draft-ietf-scone-protocol-08)."""

import json
import shutil
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from gateway_lab import Lab, sh
from loads import until
from scapy.layers.inet import IP, UDP, fragment
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.packet import Packet, Raw
from spaces import compute_checksums, inside

VERSIONS = (0x6F7DC0FD, 0xEF7DC0FD)  # of even signals, and of odd ones
UNKNOWN = 127
PERIOD_S = 67
SO_NO_CHECK = 11
ADVICE = 46  # 19.95 Mbit/s, of an idle link of 20
SENDER = "02:00:00:00:00:99"
LINK = Ether(src=SENDER, dst="ff:ff:ff:ff:ff:ff")
ONE_RTT = b"\x43" + bytes(1199)
INITIAL = b"\xc3\x00\x00\x00\x01\x08" + bytes(8) + b"\x00" + bytes(40)


def scone(signal: int = UNKNOWN, following: bytes = ONE_RTT) -> bytes:
    """A SCONE packet as the draft's figure has it, and what is coalesced with it."""
    first, version = 0xC0 | signal >> 1, VERSIONS[signal & 1]
    return bytes([first]) + version.to_bytes(4, "big") + b"\x08" + bytes(8) + b"\x00" + following


def signal_of(payload: bytes) -> int:
    """By the draft's pseudocode."""
    return (payload[0] & 0x3F) << 1 | payload[1] >> 7


def udp(payload: bytes, ports: Iterator[int], **fields: int) -> Packet:
    """A datagram of a flow of its own."""
    return UDP(sport=next(ports), dport=443, **fields) / Raw(payload)


def four(datagram: Packet) -> Packet:
    """In IPv4."""
    return IP(src="198.51.100.1", dst="192.0.2.1", flags="DF") / datagram


def six(datagram: Packet) -> Packet:
    """In IPv6."""
    return IPv6(src="2001:db8::1", dst="2001:db8::2") / datagram


def advised(ports: Iterator[int], before: int, after: int) -> list[tuple[Packet, Packet]]:
    """Frames with SCONE packets of one signal, and as they are with the other."""
    found = []
    for ip in (four, six):
        pppoe = PPPoE(sessionid=1) / PPP(proto=0x21 if ip is four else 0x57)
        for link in (LINK, LINK / Dot1Q(vlan=5), LINK / Dot1AD(vlan=7) / Dot1Q(vlan=5),
                     LINK / pppoe):  # fmt: skip
            for coalesced in (ONE_RTT, INITIAL + ONE_RTT[:200]):
                port = next(ports)
                found.append(tuple(
                    link / ip(udp(scone(signal, coalesced), iter([port])))
                    for signal in (before, after)
                ))  # fmt: skip
    port = next(ports)
    unsummed = (four(udp(scone(each), iter([port]), chksum=0)) for each in (before, after))
    found.append(tuple(LINK / each for each in unsummed))
    return found


def left(ports: Iterator[int]) -> list[Packet]:
    """Frames that pass as they are."""
    beyond = scone()[:5] + b"\xff" + scone()[6:40]
    payloads = [
        INITIAL + scone(),  # not the first of the datagram
        scone()[:4] + b"\xfe" + scone()[5:],  # another version
        b"\x7f" + scone()[1:],  # a short header
        scone(following=b""),  # nothing is coalesced
        scone()[:5], scone()[:9],  # cut off
        beyond,  # an ID that ends behind the datagram
        *(scone(signal) for signal in (0, 20, ADVICE - 1, ADVICE)),  # no higher than ours
        b"", b"\xc0",
    ]  # fmt: skip
    frames = [ip(udp(each, ports)) for ip in (four, six) for each in payloads]
    frames += fragment(IP(src="198.51.100.1", dst="192.0.2.1") / udp(scone(), ports), 600)
    return [LINK / each for each in frames]


def network_bytes(frame: Packet) -> bytes:
    """From the IP header on."""
    return bytes(frame[IPv6] if IPv6 in frame else frame[IP])


class Wire:
    """Frames out of the gateway's device, and what the client gets of them."""

    def __init__(self, lab: Lab) -> None:
        self.sockets = []
        for host, device in ((lab.gateway, lab.device), (lab.client, "c0")):
            with inside(host):
                one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            one.bind((device, 3))
            self.sockets.append(one)

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.sockets:
            one.close()

    def send(self, frame: Packet) -> None:
        """One frame."""
        self.sockets[0].send(bytes(frame))

    def arrived(self, frames: list[Packet]) -> list[bytes]:
        """Each of these as it comes in, from the IP header on."""
        self.sockets[1].settimeout(10)
        found = []
        for frame in frames:
            self.send(frame)
            while True:
                got = Ether(self.sockets[1].recv(1 << 16))
                if got.src == SENDER:
                    break
            # A frame is padded to 60 bytes.
            found.append(network_bytes(got)[: len(network_bytes(Ether(bytes(frame))))])
        return found


def age_period(lab: Lab, seconds: int) -> None:
    """Puts the beginning of the period back by so long, where the programs keep it."""
    bpftool = shutil.which("bpftool", path="/usr/sbin:/sbin:/usr/bin")
    if not bpftool:
        pytest.skip("bpftool is not installed")
    shared = ["pinned", f"{lab.pins()}/shared"]
    [entry] = json.loads(sh(" ".join([bpftool, "-j", "map", "dump", *shared])))
    value = bytes(int(each, 16) for each in entry["value"])
    scone = entry["formatted"]["value"]["port"]["scone"]
    aged = {**scone, "begun_ns": scone["begun_ns"] - seconds * 10**9}
    before, after = (struct.pack("<5Q", *fields.values()) for fields in (scone, aged))
    assert value.count(before) == 1
    words = [f"{each:02x}" for each in value.replace(before, after)]
    key = ["key", "hex", "00", "00", "00", "00"]
    sh(" ".join([bpftool, "map", "update", *shared, *key, "value", "hex", *words]))


@contextmanager
def advising(lab: Lab) -> Iterator[Wire]:
    """A gateway on an idle link, after its first period."""
    lab.tool("attach", lab.device, "--rate", "20mbit", "--scone", "on")
    assert lab.status()["scone_signal"] == UNKNOWN
    early = LINK / four(UDP(sport=9, dport=9) / Raw(scone()))

    def is_advised(wire: Wire) -> bool:
        wire.send(early)
        return lab.status()["scone_signal"] == ADVICE

    with Wire(lab) as wire:
        for _ in range(3):  # the programs look at the share once per second
            assert not is_advised(wire)
            time.sleep(1)
        age_period(lab, PERIOD_S - 1)
        until(lambda: is_advised(wire))
    # Those packets passed before there was any advice.
    assert int(str(lab.status()["scone_kept"])) > 0
    # Without what the client has got so far.
    with Wire(lab) as wire:
        yield wire


def exchange(lab: Lab, payload: bytes, *, ipv6: bool, summed: bool = True) -> bytes:
    """What a socket of the client gets from one of the server, through the gateway."""
    family = socket.AF_INET6 if ipv6 else socket.AF_INET
    with inside(lab.client):
        near = socket.socket(family, socket.SOCK_DGRAM)
    with inside(lab.server):
        far = socket.socket(family, socket.SOCK_DGRAM)
    with near, far:
        near.bind((lab.address(lab.client, ipv6=ipv6), 0))
        near.settimeout(10)
        if not summed:
            far.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)
        far.sendto(payload, near.getsockname()[:2])
        return near.recv(1 << 16)


def test_advice_is_written_within_what_the_draft_allows(lab: Lab) -> None:
    ports = iter(range(10000, 60000))
    with advising(lab) as wire:
        before = lab.status()
        pairs = [
            pair for signal in (UNKNOWN, 60, ADVICE + 1) for pair in advised(ports, signal, ADVICE)
        ]
        got = wire.arrived([frame for frame, _ in pairs])
        assert got == [network_bytes(Ether(bytes(frame))) for _, frame in pairs]
        frames = left(ports)
        assert wire.arrived(frames) == [network_bytes(Ether(bytes(each))) for each in frames]
        after = lab.status()
        advised_packets = int(str(after["scone_advised"])) - int(str(before["scone_advised"]))
        assert advised_packets == len(pairs)
        parts = ("scone_advised", "scone_kept", "scone_spared", "scone_left")
        assert after["scone_packets"] == sum(int(str(after[name])) for name in parts)

        compute_checksums(lab.server, "s0")
        for ipv6 in (False, True):
            found = exchange(lab, scone(), ipv6=ipv6)
            assert (signal_of(found), found[5:]) == (ADVICE, scone()[5:])
        assert signal_of(exchange(lab, scone(), ipv6=False, summed=False)) == ADVICE
        check_words(lab)

        lab.tool("set", lab.device, "--scone", "off")
        assert exchange(lab, scone(), ipv6=False) == scone()
        assert json.loads(lab.tool("show", "-j", lab.device))["scone"] == "off"


def check_words(lab: Lab) -> None:
    """What the tool says of it."""
    assert "SCONE        20.0 Mbit/s (signal 46), in " in lab.tool("status", lab.device)
    assert "advice to QUIC: 20.0 Mbit/s (signal 46), in " in lab.tool("explain", lab.device)
    assert json.loads(lab.tool("explain", "-j", lab.device))["scone_advice_bps"] == 19952623
    assert 'penstock_scone_advice_bytes_per_second{iface="pgc"} 2494077.8' in lab.tool(
        "metrics", lab.device
    )
    assert json.loads(lab.tool("show", "-j", lab.device))["scone"] == "on"


def test_droptail_has_no_share_to_advise(lab: Lab) -> None:
    words = ("attach", lab.device, "--rate", "20mbit", "-m", "droptail", "--scone", "on")
    said = lab.tool(*words, expect=2)
    assert "scone: droptail does not divide the link" in said
    assert "--fair on" in said
