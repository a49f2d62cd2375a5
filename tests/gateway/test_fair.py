# SPDX-License-Identifier: GPL-2.0-only
"""`fair` on a live gateway: what a flood of UDP leaves of a controlled transfer."""

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import fmean
from typing import Any

import pytest
from datagrams import PAYLOAD, PORT, RATE_BPS, Udp
from gateway_lab import Lab
from loads import acked_bytes, connections, streaming, until

SECONDS = 3
DIVIDED = "penstock_divided_rate_bytes_per_second"


def goodput_bps(near: socket.socket, seconds: float = SECONDS) -> float:
    """What arrives of a transfer."""
    before, begun = acked_bytes(near), time.monotonic()
    time.sleep(seconds)
    return 8 * (acked_bytes(near) - before) / (time.monotonic() - begun)


def goodput_beside_bps(near: socket.socket, udp: Udp) -> float:
    """Of a transfer; 0 unless more than the link takes was sent beside it."""
    sent, begun = udp.sent, time.monotonic()
    found = goodput_bps(near)
    sent_bps = 8 * len(PAYLOAD) * (udp.sent - sent) / (time.monotonic() - begun)
    return found if sent_bps > RATE_BPS else 0


@contextmanager
def transfer(lab: Lab, *options: str, told: str = "20mbit") -> Iterator[socket.socket]:
    """A controlled transfer over 20 ms that has filled the link."""
    lab.tool("attach", lab.device, "--rate", told, "--buffer", "97kB", *options)
    with lab.far_server("20ms"), connections(lab, 1) as [pair], streaming(pair):
        until(lambda: acked_bytes(pair[0]) > 2_000_000)
        yield pair[0]


def _held(lab: Lab) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(lab.tool("explain", "-j", lab.device))["held"]
    return rows


@pytest.mark.parametrize("answered", [True, False])
def test_a_flood_of_udp_leaves_half_of_the_link_to_one_flow(lab: Lab, answered: bool) -> None:
    udp = Udp(lab, 1.5 * RATE_BPS, answered=answered)
    with transfer(lab) as near, udp.running():
        until(lambda: goodput_beside_bps(near, udp) > 0.35 * RATE_BPS)
        # What is held most comes first, which of the first packets may be the download.
        # A flood that nobody answers is a stream of its own once it has gone on for a second.
        held = [17] if answered else [0, 17]
        until(lambda: any(row["protocol"] in held for row in _held(lab)[:1]))
    assert int(str(lab.status()["early_drops"])) > 0
    text = lab.tool("explain", lab.device)
    held = _held(lab)
    if answered:
        assert f"UDP 10.9.2.2:{held[0]['sender'].split(':')[1]} -> 10.9.1.2:{PORT}" in text
    else:
        assert "flows that nobody answers" in text
        assert not any(row["answered"] for row in held if row["protocol"] in {0, 17})


def shape(lab: Lab) -> None:
    """A shaper of somebody else on the device."""
    lab.tc(f"qdisc add dev {lab.device} root tbf rate 20mbit burst 5k limit 97000")


def divided_bps(lab: Lab) -> float:
    """The rate that `fair` divides, once it is measured."""
    status = lab.status()
    return float(str(status["divided_rate_bps"])) if status["divided_rate_measured"] else 0


def left_bps(lab: Lab, seconds: float = 0.5) -> float:
    """What leaves the shaper, as it counts itself: on a busy machine less than it is told."""

    def left() -> int:
        (shown,) = json.loads(lab.tc(f"-s -j qdisc show dev {lab.device} root"))
        return int(shown["bytes"])

    before, begun = left(), time.monotonic()
    time.sleep(seconds)
    return 8 * (left() - before) / (time.monotonic() - begun)


def divides_what_leaves(lab: Lab) -> bool:
    """The mean of the rate over half a second, to a tenth."""
    with ThreadPoolExecutor(1) as beside:
        left = beside.submit(left_bps, lab)
        found = fmean([divided_bps(lab) for _ in range(5)])
        return abs(found / left.result() - 1) < 0.1


def test_a_rate_told_as_double_leaves_half_of_the_link_too(lab: Lab) -> None:
    shape(lab)
    udp = Udp(lab, 1.5 * RATE_BPS, answered=True)
    with transfer(lab, "--queue", "existing", told="40mbit") as near, udp.running():
        until(lambda: goodput_beside_bps(near, udp) > 0.35 * RATE_BPS)
        until(lambda: divides_what_leaves(lab))
        assert lab.status()["rate_bps"] == 2 * RATE_BPS
        assert "measured from what leaves the queue" in lab.tool("status", lab.device)
        assert "fair divides " in lab.tool("explain", lab.device)
        assert json.loads(lab.tool("explain", "-j", lab.device))["divided_rate_measured"] is True
        text = lab.tool("metrics", lab.device)
        assert f'penstock_divided_rate_measured{{iface="{lab.device}"}} 1' in text
        (rate,) = (
            float(line.split()[1]) for line in text.splitlines() if line.startswith(DIVIDED + "{")
        )
        assert 0.5 * RATE_BPS < 8 * rate < 1.2 * RATE_BPS


def test_a_buffer_told_too_low_leaves_the_measured_rate_right(lab: Lab) -> None:
    shape(lab)
    options = ("--rate", "40mbit", "--queue", "existing", "--buffer", "20kB", "--observe")
    lab.tool("attach", lab.device, *options)
    assert lab.status()["divided_rate_measured"] is False
    with connections(lab, 4) as pairs, streaming(*pairs):
        until(lambda: int(str(lab.status()["queue_longest_bytes"])) > 80_000)
        until(lambda: divides_what_leaves(lab))
        assert "of 20.0 kB, but up to " in lab.tool("status", lab.device)


def test_a_model_of_a_queue_has_its_rate_divided(lab: Lab) -> None:
    """What was measured of the device's own queue is none of it."""
    shape(lab)
    lab.tool("attach", lab.device, "--rate", "40mbit", "--queue", "existing", "--buffer", "97kB")
    with connections(lab, 4) as pairs, streaming(*pairs):
        until(lambda: divided_bps(lab) > 0)
        lab.tool("set", lab.device, "--source", "virtual")
        until(lambda: state_rate_bps(lab) == 2 * RATE_BPS)
    assert lab.status()["divided_rate_bps"] == 2 * RATE_BPS
    assert lab.status()["divided_rate_measured"] is False


def state_rate_bps(lab: Lab) -> int:
    """The rate that the program itself has divided last."""
    state = lab.status()["method_state"]
    assert isinstance(state, dict)
    return 8 * int(state["rate_bytes_per_s"])


def test_off_leaves_the_flood_what_it_takes(lab: Lab) -> None:
    with transfer(lab, "--fair", "off") as near:
        with Udp(lab, 1.5 * RATE_BPS, answered=True).running():
            time.sleep(1)
            until(lambda: goodput_bps(near) < 0.2 * RATE_BPS)
        status = lab.status()
    assert status["fair"] == "off"
    assert status["early_drops"] == status["early_marks"] == 0


def test_udp_below_its_share_loses_nothing(lab: Lab) -> None:
    udp = Udp(lab, 0.15 * RATE_BPS, answered=True)
    with transfer(lab) as near:
        with udp.running():
            until(lambda: goodput_bps(near) > 0.7 * RATE_BPS)
        assert lab.status()["early_drops"] == 0
    assert udp.received >= 0.98 * udp.sent
