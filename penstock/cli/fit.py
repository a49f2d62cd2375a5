# SPDX-License-Identifier: GPL-2.0-only
"""`penstock fit`: which of the settings that a paper leaves open agree best with what it states."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen
from penstock.cli.reproduce import find
from penstock.errors import UsageError
from penstock.scenario import library

if TYPE_CHECKING:
    from penstock.api.reproduce import fit as rank
    from penstock.api.reproduce.papers import Open, Paper
    from penstock.api.reproduce.runs import Effort

_HEADERS: Final = ("score", "agree", "differ", "cannot tell", "instead of the scenario's settings")


@dataclass(frozen=True)
class _Tried:
    """A combination, and how it fared."""

    combination: rank.Combination
    fared: rank.Fared


def _open(paper: Paper) -> Sequence[Open]:
    """What the paper leaves open."""
    if not paper.open:
        known = ", ".join(library.papers("[[open]]"))
        raise UsageError(f"{paper.name} names no open settings ([[open]]); {known} do")
    return paper.open


def _own(paper: Paper) -> Paper:
    """The paper with the methods that its statements speak of, and no search."""
    from penstock.api.reproduce import fit as rank
    from penstock.scenario.read import read

    parts = []
    for part in paper.parts:
        stated = read(part.scenario).scenario.paper
        methods = rank.methods(stated) if stated else ()
        own = {"methods": methods or part.methods, "served": False}
        parts.append(part.model_copy(update=own))
    return paper.model_copy(update={"parts": parts, "calibration": None})


def _try(
    paper: Paper, effort: Effort, combinations: Sequence[rank.Combination], penalty: float
) -> Iterator[_Tried]:
    from penstock.api.reproduce import engine
    from penstock.api.reproduce import fit as rank

    for number, one in enumerate(combinations, start=1):
        screen.say(f"{number} of {len(combinations)}: {one.text}")
        sets = (*one.sets, *effort.sets)
        own = replace(effort, folder=effort.folder / one.folder(effort.sets), sets=sets)
        entries = engine.results(paper, own).entries
        yield _Tried(one, rank.fared(entries, len(one.moved), penalty))


def _print(found: Sequence[_Tried]) -> None:
    rows = [
        [
            f"{each.fared.score:.1f}",
            *map(str, (each.fared.agree, each.fared.differ, each.fared.cannot_tell)),
            each.combination.text,
        ]
        for each in found
    ]
    screen.out().print(screen.table("", _HEADERS, rows, left=1))


def fit(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER",
            help=f"One of {', '.join(library.papers('[[open]]'))}.",
        ),
    ],
    most: Annotated[
        int, typer.Option("--most", min=1, help="How many settings are moved at once, at most.")
    ] = 2,
    penalty: Annotated[
        float,
        typer.Option("--penalty", min=0, help="Points (of 100) for each setting that is moved."),
    ] = 2.0,
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    as_json: options.AsJson = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            parser=options.path,
            help="Where results go (out/fit/PAPER by default); continue what is there.",
        ),
    ] = None,
    workers: options.Workers = None,
    cluster: options.OnCluster = "",
) -> None:
    """Rank the settings that a paper leaves open by how many of its statements they meet."""
    from penstock.api.reproduce import fit as rank
    from penstock.api.reproduce.runs import Effort

    one = find(paper)
    effort = Effort(
        folder=output or Path("out/fit") / one.name,
        workers=options.worker_count(workers),
        seeds=seeds or str(one.quick_seeds),
        quick=True,
        sets=tuple(sets or ()),
        cluster=cluster,
        own=True,
        console=screen,
    )
    combinations = rank.combinations(_open(one), most)
    tried = list(_try(_own(one), effort, combinations, penalty))
    found = sorted(tried, key=lambda each: -each.fared.score)
    if as_json:
        for each in found:
            what = {"moved": each.combination.moved, "sets": each.combination.sets}
            print(json.dumps({"kind": "combination", **what, **vars(each.fared)}))
    else:
        _print(found)
    told = found[0].fared.told
    screen.say(
        f"{len(found)} combinations were judged by {told} statements of one paper: the best of "
        "many agrees in part by chance. A setting is found only if it also meets what it was not "
        "chosen for: other seeds, figures and scenarios."
    )
