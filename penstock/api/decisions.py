# SPDX-License-Identifier: GPL-2.0-only
"""One decision of a method: what is known of an ACK, as it was given, and the answer."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from penstock.api.questions import explain as core
from penstock.api.questions import surface as surfaces
from penstock.errors import OptionError, UsageError
from penstock.runs import wishes
from penstock.scenario import headers, params, units
from penstock.scenario.model import Scalar
from penstock.scenario.source import SET

_MOST_BYTES: Final = 1 << 40
_WHY: Final = {
    "queue_bytes": "buffer_bytes is that limit",
    "window_bytes": "a window field cannot carry more than that",
    "flight_bytes": "no more can be under way",
}


def _bytes(text: str) -> int:
    """A size with a unit, or a plain number of bytes."""
    plain = text.isascii() and text.isdigit()
    return units.parse_size(f"{text}B" if plain else text)


def _count(text: str) -> int:
    """A plain number; -1, which is out of range, for anything else."""
    number = units.whole_number(text, _MOST_BYTES)
    return -1 if number is None else number


@dataclass(frozen=True)
class _Input:
    """A field of a question, and the texts that it takes."""

    field: str
    most: int
    least: int = 1
    number: Callable[[str], int] = _bytes


_BUFFER: Final = _Input("buffer_bytes", _MOST_BYTES)
_MSS: Final = _Input("mss_bytes", 65495)
_BEFORE: Final = _Input("queue_before_bytes", _MOST_BYTES, 0)


def _rate(text: str) -> int:
    return units.parse_rate(text) // 8


# What the gateway sees of the queue and its flows, by the names that are given; all other names
# are parameters of the method.
INPUTS: Final = {
    "buffer_bytes": _BUFFER,
    "buffer": _BUFFER,
    "mss_bytes": _MSS,
    "mss": _MSS,
    "flows": _Input("flows", 1 << 20, number=_count),
    "buffer_packets": _Input("buffer_packets", 1 << 30, number=_count),
    "queue_packets": _Input("queue_packets", 1 << 30, 0, _count),
    "queue_before": _BEFORE,
    "queue_before_bytes": _BEFORE,
    "rate": _Input("rate_bytes_per_s", _MOST_BYTES, number=_rate),
    "rtt": _Input("rtt_ns", 1_000_000_000_000, number=units.parse_time),
}


@dataclass(frozen=True)
class Asked:
    """What is known of one ACK: sizes are bytes, or texts with a unit.

    `given` has the INPUTS and the parameters of the method, by name. Without `queue`, the queue
    is that of `queue_packets`, or empty.
    """

    method: str
    queue: str | int | None = None
    window: str | int = 65535
    flight: str | int = 0
    mode: str = "safe"
    scale: int | None = None
    given: Sequence[tuple[str, Scalar]] = ()


def _size(option: str, given: str | int) -> int:
    try:
        return _bytes(str(given))
    except ValueError as error:
        raise OptionError(option, str(given), str(error)) from None


def _input(key: str, given: Scalar) -> int:
    """The value of one of the INPUTS, in the unit of its field."""
    found, text = INPUTS[key], str(given)
    try:
        number = found.number(text)
    except ValueError as error:
        raise OptionError(SET, text, str(error), key) from None
    if not found.least <= number <= found.most:
        why = f"out of range; from {found.least} to {found.most}"
        raise OptionError(SET, text, why, key)
    return number


def _add_bytes(inputs: dict[str, int]) -> None:
    """Converts a limit or a queue given only in packets to bytes, as full packets."""
    packet_bytes = inputs.get("mss_bytes", core.Question.mss_bytes) + headers.IP_TCP_BYTES
    for name in ("buffer", "queue"):
        if f"{name}_packets" in inputs:
            size = min(inputs[f"{name}_packets"] * packet_bytes, _MOST_BYTES)
            inputs.setdefault(f"{name}_bytes", size)


def _check(question: core.Question) -> None:
    try:
        core.check(question)
    except core.WrongInputError as wrong:
        option = "--" + wrong.field.removesuffix("_bytes")
        why = f"at most {wrong.most} bytes; {_WHY[wrong.field]}"
        raise OptionError(option, str(wrong.value), why) from None


def question(asked: Asked) -> core.Question:
    """The question in numbers; an OptionError says what is wrong with which value."""
    wishes.check_method(asked.method)
    inputs = {INPUTS[key].field: _input(key, text) for key, text in asked.given if key in INPUTS}
    if asked.queue is not None:
        inputs["queue_bytes"] = _size("--queue", asked.queue)
    _add_bytes(inputs)
    inputs.setdefault("queue_bytes", 0)
    own = [pair for pair in asked.given if pair[0] not in INPUTS]
    made = core.Question(
        asked.method,
        window_bytes=_size("--window", asked.window),
        flight_bytes=_size("--flight", asked.flight),
        mode=wishes.check_mode(asked.mode),
        scale=asked.scale,
        params=wishes.set_params(own, [asked.method]).get(params.methods()[asked.method].name),
        **inputs,
    )
    _check(made)
    return made


def answer(asked: core.Question) -> dict[str, Any]:
    """The method's decision, as data."""
    try:
        return core.explain(asked)
    except ValueError as error:
        raise UsageError(str(error)) from None


def draw(asked: core.Question, path: Path) -> None:
    """Writes the control surface of a fuzzy law as a page."""
    from penstock.view.report import sheet
    from penstock.view.report import surface as page
    from penstock.view.report.document import Place

    method = params.methods()[asked.method]
    if method.law not in surfaces.laws():
        known = ", ".join(surfaces.laws())
        raise OptionError(
            "--surface", "", f"only {known} has a control surface, not {asked.method}"
        )
    sizes = {param.name: param.default for param in method.params} | dict(asked.params or {})
    packet_bytes = sizes.get("packet_bytes", headers.ETHERNET_MTU_BYTES)
    limit = asked.buffer_packets or max(asked.buffer_bytes // packet_bytes, 1)
    found = surfaces.surface(method.law, limit, packet_bytes, asked.params)
    sheet.write(Place(path), page.page(method.label, **asdict(found)))
