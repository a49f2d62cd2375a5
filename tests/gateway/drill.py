# SPDX-License-Identifier: GPL-2.0-only
"""packetdrill's scripts on this machine's Linux, over the wire, with penstock-gw between.

Each script is played without a gateway, below one that observes, and below one that rewrites
windows. The first two must end alike. Below the third one only windows may differ, by R1 to R5:
the packets before and behind the gateway are compared. PROGRAM is a packetdrill that the user has
built. tools/try-packetdrill starts this; it needs root.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from capture import Packet, Tap
from gateway_lab import TOOL, sh
from spaces import one_cpu
from window_judge import judge

ENDING: Final = ".pkt"
FAMILIES: Final = ("ipv4", "ipv4-mapped-ipv6", "ipv6")
# What packetdrill allows by itself is 4 ms, too little beside another load.
TOLERANCE_US: Final = 50_000
SCRIPT_S: Final = 60.0
TRIES: Final = 3
SETTLE_S: Final = 0.05
CONTROL_PORT: Final = 8081  # of packetdrill's two halves
ALLOWED: Final = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
# The gateway's words: none, one that only observes, one whose windows bind.
# The addresses and words of the suite's own runner: its fast-open cookies are of these addresses.
NEAR: Final = {"4": "192.168.0.1", "6": "fd3d:a0b:17d6::1"}
FAR: Final = {"4": "192.168.0.2", "6": "fd3d:a0b:17d6:8888::1"}
REMOTE: Final = {"4": "192.0.2.1", "6": "fd3d:fa7b:d17d::1"}
LENGTH: Final = {"4": 16, "6": 48}
COOKIE: Final = {"4": "3021b9d889017eeb", "6": "c1d1e9742a47a9bc"}
RATE: Final = ("--rate", "10mbit", "--buffer", "100k")
GATEWAYS: Final[Mapping[str, Sequence[str] | None]] = {
    "plain": None,
    "observed": (*RATE, "--observe"),
    "live": RATE,
}


@dataclass(frozen=True)
class Played:
    """How a script ended, and what the gateway did meanwhile."""

    passed: bool
    said: str
    faults: Sequence[str]
    rewritten: int


def _of_script(tap: Tap) -> list[Packet]:
    """What a tap has seen of the script's connections."""
    return [one for one in tap.packets() if CONTROL_PORT not in one.ports]


class Wire:
    """Client (the host under test), a bridge, server (the script's other end)."""

    ports = ("c0", "s0")

    def __init__(self, program: Path) -> None:
        self.program = program
        tag = os.getpid()
        self.client, self.bridge, self.server = (f"pst-d{who}{tag}" for who in "cbs")

    def up(self) -> None:
        """Makes namespaces and links. Offloads stay on, as scripts expect joined segments."""
        for name in (self.client, self.bridge, self.server):
            sh(f"ip netns add {name}")
            sh(f"ip -n {name} link set lo up")
            sh(f"ip netns exec {name} sysctl -qw net.ipv6.conf.default.accept_dad=0")
        sh(f"ip -n {self.bridge} link add br0 type bridge mcast_snooping 0")
        sh(f"ip -n {self.bridge} link set br0 mtu 1520 up")
        ends = ((self.client, NEAR), (self.server, FAR))
        for port, (host, addresses) in zip(self.ports, ends, strict=True):
            peer = f"type veth peer name eth0 netns {host}"
            sh(f"ip link add {port} netns {self.bridge} {peer}")
            sh(f"ip -n {self.bridge} link set {port} mtu 1520 master br0 up")
            for version, address in addresses.items():
                sh(f"ip -n {host} addr add {address}/{LENGTH[version]} dev eth0")
            sh(f"ip -n {host} link set eth0 up")

    def down(self) -> None:
        """Takes all of it away."""
        for port in self.ports:
            self.tool("detach", port)
        for name in (self.client, self.bridge, self.server):
            sh(f"ip netns del {name}", check=False)

    def tool(self, *words: str) -> None:
        """Runs penstock-gw at the bridge; its failure is the caller's to see by status."""
        command = [str(TOOL), "--netns", self.bridge, *words]
        subprocess.run(command, capture_output=True, check=False)

    @contextmanager
    def gateway(self, words: Sequence[str] | None) -> Iterator[None]:
        """Both ports have a gateway: data in both directions, and ACKs, pass it."""
        for port in self.ports if words else ():
            command = [str(TOOL), "--netns", self.bridge, "attach", port, *(words or ())]
            subprocess.run(command, check=True, capture_output=True)
        try:
            yield
        finally:
            for port in self.ports if words else ():
                self.tool("detach", port)

    def _options(self, family: str) -> list[str]:
        version = family[3]
        level, kind = ("SOL_IP", "IP_RECVERR") if family == "ipv4" else ("SOL_IPV6", "IPV6_RECVERR")
        words = {"TFO_COOKIE": COOKIE[version], "CODE": "host_unreachable"}
        words |= {"CMSG_LEVEL_IP": level, "CMSG_TYPE_RECVERR": kind}
        # packetdrill's two halves talk over a socket of the script's family; it maps no address.
        server = FAR["4" if family == "ipv4" else "6"]
        return [
            *(f"--ip_version={family}", f"--tolerance_usecs={TOLERANCE_US}", "--send_omit_free"),
            *(f"--local_ip={NEAR[version]}", f"--gateway_ip={FAR[version]}"),
            *(f"--remote_ip={REMOTE[version]}", f"--wire_server_at={server}"),
            *(("--mtu=1520",) if family == "ipv6" else ("--netmask_ip=255.255.0.0",)),
            *(word for name, value in words.items() for word in ("-D", f"{name}={value}")),
        ]

    def play(self, script: Path, family: str, path: Path) -> Played:
        """One script. Programs in `path` are found before those of this machine."""
        mtu = 1520 if family == "ipv6" else 1500
        for host in (self.client, self.server):
            sh(f"ip -n {host} link set eth0 mtu {mtu}")
        taps = [
            (Tap(self.bridge, self.ports[0]), Tap(self.server, "eth0")),
            (Tap(self.bridge, self.ports[1]), Tap(self.client, "eth0")),
        ]
        inside = ("ip", "netns", "exec")
        server = [str(self.program), "--wire_server", "--wire_server_dev=eth0"]
        server += [f"--ip_version={family}"]
        client = [str(self.program), "--wire_client", "--wire_client_dev=eth0"]
        client += [*self._options(family), script.name]
        own = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}
        with subprocess.Popen(
            [*inside, self.server, *server], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as other:
            self._await_server()
            try:
                done = subprocess.run(
                    [*inside, self.client, *client],
                    cwd=script.parent,
                    env=own,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=SCRIPT_S,
                    check=False,
                )
                passed, said = done.returncode == 0, done.stdout + done.stderr
            except subprocess.TimeoutExpired:
                passed, said = False, f"not ended after {SCRIPT_S:.0f} s"
            finally:
                other.terminate()
        time.sleep(SETTLE_S)
        # Those before are read first: what then is more behind came since.
        seen = [(_of_script(before), _of_script(behind)) for before, behind in taps]
        faults, rewritten = judge([(before, behind[: len(before)]) for before, behind in seen])
        return Played(passed, said, faults, rewritten)

    def _await_server(self) -> None:
        """Its control port listens."""
        for _ in range(200):
            if f":{CONTROL_PORT} " in sh(f"ip netns exec {self.server} ss -Hltn"):
                return
            time.sleep(0.01)
        raise RuntimeError("packetdrill's server does not listen")


@contextmanager
def allowed_controls() -> Iterator[None]:
    """A namespace may have any congestion control that this machine has."""
    before = ALLOWED.read_text()
    ALLOWED.write_text(ALLOWED.with_name("tcp_available_congestion_control").read_text())
    try:
        yield
    finally:
        ALLOWED.write_text(before)


def shadowed(folder: Path) -> Path:
    """A tc(8) that does nothing: scripts give it the device tun0, which a wire does without."""
    tc = folder / "tc"
    tc.write_text("#!/bin/sh\nexit 0\n")
    tc.chmod(0o755)
    return folder


def compare(wire: Wire, script: Path, family: str, path: Path) -> tuple[str, str]:
    """The outcome of a script, passed, failed or skipped, and why."""
    ends: dict[str, Played] = {}
    for name, words in GATEWAYS.items():
        for _ in range(1 if name == "live" else TRIES):
            with wire.gateway(words):
                ends[name] = wire.play(script, family, path)
            if ends[name].faults:
                return "failed", f"{name}: {ends[name].faults[0]}"
            if ends[name].passed:
                break
        if name == "plain" and not ends[name].passed:
            return "skipped", f"fails without a gateway: {last_line(ends[name].said)}"
        if name == "observed" and not ends[name].passed:
            return "failed", f"below a gateway that observes: {last_line(ends[name].said)}"
        if name != "live" and ends[name].rewritten:
            return "failed", f"{name}: {ends[name].rewritten} windows differ"
    live = ends["live"]
    how = "" if live.passed else f"; a window binds: {last_line(live.said)}"
    return "passed", f"{live.rewritten} windows rewritten{how}"


def last_line(said: str) -> str:
    """The first line that names the script's line, else the last."""
    lines = [line for line in said.splitlines() if line.strip()]
    named = [line for line in lines if f"{ENDING}:" in line]
    return (named or lines or ["no word"])[0][:100]


def main(words: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path, help="packetdrill, built from its sources")
    parser.add_argument("scripts", type=Path, nargs="+", help=f"*{ENDING}, or folders with some")
    parser.add_argument("--family", choices=FAMILIES, action="append")
    given = parser.parse_args(words)
    if os.geteuid():
        parser.error("network namespaces need root")
    for program in (given.program, TOOL):
        if not os.access(program, os.X_OK):
            parser.error(f"there is no program {program}")
    scripts = [
        script
        for path in given.scripts
        for script in (sorted(path.rglob(f"*{ENDING}")) if path.is_dir() else [path])
    ]
    count = Counter(passed=0, failed=0, skipped=0)
    wire = Wire(given.program.resolve())
    # On one CPU no packet overtakes another.
    with tempfile.TemporaryDirectory() as folder, allowed_controls(), one_cpu():
        path = shadowed(Path(folder))
        try:
            wire.up()
            for family in given.family or FAMILIES:
                for script in scripts:
                    outcome, why = compare(wire, script.resolve(), family, path)
                    count[outcome] += 1
                    print(f"{outcome:<8} {family:<17} {script.name}: {why}", flush=True)
        finally:
            wire.down()
    print(", ".join(f"{count[outcome]} {outcome}" for outcome in ("passed", "failed", "skipped")))
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
