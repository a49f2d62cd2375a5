# SPDX-License-Identifier: GPL-2.0-only
"""BBR against its draft in floating point, and what Linux adds to it."""

import random
from collections.abc import Iterator

import pytest
from sender_steps import FAR, S, sender
from twins.bbr import DRAIN, PROBE_BW, PROBE_RTT, STARTUP, Ack, Bbr

from penstock import _native

MS = 10**6
MSS = 1448
DRAFT = {"aggregation": 0, "policer": 0}


def _control(segments: int = 10, rtt_ns: int = 40 * MS, **params: int) -> _native.SenderControl:
    control = _native.SenderControl(
        "bbr", cwnd_bytes=segments * MSS, ssthresh_bytes=FAR, mss_bytes=MSS, params=params
    )
    control.init(0, rtt_ns=rtt_ns)
    return control


class Path:
    """ACKs of a flow whose rate, RTT and losses vary by chance; it keeps its own books."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now = 40 * MS
        self.total = self.lost = self.left_at = 0
        self.recovery = False
        self.calm = self.draw.random() < 0.5

    def delivery(self, cwnd: int, capacity: int) -> dict[str, int]:
        draw, mss = self.draw, MSS
        rtt = draw.randrange(40 * MS, 90 * MS)
        acked = mss * draw.choice((1, 2, 2, 3))
        self.now += acked * S // capacity + draw.randrange(1000)
        self.total += acked
        prior = max(self.total - max(min(cwnd, capacity * rtt // S), acked), 0)
        losses = mss if not self.calm and draw.random() < 0.02 else 0
        self.lost += losses
        flight = draw.randrange(mss, max(cwnd, 2 * mss))
        return {
            "total_bytes": self.total,
            "prior_bytes": prior,
            "interval_ns": rtt,
            "rtt_ns": rtt,
            "acked_bytes": acked,
            "lost_bytes": losses,
            "total_lost_bytes": self.lost,
            "before_bytes": flight + acked,
            "in_flight_bytes": min(flight, 4 * mss) if draw.random() < 0.05 else flight,
            "recovery": int(self.recovery),
            "app_limited": int(draw.random() < 0.05),
        }


def _twin_ack(now: int, d: dict[str, int]) -> Ack:
    return Ack(
        now=now / S,
        total=d["total_bytes"],
        prior=d["prior_bytes"],
        acked=d["acked_bytes"],
        lost=d["lost_bytes"],
        rtt=d["rtt_ns"] / S,
        before=d["before_bytes"],
        flight=d["in_flight_bytes"],
        recovery=bool(d["recovery"]),
        limited=bool(d["app_limited"]),
    )


def _recoveries(path: Path, control: _native.SenderControl, twin: Bbr) -> None:
    """Losses begin a recovery now and then, and it ends."""
    if path.recovery:
        path.recovery = path.draw.random() > 0.05
    elif not path.calm and path.draw.random() < 0.01:
        path.recovery = True
        control.congestion(path.now, "loss", flight_bytes=control.cwnd_bytes)
        twin.lose()


@pytest.mark.parametrize("seed", range(10))
def test_it_follows_the_draft(seed: int) -> None:
    """Twenty seconds, so that PROBE_RTT is visited too."""
    path = Path(seed)
    control, twin = _control(**DRAFT), Bbr(MSS, 10 * MSS, 0.04)
    capacity = path.draw.choice((30_000, 250_000, 2_500_000))
    modes = set()
    acks = min(20 * capacity // (2 * MSS), 6000)
    capacity = acks * 2 * MSS // 20
    for _ in range(acks):
        _recoveries(path, control, twin)
        d = path.delivery(control.cwnd_bytes, capacity)
        control.steer(path.now, srtt_ns=d["rtt_ns"], delivery=d)
        state = control.state
        twin.ack(_twin_ack(path.now, d), state["best_bytes_per_s"], state["phase"])
        assert (state["mode"], state["phase"]) == (twin.mode, twin.phase)
        assert state["min_rtt_ns"] == pytest.approx(twin.rtprop * S, rel=1e-9)
        assert state["pacing_bytes_per_s"] == pytest.approx(twin.rate, rel=1e-4, abs=3)
        assert abs(control.cwnd_bytes - twin.cwnd) <= 2
        modes.add(state["mode"])
    assert modes >= {STARTUP, PROBE_BW, PROBE_RTT}


@pytest.mark.parametrize("seed", range(8))
def test_btlbw_is_the_largest_rate_of_ten_rounds(seed: int) -> None:
    """At most that, for the filter keeps three samples; at least the newest one."""
    draw = random.Random(seed)
    control = _control(**DRAFT)
    rates: list[tuple[int, int]] = []
    total = 0
    for turn in range(300):
        rate = draw.randrange(100_000, 1_000_000)
        bytes_sent = rate // 10
        total += bytes_sent
        d = _sample(total, total - bytes_sent, 100 * MS)
        control.steer((turn + 1) * 100 * MS, srtt_ns=100 * MS, delivery=d)
        rounds = control.state["rounds"]
        rates.append((rounds, bytes_sent * 10))
        window = [rate for at, rate in rates if at >= rounds - 10]
        assert window[-1] <= control.state["best_bytes_per_s"] <= max(window)


def _sample(total: int, prior: int, interval: int, **more: int) -> dict[str, int]:
    """An ACK for all that was delivered since `prior`."""
    return {
        "total_bytes": total,
        "prior_bytes": prior,
        "interval_ns": interval,
        "rtt_ns": 40 * MS,
        "acked_bytes": total - prior,
        "lost_bytes": 0,
        "total_lost_bytes": 0,
        "before_bytes": total - prior,
        "in_flight_bytes": total - prior,
        "recovery": 0,
        "app_limited": 0,
        **more,
    }


def _rounds(
    control: _native.SenderControl, rate: int, count: int, start: int = 0, **more: int
) -> Iterator[dict[str, int]]:
    """Rounds of 40 ms with one ACK each, of which the given part is lost."""
    lost_part = more.pop("lost_percent", 0)
    share = rate * 40 // 1000
    for turn in range(start, start + count):
        total = (turn + 1) * share
        losses = share * lost_part // 100
        d = _sample(
            total,
            total - share,
            40 * MS,
            lost_bytes=losses,
            total_lost_bytes=losses * (turn + 1),
            **more,
        )
        control.steer((turn + 1) * 40 * MS, srtt_ns=40 * MS, delivery=d)
        yield control.state


def test_startup_ends_with_a_drain() -> None:
    """Three rounds without growth; the queue that STARTUP left is drained at a third."""
    control = _control()
    modes = [s["mode"] for s in _rounds(control, 2_500_000, 8, in_flight_bytes=300_000)]
    assert modes[:3] == [STARTUP] * 3
    assert modes[-1] == DRAIN
    assert control.state["pacing_bytes_per_s"] == pytest.approx(2_475_000 * 88 / 256, rel=1e-3)
    (last,) = _rounds(control, 2_500_000, 1, start=8)
    assert last["mode"] == PROBE_BW


def test_an_application_s_limit_does_not_lower_the_rate() -> None:
    control = _control()
    *_, before = _rounds(control, 2_500_000, 12)
    *_, limited = _rounds(control, 500_000, 30, start=60, app_limited=1)
    assert limited["best_bytes_per_s"] == before["best_bytes_per_s"]
    *_, after = _rounds(control, 500_000, 30, start=500)
    assert after["best_bytes_per_s"] == 500_000


def test_a_policed_path_is_sent_at_its_own_rate() -> None:
    """A quarter lost in interval after interval: no probing for 48 rounds."""
    control = _control()
    policed = [state["policed"] for state in _rounds(control, 1_000_000, 60, lost_percent=25)]
    assert policed.index(1) <= 12
    assert control.state["policer_bytes_per_s"] == pytest.approx(1_000_000, rel=0.01)
    assert control.state["pacing_bytes_per_s"] == pytest.approx(990_000, rel=0.01)
    begin = policed.index(1)
    assert 0 in policed[begin + 45 : begin + 50]
    plain = _control(policer=0)
    assert not any(s["policed"] for s in _rounds(plain, 1_000_000, 60, lost_percent=25))


def test_a_loss_below_a_fifth_is_no_policer() -> None:
    states = list(_rounds(_control(), 1_000_000, 60, lost_percent=15))
    assert not any(state["policed"] for state in states)


def _bursts(**params: int) -> int:
    """The window after rounds whose ACKs come in one burst each, 30 segments above the rate."""
    control = _control(segments=400, **params)
    list(_rounds(control, 2_500_000, 20))
    total = 20 * 100_000
    now = 20 * 40 * MS + 1
    for _ in range(15):
        total += 2 * MSS
        d = _sample(total, total - 100_000, 40 * MS, acked_bytes=2 * MSS)
        control.steer(now, srtt_ns=40 * MS, delivery=d)
    return control.cwnd_bytes


def test_the_window_has_room_for_acks_in_bursts() -> None:
    assert _bursts() > _bursts(aggregation=0) + 20 * MSS


def test_a_timeout_leaves_the_model_as_it_is() -> None:
    """The window is restored when it is over."""
    control = _control()
    *_, before = _rounds(control, 2_500_000, 20)
    window = control.cwnd_bytes
    control.congestion(10**9, "timeout", flight_bytes=window)
    control.cwnd_bytes = MSS
    *_, after = _rounds(control, 2_500_000, 2, start=25)
    assert control.cwnd_bytes == pytest.approx(window, abs=4 * MSS)
    assert after["best_bytes_per_s"] == before["best_bytes_per_s"]


def test_without_samples_the_window_stays() -> None:
    control = sender("bbr", 10, MSS)
    control.ack(0, MSS, flight_bytes=10 * MSS)
    assert control.cwnd_bytes == 10 * MSS
