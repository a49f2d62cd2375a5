# SPDX-License-Identifier: GPL-2.0-only
"""Namespaces and programs for tests of the live lab."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # also where no test runs

from patience import raise_if_busy

ROOT = Path(__file__).resolve().parents[2]
PROBE = Path(__file__).with_name("probe.py")
BUILT = [str(ROOT / "build" / name / "linux" / "gateway") for name in ("tests", "gateway")]
PATH = os.pathsep.join([str(Path(sys.prefix) / "bin"), os.environ["PATH"], *BUILT])
PINS = Path("/sys/fs/bpf/penstock")
LOCKS = Path("/run/penstock-live")
PENSTOCK = [sys.executable, "-m", "penstock"]

SCENARIO = """\
[scenario]
title = "Live and short"

[sweep]
methods = ["droptail"]
flows = [4]
receivers = ["auto"]
seeds = 1

[topology]
shape = "dumbbell"

[link.access]
rate = "1gbit"
delay = "0ms"

[link.bottleneck]
rate = "20mbit"
delay = "10ms"
queue = "60kB"

[link.egress]
rate = "1gbit"
delay = "0ms"

[gateway.left]
link = "bottleneck"

[tcp.bulk]
from = "senders"
to = "receivers"
size = "1500kB"
start = "0s..100ms"

[time]
limit = "30s"
"""


def find(program: str) -> str | None:
    """The path of a program, also one that the C++ tests have built."""
    return shutil.which(program, path=PATH)


def environment() -> dict[str, str]:
    """For programs that look for others."""
    return {**os.environ, "PATH": PATH}


def call(*command: str, **more: Any) -> str:
    """Runs a command that must succeed, and returns what it printed."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=environment(), **more
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def inside(space: str, *command: str) -> list[str]:
    """A command line in a namespace."""
    return ["nsenter", f"--net=/run/netns/{space}", "--", *command]


@contextmanager
def namespaces(*names: str) -> Iterator[list[str]]:
    """Namespaces of this test's own, with their loopback up."""
    spaces = [f"penstocktest{os.getpid()}{name}" for name in names]
    try:
        for space in spaces:
            call("ip", "netns", "add", space)
            call("ip", "-n", space, "link", "set", "lo", "up")
        yield spaces
    finally:
        for space in spaces:
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


@contextmanager
def program(*command: str) -> Iterator[subprocess.Popen[str]]:
    """A program in the background that has said 'ready'."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if line != "ready\n":
                assert process.stderr is not None
                raise AssertionError(f"{command[0]}: {line}{process.stderr.read()}")
            yield process
        finally:
            if process.poll() is None:
                process.terminate()


def _introduce(space: str, peer: str, address: str) -> None:
    """A permanent neighbour entry for the peer's e0.

    Packets that wait for ARP are sent by the CPU that takes the reply, and one that is sent
    meanwhile on another CPU passes them: the kernel would reorder before the link does anything.
    """
    shown = json.loads(call("ip", "-j", "-n", peer, "link", "show", "e0"))
    entry = [address, "lladdr", shown[0]["address"], "nud", "permanent", "dev", "e0"]
    call("ip", "-n", space, "neigh", "replace", *entry)


@contextmanager
def joined(*options: str) -> Iterator[tuple[str, str, subprocess.Popen[str]]]:
    """Two namespaces, 10.1.0.1 and 10.1.0.2, with penstock-link between them."""
    with namespaces("a", "b") as (a, b):
        ends = [f"{a}:e0", f"{b}:e0"]
        with program(str(find("penstock-link")), *ends, *options) as link:
            for number, space in ((1, a), (2, b)):
                call("ip", "-n", space, "addr", "add", f"10.1.0.{number}/24", "dev", "e0")
            _introduce(a, b, "10.1.0.2")
            _introduce(b, a, "10.1.0.1")
            yield a, b, link


def probe(sender: str, receiver: str, count: int, every_ms: float) -> list[tuple[int, float]]:
    """UDP packets through a link: (number, time on the way in ms) of those that arrived."""
    there = inside(receiver, sys.executable, str(PROBE), "receive", "10.1.0.2", "7000", str(count))
    with program(*there) as listening:
        arguments = ["send", "10.1.0.2", "7000", str(count), str(every_ms)]
        call(*inside(sender, sys.executable, str(PROBE), *arguments))
        out, _ = listening.communicate(timeout=60)
    rows = [line.split() for line in out.splitlines()]
    return [(int(number), float(ms)) for number, ms in rows]


def start_penstock(scenario: Path, *options: str) -> subprocess.Popen[str]:
    """`penstock run` on the live backend, in the background."""
    command = [*PENSTOCK, "run", str(scenario), "--backend", "live"]
    return subprocess.Popen(
        [*command, *options, "-j"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


def ended(scenario: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A live run of one cell, of which nothing is left."""

    process = start_penstock(scenario, *options)
    out, err = process.communicate(timeout=300)
    assert left_by(process.pid) == []
    raise_if_busy(err)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def play(scenario: Path, *options: str) -> dict[str, Any]:
    """A live run of one cell; its row."""
    done = ended(scenario, *options)
    assert done.returncode == 0, done.stderr
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def spaces_of(pid: int) -> list[str]:
    """The namespaces of a live run."""
    names = [line.split()[0] for line in call("ip", "netns", "list").splitlines() if line]
    return [name for name in names if name.startswith(f"penstock-{pid}-")]


def wait_for_spaces(pid: int, seconds: float = 60) -> None:
    """Waits until a live run has set up its hosts."""
    end = time.monotonic() + seconds
    while len(spaces_of(pid)) < 4:
        assert time.monotonic() < end, "the run has made no namespaces"
        time.sleep(0.05)


def left_by(pid: int) -> list[str]:
    """All that a live run may have left on this machine."""
    pins = PINS.iterdir() if PINS.is_dir() else ()
    locks = LOCKS.iterdir() if LOCKS.is_dir() else ()
    files = [str(path) for path in (*pins, *locks) if _names(pid, path.name)]
    return [*spaces_of(pid), *files, *_programs_of(pid)]


def _names(pid: int, text: str) -> bool:
    return re.search(rf"(?<!\d){pid}(?!\d)", text) is not None


def _programs_of(pid: int) -> Sequence[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text(errors="replace").split("\0")
        except OSError:
            continue
        if "penstock-l" in words[0] and _names(pid, " ".join(words[1:])):
            found.append(" ".join(words))
    return found
