# SPDX-License-Identifier: GPL-2.0-only
"""nis-2004 chapter 6 by enumeration, by the numbers of its text, and by the senders of core/."""

import itertools
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.cli import app
from penstock.errors import UsageError
from penstock.results.models import aggressiveness as model

RUNNER = CliRunner()


def enumerated(
    windows: Sequence[int], thresholds: Sequence[int], lost: int
) -> tuple[Fraction, Fraction]:
    """All ways to lose `lost` of the outstanding segments; eqs. (6.1) and (6.2) one by one."""
    owners = [owner for owner, window in enumerate(windows) for _ in range(window)]
    cwnd_sum = ssthresh_sum = Fraction(0)
    draws = list(itertools.combinations(owners, lost))
    for draw in draws:
        cwnd = [Fraction(window) for window in windows]
        ssthresh = [Fraction(threshold) for threshold in thresholds]
        for owner in draw:
            ssthresh[owner] = max(cwnd[owner] / 2, Fraction(2))
            cwnd[owner] = Fraction(1)
        cwnd_sum += sum(cwnd)
        ssthresh_sum += sum(ssthresh)
    return cwnd_sum / len(draws), ssthresh_sum / len(draws)


@pytest.mark.parametrize(
    ("windows", "thresholds"),
    [([6], [9]), ([4, 4], [8, 8]), ([1, 7], [3, 20]), ([5, 3, 2], [2, 9, 4]), ([3] * 4, [6] * 4)],
)
def test_the_expected_sums_are_those_of_all_draws(
    windows: list[int], thresholds: list[int]
) -> None:
    for lost in range(sum(windows) + 1):
        found = model.standard(windows, thresholds, lost)
        assert (found.cwnd, found.ssthresh) == enumerated(windows, thresholds, lost)


def test_an_ensemble_shares_each_loss() -> None:
    """Eqs. (6.3) and (6.4) for two members with 8 and 16 segments, by hand."""
    sums = list(itertools.islice(model.ensemble(2, 8, 16), 4))
    assert [float(each.cwnd) for each in sums] == [16, 9, 5.5, 3.75]
    assert [float(each.ssthresh) for each in sums] == [32, 20, 12.25, 8.125]


def overall_cwnd(windows: Sequence[int], loss: Fraction) -> Fraction:
    """The expected window whatever the number of losses in a row is, eq. (6.13)."""
    thresholds = [0] * len(windows)
    return sum(
        (
            (1 - loss) * loss**lost * model.standard(windows, thresholds, lost).cwnd
            for lost in range(sum(windows) + 1)
        ),
        Fraction(0),
    )


def test_the_numbers_of_section_6_4() -> None:
    assert model.standard([16, 16], [2, 2], 17).cwnd == 2
    assert float(model.standard([2, 30], [2, 2], 17).cwnd) == pytest.approx(2.2117, abs=5e-5)
    loss = Fraction(1, 10_000)
    overall = {k: float(overall_cwnd([k, 32 - k], loss)) for k in range(1, 32)}
    assert overall[16] == pytest.approx(31.9985, abs=5e-5) == max(overall.values())
    assert overall[2] == pytest.approx(31.9973, abs=5e-5)
    assert sorted(overall, key=lambda k: overall[k])[2:4] in ([2, 30], [30, 2])


def test_the_statements_of_section_6_5() -> None:
    """A member may send at most 0.30 segments more; alone it is a standard connection."""
    for members in (1, 2, 3, 4, 5, 10, 20, 50):
        found = model.differences(members, 32, 64, 100)
        worst = min(each.cwnd for each in found) / members
        assert -0.30 < worst <= 0
        assert all(each.cwnd <= 0 for each in found)
        if members == 1:
            assert all(each.cwnd == each.ssthresh == 0 for each in found)
        elif members <= 20:
            assert sum(each.ssthresh >= -0.1 for each in found) == 101


def test_equal_shares_are_the_general_formula() -> None:
    for lost in (0, 1, 7, 60, 96, 97, 100):
        sums = next(itertools.islice(model.ensemble(3, 32, 64), lost, None))
        fair = model.standard([32] * 3, [64] * 3, lost)
        assert model.differences(3, 32, 64, 100)[lost] == fair - sums


@pytest.mark.parametrize(("members", "lost"), [(2, 3), (3, 7), (5, 10), (10, 50)])
def test_the_simulators_senders_do_the_same(members: int, lost: int) -> None:
    found = model.simulate(members, 32, 64, lost, 1500)
    wanted = model.standard([32] * members, [64] * members, lost)
    assert abs(found.cwnd - wanted.cwnd) < 4 * found.cwnd_error
    assert abs(found.ssthresh - wanted.ssthresh) < 4 * found.ssthresh_error
    assert 0 < found.cwnd_error < 2


def run(*arguments: str) -> str:
    arguments = ("model", "aggressiveness", *arguments)
    return RUNNER.invoke(app, arguments, catch_exceptions=False).stdout


def test_json_has_an_object_for_each_pair() -> None:
    out = run("--members", "1..5,10,20,50", "--lost", "0..100", "--cwnd", "32", "-j")
    records = {(r["members"], r["lost"]): r for r in map(json.loads, out.splitlines())}
    assert len(records) == len(out.splitlines()) == 8 * 101
    for (members, lost), record in records.items():
        found = model.differences(members, 32, 64, lost)[-1] if lost % 25 == 2 else None
        if found:
            assert abs(record["delta_cwnd_segments"] - found.cwnd) < 1e-9
            assert abs(record["delta_ssthresh_segments"] - found.ssthresh) < 1e-9
    # n = 2, l = 2: both losses hit one connection in 31 of 63 draws.
    assert records[2, 2]["delta_cwnd_segments"] == pytest.approx(
        31 / 63 * 33 + 32 / 63 * 2 - (33 - 33 / 2 + 1), abs=1e-9
    )


def test_tables_and_a_page(tmp_path: Path) -> None:
    text = run("--members", "2", "--lost", "0..3", "--runs", "50", "-o", str(tmp_path / "new"))
    assert "Table 6.1" in text
    assert "Table 6.2" in text
    assert "-0.24603" in text
    page = (tmp_path / "new" / "aggressiveness.html").read_text()
    assert "n = 2, simulated" in page
    table = (tmp_path / "new" / "aggressiveness.csv").read_text()
    assert table.startswith("members,lost,delta_cwnd_segments,delta_ssthresh_segments,simulated_")


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--members", "0"], "not within 1..1000"),
        (["--members", "5..3"], "5..3 is not within"),
        (["--members", "two"], "whole numbers and ranges"),
        (["--lost", "1..2..3"], "whole numbers and ranges"),
        (["--lost", ""], "whole numbers and ranges"),
    ],
)
def test_mistakes_are_one_sentence(arguments: list[str], wanted: str) -> None:
    with pytest.raises(UsageError, match=wanted):
        run(*arguments)
