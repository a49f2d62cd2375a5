# SPDX-License-Identifier: GPL-2.0-only
"""FEWA against nis-2004 section 13.2 and Appendix E, at every sampling point and over ranges."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packet_queues import law_over
from twins.fewa import ALPHAS, Fewa

from penstock import _native

Q16 = 65536
MAX_WINDOW = 65535 << 14


def _list(control: _native.Control, name: str) -> list[float]:
    numbered = {key: value for key, value in control.state.items() if key.startswith(name + "_")}
    return [numbered[f"{name}_{k}_q16"] / Q16 for k in range(1, len(numbered) + 1)]


def test_the_alphas_of_the_paper_hold_for_99_packets() -> None:
    assert _list(law_over("fewa", 99), "alphas") == list(ALPHAS)
    assert law_over("fewa", 99).state["alpha_q16"] == 15 * Q16  # Table F.2's initial value


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("limit", [4, 10, 64, 98, 100, 249, 999, 10_000, 1 << 30])
def test_the_rule_of_thumb_for_other_lengths(limit: int, mirrored: bool) -> None:
    control = law_over("fewa", limit, mirrored=int(mirrored))
    assert _list(control, "alphas") == pytest.approx(
        Fewa(limit, mirrored=mirrored).alphas, rel=2e-5, abs=1e-4
    )


@pytest.mark.parametrize(
    ("queue", "alpha"),
    # By the rules alone, with QT = 24 and no growth: R1, R4, R9, R14, R19, R22.
    [(0, 15), (4, 15), (12, 9), (19, 9), (22, 6), (26, 6), (29, 2), (33, 2), (43, 2), (48, 1)],
)
def test_one_rule_holds_alone(queue: int, alpha: int) -> None:
    control = law_over("fewa", 99)
    control.tick(1, 0, queue)
    control.tick(2, 0, queue)
    assert control.state["alpha_q16"] == alpha * Q16


@pytest.mark.parametrize(
    ("queue", "before", "alpha"),
    [
        (14, 0, 9),  # R5, 14/99 = 0.141: short and increasing slowly
        (16, 36, 9),  # R2: decreasing fast
        (19, 0, 9 * 0.1616 + 6 * 0.8384),  # R5 and R6: 0.1919
        (24, 99, 9),  # R7: moderate, decreasing fast
        (24, 4, 4),  # R11: moderate, increasing fast
        (32, 99, 4),  # R12: long, decreasing fast
        (43, 99, 2),  # R17
        (60, 0, 1),  # R22, whatever the growth
    ],
)
def test_the_growth_refines(queue: int, before: int, alpha: float) -> None:
    control = law_over("fewa", 99)
    control.tick(1, 0, before)
    control.tick(2, 0, queue)
    assert control.state["alpha_q16"] / Q16 == pytest.approx(alpha, abs=0.02)


def test_the_first_measurement_has_no_growth() -> None:
    control = law_over("fewa", 99)
    control.tick(1, 0, 24)
    assert _list(control, "growth_memberships") == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 99, 249, 999])
def test_every_sampling_point_is_within_a_segment_of_the_twin(limit: int) -> None:
    """The whole control surface of Fig. 13.3: each queue after each other one."""
    steps = max(1, limit // 50)
    control, twin = law_over("fewa", limit), Fewa(limit)
    now = 0
    for before in range(0, limit + 1, steps):
        for queue in range(0, limit + 1, steps):
            for each in (before, queue):
                now += 1
                control.tick(now, 0, each)
                twin.tick(each)
            assert abs(control.state["segments"] - twin.segments()) <= 0.51
            window = control.ack(now, 0, queue, MAX_WINDOW)
            assert abs(window - twin.ack(MAX_WINDOW, 1460)) <= 1460


def test_bytes_stand_for_packets_where_there_is_no_packet_limit() -> None:
    control = _native.Control("droptail", "fewa", limit_bytes=99 * 1500 + 1499, mss_bytes=1460)
    control.tick(0, 10 * 1500 + 1, 11)
    assert control.state["limit_pkts"] == 99
    assert control.state["queue_pkts"] == 11


def test_the_window_never_exceeds_the_cap_nor_falls_below_a_segment() -> None:
    control = law_over("fewa", 99)
    assert control.ack(0, 0, 0, MAX_WINDOW) == 99 * 1460
    assert law_over("fewa", 99, cap_bytes=5000).ack(0, 0, 0, MAX_WINDOW) == 5000
    for queue in (98, 99, 120):
        control.tick(1, 0, queue)
        assert control.ack(1, 0, queue, MAX_WINDOW) == 1460


def test_another_limit_selects_its_alphas() -> None:
    """After a change of the buffer, as in the kernel, the next tick applies E.6 again."""
    control = law_over("fewa", 999)
    first = _list(control, "alphas")
    assert first != list(ALPHAS)
    assert first == _list(law_over("fewa", 999), "alphas")


@given(
    limit=st.integers(1, 1 << 30),
    mss=st.integers(1, 65535),
    target=st.integers(656, 29491),
    alphas=st.lists(st.integers(0, 1024 * Q16), min_size=6, max_size=6),
    reference=st.integers(1, 1 << 30),
    mirrored=st.booleans(),
    cap=st.integers(1, 1 << 40),
    levels=st.lists(st.floats(0, 1.1), min_size=1, max_size=30),
    wr=st.integers(0, MAX_WINDOW),
)
def test_fewa_follows_its_equations(
    limit: int,
    mss: int,
    target: int,
    alphas: list[int],
    reference: int,
    mirrored: bool,
    cap: int,
    levels: list[float],
    wr: int,
) -> None:
    params = {f"alpha_{k}_q16": value for k, value in enumerate(alphas, 1)}
    control = law_over(
        "fewa",
        limit,
        mss,
        target_q16=target,
        reference_pkts=reference,
        mirrored=int(mirrored),
        cap_bytes=cap,
        **params,
    )
    twin = Fewa(
        limit,
        target=target / Q16,
        alphas_at=[value / Q16 for value in alphas],
        reference=reference,
        mirrored=mirrored,
        cap=cap,
    )
    largest = max(twin.alphas)
    for n, level in enumerate(levels, 1):
        queue = min(round(level * limit), 1 << 30)
        control.tick(n, 0, queue)
        twin.tick(queue)
        mine, yours = twin.memberships()
        assert _list(control, "queue_memberships") == pytest.approx(mine, abs=2e-5)
        assert _list(control, "growth_memberships") == pytest.approx(yours, abs=2e-5)
        assert _list(control, "weights") == pytest.approx(twin.weights(), abs=4e-4)
        # 2^-16 of each membership and of the weights, over weights of 0.5 at least.
        error = 4e-4 * largest + 1e-4
        assert abs(control.state["alpha_q16"] / Q16 - twin.alpha()) <= error
        free = max(limit - queue, 1)
        segments_error = error * math.log2(free) + 2e-4 * largest + 0.51
        assert abs(control.state["segments"] - twin.segments()) <= segments_error
        assert abs(control.ack(n, 0, queue, wr) - twin.ack(wr, mss)) <= (segments_error + 1) * mss
