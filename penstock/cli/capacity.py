# SPDX-License-Identifier: GPL-2.0-only
"""`penstock capacity`: the number of flows that each method serves at each level of loss."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from penstock.cli import options, screen
from penstock.errors import Exit, UsageError, UserError
from penstock.plan.cells import Plan
from penstock.questions.capacity import Searches, Served
from penstock.results import settings, tables
from penstock.run.campaign import Campaign
from penstock.run.wishes import Wishes, one_choice, split
from penstock.scenario.types import MAX_FLOWS

Point = tuple[str, int]


def _levels(text: str) -> list[float]:
    levels = []
    for part in split([text]):
        try:
            level = float(part)
        except ValueError:
            level = math.nan
        if not 0 < level < 100:
            raise UsageError(f"--levels {part}: a loss in percent is wanted, above 0, below 100")
        levels.append(level)
    if not levels:
        raise UsageError("--levels: name at least one, such as 0.1,0.5,1")
    return list(dict.fromkeys(levels))


def _subject(method: str, receivers: str) -> str:
    return f"{method} {receivers}"


def _measure(
    plan: Plan, campaign: Campaign, points: Sequence[Point], seen: list[tables.Columns]
) -> Mapping[Point, Sequence[float]]:
    """The losses of all seeds at each point, rows added to `seen`; a failed run ends the search."""
    cells, owners = [], []
    for subject, flows in points:
        method, receivers = subject.split(" ")
        for seed in plan.seeds:
            cells.append(plan.cell(method, receivers, flows, seed))
            owners.append((subject, flows))
    losses: dict[Point, list[float]] = {point: [] for point in points}
    for owner, (_, row) in zip(owners, campaign.run(cells), strict=True):
        if row is not None:
            seen.append(row.columns)
            loss = row.columns["loss_percent"]
            losses[owner].append(float(loss or 0.0))
    if campaign.failures:
        screen.print_failures(campaign.failures)
        raise UserError("the search cannot go on without these runs", Exit.FAILURE)
    return losses


def _record(plan: Plan, served: Served) -> dict[str, Any]:
    method, receivers = served.subject.split(" ")
    cell = plan.cell(method, receivers, 1, plan.seeds[0])
    text = settings.of_scenario(cell.settings)
    return {
        "method": method,
        "mode": plan.mode,
        "parameters": cell.parameters,
        "receivers": receivers,
        **({"settings": text} if text else {}),
        "level_percent": served.level,
        "flows": served.flows,
        "loss_percent": served.loss and round(served.loss.mean, 6),
        "next_loss_percent": served.loss_next and round(served.loss_next.mean, 6),
        "monotone": served.monotone,
        "seeds": len(plan.seeds),
    }


def search(
    plan: Plan, campaign: Campaign, levels: Sequence[float], most: int, by_one: bool = False
) -> list[dict[str, Any]]:
    """One record for each method, receivers and level of loss in percent."""
    subjects = [_subject(m, r) for r in plan.receivers for m in plan.methods]
    seen: list[tables.Columns] = []
    searches = Searches(lambda points: _measure(plan, campaign, points, seen), most, by_one)
    found = [_record(plan, served) for served in searches.run(subjects, levels)]
    screen.warn_of_seeds(seen)
    return found


def _gain(flows: int | None, base: int | None) -> str:
    if flows is None or not base:
        return ""
    return f" ({100 * (flows - base) / base:+.0f} %)"


def _print(plan: Plan, records: Sequence[dict[str, Any]], levels: list[float], most: int) -> None:
    console = screen.out()
    found = {(r["method"], r["receivers"], r["level_percent"]): r["flows"] for r in records}
    for receivers in plan.receivers:
        rows = []
        for method in plan.methods:
            cells = []
            for level in levels:
                flows = found[method, receivers, level]
                base = found.get(("droptail", receivers, level))
                gain = _gain(flows, base) if method != "droptail" else ""
                cells.append((f"over {most}" if flows is None else str(flows)) + gain)
            rows.append([method, *cells])
        title = f"flows served, receive window {tables.receivers_text(receivers)}"
        headers = ["method", *(f"at {level:g} % loss" for level in levels)]
        console.print(screen.table(title, headers, rows))
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
    levels: Annotated[str, typer.Option("--levels", help="Loss in percent.")] = "0.1,0.5,1",
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    mode: options.Mode = None,
    by_one: Annotated[
        bool, typer.Option("--by-one", help="One flow more at a time, as the papers do.")
    ] = False,
    most: Annotated[
        int, typer.Option("--most", min=1, max=MAX_FLOWS, help="Where the search gives up.")
    ] = 1024,
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
    backend: options.BackendName = "sim",
) -> None:
    """Find the number of flows that each method serves at each level of loss (RFC 7928)."""
    wishes = Wishes(methods, (), receivers, seeds, sets, mode)
    loaded, plan = options.plan(scenario, wishes, backend)
    one_choice(plan)
    wanted = _levels(levels)
    with Campaign(backend, options.worker_count(workers)) as campaign:
        if output:
            campaign.keep_in(output, loaded)
        with screen.progress(f"{loaded.name}: searching", None) as advance:
            campaign.advance = advance
            records = search(plan, campaign, wanted, most, by_one)
        if campaign.store:
            campaign.store.keep_search(campaign.about, records)
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        _print(plan, records, wanted, most)
