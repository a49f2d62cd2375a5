# SPDX-License-Identifier: GPL-2.0-only
"""The row of a run from what its backend counted."""

from dataclasses import replace

from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.results import completions, flows, groups, metrics, queues
from penstock.results.row import Row


def row(cell: Cell, built: Built, result: metrics.Result, wall_s: float) -> Row:
    """Columns, those of each group, flow and queue, and the series if the cell is sampled."""
    columns = metrics.columns(cell, result, built.measured, wall_s)
    found = Row(
        columns,
        groups=groups.rows(cell.scenario, result, built.groups),
        flows=flows.columns(result, built.groups),
        queues=queues.rows(built, result),
        completions=completions.of_groups(result.groups),
    )
    sample = cell.scenario.sample
    if not (sample and cell.sampled):
        return found
    series = metrics.series(result, sample.until)
    series["queues"] = queues.series(built, result, len(series["time_s"]))
    return replace(found, series=series)
