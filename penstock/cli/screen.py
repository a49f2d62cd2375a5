# SPDX-License-Identifier: GPL-2.0-only
"""Terminal output: data on stdout, progress and complaints on stderr."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from penstock import tables
from penstock.cli import stdio
from penstock.tables import Line

_PLAIN_WIDTH: Final = 200  # a table that goes into a file or a pipe is not cut to 80 columns


def out() -> Console:
    """The console for data."""
    return Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False)


def say(message: str) -> None:
    """One line to the user that is no data."""
    print(message, file=sys.stderr)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Any]:
    """Yields a function that is told of finished runs; a bar if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
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
    title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1
) -> Table:
    """A table whose first `left` columns hold text and the others numbers."""
    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, header in enumerate(headers):
        made.add_column(header, justify="left" if index < left else "right", overflow="fold")
    for row in rows:
        made.add_row(*(stdio.spelled(cell) for cell in row))
    return made


def summary(lines: Sequence[Line]) -> None:
    """The summary tables: one for each sort of receivers and number of flows."""
    shown = tables.shown_columns(lines)
    headers = ["method", *(column.title for column in shown)]
    groups: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.receivers, line.flows), []).append(line)
    for (receivers, flows), members in groups.items():
        title = f"{flows} flows, receive window {tables.receivers_text(receivers)}"
        rows = [
            [line.method, *(tables.text(column, line.means.get(column.column)) for column in shown)]
            for line in members
        ]
        console = out()
        console.print(table(title, headers, rows))
        console.print()


def print_failures(failures: Sequence[tuple[Any, str]], limit: int = 10) -> None:
    """Names failed cells and why they failed."""
    for cell, message in failures[:limit]:
        say(f"penstock: {cell.label}: {message}")
    if len(failures) > limit:
        say(f"penstock: and {len(failures) - limit} more")
