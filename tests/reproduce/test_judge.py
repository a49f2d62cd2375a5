# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts with size and power."""

import math

import pytest

from penstock.results import judge, stats
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_RUN
from penstock.results.judge import Judged, Stated, about
from penstock.results.stats import Mean, mean


@pytest.mark.parametrize(
    ("ours", "paper", "verdict", "by"),
    [
        (Mean(2470, 200, 3), Stated(2581.0, 0.05), AGREES, ""),
        (Mean(2470, 100, 3), Stated(2581.0, 0.05), DIFFERS, "-4 %"),
        # The paper's own interval, and half of its last digit, count as well.
        (Mean(2470, 100, 3), Stated(2581.0, 0.05, 203.0), AGREES, ""),
        (Mean(0.049, 0.0, 3), Stated(0.1, 0.05), DIFFERS, "0.49 times"),
        (Mean(0.05, 0.0, 3), Stated(0.1, 0.05), AGREES, ""),
        # A quarter more is not equal, if neither interval allows for it.
        (Mean(66.0, 1.0, 3), Stated(52.8), DIFFERS, "+25 %"),
        # An interval that reaches anything.
        (Mean(2470, 3000, 3), Stated(2581.0), CANNOT_TELL, ""),
        (Mean(2470, 259, 3), Stated(2581.0), CANNOT_TELL, ""),
        (Mean(2470, 259, 3), Stated(2581.0, half=259.0), AGREES, ""),
        (Mean(2.0, None, 1), Stated(2.0), CANNOT_TELL, ""),
        # 0 is less than half of its last digit, and nothing is a factor of it.
        (Mean(0.0, 0.0, 3), Stated(0.0, 0.005), AGREES, ""),
        (Mean(0.004, 0.001, 3), Stated(0.0, 0.005), AGREES, ""),
        (Mean(90.0, 9.0, 3), Stated(0.0, 0.005), DIFFERS, "+90"),
        (Mean(1.0, 2.0, 3), Stated(0.0, 0.005), CANNOT_TELL, ""),
    ],
)
def test_levels(ours: Mean, paper: Stated, verdict: str, by: str) -> None:
    found = judge.level(ours, paper)
    assert (found.verdict, found.by) == (verdict, by)
    assert found.seeds == ours.count
    assert found.zero == (paper.value == 0)


def test_so_many_seeds_tell() -> None:
    """The half-width falls with the root of the number of seeds."""
    paper = Stated(1.0)
    found = judge.level(Mean(1.05, 0.2, 4), paper)
    assert found.verdict == CANNOT_TELL
    assert found.needed == 16  # half of 0.1, from 0.2
    half = 0.2 * math.sqrt(4 / found.needed)
    assert judge.level(Mean(1.05, half, found.needed), paper).verdict == AGREES


@pytest.mark.parametrize(
    ("value", "digit"), [(60.0, 5.0), (10.0, 5.0), (25.0, 2.5), (-35.0, 2.5), (12.0, 0.5)]
)
def test_an_approximate_figure_stands_for_half_of_its_step(value: float, digit: float) -> None:
    assert about(value) == Stated(value, digit)


def test_the_interval_of_other_runs_is_narrower_if_they_are_more_or_longer() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    ours, twice = mean(values), mean(values * 2)
    assert ours is not None
    assert twice is not None
    assert judge.implied(ours, 5) == pytest.approx(ours.half)
    assert judge.implied(ours, 5, 4.0) == pytest.approx((ours.half or 0.0) / 2)
    spread = math.sqrt(2.5)  # of a run; that of `twice` is of nine degrees of freedom
    assert judge.implied(ours, 10) == pytest.approx(
        (twice.half or 0.0) * spread / math.sqrt(20 / 9)
    )
    assert judge.implied(Mean(1.0, None, 1), 10) == 0.0
    assert judge.implied(ours, 0) == 0.0
    assert stats.half_of(Mean(1.0, 0.0, 4), 12) == 0.0


def test_a_sign_needs_an_interval_that_does_not_reach_zero() -> None:
    """Of 1 ± 3 percent, with nine seeds; not of the paper's 4."""
    assert judge.effect(Mean(1.0, 3.0, 9), Stated(4.0), "+").needed == 81


@pytest.mark.parametrize(
    ("ours", "paper", "sign", "verdict"),
    [
        (Mean(12.0, 3.0, 9), Stated(15.0), "+", AGREES),
        (Mean(12.0, 2.0, 9), Stated(15.0), "+", DIFFERS),
        (Mean(12.0, 2.0, 9), Stated(15.0, half=3.0), "+", AGREES),
        (Mean(12.0, 20.0, 9), Stated(15.0), "+", CANNOT_TELL),
        (Mean(1.0, 3.0, 9), Stated(4.0), "+", CANNOT_TELL),  # the sign is not confirmed
        # Two-sided: more than the paper's gain differs as less does.
        (Mean(60.0, 3.0, 9), Stated(15.0), "+", DIFFERS),
        (Mean(572.0, 20.0, 9), Stated(75.8, 0.05), "", DIFFERS),
        (Mean(-4.0, 3.0, 9), Stated(4.0, 9.0), "+", DIFFERS),  # near, but the other way
        (Mean(4.0, 3.0, 9), Stated(-4.0, 9.0), "-", DIFFERS),
        (Mean(2.0, 3.0, 9), Stated(0.0), "=", AGREES),
        (Mean(2.0, 30.0, 9), Stated(0.0), "=", CANNOT_TELL),
        (Mean(2.0, None, 1), Stated(0.0), "=", CANNOT_TELL),
    ],
)
def test_gains(ours: Mean, paper: Stated, sign: str, verdict: str) -> None:
    assert judge.effect(ours, paper, sign).verdict == verdict


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (Mean(-1.0, 2.0, 5), AGREES),
        (Mean(5.0, 2.0, 5), AGREES),
        (Mean(-3.0, 2.0, 5), DIFFERS),
        (Mean(-1.0, 12.0, 5), CANNOT_TELL),
        (Mean(0.0, None, 1), CANNOT_TELL),
        (None, NOT_RUN),
    ],
)
def test_nobody_pays_where_no_loss_is_seen(ours: Mean | None, verdict: str) -> None:
    assert judge.no_worse(ours).verdict == verdict


@pytest.mark.parametrize(
    ("ours", "verdict"), [(2.0, AGREES), (-2.0, AGREES), (9.0, CANNOT_TELL), (14.0, DIFFERS)]
)
def test_what_is_alike_without_a_number_is_so_to_a_tenth(ours: float, verdict: str) -> None:
    assert judge.alike(Mean(ours, 3.0, 5)).verdict == verdict


def test_the_interval_of_a_gain_is_of_both_alternatives() -> None:
    first, second = [9.0, 10.0, 11.0], [11.0, 12.0, 13.0]
    one = mean(first)
    assert one is not None
    half = judge.own_of_gain(first, second, 3)
    assert half == pytest.approx(100 * math.sqrt(2) * (one.half or 0.0) / 10)


def test_a_gain_is_in_percent_of_the_first() -> None:
    found = judge.gain([10.0, 10.0, 10.0], [12.0, 13.0, 14.0])
    alone = mean([12.0, 13.0, 14.0])
    assert found is not None
    assert alone is not None
    assert found.mean == pytest.approx(30.0)
    assert found.half == pytest.approx(10 * (alone.half or 0.0))


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [(30.0, AGREES), (18.0, CANNOT_TELL), (12.0, DIFFERS), (90.0, DIFFERS)],
)
def test_a_class_of_gains_has_bounds(ours: float, verdict: str) -> None:
    assert judge.inside(Mean(ours, 5.0, 5), 20.0, 50.0).verdict == verdict


@pytest.mark.parametrize(
    ("ours", "verdict", "by"),
    [
        (Mean(3.0, 1.0, 5), AGREES, ""),
        (Mean(0.5, 1.0, 5), CANNOT_TELL, ""),
        (Mean(9.0, None, 1), CANNOT_TELL, ""),
        (Mean(-3.0, 1.0, 5), DIFFERS, "-3 points"),
        (None, NOT_RUN, ""),
    ],
)
def test_a_bound_holds_for_the_whole_interval(ours: Mean | None, verdict: str, by: str) -> None:
    found = judge.inside(ours, 0.0, math.inf)
    assert (found.verdict, found.by) == (verdict, by)


def test_the_worst_part_speaks_for_all() -> None:
    parts = [
        Judged(AGREES, 1.0),
        Judged(CANNOT_TELL, 9.0, needed=12),
        Judged(DIFFERS, 2.0, "2 times"),
        Judged(DIFFERS, 0.2, "0.2 times"),
    ]
    assert judge.together(parts).by == "0.2 times"
    assert judge.together(parts[:2]).needed == 12
    assert judge.together(parts[:1]).verdict == AGREES


def test_only_parts_that_are_all_0_make_a_zero() -> None:
    zero, other = Judged(AGREES, zero=True), Judged(AGREES, 1.0)
    assert judge.together([zero, zero]).zero
    assert not judge.together([zero, other]).zero
