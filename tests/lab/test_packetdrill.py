# SPDX-License-Identifier: GPL-2.0-only
"""`penstock packetdrill`: the language, the verdicts, and what the simulator's TCP does."""

import json
import re
from pathlib import Path

import pytest
from lab_support import Run
from packetdrill_support import SERVER, WITH_SACK, WITHOUT, fails, passes, played, skips

from penstock.runs.packetdrill import asserts, claims, script


def test_reads_every_kind_of_event() -> None:
    read = script.read(
        "--tolerance_usecs=9000\n"
        "`sysctl -q net.ipv4.tcp_sack=0`\n"
        "// a comment\n"
        "+.1...0.3 connect(3, ..., ...) = -1 EINPROGRESS (now in progress)\n"
        "/* another\n one */\n"
        "+1~+1.5 > [ect0] P. 1:11(10) ack 2 win 7 <sack 1:2 5:9,TS val 3 ecr 4>\n"
        "* %{ assert tcpi_snd_cwnd == 10 }%\n"
    )
    assert read.flags == {"tolerance_usecs": "9000"}
    shell, call, packet, code = read.events
    assert shell.what == script.Shell("sysctl -q net.ipv4.tcp_sack=0")
    assert call.when == script.When(100_000_000, 300_000_000, relative=True, blocking=True)
    assert call.what == script.Call("connect", ("3", "...", "..."), "-1", "EINPROGRESS")
    assert packet.line == 7
    assert packet.when == script.When(10**9, 1_500_000_000, relative=True)
    assert packet.what == script.Packet(
        inbound=False,
        flags="P.",
        ecn="ect0",
        seq=1,
        payload_bytes=10,
        ack=2,
        window=7,
        options=script.Options(timestamps=(3, 4), sack=((1, 2), (5, 9))),
    )
    assert code.when.from_ns is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("+0 < S 0:5(4) win 1", 1, "0:5 is not 4 bytes"),
        ("\n+0 < X 0:0(0)", 2, "no flags"),
        ("+0 > . 1:1(0) ack 1 <mss many>", 1, "no number: 'many'"),
        ("+0 > . 1:1(0) ack 1 <glue>", 1, "no TCP option"),
        ("+0 < . 1:1(0) ack 1 win 70000", 1, "win is at most 65535, not 70000"),
        ("+0 < . 1:1(0) ack 4294967296", 1, "ack is at most 4294967295"),
        ("+0 < . 4294967296:1(1) ack 1", 1, "a sequence number is at most"),
        ("+0 < . 1:70001(70000) ack 1", 1, "a payload is at most 65535"),
        ("+0 < S 0:0(0) <mss 65536>", 1, "mss is at most 65535"),
        ("+0 < S 0:0(0) <wscale 256>", 1, "wscale is at most 255"),
        ("+0 < . 1:1(0) ack 1 <TS val 4294967296 ecr 0>", 1, "TS val is at most"),
        ("+0 < . 1:1(0) ack 1 <TS val 0 ecr 4294967296>", 1, "TS ecr is at most"),
        ("+0 < . 1:1(0) ack 1 <sack 1:4294967296>", 1, "an edge of sack is at most"),
        (f"+{'9' * 400} close(3) = 0", 1, "a time is at most 1000000 s"),
        ("--mtu=large", 1, "no number: 'large'"),
        ("+0 close(3", 1, ") is missing"),
        ("`sysctl", 1, "has no end"),
        ("+0 close(3)", 1, "no result"),
        ("+0 ; nothing", 1, "no event"),
    ],
)
def test_says_where_a_script_is_not_in_the_language(text: str, line: int, message: str) -> None:
    with pytest.raises(script.ScriptError, match=re.escape(message)) as caught:
        script.read(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("+0 close() = 0", "close() has too few arguments"),
        ("+0 read(a, ..., 1) = 1", "no number: 'a'"),
        ("+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = ...", "no number: '...'"),
        ("+0 ioctl(3, SIOCINQ, [many]) = 0", "no number: 'many'"),
        ("+0 setsockopt(3, SOL_TCP, TCP_MAXSEG, [x], 4) = 0", "no number: 'x'"),
        ("+0 write(3, ..., 2147483648) = 2147483648", "a number of write() is at most 2147483647"),
        ("`sysctl -q net.ipv4.tcp_rmem='1 2'`", "tcp_rmem has three sizes"),
    ],
)
def test_says_what_a_call_or_a_setting_lacks(tmp_path: Path, text: str, message: str) -> None:
    skips(tmp_path, f"{WITH_SACK}{text}", message)


def test_a_path_of_a_tiny_mtu_carries_segments_of_linux_least_size(tmp_path: Path) -> None:
    passes(tmp_path, f"--mtu=10{WITH_SACK}+0 write(4, ..., 96) = 96\n+0 > P. 1:97(96) ack 1")


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("+0 < S 0:10(10) win 1", "fast-open"),
        ("+0 > R. 1:1(0) ack 1 win 1", "reset"),
        ("+0 < R. 1:1(0) ack 1 win 1", "reset"),
        ("+0 < P.U 1:1(0) ack 1 win 1 urg 2", "urgent"),
        ("+0 < icmp unreachable frag_needed mtu 1 [0:0(0)]", "icmp"),
        ("`sysctl -q net.ipv4.tcp_ecn_option=1`", "accecn-modes"),
        ("`sysctl -q net.ipv4.tcp_ecn_option_beacon=1`", "accecn-modes"),
        ("`sysctl -q net.ipv4.tcp_ecn_fallback=0`", "accecn-modes"),
        ("+0 < . 1:1(0) ack 1 win 1 <md5 00>", "authentication"),
        ("+0 epoll_wait(3, ..., 1, 0) = 1", "poll"),
        ("+0 send(3, ..., 1, MSG_ZEROCOPY) = 1", "zerocopy"),
        ("+0 write(3, ..., 100) = 50", "send-buffer"),
        ("+0 %{ assert tcpi_lost == 1 }%", "reordering"),
        ("+0 %{ import os }%", "code"),
        ("`sysctl -q net.ipv4.tcp_early_retrans=0`", "tlp-off"),
        ("`rm -rf /`", "shell"),
    ],
)
def test_skips_what_is_not_claimed(tmp_path: Path, text: str, feature: str) -> None:
    verdict = played(tmp_path, text)
    assert (verdict.outcome, verdict.feature, verdict.line) == ("skipped", feature, 1)
    assert claims.UNCLAIMED[feature].reference in verdict.reason


def test_runs_no_code_and_no_command_of_a_script(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    played(tmp_path, f"`touch {trap}`")
    played(tmp_path, f"{WITH_SACK}+0 %{{ assert open('{trap}', 'w') }}%")
    assert not trap.exists()
    with pytest.raises(claims.UnclaimedError):
        asserts.Asserts().check("assert tcpi_snd_cwnd.bit_length()\nfor x in (): pass", 1)


def test_a_transfer_in_slow_start(tmp_path: Path) -> None:
    passes(
        tmp_path,
        WITH_SACK
        + """
   +0 write(4, ..., 30000) = 30000
   +0 > P. 1:10001(10000) ack 1
   +0 %{ assert tcpi_snd_cwnd == 10 and tcpi_unacked == 10, tcpi_snd_cwnd }%
 +.05 < . 1:1(0) ack 4001 win 2000
   +0 > P. 10001:18001(8000) ack 1
   +0 %{ assert tcpi_snd_cwnd == 14 }%
""",
    )


def test_a_loss_is_repaired_by_sack_in_proportion(tmp_path: Path) -> None:
    passes(
        tmp_path,
        WITH_SACK
        + """
   +0 write(4, ..., 10000) = 10000
   +0 > P. 1:10001(10000) ack 1
 +.05 < . 1:1(0) ack 1 win 2000 <sack 1001:2001,nop,nop>
   +0 %{ assert tcpi_ca_state == TCP_CA_Disorder }%
+.001 < . 1:1(0) ack 1 win 2000 <sack 1001:3001,nop,nop>
+.001 < . 1:1(0) ack 1 win 2000 <sack 1001:4001,nop,nop>
   +0 > . 1:1001(1000) ack 1
   +0 %{ assert tcpi_ca_state == TCP_CA_Recovery and tcpi_snd_ssthresh == 7 }%
 +.05 < . 1:1(0) ack 10001 win 2000
   +0 %{ assert tcpi_ca_state == TCP_CA_Open and tcpi_snd_cwnd == 7 }%
""",
    )


def test_timers_run_on_the_virtual_clock(tmp_path: Path) -> None:
    passes(
        tmp_path,
        WITHOUT
        + """
   +0 write(4, ..., 1000) = 1000
   +0 > P. 1:1001(1000) ack 1
 +.25 > P. 1:1001(1000) ack 1
  +.5 > P. 1:1001(1000) ack 1
""",
    )


def test_both_directions_and_both_closes(tmp_path: Path) -> None:
    passes(
        tmp_path,
        WITH_SACK
        + """
   +0 < P. 1:501(500) ack 1 win 2000
   +0 > . 1:1(0) ack 501
   +0 read(4, ..., 200) = 200
   +0 ioctl(4, SIOCINQ, [300]) = 0
   +0 read(4, ..., 1000) = 300
   +0 write(4, ..., 700) = 700
   +0 > P. 1:701(700) ack 501
 +.01 < F. 501:501(0) ack 701 win 2000
 +.04 > . 701:701(0) ack 502
   +0 read(4, ..., 1000) = 0
   +0 shutdown(4, SHUT_WR) = 0
   +0 > F. 701:701(0) ack 502
   +0 write(4, ..., 1) = -1 EPIPE (Broken pipe)
 +.01 < . 502:502(0) ack 702 win 2000
   +0 close(4) = 0
""",
    )


def test_a_client_that_blocks(tmp_path: Path) -> None:
    text = """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0...{end} connect(3, ..., ...) = 0
   +0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 7>
 +.05 < S. 0:0(0) ack 1 win 30000 <mss 1460,TS val 7 ecr 100,nop,wscale 2>
   +0 > . 1:1(0) ack 1 <nop,nop,TS val 150 ecr 7>
   +0 write(3, ..., 2896) = 2896
   +0 > P. 1:2897(2896) ack 1 <nop,nop,TS val 150 ecr 7>
"""
    passes(tmp_path, text.format(end="0.05"))
    fails(tmp_path, text.format(end="0.1"), "connect() at 0.050000 s, not at 0.100000 s")


def test_segments_without_timestamps_have_their_room(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0...0.05 connect(3, ..., ...) = 0
   +0 > S 0:0(0) <...>
 +.05 < S. 0:0(0) ack 1 win 30000 <mss 1460,nop,wscale 2>
   +0 > . 1:1(0) ack 1
   +0 write(3, ..., 2920) = 2920
   +0 > P. 1:2921(2920) ack 1
""",
    )


def test_ecn_is_agreed_and_used(tmp_path: Path) -> None:
    passes(
        tmp_path,
        """
`sysctl -q net.ipv4.tcp_ecn=1`
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0...0.05 connect(3, ..., ...) = 0
   +0 > SEW 0:0(0) <...>
 +.05 < SE. 0:0(0) ack 1 win 30000 <mss 1000,nop,wscale 2>
   +0 > . 1:1(0) ack 1
   +0 write(3, ..., 1000) = 1000
   +0 > [ect0] P. 1:1001(1000) ack 1
   +0 < [ce] P. 1:101(100) ack 1001 win 2000
   +0 > [noecn] E. 1001:1001(0) ack 101
""",
    )


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("+0 > . 1:1001(1000) ack 1", "nothing sent"),
        ("+0 accept(3, ..., ...) = 5", "accept() blocks"),
        ("+0 read(4, ..., 1000) = 10", "read() blocks"),
        ("+0 getsockopt(4, SOL_TCP, TCP_MAXSEG, [900], [4]) = 0", "[1000]"),
        ("+0 %{ assert tcpi_snd_cwnd == 9 }%", "tcpi_snd_cwnd is 10"),
        ("+0 write(4, ..., 500) = 500\n+0 > P. 1:401(400) ack 1", "1:501(500)"),
        ("+0 write(4, ..., 500) = 500\n+0 > FP. 1:501(500) ack 1", "flags P."),
        ("+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 9", "ack 1"),
        ("+0 write(4, ..., 500) = 500\n+.1 > P. 1:501(500) ack 1", "sent at 0.050000 s"),
        ("+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 1 <nop>", ""),
    ],
)
def test_says_what_happened_instead(tmp_path: Path, event: str, reason: str) -> None:
    if reason:
        fails(tmp_path, WITH_SACK + event, reason)
    else:
        passes(tmp_path, WITH_SACK + event)


def test_settings_may_stand_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "defaults.sh").write_text("sysctl -q net.ipv4.tcp_timestamps=0\n")
    text = (
        "`./defaults.sh`\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
        "+0 fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n"
        "+0 connect(3, ..., ...) = -1 EINPROGRESS (now in progress)\n"
        "+0 > S 0:0(0) <mss 1460,nop,nop,sackOK,nop,wscale 7>\n"
    )
    passes(tmp_path, text)
    skips(tmp_path, text.replace("defaults.sh", "other.sh"), "not here (./other.sh)")


def test_a_line_a_script_and_the_count_last(tmp_path: Path, penstock: Run) -> None:
    scripts = {"a.pkt": WITHOUT, "b.pkt": WITHOUT + "+0 read(4, ..., 1) = 1", "c.pkt": "`reboot`"}
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
    done = penstock("packetdrill", str(tmp_path))
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines[0] == "passed   a.pkt"
    assert lines[1] == "failed   b.pkt:10: read() blocks"
    assert lines[2].startswith("skipped  c.pkt:1: shell commands that are no settings (reboot)")
    assert lines[3] == "1 passed, 1 failed, 1 skipped"
    as_json = [
        json.loads(line)
        for line in penstock("packetdrill", str(tmp_path), "-j").stdout.splitlines()
    ]
    assert [each["outcome"] for each in as_json[:-1]] == ["passed", "failed", "skipped"]
    assert as_json[1]["line"] == 10
    assert as_json[-1] == {"passed": 1, "failed": 1, "skipped": 1}


def test_exit_codes(tmp_path: Path, penstock: Run) -> None:
    good = tmp_path / "good.pkt"
    good.write_text(WITHOUT)
    skipped = tmp_path / "skipped.pkt"
    skipped.write_text("`reboot`")
    assert penstock("packetdrill", str(good)).returncode == 0
    assert penstock("packetdrill", str(good), str(skipped)).returncode == 0
    assert penstock("packetdrill", str(skipped)).returncode == 77
    for wrong in ([], [str(tmp_path / "none.pkt")], [str(tmp_path / "empty")]):
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = penstock("packetdrill", *wrong)
        assert done.returncode == 2
        assert done.stderr.startswith("penstock: ")
        assert "Traceback" not in done.stderr


def test_lists_the_features_that_decide(penstock: Run) -> None:
    rows = [
        json.loads(line) for line in penstock("packetdrill", "--features", "-j").stdout.splitlines()
    ]
    assert {row["feature"] for row in rows if row["claimed"]} == set(claims.CLAIMED)
    assert {row["feature"] for row in rows if not row["claimed"]} == set(claims.UNCLAIMED)
    assert "fast-open" in penstock("packetdrill", "--features").stdout


@pytest.mark.parametrize("ack", [2, 2794967397])
def test_an_ack_that_cannot_be_is_answered(tmp_path: Path, ack: int) -> None:
    passes(
        tmp_path,
        WITH_SACK + f"+0 < P. 1:1001(1000) ack {ack} win 2000\n+0 > . 1:1(0) ack 1\n",
    )


@pytest.mark.parametrize("value", ["3", "4"])
def test_a_host_with_accurate_ecn_falls_back(tmp_path: Path, value: str) -> None:
    listen = SERVER.format(options="").split("   +0 < S")[0]
    passes(
        tmp_path,
        f"`sysctl -q net.ipv4.tcp_ecn={value}`\n"
        + listen
        + "+0 < SEW 0:0(0) win 30000 <mss 1000>\n+0 > SE. 0:0(0) ack 1 <...>\n",
    )


@pytest.mark.parametrize(
    ("value", "flags"), [("1", "SEW"), ("3", "SEWA"), ("4", "SEW"), ("5", "S")]
)
def test_a_host_asks_for_the_ecn_of_its_sysctl(tmp_path: Path, value: str, flags: str) -> None:
    passes(
        tmp_path,
        f"`sysctl -q net.ipv4.tcp_ecn={value}`\n"
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
        "+0...0.05 connect(3, ..., ...) = 0\n"
        f"+0 > {flags} 0:0(0) <...>\n"
        "+.05 < S. 0:0(0) ack 1 win 30000 <mss 1000>\n"
        "+0 > . 1:1(0) ack 1\n",
    )


def test_the_memory_of_the_receive_buffer_is_not_claimed(tmp_path: Path) -> None:
    verdict = played(tmp_path, WITH_SACK + "+0 %{ assert SK_MEMINFO_RCVBUF == 131072 }%\n")
    assert (verdict.outcome, verdict.feature) == ("skipped", "receive-buffer")
