# SPDX-License-Identifier: GPL-2.0-only
"""`penstock plot`: a figure for a paper from a folder of results."""

from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli import options
from penstock.errors import UsageError, UserError, near

_KINDS = "bars, cdf, heat, loss, queue or window"
_WITH_COLUMN = ("bars", "heat", "loss")
_WITH_FLOWS = ("queue", "window")


def _given(kind: str, column: str | None, flows: int | None) -> dict[str, Any]:
    """The options that a kind takes; a usage error for another's."""
    if column is not None and kind not in _WITH_COLUMN:
        raise UsageError(f"--column: {kind} has none; {', '.join(_WITH_COLUMN)} have")
    if flows is not None and kind not in _WITH_FLOWS:
        raise UsageError(f"--flows: {kind} shows all; {', '.join(_WITH_FLOWS)} take one number")
    given = {"column": column, "flows": flows}
    return {name: value for name, value in given.items() if value is not None}


def plot(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", parser=options.path, help="A directory written by `run -o DIR`."
        ),
    ],
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {_KINDS}.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE", parser=options.path, help="FILE.pdf, .svg or .png."
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option("--column", help="Column of bars, loss and heat."),
    ] = None,
    flows: Annotated[
        int | None, typer.Option("--flows", help="Number of flows for queue and window.")
    ] = None,
) -> None:
    """Draw a figure for a paper from a folder of results: PDF, SVG or PNG."""
    from penstock.plots import style
    from penstock.plots.kinds import KINDS
    from penstock.report.data import gather
    from penstock.runs.store import Store

    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r}; {near(kind, KINDS)}")
    style.check(output)
    given = _given(kind, column, flows)
    figure = KINDS[kind](gather(Store(folder)), **given)
    try:
        print(style.save(figure, output))
    except OSError as error:
        raise UserError(f"{output}: cannot be written: {error.strerror}") from None
