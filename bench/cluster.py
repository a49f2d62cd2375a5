# SPDX-License-Identifier: GPL-2.0-only
"""Measures `--cluster`: efficiency at 1, 2 and 4 workers, and small cells per second.

Prints a table: seconds of whole commands, first with one worker and no cluster, then on clusters
of `penstock cluster`. The efficiency is the speed-up over the former, divided by the workers, or
by the processors of this machine where there are fewer. The processor time includes the start
and end of the cluster; other load on the machine hardly changes it.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PENSTOCK: Final = (sys.executable, "-m", "penstock")
WORKERS: Final = (1, 2, 4)
LINK: Final = ("--rtt", "20ms", "--buffer", "60000")
# A second each: transfers over a link of 100 Mbit/s.
LONG: Final = ("--rate", "100mbit", "--size", "120MB", "--flows", "24", "--window", "auto")
# Some milliseconds each.
SMALL: Final = ("--rate", "10mbit", "--size", "30kB", "--flows", "2", "--window", "65535")


def penstock(folder: Path, *arguments: str) -> tuple[float, str]:
    """The seconds that a command takes, and what it prints."""
    began = time.perf_counter()
    done = subprocess.run(
        [*PENSTOCK, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return time.perf_counter() - began, done.stdout


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """The address of a cluster on this machine."""
    command = [*PENSTOCK, "cluster", "--workers", str(workers), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, process_group=0
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)


def comparable(printed: str) -> list[dict[str, object]]:
    """Rows without what a machine needed for them."""
    return [{**json.loads(line), "wall_s": None} for line in printed.splitlines()]


def cpu_s() -> float:
    """The processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(folder: Path, what: str, cells: int, command: Sequence[str]) -> None:
    """One worker without a cluster, then clusters of several sizes; a line of the table each."""

    def show(workers: str, took_s: float, before_s: float, efficiency: str = "") -> None:
        numbers = f"{took_s:>8.1f} {cells / took_s:>8.1f} {cpu_s() - before_s:>6.1f}"
        print(f"{what:<6} {cells:>6,} {workers:>8} {numbers} {efficiency:>11}", flush=True)

    before_s = cpu_s()
    base_s, alone = penstock(folder, *command, "--workers", "1")
    show("alone", base_s, before_s)
    for workers in WORKERS:
        before_s = cpu_s()
        with cluster(workers) as address:
            took_s, there = penstock(folder, *command, "--cluster", address)
        if comparable(there) != comparable(alone):
            sys.exit(f"{what}: the cluster's rows are not those of one machine")
        usable = min(workers, len(os.sched_getaffinity(0)))
        show(str(workers), took_s, before_s, f"{base_s / usable / took_s:.0%}")


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", type=int, default=10_000, help="how many small cells")
    parser.add_argument("--long", type=int, default=8, help="how many cells of a second or two")
    counts = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a cluster shall not ignore it
    print(f"processors: {len(os.sched_getaffinity(0))}")
    print("cells   count  workers  seconds  cells/s  cpu s  efficiency", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, count, link in (("long", counts.long, LONG), ("small", counts.small, SMALL)):
            if count:
                penstock(folder, "new-link", f"{what}.toml", *LINK, *link)
                run = ["run", f"{what}.toml", "-j", "-m", "droptail", "--seeds", str(count)]
                measure(folder, what, count, run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
