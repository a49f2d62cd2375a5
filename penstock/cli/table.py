# SPDX-License-Identifier: GPL-2.0-only
"""`penstock table`: the summary of a folder of results, for people, papers or spreadsheets."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, near

if TYPE_CHECKING:
    from penstock.results.tables import Line, Shown

_TEXT: Final = "text"
_DIGITS: Final = 3


def _columns(names: Sequence[str], lines: Sequence[Line]) -> list[Shown]:
    """The summary's columns, or the named ones."""
    from penstock.columns import BY_NAME
    from penstock.results import tables
    from penstock.results.tables import Shown

    usual = {shown.column: shown for shown in (*tables.SUMMARY, *tables.USERS, tables.UDP_LOSS)}
    known = [name for name, column in BY_NAME.items() if column.across == "mean"]
    found = []
    for name in names:
        if name not in known:
            cure = near(name, known, otherwise="docs/columns.md lists those with a mean")
            raise UsageError(f"--columns {name}: unknown column; {cure}")
        unit = BY_NAME[name].unit
        title = f"{name} {unit}".removesuffix(" 1").strip()
        found.append(usual.get(name) or Shown(name, title, _DIGITS))
    return found or tables.shown_columns(lines)


def _record(line: Line, shown: Sequence[Shown], given: Mapping[str, str | float]) -> dict[str, Any]:
    means = {each.column: line.means.get(each.column) for each in shown}
    return {
        **{"receivers": line.receivers, "flows": line.flows, "settings": line.settings},
        **{"method": line.label, **given},
        **{
            name: mean and {"mean": mean.mean, "half": mean.half, "runs": mean.count}
            for name, mean in means.items()
        },
    }


def table(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", parser=options.path, help="A directory written by `run -o DIR`."
        ),
    ],
    form: Annotated[
        str, typer.Option("--format", help="text, csv, latex (booktabs) or markdown.")
    ] = _TEXT,
    columns: Annotated[
        list[str], typer.Option("--columns", help="Columns, separated by commas (docs/columns.md).")
    ] = [],  # noqa: B006
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="METHOD", help="Differences from METHOD, by seed."),
    ] = None,
    group: options.TrafficGroup = "",
    as_json: options.AsJson = False,
) -> None:
    """Print the means of a folder of results: text, CSV, LaTeX or Markdown."""
    from penstock.results import formats, groups, settings, tables
    from penstock.results.store import Store
    from penstock.runs.numbers import split
    from penstock.view.plots.data import check_group

    if form not in (_TEXT, *formats.FORMATS):
        raise UsageError(f"--format {form}: {near(form, (_TEXT, *formats.FORMATS))}")
    store = Store(folder)
    store.provenance()  # or there are no results
    rows = store.rows()
    check_group(rows, group)
    lines = tables.summarise(groups.apart(rows, group))
    if (known := groups.names(rows)) and not group:
        screen.say(
            f"groups of traffic: {', '.join(known)}; --group NAME shows the transfers of one"
        )
    shown = _columns(split(columns), lines)
    if against is not None:
        if form != _TEXT or as_json:
            raise UsageError("--against: differences are printed as text alone")
        if against not in {line.method for line in lines}:
            raise UsageError(f"--against {against}: not a method of these results")
        screen.differences(lines, against, shown)
    elif as_json:
        numbers = settings.as_numbers([line.given for line in lines])
        for line in lines:
            given = settings.with_numbers(line.given, numbers)
            print(json.dumps(_record(line, shown, given)))
    elif form == _TEXT:
        screen.summary(lines, shown)
    else:
        sys.stdout.write(formats.FORMATS[form](lines, shown))
