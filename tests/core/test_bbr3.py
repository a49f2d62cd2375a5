# SPDX-License-Identifier: GPL-2.0-only
"""BBR version 3 against the pseudocode of its draft in floating point, and its two filters."""

import random

import pytest
from bbr3_path import CRUISE, DOWN, MS, MSS, PROBE_RTT, REFILL, STARTUP, UP
from sender_steps import FAR, S
from twins.bbr3 import Ack, Bbr3, Given, Lost

from penstock import _native

INF = 2**40


def _control(**params: int) -> _native.SenderControl:
    control = _native.SenderControl(
        "bbr3", cwnd_bytes=10 * MSS, ssthresh_bytes=FAR, mss_bytes=MSS, params=params
    )
    control.init(0, rtt_ns=40 * MS)
    return control


class Acks:
    """ACKs of a flow whose rate, RTT, losses and application vary by chance."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now = 40 * MS
        self.total = self.lost = 0
        self.recovery = False
        self.lossy = self.draw.choice((0.0, 0.002, 0.03))

    def lose(self, cwnd: int) -> list[dict[str, int]]:
        draw = self.draw
        if draw.random() >= self.lossy:
            return []
        count = draw.choice((1, 1, 3))
        self.lost += count * MSS
        flight = draw.randrange(4 * MSS, max(cwnd, 5 * MSS))
        return [
            {
                "bytes": MSS,
                "sent_in_flight_bytes": flight,
                "lost_bytes": (i + draw.choice((1, 1, 2))) * MSS,
                "app_limited": int(draw.random() < 0.1),
                "begins_range": int(i == 0),
            }
            for i in range(count)
        ]

    def delivery(self, cwnd: int, capacity: int, lost: list[dict[str, int]]) -> dict[str, int]:
        draw = self.draw
        rtt = draw.randrange(40 * MS, 60 * MS)
        acked = MSS * draw.choice((1, 2, 2, 3))
        self.now += acked * S // capacity + draw.randrange(1000)
        self.total += acked
        prior = max(self.total - max(min(cwnd, capacity * rtt // S), acked), 0)
        flight = draw.randrange(MSS, max(cwnd, 2 * MSS))
        return {
            "total_bytes": self.total,
            "prior_bytes": prior,
            "interval_ns": rtt,
            "rtt_ns": rtt,
            "acked_bytes": acked,
            "lost_bytes": len(lost) * MSS,
            "total_lost_bytes": self.lost,
            "before_bytes": flight + acked,
            "in_flight_bytes": min(flight, 4 * MSS) if draw.random() < 0.05 else flight,
            "recovery": int(self.recovery),
            "app_limited": int(draw.random() < 0.05),
            "newest_in_flight_bytes": draw.randrange(2 * MSS, max(cwnd, 3 * MSS)),
            "newest_lost_bytes": len(lost) * MSS,
            "cwnd_limited": int(draw.random() < 0.7),
            "selective": 1,
        }


def _twin_ack(now: int, d: dict[str, int]) -> Ack:
    return Ack(
        now=now / S,
        total=d["total_bytes"],
        prior=d["prior_bytes"],
        interval=d["interval_ns"] / S,
        rtt=d["rtt_ns"] / S,
        acked=d["acked_bytes"],
        flight=d["in_flight_bytes"],
        sent_flight=d["newest_in_flight_bytes"],
        lost=d["newest_lost_bytes"],
        recovery=bool(d["recovery"]),
        limited=bool(d["app_limited"]),
        cwnd_limited=bool(d["cwnd_limited"]),
    )


def _given(state: dict[str, int]) -> Given:
    return Given(
        max_bw=max(state["cycle_bytes_per_s"], state["last_cycle_bytes_per_s"]),
        extra=state["extra_bytes"],
        wait=state["probe_wait_ns"] / S,
        since_probe=0,
    )


def _recoveries(acks: Acks, control: _native.SenderControl, twin: Bbr3, lost: bool) -> None:
    if acks.recovery:
        acks.recovery = acks.draw.random() > 0.02
    elif lost:
        acks.recovery = True
        control.congestion(acks.now, "loss", flight_bytes=control.cwnd_bytes)
        twin.save()
        twin.recovering = True


def _lose(twin: Bbr3, now: int, total: int, lost: list[dict[str, int]], given: Given) -> None:
    for one in lost:
        segment = Lost(
            one["bytes"],
            one["sent_in_flight_bytes"],
            one["lost_bytes"],
            bool(one["app_limited"]),
            bool(one["begins_range"]),
        )
        twin.lose(now / S, total, segment, given)


def _near(value: int, twin: float) -> bool:
    return value >= INF if twin == float("inf") else value == pytest.approx(twin, rel=1e-4, abs=4)


def _play(seed: int) -> set[int]:
    acks, control, twin = Acks(seed), _control(), Bbr3(MSS, 10 * MSS, 0.04)
    capacity = acks.draw.choice((60_000, 250_000, 1_000_000))
    modes = set()
    for _ in range(min(20 * capacity // (2 * MSS), 6000)):
        lost = acks.lose(control.cwnd_bytes)
        _recoveries(acks, control, twin, bool(lost))
        d = acks.delivery(control.cwnd_bytes, capacity, lost)
        control.steer(acks.now, srtt_ns=d["rtt_ns"], delivery=d, lost=lost)
        state = control.state
        given = _given(state)
        _lose(twin, acks.now, d["total_bytes"], lost, given)
        twin.ack(_twin_ack(acks.now, d), given)
        if state["cycle_ns"] == acks.now:
            twin.since_probe = state["rounds_since_probe"]  # 0 or 1, by chance
        assert (state["mode"], state["acks"]) == (twin.state, twin.acks)
        assert state["rounds_since_probe"] == twin.since_probe
        for name, value in (
            ("pacing_bytes_per_s", twin.pacing),
            ("bw_shortterm_bytes_per_s", twin.bw_short),
            ("shortterm_bytes", twin.short),
            ("longterm_bytes", twin.long),
        ):
            assert _near(state[name], value), name
        assert _near(control.cwnd_bytes, twin.cwnd)
        modes.add(state["mode"])
    return modes


@pytest.mark.parametrize("seed", range(12))
def test_it_follows_the_draft(seed: int) -> None:
    assert _play(seed) >= {STARTUP, CRUISE, PROBE_RTT}


def test_the_random_walks_reach_all_states() -> None:
    assert set.union(*(_play(seed) for seed in range(3))) >= {DOWN, CRUISE, REFILL, UP, PROBE_RTT}
