# SPDX-License-Identifier: GPL-2.0-only
"""Scripted losses: our TCP and ns-3's do the same, event by event.

Penstock's laws run in both (law="core"), so this is about TCP itself: which segment is sent
when, what is acknowledged, cwnd and ssthresh. test_differences.py has what is not the same.
"""

import random

import pytest
from scripts import Script, ours, theirs
from scripts_compare import TOLERANCE_NS, before_end, parting, thresholds, window_at, windows

ALIKE = [
    (),
    (3,),
    (10,),
    (10, 11),
    (10, 14),
    (20, 22, 24),
    (10, 40),
    (20, 60),
    (10, 11, 12, 13, 14, 15),
]
MORE_WITH_SACK = [(11, 49), (23, 39, 87), (56, 89), (1, 41, 63, 106), (0, 46, 50, 90, 106, 125)]


def drawn(seed):
    """Losses of 1.2 % of the first 130 data packets."""
    draw = random.Random(seed)
    return tuple(k for k in range(130) if draw.random() < 0.012)


def assert_alike(program, script):
    last = (script.segments - 1) * script.mss_bytes + 1
    mine = before_end(ours(program, script), last)
    yours = before_end(theirs(script), last)
    assert parting(mine, yours, ["send", "timeout"]) is None
    assert parting(mine, yours, ["ack"]) is None
    count = min(len(thresholds(mine)), len(thresholds(yours)))
    assert thresholds(mine)[:count] == thresholds(yours)[:count]
    # Of the last second, what leads to the FIN is left out.
    end_ns = min(events[-1].time_ns for events in (mine, yours)) - TOLERANCE_NS
    for time_ns, window in windows(mine):
        # Where the receive window is the limit, see test_growth_beyond_the_receive_window.
        if 0 < time_ns < end_ns - 1_000_000_000 and window < script.buffer_bytes:
            assert window_at(yours, time_ns + TOLERANCE_NS) == window, f"at {time_ns} ns"
    assert len([e for e in mine if e.what == "send"]) > script.segments // 2


@pytest.mark.parametrize("drops", ALIKE + MORE_WITH_SACK, ids=str)
def test_newreno_with_sack(scripted, drops):
    assert_alike(scripted, Script(drops=drops, sack=True, segments=400))


@pytest.mark.parametrize("drops", ALIKE + [drawn(seed) for seed in range(5)], ids=str)
def test_newreno_without_sack(scripted, drops):
    assert_alike(scripted, Script(drops=drops, sack=False, segments=400))


@pytest.mark.parametrize("drops", [drawn(seed) for seed in range(4)], ids=str)
def test_delayed_acks(scripted, drops):
    script = Script(drops=drops, sack=False, segments=400, delayed_ack_segments=2)
    assert_alike(scripted, script)


@pytest.mark.parametrize("sack", [True, False])
@pytest.mark.parametrize("drops", [(), (10,), (45,), (20, 60)], ids=str)
def test_cubic(scripted, sack, drops):
    """CUBIC reads the clock and SRTT, and ns-3 takes a sample from each ACK where ours takes
    one a round trip (RFC 6298 section 3 allows both): windows differ, by less than a segment."""
    script = Script(method="cubic", drops=drops, sack=sack, segments=600)
    mine, yours = ours(scripted, script), theirs(script)
    assert thresholds(mine)[:1] == thresholds(yours)[:1]
    compared = 0
    for time_ns, window in windows(mine):
        if 0 < time_ns < mine[-1].time_ns - 1_000_000_000:
            other = window_at(yours, time_ns + TOLERANCE_NS)
            assert abs(window - other) < script.mss_bytes, f"at {time_ns} ns"
            compared += 1
    assert compared > 50
