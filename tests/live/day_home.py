# SPDX-License-Identifier: GPL-2.0-only
"""A home with two clients behind a router with NAT and a modem, and a neighbour at the modem.

Server - line of 20/5 Mbit/s with 200/60 kB, 20 ms each way - modem - router - clients.
"""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from downloads import LINE
from live_support import call, find, inside, namespaces, program

SERVER: Final = "10.8.2.2"
NAT: Final = """
table ip home {
    chain behind {
        type nat hook postrouting priority srcnat;
        oifname "wan0" masquerade
    }
}
"""
ADDRESSES: Final = (  # where, device, address, gateway of a default route
    ("server", "s0", "10.8.2.2/24", "10.8.2.1"),
    ("modem", "line0", "10.8.2.1/24", ""),
    ("modem", "home0", "10.8.3.1/24", ""),
    ("modem", "near0", "10.8.4.1/24", ""),
    ("router", "wan0", "10.8.3.2/24", "10.8.3.1"),
    ("router", "lan0", "10.8.1.1/24", ""),
    ("one", "c0", "10.8.1.2/24", "10.8.1.1"),
    ("two", "c0", "10.8.1.3/24", "10.8.1.1"),
    ("neighbour", "n0", "10.8.4.2/24", "10.8.4.1"),
)
WIRES: Final = (  # the ends of veth pairs
    ("modem", "home0", "router", "wan0"),
    ("modem", "near0", "neighbour", "n0"),
    ("router", "two0", "two", "c0"),
)


@dataclass(frozen=True)
class DayHome:
    """The namespaces by what they are, and the running line."""

    spaces: dict[str, str]
    line: subprocess.Popen[str]

    def change(self, words: str) -> None:
        """Changes the line, such as "rate 80mbit"."""
        assert self.line.stdin is not None
        assert self.line.stdout is not None
        self.line.stdin.write(words + "\n")
        self.line.stdin.flush()
        assert self.line.stdout.readline() == "changed\n"

    def at(self, who: str, *command: str) -> list[str]:
        """A command line on a host."""
        return inside(self.spaces[who], *command)

    def gateway(self, *words: str) -> list[str]:
        """A command line of penstock-gw on the router."""
        return [str(find("penstock-gw")), "--netns", self.spaces["router"], *words]

    def tool(self, *words: str) -> str:
        """Runs penstock-gw on the router; what it says."""
        return call(*self.gateway(*words))


def _pair(spaces: dict[str, str], here: str, near: str, there: str, far: str) -> None:
    one = ["ip", "link", "add", near, "netns", spaces[here], "type", "veth"]
    call(*one, "peer", far, "netns", spaces[there])
    # Hosts on a wire send packets of its MTU.
    call("ip", "-n", spaces[there], "link", "set", far, "gso_max_segs", "1")


def _lan(spaces: dict[str, str], radio: Sequence[str], stack: ExitStack) -> None:
    """A bridge; client one is behind a radio, if one is given, and else on a wire."""
    router = spaces["router"]
    call("ip", "-n", router, "link", "add", "lan0", "type", "bridge")
    if radio:
        ends = [f"{router}:one0", f"{spaces['one']}:c0"]
        stack.enter_context(program(str(find("penstock-link")), *ends, *radio))
    else:
        _pair(spaces, "router", "one0", "one", "c0")
    for port in ("one0", "two0"):
        call("ip", "-n", router, "link", "set", port, "master", "lan0", "up")


@contextmanager
def day_home(radio: Sequence[str] = ()) -> Iterator[DayHome]:
    """The home; `radio` are options of penstock-link for the way to client one."""
    names = ("server", "modem", "router", "one", "two", "neighbour")
    with namespaces(*names) as made, ExitStack() as stack:
        spaces = dict(zip(names, made, strict=True))
        ends = [f"{spaces['server']}:s0", f"{spaces['modem']}:line0"]
        link = [str(find("penstock-link")), *ends, *LINE, "--commands"]
        line = stack.enter_context(program(*link))
        for wire in WIRES:
            _pair(spaces, *wire)
        _lan(spaces, radio, stack)
        for who, device, address, _ in ADDRESSES:
            call("ip", "-n", spaces[who], "addr", "add", address, "dev", device)
            call("ip", "-n", spaces[who], "link", "set", device, "up")
        for who, _, _, via in ADDRESSES:
            if via:
                call("ip", "-n", spaces[who], "route", "add", "default", "via", via)
        for who in ("modem", "router"):
            call(*inside(spaces[who], "sysctl", "-qw", "net.ipv4.ip_forward=1"))
        call(*inside(spaces["router"], "nft", "-f", "-"), input=NAT)
        home = DayHome(spaces, line)
        try:
            yield home
        finally:
            subprocess.run(
                home.gateway("detach", "--all", "--now"), check=False, capture_output=True
            )
