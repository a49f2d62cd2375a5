# SPDX-License-Identifier: GPL-2.0-only
"""`penstock plot`: a figure for a paper from a folder of results."""

import re
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from penstock.cli import options
from penstock.errors import UsageError, UserError, near

_KINDS: Final = "bars, cdf, heat, line, loss, queue or window"
_WITH_Y: Final = ("bars", "heat", "line", "loss")
_WITH_X: Final = ("bars", "heat", "line")
_WITH_FLOWS: Final = ("queue", "window")
_INCHES: Final = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}  # TeX's points
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(in|cm|mm|pt)")


def _given(kind: str, **asked: Any) -> dict[str, Any]:
    """The options that a kind takes; a usage error for another's."""
    takers = {"y": _WITH_Y, "x": _WITH_X, "flows": _WITH_FLOWS}
    for name, value in asked.items():
        if value is not None and kind not in takers[name]:
            raise UsageError(f"--{name}: {kind} takes none; {', '.join(takers[name])} do")
    names = {"y": "column"}
    return {names.get(name, name): value for name, value in asked.items() if value is not None}


def _inches(text: str | None) -> float | None:
    if text is None:
        return None
    found = _LENGTH.fullmatch(text.strip())
    if not found:
        raise UsageError(f"--width {text}: write a length such as 3.4in, 88mm, 8.8cm or 245pt")
    return float(found[1]) * _INCHES[found[2]]


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
    method: Annotated[
        list[str],
        typer.Option("-m", "--method", metavar="METHOD", help="These methods; default: all."),
    ] = [],  # noqa: B006
    where: Annotated[
        list[str],
        typer.Option(
            "--where",
            metavar="KEY=VALUE",
            help="Only results with this value of flows, receivers or a swept key; repeat it.",
        ),
    ] = [],  # noqa: B006
    group: options.TrafficGroup = "",
    flows: Annotated[
        int | None, typer.Option("--flows", help="Number of flows for queue and window.")
    ] = None,
    width: Annotated[
        str | None,
        typer.Option("--width", metavar="LENGTH", help="Width: 3.4in, 88mm, 245pt."),
    ] = None,
    font: Annotated[str, typer.Option("--font", metavar="NAME", help="Font of all texts.")] = "",
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="Title above.")] = "",
    form: Annotated[
        str, typer.Option("--format", help="pdf, svg, png or pgf; default: by FILE, or pdf.")
    ] = "",
) -> None:
    """Draw a figure for a paper from a folder of results: PDF, SVG, PNG or PGF."""
    from penstock.results.store import Store
    from penstock.runs.numbers import split
    from penstock.scenario import axes
    from penstock.view.plots import paper, select
    from penstock.view.plots.data import gather
    from penstock.view.plots.kinds import KINDS

    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r}; {near(kind, KINDS)}")
    target = output or Path(f"{kind}.{form or 'pdf'}")
    paper.check(target, form)
    given = _given(kind, x=x, y=y, flows=flows)
    look = paper.Look(_inches(width), font, title)
    look.settings()
    data = select.chosen(gather(Store(folder), group), split(method), axes.pairs("--where", where))
    figure = paper.draw(KINDS[kind](data, **given), look)
    try:
        print(paper.save(figure, target, form))
    except OSError as error:
        raise UserError(f"{target}: cannot be written: {error.strerror}") from None
