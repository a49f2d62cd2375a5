# SPDX-License-Identifier: GPL-2.0-only
"""A scenario of one link, from scenarios/link.toml.

In that file a comment `--option` marks each line whose value an option sets. Options for what
it does not have add a table. `--hosts` sets several lines, each to its own value.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from penstock.errors import OptionError
from penstock.scenario import units
from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.read import shipped
from penstock.scenario.types import window


@dataclass(frozen=True)
class Field:
    """One option: the question it answers, and how its text becomes TOML."""

    question: str
    toml: Callable[[str], str]


def _rate(text: str) -> str:
    return f'"{units.form(units.RATE, _above_0(units.parse_rate(text)))}"'


def _above_0(value: int) -> int:
    if value <= 0:
        raise ValueError("must be above 0")
    return value


def _size(text: str) -> str:
    plain = text.isascii() and text.isdigit()
    return f'"{units.form(units.SIZE, _above_0(units.parse_size(text + "B" * plain)))}"'


def _one_way(text: str) -> str:
    return f'"{units.form(units.TIME, units.parse_time(text) // 2)}"'


def _flows(text: str) -> str:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_FLOWS):
        raise ValueError(f"must be a whole number from 1 to {MAX_FLOWS}")
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
TODAY: Final = "today"
HOSTS: Final = {  # what hosts of a time do, by the key of [tcp.bulk]
    TODAY: {
        "congestion": '"cubic"',
        "initial_window": "10",  # RFC 6928
        "hystart": "true",
        "prr": "true",
        "rack": "true",
    },
    "2004": {
        "congestion": '"newreno"',
        "initial_window": "3",  # RFC 3390
        "hystart": "false",
        "prr": "false",
        "rack": "false",
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


def _toml(name: str, text: str, toml: Callable[[str], str]) -> str:
    try:
        return toml(text)
    except ValueError as error:
        raise OptionError(f"--{name}", text, str(error)) from None


def defaults(hosts: str) -> dict[str, str]:
    """What options have that are not given, with hosts of this time."""
    if hosts not in HOSTS:
        raise OptionError("--hosts", hosts, f"must be one of {', '.join(HOSTS)}")
    return DEFAULTS | ({} if hosts == TODAY else {"window": WINDOW_OF_2004})


def _with_hosts(template: str, hosts: str) -> str:
    for key, value in HOSTS[hosts].items():
        marked = re.compile(rf"^({key} = )\S+( +# --hosts)$", re.MULTILINE)
        template = marked.sub(rf"\g<1>{value}\g<2>", template)
    return template


def render(values: Mapping[str, str], more: Mapping[str, str | None], hosts: str = TODAY) -> str:
    """The template with the marked lines set and what more was asked for."""
    template = _with_hosts(shipped()["link"].read_text(encoding="utf-8"), hosts)
    for name, text in values.items():
        value = _toml(name, text, FIELDS[name].toml)
        marked = re.compile(rf"^(\w+ = ).*?( +# --{name}\b.*)$", re.MULTILINE)
        escaped = value.replace("\\", r"\\")
        template = marked.sub(rf"\g<1>{escaped}\g<2>", template)
    for name, (table, toml) in _MORE.items():
        given = more.get(name)
        if given is not None:
            template += table.format(value=_toml(name, given, toml))
    return template
