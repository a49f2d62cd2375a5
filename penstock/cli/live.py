# SPDX-License-Identifier: GPL-2.0-only
"""`penstock live`: what there is beside `penstock run SCENARIO --backend live`."""

import os

import typer

from penstock.cli import screen
from penstock.errors import Exit, UserError
from penstock.live import stale

app = typer.Typer(
    help="The live lab on this machine (docs/live.md).",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _root() -> None:
    pass


@app.command()
def clean() -> None:
    """Remove the namespaces and pinned maps of live runs that were killed."""
    if os.geteuid() != 0:
        raise UserError("live clean: it removes network namespaces; use sudo", Exit.SKIPPED)
    try:
        removed = stale.clean()
    except RuntimeError as error:
        raise UserError(f"live clean: {error}") from None
    for name in removed:
        typer.echo(name)
    screen.say(f"{len(removed)} removed" if removed else "nothing was left behind")
