# SPDX-License-Identifier: GPL-2.0-only
"""nis-2004 Figs. 2.12 and 3.2 from their scenarios."""

from pathlib import Path

import pytest

from penstock.api.reproduce.runs import Effort
from penstock.api.reproduce.study import module
from penstock.results.entries import AGREES

single = module("nis-2004/part-1", "single_connections")


def test_ours_agree_with_the_paper(tmp_path: Path) -> None:
    found = single.run(Effort(tmp_path, workers=1, seeds=None, quick=True))
    entries = single.entries(found)
    assert {entry.figure for entry in entries} == {"Fig. 2.12", "Fig. 3.2"}
    assert [entry.what for entry in entries if entry.verdict != AGREES] == []
    # 3 round trips and the handshake; of the other, the handshake, one round trip and nine gaps.
    assert found.rates[single.STANDARD] == pytest.approx(25, rel=0.01)
    assert found.rates[single.LEARNED] == pytest.approx(10 / 0.245, rel=0.01)
    assert found.sequence == sorted(found.sequence)
    assert next(title for title, _ in single.plots(found)).startswith("Fig. 2.12")


def test_a_recovery_is_two_falls_and_a_timeout_is_none() -> None:
    course = [(0.0, 3.0), (0.1, 30.0), (0.2, 18.0), (0.3, 40.0), (0.4, 15.0), (0.5, 15.0)]
    (one,) = single.recoveries(course)
    assert (one.before, one.after) == (30.0, 15.0)
    assert single.recoveries([(0.0, 30.0), (0.1, 1.0), (0.2, 2.0), (0.3, 4.0)]) == []
