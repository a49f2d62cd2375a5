# SPDX-License-Identifier: GPL-2.0-only
"""RED and Adaptive RED against their papers, given the same random bits."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.red import Ared, Red

from penstock import _native

Q32 = 1 << 32
MAX_BYTES = 1 << 40
MS = 1_000_000


def _control(
    discipline: str = "red", limit: int = 97_000, signal: str = "drop", **params: int
) -> _native.Control:
    return _native.Control(discipline, "none", signal=signal, limit_bytes=limit, params=params)


def _fill(control: _native.Control, average: int) -> None:
    """Brings the average near `average` without a drop: weight 1 makes it the queue."""
    control.arrive(0, average, 1, 1500, random=Q32 - 1)


def test_defaults_are_those_of_table_3() -> None:
    params = _control(limit=97_200).params
    assert (params["min_th_bytes"], params["max_th_bytes"]) == (8_100, 24_300)
    assert params["weight_q32"] == round(0.002 * Q32)
    assert params["max_p_q32"] == round(0.02 * Q32)


def test_nothing_is_dropped_below_the_lower_threshold() -> None:
    control = _control(weight_q32=Q32)
    assert control.arrive(0, 8_083, 6, 1500, random=0) == "pass"  # pb = 0
    assert control.arrive(0, 8_085, 6, 1500, random=0) == "drop"


@pytest.mark.parametrize(("gentle", "average"), [(0, 24_250), (1, 48_500)])
def test_everything_is_dropped_and_not_marked_above_the_top(gentle: int, average: int) -> None:
    control = _control(weight_q32=Q32, gentle=gentle, signal="ecn")
    worst = {"random": Q32 - 1, "ecn_capable": True}
    assert control.arrive(0, average - 1, 20, 1500, **worst) == "pass"
    assert control.arrive(0, average, 20, 1500, **worst) == "drop"


@pytest.mark.parametrize("gentle", [0, 1])
@pytest.mark.parametrize("discipline", ["red", "ared"])
def test_one_threshold_is_a_step_of_marks(discipline: str, gentle: int) -> None:
    """As switches mark for DCTCP: K as both thresholds, and the queue itself as its average."""
    step = {"min_th_bytes": 30_000, "max_th_bytes": 30_000, "weight_q32": Q32, "max_p_q32": Q32}
    control = _control(discipline, gentle=gentle, signal="ecn", **step)
    for queue in (29_000, 31_000, 59_000, 90_000):
        for capable, above in ((True, "mark"), (False, "drop")):
            verdict = control.arrive(0, queue, 20, 1500, random=Q32 - 1, ecn_capable=capable)
            assert verdict == (above if queue > 30_000 else "pass")


def test_ecn_marks_capable_packets_only_and_only_when_on() -> None:
    for signal, capable, verdict in [
        ("ecn", True, "mark"),
        ("ecn", False, "drop"),
        ("drop", True, "drop"),
        ("window", True, "signal"),
    ]:
        control = _control(weight_q32=Q32, signal=signal)
        assert control.arrive(0, 20_000, 14, 1500, random=0, ecn_capable=capable) == verdict


def test_one_ack_for_each_early_event_gets_one_segment() -> None:
    control = _control(weight_q32=Q32, signal="window")
    for _ in range(2):
        assert control.arrive(0, 20_000, 14, 1500, random=0) == "signal"
    assert [control.ack(0, 20_000, 14, 60_000) for _ in range(3)] == [1448, 1448, 60_000]


def test_drops_are_spaced_uniformly_over_one_to_1_over_pb_packets() -> None:
    # pb = 1/8: with the largest random number the drop comes when count * pb reaches 1 - pb.
    control = _control(weight_q32=Q32, min_th_bytes=0, max_th_bytes=40_000, max_p_q32=Q32 // 4)
    verdicts = [control.arrive(0, 20_000, 14, 1500, random=Q32 - 1) for _ in range(25)]
    assert [i for i, v in enumerate(verdicts) if v == "drop"] == [7, 14, 21]


def test_the_average_decays_while_the_queue_is_idle() -> None:
    control = _native.Control("red", "none", limit_bytes=97_000, rate_bytes_per_s=1_448_000)
    for _ in range(5000):
        control.arrive(0, 50_000, 35, 1500)
    control.left(0, 0, 0, 1500)
    before = control.state["avg_bytes_q16"]
    control.arrive(500 * MS, 0, 0, 1500)  # 500 segments could have left
    assert control.state["avg_bytes_q16"] / before == pytest.approx(0.998**501, rel=1e-6)


def test_the_average_stays_where_the_rate_is_unknown() -> None:
    control = _control()
    for _ in range(100):
        control.arrive(0, 50_000, 35, 1500)
    before = control.state["avg_bytes_q16"]
    control.arrive(10_000 * MS, 0, 0, 1500)
    assert control.state["avg_bytes_q16"] / before == pytest.approx(0.998, rel=1e-6)


@dataclass
class Law:
    """One set of parameters, as integers and as the numbers they stand for."""

    limit: int
    min_th: int
    max_th: int
    weight: int
    max_p: int
    gentle: bool
    byte_mode: bool
    rate: int

    def control(self, method: str, **more: int) -> _native.Control:
        params = {
            "min_th_bytes": self.min_th,
            "max_th_bytes": self.max_th,
            "weight_q32": self.weight,
            "max_p_q32": self.max_p,
            "gentle": int(self.gentle),
            "byte_mode": int(self.byte_mode),
        }
        return _native.Control(
            method, "none", limit_bytes=self.limit, params=params | more, rate_bytes_per_s=self.rate
        )

    def twin(self, kind: type[Red], **more: float) -> Red:
        return kind(
            self.min_th,
            self.max_th,
            self.weight / Q32,
            self.max_p / Q32,
            self.gentle,
            self.byte_mode,
            rate=self.rate,
            **more,
        )


@st.composite
def laws(draw: st.DrawFn) -> Law:
    limit = draw(st.one_of(st.just(97_000), st.integers(1, MAX_BYTES)))
    return Law(
        limit=limit,
        min_th=int(limit * draw(st.floats(0, 1))),
        max_th=int(limit * draw(st.floats(0, 1))),
        weight=draw(st.one_of(st.just(8_589_935), st.integers(4295, Q32))),
        max_p=draw(st.one_of(st.just(85_899_346), st.integers(0, Q32))),
        gentle=draw(st.booleans()),
        byte_mode=draw(st.booleans()),
        rate=draw(st.sampled_from([0, 500_000, 10**9])),
    )


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["arrive", "arrive", "arrive", "leave", "tick"]),
        st.integers(0, 10**9),  # ns since the last event
        st.one_of(st.just(0.0), st.floats(0, 1)),  # queue over limit
        st.integers(1, 65_535),  # packet size
        st.integers(0, Q32 - 1),  # random bits
    ),
    min_size=1,
    max_size=100,
)


def average_error(twin: Red, error: float, limit: int) -> float:
    """The bound after one more arrival: 2^-16 for the step, 2^-32 for each factor of the decay."""
    m, keep = twin.idle_packets, 1 - twin.weight
    factors = 2 * m * keep ** max(m - 1, 0) + 2 * math.log2(m + 1)
    return error + 2 / 65536 + limit * (factors / Q32 + 1e-14)


def near_threshold(twin: Red, error: float) -> bool:
    """The average is too close to where the law changes for integers to tell."""
    marks = [twin.min_th, twin.max_th, 2 * twin.max_th]
    return any(abs(twin.average - mark) <= error + 1 for mark in marks)


def near_decision(twin: Red, count: int, uniform: float, size: int, error: float) -> bool:
    """uniform * (1 - count * pb) is within the error of pb."""
    pb = twin.probability(size)
    span = twin.max_th if twin.average >= twin.max_th else twin.max_th - twin.min_th
    scale = size / twin.segment if twin.byte_mode else 1
    slack = (1 + count) * ((error + 1) / max(span, 1) + 2 / Q32) * max(scale, 1)
    return min(abs(uniform * (1 - count * pb) - pb), abs(1 - (1 + count) * pb)) <= slack + 1e-9


@given(law=laws(), events=EVENTS, adaptive=st.booleans())
def test_red_decides_as_the_papers_do(
    law: Law, events: list[tuple[str, int, float, int, int]], adaptive: bool
) -> None:
    control = law.control("ared" if adaptive else "red")
    twin = law.twin(Ared if adaptive else Red)
    error, now = 0.0, 0
    for what, wait, level, size, random in events:
        now += wait
        queue = int(level * law.limit)
        if what == "leave":
            control.left(now, queue, 1, 1500)
            twin.leave(now, queue)
        elif what == "arrive":
            verdict = control.arrive(now, queue, 1, size, random=random)
            twin.arrive(now, queue)
            error = average_error(twin, error, law.limit)
            assert abs(control.state["avg_bytes_q16"] / 65536 - twin.average) <= error
            count = twin.count + 1
            if twin.hit(random / Q32, size) != (verdict == "drop"):
                close = near_decision(twin, count, random / Q32, size, error)
                assert close or near_threshold(twin, error)
                return
            if near_threshold(twin, error):
                return  # the counts may differ from here on
        elif isinstance(twin, Ared):
            control.tick(now, queue, 1)
            twin.tick()
            if abs(control.state["max_p_q32"] / Q32 - twin.max_p) > 1e-6:
                assert min(abs(twin.average - edge) for edge in twin.band()) <= error + 1
                return


def _adapted(average: int, max_p: float) -> float:
    control = _control("ared", weight_q32=Q32, max_p_q32=round(max_p * Q32))
    _fill(control, average)
    control.tick(0, average, 1)
    return control.state["max_p_q32"] / Q32


def test_max_p_follows_the_average_as_in_figure_1_of_adaptive_red() -> None:
    low, width = 97_000 // 12, 97_000 // 4 - 97_000 // 12
    above, within, below = (low + int(part * width) for part in (0.7, 0.5, 0.3))
    assert _adapted(above, 0.02) == pytest.approx(0.025)  # max_p / 4 < 0.01
    assert _adapted(above, 0.2) == pytest.approx(0.21)
    assert _adapted(above, 0.51) == pytest.approx(0.51)
    assert _adapted(within, 0.2) == pytest.approx(0.2)
    assert _adapted(below, 0.2) == pytest.approx(0.18)
    assert _adapted(below, 0.009) == pytest.approx(0.009)


def test_adaptive_red_drops_by_its_adapted_max_p() -> None:
    control = _control("ared", weight_q32=Q32, max_p_q32=Q32 // 2)
    middle = (97_000 // 12 + 97_000 // 4) // 2
    assert control.arrive(0, middle, 1, 1500, random=Q32 // 4 + Q32 // 100) == "pass"
    assert control.interval_ns == 500 * MS


@pytest.mark.parametrize("packets", [1, 99, 1 << 30])
def test_a_limit_in_packets_counts_as_that_many_full_ones(packets: int) -> None:
    bytes_ = min(packets * 1500, MAX_BYTES)
    in_packets = _native.Control(
        "red", "none", limit_bytes=0, limit_packets=packets, mss_bytes=1460
    )
    assert in_packets.params == _native.Control("red", "none", limit_bytes=bytes_).params
    assert _native.queue_limit_bytes(0, packets, 1500) == bytes_
    assert _native.queue_limit_bytes(1000, packets, 1500) == 1000
    assert _native.queue_limit_bytes(MAX_BYTES, packets, 1500) == bytes_
