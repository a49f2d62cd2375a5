# SPDX-License-Identifier: GPL-2.0-only
"""`penstock explain`: what a gateway does to one ACK, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from penstock.cli import options, screen

_PARTS: Final = ("parameters", "state")


def _first(answer: Mapping[str, Any], given: Collection[str]) -> dict[str, Any]:
    """The answer with those parameters and variables alone that decided, or that were given."""
    named = re.findall(r"[a-z_][a-z_0-9]*", answer["formula"])
    used = {*named, *(name.removeprefix("whole_") for name in named), *given}
    left = {
        part: {name: text for name, text in answer[part].items() if name in used} for part in _PARTS
    }
    return {name: value for name, value in answer.items() if not isinstance(value, list)} | left


def _print(answer: Mapping[str, Any], given: Collection[str], every: bool) -> None:
    shown = answer if every else _first(answer, given)
    _print_lines(shown)
    more = [(len(answer[part]) - len(shown[part]), part) for part in _PARTS]
    hidden = " and ".join(f"{count} more {part}" for count, part in more if count)
    if hidden:
        screen.say(f"--all shows {hidden.replace('more state', 'more variables of its state')}")


def _print_lines(answer: Mapping[str, Any]) -> None:
    console = screen.out()
    show: Callable[[str, object], None] = lambda name, text: console.print(  # noqa: E731
        f"{name} ".ljust(12) + str(text), markup=False
    )
    show("method", f"{answer['method']} ({answer['mode']})")
    for title, key in (("inputs", "inputs"), ("parameters", "parameters"), ("state", "state")):
        if answer[key]:
            show(title, ", ".join(f"{name} = {value}" for name, value in answer[key].items()))
    for name in [key for key, value in answer.items() if isinstance(value, list)]:
        show(name, ", ".join(f"{each:g}" for each in answer[name]))
    show("formula", answer["formula"])
    show("", f"= {answer['formula_with_numbers']}")
    show("allows", f"{answer['allowed_bytes']} bytes")
    show("window", f"{answer['window_bytes']} bytes (field {answer['window_field']})")
    show("limited by", answer["limited_by_text"])


def explain(
    method: Annotated[str, typer.Argument(metavar="METHOD")],
    queue: Annotated[
        str | None, typer.Option("--queue", help="Bytes in the forward queue; default: none.")
    ] = None,
    window: Annotated[
        str, typer.Option("--window", help="Bytes that the receiver advertises.")
    ] = "65535",
    sets: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A parameter of the method, or buffer_bytes, buffer_packets, queue_packets, "
            "queue_before_bytes, mss_bytes, flows, rate, rtt.",
        ),
    ] = [],  # noqa: B006
    mode: Annotated[str, typer.Option("--mode", help="safe, strict or literal.")] = "safe",
    flight: Annotated[
        str, typer.Option("--flight", help="Bytes in flight seen by the gateway.")
    ] = "0",
    scale: Annotated[
        int | None, typer.Option("--scale", min=0, max=14, help="Window scale of the receiver.")
    ] = None,
    surface: Annotated[
        Path | None,
        typer.Option(
            "--surface", metavar="FILE", help="Draw the control surface of a fuzzy law, as HTML."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All parameters and the method's whole state.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show one decision: inputs, formula with the numbers in, window, and what limited it."""
    from penstock.api import decisions

    asked = decisions.Asked(method, queue, window, flight, mode, scale, options.pairs(sets))
    question = decisions.question(asked)
    if surface is not None:
        decisions.draw(question, surface)
        screen.say(f"{surface} written")
        return
    answer = decisions.answer(question)
    if as_json:
        print(json.dumps(answer))
    else:
        _print(answer, [key for key, _ in asked.given], every)
