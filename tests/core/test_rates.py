# SPDX-License-Identifier: GPL-2.0-only
"""The methods that divide the link's rate: SAP-LAW, VoAP, Smart-RED and PINK."""

from hypothesis import given
from hypothesis import strategies as st
from twins import rates

from penstock import _native

MAX_WINDOW = 65535 << 14
RATE = 500_000  # bytes per second: 4 Mbit/s
MS = 1_000_000


def _control(law: str, rate: int = RATE, mss: int = 1460, **params: int) -> _native.Control:
    discipline = "red_band" if law == "smart_red" else "droptail"
    return _native.Control(
        discipline,
        law,
        limit_bytes=97_000,
        rate_bytes_per_s=rate,
        mss_bytes=mss,
        params=params,
    )


def _udp(control: _native.Control, udp: rates.Udp, sizes: list[int]) -> None:
    for size in sizes:
        control.accepted(0, size, 1, size, controlled=False)
        udp.packet(size)
    control.tick(0, 0, 0)
    udp.tick()


def test_sap_law_divides_what_udp_leaves() -> None:
    control = _control("sap_law", udp_weight_q32=1 << 32)
    assert control.ack(0, 0, 0, MAX_WINDOW, flows=5, rtt_ns=100 * MS) == 10_000
    for _ in range(10):
        control.accepted(0, 1000, 1, 1000, controlled=False)  # 100 kB/s of UDP
    control.tick(0, 0, 0)
    assert control.ack(0, 0, 0, MAX_WINDOW, flows=5, rtt_ns=100 * MS) == 8_000
    control.tick(0, 0, 0)  # UDP has ended
    assert control.ack(0, 0, 0, MAX_WINDOW, flows=5, rtt_ns=100 * MS) == 10_000


def test_tcp_does_not_count_as_udp() -> None:
    control = _control("sap_law")
    control.accepted(0, 60_000, 40, 60_000)
    control.tick(0, 0, 0)
    assert control.state["udp_bytes_per_s_q16"] == 0


def test_udp_that_takes_the_whole_link_leaves_a_segment() -> None:
    control = _control("sap_law", udp_weight_q32=1 << 32)
    for _ in range(100):
        control.accepted(0, 1500, 1, 1500, controlled=False)
    control.tick(0, 0, 0)
    assert control.ack(0, 0, 0, MAX_WINDOW, rtt_ns=100 * MS) == 1460


def test_pink_gives_each_flow_its_rate() -> None:
    control = _control("pink")
    windows = [control.ack(0, 0, 0, MAX_WINDOW, flows=8, rtt_ns=ms * MS) for ms in (100, 200, 400)]
    assert windows == [6_250, 12_500, 25_000]


def test_smart_red_decides_windows_between_its_thresholds_alone() -> None:
    control = _control("smart_red")
    low, high = control.params["window_from_bytes"], control.params["window_to_bytes"]
    given = {"flows": 5, "rtt_ns": 100 * MS}
    assert control.ack(0, low - 1, 1, 60_000, **given) == 60_000
    assert control.ack(0, low, 1, 60_000, **given) == 10_000
    assert control.ack(0, high - 1, 1, 60_000, **given) == 10_000
    assert control.ack(0, high, 1, 60_000, **given) == 60_000


def test_red_drops_nothing_between_smart_reds_thresholds() -> None:
    """The average has climbed beyond twice max_th, where RED drops all."""
    control = _control("smart_red", weight_q32=1 << 32)
    high = control.params["max_th_bytes"]
    assert control.arrive(0, 3 * high, 99, 1500) == "drop"
    control = _control("smart_red", weight_q32=4295)
    for _ in range(60_000):
        control.arrive(0, 90_000, 60, 1500)
    assert control.arrive(0, high - 1, 16, 1500) == "pass"
    assert control.state["avg_bytes_q16"] > 0


def test_voap_keeps_two_to_four_segments_waiting() -> None:
    """One flow that fills its window, on a queue that holds what is beyond the path."""
    control, rtt, mss = _control("voap"), 100 * MS, 1460
    now, window = 0, 0
    for _ in range(60):
        waiting = max(window - RATE // 10, 0)
        window = control.ack(
            now, waiting, 1, MAX_WINDOW, rtt_ns=rtt, flight_bytes=window, granted_bytes=window
        )
        now += rtt + waiting * 1_000_000_000 // RATE + 1
    assert 2 * mss <= window - RATE // 10 <= 5 * mss


def test_voap_leaves_a_flow_alone_that_does_not_fill_its_window() -> None:
    control, rtt = _control("voap"), 100 * MS
    for n in range(20):
        window = control.ack(n * rtt, 0, 0, MAX_WINDOW, rtt_ns=rtt, flows=2, granted_bytes=25_000)
    assert window == 25_000


@given(
    law=st.sampled_from(["sap_law", "pink", "smart_red"]),
    rate=st.integers(0, 1 << 40),
    flows=st.integers(1, 1 << 30),
    rtt=st.integers(1, 1_000_000_000_000),
    mss=st.integers(1, 65535),
    weight=st.integers(4295, 1 << 32),
    interval=st.integers(1_000_000, 1_000_000_000_000),
    bursts=st.lists(st.lists(st.integers(1, 65535), max_size=5), max_size=5),
    queue=st.integers(0, 97_000),
    wr=st.integers(0, MAX_WINDOW),
)
def test_they_follow_their_equations(
    law: str,
    rate: int,
    flows: int,
    rtt: int,
    mss: int,
    weight: int,
    interval: int,
    bursts: list[list[int]],
    queue: int,
    wr: int,
) -> None:
    params = {} if law == "pink" else {"interval_ns": interval, "udp_weight_q32": weight}
    control = _control(law, rate, mss, **params)
    udp = rates.Udp(interval / 1e9, weight / 2**32)
    for burst in bursts:
        _udp(control, udp, burst)
    used = 0.0 if law == "pink" else udp.rate
    error = len(bursts) * (2.0**-16 + 1) + used * 1e-9 + 1  # of UDP's rate
    exact = max(rates.share(rate, used, flows, rtt / 1e9), mss)
    if law == "smart_red":
        thresholds = (97_000 // 12, 97_000 // 4)
        exact = rates.smart_red(queue, thresholds, exact, wr)
    allowed = control.ack(0, queue, 1, wr, flows=flows, rtt_ns=rtt)
    assert abs(allowed - min(exact, wr)) <= error / flows * rtt / 1e9 + 2 + exact * 1e-9


@given(
    rtt=st.integers(1000, 1_000_000_000),
    mss=st.integers(1, 9000),
    flows=st.integers(1, 1000),
    alpha=st.integers(0, 100),
    beta=st.integers(0, 100),
    acks=st.lists(
        st.tuples(st.integers(0, 1_000_000_000), st.integers(0, 97_000), st.booleans()),
        min_size=1,
        max_size=40,
    ),
)
def test_voap_follows_its_equations(
    rtt: int,
    mss: int,
    flows: int,
    alpha: int,
    beta: int,
    acks: list[tuple[int, int, bool]],
) -> None:
    control = _control("voap", mss=mss, alpha_pkts=alpha, beta_pkts=beta)
    twin = rates.Voap(alpha, beta)
    least = RATE * rtt // 1_000_000_000 // flows
    now = 0
    for later, queue, fills in acks:
        now += later
        wait = queue * 1_000_000_000 // RATE
        waiting = twin.window * wait / (rtt + wait)
        if min(abs(waiting - alpha * mss), abs(waiting - beta * mss)) <= 1:
            return  # the two may round to either side of a threshold
        exact = twin.ack(now, mss, rtt, wait, least, fills)
        mine = control.ack(
            now,
            queue,
            1,
            MAX_WINDOW,
            flows=flows,
            rtt_ns=rtt,
            flight_bytes=1_000_000 if fills else 0,
            granted_bytes=1_000_000,
        )
        assert abs(mine - exact) <= 2
