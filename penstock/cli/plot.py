# SPDX-License-Identifier: GPL-2.0-only
"""`penstock plot`: a figure for a paper from a folder of results."""

from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, UserError, near

_KINDS: Final = "bars, cdf, delay, heat, line, loss, queue or window"


def plot(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", parser=options.path, help="A directory written by `run -o DIR`."
        ),
    ],
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {_KINDS}.")],
    output: Annotated[
        Path | None,
        options.output("FILE.pdf, .svg, .png or .pgf; without it KIND.FORMAT here.", "FILE"),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(
            "--x",
            metavar="KEY",
            help="What is along the x axis of line, bars and heat: flows, or a swept key.",
        ),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option("--y", "--column", metavar="COLUMN", help="Column to draw (docs/columns.md)."),
    ] = None,
    method: options.OfMethods = [],  # noqa: B006
    where: options.Where = [],  # noqa: B006
    group: options.TrafficGroup = "",
    gateway: options.GatewayName = "",
    flows: Annotated[
        int | None, typer.Option("--flows", help="Number of flows for queue and window.")
    ] = None,
    width: Annotated[
        str | None,
        typer.Option("--width", metavar="LENGTH", help="Width: 3.4in, 88mm, 245pt."),
    ] = None,
    font: Annotated[str, typer.Option("--font", metavar="NAME", help="Font of all texts.")] = "",
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="Title above.")] = "",
    log_x: Annotated[
        bool | None,
        typer.Option(
            "--log-x/--no-log-x",
            help="Logarithmic x axis; by default where values are far apart.",
        ),
    ] = None,
    log_y: Annotated[bool, typer.Option("--log-y", help="Logarithmic y axis.")] = False,
    form: Annotated[
        str, typer.Option("--format", help="pdf, svg, png or pgf; default: by FILE, or pdf.")
    ] = "",
) -> None:
    """Draw a figure for a paper from a folder of results: PDF, SVG, PNG or PGF."""
    from penstock.results.store import Store
    from penstock.runs.numbers import split
    from penstock.scenario import axes
    from penstock.view.plots import kinds, paper, select
    from penstock.view.plots.data import gather

    if kind not in kinds.KINDS:
        raise UsageError(f"there is no kind {kind!r}; {near(kind, kinds.KINDS)}")
    target = output or Path(f"{kind}.{form or 'pdf'}")
    paper.check(target, form)
    given = kinds.arguments(kind, x=x, y=y, flows=flows)
    look = paper.look(width, font, title, log_x, log_y)
    found = gather(Store(folder), group, gateway)
    data = select.chosen(found, split(method), axes.pairs("--where", where))
    chart = kinds.KINDS[kind](data, **given)
    if log_y and (none := chart.at_zero):
        screen.say(f"--log-y: 0 has no place on this axis; some values of {', '.join(none)} are 0")
    figure = paper.draw(chart, look)
    try:
        print(paper.save(figure, target, form))
    except OSError as error:
        raise UserError(f"{target}: cannot be written: {error.strerror}") from None
