# SPDX-License-Identifier: GPL-2.0-only
"""Assertions of a script about tcp_info: read as expressions, never run as code."""

from __future__ import annotations

import ast
import operator
import textwrap
from collections.abc import Callable
from typing import Any, Final

from penstock import _native
from penstock.runs.packetdrill.claims import UnclaimedError

_STATES: Final = {
    "TCP_CA_Open": 0,
    "TCP_CA_Disorder": 1,
    "TCP_CA_CWR": 2,
    "TCP_CA_Recovery": 3,
    "TCP_CA_Loss": 4,
}
_COMPARE: Final[dict[type, Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.BitAnd: operator.and_,
}


def _state(info: _native.HostInfo) -> int:
    if info.timed_out:
        return _STATES["TCP_CA_Loss"]
    if info.fast_recovery:
        return _STATES["TCP_CA_Recovery"]
    if info.reducing:
        return _STATES["TCP_CA_CWR"]
    return _STATES["TCP_CA_Disorder" if info.disorder else "TCP_CA_Open"]


_FIELDS: Final[dict[str, Callable[[_native.HostInfo], int]]] = {
    "tcpi_snd_cwnd": lambda info: info.cwnd_segments,
    "tcpi_snd_ssthresh": lambda info: info.ssthresh_segments,
    "tcpi_ca_state": _state,
    "tcpi_unacked": lambda info: info.unacked_segments,
    "tcpi_sacked": lambda info: info.sacked_segments,
    "tcpi_total_retrans": lambda info: info.retransmissions,
    "tcpi_snd_mss": lambda info: info.mss_bytes,
    "tcpi_advmss": lambda info: info.advertised_mss_bytes,
    "tcpi_bytes_acked": lambda info: info.acked_bytes,
    "tcpi_bytes_received": lambda info: info.received_bytes,
    "tcpi_notsent_bytes": lambda info: info.unsent_bytes,
    "tcpi_rto": lambda info: info.rto_ns // 1000,
    "tcpi_rtt": lambda info: info.srtt_ns // 1000,
    "tcpi_rttvar": lambda info: info.rttvar_ns // 1000,
    "tcpi_delivered_ce": lambda info: info.ce_packets,
    "tcpi_delivered_ce_bytes": lambda info: info.ce_bytes,
    "tcpi_delivered_e0_bytes": lambda info: info.ect0_bytes,
    "tcpi_delivered_e1_bytes": lambda info: info.ect1_bytes,
    "tcpi_received_ce": lambda info: info.ce_received,
}
_COUNTS: Final = ("tcpi_lost", "tcpi_reordering", "tcpi_reord_seen", "tcpi_retrans")


class Asserts:
    """Of one script: names that it sets are kept."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = dict(_STATES)

    def check(self, text: str, line: int) -> None:
        """That the simulator has what the code asks about."""
        for statement in _statements(text, line):
            if not isinstance(statement, ast.Assert | ast.Assign) and not _prints(statement):
                raise UnclaimedError("code", line)
            tested = statement.test if isinstance(statement, ast.Assert) else statement
            for node in ast.walk(tested):
                if isinstance(node, ast.Name):
                    _claimed(node.id, line)

    def asserts(self, text: str, line: int) -> bool:
        """Whether the code asserts anything."""
        return any(isinstance(each, ast.Assert) for each in _statements(text, line))

    def run(self, text: str, line: int, info: _native.HostInfo) -> str:
        """What the first assertion that fails says; "" if all hold."""
        for statement in _statements(text, line):
            if isinstance(statement, ast.Assign):
                value = self._value(statement.value, line, info)
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self._names[target.id] = value
            elif isinstance(statement, ast.Assert) and not self._value(statement.test, line, info):
                return self._failure(statement.test, info)
        return ""

    def _failure(self, test: ast.expr, info: _native.HostInfo) -> str:
        names = sorted({node.id for node in ast.walk(test) if isinstance(node, ast.Name)})
        values = [f"{name} is {_FIELDS[name](info)}" for name in names if name in _FIELDS]
        return f"assert {ast.unparse(test)}: {', '.join(values)}"

    def _value(self, node: ast.expr, line: int, info: _native.HostInfo) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                if node.id in _FIELDS:
                    return _FIELDS[node.id](info)
                if node.id in self._names:
                    return self._names[node.id]
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                left = self._value(node.left, line, info)
                return _applied(
                    _ARITHMETIC[type(node.op)], left, self._value(node.right, line, info), line
                )
            case ast.BoolOp():
                values = [self._value(each, line, info) for each in node.values]
                return all(values) if isinstance(node.op, ast.And) else any(values)
            case ast.Compare():
                return self._compare(node, line, info)
        raise UnclaimedError("code", line)

    def _compare(self, node: ast.Compare, line: int, info: _native.HostInfo) -> bool:
        left = self._value(node.left, line, info)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self._value(right_node, line, info)
            if type(op) not in _COMPARE:
                raise UnclaimedError("code", line)
            if not _applied(_COMPARE[type(op)], left, right, line):
                return False
            left = right
        return True


def _applied(function: Callable[[Any, Any], Any], left: Any, right: Any, line: int) -> Any:
    try:
        return function(left, right)
    except (TypeError, ArithmeticError, ValueError, MemoryError):  # as of a text and a number
        raise UnclaimedError("code", line) from None


def _statements(text: str, line: int) -> list[ast.stmt]:
    try:
        return ast.parse(textwrap.dedent(text).strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnclaimedError("code", line) from None


def _prints(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id == "print"
    )


def _claimed(name: str, line: int) -> None:
    if name in _COUNTS:
        raise UnclaimedError("reordering", line, name)
    if name.startswith("SK_MEMINFO_"):
        raise UnclaimedError("receive-buffer", line, name)
    if name.startswith("tcpi_") and name not in _FIELDS:
        raise UnclaimedError("tcp-info-field", line, name)
