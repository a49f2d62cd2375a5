# SPDX-License-Identifier: GPL-2.0-only
"""Copa against Arun and Balakrishnan 2018 in floating point."""

import random

import pytest
from sender_steps import FAR, S
from twins.copa import Copa, Rtts

from penstock import _native

MS = 10**6
MSS = 1448
LONGEST = 1000 * S
_NOTHING = {  # of note in an ACK
    "lost_bytes": 0,
    "total_lost_bytes": 0,
    "before_bytes": 0,
    "in_flight_bytes": 0,
    "recovery": 0,
    "app_limited": 0,
    "cwnd_limited": 1,
}


def _control(segments: int = 10, rtt_ns: int = 40 * MS, **params: int) -> _native.SenderControl:
    control = _native.SenderControl(
        "copa", cwnd_bytes=segments * MSS, ssthresh_bytes=FAR, mss_bytes=MSS, params=params
    )
    control.init(0, rtt_ns=rtt_ns)
    return control


def _rtts(state: dict[str, int]) -> Rtts:
    return Rtts(
        (LONGEST - state["standing_best"]) / S,
        (LONGEST - state["least_best"]) / S,
        state["most_best"] / S,
    )


class Path:
    """ACKs of a flow whose queue and losses vary by chance; it keeps its own books."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now = 40 * MS
        self.total = self.level = 0

    def ack(self, cwnd: int) -> dict[str, int]:
        draw = self.draw
        if draw.random() < 0.02:
            self.level = draw.choice((0, 2 * MS, 10 * MS, 60 * MS))
        acked = MSS * draw.choice((1, 2, 2, 3))
        self.now += draw.randrange(MS, 5 * MS)
        self.total += acked
        return {
            "total_bytes": self.total,
            "prior_bytes": max(self.total - max(cwnd, acked), 0),
            "interval_ns": 40 * MS,
            "rtt_ns": 40 * MS + self.level + draw.randrange(1 + self.level // 4),
            "acked_bytes": acked,
            **_NOTHING,
            "lost_bytes": MSS if draw.random() < 0.02 else 0,
        }


@pytest.mark.parametrize("competitive", [0, 1])
@pytest.mark.parametrize("delta_q16", [64, 6000, 32768, 65536])
def test_it_follows_the_paper(delta_q16: int, competitive: int) -> None:
    seen = set().union(*(_follow(seed, delta_q16, competitive) for seed in range(6)))
    if 1000 < delta_q16 < 65536:  # the others turn too seldom, or too early
        assert seen >= {(mode, fast) for mode in range(competitive + 1) for fast in (False, True)}


def _follow(seed: int, delta_q16: int, competitive: int) -> set[tuple[int, bool]]:
    """Control and twin on one path; the modes and whether the velocity was above 1."""
    path = Path(seed)
    control = _control(delta_q16=delta_q16, competitive=competitive)
    twin = Copa(10.0, delta_q16 / 65536, bool(competitive))
    seen: set[tuple[int, bool]] = set()
    compared = 0
    for _ in range(3000):
        ends = control.state["round_end_bytes"]
        d = path.ack(control.cwnd_bytes)
        control.steer(path.now, srtt_ns=50 * MS, delivery=d)
        state = control.state
        rtts = _rtts(state)
        twin.ack(
            path.now / S,
            d["acked_bytes"] / MSS,
            rtts,
            0.05,
            losses=d["lost_bytes"] > 0,
            ends_round=d["prior_bytes"] >= ends,
        )
        if twin.close:
            break
        window = control.cwnd_bytes + state["fraction_q16"] / 65536
        assert window == pytest.approx(twin.window * MSS, rel=1e-6, abs=2)
        assert state["velocity"] == min(twin.velocity, 16384)
        assert state["inverse_q16"] == pytest.approx(twin.inverse * 65536, abs=64)
        assert (state["competing"], state["starting"]) == (twin.competing, twin.starting)
        assert state["pacing_bytes_per_s"] == pytest.approx(
            twin.rate(rtts) * MSS, abs=2 + 3 / rtts.standing
        )
        seen.add((state["competing"], state["velocity"] > 1))
        twin.window = window / MSS  # each step alone: no error adds up
        twin.inverse = state["inverse_q16"] / 65536
        compared += 1
    assert compared > 20
    return seen


def _settle(
    control: _native.SenderControl, segments: int, rounds: int, base: int = 40 * MS
) -> None:
    """A path of so many segments, with a queue for the rest; ACKs of two segments."""
    now, total = base, 0
    for _ in range(rounds):
        window = control.cwnd_bytes
        rtt = max(base, base * window // (segments * MSS))
        for _ in range(max(window // (2 * MSS), 1)):
            now += rtt * 2 * MSS // window
            total += 2 * MSS
            d = {
                "total_bytes": total,
                "prior_bytes": max(total - window, 0),
                "interval_ns": rtt,
                "rtt_ns": rtt,
                "acked_bytes": 2 * MSS,
                **_NOTHING,
            }
            control.steer(now, srtt_ns=rtt, delivery=d)


@pytest.mark.parametrize(("delta_q16", "waiting"), [(32768, 2), (8192, 8)])
def test_it_settles_where_one_over_delta_segments_wait(delta_q16: int, waiting: int) -> None:
    control = _control(delta_q16=delta_q16, competitive=0)
    _settle(control, 60, 150)
    assert control.cwnd_bytes / MSS == pytest.approx(60 + waiting, abs=waiting + 2)


def test_a_window_that_does_not_limit_does_not_grow() -> None:
    control = _control()
    d = {"total_bytes": MSS, "prior_bytes": 0, "acked_bytes": MSS, **_NOTHING}
    d |= {"rtt_ns": 40 * MS, "interval_ns": 40 * MS}
    control.steer(40 * MS, srtt_ns=40 * MS, delivery={**d, "cwnd_limited": 0})
    assert control.cwnd_bytes == 10 * MSS
    control.steer(41 * MS, srtt_ns=40 * MS, delivery=d)
    assert control.cwnd_bytes == 11 * MSS


def test_a_timeout_begins_a_slow_start() -> None:
    control = _control(competitive=0)
    _settle(control, 60, 60)
    assert not control.state["starting"]
    control.congestion(10 * S, "timeout", flight_bytes=control.cwnd_bytes)
    assert control.state["starting"]
