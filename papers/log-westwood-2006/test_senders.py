# SPDX-License-Identifier: GPL-2.0-only
"""`penstock reproduce log-westwood-2006`: the analysis on made-up windows, and its runs."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from penstock.api.reproduce.study import module
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_STATED, tally
from penstock.results.stats import Mean

FOLDER = "log-westwood-2006"
senders, paper = (module(FOLDER, name) for name in ("senders", "senders_stated"))


def series(windows: Sequence[float]) -> dict[str, list[object]]:
    """A sample per 0.1 s from 100 s on; windows in segments."""
    return {
        "time_s": [100 + 0.1 * k for k in range(len(windows))],
        "cwnd_bytes": [[window * paper.SEGMENT_BYTES for window in windows]],
    }


def test_a_recovery_lasts_from_the_loss_to_the_old_window() -> None:
    ramp = [50.0 + k for k in range(51)]
    found = paper.recoveries(series([100.0, *ramp, *ramp[:20]]))
    # The second loss never comes back; the first one does, to one segment less than before.
    assert len(found) == 1
    assert (found[0].before, found[0].after) == (pytest.approx(100), pytest.approx(50))
    assert found[0].seconds == pytest.approx(5.0)


def test_the_first_slow_start_does_not_count() -> None:
    early = series([100.0, 50.0, 100.0])
    early["time_s"] = [1.0, 2.0, 3.0]
    assert paper.recoveries(early) == []


def test_the_window_law_gives_the_papers_order() -> None:
    """367 round trips of 82 ms and more, 50 of about 85 ms, and a logarithm."""
    times = [paper.by_law(sender) for sender in paper.SENDERS]
    assert times == [
        pytest.approx(30.2, abs=0.1),
        pytest.approx(4.25, abs=0.05),
        pytest.approx(1.22, abs=0.03),
    ]


def found(log_at_none: float) -> paper.Found:
    """Results as the paper has them, with one throughput to choose."""
    made = paper.Found()
    for sender, after in ((paper.NEWRENO, 367), (paper.WESTWOOD, 683), (paper.LOG, 683)):
        steps = {paper.NEWRENO: 300, paper.WESTWOOD: 40, paper.LOG: 10}[sender]
        ramp = [after + (734 - after) * k / steps for k in range(steps + 1)]
        made.windows[sender] = series([734.0, *ramp])
    speeds = {paper.NEWRENO: 70.0, paper.WESTWOOD: 95.0, paper.LOG: 95.0, paper.ADAPTIVE: 95.0}
    for sender, speed in speeds.items():
        for rate in paper.ERROR_RATES:
            half = 0.0 if rate == "0" else None
            made.errors[sender, rate] = Mean(1.0 if rate == "1e-1" else speed, half, 1)
    made.errors[paper.LOG, "0"] = Mean(log_at_none, 0.0, 1)
    for sender in paper.SENDERS:
        made.flows[sender, 1] = Mean(speeds[sender], None, 1)
    made.shares["CUBIC", 1] = 0.5
    return made


def test_statements_are_judged() -> None:
    for speed, verdict in ((95.0, AGREES), (80.0, DIFFERS)):
        entries = paper.entries(found(speed))
        chosen = [entry for entry in entries if entry.figure == "Fig. 4"]
        assert [entry.verdict for entry in chosen] == [verdict]
    assert tally(entries)[NOT_STATED] == 2
    drawn = [entry for entry in entries if entry.figure in ("Fig. 5", "Fig. 7", "Fig. 8")]
    drawn = [entry for entry in drawn if "without errors" not in entry.what]
    assert {entry.verdict for entry in drawn} == {CANNOT_TELL}  # one seed
    shortest = [entry for entry in entries if "back to the old window" in entry.what]
    assert [entry.ours.split()[0] for entry in shortest] == ["30.10", "4.10", "1.10"]
    assert {entry.verdict for entry in shortest} == {AGREES}


def test_all_figures_are_drawn() -> None:
    made = found(95.0)
    made.growth = {sender: [(500.0, 1e6), (1000.0, 2e6)] for sender in paper.SENDERS}
    figures = dict(senders.plots(made))
    assert [title.split(":")[0] for title in figures] == [
        "Fig. 3",
        "Fig. 4",
        "Figs. 5 and 6",
        "Fig. 7",
        "Fig. 8",
    ]
    assert all(len(figure.data) >= 2 for figure in figures.values())
    assert list(figures["Fig. 4: packets acknowledged, no errors"].data[0].x) == [0, 500, 1000]


def test_runs_without_errors_need_one_seed_and_others_all(tmp_path: Path) -> None:
    seeds: dict[str, str | None] = {}

    class Recorder(senders.Runner):
        def _rows(self, runs):
            (rate,) = (s.split("=")[1] for s in runs.wishes.sets if s.startswith("link."))
            name = runs.folder.name.removesuffix("-quick")
            assert name.endswith(f"-{rate}")
            seeds[name] = runs.wishes.seeds
            return iter([{"goodput_mbps_total": 1.0}])

    Recorder(tmp_path, workers=1, seeds="4", quick=True).errors(paper.Found())
    assert len(seeds) == len(paper.READINGS) * len(paper.ERROR_RATES)
    assert {count for name, count in seeds.items() if name.endswith("-0")} == {"1"}
    assert {count for name, count in seeds.items() if not name.endswith("-0")} == {"4"}


def test_the_simulated_windows_follow_the_law(tmp_path: Path) -> None:
    results = paper.Found()
    senders.Runner(tmp_path, workers=2, seeds=None, quick=True).windows(results)
    for sender, windows in results.windows.items():
        losses = paper.recoveries(windows)
        assert len(losses) >= 4
        for loss in losses:
            # The law leaves out the recovery itself and takes fractions of segments.
            assert 0 < loss.seconds - paper.by_law(sender) < 0.5
            assert loss.before == pytest.approx(735, abs=2)
