# SPDX-License-Identifier: GPL-2.0-only
"""`penstock new-link`: a scenario of the user's own link, from scenarios/link.toml.

In that file a comment `--option` marks each line whose value an option sets. Options for what
it does not have add a table.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, UserError
from penstock.scenario import units
from penstock.scenario.read import read, shipped
from penstock.scenario.types import MAX_FLOWS, window


@dataclass(frozen=True)
class Field:
    """One option: the question it answers, and how its text becomes TOML."""

    question: str
    toml: Callable[[str], str]


def _rate(text: str) -> str:
    return f'"{units.form(units.RATE, _above_0(units.parse_rate(text)))}"'


def _above_0(value: int) -> int:
    if value <= 0:
        raise ValueError("a value above 0 is wanted")
    return value


def _size(text: str) -> str:
    plain = text.isascii() and text.isdigit()
    return f'"{units.form(units.SIZE, _above_0(units.parse_size(text + "B" * plain)))}"'


def _one_way(text: str) -> str:
    return f'"{units.form(units.TIME, units.parse_time(text) // 2)}"'


def _flows(text: str) -> str:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_FLOWS):
        raise ValueError(f"a whole number from 1 to {MAX_FLOWS} is wanted")
    return f"[{int(text)}]"


def _title(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _window(text: str) -> str:
    return f'["{window(text)}"]'


FIELDS: Final = {
    "title": Field("Title", _title),
    "rate": Field("Rate of the link (10mbit)", _rate),
    "rtt": Field("Round-trip time without queueing (60ms)", _one_way),
    "buffer": Field("Queue of the gateway in bytes", _size),
    "flows": Field("TCP connections at a time", _flows),
    "window": Field("Receive window: 65535, or auto for today's receivers", _window),
    "size": Field("Bytes that each connection carries", _size),
}
_MORE: Final = {  # what the template does not have, added when an option asks for it
    "up": (
        """
[link.bottleneck.back]      # the way of the ACKs
rate = {value}             # --up
""",
        _rate,
    ),
    "udp": (
        """
[udp.background]            # what no method can tell anything
from = "senders"
to = "receivers"
rate = {value}              # --udp
payload = "1200B"
""",
        _rate,
    ),
}
DEFAULTS: Final = {
    "rate": "10mbit",
    "rtt": "60ms",
    "buffer": "60000",
    "flows": "12",
    "window": "auto",
    "size": "5000000",
}


def _toml(name: str, text: str, toml: Callable[[str], str]) -> str:
    try:
        return toml(text)
    except ValueError as error:
        raise UsageError(f"--{name} {text}: {error}") from None


def render(template: str, values: Mapping[str, str], more: Mapping[str, str | None]) -> str:
    """The template with the marked lines set and what more was asked for."""
    for name, text in values.items():
        value = _toml(name, text, FIELDS[name].toml)
        marked = re.compile(rf"^(\w+ = ).*?( +# --{name}\b.*)$", re.MULTILINE)
        escaped = value.replace("\\", r"\\")
        template = marked.sub(rf"\g<1>{escaped}\g<2>", template)
    for name, (table, toml) in _MORE.items():
        given = more[name]
        if given is not None:
            template += table.format(value=_toml(name, given, toml))
    return template


def _complete(given: dict[str, str | None]) -> dict[str, str]:
    """Asks for what is missing on a terminal, else takes the default and says so."""
    values = {}
    for name, text in given.items():
        if text is not None:
            values[name] = text
        elif sys.stdin.isatty():
            values[name] = str(typer.prompt(FIELDS[name].question, default=DEFAULTS[name]))
        else:
            values[name] = DEFAULTS[name]
            screen.say(f"--{name} not given: {DEFAULTS[name]}")
    return values


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
    up: Annotated[str | None, typer.Option(help="Rate of the way back, if another.")] = None,
    rtt: Annotated[str | None, typer.Option(help="Such as 60ms.")] = None,
    buffer: Annotated[str | None, typer.Option(help="Bytes of the queue.")] = None,
    flows: Annotated[str | None, typer.Option(help="Number of connections.")] = None,
    window: Annotated[str | None, typer.Option(help="65535, or auto.")] = None,
    size: Annotated[str | None, typer.Option(help="Bytes of each transfer.")] = None,
    udp: Annotated[str | None, typer.Option(help="Rate of UDP beside it, such as 1mbit.")] = None,
    title: Annotated[str | None, typer.Option(help="What tables and reports call it.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
) -> None:
    """Write a scenario of your own link, ready for `penstock run`."""
    if file.exists() and not force:
        raise UsageError(f"{file} exists; --force overwrites it")
    given = {"rate": _one_of(rate, down), "rtt": rtt, "buffer": buffer, "flows": flows}
    values = _complete({**given, "window": window, "size": size})
    if title is not None:
        values["title"] = title
    template = shipped()["link"].read_text(encoding="utf-8")
    text = render(template, values, {"up": up, "udp": udp})
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file}: cannot be written: {error.strerror}") from None
    try:
        read(str(file))
    except UserError:
        screen.say(f"{file} is written, but these values do not fit together:")
        raise
    print(f"{file} written; next: penstock run {file}")
