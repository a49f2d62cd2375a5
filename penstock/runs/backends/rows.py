# SPDX-License-Identifier: GPL-2.0-only
"""The row of a run from what its backend counted."""

import functools
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Final

from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.results import (
    arithmetic,
    carried,
    completions,
    flows,
    groups,
    metrics,
    outcome,
    queues,
)
from penstock.results.row import Row
from penstock.version import PACKAGE

_FOLDERS: Final = (PACKAGE / "plan", PACKAGE / "runs" / "backends")
_MODULES: Final = (arithmetic, carried, metrics, outcome, completions, groups, flows, queues)
_DIGITS: Final = 12


@functools.cache
def digest(*more: Path) -> str:
    """A digest of the sources that make a network of a cell, and a row of what was counted.

    A backend's engine has it, for they decide the numbers too; `more` are its own folders.
    """
    found = [path for folder in (*_FOLDERS, *more) for path in sorted(folder.glob("*.py"))]
    found += [Path(str(module.__file__)) for module in _MODULES]
    every = hashlib.sha256()
    for path in found:
        every.update(hashlib.sha256(path.read_bytes()).digest())
    return every.hexdigest()[:_DIGITS]


def row(cell: Cell, built: Built, result: metrics.Result, wall_s: float) -> Row:
    """Columns, those of each group, flow and queue, and the series if the cell is sampled.

    RuntimeError if its numbers do not obey arithmetic.
    """
    columns = metrics.columns(cell, result, built.measured, wall_s)
    columns |= outcome.columns(built, result, columns)
    found = Row(
        columns,
        groups=groups.rows(cell.scenario, result, built.groups),
        flows=flows.columns(result, built.groups),
        queues=queues.rows(built, result),
        completions=completions.of_groups(result.groups),
        delays=queues.delays(built, result),
        group_delays=queues.group_delays(built, result, cell.scenario.tcp),
    )
    arithmetic.check_row(cell, built, result, found)
    sample = cell.scenario.sample
    if not (sample and cell.sampled):
        return found
    series = metrics.series(result, sample.until)
    series["queues"] = queues.series(built, result, len(series["time_s"]))
    return replace(found, series=series)
