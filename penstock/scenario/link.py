# SPDX-License-Identifier: GPL-2.0-only
"""A scenario of one link, made from scenarios/link.toml.

In that file a comment `--option` marks each line whose value an option sets. Options for what
it does not have add a table. `--hosts` sets several lines, each to its own value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from penstock.errors import OptionError
from penstock.scenario import units
from penstock.scenario.draft import Draft
from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.locate import Path as KeyPath
from penstock.scenario.source import Origin
from penstock.scenario.types import count_of, window
from penstock.scenario.units import Quantity

LINUX_6: Final = (
    "linux-6"  # what most hosts run: 6.1, 6.6, 6.8 and 6.12 of distributions and Android
)
_SENDERS: Final[dict[str, str | int | bool | Quantity]] = {
    "congestion": "cubic",
    "initial_window": 10,  # RFC 6928
    "hystart": True,
    "prr": True,
    "rack": True,
}
# What receivers that autotune have, by the key of a group of connections.
RECEIVERS: Final[dict[str, dict[str, int | bool | Quantity]]] = {
    LINUX_6: {},  # the keys' defaults
    "linux-7": {
        "window_max": Quantity(units.SIZE, 32 << 20),
        "scaling_ratio": 240,
        "rcvbuf_slow_start": True,
        "rcvbuf_low_rtt": Quantity(units.TIME, 1_000_000),
    },
}
HOSTS: Final[dict[str, dict[str, str | int | bool | Quantity]]] = {  # by the key of [tcp.bulk]
    **{name: {**_SENDERS, **receivers} for name, receivers in RECEIVERS.items()},
    "2004": {
        "congestion": "newreno",
        "initial_window": 3,  # RFC 3390
        "hystart": False,
        "prr": False,
        "rack": False,
    },
}
WINDOW_OF_2004: Final = "65535"  # a receiver without window scaling
DEFAULTS: Final = {
    "rate": "10mbit",
    "rtt": "60ms",
    "buffer": "60000",
    "flows": "12",
    "window": "auto",
    "size": "5000000",
}


@dataclass(frozen=True)
class Wanted:
    """One bottleneck with a queue, and the TCP transfers over it.

    `rtt_ns` is without queueing. `window` is the receive buffer in bytes, or "auto". `up_bps` is
    the rate of the ACKs' direction, if it is another one. `udp_bps` is that of UDP beside TCP.
    `hosts` is a key of `HOSTS`.
    """

    rate_bps: int = 10_000_000
    rtt_ns: int = 60_000_000
    buffer_bytes: int = 60_000
    flows: int = 12
    window: str = "auto"
    size_bytes: int = 5_000_000
    up_bps: int | None = None
    udp_bps: int | None = None
    title: str | None = None
    hosts: str = LINUX_6


def _above_0(value: int) -> int:
    if value <= 0:
        raise ValueError("must be above 0")
    return value


def _rate(text: str) -> int:
    return _above_0(units.parse_rate(text))


def _size(text: str) -> int:
    plain = text.isascii() and text.isdigit()
    return _above_0(units.parse_size(text + "B" * plain))


def _flows(text: str) -> int:
    return count_of(text, MAX_FLOWS)


@dataclass(frozen=True)
class Field:
    """An option: the question that it answers, its field of `Wanted`, and how its text is read."""

    name: str
    read: Callable[[str], int | str]
    question: str = ""


FIELDS: Final = {
    "title": Field("title", str, "Title"),
    "rate": Field("rate_bps", _rate, "Rate of the link (10mbit)"),
    "rtt": Field("rtt_ns", units.parse_time, "Round-trip time without queueing (60ms)"),
    "buffer": Field("buffer_bytes", _size, "Queue of the gateway in bytes"),
    "flows": Field("flows", _flows, "TCP connections at a time"),
    "window": Field("window", window, "Receive window: 65535, or auto for today's receivers"),
    "size": Field("size_bytes", _size, "Bytes that each connection carries"),
    "up": Field("up_bps", _rate),
    "udp": Field("udp_bps", _rate),
}
_KINDS: Final = {"bps": units.RATE, "bytes": units.SIZE, "ns": units.TIME}
_ADDED: Final[dict[str, tuple[KeyPath, dict[str, Any], dict[str, str]]]] = {
    "up": (
        ("link", "bottleneck", "back"),
        {"rate": None},
        {"": "      # the way of the ACKs", "rate": "             # --up"},
    ),
    "udp": (
        ("udp", "background"),
        {"from": "senders", "to": "receivers", "rate": None, "payload": "1200B"},
        {
            "": "            # what no method can tell anything",
            "rate": "              # --udp",
        },
    ),
}


def value(option: str, text: str) -> int | str:
    """What the text of an option says, in the unit of its field.

    Raises OptionError for a text that says nothing.
    """
    try:
        return FIELDS[option].read(text)
    except ValueError as error:
        raise OptionError(f"--{option}", text, str(error)) from None


def defaults(hosts: str) -> dict[str, str]:
    """What options have that are not given, with hosts of this time.

    Raises OptionError for a time that is not known.
    """
    if hosts not in HOSTS:
        raise OptionError("--hosts", hosts, f"must be one of {', '.join(HOSTS)}")
    return DEFAULTS | ({"window": WINDOW_OF_2004} if hosts == "2004" else {})


def _quantity(name: str, number: Any) -> Any:
    """The value of a field with its unit, if it has one."""
    kind = _KINDS.get(name.rpartition("_")[2])
    return number if kind is None else Quantity(kind, number)


def _written(name: str, given: Any) -> Any:
    """The value of a field as a line of the file has it."""
    if name == "rtt_ns":
        return _quantity(name, given // 2)  # one way
    return [given] if name in ("flows", "window") else _quantity(name, given)


def draft(wanted: Wanted) -> Draft:
    """The scenario of a link, not yet checked."""
    made = Draft("link")
    for key, of_hosts in HOSTS[wanted.hosts].items():
        if key in HOSTS[LINUX_6]:
            made.put(("tcp", "bulk", key), of_hosts)
        else:
            made.put_after(("tcp", "bulk", "rack"), key, of_hosts)
    for option, field in FIELDS.items():
        given = getattr(wanted, field.name)
        if given is None:
            continue
        origin = Origin(f"--{option}", given=str(_quantity(field.name, given)))
        written = _written(field.name, given)
        if option in _ADDED:
            table, keys, notes = _ADDED[option]
            made.add(table, keys | {"rate": written}, origin, notes)
        else:
            for path in made.marked(option):
                made.put(path, written, origin)
    return made
