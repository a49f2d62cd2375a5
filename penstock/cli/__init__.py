# SPDX-License-Identifier: GPL-2.0-only
"""The `penstock` command: one module a verb."""

import os
import signal
import sys
import threading
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
    screen,
    stdio,
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


def _outcome() -> int:
    """Runs the command; a user's mistake is one line on stderr and an exit code."""
    try:
        app(prog_name="penstock")
    except UserError as error:
        if str(error):
            screen.say(f"penstock: {error}")
        return error.code
    except KeyboardInterrupt:
        screen.say("penstock: interrupted")
        return Exit.INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else Exit.FAILURE
    return Exit.OK


def _flush(code: int) -> int:
    """Writes what is left of the output; the exit code with that."""
    try:
        sys.stdout.flush()
    except UserError as error:
        if str(error):
            screen.say(f"penstock: {error}")
        return code or error.code
    return code


def main() -> None:
    """Runs the command and ends the process; at once where a worker thread's run goes on."""
    stdio.prepare()
    code = _flush(_outcome())
    others = (each for each in threading.enumerate() if each is not threading.main_thread())
    if any(not thread.daemon for thread in others):
        os._exit(code)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to end
    sys.exit(code)
