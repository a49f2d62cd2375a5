# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of penstock-gw, from the ground up, for the table of imports."""

from dataclasses import dataclass
from typing import Final

TOOL: Final = "linux/gateway/tool/"


@dataclass(frozen=True)
class Room:
    """A folder of the tool; it may import what `may` names beside libc and C++'s library."""

    name: str
    may: tuple[str, ...]
    why: str


def _rooms(*names: str) -> tuple[str, ...]:
    """What any room may import but the first, and these rooms of the tool."""
    shared = ("<bpf/", "<nlohmann/", "core/", "linux/gateway/bpf/shared.h", "linux/common/")
    return (*shared, *(f"{TOOL}{name}/" for name in names))


ROOMS: Final = (
    Room(
        "host",
        ("linux/common/",),
        "this process and its machine: rights, signals, files, other programs",
    ),
    Room(
        "settings",
        ("<CLI/", "<toml++/", *_rooms("host")),
        "what an operator sets, as rows, and what it means to the programs; no device",
    ),
    Room(
        "attach",
        _rooms("host", "settings"),
        "loads, attaches, changes and detaches the programs",
    ),
    Room(
        "cc",
        _rooms("host", "settings", "attach"),
        "congestion controls of this machine's own connections",
    ),
    Room("shapes", _rooms("host", "settings", "attach"), "subscribers' queues on a device"),
    Room(
        "run",
        _rooms("host", "settings", "attach", "shapes"),
        "one program in a control group, held to a rate",
    ),
    Room(
        "view",
        _rooms("host", "settings", "attach", "cc"),
        "what an attachment does, read and shown; changes nothing",
    ),
    Room(
        "compare",
        _rooms("host", "settings", "attach", "shapes", "view"),
        "observes and controls in turn, and measures",
    ),
    Room(
        "where",
        _rooms("host", "settings", "attach", "view"),
        "watches what passes a device, and finds where it waits; changes nothing",
    ),
    Room(
        "auto",
        _rooms("host", "settings", "attach", "view", "where"),
        "holds each direction's queue where that is proved to help",
    ),
    Room(
        "record",
        _rooms("host", "settings", "attach", "view", "compare"),
        "recordings and logs, and what reads them",
    ),
    Room("serve", _rooms("host", "attach", "view", "auto"), "the live page"),
    Room("command", ("<CLI/", TOOL, *_rooms()), "the command line; nothing depends on it"),
)
