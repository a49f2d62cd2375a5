# SPDX-License-Identifier: GPL-2.0-only
"""What hosts of `penstock packetdrill` do as Linux does, and in each address family."""

from pathlib import Path

import pytest
from lab_support import Run
from packetdrill_support import WITH_SACK, WITHOUT, passes, played


def test_a_fin_alone_is_acknowledged_late_once_data_has_arrived(tmp_path: Path) -> None:
    data = """
   +0 < P. 1:501(500) ack 1 win 2000
   +0 > . 1:1(0) ack 501
   +0 read(4, ..., 500) = 500
"""
    fin = "+0 < F. {seq}:{seq}(0) ack 1 win 2000\n{delay} > . 1:1(0) ack {ack}\n"
    passes(tmp_path, WITH_SACK + fin.format(seq=1, delay="+0", ack=2))
    passes(tmp_path, WITH_SACK + data + fin.format(seq=501, delay="+.04", ack=502))
    with_data = "+0 < FP. 501:601(100) ack 1 win 2000\n+0 > . 1:1(0) ack 602\n"
    passes(tmp_path, WITH_SACK + data + with_data)
    closed = "+0 close(4) = 0\n+0 > F. 1:1(0) ack 501\n+.01 < . 501:501(0) ack 2 win 2000\n"
    at_once = "+0 < F. 501:501(0) ack 2 win 2000\n+0 > . 2:2(0) ack 502\n"
    passes(tmp_path, WITH_SACK + data + closed + at_once)


def test_a_fin_with_a_duplicate_reports_none(tmp_path: Path) -> None:
    again = "+0 < {flags} 1:501(500) ack 1 win 2000\n{answer}\n"
    first = again.format(flags="P.", answer="+0 > . 1:1(0) ack 501")
    twice = again.format(flags="P.", answer="+0 > . 1:1(0) ack 501 <nop,nop,sack 1:501>")
    fin = again.format(flags="FP.", answer="+.04 > . 1:1(0) ack 502")
    passes(tmp_path, WITH_SACK + first + twice + fin)


def test_what_waits_after_a_fin_is_counted(tmp_path: Path) -> None:
    passes(
        tmp_path,
        WITH_SACK
        + """
   +0 < FP. 1:501(500) ack 1 win 2000
   +0 > . 1:1(0) ack 502
   +0 ioctl(4, SIOCINQ, [500]) = 0
   +0 read(4, ..., 500) = 500
   +0 ioctl(4, SIOCINQ, [0]) = 0
""",
    )


def test_a_call_without_a_buffer_fails_and_takes_nothing(tmp_path: Path) -> None:
    passes(
        tmp_path,
        WITH_SACK
        + """
   +0 write(4, NULL, 500) = -1 EFAULT (Bad address)
   +0 < P. 1:501(500) ack 1 win 2000
   +0 > . 1:1(0) ack 501
   +0 recv(4, NULL, 500, 0) = -1 EFAULT (Bad address)
   +0 read(4, ..., 500) = 500
""",
    )
    assert played(tmp_path, "+0 fcntl(3, F_GETFL) = -1 EFAULT (no)").feature == "arguments"


@pytest.mark.parametrize(
    ("family", "own", "mss_bytes"),
    [
        ("ipv4", "", 1460),
        ("ipv4-mapped-ipv6", "", 1460),
        ("ipv6", "", 1460),  # the suites' runners have an MTU of 1520 there
        ("ipv4", "--ip_version=ipv6\n", 1440),
        ("ipv4", "--ip_version=ipv6\n--mtu=1280\n", 1220),
        ("ipv6", "--ip_version=ipv4\n--mtu=1500\n", 1460),
    ],
)
def test_a_host_of_each_address_family(
    tmp_path: Path, penstock: Run, family: str, own: str, mss_bytes: int
) -> None:
    file = tmp_path / "script.pkt"
    text = f"""{own}
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0...0.05 connect(3, ..., ...) = 0
   +0 > S 0:0(0) <mss {mss_bytes},sackOK,TS val 100 ecr 0,nop,wscale 7>
 +.05 < S. 0:0(0) ack 1 win 30000 <mss 1400,nop,wscale 2>
   +0 > . 1:1(0) ack 1
"""
    file.write_text(text)
    done = penstock("packetdrill", "--ip-version", family, str(file))
    assert done.stdout.endswith("1 passed, 0 failed, 0 skipped\n"), done.stdout
    file.write_text(text.replace(f"mss {mss_bytes}", f"mss {mss_bytes + 20}"))
    assert penstock("packetdrill", "--ip-version", family, str(file)).returncode == 1


def test_an_unknown_address_family_is_an_error(tmp_path: Path, penstock: Run) -> None:
    (tmp_path / "a.pkt").write_text(WITHOUT)
    done = penstock("packetdrill", "--ip-version", "ipx", str(tmp_path))
    assert (done.returncode, "ipv4-mapped-ipv6" in done.stderr) == (2, True)
