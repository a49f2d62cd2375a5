# SPDX-License-Identifier: GPL-2.0-only
"""The other congestion controls: core's in both simulators, and ns-3's own where they part.

One script with one loss, one with two, all below the receive window, where growth differs
(test_growth_beyond_the_receive_window).
"""

import pytest
from scripts import Script, ours, theirs
from scripts_compare import TOLERANCE_NS, thresholds, window_at, windows

MSS = 1000
SCRIPTS = [(sack, drops) for sack in (True, False) for drops in ((45,), (20, 60))]


def both(program, method, drops, *, sack=True, law="core"):
    script = Script(method=method, drops=drops, sack=sack, segments=600, law=law)
    return ours(program, script), theirs(script)


def farthest(mine, yours):
    """The largest difference of the windows outside of recovery, and how many were compared."""
    differences = [
        abs(window - window_at(yours, time_ns + TOLERANCE_NS))
        for time_ns, window in windows(mine)
        if 0 < time_ns < mine[-1].time_ns - 1_000_000_000
    ]
    return max(differences), len(differences)


@pytest.mark.parametrize(("sack", "drops"), SCRIPTS, ids=str)
@pytest.mark.parametrize("method", ["scalable", "highspeed", "bic"])
def test_laws_that_count_acks_are_the_same_to_the_byte(scripted, method, sack, drops):
    mine, yours = both(scripted, method, drops, sack=sack)
    assert thresholds(mine) == thresholds(yours)
    difference, compared = farthest(mine, yours)
    assert difference == 0
    assert compared > 100


@pytest.mark.parametrize(("sack", "drops"), SCRIPTS, ids=str)
def test_vegas_is_the_same_to_a_segment(scripted, sack, drops):
    """It reads round trips: ns-3 has a sample for each ACK, ours one per round trip."""
    mine, yours = both(scripted, "vegas", drops, sack=sack)
    assert thresholds(mine)[:1] == thresholds(yours)[:1]
    difference, compared = farthest(mine, yours)
    assert difference <= MSS
    assert compared > 30


@pytest.mark.parametrize("method", ["westwood_plus", "log_westwood_plus", "scalable_westwood"])
@pytest.mark.parametrize(("sack", "drops"), SCRIPTS, ids=str)
def test_bandwidth_estimates_are_alike(scripted, method, sack, drops):
    """A sample lasts an SRTT, which ns-3 updates more often: so its samples end elsewhere."""
    mine, yours = both(scripted, method, drops, sack=sack)
    first, other = thresholds(mine)[0], thresholds(yours)[0]
    assert first == pytest.approx(other, rel=0.25)
    assert first > 2 * MSS


def test_ns3s_scalable_takes_the_pipe_in_whole_segments(scripted):
    """0.875 of the flight of 49 segments; ns-3 takes 47 in the pipe, and rounds down."""
    mine, yours = both(scripted, "scalable", (45,), law="ns3")
    assert thresholds(mine) == [49 * MSS * 7 // 8]
    assert thresholds(yours) == [47 * 7 // 8 * MSS]


def test_ns3s_scalable_grows_twice_as_fast(scripted):
    """1 / min(W, 50) per segment, where Kelly has 0.01 above 16 segments."""
    mine, yours = both(scripted, "scalable", (20, 60), law="ns3")
    end_ns = 2_300_000_000
    assert window_at(yours, end_ns) > 1.4 * window_at(mine, end_ns)


def test_ns3s_highspeed_takes_the_pipe_in_whole_segments(scripted):
    mine, yours = both(scripted, "highspeed", (45,), law="ns3")
    assert thresholds(mine) == [49 * MSS * 56 // 100]
    assert thresholds(yours) == [47 * 56 // 100 * MSS]


def test_ns3s_bic_has_another_beta_and_probes_four_times_as_fast(scripted):
    """beta 0.8 of whole segments, where Linux has 819/1024; SmoothPart 5, where it has 20."""
    mine, yours = both(scripted, "bic", (45,), law="ns3")
    assert thresholds(mine) == [49 * MSS * 52416 >> 16]
    assert thresholds(yours) == [49 * MSS * 8 // 10]
    mine, yours = both(scripted, "bic", (20, 60), law="ns3")
    end_ns = 2_300_000_000
    assert window_at(yours, end_ns) > 2 * window_at(mine, end_ns)


def test_ns3s_westwood_starts_its_filter_at_zero(scripted):
    """Ours, as Linux, at the first sample. So ns-3's first decrease is deeper."""
    mine, yours = both(scripted, "westwood_plus", (45,), law="ns3")
    assert 2 * MSS <= thresholds(yours)[0] < thresholds(mine)[0] / 2


def test_ns3s_vegas_does_not_halve(scripted):
    """Its ssthresh at a loss is a segment below cwnd; Linux and ours halve the flight."""
    mine, yours = both(scripted, "vegas", (45,), law="ns3")
    assert thresholds(mine) == [49 * MSS // 2]
    assert thresholds(yours)[0] == 48 * MSS
