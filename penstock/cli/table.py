# SPDX-License-Identifier: GPL-2.0-only
"""`penstock table`: the summary of a folder of results, for people, papers or spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen, stdio
from penstock.errors import UsageError, near

if TYPE_CHECKING:
    from penstock.results.tables import Line

_TEXT: Final = "text"


def _check_against(method: str, lines: Sequence[Line], is_text: bool) -> None:
    if not is_text:
        raise UsageError("--against: differences are printed as text alone")
    if method not in {line.method for line in lines}:
        raise UsageError(f"--against {method}: not a method of these results")


def _summary(folder: Path, group: str, gateway: str) -> tuple[list[Line], dict[str, str]]:
    """The lines of a folder, of one group or gateway if it is named, and its own labels.

    Says which groups it has.
    """
    from penstock.results import gateways, groups, tables
    from penstock.results.store import Store
    from penstock.scenario import variants
    from penstock.view.plots.data import check_group

    store = Store(folder)
    own = variants.labels_in(store.provenance()["scenario"]["setup"])
    rows = store.rows()
    check_group(rows, group)
    if (known := groups.waiting(rows)) and not group:
        screen.say(f"groups of traffic: {', '.join(known)}; --group NAME shows one")
    return tables.summarise(groups.apart(gateways.at(rows, gateway), group)), own


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
    method: options.OfMethods = [],  # noqa: B006
    where: options.Where = [],  # noqa: B006
    group: options.TrafficGroup = "",
    gateway: options.GatewayName = "",
    as_json: options.AsJson = False,
) -> None:
    """Print the means of a folder of results: text, CSV, LaTeX or Markdown."""
    from penstock.results import formats, tables
    from penstock.runs.numbers import split
    from penstock.scenario import axes
    from penstock.view.plots import select

    if form not in (_TEXT, *formats.FORMATS):
        raise UsageError(f"--format {form}: {near(form, (_TEXT, *formats.FORMATS))}")
    every, own = _summary(folder, group, gateway)
    lines = select.chosen_lines(every, split(method), axes.pairs("--where", where))
    lines = lines if as_json else tables.relabelled(lines, own)
    shown = tables.named(split(columns), lines)
    if against is not None:
        _check_against(against, lines, form == _TEXT and not as_json)
        screen.differences(lines, against, shown)
    elif as_json:
        for row in tables.described(lines, shown):
            print(json.dumps(row))
    elif form == _TEXT:
        screen.summary(lines, shown)
    else:
        stdio.document(formats.FORMATS[form](lines, shown))
