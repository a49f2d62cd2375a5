# SPDX-License-Identifier: GPL-2.0-only
"""nis-2004 chapter 10: its pages, what is made of the runs, and where none is possible."""

import errno
from pathlib import Path

import numpy as np
import pytest

from penstock.api.reproduce.study import module
from penstock.errors import ConfigError, Exit, UserError
from penstock.results import concurrency
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_RUN
from penstock.runs.backends import live
from penstock.runs.live import pages
from penstock.runs.live import plan as labs
from penstock.runs.live.result import LiveResult

paper = module("nis-2004/chapter-10", "linux_efcm")

SECOND_NS = 1_000_000_000


def test_pages_are_those_of_table_10_1() -> None:
    drawn = pages.draw(1, 0.05, 5000)
    assert len(drawn) == pytest.approx(100_000, rel=0.02)
    assert drawn == pages.draw(1, 0.05, 5000) != pages.draw(2, 0.05, 5000)
    sizes = sorted(page.size_bytes for page in drawn)
    assert sizes[0] >= 30_458
    # At least half of the pages have one file; the median file has 45 kB.
    assert 30_458 * 2 ** (1 / 1.7584) < sizes[len(sizes) // 2] < 4 * 30_458
    assert [page.start_ns for page in drawn] == sorted(page.start_ns for page in drawn)


def lab() -> labs.LabPlan:
    plan = paper.Runner(Path(), 1, "1", True)._planned(paper.LOSSY)
    return labs.plan(plan.cell("droptail", plan.receivers[0], 1, 1))


def test_each_page_is_a_connection_of_the_control() -> None:
    drawn = [pages.Page(0, 1448), pages.Page(SECOND_NS, 144_800)]
    ours = pages.with_pages(lab(), drawn, "kernel:pst_lin_efcm_1")
    assert [flow.spec.start_ns for flow in ours.flows] == [0, SECOND_NS]
    assert {flow.spec.sender.method for flow in ours.flows} == {"kernel:pst_lin_efcm_1"}
    flows = {
        "delivered_bytes": np.array([1448, 144_800]),
        "start_ns": np.array([0, SECOND_NS]),
        "done_ns": np.array([SECOND_NS // 2, -1]),  # the second lasts until the end, at 12 s
        "retransmissions": np.array([0, 5]),
        "segments_sent": np.array([1, 124]),
    }
    found = pages.outcome(LiveResult(0, flows, {}), ours)
    assert found.tpo_segments_per_s == pytest.approx(101 / 11.5)
    assert found.tpc_segments_per_s == pytest.approx((2 + 100 / 11) / 2)
    assert found.retransmitted_percent == 4
    assert ours.sampled_flows == 2


def test_fairness_is_the_mean_over_periods_of_concurrency() -> None:
    # Alone; three together, of which one sends nothing; and two, as equal as can be.
    sent = [
        [0, 100, 200, 300, 400, -1],
        [-1, 0, 300, -1, -1, -1],
        [-1, 5, 5, 5, 105, 205],
    ]
    together, after = 400**2 / (2 * (100**2 + 300**2)), 1.0
    assert concurrency.fairness(np.array(sent)) == pytest.approx((together + after) / 2)
    assert concurrency.fairness(np.array([[0, 100, 200]])) == 1.0


def test_a_gain_agrees_a_loss_differs_and_chance_decides_nothing() -> None:
    found = paper.Found()
    for link in paper.LINKS:
        for metric in paper.METRICS:
            for seed in (0, 1):
                found.add(link, paper.LINUX, metric, 100 + seed)
                found.add(link, paper.EFCM_1, metric, 160 + seed)
                found.add(
                    link, paper.EFCM_3, metric, 90 + (20 if metric == paper.TPC else 0) * seed
                )
    verdicts = {
        (entry.part, entry.what): entry.verdict
        for entry in paper.entries(found)
        if not entry.what.endswith(paper.LOSS)
    }
    assert verdicts[paper.LOSSY, f"{paper.EFCM_1}: {paper.TPC}"] == AGREES
    assert verdicts[paper.LOSSY, f"{paper.EFCM_3}: {paper.TPC}"] == CANNOT_TELL
    assert verdicts[paper.LOSSY, f"{paper.EFCM_3}: {paper.TPO}"] == DIFFERS
    assert len(list(paper.plots(found))) == len(paper.METRICS)


def test_without_root_the_reason_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> live.Live:
        raise UserError("--backend live: it needs root", Exit.SKIPPED)

    monkeypatch.setattr(live, "backend", refuse)
    found = paper.Runner(tmp_path, 1, None, True).everything()
    (entry,) = paper.entries(found)
    assert (entry.verdict, entry.ours) == (NOT_RUN, "--backend live: it needs root")
    assert list(paper.plots(found)) == []


def test_a_run_is_kept_and_a_damaged_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = paper.Runner(tmp_path, 1, "1", True)
    outcome = {"tpc_segments_per_s": 30.0, "fairness": 0.9}
    monkeypatch.setattr(paper.Runner, "_play", lambda *_: outcome)
    plan = runner._planned(paper.LOSSY)

    def one() -> float:
        return runner._one(paper.LOSSY, plan, 1, paper.EFCM_1)["tpc_segments_per_s"]

    assert one() == 30.0
    monkeypatch.undo()  # what is there is not played again
    assert one() == 30.0
    (cell,) = (tmp_path / "cells").iterdir()
    cell.write_bytes(cell.read_bytes()[:-20])
    with pytest.raises(ConfigError, match=f"{cell}: damaged"):
        one()


def test_runs_of_other_values_and_builds_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planned(*sets: str) -> tuple[Path, labs.LabPlan]:
        runner = paper.Runner(tmp_path, 1, "1", True, sets=sets)
        plan = runner._planned(paper.LOSSY)
        cell = plan.cell("droptail", plan.receivers[0], 1, 1)
        return runner._path(paper.LOSSY, plan, 1, paper.EFCM_1), labs.plan(cell)

    (kept, first), (shorter, second) = planned(), planned("time.limit=9s")
    assert (first.limit_ns, second.limit_ns) == (12 * SECOND_NS, 9 * SECOND_NS)
    slower, third = planned("link.bottleneck.rate=5mbit")
    assert {wire.forward.rate_bps for wire in third.wires} & {5_000_000}
    monkeypatch.setattr(paper, "_engine", lambda: "live4 of another kernel")
    assert len({kept, shorter, slower, planned()[0]}) == 4


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    runner = paper.Runner(tmp_path, 1, "1", True)
    monkeypatch.setattr(paper.Runner, "_play", lambda *_: {})
    monkeypatch.setattr(paper.sealed, "write", full)
    with pytest.raises(UserError, match="cannot be written: No space left"):
        runner._one(paper.LOSSY, runner._planned(paper.LOSSY), 1, paper.EFCM_1)
