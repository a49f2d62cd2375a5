# SPDX-License-Identifier: GPL-2.0-only
"""`penstock judge`: whether a law, a discipline or a sender is better than others, and holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import Exit, OptionError

if TYPE_CHECKING:
    from penstock.api.judge.run import Judged

_LEAST_LINKS = 8


def _print(found: Judged) -> None:
    from penstock.api.judge import present

    grid = present.grid(found)
    screen.out().print(screen.table(grid.title, grid.headers, grid.rows))
    print()
    for line in present.sentences(found):
        print(line)


def _seed(asked: int | None) -> int:
    """--seed, or one that nobody has seen."""
    import secrets

    from penstock.api.judge.run import MOST_SEED

    if asked is None:
        return 1 + secrets.randbelow(MOST_SEED)
    if not 1 <= asked <= MOST_SEED:
        raise OptionError("--seed", str(asked), f"must be 1 .. {MOST_SEED}")
    return asked


def judge(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A method of a gateway, or a sender.")
    ],
    against: Annotated[
        list[str],
        typer.Option(
            "--against",
            metavar="NAME",
            help="Its peers; with commas. Without: the usual ones of its kind.",
        ),
    ] = [],  # noqa: B006
    sets: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter of NAME: target=2ms."),
    ] = [],  # noqa: B006
    places: Annotated[
        list[str],
        typer.Option(
            "--place",
            metavar="PLACE",
            help="Where the gateway is: near, middle, far, upstream; with commas. Without: all.",
        ),
    ] = [],  # noqa: B006
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Beside NAME with each constant halved, doubled.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="The series of links. Without: a new one, which is told."),
    ] = None,
    links: Annotated[int, typer.Option("--links", metavar="N", help="Links at most.")] = 128,
    minutes: Annotated[
        float, typer.Option("--minutes", metavar="M", help="No look begins that would end later.")
    ] = 4.0,
    only_links: Annotated[
        bool, typer.Option("--only-links", help="No proofs, worlds and kernel.")
    ] = False,
    as_json: options.AsJson = False,
    workers: options.Workers = None,
) -> None:
    """Judge a law, a discipline or a sender: on new links, beside peers, and by what bounds it."""
    from penstock.api.judge import parts, run
    from penstock.runs.numbers import names
    from penstock.scenario import axes

    if links < _LEAST_LINKS:
        raise OptionError("--links", str(links), f"must be {_LEAST_LINKS} or more, to tell")
    if not 0 < minutes <= 24 * 60:
        raise OptionError("--minutes", f"{minutes:g}", "must be above 0, and 1440 at most")
    own = {axis.key: axis.values[0] for axis in axes.given(sets, ())}
    peers, where = names("--against", against), names("--place", places)
    who = run.subject(name, peers, where, own, sensitive=sensitivity)
    chosen = _seed(seed)
    screen.say(f"penstock: links of --seed {chosen}, against {', '.join(who.peers)}")
    with screen.progress(name, None) as advance:
        found = run.judge(who, chosen, options.worker_count(workers), links, 60 * minutes, advance)
    if not only_links:
        found.parts = parts.all_of(name, chosen, gateway=who.kind != run.SENDER)
    if as_json:
        print(json.dumps(found.describe()))
    else:
        _print(found)
    if not found.holds:
        raise typer.Exit(Exit.FAILURE)
