# SPDX-License-Identifier: GPL-2.0-only
"""`penstock cite`: BibTeX of Penstock and of the papers whose methods it has."""

from typing import Annotated

import typer

from penstock.cli import stdio
from penstock.errors import UsageError, near


def cite(
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER]...", help="Papers; all of them by default."),
    ] = None,
) -> None:
    """Print what to cite, as BibTeX: Penstock, and the papers."""
    from penstock.api import references

    _, known = references.load()
    for name in papers or ():
        if name not in known:
            raise UsageError(f"there is no paper {name!r}; {near(name, known)}")
    found = [references.software(), *(references.paper(name) for name in papers or known)]
    stdio.document("\n\n".join(found) + "\n")
