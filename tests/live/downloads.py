# SPDX-License-Identifier: GPL-2.0-only
"""A home behind a line whose provider queues: downloads, and a ping beside them.

Server - line of 20/5 Mbit/s with 200/60 kB, 20 ms each way - router - client, in namespaces.
As a program: the table of docs/operator/downloads.md. Needs root, and runs in real time.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from live_support import call, find, inside, namespaces, program

DOWN_MBPS: Final = 20
UP_MBPS: Final = 5
PATH_MS: Final = 40
LINE: Final = (
    *("--rate", f"{DOWN_MBPS}mbit", "--queue", "200kB"),
    *("--rate-back", f"{UP_MBPS}mbit", "--queue-back", "60kB"),
    *("--delay", f"{PATH_MS // 2}ms"),
)
SERVER: Final = "10.8.2.2"
CLIENT: Final = "10.8.1.2"
TRAFFIC: Final = str(Path(__file__).with_name("traffic.py"))


@dataclass(frozen=True)
class Home:
    """The namespaces; `wan0` is the router's device to the line."""

    client: str
    router: str
    server: str

    def tool(self, *words: str, expect: int | None = 0, space: str = "") -> str:
        """Runs penstock-gw, on the router unless in another namespace; what it says."""
        command = [str(find("penstock-gw")), "--netns", space or self.router, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert expect in (None, done.returncode), f"{words}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def status(self, name: str) -> dict[str, object]:
        """`status -j` of an attachment."""
        found = json.loads(self.tool("status", "-j", name))
        assert isinstance(found, dict)
        return found

    def retransmitted(self) -> int:
        """Segments that the server has sent again."""
        text = call(*inside(self.server, "cat", "/proc/net/snmp"))
        names, values = (line.split() for line in text.splitlines() if line.startswith("Tcp:"))
        return int(values[names.index("RetransSegs")])


@contextmanager
def home(line: Sequence[str] = LINE) -> Iterator[Home]:
    """The home, its routes, and the line."""
    with namespaces("c", "r", "s") as (client, router, server), ExitStack() as stack:
        ends = [f"{server}:s0", f"{router}:wan0"]
        stack.enter_context(program(str(find("penstock-link")), *ends, *line))
        call(
            "ip",
            "link",
            "add",
            "lan0",
            "netns",
            router,
            "type",
            "veth",
            "peer",
            "c0",
            "netns",
            client,
        )
        for space, device, address in (
            (client, "c0", f"{CLIENT}/24"),
            (router, "lan0", "10.8.1.1/24"),
            (router, "wan0", "10.8.2.1/24"),
            (server, "s0", f"{SERVER}/24"),
        ):
            call("ip", "-n", space, "addr", "add", address, "dev", device)
            call("ip", "-n", space, "link", "set", device, "up")
        call("ip", "-n", client, "route", "add", "default", "via", "10.8.1.1")
        call("ip", "-n", server, "route", "add", "default", "via", "10.8.2.1")
        call(*inside(router, "sysctl", "-qw", "net.ipv4.ip_forward=1"))
        one = Home(client, router, server)
        try:
            yield one
        finally:
            for space in (router, client):
                subprocess.run(
                    [str(find("penstock-gw")), "--netns", space, "detach", "--all", "--now"],
                    check=False,
                    capture_output=True,
                )


@dataclass(frozen=True)
class Found:
    """One measurement."""

    down_bps: list[float]
    up_bps: list[float]
    ping_ms: list[float]
    retransmitted: int

    def down_mbps(self) -> float:
        """All downloads together."""
        return sum(self.down_bps) / 1e6

    def up_mbps(self) -> float:
        """All uploads together."""
        return sum(self.up_bps) / 1e6

    def p99_ms(self) -> float:
        """Of the ping beside them."""
        return self.ping_ms[len(self.ping_ms) * 99 // 100]

    def mean_ms(self) -> float:
        """Likewise."""
        return sum(self.ping_ms) / len(self.ping_ms)


def measured(one: Home, downs: int, ups: int = 0, *, warm_s: float, seconds: float) -> Found:
    """Downloads and uploads at once, and a ping from the client meanwhile."""
    with program(*inside(one.server, sys.executable, TRAFFIC, "serve", SERVER)):
        before = one.retransmitted()
        words = [str(downs), str(ups), str(warm_s), str(seconds)]
        found = json.loads(
            call(*inside(one.client, sys.executable, TRAFFIC, "use", SERVER, *words))
        )
        return Found(**found, retransmitted=one.retransmitted() - before)


UP: Final = ("wan0", "--rate", "4.75mbit")  # what leaves, at 95 %
WAYS: Final = {
    "none": [],
    "shaper": [("lan0", "--rate", "19mbit")],
    "down": [("wan0", "--down")],
    "shapers": [("lan0", "--rate", "19mbit"), UP],
    "down and up": [("wan0", "--down"), UP],
}
LOADS: Final = ((1, 0), (4, 0), (16, 0), (4, 1))


def row(way: str, downs: int, ups: int) -> str:
    """One measurement, as a row of the page."""
    with home() as one:
        for words in WAYS[way]:
            one.tool("attach", *words)
        found = measured(one, downs, ups, warm_s=8, seconds=15)
    cells = (
        f"{downs} down, {ups} up",
        way,
        f"{found.down_mbps():.2f}",
        f"{found.up_mbps():.2f}",
        f"{found.mean_ms():.1f} / {found.p99_ms():.1f}",
        str(found.retransmitted),
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """The table, with the ways in turn."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    ).parse_args()
    for downs, ups in LOADS:
        for way in WAYS:
            if ups or way in {"none", "shaper", "down"}:
                print(row(way, downs, ups), flush=True)


if __name__ == "__main__":
    main()
