# SPDX-License-Identifier: GPL-2.0-only
"""Where our TCP and ns-3's part, one by one, with the cause (docs/agreement.md)."""

import pytest
from scripts import Script, ours, theirs
from scripts_compare import (
    TOLERANCE_NS,
    before_end,
    of,
    parting,
    start,
    thresholds,
    window_at,
)

ACK_NS = 1_040_000  # one data segment of 1040 bytes at 8 Mbit/s
MSS = 1000


def both(program, **fields):
    script = Script(**{"segments": 400, **fields})
    return ours(program, script), theirs(script)


def test_ns3_takes_ssthresh_from_the_pipe(scripted):
    """RFC 5681 eq. 4 and RFC 6675 section 5 say FlightSize. With 14 segments in flight, three
    reported and one lost, ns-3 halves ten of them and two of limited transmit."""
    mine, yours = both(scripted, drops=(10,), law="ns3")
    assert thresholds(mine) == [7 * MSS]
    assert thresholds(yours) == [6 * MSS]


def test_ns3_grows_on_the_ack_that_ends_a_recovery(scripted):
    _, yours = both(scripted, drops=(10,), law="ns3")
    end = next(e for e in of(yours, "ack") if e.first == 26 * MSS + 1)
    assert window_at(yours, end.time_ns - 1) == 6 * MSS
    assert window_at(yours, end.time_ns) > 6 * MSS


def test_ns3_newreno_counts_acks_not_bytes(scripted):
    """Congestion avoidance by RFC 5681 eq. 3; ours by the bytes acknowledged, as it recommends."""
    mine, yours = both(scripted, drops=(10,), law="ns3")
    assert all(e.first % (MSS // 2) == 0 for e in of(mine, "cwnd"))
    assert any(e.first % (MSS // 2) for e in of(yours, "cwnd"))


def test_ns3_acknowledges_the_first_segment_at_once(scripted):
    mine, yours = both(scripted, delayed_ack_segments=2, law="ns3")
    assert next(e.first for e in of(mine, "ack") if e.first > 1) == 2 * MSS + 1
    assert next(e.first for e in of(yours, "ack") if e.first > 1) == MSS + 1


def test_ns3_leaves_recovery_without_sack_at_ssthresh(scripted):
    """RFC 6582 section 3.2 step 3: option 2 in ns-3; option 1, which avoids a burst, in ours."""
    mine, yours = both(scripted, drops=(3,), sack=False, law="ns3")
    end = next(e for e in of(mine, "ack") if e.first == 12 * MSS + 1)
    flight = 2 * MSS
    assert window_at(mine, end.time_ns) == flight + MSS < thresholds(mine)[0]
    later = next(e for e in of(yours, "ack") if e.first == end.first)
    assert window_at(yours, later.time_ns) >= thresholds(yours)[0]


def test_ns3_forgets_two_duplicates_without_limited_transmit(scripted):
    """RFC 6582 step 2 counts the three duplicates that start a recovery; ns-3 counts one."""
    fields = {"drops": (10,), "sack": False, "limited_transmit": False}
    one, other = parting(*both(scripted, **fields), ["send"])
    assert one.first == other.first
    assert abs(other.time_ns - one.time_ns - 2 * ACK_NS) < ACK_NS // 10


def test_ns3_counts_a_retransmission_after_it_was_reported(scripted):
    """SetPipe of RFC 6675 counts what is not reported. In ns-3 a segment that was sent again and
    then reported stays in the pipe, so what follows waits for one more ACK."""
    one, other = parting(*both(scripted, drops=(28, 53, 64, 71, 102)), ["send", "timeout"])
    assert (one.what, one.first) == (other.what, other.first)
    assert abs(other.time_ns - one.time_ns - ACK_NS) < ACK_NS // 10


def test_ns3_answers_each_partial_ack(scripted):
    """RFC 6675 sends while cwnd - pipe is at least a segment. ns-3 sends one segment for every
    partial ACK, whatever the pipe; here it saves a timeout."""
    one, other = parting(*both(scripted, drops=(0, 3, 4, 18, 78)), ["send", "timeout"])
    assert one.what == "timeout"
    assert (other.what, other.first) == ("send", 6 * MSS + 1)


def test_ns3_does_not_restart_the_timer_at_a_fast_retransmit(scripted):
    """RFC 6675 section 6 leaves it open; ours restarts it, as Linux does."""
    drops = (9, 13, 20, 26, 35, 71, 91, 112, 124, 125)
    mine, yours = both(scripted, drops=drops)
    one, other = parting(mine, yours, ["send", "timeout"])
    assert other.what == "timeout"
    advance = max(e.time_ns for e in of(yours, "ack") if e.time_ns < other.time_ns - 900_000_000)
    assert abs(other.time_ns - advance - 1_000_000_000) < 200_000_000
    assert next(e.time_ns for e in of(mine, "timeout")) > other.time_ns
    assert one.what == "send"


LONG_RECOVERIES = [
    (True, (1, 13, 24, 37, 40, 49, 56, 60, 63, 110)),
    (True, (15, 42, 55, 68, 82, 88, 89, 134, 138)),
    (True, (45, 78, 79, 87, 91, 97, 103, 105, 115, 123, 134, 138, 146, 149)),
    (True, (18, 19, 33, 41, 52, 65, 69, 73, 97, 122, 131, 146)),
    (False, (21, 65, 87, 95, 144)),
    (False, (0, 6, 76, 106, 117, 145)),
]


@pytest.mark.parametrize(("sack", "drops"), LONG_RECOVERIES, ids=str)
def test_with_the_impatient_timer_ours_expires_when_ns3s_does(scripted, sack, drops):
    """Of 28 scripts with SACK, drawn at random, all; 10 with the standard timer."""
    mine, yours = both(scripted, drops=drops, sack=sack)
    aligned = ours(scripted, Script(segments=400, drops=drops, sack=sack, impatient=True))
    standard_ns, theirs_ns, aligned_ns = (
        of(events, "timeout")[0].time_ns for events in (mine, yours, aligned)
    )
    assert abs(aligned_ns - theirs_ns) < TOLERANCE_NS < standard_ns - theirs_ns


def test_ns3_passes_over_an_ack_of_new_data_that_also_reports_some(scripted):
    """With delayed ACKs, the first sign of a loss acknowledges the segment before it too. RFC 6298
    (5.3) restarts the timer and RFC 5681 lets cwnd grow. The retransmission is lost as well, so
    the timer expires: in ns-3 one second after the ACK before, a round trip earlier."""
    fields = {"segments": 400, "delayed_ack_segments": 2}
    mine = ours(scripted, Script(drops=(11, 28), impatient=True, **fields))
    yours = theirs(Script(drops=(11, 27), **fields))
    for events, heeded in ((mine, True), (yours, False)):
        before_ns, ack_ns = (
            next(e.time_ns for e in of(events, "ack") if e.first == segment * MSS + 1)
            for segment in (10, 11)
        )
        assert ack_ns - before_ns > 50_000_000
        assert (window_at(events, ack_ns) > window_at(events, before_ns)) == heeded
        expired_ns = of(events, "timeout")[0].time_ns - 1_000_000_000
        assert abs(expired_ns - (ack_ns if heeded else before_ns)) < TOLERANCE_NS


def sent_again(events):
    sends = [e.first for e in of(events, "send")]
    return sorted(first for first in set(sends) if sends.count(first) > 1)


def test_ns3_rescues_no_segment(scripted):
    """Rule 4 of RFC 6675's NextSeg: where nothing else may be sent, the last segment is."""
    mine, yours = both(scripted, drops=(20, 24), buffer_bytes=24000)
    lost = [20 * MSS + 1, 24 * MSS + 1]
    assert sent_again(mine) == [*lost, 47 * MSS + 1]
    assert sent_again(yours) == lost


def test_ns3_does_not_grow_on_the_ack_that_ends_a_timeout(scripted):
    """RFC 5681 section 3.1: slow start grows on every ACK of new data."""
    mine, yours = both(scripted, drops=(4, 5, 15, 96, 114))
    end = next(e for e in of(mine, "ack") if e.first == 44 * MSS + 1)
    assert window_at(mine, end.time_ns) == 2 * MSS
    assert window_at(yours, end.time_ns + ACK_NS) == MSS


def test_the_fin_takes_a_place_in_our_pipe(scripted):
    """Sequence space has it; in ns-3 only data counts. It shows at the very end of a transfer."""
    one, other = parting(*both(scripted, drops=(74, 77, 113, 124), segments=120), ["send"])
    assert (one.first, other.first) == (77 * MSS + 1, 77 * MSS + 1)
    assert abs(one.time_ns - other.time_ns - ACK_NS) < ACK_NS // 10


def test_ns3_sends_parts_of_segments_in_recovery(scripted):
    """Into a window that is no multiple of the segment; ours keeps to sender SWS avoidance."""
    mine, yours = both(scripted, drops=(69,), buffer_bytes=65535)
    last = 399 * MSS + 1
    assert all(e.second == MSS for e in of(before_end(mine, last), "send"))
    assert any(e.second == 65535 % MSS for e in of(before_end(yours, last), "send"))


def test_ns3_keeps_guesses_of_a_recovery_without_sack(scripted):
    """Each duplicate marks a segment as received. Marks that are left when the recovery ends move
    to the head, which is then sent again at once, without three duplicates."""
    one, other = parting(*both(scripted, drops=(26, 48, 66), sack=False), ["send"])
    assert one.first == other.first == 65 * MSS + 1
    assert other.time_ns < one.time_ns - 10 * ACK_NS


def test_growth_beyond_the_receive_window(scripted):
    """RFC 7661: a window that is not used must not grow. Ours, as Linux, lets slow start go on
    to twice what is in flight; ns-3 asks of each segment whether cwnd held the next one back."""
    mine, yours = both(scripted, delayed_ack_segments=2, sack=False)
    largest = [max(e.first for e in of(events, "cwnd")) for events in (mine, yours)]
    assert largest[0] > largest[1] > 64 * MSS


def test_ns3_syns_have_no_mss_option(scripted):
    mine, yours = both(scripted)
    assert start(mine) - start(yours) == 2 * 4 * 1000  # four bytes, there and back
