# SPDX-License-Identifier: GPL-2.0-only
"""`penstock report`: the HTML page of a folder of results."""

import json
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import options
from penstock.errors import UsageError
from penstock.view.report import write


def _compare(first: Path, second: Path, output: Path | None, as_json: bool) -> None:
    from penstock.results import differences
    from penstock.view.report import compare

    found = compare.of(first, second)
    if not as_json:
        print(found.write(output))
        return
    for pair in found.pairs:
        print(json.dumps(differences.describe(pair)))


def _print_found(folder: Path) -> None:
    """The report's sentences, with the runs that each number is from."""
    from penstock.results.store import Store
    from penstock.view.plots.data import gather
    from penstock.view.report import headline

    for sentence in headline.sentences(gather(Store(folder))):
        print(json.dumps(sentence.describe()))


def report(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", parser=options.path, help="A directory written by `run -o DIR`."
        ),
    ],
    second: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR2]",
            parser=options.path,
            help="A second directory, to compare with the first.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        options.output("File of the page.", "FILE"),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            "--title", metavar="TEXT", help="Title of the page, instead of the scenario's."
        ),
    ] = None,
    one_file: Annotated[
        bool,
        typer.Option("--one-file", help="Put the plotting library into the page (2 MB), for mail."),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Write DIR/report.html from the results that DIR holds, or compare two folders."""
    if second is not None:
        if title is not None or one_file:
            raise UsageError("--title and --one-file are for the report of one folder")
        _compare(folder, second, output, as_json)
        return
    if as_json:
        _print_found(folder)
        return
    print(write(folder, output, title=title, one_file=one_file))
