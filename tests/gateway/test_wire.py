# SPDX-License-Identifier: GPL-2.0-only
"""R12, R13, R14 on live traffic: the packets behind the gateway against those before it."""

import statistics
import time

import pytest
from capture import Tap
from gateway_lab import Lab
from loads import Load, until
from spaces import compute_checksums, one_cpu
from window_judge import WINDOW_AND_CHECKSUM, changed_bytes

MEGABYTES = 8


@pytest.fixture
def taps(lab: Lab) -> dict[str, Tap]:
    """ACKs: before at the gateway's device, behind at the server. Data: the other way."""
    for host, device in ((lab.client, "c0"), (lab.server, "s0")):
        compute_checksums(host, device)
    return {
        "acks before": Tap(lab.gateway, lab.device),
        "acks behind": Tap(lab.server, "s0"),
        "data before": Tap(lab.gateway, "pgs"),
        "data behind": Tap(lab.client, "c0"),
    }


def is_quiet(lab: Lab) -> bool:
    """Nothing has passed the gateway for a while."""
    before = lab.status()
    time.sleep(0.2)
    after = lab.status()
    return all(before[name] == after[name] for name in ("forward_packets", "reverse_packets"))


@pytest.mark.parametrize("ipv6", [False, True], ids=["IPv4", "IPv6"])
def test_only_windows_of_acks_change(lab: Lab, taps: dict[str, Tap], ipv6: bool) -> None:
    # Room for all that may come, and a target below what any receiver offers at first.
    shape = ("--rate", "50mbit", "--buffer", "400k", "-p", "target_bytes=30000")
    lab.tool("attach", lab.device, *shape)
    with one_cpu():
        Load(lab, MEGABYTES, ipv6=ipv6).finish()
    until(lambda: is_quiet(lab))
    status = lab.status()
    assert status["queue_drops"] == 0
    seen = {name: tap.packets() for name, tap in taps.items()}

    assert len(seen["data before"]) > 100
    assert [p.rest for p in seen["data behind"]] == [p.rest for p in seen["data before"]]

    assert len(seen["acks behind"]) == len(seen["acks before"])
    pairs = list(zip(seen["acks before"], seen["acks behind"], strict=True))
    changes = [changed_bytes(before, behind) for before, behind in pairs]
    assert set().union(*changes) <= set(WINDOW_AND_CHECKSUM)
    rewritten = [pair for pair, change in zip(pairs, changes, strict=True) if change]
    assert len(rewritten) == status["acks_rewritten"] > 100
    for before, behind in pairs:
        assert behind.hops == before.hops - 1
        assert behind.window <= before.window
        assert before.checksum_right
        assert behind.checksum_right
    waits_ns = [behind.at_ns - before.at_ns for before, behind in pairs]
    assert statistics.median(waits_ns) < 1_000_000
