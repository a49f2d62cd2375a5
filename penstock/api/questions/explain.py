# SPDX-License-Identifier: GPL-2.0-only
"""One decision of a method, step by step: inputs, formula, window, and the rule that limited it.

The decision is core/'s own; here it is only driven by hand and written down.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from penstock import _native
from penstock.scenario import headers, params

LIMITS: Final = dict(_native.limits())
_ACK: Final = 1_000_000
_FIELD_MAX: Final = 65535
_SCALE_MAX: Final = 14  # RFC 7323 section 2.3
_FLIGHT_MAX: Final = 1 << 30  # likewise
_Q16: Final = 1 << 16
# Segments as the law gives them to this ACK: a whole number, whose mean over ACKs is `segments`.
_WHOLE: Final = "whole_segments"
_SIGNALLED: Final = "min(window_bytes, mss_bytes)"  # where an early event became a window
_FUNCTIONS: Final = {
    **{"min": min, "max": max, "round": round, "floor": math.floor, "log2": math.log2}
}
_NUMBERED: Final = re.compile(r"([a-z_]+)_\d+_q16")


@dataclass(frozen=True)
class Question:
    """The gateway's view at an ACK; sizes in bytes."""

    method: str
    queue_bytes: int
    window_bytes: int
    buffer_bytes: int = 100_000
    buffer_packets: int = 0  # a second limit; 0: none
    queue_packets: int | None = None  # None: full packets
    queue_before_bytes: int | None = None  # at the tick before; None: there was none
    rate_bytes_per_s: int = 0
    rtt_ns: int = 0  # as measured; 0: not yet
    mss_bytes: int = 1448
    flows: int = 1
    flight_bytes: int = 0  # sent beyond this ACK, as the gateway has seen
    mode: str = "safe"
    scale: int | None = None  # None: the smallest that can carry window_bytes
    params: Mapping[str, int] | None = None


class WrongInputError(ValueError):
    """What no gateway can see: the field of the question, its value, and its largest value."""

    def __init__(self, field: str, value: int, most: int) -> None:
        super().__init__(f"{field} is {value}; at most {most}")
        self.field, self.value, self.most = field, value, most


def check(question: Question) -> None:
    """Raises WrongInputError for a queue above its limit, and for what no header can carry."""
    scale = _SCALE_MAX if question.scale is None else question.scale
    for field, most in (
        ("queue_bytes", question.buffer_bytes),
        ("window_bytes", _FIELD_MAX << scale),
        ("flight_bytes", _FLIGHT_MAX),
    ):
        value = getattr(question, field)
        if value > most:
            raise WrongInputError(field, value, most)


def _scale(question: Question) -> int:
    if question.scale is not None:
        return question.scale
    scale = 0
    while question.window_bytes >> scale > _FIELD_MAX and scale < _SCALE_MAX:
        scale += 1
    return scale


def _packets(question: Question, queue_bytes: int) -> int:
    """A queue in packets: of full ones, with their headers where the limit counts packets."""
    added = headers.IP_TCP_BYTES if question.buffer_packets else 0
    return -(-queue_bytes // (question.mss_bytes + added))


def _allowed(question: Question, control: _native.Control, offered: int, scale: int) -> int:
    """The bytes that the method allows after a packet's arrival at this queue and one tick."""
    queue, packets = question.queue_bytes, question.queue_packets
    if packets is None:
        packets = _packets(question, queue)
    now_ns = 1
    mss = question.mss_bytes
    control.arrive(now_ns, queue, packets, mss, flows=question.flows)
    if queue + mss <= question.buffer_bytes:
        control.accepted(now_ns, queue + mss, packets + 1, mss, flows=question.flows)
    if control.interval_ns and question.queue_before_bytes is not None:
        before = question.queue_before_bytes
        now_ns += control.interval_ns
        control.tick(now_ns, before, _packets(question, before), flows=question.flows)
    if control.interval_ns:
        now_ns += control.interval_ns
        control.tick(now_ns, queue, packets, flows=question.flows)
    return control.ack(
        now_ns,
        queue,
        packets,
        offered,
        flows=question.flows,
        rtt_ns=question.rtt_ns,
        granule_bytes=1 << scale,
    )


def _number(name: str, value: int) -> int | float:
    """A state or parameter value as a number without a unit, for formulas."""
    if name.endswith("_q16"):
        return value / _Q16
    if name.endswith("_q32"):
        return value / (1 << 32)
    return value


def _lists(state: Mapping[str, int]) -> dict[str, list[float]]:
    """The state variables that are numbered, alphas_1 to alphas_6, as one list each."""
    lists: dict[str, list[float]] = {}
    for name, value in state.items():
        numbered = _NUMBERED.fullmatch(name)
        if numbered:
            lists.setdefault(numbered[1], []).append(round(value / _Q16, 6))
    return lists


def _value(expression: str) -> float:
    """That of a formula with its numbers in."""
    return float(eval(expression, {"__builtins__": {}}, _FUNCTIONS))


def _evaluated(formula: str, numbers: Mapping[str, int | float], allowed: int) -> str:
    """The formula with numbers whose value is `allowed`: rounded down, and with all digits, where

    the value is not that otherwise.
    """
    short = {name: _short(value) for name, value in numbers.items()}
    exact = {name: repr(value) for name, value in numbers.items()}
    plain = with_numbers(formula, short)
    candidates = (plain, f"floor({plain})", f"floor({with_numbers(formula, exact)})")
    return next((each for each in candidates if _value(each) == allowed), candidates[-1])


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def with_numbers(formula: str, numbers: Mapping[str, str]) -> str:
    """A formula with each name replaced by its number, where it is known."""
    return re.sub(r"[a-z_][a-z_0-9]*", lambda name: numbers.get(name[0], name[0]), formula)


def _optional(question: Question) -> dict[str, int | None]:
    """The inputs that are shown only if given."""
    return {
        "buffer_packets": question.buffer_packets,
        "queue_packets": question.queue_packets,
        "queue_before_bytes": question.queue_before_bytes,
        "rate_bytes_per_s": question.rate_bytes_per_s,
        "rtt_ns": question.rtt_ns,
    }


def _control(question: Question) -> _native.Control:
    """The method, which has seen nothing yet."""
    method = params.methods()[question.method]
    return _native.Control(
        method.discipline,
        method.law,
        signal=method.signal,
        limit_bytes=question.buffer_bytes,
        limit_packets=question.buffer_packets,
        rate_bytes_per_s=question.rate_bytes_per_s,
        params=dict(question.params or {}),
        mss_bytes=question.mss_bytes,
    )


def explain(question: Question) -> dict[str, Any]:
    """The decision on one ACK, as data."""
    method, control = params.methods()[question.method], _control(question)
    scale = _scale(question)
    offered = question.window_bytes >> scale << scale
    allowed = _allowed(question, control, offered, scale) if method.rewrites else offered
    window = _native.Window(question.mode, mss_bytes=question.mss_bytes)
    window.syn(True, scale)
    window.syn(False, scale)
    if question.flight_bytes:
        last = min(question.mss_bytes, question.flight_bytes)
        window.data(_ACK + question.flight_bytes - last, last)
    field, limit = window.ack(_ACK, offered >> scale, allowed)
    units = {param.name: param.unit for param in method.params}
    inputs = {
        "queue_bytes": question.queue_bytes,
        "buffer_bytes": question.buffer_bytes,
        "receiver_window_bytes": offered,
        "mss_bytes": question.mss_bytes,
        "flows": question.flows,
        "flight_bytes": question.flight_bytes,
        "window_scale": scale,
    }
    inputs |= {key: value for key, value in _optional(question).items() if value}
    state = control.state
    numbers: dict[str, int | float] = {**inputs, "window_bytes": offered}
    if question.buffer_packets:  # the tighter limit is the buffer
        full = question.buffer_packets * (question.mss_bytes + headers.IP_TCP_BYTES)
        numbers["buffer_bytes"] = min(question.buffer_bytes, full)
    for name, value in (state | control.params).items():
        numbers[params.user_key(name)] = _number(name, value)
    formula = method.formula if method.rewrites else "window_bytes"
    if method.signal == "window" and allowed != offered:
        formula = _SIGNALLED
    shown = {
        params.user_key(name): _short(_number(name, value))
        for name, value in state.items()
        if not _NUMBERED.fullmatch(name)
    }
    if _WHOLE in formula:
        whole = _allowed(question, _control(question), _FIELD_MAX << _SCALE_MAX, scale)
        numbers[_WHOLE] = whole // question.mss_bytes
        shown[_WHOLE] = str(numbers[_WHOLE])
    return {
        "method": question.method,
        "mode": question.mode,
        "inputs": inputs,
        "parameters": {
            params.user_key(name): params.show(units[name], value)
            for name, value in control.params.items()
        },
        "state": shown,
        **_lists(state),
        "formula": formula,
        "formula_with_numbers": _evaluated(formula, numbers, allowed),
        "allowed_bytes": allowed,
        "window_bytes": field << scale,
        "window_field": field,
        "limited_by": limit,
        "limited_by_text": LIMITS.get(limit, limit),
    }
