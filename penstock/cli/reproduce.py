# SPDX-License-Identifier: GPL-2.0-only
"""`penstock reproduce`: all figures and tables of a paper, ours beside the paper's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import options, screen
from penstock.cli.costs import duration
from penstock.scenario import library

if TYPE_CHECKING:
    from penstock.api.reproduce.costs import Cost, Planned
    from penstock.api.reproduce.pages import Outcome, Reproduced
    from penstock.api.reproduce.papers import Paper


def _time_text(cost: Cost, workers: int) -> str:
    if not cost.runs:
        return "their backend is not installed"
    about = "at most" if cost.at_most else "about"
    live = f", {duration(cost.live_s)} of it live" if cost.live_s else ""
    return f"{about} {duration(cost.elapsed_s(workers))}{live}"


def planned(planned: Iterable[Planned], workers: int) -> Iterator[str]:
    """What will be run and about how long it takes; runs that are kept are not run again."""
    for each in planned:
        text = _time_text(each.cost, workers)
        if each.paper is None:
            yield f"all: {text} with --workers {workers}; the same command resumes"
            continue
        kept = f", {each.cost.stored:,} of them finished" if each.cost.stored else ""
        yield f"{each.paper}: {each.cost.runs:,} runs{kept}: {text}"


def _print_json(paper: Paper, outcome: Outcome, named: bool) -> None:
    from penstock.results.entries import counts

    name = {"of": paper.name} if named else {}
    for entry in outcome.entries:
        print(json.dumps({"kind": "statement", **name, **asdict(entry)}))
    for found in outcome.calibrations:
        print(json.dumps({"kind": "calibration", **name, **asdict(found)}))
    print(json.dumps({"kind": "verdict", "of": paper.name, **counts(outcome.entries)}))


def _print(outcome: Outcome) -> None:
    from penstock.api.reproduce import pages

    console = screen.out()
    for grid in pages.tables(outcome.entries):
        console.print(screen.table(grid.title, grid.headers, grid.rows, left=len(grid.headers)))
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


def _show(outcome: Outcome, reproduced: Reproduced, every: bool, as_json: bool) -> None:
    """A paper's statements and page; those of all papers with its name."""
    from penstock.api.reproduce import pages

    paper = reproduced.paper
    if as_json:
        _print_json(paper, outcome, named=every)
    elif not every:
        _print(outcome)
    for sentence in pages.found_text(outcome.entries):
        screen.say(f"{paper.name}: {sentence}" if every else sentence)
    screen.say(f"{paper.document} says what was tried of each difference; page: {reproduced.page}")


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
    from penstock.api.reproduce import play
    from penstock.api.reproduce.runs import Effort
    from penstock.results.entries import counts

    root, count = output or Path("out/reproduce"), options.worker_count(workers)
    effort = Effort(
        folder=root,
        workers=count,
        seeds=seeds,
        quick=quick,
        sets=sets,
        own=stated,
        console=screen,
    )
    asked = play.reproduction(paper, effort, apart=not output)
    if asked.every:
        for line in planned(asked.planned(), count):
            screen.say(line)
    found = []
    for outcome, reproduced in asked.run():
        found.append(reproduced)
        _show(outcome, reproduced, asked.every, as_json)
    if asked.every:
        screen.say(f"every figure and table of the papers: {asked.overview(found)}")
        if as_json:
            total = counts(entry for each in found for entry in each.entries)
            print(json.dumps({"kind": "verdict", "of": play.ALL, **total}))
