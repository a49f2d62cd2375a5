# SPDX-License-Identifier: GPL-2.0-only
"""A group's end hosts: senders, receivers, and the connections of users."""

from penstock.plan.cells import Cell
from penstock.plan.network import Receiver, Sender, Value
from penstock.scenario import mobility, options, params, variants
from penstock.scenario.model import Tcp, Traffic
from penstock.scenario.types import AUTO

_MAX_ACK_DELAY_NS = 25_000_000  # RFC 9000 section 18.2
_FIRST_AUTO_BYTES = 65535  # Linux: tcp_rmem[1] = 131072, of which half is window


def _sender_params(cell: Cell, congestion: str) -> dict[str, int]:
    if congestion.startswith(params.KERNEL):
        return {}
    return params.resolve(params.senders()[congestion], cell.scenario.sender.get(congestion, {}))


def _variant(cell: Cell) -> params.Variant | None:
    """The requirements of the cell's method on end hosts; kernel qdiscs have none."""
    return variants.methods_of(cell.scenario).get(cell.method)


def _congestion(cell: Cell, tcp: Tcp) -> str:
    variant = _variant(cell)
    return variant.sender if variant and variant.sender else tcp.congestion


def _exact_ecn(cell: Cell, tcp: Tcp) -> bool:
    return params.needs_ecn(_congestion(cell, tcp))


def _ecn(cell: Cell, tcp: Tcp) -> bool:
    variant = _variant(cell)
    return tcp.ecn or bool(variant and variant.ecn) or _exact_ecn(cell, tcp)


def _given(tcp: Tcp, end: str) -> dict[str, Value]:
    """What the group's keys say of the options of its "sender" or "receiver"."""
    return {
        option.name: options.value(option, tcp)
        for option in options.TCP
        if option.key and getattr(option, end)
    }


def sender(cell: Cell, tcp: Tcp) -> Sender:
    """The senders of a group."""
    variant = _variant(cell)
    congestion = _congestion(cell, tcp)
    fields = _given(tcp, "sender") | {
        "params": _sender_params(cell, congestion),
        "ecn": _ecn(cell, tcp),
        "sharing": (variant and variant.sharing) or tcp.sharing or "",
    }
    return Sender(congestion, **fields)


def receiver(cell: Cell, tcp: Tcp) -> Receiver:
    """The receivers of a group."""
    window = tcp.window or cell.receivers
    auto = window == AUTO
    moves = cell.scenario.mobility if mobility.moves(cell.scenario, tcp) else None
    fields = _given(tcp, "receiver") | {
        "buffer_bytes": min(_FIRST_AUTO_BYTES, tcp.window_max) if auto else int(window),
        "max_buffer_bytes": tcp.window_max if auto else int(window),
        "autotune": auto,
        "dsack": tcp.rack,
        "ecn": _ecn(cell, tcp),
        "opens": tcp.opened_by == "receiver",
        "exact_ecn": _exact_ecn(cell, tcp),
    }
    if tcp.quic and "delayed_ack_timeout" not in tcp.model_fields_set:
        fields["delayed_ack_ns"] = _MAX_ACK_DELAY_NS
    if moves:
        fields |= {row.name: options.value(row, moves) for row in options.FREEZE}
    return Receiver(**fields)


def persistent(traffic: Traffic) -> bool:
    """Whether a user has one connection for all; an application that writes does."""
    return traffic.kind == "on-off" if traffic.persistent is None else traffic.persistent
