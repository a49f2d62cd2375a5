# SPDX-License-Identifier: GPL-2.0-only
"""The `penstock` command: one module per verb, loaded on demand."""

import gc
import importlib
import os
import signal
import sys
import threading
import warnings
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from penstock.cli import examples, stdio
from penstock.cli.group import Group
from penstock.errors import Exit, UsageError, UserError, near
from penstock.runs import interrupts

_COMPILED: Final = "penstock._native"
_SETTINGS: Final = {"help_option_names": ["-h", "--help"]}


@dataclass(frozen=True)
class Verb:
    """Where a verb is: a function of a module of this package, or its `app` of more verbs."""

    about: str  # the first line of its help
    module: str
    name: str


# By purpose, as `penstock --help` lists them.
PURPOSES: Final = {
    "Begin": {
        "demo": Verb(
            "See it work: five methods on a satellite link, in a table and an HTML report.",
            "demo",
            "demo",
        ),
        "list": Verb(
            "List the scenarios, all or those that mention a word.", "list_", "list_scenarios"
        ),
        "methods": Verb(
            "List the methods, or the parameters of one with unit, default, range and source.",
            "methods",
            "methods",
        ),
        "doctor": Verb(
            "Say which backends, extras and tools are here, and how to get the others.",
            "doctor",
            "doctor",
        ),
    },
    "Your own link": {
        "new-link": Verb(
            "Write a scenario of your own link, ready for `penstock run`.", "new_link", "new_link"
        ),
        "run": Verb("Run a scenario: a table of methods, or JSON with -j.", "run", "run"),
        "capacity": Verb(
            "Find the number of flows that each method serves at each level of loss (RFC 7928).",
            "capacity",
            "capacity",
        ),
        "warm-up": Verb(
            "Find how long runs take to forget how they began, and whether time.warm_up leaves it "
            "out.",
            "warm_up",
            "warm_up",
        ),
        "recommend": Verb(
            "Run a scenario with the gateway's methods: the `penstock-gw attach` line that "
            "did best.",
            "recommend",
            "recommend",
        ),
        "judge": Verb(
            "Judge a law, a discipline or a sender: on new links, beside peers, and by what "
            "bounds it.",
            "judge",
            "judge",
        ),
        "explain": Verb(
            "Show one decision: inputs, formula with the numbers in, window, and what limited it.",
            "explain",
            "explain",
        ),
    },
    "Results": {
        "table": Verb(
            "Print the means of a folder of results: text, CSV, LaTeX or Markdown.",
            "table",
            "table",
        ),
        "plot": Verb(
            "Draw a figure for a paper from a folder of results: PDF, SVG, PNG or PGF.",
            "plot",
            "plot",
        ),
        "report": Verb(
            "Write DIR/report.html from the results that DIR holds, or compare two folders.",
            "report",
            "report",
        ),
    },
    "A gateway": {
        "open": Verb(
            "Play a recording of `penstock-gw record` in a page.", "recording", "open_recording"
        ),
        "from-recording": Verb(
            "Write the scenario of a recorded gateway: its link, flows, method and target.",
            "recording",
            "from_recording",
        ),
    },
    "Scenarios": {
        "show": Verb(
            "Print the whole of a scenario, as it would be run: TOML, or JSON with -j.",
            "show",
            "show",
        ),
        "validate": Verb("Check a scenario without running it.", "validate", "validate"),
        "schema": Verb("Print the JSON Schema of scenario files, for editors.", "schema", "schema"),
        "trace": Verb(
            "Write a trace of a link whose rate varies, synthetic or of a recording.",
            "trace",
            "trace",
        ),
    },
    "Papers, models and other backends": {
        "reproduce": Verb(
            "Run all that a paper shows: its statements beside ours, as table, page or JSON.",
            "reproduce",
            "reproduce",
        ),
        "fit": Verb(
            "Rank the settings that a paper leaves open by how many of its statements they meet.",
            "fit",
            "fit",
        ),
        "model": Verb("Analytical models of the papers.", "model", "app"),
        "agree": Verb(
            "Run scenarios in the simulator and in ns-3, and say whether they agree.",
            "agree",
            "agree",
        ),
        "packetdrill": Verb(
            "Run packetdrill's scripts against the simulator's TCP: one line per script.",
            "packetdrill",
            "packetdrill",
        ),
        "live": Verb("The live lab on this machine (docs/live.md).", "live", "app"),
        "cluster": Verb(
            "Start a cluster on this machine, for `run --cluster`; Ctrl-C ends it.",
            "cluster",
            "cluster",
        ),
        "cite": Verb("Print what to cite, as BibTeX: Penstock, and the papers.", "cite", "cite"),
    },
}
VERBS: Final = {name: verb for verbs in PURPOSES.values() for name, verb in verbs.items()}


def load(name: str) -> Any:
    """A verb as a command, its module imported."""
    verb = VERBS[name]
    found = getattr(importlib.import_module(f"penstock.cli.{verb.module}"), verb.name)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return examples.add(group, name)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS)
    alone.command(name)(found)
    return examples.add(typer.main.get_command(alone), name)


class _Verbs(Group):
    """Lists the verbs by VERBS alone; imports the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the verbs, as help lists them."""
        return list(VERBS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The verbs, by what they are for."""
        for purpose, verbs in PURPOSES.items():
            with formatter.section(purpose):
                formatter.write_dl([(name, verb.about) for name, verb in verbs.items()])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The text of a verb for help and completion."""
        verb = VERBS.get(cmd_name)
        return TyperCommand(cmd_name, help=verb.about, short_help=verb.about) if verb else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb itself, and its arguments."""
        if args[0] not in VERBS:
            raise UsageError(f"there is no command {args[0]!r}; {near(args[0], VERBS)}")
        name, shown, rest = super().resolve_command(ctx, args)
        return name, shown and load(str(name)), rest


app = typer.Typer(
    name="penstock",
    help="Compare ways in which a gateway can tell TCP senders how much room it has left.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its boxes cut texts at 80 columns, and take 0.1 s to load
    context_settings=_SETTINGS,
    cls=_Verbs,
    epilog=examples.epilog(""),
)


def _version(wanted: bool) -> None:
    if wanted:
        from penstock.version import version as number

        typer.echo(f"penstock {number()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def _complain(error: UserError) -> None:
    if str(error):
        print(f"penstock: {error}", file=sys.stderr)


def _usage(mistake: Any) -> UserError:
    """What typer says on several lines, as one; the help where only that was asked for."""
    if type(mistake).__name__ == "NoArgsIsHelpError":
        print(mistake.format_message())
        return UserError("", Exit.USAGE)
    context = getattr(mistake, "ctx", None)
    command = context.command_path if context else " ".join(["penstock", *sys.argv[1:2]])
    what = " ".join(mistake.format_message().replace("Input should", "must").split())
    what = what.removesuffix(".")
    return UsageError(f"{what[:1].lower()}{what[1:]}; see {command} --help")


def _run() -> int:
    try:
        code = app(prog_name="penstock", standalone_mode=False)
    except typer.Abort:
        raise UserError(
            "the questions were not answered; give the options that they ask for"
        ) from None
    except TyperException as mistake:
        raise _usage(mistake) from None
    except SystemExit as end:
        code = end.code
    if code == Exit.INTERRUPTED:  # what typer makes of Ctrl-C
        print("penstock: interrupted", file=sys.stderr)
    return code if isinstance(code, int) else Exit.OK


def _of_ours(function: str) -> bool:
    """True for the name of a function of the compiled part, or of one of its classes."""
    ours = sys.modules.get(_COMPILED)
    classes = (each for each in vars(ours).values() if isinstance(each, type)) if ours else ()
    return any(hasattr(each, function) for each in (ours, *classes) if each) and bool(function)


def _compiled(error: Exception) -> str:
    """What is wrong with the compiled part, where that is the cause of an error; else ''."""
    owner = getattr(error, "obj", None)
    of = getattr(owner, "__name__", "") if isinstance(owner, ModuleType) else type(owner).__module__
    cure = "install Penstock again (in a checkout: tools/setup)"
    text = " ".join(str(error).split())
    if isinstance(error, ImportError) and "_native" in text:
        return f"the compiled part of Penstock cannot be loaded ({text}); {cure}"
    takes_less = isinstance(error, TypeError) and _of_ours(text.partition("(): incompatible ")[0])
    if takes_less or (isinstance(error, AttributeError) and of == _COMPILED):
        what = text.partition(". ")[0].rstrip(".")
        return f"the compiled part of Penstock is not of this version ({what}); {cure}"
    return ""


def _outcome() -> int:
    """Runs the command; a user's mistake is one line on stderr and an exit code.

    So is Ctrl-C.
    """
    watch = interrupts.Watch()
    try:
        return _run()
    except UserError as error:
        _complain(error)
        return error.code
    except Exception as error:
        if fault := _compiled(error):
            _complain(UserError(fault))
            return Exit.FAILURE
        if not watch.blames(type(error)):
            raise
        _complain(UserError("interrupted", Exit.INTERRUPTED))
        return Exit.INTERRUPTED


def _flush(code: int) -> int:
    """Flushes the output; returns the resulting exit code."""
    try:
        sys.stdout.flush()
    except UserError as error:
        _complain(error)
        return code or error.code
    return code


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """A warning in one line."""
    print(f"penstock: warning: {message}", file=sys.stderr)


def main() -> None:
    """Runs the command and ends the process; at once where a worker thread's run goes on."""
    stdio.prepare()
    warnings.showwarning = _warn
    code = _flush(_outcome())
    others = (each for each in threading.enumerate() if each is not threading.main_thread())
    if any(not thread.daemon for thread in others):
        os._exit(code)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to end
    # `python -m` ends by the signal if that came in code which a string holds (dataclasses run
    # such code), caught or not, until other code from a string has run.
    exec("")
    gc.freeze()  # Python would search all objects for garbage once more
    sys.exit(code)
