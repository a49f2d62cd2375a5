# SPDX-License-Identifier: GPL-2.0-only
"""Terminal output: data on stdout, progress and messages on stderr."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.cli import layout, stdio

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from penstock.results import tables
    from penstock.results.tables import Line

Justify = Literal["left", "right"]

_PLAIN_WIDTH: Final = 200  # a table that goes into a file or a pipe is not cut to 80 columns


def out() -> Console:
    """The console for data: as wide as the terminal, or as COLUMNS says."""
    from rich.console import Console

    known = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(width=None if known else _PLAIN_WIDTH, highlight=False)


def say(message: str) -> None:
    """Prints one line to the user on stderr."""
    print(message, file=sys.stderr)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Any]:
    """Yields a function to report finished runs to; shows a bar if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)


def table(
    title: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    ranks: Sequence[int] | None = None,
) -> RenderableType:
    """A table whose first `left` columns hold text and the others numbers, as wide as stdout.

    Columns that do not fit are left out, those of the highest rank first (by default the
    last), and named below the table.
    """
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    cells = [[stdio.spelled(cell) for cell in row] for row in rows]
    columns = [
        layout.measure(header, [row[index] for row in cells], index < left)
        for index, header in enumerate(headers)
    ]
    width = out().width
    chosen = layout.kept(columns, ranks or range(len(headers)), width)
    gone = [header for index, header in enumerate(headers) if index not in chosen]
    made = Table(box=None, pad_edge=False)
    given = layout.widths([columns[index] for index in chosen], width)
    for index, each in zip(chosen, given, strict=True):
        justify: Justify = "left" if index < left else "right"
        made.add_column(Text(headers[index]), justify=justify, overflow="fold", width=each)
    for row in cells:
        made.add_row(*(Text(row[index]) for index in chosen))  # with its [brackets]
    # Not rich's own title and caption, which wrap at the width of a narrow table.
    above = [Text(title, style="bold")] if title else []
    left_out = f"too wide for {width} columns: {', '.join(gone)}; a wider terminal or -j shows them"
    below = [Text(left_out, style="dim italic")] if gone else []
    return Group(*above, made, *below)


def _groups(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """The lines by receivers and load, each with a title."""
    from penstock.results import tables

    groups: dict[str, list[Line]] = {}
    for line in lines:
        title = f"{line.load}, receive window {tables.receivers_text(line.receivers)}"
        groups.setdefault(title, []).append(line)
    return groups


def _show(shown: Sequence[tables.Shown], groups: Mapping[str, Sequence[Sequence[str]]]) -> None:
    headers = ["method", *(column.title for column in shown)]
    ranks = [0, *(column.rank for column in shown)]
    for title, rows in groups.items():
        console = out()
        console.print(table(title, headers, rows, ranks=ranks))
        console.print()


def summary(lines: Sequence[Line], columns: Sequence[tables.Shown] = ()) -> None:
    """The summary tables: one per kind of receivers and number of flows."""
    from penstock.results import tables

    shown = columns or tables.shown_columns(lines)
    groups = {
        title: [
            [line.label, *(tables.text(column, line.means.get(column.column)) for column in shown)]
            for line in members
        ]
        for title, members in _groups(lines).items()
    }
    _show(shown, groups)


def differences(lines: Sequence[Line], method: str, columns: Sequence[tables.Shown] = ()) -> None:
    """The same of each method's differences from `method`, by seed."""
    from penstock.results import differences as different
    from penstock.results import tables

    shown = columns or tables.shown_columns(lines)
    groups = {}
    for title, members in _groups(lines).items():
        base = different.base_of(members[0], members, method)
        groups[f"{title}: less {base.label if base else method}, by seed"] = [
            [line.label, *(_difference(column, line, base) for column in shown)]
            for line in members
            if base is not None and line is not base
        ]
    _show(shown, groups)
    say(different.NOTE)


def _difference(shown: tables.Shown, line: Line, base: Line) -> str:
    from penstock.results import differences as different

    return different.text(shown, line, base)


def warn_of_seeds(rows: Sequence[tables.Columns]) -> None:
    """Reports, once, where intervals over seeds are meaningless."""
    from penstock.results import tables

    if same := tables.same_for_all_seeds(rows):
        _warn(
            f"the seeds change nothing for {', '.join(same)}: all runs of a combination are the "
            'same, and the interval is no measure of chance; a span such as start = "0s..1s" '
            "makes them differ"
        )


@functools.cache
def _warn(message: str) -> None:
    say(f"penstock: warning: {message}")


def print_failures(failures: Sequence[tuple[Any, str]], limit: int = 10) -> None:
    """Lists failed cells with the reasons."""
    for cell, message in failures[:limit]:
        say(f"penstock: {cell.label}: {message}")
    if len(failures) > limit:
        say(f"penstock: and {len(failures) - limit} more")
