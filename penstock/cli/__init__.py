# SPDX-License-Identifier: GPL-2.0-only
"""The `penstock` command: one module a verb."""

import os
import sys
from typing import Annotated

import typer

from penstock import __version__
from penstock.cli import (
    agree,
    capacity,
    demo,
    explain,
    list_,
    live,
    methods,
    model,
    new_link,
    report,
    reproduce,
    run,
    validate,
)
from penstock.errors import Exit, UserError

app = typer.Typer(
    name="penstock",
    help="Compare ways in which a gateway can tell TCP senders how much room it has left.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"penstock {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


app.command("run")(run.run)
app.command("agree")(agree.agree)
app.command("capacity")(capacity.capacity)
app.command("explain")(explain.explain)
app.add_typer(model.app, name="model")
app.command("new-link")(new_link.new_link)
app.command("list")(list_.list_scenarios)
app.command("methods")(methods.methods)
app.command("report")(report.report)
app.command("reproduce")(reproduce.reproduce)
app.command("validate")(validate.validate)
app.command("demo")(demo.demo)
app.add_typer(live.app, name="live")


def _leave(code: int) -> None:
    """Ends the process; at once after Ctrl-C, when a run may still hold a thread."""
    sys.stdout.flush()
    sys.stderr.flush()
    if code == Exit.INTERRUPTED:
        os._exit(code)
    sys.exit(code)


def main() -> None:
    """Runs the command; a user's mistake is one line on stderr and an exit code."""
    try:
        app(prog_name="penstock")
    except UserError as error:
        print(f"penstock: {error}", file=sys.stderr)
        _leave(error.code)
    except KeyboardInterrupt:
        print("penstock: interrupted", file=sys.stderr)
        _leave(Exit.INTERRUPTED)
    except SystemExit as end:
        _leave(end.code if isinstance(end.code, int) else Exit.FAILURE)
