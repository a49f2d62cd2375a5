# SPDX-License-Identifier: GPL-2.0-only
"""Accurate ECN of hosts that `penstock packetdrill` plays against: RFC 9768, by hand."""

from pathlib import Path

import pytest
from packetdrill_support import fails, passes, played, skips

LISTEN = """
`sysctl -q net.ipv4.tcp_ecn=3`
+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
"""
_SYN = "+0 < SEWA 0:0(0) win 30000 <mss 1460,nop,nop,sackOK>\n"
_ANSWER = "+0 > {flags} 0:0(0) ack 1 <mss 1460,ECN e1b 1 ceb 0 e0b 1,sackOK>\n"
# The last ACK says that the SYN-ACK was not ECN-capable, 0b010.
_OPEN = (
    LISTEN
    + _SYN
    + _ANSWER.format(flags="SW.")
    + "+.01 < [ect0] W. 1:1(0) ack 1 win 30000 <ECN e0b 1 ceb 0 e1b 1>\n"
    "+0 accept(3, ..., ...) = 4\n"
)
CONNECT = """
`sysctl -q net.ipv4.tcp_ecn=3`
+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0...0.05 connect(3, ..., ...) = 0
+0 > [noecn] SEWA 0:0(0) <...>
"""


@pytest.mark.parametrize(
    ("arrived", "flags"), [("noecn", "SW."), ("ect1", "SEW."), ("ect0", "SA."), ("ce", "SWA.")]
)
def test_a_syn_ack_says_how_the_syn_arrived(tmp_path: Path, arrived: str, flags: str) -> None:
    syn = _SYN.replace("SEWA", f"[{arrived}] SEWA")
    passes(tmp_path, LISTEN + syn + _ANSWER.format(flags=flags))
    fails(tmp_path, LISTEN + syn + _ANSWER.format(flags="SEA."), "flags")


@pytest.mark.parametrize(
    ("arrived", "flags"), [("noecn", "W."), ("ect1", "EW."), ("ect0", "A."), ("ce", "WA.")]
)
def test_the_last_ack_says_how_the_syn_ack_arrived(
    tmp_path: Path, arrived: str, flags: str
) -> None:
    passes(
        tmp_path,
        f"{CONNECT}+.05 < [{arrived}] SW. 0:0(0) ack 1 win 30000 <mss 1000>\n"
        f"+0 > [ect0] {flags} 1:1(0) ack 1\n",
    )


@pytest.mark.parametrize(
    ("answer", "data"),
    [
        ("SW.", "[ect0] P.5"),
        ("SEA.", "[ect0] P.5"),  # reserved: as if the SYN had arrived as it left
        ("SE.", "[ect0] P."),  # classic ECN
        ("S.", "[noecn] P."),
        ("SEWA.", "[noecn] P."),  # flags that a peer reflects
        ("SWA.", "[noecn] P.5"),  # CE of a SYN that was not ECN-capable
    ],
)
def test_each_answer_of_table_2(tmp_path: Path, answer: str, data: str) -> None:
    text = (
        f"{CONNECT}+.05 < [noecn] {answer} 0:0(0) ack 1 win 30000 <mss 1000>\n"
        "+0 > . 1:1(0) ack 1\n"
        "+.01 write(3, ..., 100) = 100\n"
    )
    if data.endswith("5"):
        text = text.replace("> . 1:1", "> W. 1:1")
    passes(tmp_path, f"{text}+0 > {data} 1:101(100) ack 1\n")


def test_the_field_counts_marks_from_5_modulo_8(tmp_path: Path) -> None:
    text = _OPEN
    for n, ace in enumerate((6, 7, 0, 1)):
        at = 1 + 1000 * n
        text += (
            f"+.05 < [ce] P.5 {at}:{at + 1000}(1000) ack 1 win 30000\n"
            f"+0 > [ect0] .{ace} 1:1(0) ack {at + 1000} <ECN e1b 1 ceb {1000 * (n + 1)} e0b 1>\n"
        )
    passes(tmp_path, text)


def test_the_senders_counts_follow_the_field_and_the_option(tmp_path: Path) -> None:
    passes(
        tmp_path,
        _OPEN + "+.01 write(4, ..., 1000) = 1000\n"
        "+0 > [ect0] P.5 1:1001(1000) ack 1 <ECN e1b 1 ceb 0 e0b 1>\n"
        "+.05 < [ect0] .6 1:1(0) ack 1001 win 30000 <ECN e0b 1 ceb 1000 e1b 1>\n"
        "+0 %{ assert tcpi_delivered_ce == 1 and tcpi_delivered_ce_bytes == 1000 }%\n"
        "+0 %{ assert tcpi_ca_state == TCP_CA_CWR }%\n",
    )


def test_an_ack_of_many_segments_may_have_wrapped_the_field(tmp_path: Path) -> None:
    for option, count in (("", 8), (" <ECN e0b 14601 ceb 0 e1b 1>", 0)):
        passes(
            tmp_path,
            _OPEN.replace(" <ECN e0b 1 ceb 0 e1b 1>", "") + "+.01 write(4, ..., 14600) = 14600\n"
            "+0 > [ect0] P.5 1:14601(14600) ack 1\n"
            "+.05 < [ect0] .5 1:1(0) ack 1461 win 30000\n"
            f"+.05 < [ect0] .5 1:1(0) ack 14601 win 30000{option}\n"
            f"+0 %{{ assert tcpi_delivered_ce == {count} }}%\n",
        )


def test_a_field_of_zeros_ends_what_is_ecn_capable(tmp_path: Path) -> None:
    bleached = _OPEN.replace("[ect0] W. 1:1", "[ect0] . 1:1")
    passes(
        tmp_path,
        bleached + "+.01 write(4, ..., 100) = 100\n+0 > [noecn] P.5 1:101(100) ack 1 <...>\n",
    )


def test_a_syn_is_repeated_once_with_the_request(tmp_path: Path) -> None:
    text = CONNECT.replace("0.05", "2.1") + "+1 > [noecn] SEWA 0:0(0) <...>\n"
    passes(tmp_path, text + "+1 > S 0:0(0) <...>\n+.1 < S. 0:0(0) ack 1 win 3000 <mss 1000>\n")


def test_a_syn_ack_is_repeated_without_the_option_and_then_without_the_field(
    tmp_path: Path,
) -> None:
    plain = "0:0(0) ack 1 <mss 1460,sackOK>\n"
    passes(
        tmp_path,
        LISTEN + _SYN + _ANSWER.format(flags="SW.") + f"+1 > SW. {plain}+2 > S. {plain}",
    )


def test_what_cannot_be_an_option_is_no_script(tmp_path: Path) -> None:
    for counters in ("e1b 1 e0b 1", "e1b", "e1b 16777216"):
        text = _SYN.replace("sackOK", f"ECN {counters}")
        assert played(tmp_path, LISTEN + text).feature == "language"


def test_an_option_that_changes_while_connected_is_not_claimed(tmp_path: Path) -> None:
    skips(tmp_path, _OPEN + "+0 `sysctl -q net.ipv4.tcp_ecn_option=0`\n", "connected")


def test_a_reset_ends_the_connection_and_one_beside_the_next_byte_is_answered(
    tmp_path: Path,
) -> None:
    data = "+.01 write(4, ..., 1000) = 1000\n+0 > P.5 1:1001(1000) ack 1 <...>\n"
    answered = "+.01 < R. 2:2(0) ack 1001 win 30000\n+0 > .5 1001:1001(0) ack 1 <...>\n"
    passes(tmp_path, _OPEN + data + answered)
    ended = "+.01 < R. 1:1(0) ack 1 win 30000\n"
    fails(tmp_path, _OPEN + data + ended + "+.3 > P.5 1:1001(1000) ack 1 <...>\n", "nothing sent")
    skips(tmp_path, _OPEN + data + ended + "+.01 read(4, ..., 10) = -1\n", "reset")
