# SPDX-License-Identifier: GPL-2.0-only
"""`penstock agree` as functions, with the simulator in the place of ns-3."""

from pathlib import Path

import pytest

import penstock as ps
from penstock.api import agreement
from penstock.api.agreement import Extent
from penstock.errors import UserError
from penstock.results.agree import compare
from penstock.runs.console import Silent
from penstock.runs.wishes import Wishes

WISHES = Wishes(methods=["droptail", "ewt"], flows=["2", "3"], receivers=["65535"], seeds="6")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(agreement, "_PLAIN", ("sim", "sim-aligned"))
    link = ps.link(rate="5mbit", buffer="20kB", size="100kB", hosts="2004")
    return str(link.save(tmp_path / "small.toml"))


def test_a_quick_comparison_is_kept_for_each_backend_and_described(
    small: str, tmp_path: Path
) -> None:
    extent = Extent(WISHES, quick=True, output=tmp_path / "kept")
    (found,) = agreement.measure([small], extent, Silent())
    assert (found.scenario, found.seeds) == (small, 5)
    assert {pair.line.flows for pair in found.pairs} == {2}
    place = tmp_path / "kept" / small.replace("/", "-")
    assert sorted(path.name for path in place.iterdir()) == ["sim", "sim-aligned"]
    records = list(found.describe())
    assert len(records) == len(found.pairs) + len(found.flips)
    assert {record["scenario"] for record in records} == {small}
    counts = agreement.verdicts([found, found])
    assert list(counts) == list(compare.VERDICTS)
    assert sum(counts.values()) == 2 * len(found.pairs)


def test_all_are_planned_before_the_first_is_run(small: str, tmp_path: Path) -> None:
    extent = Extent(WISHES, output=tmp_path / "kept")
    with pytest.raises(UserError, match="nowhere"):
        next(agreement.measure([small, "nowhere"], extent, Silent()))
    assert not (tmp_path / "kept").exists()
