# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw --beyond pace-acks: what it needs, and what it does with fq and many flows."""

import time

import pytest
from gateway_lab import Lab
from loads import connections, streaming

# Ten segments of 1,514 bytes in path and target; more than that wait for their turn.
SMALL = ("--rate", "2mbit", "--buffer", "30kB", "--acks", "pgs")
PACED = (*SMALL, "--beyond", "pace-acks")
FLOWS = 24


@pytest.fixture
def fq(lab: Lab) -> Lab:
    """The lab, with fq where the ACKs leave; skips where the kernel has none."""
    try:
        lab.tc("qdisc add dev pgs root fq")
    except AssertionError as error:
        pytest.skip(f"the kernel has no fq (tests/live/guest has): {error}")
    return lab


@pytest.mark.parametrize(
    ("options", "message", "code"),
    [
        (PACED, "pgs has the root qdisc noqueue: tc qdisc replace dev pgs root fq", 1),
        ((*PACED, "--method", "integral"), "integral does not delay ACKs; those that do: pen", 2),
        ((*SMALL[:4], "--beyond", "pace-acks"), "it needs --acks DEVICE", 2),
        ((*SMALL, "--beyond", "some"), "'some' is not one of none, pace-acks", 2),
    ],
)
def test_what_cannot_be_is_refused(
    lab: Lab, options: tuple[str, ...], message: str, code: int
) -> None:
    assert message in lab.tool("attach", lab.device, *options, expect=code)
    assert lab.leftovers() == []
    assert lab.tc("qdisc show dev pgs").startswith("qdisc noqueue")


def test_a_live_gateway_without_fq_is_refused_the_change(lab: Lab) -> None:
    lab.tool("attach", lab.device, *PACED, "--observe")
    assert "root fq" in lab.tool("set", lab.device, "--live", expect=1)
    assert lab.status()["state"] == "observe"
    assert 'beyond = "pace-acks"' in lab.tool("show", lab.device)
    lab.tool("set", lab.device, "--beyond", "none", "--live")
    assert "beyond" not in lab.status()


def drops(lab: Lab, settle_s: float, seconds: float) -> int:
    """In the time after the first flows have settled."""
    time.sleep(settle_s)
    before = int(str(lab.status()["queue_drops"]))
    time.sleep(seconds)
    return int(str(lab.status()["queue_drops"])) - before


def test_with_fq_more_flows_than_segments_lose_less(fq: Lab) -> None:
    fq.tool("attach", fq.device, *SMALL)
    with connections(fq, FLOWS) as pairs, streaming(*pairs):
        without = drops(fq, 2, 4)
        fq.tool("set", fq.device, "--beyond", "pace-acks")
        paced = drops(fq, 3, 4)
        status = fq.status()
    assert (status["state"], status["beyond"]) == ("live", "pace-acks")
    assert int(str(status["acks_held"])) > 100
    assert without > 10
    assert paced < without / 4


def test_status_tells_when_fq_is_gone(fq: Lab) -> None:
    fq.tool("attach", fq.device, *PACED)
    fq.tc("qdisc del dev pgs root")
    status = fq.status(expect=4)
    assert status["state"] == "degraded"
    assert "tc qdisc replace dev pgs root fq" in str(status["reason"])
