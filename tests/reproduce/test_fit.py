# SPDX-License-Identifier: GPL-2.0-only
"""`penstock fit`: combinations of what a paper leaves open, ranked."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.cli import app, reproduce
from penstock.errors import UsageError
from penstock.reproduce import fit
from penstock.reproduce.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_STATED, Entry
from penstock.reproduce.papers import PAPERS
from penstock.scenario.read import read
from penstock.scenario.statements import PaperOpen

OPEN = """
[[paper.open]]
what = "queue"
tries = [["link.bottleneck.queue=3kB"], ["link.bottleneck.queue=6kB"]]

[[paper.open]]
what = "sender"
tries = [["tcp.bulk.congestion=newreno"]]
"""


def of(what: str, *tries: str) -> PaperOpen:
    return PaperOpen(what=what, tries=[[one] for one in tries])


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
    assert len({one.folder(()) for one in both}) == len(both)
    assert both[1].folder(()) != both[1].folder(("time.limit=1s",))
    assert fit.combinations(settings, 9) == both


def test_each_setting_moved_has_its_price() -> None:
    words = [AGREES] * 6 + [DIFFERS] * 2 + [CANNOT_TELL] * 2 + [NOT_STATED]
    entries = [Entry("p", "f", "w", "", "", "", word, "") for word in words]
    assert fit.fared(entries, 0, 2.0) == fit.Fared(70.0, 6, 2, 2)
    assert fit.fared(entries, 3, 2.0).score == 64.0
    assert fit.fared(entries, 0, 2.0).told == 10


@pytest.mark.parametrize("name", [one.settings for one in PAPERS.values() if one.settings])
def test_what_papers_leave_open_can_be_set(name: str) -> None:
    stated = read(name).scenario.paper
    assert stated is not None
    assert stated.open
    for one in stated.open:
        for tried in one.tries:
            before = read(name).scenario
            moved = read(name, [tuple(text.split("=", 1)) for text in tried]).scenario
            assert moved.setup() != before.setup(), f"{tried}: it is so already"


def test_a_small_paper_is_fitted_and_resumed(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(path.read_text() + OPEN)
    paper = reproduce.PAPERS["small"]
    one = replace(paper, parts=paper.parts[:1], settings=str(path))
    monkeypatch.setattr(reproduce, "PAPERS", {"small": one})
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


def test_a_paper_without_open_settings_is_named() -> None:
    done = CliRunner().invoke(app, ["fit", "ewt-2019"])
    assert isinstance(done.exception, UsageError)
    assert "ewt-2019 names no open settings" in str(done.exception)
