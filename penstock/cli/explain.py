# SPDX-License-Identifier: GPL-2.0-only
"""`penstock explain`: what a gateway does to one ACK, and why."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError
from penstock.questions import explain as core
from penstock.scenario import params, units

_OF_QUEUE: Final = {
    "buffer_bytes": "buffer_bytes",
    "buffer": "buffer_bytes",
    "mss_bytes": "mss_bytes",
    "mss": "mss_bytes",
    "flows": "flows",
}
_MOST: Final = {"buffer_bytes": 1 << 40, "mss_bytes": 65495, "flows": 1 << 20}
_MOST_FLIGHT: Final = 1 << 30  # RFC 7323 section 2.3


def _bytes(option: str, text: str) -> int:
    """A size with a unit, or a plain number of bytes."""
    if text.isascii() and text.isdigit():
        text += "B"
    try:
        return units.parse_size(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from None


def _count(text: str) -> int:
    """A plain number; 0, which is out of range, for anything else."""
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def _inputs(sets: list[tuple[str, str]]) -> dict[str, int]:
    """Those of --set that are about the queue and its flows, not the method."""
    inputs = {}
    for key, value in sets:
        name = _OF_QUEUE.get(key)
        if name is None:
            continue
        number = _bytes(f"--set {key}", value) if name != "flows" else _count(value)
        if not 1 <= number <= _MOST[name]:
            raise UsageError(f"--set {key}={value}: out of range; from 1 to {_MOST[name]}")
        inputs[name] = number
    return inputs


def _print(answer: dict[str, Any]) -> None:
    console = screen.out()
    show: Callable[[str, object], None] = lambda name, text: console.print(  # noqa: E731
        f"{name:<12}{text}", markup=False
    )
    show("method", f"{answer['method']} ({answer['mode']})")
    for title, key in (("inputs", "inputs"), ("parameters", "parameters"), ("state", "state")):
        if answer[key]:
            show(title, ", ".join(f"{name} = {value}" for name, value in answer[key].items()))
    show("formula", answer["formula"])
    show("", f"= {answer['formula_with_numbers']}")
    show("allows", f"{answer['allowed_bytes']} bytes")
    show("window", f"{answer['window_bytes']} bytes (field {answer['window_field']})")
    show("limited by", answer["limited_by_text"])


def explain(
    method: Annotated[str, typer.Argument(metavar="METHOD")],
    queue: Annotated[str, typer.Option("--queue", help="Bytes that wait in the forward queue.")],
    window: Annotated[str, typer.Option("--window", help="Bytes that the receiver advertises.")],
    sets: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A parameter of the method, or buffer_bytes, mss_bytes, flows.",
        ),
    ] = [],  # noqa: B006
    mode: Annotated[str, typer.Option("--mode", help="safe, strict or literal.")] = "safe",
    flight: Annotated[str, typer.Option("--flight", help="Bytes seen sent beyond this ACK.")] = "0",
    scale: Annotated[
        int | None, typer.Option("--scale", min=0, max=14, help="Window scale of the receiver.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show one decision: inputs, formula with the numbers in, window, and what limited it."""
    options.check_method(method)
    given = options.pairs(sets)
    inputs = _inputs(given)
    fields = options.set_params([pair for pair in given if pair[0] not in _OF_QUEUE], [method])
    offered, flight_bytes = _bytes("--window", window), _bytes("--flight", flight)
    largest = 65535 << (scale if scale is not None else 14)
    if offered > largest:
        raise UsageError(f"--window {window}: a window field cannot carry more than {largest}")
    if flight_bytes > _MOST_FLIGHT:
        raise UsageError(f"--flight {flight}: at most {_MOST_FLIGHT} bytes can be under way")
    question = core.Question(
        method,
        queue_bytes=_bytes("--queue", queue),
        window_bytes=offered,
        flight_bytes=flight_bytes,
        mode=options.check_mode(mode),
        scale=scale,
        params=fields.get(params.methods()[method].name),
        **inputs,
    )
    try:
        answer = core.explain(question)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if as_json:
        print(json.dumps(answer))
    else:
        _print(answer)
