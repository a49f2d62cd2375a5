# SPDX-License-Identifier: GPL-2.0-only
"""`penstock run`: every combination of methods, receivers, flows and seeds."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import Exit, UserError
from penstock.plan.cells import Plan
from penstock.results import tables
from penstock.results.metrics import Value
from penstock.run.campaign import Campaign
from penstock.scenario.read import Loaded

Rows = list[Mapping[str, Value]]


def execute(loaded: Loaded, plan: Plan, campaign: Campaign, as_json: bool = False) -> Rows:
    """Runs a plan and keeps what the campaign's store asks for; rows in the plan's order."""
    cells, rows = plan.cells(), list[Mapping[str, Value]]()
    lost = campaign.lost(plan.scenario, cells)
    with screen.progress(loaded.name, len(cells) + len(lost)) as advance:
        campaign.advance = advance
        for number, (_, row) in enumerate(campaign.run([*cells, *lost])):
            if row is None or number >= len(cells):
                continue
            rows.append(row.columns)
            if as_json:
                by_group = {"groups": row.groups} if row.groups else {}
                sys.stdout.write(json.dumps({**row.columns, **by_group}) + "\n")
                sys.stdout.flush()
    if campaign.store is not None and not campaign.failures:
        campaign.store.finish(campaign.about, [campaign.record(cell) for cell in cells])
    screen.warn_of_seeds(rows)
    return rows


def finish(campaign: Campaign, rows: Rows) -> None:
    """Reports failed cells: exit 5 if some failed, 1 if all did."""
    if not campaign.failures:
        return
    screen.print_failures(campaign.failures)
    count = len(campaign.failures)
    code = Exit.SOME_CELLS_FAILED if rows else Exit.FAILURE
    raise UserError(f"{count} of {count + len(rows)} runs failed", code)


def _make_folder(folder: Path | None) -> None:
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from None


def run(
    scenario: options.ScenarioName,
    methods: options.Methods = [],  # noqa: B006
    flows: options.FlowCounts = [],  # noqa: B006
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    mode: options.Mode = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
    pcap: Annotated[
        Path | None,
        typer.Option(
            "--pcap",
            metavar="DIR",
            parser=options.path,
            help="Write captures of the measured link.",
        ),
    ] = None,
    backend: options.BackendName = "sim",
) -> None:
    """Run a scenario: a table of methods, or JSON with -j."""
    wishes = options.Wishes(methods, flows, receivers, seeds, sets, mode, pcap)
    loaded, plan = options.plan(scenario, wishes, backend)
    with Campaign(backend, min(options.worker_count(workers), len(plan.cells()))) as campaign:
        _make_folder(pcap)
        if output:
            campaign.keep_in(output, loaded)
        rows = execute(loaded, plan, campaign, as_json)
    if not as_json and rows:
        screen.summary(tables.summarise(rows))
        count = len(plan.seeds)
        note = f"mean ± 95 % interval over {count} seeds" if count > 1 else "one seed"
        screen.say(f"{note}; columns: docs/columns.md")
    finish(campaign, rows)
    if output:
        screen.say(f"results: {output}; plots: penstock report {output}")
