# SPDX-License-Identifier: GPL-2.0-only
"""`penstock fit`: which of the settings that a paper leaves open agree best with what it states."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen
from penstock.scenario import library

if TYPE_CHECKING:
    from penstock.api.reproduce.fit import Tried

_HEADERS: Final = ("score", "agree", "differ", "cannot tell", "instead of the scenario's settings")


def _print(found: Sequence[Tried]) -> None:
    rows = [
        [
            f"{each.fared.score:.1f}",
            *map(str, (each.fared.agree, each.fared.differ, each.fared.cannot_tell)),
            each.combination.text,
        ]
        for each in found
    ]
    screen.out().print(screen.table("", _HEADERS, rows, left=1))


def _warn(found: Sequence[Tried], seeds: int) -> None:
    if seeds == 1:
        screen.say("One seed has no interval: what needs one cannot be told. --seeds 2 gives it.")
    screen.say(
        f"{len(found)} combinations were judged by {found[0].fared.told} statements of one paper: "
        "the best of many agrees in part by chance. A setting is found only if it also meets what "
        "it was not chosen for: other seeds, figures and scenarios."
    )


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
        options.output("Where results go (out/fit/PAPER by default); continue what is there."),
    ] = None,
    workers: options.Workers = None,
    cluster: options.OnCluster = "",
) -> None:
    """Rank the settings that a paper leaves open by how many of its statements they meet."""
    from penstock.api.reproduce import fit as rank
    from penstock.api.reproduce.runs import Effort
    from penstock.runs import numbers

    one = rank.find(paper)
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
    found = rank.ranked(rank.tried(one, effort, most, penalty))
    if as_json:
        for each in found:
            what = {"moved": each.combination.moved, "sets": each.combination.sets}
            print(json.dumps({"kind": "combination", **what, **vars(each.fared)}))
    else:
        _print(found)
    _warn(found, len(numbers.seeds(effort.seeds, 1)))
