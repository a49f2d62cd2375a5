# SPDX-License-Identifier: GPL-2.0-only
"""Papers as data, the gains over parts, and the command on a paper small enough to run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from penstock.api.reproduce import costs, engine, pages, papers
from penstock.api.reproduce.papers import LEVELS, PAPERS, Paper
from penstock.api.reproduce.runs import Effort
from penstock.api.reproduce.study import module
from penstock.cli import app
from penstock.cli import reproduce as verb
from penstock.errors import Exit, UsageError, UserError
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_RUN, Entry, counts, tally
from penstock.scenario import params
from penstock.scenario.read import read, shipped
from penstock.scenario.statements import Paper as Stated
from penstock.view.plots.data import Data

PUBLISHED = [paper for paper in PAPERS.values() if paper.published]


def served(by_method: dict[str, list[int]]) -> list[dict[str, Any]]:
    return [
        {"receivers": "65535", "method": method, "level_percent": level, "flows": count}
        for method, counts in by_method.items()
        for level, count in zip(LEVELS, counts, strict=True)
    ]


def data(by_method: dict[str, list[int]]) -> Data:
    gain = {"figure": "Figs. 16, 17", "source": "s", "method": "ewt", "gain_percent": 50.0}
    stated = Stated.model_validate(
        {"name": "p", "capacity": [{**gain, "over": "best"}, {**gain, "over": "droptail"}]}
    )
    return Data({}, [], 0, {}, served(by_method), stated)


def test_gains_are_averaged_over_parts_and_levels() -> None:
    first = data({"droptail": [10, 10, 10], "red": [20, 20, 20], "ewt": [30, 30, 30]})
    second = data({"droptail": [10, 10, 10], "red": [5, 5, 5], "ewt": [10, 20, 30]})
    best, droptail = pages.gains([("one", first), ("two", second)])
    # against the best: 50, 50, 50 and 0, 100, 200; against drop-tail 200 three times, then those
    assert best.ours.startswith("+75.0 %")
    assert droptail.ours.startswith("+150.0 %")


@pytest.mark.parametrize(
    ("ours", "word"), [(15, AGREES), (16, AGREES), (11, DIFFERS), (30, DIFFERS)]
)
def test_a_gain_is_two_sided_to_a_flow(ours: int, word: str) -> None:
    served_by = {"droptail": [10] * 3, "ewt": [ours] * 3}
    found = pages.gains([("one", data(served_by))])
    assert [entry.verdict for entry in found] == [word, word]


@pytest.mark.parametrize(("ours", "word"), [([11, 11, 11], AGREES), ([30, 10, 30], DIFFERS)])
def test_most_flows_are_so_at_each_level_of_each_part(ours: list[int], word: str) -> None:
    one = data({"droptail": [10, 10, 10], "ewt": ours})
    assert one.paper is not None
    one.paper.capacity[:] = [
        gain.model_copy(update={"gain_percent": None}) for gain in one.paper.capacity[:1]
    ]
    found = pages.gains([("one", one), ("two", one)])
    assert [entry.verdict for entry in found] == [word, word]
    assert {entry.paper for entry in found} == {"more at each level"}


def test_zeros_and_what_is_near_are_told_apart() -> None:
    def entry(word: str, ratio: float | None, zero: bool = False) -> Entry:
        return Entry("p", "f", "w", "", "", "", word, "", ratio, zero=zero)

    entries = [
        entry(AGREES, 1.0),
        entry(DIFFERS, 1.05),
        entry(DIFFERS, 3.0),
        entry(AGREES, None, zero=True),
        entry(AGREES, None, zero=True),
        entry(DIFFERS, None, zero=True),
    ]
    (text,) = pages.found_text(entries)
    assert text == (
        "1 of the paper's statements agree with ours, 2 differ (1 of them by at most 10 %); "
        "of 3 zeros, which are counted apart, 2 agree and 1 differ"
    )
    found = counts(entries)
    assert (found["agree"], found["differ"], found["near"]) == (1, 2, 1)
    assert (found["zeros_agree"], found["zeros_differ"], found["zeros_open"]) == (2, 1, 0)


def test_a_smaller_gain_differs() -> None:
    found = pages.gains([("one", data({"droptail": [10, 10, 10], "ewt": [11, 11, 11]}))])
    assert [entry.verdict for entry in found] == [DIFFERS, DIFFERS]


def test_a_level_without_answer_is_left_out() -> None:
    one = data({"droptail": [10, 10, 10], "ewt": [20, 20, 20]})
    one.served[0]["flows"] = None
    (_, droptail) = pages.gains([("one", one)])
    assert droptail.ours == "+100.0 % (one: +100 % at 0.5 %, +100 % at 1 %)"


def test_a_level_whose_best_is_not_known_is_left_out() -> None:
    one = data({"droptail": [10, 10, 10], "red": [15, 15, 15], "ewt": [20, 20, 20]})
    one.served[3]["flows"] = None
    best, droptail = pages.gains([("one", one)])
    assert best.ours == "+33.3 % (one: +33 % at 0.5 %, +33 % at 1 %)"
    assert droptail.ours.startswith("+100.0 % (one: +100 % at 0.1 %, ")


@pytest.mark.parametrize("paper", PAPERS.values(), ids=lambda paper: paper.name)
def test_papers_name_scenarios_and_methods_that_exist(paper: Paper) -> None:
    names = [part.name for part in paper.parts]
    assert sorted(set(names)) == sorted(names), "a part would run twice"
    for part in paper.parts:
        assert part.scenario in shipped()
        assert set(part.methods) <= set(params.methods())
        stated = read(part.scenario).scenario.paper
        assert stated is not None
        assert stated.name == paper.name
    known = paper.calibration
    assert set(known.flows if known else ()) <= set(names)
    for part in (part for part in paper.parts if known and part.name in known.flows):
        assert known is not None
        for guess in known.guess:
            sets = [tuple(text.split("=")) for text in guess.sets]
            read(part.scenario, [(key, value) for key, value in sets])


def test_every_statement_of_a_scenario_is_about_a_method_that_is_run() -> None:
    for paper in PAPERS.values():
        for part in paper.parts:
            scenario = read(part.scenario).scenario
            stated = scenario.paper
            assert stated is not None
            named = {entry.method for entry in (*stated.value, *stated.order, *stated.capacity)}
            assert named <= set(part.methods or scenario.sweep.methods), part.name


def test_what_no_run_decides_is_listed_and_counted() -> None:
    entries = list(engine.left(PAPERS["nis-2004-part-1"]))
    assert {entry.verdict for entry in entries} == {NOT_RUN}
    assert "70 %, 95 %" in {entry.paper for entry in entries}
    assert all(entry.ours and entry.source for entry in entries)
    assert counts(entries)["not_run"] == len(entries)


def test_model_statements() -> None:
    entries = module("ewt-iot-2023", "zhang").entries()
    differing = {entry.what for entry in entries if entry.verdict == DIFFERS}
    assert differing == {
        "EWT, convergence (each round from 65)",
        "EWT-IoT, convergence (each round from 65)",
    }
    assert tally(entries)[AGREES] == len(entries) - 2


def test_table_has_a_row_for_a_statement_and_a_window() -> None:
    entries = [
        Entry("part", "Fig. 1", "loss", window, "0.1 %", ours, word, "page 1", ratio, "25 %", by)
        for window, ours, word, ratio, by in (
            ("65535", "0.1", AGREES, 1.0, ""),
            ("auto", "0.2", DIFFERS, 2.0, "2 times"),
        )
    ]
    (grid,) = pages.tables(entries)
    assert grid.rows == [
        ["Fig. 1", "loss", "65,535 bytes", "0.1 %", "0.1", "1", "25 %", AGREES],
        ["Fig. 1", "loss", "autotuned", "0.1 %", "0.2", "2", "25 %", "differs by 2 times"],
    ]
    assert len(grid.headers) == 8


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["reproduce", *arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def test_small_paper_from_end_to_end(small: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    found = records(run(small, "-j", "-o", str(folder), "--workers", "1"))
    statements = [record for record in found if record["kind"] == "statement"]
    verdicts = {(record["figure"], record["receivers"]): record["verdict"] for record in statements}
    assert verdicts["Fig. 1", "65535"] == DIFFERS
    assert verdicts["Fig. 2", "65535"] == CANNOT_TELL, "two seeds, far apart"
    assert verdicts["Fig. 4", "65535"] == AGREES
    assert verdicts["Fig. 5", "65535"] == DIFFERS
    assert ("Fig. 3", "30000") in verdicts
    assert [record["part"] for record in statements if record["verdict"] == NOT_RUN] == ["other"]
    (calibration,) = (record for record in found if record["kind"] == "calibration")
    assert calibration["paper_flows"] == [1, 2, 3]
    assert len(calibration["flows"]) == 3
    page = (folder / "reproduce.html").read_text()
    assert "small/report.html" in page
    assert (folder / "small" / "report.html").exists()


def test_a_second_time_nothing_is_run(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (small, "-j", "--seeds", "1", "-o", str(tmp_path / "out"), "--workers", "1")
    first = run(*arguments)

    def fail(*_: object) -> None:
        raise AssertionError("a cell was run again")

    monkeypatch.setattr("penstock.runs.workers._run", fail)
    assert run(*arguments) == first


def test_a_page_is_of_one_set_of_values(small: str, tmp_path: Path) -> None:
    mixed, fresh = tmp_path / "mixed", tmp_path / "fresh"
    always = (small, "--quick", "--seeds", "1", "--workers", "1")
    run(*always, "-o", str(mixed))
    as_stated = (mixed / "reproduce.html").read_bytes()
    size = ("--set", "tcp.bulk.size=300kB")
    for folder in (mixed, fresh):
        run(*always, *size, "-o", str(folder))
    (page,) = mixed.glob("*/reproduce.html")
    (alone,) = fresh.glob("*/reproduce.html")
    assert "tcp.bulk.size=300kB" in page.read_text()
    assert page.read_bytes() == alone.read_bytes()
    assert (mixed / "reproduce.html").read_bytes() == as_stated


def test_quick_searches_with_one_window(small: str, tmp_path: Path) -> None:
    found = records(run(small, "--quick", "-j", "-o", str(tmp_path / "out"), "--workers", "1"))
    gains = [record for record in found if record.get("figure") == "Fig. 3"]
    assert [record["receivers"] for record in gains] == ["65535"]


def test_quick_does_less_of_a_slow_part(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = papers.PAPERS["small"]
    part = paper.parts[0].model_copy(update={"slow": ("30000",)})
    less = paper.model_copy(update={"parts": (part,), "calibration": None})
    monkeypatch.setattr(papers, "PAPERS", {"small": less})
    folder = tmp_path / "out"
    found = records(run(small, "--quick", "-j", "-o", str(folder), "--workers", "1"))
    *statements, last = found
    assert {record["receivers"] for record in statements} == {"30000"}
    assert "Fig. 3" not in {record["figure"] for record in statements}
    words = [record["verdict"] for record in statements]
    told = {"agree": AGREES, "differ": DIFFERS, "cannot_tell": CANNOT_TELL}
    assert {key: last[key] for key in told} == {key: words.count(w) for key, w in told.items()}
    assert len(list((folder / "small" / "cells").iterdir())) == 4  # 2 methods, 2 numbers of flows


def test_all_papers_are_planned_run_and_put_on_one_page(
    small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = papers.PAPERS["small"]
    other = paper.model_copy(update={"name": "other"})
    own = paper.model_copy(update={"name": "own", "published": False})
    monkeypatch.setattr(papers, "PAPERS", {p.name: p for p in (paper, other, own)})
    folder = tmp_path / "out"
    arguments = ("all", "--quick", "-j", "-o", str(folder), "--workers", "1")
    result = CliRunner().invoke(app, ["reproduce", *arguments])
    assert result.exit_code == 0, result.output
    plan = [line for line in result.stderr.splitlines() if "about" in line]
    assert [line.split(":")[0] for line in plan] == ["small", "other", "all"]
    asked = int(plan[0].removeprefix("small: ").split()[0])
    found = records(result.stdout)
    assert {record["of"] for record in found} == {"small", "other", "all"}
    assert found[-1]["of"] == "all"
    assert found[-1]["agree"] == sum(record.get("verdict") == AGREES for record in found)
    page = (folder / "reproduce.html").read_text()
    assert "small: small" in page
    assert "other: small" in page
    assert "small/reproduce.html" in page
    assert "other/reproduce.html" in page
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("cells/*.json")}
    again = CliRunner().invoke(app, ["reproduce", *arguments])
    assert records(again.stdout) == found
    assert {path: path.stat().st_mtime_ns for path in times} == times
    left = re.search(r"small: (\d+) runs, (\d+) of them finished", again.stderr)
    assert left is not None
    assert int(left[1]) == asked
    assert 24 <= int(left[2]) <= asked  # 2 methods, receivers and numbers of flows, 3 seeds


def effort(folder: Path, workers: int = 1, quick: bool = True) -> Effort:
    return Effort(folder, workers, "1" if quick else None, quick)


def lines(paper: str, cost: costs.Cost, workers: int) -> list[str]:
    """The plan of one paper, as the command tells it."""
    return list(verb.planned(costs.planned([(paper, cost)]), workers))


def test_the_plan_shares_among_workers_what_is_not_live() -> None:
    found = costs.Cost(10, 0, processor_s=7200.0, live_s=1800.0, at_most=False)
    (one, total), (two, _) = (lines("rwm-2006", found, workers) for workers in (1, 2))
    assert one == "rwm-2006: 10 runs: about 2.5 hours, 30 minutes of it live"
    assert two == "rwm-2006: 10 runs: about 1.5 hours, 30 minutes of it live"
    none = costs.Cost(0, 0, 0.0, 0.0, at_most=False)
    (line, _) = lines("ewt-iot-2023", none, 1)
    assert line == "ewt-iot-2023: 0 runs: their backend is not installed"
    assert total.startswith("all: about 2.5 hours, 30 minutes of it live with --workers 1;")


def test_live_runs_take_their_time(tmp_path: Path) -> None:
    one = engine.cost(PAPERS["nis-2004-chapter-10"], effort(tmp_path))
    assert one.runs > 0
    assert one.live_s == pytest.approx(12 * one.runs)
    assert one.processor_s == 0
    linux_efcm = module("nis-2004/chapter-10", "linux_efcm")
    runner = linux_efcm.Runner(**vars(effort(tmp_path)))
    link = next(iter(linux_efcm.LINKS))
    kept = runner._path(link, runner._planned(link), 1, next(iter(linux_efcm.METHODS)))
    kept.parent.mkdir()
    kept.write_text("{}")
    again = engine.cost(PAPERS["nis-2004-chapter-10"], effort(tmp_path))
    assert (again.runs, again.stored) == (one.runs, 1)
    assert again.live_s == pytest.approx(one.live_s - 12)


@pytest.mark.parametrize(
    "name", [paper.name for paper in PUBLISHED if paper.name != "ewt-iot-2023"]
)
def test_every_paper_has_a_plan(name: str, tmp_path: Path) -> None:
    assert "law" not in {paper.name for paper in PUBLISHED}
    found = engine.cost(PAPERS[name], effort(tmp_path))
    assert found.runs > 0
    assert found.stored == 0
    assert found.elapsed_s(1) > 0


def test_a_part_is_planned_for_its_backend(tmp_path: Path) -> None:
    """The simulator has no 802.11g, and would refuse the scenario."""
    (part,) = PAPERS["ewt-iot-2023"].parts
    plan = engine.runs_of(*engine.reduced(part, effort(tmp_path))).plan()
    assert plan.runs > 0


def test_unknown_paper() -> None:
    with pytest.raises(UsageError, match="ewt-2019"):
        run("ewt-2018")


def test_folder_that_cannot_be_made(small: str, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(UserError) as failure:
        run(small, "-o", str(blocked / "out"))
    assert failure.value.code == Exit.FAILURE


def test_the_methods_of_statements_alone_are_run_if_asked(tmp_path: Path) -> None:
    def methods(own: bool) -> list[set[str]]:
        like = Effort(tmp_path, workers=1, seeds="1", quick=True, own=own)
        ((chosen, _),) = engine.efforts([PAPERS["rwm-2006"]], like, apart=True)
        return [set(part.methods) for part in chosen.parts]

    beside = {"droptail", "ewt", "integral"}
    assert all(beside <= named for named in methods(own=False))
    assert all(named and not beside & named for named in methods(own=True))
