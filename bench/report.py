# SPDX-License-Identifier: GPL-2.0-only
"""`make bench`: builds the benchmarks, runs them, and prints what they found."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from instructions import per_segment

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "bench"
SCENARIO = ROOT / "bench" / "dumbbell.toml"
PAPER_RUN = ("ewt-2019/scenario-1", "-m", "all", "--seeds", "10", "--workers", "1")
BACKEND_MISSING = 69
ROUNDS = 5

# Instructions per delivered segment of others on the same dumbbell with 24 flows,
# measured in the same way (valgrind 3.19, gcc 12, 2026-11).
OTHERS = (
    ("ns-3.44, wheel, without FlowMonitor", 295_500),
    ("htsim (Broadcom/csg-htsim 841d9e7), NewReno without SACK", 6_761),
)


@dataclass(frozen=True)
class Work:
    """A size of the dumbbell; the large one has a link and a queue to match."""

    flows: int
    options: tuple[str, ...] = ()


WORKS = (
    Work(24),
    Work(240),
    Work(2400, ("--rate-bps", "4500000000", "--queue-bytes", "9700000", "--size-bytes", "1000000")),
)

# A million connections of web users, 500 of them open at a time: 2,000 pages of 500 users.
WEB_USERS = Work(500, ("--pages", "2000", "--rate-bps", "1000000000", "--queue-bytes", "2000000"))


def need(tool: str, package: str, found: bool) -> None:
    """Ends with one line that says what to install."""
    if not found:
        sys.exit(f"penstock: the benchmark needs {tool}: sudo apt install {package}")


def build() -> None:
    """Builds quietly; shows the log if that fails."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    configure = ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja"]
    configure += ["-DPENSTOCK_PYTHON=OFF", "-DPENSTOCK_BENCH=ON"]
    for command in (configure, ["cmake", "--build", str(BUILD), "-j", "2"]):
        done = subprocess.run(
            command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}penstock: {' '.join(command)} failed")


def play(work: Work) -> dict[str, float]:
    """One whole run in a process of its own, so that its memory is its own."""
    command = [str(BUILD / "bench/dumbbell"), "--flows", str(work.flows), *work.options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def whole_runs() -> None:
    """Speed by size, and memory as the slope between two sizes."""
    print("\nWhole runs: CUBIC, SACK, delayed ACK, statistics, EWT gateway")
    print(f"(median of {ROUNDS} rounds; processor time of the run alone)\n")
    print(f"{'flows':>6} {'segments':>10} {'cpu s':>9} {'kseg/s':>8} {'ev/seg':>7} {'peak MB':>8}")
    peaks = {}
    for work in WORKS:
        runs = [play(work) for _ in range(ROUNDS)]
        cpu_s = median(run["cpu_s"] for run in runs)
        segments, events = runs[0]["segments"], runs[0]["events"]
        peaks[work.flows] = median(run["peak_rss_bytes"] for run in runs)
        print(
            f"{work.flows:6} {segments:10} {cpu_s:9.4f} {segments / cpu_s / 1000:8.0f} "
            f"{events / segments:7.2f} {peaks[work.flows] / 1e6:8.2f}"
        )
    slope = (peaks[240] - peaks[24]) / (240 - 24)
    print(f"\nPeak memory grows by {slope:.0f} bytes per flow between 24 and 240 flows.")


def web_users() -> None:
    """Speed and memory with connections that begin and end; one round, as it is long."""
    run = play(WEB_USERS)
    print("\n1,000,000 connections of web users, 500 open at a time, over 1 Gbit/s\n")
    print(
        f"{run['segments']:,} segments, {run['segments'] / run['cpu_s'] / 1e6:.2f} M a second of "
        f"processor time; peak memory {run['peak_rss_bytes'] / 1e6:.1f} MB"
    )


def instructions() -> None:
    """Ours, and what others took for the same."""
    ours, events = per_segment(BUILD / "bench/dumbbell")
    print("\nInstructions per delivered segment, 24 flows (callgrind)\n")
    print(f"{ours:12,.0f}  1.0x  Penstock ({events:.2f} events per segment)")
    for name, theirs in OTHERS:
        print(f"{theirs:12,}  {theirs / ours:.1f}x  {name}; published figure")


def penstock_run(*options: str) -> subprocess.CompletedProcess[str]:
    """`penstock run`, which prints a row for each run."""
    command = [str(Path(sys.executable).parent / "penstock"), "run", *options, "-j"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def children_cpu_s() -> float:
    """Processor time of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def paper_run() -> None:
    """A whole scenario of a paper, with all that is loaded, counted and printed."""
    begin, cpu_begin = time.perf_counter(), children_cpu_s()
    done = penstock_run(*PAPER_RUN)
    elapsed_s, cpu_s = time.perf_counter() - begin, children_cpu_s() - cpu_begin
    done.check_returncode()
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    events = sum(row["events"] for row in rows)
    print(f"\npenstock run {' '.join(PAPER_RUN)}\n")
    print(
        f"{len(rows):,} runs, {events / 1e6:.0f} M events: {elapsed_s:.1f} s; "
        f"{events / cpu_s / 1e6:.2f} M events per second of {cpu_s:.1f} s of processor time"
    )


def wall_s(backend: str) -> dict[str, float] | None:
    """Seconds that each method's run took; None without the backend."""
    done = penstock_run(str(SCENARIO), "--workers", "1", "--backend", backend)
    if done.returncode == BACKEND_MISSING:
        print(f"\nNot played in {backend} here: {done.stderr.strip()}")
        return None
    done.check_returncode()
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["method"]: row["wall_s"] for row in rows}


def beside_ns3() -> None:
    """The same scenario in the simulator and in ns-3, one after the other."""
    theirs = wall_s("ns3")
    if theirs is None:
        return
    ours = wall_s("sim")
    assert ours is not None
    print("\nThe same scenario (bench/dumbbell.toml), seconds for a run\n")
    print(f"{'method':10} {'Penstock':>9} {'ns-3':>9} {'ratio':>7}")
    for method, ns3_s in theirs.items():
        print(f"{method:10} {ours[method]:9.3f} {ns3_s:9.3f} {ns3_s / ours[method]:6.0f}x")


def main() -> None:
    """Prints everything; ends with a reason if a tool is missing."""
    need("valgrind", "valgrind", shutil.which("valgrind") is not None)
    header = Path("/usr/include/benchmark/benchmark.h")
    need("google-benchmark", "libbenchmark-dev", header.exists())
    print("-- building", flush=True)
    build()
    print("-- parts", flush=True)
    subprocess.run(
        [str(BUILD / "bench/micro"), "--benchmark_min_time=0.2", "--benchmark_color=false"],
        stderr=subprocess.DEVNULL,
        check=True,
    )
    whole_runs()
    web_users()
    instructions()
    paper_run()
    beside_ns3()
    print("\n-- a cluster on this machine", flush=True)
    subprocess.run([sys.executable, str(Path(__file__).with_name("cluster.py"))], check=True)


if __name__ == "__main__":
    main()
