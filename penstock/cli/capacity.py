# SPDX-License-Identifier: GPL-2.0-only
"""`penstock capacity`: the number of flows that each method serves at each level of loss."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError
from penstock.scenario.limits import MAX_FLOWS

if TYPE_CHECKING:
    pass


_BASE: Final = "droptail"


def _levels(text: str) -> list[float]:
    from penstock.runs.numbers import split

    levels = []
    for part in split([text]):
        try:
            level = float(part)
        except ValueError:
            level = math.nan
        if not 0 < level < 100:
            raise UsageError(f"--levels {part}: must be a loss in percent, above 0 and below 100")
        levels.append(level)
    if not levels:
        raise UsageError("--levels: name at least one, such as 0.1,0.5,1")
    return list(dict.fromkeys(levels))


def _gain(flows: int | None, base: int | None) -> str:
    if flows is None or not base:
        return ""
    return f" ({100 * (flows - base) / base:+.0f} %)"


def _rows(served: Sequence[dict[str, Any]], levels: list[float], most: int) -> list[list[str]]:
    """A row for each variant, of those of one load."""
    from penstock.results import tables

    found = {(tables.variant(r), r["level_percent"]): r["flows"] for r in served}
    base = {level: flows for ((name, *_), level), flows in found.items() if name == _BASE}
    rows = []
    for each, label in tables.labels(key for key, _ in found).items():
        row = [label]
        for level in levels:
            flows = found[each, level]
            gain = _gain(flows, base.get(level)) if each[0] != _BASE else ""
            row.append((f"over {most}" if flows is None else str(flows)) + gain)
        rows.append(row)
    return rows


def _print(records: Sequence[dict[str, Any]], levels: list[float], most: int) -> None:
    from penstock.results import tables

    console = screen.out()
    loads: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in records:
        loads.setdefault((record["receivers"], record.get("settings", "")), []).append(record)
    headers = ["method", *(f"at {level:g} % loss" for level in levels)]
    for (receivers, settings), served in loads.items():
        title = f"flows served, receive window {tables.receivers_text(receivers)}"
        title += f", {settings}" if settings else ""
        console.print(screen.table(title, headers, _rows(served, levels, most)))
        console.print()
    screen.say(
        "flows served at a level: the mean loss is at most that with n flows, and above it with "
        "n + 1; in brackets: against droptail"
    )
    if not all(record["monotone"] for record in records):
        screen.say("loss did not rise with every step of n everywhere: --by-one finds the first n")


def capacity(
    scenario: options.ScenarioName,
    methods: options.Methods = [],  # noqa: B006
    levels: Annotated[
        str, typer.Option("--levels", metavar="P1,P2", help="Loss in percent.")
    ] = "0.1,0.5,1",
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    sweeps: options.Sweeps = [],  # noqa: B006
    mode: options.Mode = None,
    by_one: Annotated[
        bool, typer.Option("--by-one", help="Add one flow at a time, as in the papers.")
    ] = False,
    most: Annotated[
        int,
        typer.Option(
            "--most", metavar="N", min=1, max=MAX_FLOWS, help="Upper limit of the search."
        ),
    ] = 1024,
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
    backend: options.BackendName = "sim",
) -> None:
    """Find the number of flows that each method serves at each level of loss (RFC 7928)."""
    from penstock.api import search as searches
    from penstock.runs.campaign import Campaign
    from penstock.runs.wishes import Wishes

    wishes = Wishes(methods, (), receivers, seeds, sets, mode, sweeps=sweeps)
    loaded, plan = options.plan(scenario, wishes, backend)
    wanted = _levels(levels)
    with Campaign(backend, options.worker_count(workers)) as campaign:
        if output:
            campaign.keep_in(output, loaded)
        with screen.progress(f"{loaded.name}: searching", None) as advance:
            campaign.advance = advance
            records = searches.told(plan, campaign, wanted, most, screen, by_one)
        if campaign.store:
            campaign.store.keep_search(campaign.about, records)
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        _print(records, wanted, most)
