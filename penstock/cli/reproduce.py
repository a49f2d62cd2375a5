# SPDX-License-Identifier: GPL-2.0-only
"""`penstock reproduce`: all figures and tables of a paper, ours beside the paper's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen
from penstock.cli.costs import duration
from penstock.errors import UsageError, near
from penstock.scenario import library

if TYPE_CHECKING:
    from penstock.api.reproduce.costs import Cost
    from penstock.api.reproduce.pages import Outcome
    from penstock.api.reproduce.papers import Paper

ALL: Final = "all"


def _time_text(cost: Cost, workers: int) -> str:
    if not cost.runs:
        return "their backend is not installed"
    about = "at most" if cost.at_most else "about"
    live = f", {duration(cost.live_s)} of it live" if cost.live_s else ""
    return f"{about} {duration(cost.elapsed_s(workers))}{live}"


def plan(chosen: Sequence[Paper], costs: Iterable[Cost], workers: int) -> Iterator[str]:
    """What will be run and about how long it takes; runs that are kept are not run again."""
    from penstock.api.reproduce.costs import together

    found = []
    for paper, each in zip(chosen, costs, strict=True):
        found.append(each)
        kept = f", {each.stored:,} of them finished" if each.stored else ""
        yield f"{paper.name}: {each.runs:,} runs{kept}: {_time_text(each, workers)}"
    text = _time_text(together(found), workers)
    yield f"all: {text} with --workers {workers}; the same command resumes"


def _print_json(paper: Paper, outcome: Outcome, named: bool) -> None:
    from penstock.results.entries import counts

    name = {"of": paper.name} if named else {}
    for entry in outcome.entries:
        print(json.dumps({"kind": "statement", **name, **asdict(entry)}))
    for found in outcome.calibrations:
        print(json.dumps({"kind": "calibration", **name, **asdict(found)}))
    print(json.dumps({"kind": "verdict", "of": paper.name, **counts(outcome.entries)}))


def _print(outcome: Outcome) -> None:
    from rich.markup import escape

    from penstock.api.reproduce import pages

    console = screen.out()
    for grid in pages.tables(outcome.entries):
        rows = [[escape(cell) for cell in row] for row in grid.rows]
        console.print(screen.table(grid.title, grid.headers, rows, left=len(grid.headers)))
        console.print()
    if outcome.calibrations:
        console.print(
            screen.table(
                "flows at which drop-tail loses 0.1, 0.5 and 1 %, by what the paper may have used",
                pages.CALIBRATION_HEADERS,
                pages.calibration_rows(outcome.calibrations),
                left=len(pages.CALIBRATION_HEADERS),
            )
        )
    console.print()


def find(name: str) -> Paper:
    """The paper of that name, or a usage error."""
    from penstock.api.reproduce.papers import PAPERS

    if name not in PAPERS:
        raise UsageError(f"there is no paper {name!r}; {near(name, [*PAPERS, ALL])}")
    return PAPERS[name]


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help=f"One of {', '.join(library.papers())}; or all papers."
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Few seeds and short runs: minutes on a laptop.")
    ] = False,
    stated: Annotated[
        bool,
        typer.Option(
            "--stated", help="Only what the paper states: no other methods, and no further runs."
        ),
    ] = False,
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    as_json: options.AsJson = False,
    output: Annotated[
        Path | None,
        options.output(
            "Where results and pages go (out/reproduce/PAPER by default); continue what is there."
        ),
    ] = None,
    workers: options.Workers = None,
) -> None:
    """Run all that a paper shows: its statements beside ours, as table, page or JSON."""
    from penstock.api.reproduce import engine, pages
    from penstock.api.reproduce.papers import PAPERS
    from penstock.api.reproduce.runs import Effort
    from penstock.results.entries import counts

    every = paper == ALL
    published = [one for one in PAPERS.values() if one.published]
    chosen = published if every else [find(paper)]
    root = output or Path("out/reproduce")
    count = options.worker_count(workers)
    effort = Effort(
        folder=root,
        workers=count,
        seeds=seeds,
        quick=quick,
        sets=sets,
        own=stated,
        console=screen,
    )
    efforts = list(engine.efforts(chosen, effort, apart=every or not output))
    if every:
        costs = (engine.cost(one, own) for one, own in efforts)
        for line in plan(chosen, costs, count):
            screen.say(line)
    found = []
    for one, own in efforts:
        outcome, reproduced = engine.reproduce(one, own)
        found.append(reproduced)
        if as_json:
            _print_json(one, outcome, named=every)
        elif not every:
            _print(outcome)
        for sentence in pages.found_text(outcome.entries):
            screen.say(f"{one.name}: {sentence}" if every else sentence)
        screen.say(
            f"{one.document} says what was tried of each difference; page: {reproduced.page}"
        )
    if every:
        target = root / "reproduce.html"
        pages.write(target, pages.overview(found, root))
        screen.say(f"every figure and table of the papers: {target}")
        if as_json:
            total = counts(entry for each in found for entry in each.entries)
            print(json.dumps({"kind": "verdict", "of": ALL, **total}))
