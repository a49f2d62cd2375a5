# SPDX-License-Identifier: GPL-2.0-only
"""`penstock run`: every combination of methods, receivers, flows and seeds."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import costs, options, screen
from penstock.errors import UsageError
from penstock.text import shell_word

if TYPE_CHECKING:
    from penstock.plan.cells import Plan
    from penstock.results.metrics import Value
    from penstock.results.row import Row
    from penstock.runs.campaign import Campaign
    from penstock.runs.precision import Precision
    from penstock.runs.rounds import Rows
    from penstock.scenario.read import Loaded


def execute(
    loaded: Loaded,
    plan: Plan,
    campaign: Campaign,
    as_json: bool = False,
    precision: Precision | None = None,
) -> Rows:
    """Runs a plan and stores the results; returns rows in the plan's order."""
    from penstock.runs import console

    def each(columns: Mapping[str, Value], row: Row) -> None:
        by_group = {"groups": row.groups} if row.groups else {}
        sys.stdout.write(json.dumps({**columns, **by_group}) + "\n")
        sys.stdout.flush()

    told = each if as_json else None
    return console.execute(loaded.name, plan, campaign, screen, told, precision)


def finish(campaign: Campaign, rows: Rows) -> None:
    """Reports failed cells: exit 5 if some failed, 1 if all did."""
    from penstock.runs import console

    console.finish(campaign, rows, screen)


def _show(rows: Rows, against: str | None, loaded: Loaded) -> None:
    from penstock.results import tables
    from penstock.scenario import variants

    lines = tables.relabelled(tables.summarise(rows), variants.labels_of(loaded.base))
    if against is None:
        screen.summary(lines)
    else:
        screen.differences(lines, against)
    screen.say(f"{tables.seeds_text(lines)}; columns: docs/columns.md")


def _check_against(method: str | None, methods: Sequence[str]) -> None:
    if method is not None and method not in methods:
        raise UsageError(f"--against {method}: not a method of this run")


def _end(goal: Precision | None, campaign: Campaign, rows: Rows, output: Path | None) -> None:
    """What is still too wide, what failed, and where results are."""
    if goal:
        for note in goal.notes(rows):
            screen.say(f"penstock: {note}")
    finish(campaign, rows)
    if output:
        screen.say(f"results: {output}; plots: penstock report {shell_word(output)}")


def run(
    scenario: options.ScenarioName,
    methods: options.Methods = [],  # noqa: B006
    flows: options.FlowCounts = [],  # noqa: B006
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    sweeps: options.Sweeps = [],  # noqa: B006
    mode: options.Mode = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
    pcap: Annotated[
        Path | None, options.folder("--pcap", "Write captures of the measured link.")
    ] = None,
    pcapng: Annotated[
        Path | None,
        options.folder(
            "--pcapng",
            "Write both directions of the measured link into one file for Wireshark.",
        ),
    ] = None,
    qlog: Annotated[
        Path | None,
        options.folder("--qlog", "Write what the first 16 senders see, for qvis."),
    ] = None,
    flent: Annotated[
        Path | None,
        options.folder("--flent", "Write goodput and delay over time for flent's plots."),
    ] = None,
    hosts: Annotated[
        str | None,
        typer.Option(
            metavar="linux-6|linux-7",
            help="What autotuned receivers have, where the scenario does not say.",
        ),
    ] = None,
    backend: options.BackendName = "sim",
    cluster: options.OnCluster = "",
    precision: Annotated[
        list[str],
        typer.Option(
            "--precision",
            metavar="[COLUMN=]P%",
            help="Add seeds until the 95 % interval of a column (goodput) is at most ± P % of it.",
        ),
    ] = [],  # noqa: B006
    most_seeds: Annotated[
        int,
        typer.Option(
            "--most-seeds", metavar="N", min=2, help="Largest number of seeds for --precision."
        ),
    ] = 100,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="METHOD",
            help="Print differences from METHOD, by seed, instead of means.",
        ),
    ] = None,
    plan_only: Annotated[
        bool,
        typer.Option(
            "--plan", help="Print the number of runs and their estimated time without running them."
        ),
    ] = False,
) -> None:
    """Run a scenario: a table of methods, or JSON with -j."""
    from penstock.api.files import folder
    from penstock.runs import precision as precise
    from penstock.runs.campaign import Campaign
    from penstock.runs.estimate import estimate
    from penstock.runs.numbers import split
    from penstock.runs.wishes import Wishes

    goal = precise.asked(split(precision), most_seeds)
    folders = (pcapng, qlog, flent)
    asked = Wishes(methods, flows, receivers, seeds, sets, mode, pcap, sweeps, *folders, hosts)
    loaded, plan = options.plan(scenario, asked, backend)
    count = min(options.worker_count(workers), len(plan.cells()))
    with Campaign(backend, count, cluster=cluster) as campaign:
        _check_against(against, plan.methods)
        if plan_only:
            if output and output.exists():
                campaign.keep_in(output, loaded)
            costs.show(estimate(campaign, plan.cells()), as_json, goal is not None)
            return
        for each in asked.folders:
            folder(each)
        if output:
            campaign.keep_in(output, loaded)
        costs.announce(estimate(campaign, plan.cells(), sure=False))
        rows = execute(loaded, plan, campaign, as_json, goal)
    if not as_json and rows:
        _show(rows, against, loaded)
    _end(goal, campaign, rows, output)
