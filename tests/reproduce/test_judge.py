# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts with size and power."""

import math

import pytest

from penstock.results import judge
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_RUN
from penstock.results.judge import Judged, Margin
from penstock.results.stats import Mean, mean


@pytest.mark.parametrize(
    ("ours", "paper", "margin", "verdict", "by"),
    [
        (Mean(15156, 900, 3), 2581, Margin(judge.LOSSES), DIFFERS, "5.87 times"),
        (Mean(2470, 300, 3), 2581, Margin(judge.LOSSES), AGREES, ""),
        (Mean(2470, 3000, 3), 2581, Margin(judge.LOSSES), CANNOT_TELL, ""),
        (Mean(68.1, 4.0, 3), 52.8, Margin(judge.LEVEL), CANNOT_TELL, ""),
        (Mean(68.1, 1.0, 3), 52.8, Margin(judge.LEVEL), DIFFERS, "+29 %"),
        (Mean(2.0, None, 1), 2.0, Margin(judge.LEVEL), CANNOT_TELL, ""),
        (Mean(0.0, 0.0, 3), 0.0, Margin(judge.LOSSES, near_zero=25), AGREES, ""),
        (Mean(90.0, 9.0, 3), 0.0, Margin(judge.LOSSES, near_zero=25), DIFFERS, "90 instead of 0"),
        # The paper's own interval is part of what counts as equal.
        (Mean(1.40, 0.01, 3), 1.0, Margin(judge.LEVEL, precision=0.2), AGREES, ""),
    ],
)
def test_levels(ours: Mean, paper: float, margin: Margin, verdict: str, by: str) -> None:
    found = judge.level(ours, paper, margin)
    assert (found.verdict, found.by) == (verdict, by)
    assert found.seeds == ours.count


def test_so_many_seeds_tell() -> None:
    """The half-width falls with the root of the number of seeds."""
    margin = Margin(1.25)
    found = judge.level(Mean(1.05, 0.4, 4), 1.0, margin)
    assert found.verdict == CANNOT_TELL
    assert found.needed == 17  # half of 0.2 or less, from 0.4
    assert found.needed is not None
    half = 0.4 * math.sqrt(4 / found.needed)
    assert judge.level(Mean(1.05, half, found.needed), 1.0, margin).verdict == AGREES


def test_a_sign_needs_an_interval_that_does_not_reach_zero() -> None:
    """Of 1 ± 3 percent, with nine seeds; not of the paper's 4."""
    assert judge.effect(Mean(1.0, 3.0, 9), 4.0, "+").needed == 81


@pytest.mark.parametrize(
    ("ours", "paper", "sign", "verdict"),
    [
        (Mean(12.0, 3.0, 9), 15.0, "+", AGREES),
        (Mean(12.0, 20.0, 9), 15.0, "+", CANNOT_TELL),
        (Mean(1.0, 3.0, 9), 4.0, "+", CANNOT_TELL),  # near, but the sign is not confirmed
        (Mean(60.0, 3.0, 9), 15.0, "+", DIFFERS),
        (Mean(-4.0, 3.0, 9), 4.0, "+", DIFFERS),  # near, but the other way
        (Mean(4.0, 3.0, 9), -4.0, "-", DIFFERS),
        (Mean(2.0, 3.0, 9), 0.0, "=", AGREES),
        (Mean(2.0, 30.0, 9), 0.0, "=", CANNOT_TELL),
        (Mean(2.0, None, 1), 0.0, "=", CANNOT_TELL),
    ],
)
def test_effects(ours: Mean, paper: float, sign: str, verdict: str) -> None:
    assert judge.effect(ours, paper, sign).verdict == verdict


def test_a_gain_is_in_percent_of_the_first() -> None:
    found = judge.gain([10.0, 10.0, 10.0], [12.0, 13.0, 14.0])
    alone = mean([12.0, 13.0, 14.0])
    assert found is not None
    assert alone is not None
    assert found.mean == pytest.approx(30.0)
    assert found.half == pytest.approx(10 * (alone.half or 0.0))


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [(30.0, AGREES), (12.0, CANNOT_TELL), (-20.0, DIFFERS), (90.0, DIFFERS)],
)
def test_a_class_of_gains_has_bounds(ours: float, verdict: str) -> None:
    assert judge.between(Mean(ours, 5.0, 5), 20.0, 50.0).verdict == verdict


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
