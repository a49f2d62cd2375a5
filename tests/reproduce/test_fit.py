# SPDX-License-Identifier: GPL-2.0-only
"""`penstock fit`: combinations of what a paper leaves open, ranked."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.api.reproduce import engine, fit, papers
from penstock.api.reproduce.papers import PAPERS, Open, Paper
from penstock.api.reproduce.runs import Effort
from penstock.cli import app
from penstock.errors import UsageError, UserError
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_STATED, Entry
from penstock.scenario.read import read, shipped

OPEN = [
    Open(what="queue", tries=[["link.bottleneck.queue=3kB"], ["link.bottleneck.queue=6kB"]]),
    Open(what="sender", tries=[["tcp.bulk.congestion=newreno"]]),
]


def of(what: str, *tries: str) -> Open:
    return Open(what=what, tries=[[one] for one in tries])


def test_combinations_move_few_settings_first() -> None:
    settings = [of("a", "a=1", "a=2"), of("b", "b=1")]
    assert [one.sets for one in fit.combinations(settings, 1)] == [
        (),
        ("a=1",),
        ("a=2",),
        ("b=1",),
    ]
    both = fit.combinations(settings, 2)
    assert [one.sets for one in both[4:]] == [("a=1", "b=1"), ("a=2", "b=1")]
    assert fit.combinations(settings, 9) == both


def test_no_combination_sets_a_key_twice() -> None:
    settings = [of("a", "x=1"), Open(what="b", tries=[["x=2"], ["y=1"]])]
    assert ("x=1", "x=2") not in [one.sets for one in fit.combinations(settings, 2)]
    assert len(fit.combinations(settings, 2)) == 5


def test_each_setting_moved_has_its_price() -> None:
    words = [AGREES] * 6 + [DIFFERS] * 2 + [CANNOT_TELL] * 2 + [NOT_STATED]
    entries = [Entry("p", "f", "w", "", "", "", word, "") for word in words]
    assert fit.fared(entries, 0, 2.0) == fit.Fared(70.0, 6, 2, 2)
    assert fit.fared(entries, 3, 2.0).score == 64.0
    assert fit.fared(entries, 0, 2.0).told == 10


def test_what_no_setting_changes_is_not_counted(tmp_path: Path) -> None:
    effort = Effort(tmp_path, workers=1, seeds="1", quick=True)
    for name, analyses in (("ewt-iot-2023", []), ("nis-2004-part-1", ["end_system"])):
        assert fit.measured(PAPERS[name], effort).analyses == analyses


def _moves(name: str, tried: list[str]) -> bool:
    """Whether these settings change a scenario; one may lack what they are about."""
    pairs = [(key, value) for key, _, value in (text.partition("=") for text in tried)]
    try:
        return read(name, pairs).scenario.setup() != read(name).scenario.setup()
    except UserError:
        return False


def _moves_runs(paper: Paper, folder: Path, tried: list[str]) -> bool:
    """Whether they change what a paper's own modules run, which set keys themselves."""
    effort = Effort(folder, workers=1, seeds="1", quick=True)
    runs = [
        {
            (str(cell.scenario.setup()), cell.receivers)
            for _, cells in engine.work(paper, replace(effort, sets=tuple(sets)))
            for cell in cells
        }
        for sets in ([], tried)
    ]
    return runs[0] != runs[1]


@pytest.mark.parametrize(
    "paper", [one for one in PAPERS.values() if one.open], ids=lambda one: one.name
)
def test_what_papers_leave_open_can_be_set(paper: Paper, tmp_path: Path) -> None:
    folder = paper.document.removeprefix("papers/").removesuffix("page.md")
    scenarios = [name for name in shipped() if name.startswith(folder)]
    for tried in (tried for one in paper.open for tried in one.tries):
        moves = any(_moves(name, tried) for name in scenarios)
        assert moves or _moves_runs(paper, tmp_path, tried), f"{tried}: it is so already"


def test_a_small_paper_is_fitted_and_resumed(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = papers.PAPERS["small"]
    one = paper.model_copy(update={"parts": paper.parts[:1], "open": OPEN})
    monkeypatch.setattr(papers, "PAPERS", {"small": one})
    folder = tmp_path / "fit"
    arguments = ["fit", "small", "--seeds", "2", "--workers", "1", "-j", "-o", str(folder)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 6
    scores = [each["score"] for each in found]
    assert scores == sorted(scores, reverse=True)
    plain = next(each for each in found if not each["moved"])
    assert plain["agree"] + plain["differ"] + plain["cannot_tell"] == 8  # 4 statements, 2 windows
    assert any("queue: link.bottleneck.queue=3kB" in each["moved"] for each in found)
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("cells/*.json")}
    assert len(times) == 6 * 16
    again = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert again.stdout == done.stdout
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_one_seed_is_said_to_tell_little(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = papers.PAPERS["small"]
    one = one.model_copy(update={"parts": one.parts[:1], "open": OPEN[1:]})
    monkeypatch.setattr(papers, "PAPERS", {"small": one})
    arguments = ["fit", "small", "--workers", "1", "-o", str(tmp_path / "fit"), "--seeds"]
    for seeds, said in (("1", True), ("1,2", False)):
        done = CliRunner().invoke(app, [*arguments, seeds], catch_exceptions=False)
        assert ("One seed has no interval" in done.stderr) == said


def test_a_paper_without_open_settings_is_named() -> None:
    done = CliRunner().invoke(app, ["fit", "nis-2004-part-2"])
    assert isinstance(done.exception, UsageError)
    assert "nis-2004-part-2 names no open settings" in str(done.exception)
