# SPDX-License-Identifier: GPL-2.0-only
"""`penstock report`: the HTML page of a folder of results."""

from pathlib import Path
from typing import Annotated

import typer

from penstock import report as pages
from penstock.cli import options
from penstock.errors import UserError


def write(folder: Path) -> Path:
    """Writes the page; a message where that is not possible."""
    try:
        return pages.write(folder)
    except OSError as error:
        raise UserError(f"{folder}: the report cannot be written: {error.strerror}") from None


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", parser=options.path, help="What `run -o DIR` wrote.")
    ],
) -> None:
    """Write DIR/report.html from the results that DIR holds."""
    print(write(folder))
