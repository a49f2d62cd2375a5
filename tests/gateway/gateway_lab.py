# SPDX-License-Identifier: GPL-2.0-only
"""A gateway between two hosts in network namespaces, for the tests of penstock-gw."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = ROOT / "build" / "tests" / "linux" / "lab" / "link" / "penstock-link"
BUILT = ROOT / "build" / "tests" / "linux" / "gateway"
TOOL = Path(os.environ.get("PENSTOCK_GW", BUILT / "penstock-gw"))
# The scripts of OpenWrt's package.
OPENWRT = ROOT / "linux" / "gateway" / "packaging" / "openwrt" / "penstock-gw" / "files"


def sh(command: str, *, check: bool = True) -> str:
    """Runs a command line; its output."""
    done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


@contextmanager
def linked(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A running penstock-link, once it is ready."""
    pipe = subprocess.PIPE
    with subprocess.Popen([str(LINK), *words], stdin=pipe, stdout=pipe, text=True) as link:
        assert link.stdout is not None
        assert link.stdout.readline() == "ready\n"
        try:
            yield link
        finally:
            link.terminate()


class Lab:
    """Server - gateway - client; the bottleneck is the gateway's device to the client."""

    device = "pgc"

    def __init__(self) -> None:
        tag = f"{os.getpid()}"
        self.client, self.gateway, self.server = (f"pst-{who}{tag}" for who in "cgs")

    def up(self) -> None:
        """Makes namespaces, links and routes."""
        for name in (self.client, self.gateway, self.server):
            sh(f"ip netns add {name}")
            sh(f"ip -n {name} link set lo up")
            # Link-local addresses too: while they are tentative, neighbours are not resolved.
            sh(f"ip netns exec {name} sysctl -qw net.ipv6.conf.default.accept_dad=0")
        ends = ((self.client, self.device, "c0", 1), (self.server, "pgs", "s0", 2))
        for host, near, far, net in ends:
            sh(f"ip link add {near} netns {self.gateway} type veth peer name {far} netns {host}")
            for space, end, last in ((self.gateway, near, 1), (host, far, 2)):
                sh(f"ip -n {space} addr add 10.9.{net}.{last}/24 dev {end}")
                sh(f"ip -n {space} addr add fd09:{net}::{last}/64 dev {end} nodad")
                sh(f"ip -n {space} link set {end} up")
            sh(f"ip -n {host} route add default via 10.9.{net}.1")
            sh(f"ip -n {host} route add default via fd09:{net}::1")
        for key in ("ipv4.ip_forward", "ipv6.conf.all.forwarding"):
            sh(f"ip netns exec {self.gateway} sysctl -qw net.{key}=1")

    @contextmanager
    def far_server(self, delay: str) -> Iterator[None]:
        """The server at this delay in each direction, over IPv4."""
        sh(f"ip -n {self.gateway} link del pgs")
        ends = [f"{self.gateway}:pgs", f"{self.server}:s0"]
        with linked(*ends, "--delay", delay):
            sh(f"ip -n {self.gateway} addr add 10.9.2.1/24 dev pgs")
            sh(f"ip -n {self.server} addr add 10.9.2.2/24 dev s0")
            sh(f"ip -n {self.server} route add default via 10.9.2.1")
            yield

    def address(self, host: str, *, ipv6: bool = False) -> str:
        """A host's address."""
        net = 1 if host == self.client else 2
        return f"fd09:{net}::2" if ipv6 else f"10.9.{net}.2"

    def down(self) -> None:
        """Takes all of it away."""
        self.tool("detach", self.device, expect=None)
        self.tool("detach", "--all", "--now", expect=None)
        self.down_but_pins()

    def down_but_pins(self) -> None:
        """Takes the namespaces away, with no word to penstock-gw."""
        for name in (self.client, self.gateway, self.server):
            sh(f"ip netns del {name}", check=False)

    def tool(self, *arguments: str, expect: int | None = 0, path: Path | None = None) -> str:
        """Runs penstock-gw on the gateway; its output. `expect` None: any exit code.

        Programs in the folder `path` are found before those of this machine.
        """
        command = [str(TOOL), "--netns", self.gateway, *arguments]
        own = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"} if path else None
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
        if expect is not None:
            assert done.returncode == expect, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def status(self, expect: int | None = 0) -> dict[str, object]:
        """`status -j` of the device."""
        found = json.loads(self.tool("status", "-j", self.device, expect=expect))
        assert isinstance(found, dict)
        return found

    def tc(self, words: str) -> str:
        """tc(8) on the gateway."""
        return sh(f"ip netns exec {self.gateway} tc {words}")

    def add_foreign_filter(self) -> None:
        """Somebody else's program on the device's ingress: classic BPF, `return 0`."""
        words = f"ip netns exec {self.gateway} tc filter add dev {self.device} ingress prio 7 bpf"
        subprocess.run([*words.split(), "bytecode", "1,6 0 0 0"], check=True)

    def pins(self) -> Path:
        """The folder of the device's pinned maps."""
        inode = os.stat(f"/run/netns/{self.gateway}").st_ino
        return Path(f"/sys/fs/bpf/penstock/{self.device}@{inode}")

    def leftovers(self) -> list[str]:
        """What a detach should have taken away."""
        found = [
            f"{what} {line}"
            for what in ("qdisc show", "filter show")
            for hook in ([""] if what == "qdisc show" else ["ingress", "egress"])
            for line in self.tc(f"{what} dev {self.device} {hook}").splitlines()
            if "noqueue" not in line
        ]
        return found + ([str(self.pins())] if self.pins().exists() else [])
