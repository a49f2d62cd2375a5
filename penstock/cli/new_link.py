# SPDX-License-Identifier: GPL-2.0-only
"""`penstock new-link`: a scenario of the user's own link."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import ConfigError, UsageError, UserError
from penstock.scenario.source import STDIN
from penstock.text import decoded, shell_word


def _read(name: str) -> str:
    """The text of a file or of stdin."""
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except OSError as error:
        raise UserError(f"{name}: cannot be read: {error.strerror}") from None
    try:
        return decoded(data)
    except ValueError as error:
        raise ConfigError(f"{name}: {error}") from None


def _ask(question: str, usual: str) -> str:
    return str(typer.prompt(question, default=usual))


def _one_of(rate: str | None, down: str | None) -> str | None:
    if rate is not None and down is not None:
        raise UsageError("--rate and --down are the same; give one of them")
    return down if rate is None else rate


def new_link(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", parser=options.path, help="The scenario to write.")
    ],
    rate: Annotated[str | None, typer.Option(help="Such as 10mbit.")] = None,
    down: Annotated[str | None, typer.Option(help="The same as --rate.")] = None,
    up: Annotated[
        str | None, typer.Option(help="Rate of the reverse direction, if different.")
    ] = None,
    rtt: Annotated[str | None, typer.Option(help="Such as 60ms.")] = None,
    buffer: Annotated[str | None, typer.Option(help="Bytes of the queue.")] = None,
    flows: Annotated[str | None, typer.Option(help="Number of connections.")] = None,
    window: Annotated[str | None, typer.Option(help="65535, or auto.")] = None,
    size: Annotated[str | None, typer.Option(help="Bytes of each transfer.")] = None,
    udp: Annotated[
        str | None, typer.Option(help="Rate of UDP cross traffic, such as 1mbit.")
    ] = None,
    hosts: Annotated[
        str,
        typer.Option(
            metavar="linux-6|linux-7|2004",
            help="What most hosts run, Linux of 2026, or the papers' hosts.",
        ),
    ] = "linux-6",
    title: Annotated[str | None, typer.Option(help="Title in tables and reports.")] = None,
    status: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Output of `penstock-gw status -j`, and of its `flows -j`; - for stdin.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
) -> None:
    """Write a scenario of your own link, ready for `penstock run`."""
    from penstock.api import links
    from penstock.scenario import measured

    if file.exists() and not force:
        raise UsageError(f"{file} exists; --force overwrites it")
    given = {"rate": _one_of(rate, down), "rtt": rtt, "buffer": buffer, "flows": flows}
    given |= {"window": window, "size": size, "title": title, "up": up, "udp": udp}
    known = {}
    if status is not None:
        known = measured.values("stdin" if status == STDIN else status, _read(status))
    ask = _ask if status != STDIN and sys.stdin.isatty() else None
    made = links.complete(given, hosts, known, ask)
    for option, text in made.usual.items():
        screen.say(f"--{option} not given: {text}")
    made.link.check()
    made.link.save(file)
    print(f"{file} written; next: penstock run {shell_word(file)}")
