# SPDX-License-Identifier: GPL-2.0-only
"""The command as users run it, and a scenario small enough to run often."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from forked import PATIENCE_S, Server

from penstock.plan.cells import Cell
from penstock.scenario.read import read

Run = Callable[..., subprocess.CompletedProcess[str]]


def network(queue: str) -> str:
    """The link of small scenarios."""
    return f"""\
[topology]
shape = "dumbbell"

[link.access]
rate = "100mbit"
delay = "1ms"

[link.bottleneck]
rate = "10mbit"
delay = "20ms"
queue = "{queue}"

[link.egress]
rate = "100mbit"
delay = "1ms"

[gateway.left]
link = "bottleneck"
"""


SMALL = f"""\
[scenario]
title = "Small"

[sweep]
methods = ["droptail", "ewt"]
flows = [3]
receivers = ["65535", "auto"]
seeds = 2

{network("30kB")}
[tcp.bulk]
from = "senders"
to = "receivers"
size = "300kB"
start = "0s..1s"

[sample]
interval = "100ms"
"""


def head(
    title: str, flows: int = 1, receivers: str = "65535", methods: Sequence[str] = ("droptail",)
) -> str:
    """How a scenario begins; more keys of [sweep] may follow."""
    return (
        f'[scenario]\ntitle = "{title}"\n\n[sweep]\nmethods = {list(methods)}\n'
        f'flows = [{flows}]\nreceivers = ["{receivers}"]\n'
    )


# A path of 80 ms and 20 Mbit/s; traffic is to be added.
LONG_PATH = (
    head("A long path", receivers="4MB")
    + """\

[topology]
shape = "dumbbell"

[link.access]
rate = "1gbit"
delay = "1ms"

[link.bottleneck]
rate = "20mbit"
delay = "38ms"
queue = "150kB"

[link.egress]
rate = "1gbit"
delay = "1ms"

[gateway.r1]
link = "bottleneck"
"""
)


def long_path(folder: Path, traffic: str, *sets: tuple[str, str]) -> Cell:
    """The only cell of LONG_PATH with that traffic."""
    path = folder / "one.toml"
    path.write_text(LONG_PATH + traffic)
    return Cell(read(str(path), sets).scenario, "droptail", "safe", "4000000", 1, 1)


def bulk(name: str, congestion: str, count: int) -> str:
    """Bulk transfers as a group of a scenario."""
    return f"""
[tcp.{name}]
from = "senders"
to = "receivers"
size = "10MB"
count = {count}
congestion = "{congestion}"
rack = true
"""


def alone(folder: Path, congestion: str, *sets: tuple[str, str]) -> Cell:
    """One bulk transfer, called `bulk`, over the long path."""
    return long_path(folder, bulk("bulk", congestion, 1), *sets)


_SERVER = Server()


def command(
    *arguments: object, cwd: Path | None = None, first: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs `penstock` in a process of its own, forked from one that has loaded it.

    `first` is Python that runs before the command.
    """
    return _SERVER.run(list(map(str, arguments)), cwd, {**os.environ, "COLUMNS": "200"}, first)


def rows(output: str) -> list[dict[str, Any]]:
    """The objects of `-j`, without the one column that varies."""
    found = [json.loads(line) for line in output.splitlines()]
    for row in found:
        assert row.pop("wall_s") >= 0
    return found


def start(folder: Path, *arguments: str, python: Sequence[str] = ()) -> subprocess.Popen[str]:
    """A run that is not waited for, in a process group of its own, as from a shell."""
    return subprocess.Popen(
        [sys.executable, *python, "-m", "penstock", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def until(holds: Callable[[], bool]) -> None:
    """Returns once that is so."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def wait_for_cells(folder: Path, count: int) -> None:
    """Returns once that many cells are finished."""
    until(lambda: len(list((folder / "cells").glob("*.json"))) >= count)


def status(pid: str) -> Mapping[str, str]:
    """The fields of /proc/PID/status; empty if the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def ancestors(pid: str) -> list[str]:
    """The parents of a process, the nearest first."""
    found = []
    while (parent := status(pid).get("PPid", "0")) != "0":
        found.append(parent)
        pid = parent
    return found


def alive(pid: str) -> bool:
    """True for a process that is neither gone nor a zombie."""
    return status(pid).get("State", "Z")[0] not in "ZX"


def descendants(pid: int) -> list[str]:
    """The processes that come from `pid`."""
    every = [each for each in os.listdir("/proc") if each.isdigit()]
    return [each for each in every if str(pid) in ancestors(each)]
