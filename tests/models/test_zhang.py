# SPDX-License-Identifier: GPL-2.0-only
"""Zhang's model against values worked out by hand and the statements of ewt-iot-2023."""

import itertools
from fractions import Fraction

import pytest

from penstock.results.models import zhang
from penstock.results.models.zhang import Sample, Settings, Variant, summarise, trace

TABLE_1 = Settings()
STABLE_G = (0.0007, 0.01, 0.1, 0.3)


def run(variant: Variant, count: int = 100, settings: Settings = TABLE_1) -> list[Sample]:
    """A trace in floats."""
    return list(trace(variant, settings, count))


def test_path_holds_table_1s_segments() -> None:
    assert Settings().exact().path_segments == Fraction(192500) * Fraction("0.0228") / 500
    assert TABLE_1.path_segments == pytest.approx(8.778)


def test_slow_start_then_one_segment_a_round() -> None:
    windows = [sample.window for sample in run(Variant("droptail"), 8)]
    assert windows == [1, 2, 4, 8, 16, 20, 21, 22]


def test_droptail_saw_tooth_by_hand() -> None:
    # U = 39 - 8.778 = 30.222 >= 30: lost; 19.5 is below ssthresh, so min(39, 20, 65) follows.
    samples = run(Variant("droptail"), 60)
    first = next(sample.k for sample in samples if sample.lost)
    assert samples[first].window == 39
    assert samples[first].queue == pytest.approx(30.222)
    assert [sample.window for sample in samples[first + 1 : first + 4]] == [19.5, 20, 21]
    losses = [sample.k for sample in samples if sample.lost]
    assert [b - a for a, b in itertools.pairwise(losses)] == [21]


def test_queue_is_zero_while_the_path_is_not_full() -> None:
    samples = run(Variant("droptail"), 5)
    assert [sample.queue for sample in samples] == pytest.approx([0, 0, 0, 0, 7.222])


def test_receive_window_by_hand() -> None:
    # W = 16: U = 7.222 > S_t = 3, free 22.778 of 30, so 65 * 22.778 / 30.
    windows = [sample.receive_window for sample in run(Variant("ewt"), 6)]
    assert windows == pytest.approx([65, 65, 65, 65, 49.352333, 40.685667])


def test_averaged_free_space_by_hand() -> None:
    # At W = 27 the average falls to 11.778; then it rises by g of the difference.
    samples = run(Variant("ewt_iot", 0.5), 15)
    assert samples[12].window == 27
    assert samples[12].receive_window == pytest.approx(65 * 11.778 / 30)
    free = 38.778 - 65 * 11.778 / 30
    assert samples[13].receive_window == pytest.approx(65 * (0.5 * 11.778 + 0.5 * free) / 30)


@pytest.mark.parametrize(
    "variant",
    [Variant("droptail"), Variant("ewt_iot", 0.1), Variant("ewt", reading="compound")],
)
def test_floats_stay_beside_exact_fractions(variant: Variant) -> None:
    exact = Variant(variant.method, Fraction(str(variant.g)), variant.average, variant.reading)
    floats = run(variant, 60)
    for ours, theirs in zip(floats, trace(exact, TABLE_1.exact(), 60), strict=True):
        assert ours.window == pytest.approx(float(theirs.window), abs=1e-9)
        assert ours.receive_window == pytest.approx(float(theirs.receive_window), abs=1e-9)


def test_ewt_needs_fractions() -> None:
    """Its cycle stretches rounding: floats are elsewhere before the paper's 100 samples end."""
    exact = list(trace(Variant("ewt"), TABLE_1.exact(), 100))
    gaps = [
        abs(a.window - float(b.window)) for a, b in zip(run(Variant("ewt")), exact, strict=True)
    ]
    assert max(gaps[:30]) < 1e-9
    assert max(gaps) > 0.01


@pytest.mark.parametrize("g", [0.0007, 0.1, 0.5, 1])
@pytest.mark.parametrize("average", zhang.AVERAGES)
@pytest.mark.parametrize("reading", zhang.READINGS)
def test_no_losses_with_ewt_iot(g: float, average: zhang.Average, reading: zhang.Reading) -> None:
    assert summarise(run(Variant("ewt_iot", g, average, reading))).losses == 0


def test_no_losses_with_ewt_and_some_with_droptail() -> None:
    assert summarise(run(Variant("ewt"))).losses == 0
    assert summarise(run(Variant("droptail"))).losses == 4


@pytest.mark.parametrize("g", STABLE_G)
def test_ewt_iot_converges_without_oscillation(g: float) -> None:
    found = summarise(run(Variant("ewt_iot", g), 100))
    assert found.monotone
    last = run(Variant("ewt_iot", g), 20_000)[-1]
    assert last.window == pytest.approx(TABLE_1.equilibrium_segments, abs=0.01)


@pytest.mark.parametrize("variant", [Variant("ewt"), Variant("ewt_iot", 0.5)])
def test_large_g_and_ewt_swing_for_ever(variant: Variant) -> None:
    found = summarise(run(variant, 1000))
    assert not found.monotone
    assert found.swing > 1


def test_equilibrium_answers_itself() -> None:
    exact = TABLE_1.exact()
    window = exact.equilibrium_segments
    assert window == Fraction(65) * Fraction("38.778") / 95
    assert (30 - (window - exact.path_segments)) / 30 * 65 == window


def test_g_of_one_is_ewt() -> None:
    ewt, averaged = run(Variant("ewt")), run(Variant("ewt_iot", 1))
    assert [s.window for s in averaged] == pytest.approx([s.window for s in ewt])


def test_fig6_never_averages_once_the_queue_was_in_use() -> None:
    """Its average starts at an empty queue's B and nothing lowers it: EWT-IoT becomes EWT."""
    ewt, fig6 = run(Variant("ewt")), run(Variant("ewt_iot", 0.0007, "fig6"))
    assert [s.window for s in fig6] == pytest.approx([s.window for s in ewt])


def test_compound_reading_ends_below_the_threshold() -> None:
    samples = run(Variant("ewt", reading="compound"))
    assert summarise(samples).monotone
    assert 0 < samples[-1].queue < TABLE_1.start_segments
    assert samples[-1].receive_window == samples[-1].window


def test_receive_window_untouched_below_the_threshold() -> None:
    for variant in (Variant("ewt"), Variant("ewt_iot", 0.0007)):
        for sample in run(variant):
            below = sample.queue < TABLE_1.start_segments
            assert (sample.receive_window == 65) == below


def test_window_never_below_one_segment() -> None:
    tight = Settings(queue_segments=30, start_segments=0, rate_bytes_per_s=1)
    assert min(s.receive_window for s in run(Variant("ewt", reading="compound"), 500, tight)) >= 1
