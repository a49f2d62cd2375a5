# SPDX-License-Identifier: GPL-2.0-only
"""`penstock explain`: what a gateway does to one ACK, and why."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError, UserError
from penstock.scenario import headers, units

if TYPE_CHECKING:
    from penstock.api.questions import explain as core

_OF_QUEUE: Final = {
    "buffer_bytes": "buffer_bytes",
    "buffer": "buffer_bytes",
    "mss_bytes": "mss_bytes",
    "mss": "mss_bytes",
    "flows": "flows",
    "buffer_packets": "buffer_packets",
    "queue_packets": "queue_packets",
    "queue_before": "queue_before_bytes",
    "queue_before_bytes": "queue_before_bytes",
    "rate": "rate_bytes_per_s",
    "rtt": "rtt_ns",
}
_COUNTS: Final = ("flows", "buffer_packets", "queue_packets")
_MOST: Final = {
    "buffer_bytes": 1 << 40,
    "buffer_packets": 1 << 30,
    "queue_packets": 1 << 30,
    "queue_before_bytes": 1 << 40,
    "rate_bytes_per_s": 1 << 40,
    "rtt_ns": 1_000_000_000_000,
    "mss_bytes": 65495,
    "flows": 1 << 20,
}
_MAY_BE_ZERO: Final = ("queue_packets", "queue_before_bytes")


def _bytes(option: str, text: str) -> int:
    """A size with a unit, or a plain number of bytes."""
    if text.isascii() and text.isdigit():
        text += "B"
    try:
        return units.parse_size(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from None


def _count(text: str) -> int:
    """A plain number; -1, which is out of range, for anything else."""
    return int(text[:12]) if text.isascii() and text.isdigit() else -1


def _number(name: str, key: str, value: str) -> int:
    """The value of one of those keys, in the unit of its field."""
    if name in _COUNTS:
        return _count(value)
    try:
        if name == "rate_bytes_per_s":
            return units.parse_rate(value) // 8
        if name == "rtt_ns":
            return units.parse_time(value)
    except ValueError as error:
        raise UsageError(f"--set {key}={value}: {error}") from None
    return _bytes(f"--set {key}", value)


def _inputs(sets: list[tuple[str, str]]) -> dict[str, int]:
    """The --set values that concern the queue and its flows, not the method."""
    inputs = {}
    for key, value in sets:
        name = _OF_QUEUE.get(key)
        if name is None:
            continue
        number = _number(name, key, value)
        least = 0 if name in _MAY_BE_ZERO else 1
        if not least <= number <= _MOST[name]:
            raise UsageError(f"--set {key}={value}: out of range; from {least} to {_MOST[name]}")
        inputs[name] = number
    return inputs


def _in_packets(inputs: dict[str, int]) -> None:
    """Converts a limit or a queue given only in packets to bytes, as full packets."""
    packet_bytes = inputs.get("mss_bytes", 1448) + headers.IP_TCP_BYTES
    if "buffer_packets" in inputs and "buffer_bytes" not in inputs:
        inputs["buffer_bytes"] = min(inputs["buffer_packets"] * packet_bytes, 1 << 40)
    if "queue_packets" in inputs and "queue_bytes" not in inputs:
        inputs["queue_bytes"] = min(inputs["queue_packets"] * packet_bytes, 1 << 40)


def _check(question: core.Question, window: str, flight: str) -> None:
    from penstock.api.questions import explain as core

    try:
        core.check(question)
    except core.WrongInputError as wrong:
        said = {
            "queue_bytes": f"the queue of {wrong.value} bytes is above its limit of {wrong.most}; "
            "--set buffer_bytes=BYTES is that limit",
            "window_bytes": f"--window {window}: a window field cannot carry more than "
            f"{wrong.most}",
            "flight_bytes": f"--flight {flight}: at most {wrong.most} bytes can be under way",
        }
        raise UsageError(said[wrong.field]) from None


def _print(answer: dict[str, Any]) -> None:
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


def _draw(question: core.Question, path: Path) -> None:
    """The control surface as a page."""
    from penstock.api.questions import surface as surfaces
    from penstock.scenario import params

    method = params.methods()[question.method]
    if method.law not in surfaces.laws():
        known = ", ".join(surfaces.laws())
        raise UsageError(f"--surface: only {known} has a control surface, not {question.method}")
    from penstock.view.report import sheet
    from penstock.view.report import surface as page
    from penstock.view.report.document import Place

    sizes = {param.name: param.default for param in method.params} | dict(question.params or {})
    packet_bytes = sizes.get("packet_bytes", headers.ETHERNET_MTU_BYTES)
    limit = question.buffer_packets or max(question.buffer_bytes // packet_bytes, 1)
    try:
        found = surfaces.surface(method.law, limit, packet_bytes, question.params)
        sheet.write(Place(path), page.page(method.label, **dataclasses.asdict(found)))
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None
    screen.say(f"{path} written")


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
    as_json: options.AsJson = False,
) -> None:
    """Show one decision: inputs, formula with the numbers in, window, and what limited it."""
    from penstock.api.questions import explain as core
    from penstock.runs.wishes import check_method, check_mode, set_params
    from penstock.scenario import params

    check_method(method)
    given = options.pairs(sets)
    inputs = _inputs(given)
    if queue is not None:
        inputs["queue_bytes"] = _bytes("--queue", queue)
    _in_packets(inputs)
    inputs.setdefault("queue_bytes", 0)
    fields = set_params([pair for pair in given if pair[0] not in _OF_QUEUE], [method])
    question = core.Question(
        method,
        window_bytes=_bytes("--window", window),
        flight_bytes=_bytes("--flight", flight),
        mode=check_mode(mode),
        scale=scale,
        params=fields.get(params.methods()[method].name),
        **inputs,
    )
    _check(question, window, flight)
    if surface is not None:
        _draw(question, surface)
        return
    try:
        answer = core.explain(question)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if as_json:
        print(json.dumps(answer))
    else:
        _print(answer)
