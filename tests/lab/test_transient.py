# SPDX-License-Identifier: GPL-2.0-only
"""The length of a transient, on series computed by hand, and as a command."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab_support import SMALL, Run

from penstock.results import transient

BULK = SMALL.replace('size = "300kB"', 'size = "100MB"').split("[sample]")[0]


def row(*values: float) -> transient.Floats:
    return np.array([values], dtype=np.float64)


def test_relative_change_by_hand() -> None:
    # Of 0 0 2 2 2 2 2 2: the overall mean is 12/8, without the first 12/7, then 2.
    change = transient.relative_change(row(0, 0, 2, 2, 2, 2, 2, 2)[0])
    assert change == pytest.approx([0, 8 / 7 - 1, *6 * [1 / 3]])


def test_a_mean_over_runs_comes_first() -> None:
    # Equation A.1: 0 4 and 2 4 are 1 4, with the overall mean 5/2.
    runs = np.array([[0.0, 4.0], [2.0, 4.0]])
    assert transient.mean_of_runs(runs) == pytest.approx([1, 4])
    change = transient.relative_change(transient.mean_of_runs(runs))
    assert change == pytest.approx([0, 3 / 5])


def test_initial_deletion_finds_a_step() -> None:
    step = row(*20 * [0.0], *80 * [1.0])
    # (80 / (100 - l)) / 0.8 is within 0.02 of 1 / 0.8 from l = 19 on: 80 / 81 * 1.25 = 1.2346.
    assert transient.initial_deletion(step) == transient.Cut(19, ended=True)
    assert transient.initial_deletion(row(*100 * [5.0])) == transient.Cut(0, ended=True)
    assert transient.initial_deletion(row(*100 * [0.0])) == transient.Cut(0, ended=True)


def test_a_drift_has_no_end() -> None:
    drift = row(*map(float, range(100)))
    assert not transient.initial_deletion(drift).ended
    assert not transient.mser5(drift[0]).ended


def test_the_runs_say_what_is_chance() -> None:
    # A single run ends 5 % higher than it began; another one ends as much lower.
    up, down = row(*50 * [1.0], *50 * [1.1]), row(*50 * [1.1], *50 * [1.0])
    assert transient.initial_deletion(up).length > 0
    assert transient.initial_deletion(np.concatenate([up, down])).length == 0


def batches(*means: float) -> transient.Floats:
    return np.repeat(np.array(means, dtype=np.float64), transient.BATCH)


def test_mser_statistics_by_hand() -> None:
    # 4 and then 1 0 1 0 ..: sums of squared deviations 22 - 100/12, 6 * 5 / 11, 10 / 4, ..
    found = transient.mser_statistics(np.array([4.0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]))
    by_hand = [(22 - 100 / 12) / 12**2, 30 / 11 / 11**2, 2.5 / 10**2, 20 / 9 / 9**2]
    assert found[:4] == pytest.approx(by_hand)


def test_mser5_deletes_the_first_batch() -> None:
    assert transient.mser5(batches(4, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1)) == transient.Cut(5, True)


def test_mser5_keeps_all_of_a_steady_series() -> None:
    assert transient.mser5(batches(*10 * [1.0, 2.0])) == transient.Cut(0, True)
    assert transient.mser5(batches(*20 * [0.1])) == transient.Cut(0, True)
    assert transient.mser5(batches(*20 * [0.0])) == transient.Cut(0, True)


def test_mser5_rejects_a_cut_in_the_second_half() -> None:
    assert transient.mser5(batches(*12 * [9.0, 0.0], *6 * [1.0])) == transient.Cut(120, False)
    assert not transient.mser5(batches(1.0, 2.0)).ended


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=60))
def test_statistics_are_those_of_the_definition(values: list[int]) -> None:
    found = transient.mser_statistics(np.array(values, dtype=np.float64))
    for deleted, statistic in enumerate(found.tolist()):
        rest = [Fraction(value) for value in values[deleted:]]
        mean = sum(rest) / len(rest)
        exact = sum((value - mean) ** 2 for value in rest) / len(rest) ** 2
        assert statistic == pytest.approx(float(exact), rel=1e-9, abs=1e-6)


def test_observations_are_joined() -> None:
    pairs = np.array([[1.0, 3.0, 5.0, 7.0]])
    assert transient.joined(pairs, add=True).tolist() == [[4, 12]]
    assert transient.joined(pairs, add=False).tolist() == [[2, 6]]


def scenario(tmp_path: Path, clock: str) -> Path:
    path = tmp_path / "bulk.toml"
    path.write_text(BULK + f"[time]\n{clock}\n")
    return path


USUAL = ("-m", "droptail", "--receivers", "auto", "--seeds", "3")


def test_the_command_sees_the_slow_start(penstock: Run, tmp_path: Path) -> None:
    path = scenario(tmp_path, 'limit = "20s"')
    done = penstock("warm-up", path, *USUAL, "-j", "--curves")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["observations"] * found["interval_s"] == pytest.approx(found["watched_s"])
    assert found["watched_s"] == pytest.approx(20, abs=0.1)
    # Flows start within a second, and windows take some round trips of 44 ms.
    assert 0.2 < found["needed_s"] < 6
    assert found["goodput"]["mser5_s"] is not None
    assert len(found["relative_change"]["queue"]) == found["observations"]
    assert found["relative_change"]["queue"][0] == 0
    assert not found["enough"]
    wanted = f"--set time.warm_up={found['needed_s']:g}s leaves it out"
    assert wanted in done.stderr
    cured = penstock("warm-up", path, *USUAL, "--set", f"time.warm_up={found['needed_s']}s")
    assert cured.returncode == 0
    assert "warning" not in cured.stderr
    assert "needed" in cured.stdout


def test_transfers_that_end_need_no_warm_up(penstock: Run, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    done = penstock("warm-up", path, *USUAL, "-n", "8", "-j")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["traffic_ends"]
    assert "the traffic ends before time.limit" in done.stderr
    assert "warning" not in done.stderr


def test_what_cannot_be_told_is_said(penstock: Run, tmp_path: Path) -> None:
    short = penstock("warm-up", scenario(tmp_path, 'limit = "200ms"'), *USUAL)
    assert short.returncode == 1
    assert "too short to tell their transient" in short.stderr
    one = penstock("warm-up", scenario(tmp_path, 'limit = "9s"'), *USUAL[:-1], "1")
    assert one.returncode == 2
    assert "--seeds: 1 cannot tell a transient from chance" in one.stderr
    curves = penstock("warm-up", scenario(tmp_path, 'limit = "9s"'), *USUAL, "--curves")
    assert (curves.returncode, curves.stdout) == (2, "")


def test_workers_change_nothing(penstock: Run, tmp_path: Path) -> None:
    path = scenario(tmp_path, 'limit = "5s"')
    texts = {penstock("warm-up", path, *USUAL, "-j", "--workers", n).stdout for n in ("1", "3")}
    assert len(texts) == 1
    assert texts != {""}
