# SPDX-License-Identifier: GPL-2.0-only
"""Builds and runs all tests and checks, and sums them in the last line."""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import check
from compiler import has_header
from junit import Tally, read
from prove import SOLVER
from tree import ROOT

BUILD = ROOT / "build"
BIN = Path(sys.executable).parent
# What several builds compile with the same options is compiled once, tools/setup's included.
LAUNCHER = {f"CMAKE_{language}_COMPILER_LAUNCHER": "ccache" for language in ("C", "CXX")}
ENV = {
    **({"CCACHE_DIR": str(BUILD / "ccache"), **LAUNCHER} if shutil.which("ccache") else {}),
    **os.environ,
    "PATH": f"{BIN}:{os.environ['PATH']}",
}
JOBS = str(min(os.cpu_count() or 1, 8))
# Neighbours stay together: they share fixtures, or take turns at what a kernel has once.
SHARED: Final = ("-n", JOBS, "--dist=worksteal", "-m", "not nightly")
TAIL_LINES = 60
SANITIZED = (
    "-DPENSTOCK_SANITIZE=ON",
    "-DCMAKE_BUILD_TYPE=Debug",
    "-DCMAKE_C_FLAGS_DEBUG=-g1",
    "-DCMAKE_CXX_FLAGS_DEBUG=-g1",
)
COMPILERS: Final = "tests/sim/test_compilers.py"
CLANG = ("clang-14", "clang++-14")
_BEHIND_NICENESS: Final = 10
_BATCH: Final = 8  # sources of a unit
_PROCESS_S: Final = 1200  # of C++ tests, beside other work
Stage = tuple[str, Callable[[], Tally]]


def say(text: str) -> None:
    """A line of progress."""
    print(f"-- {text}", flush=True)


def quiet(log: Path, command: Sequence[str]) -> bool:
    """Runs `command` into `log`; shows the end of it only on failure."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        done = subprocess.run(
            command, cwd=ROOT, env=ENV, stdout=out, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode:
        print("\n".join(log.read_text(errors="replace").splitlines()[-TAIL_LINES:]))
        say(f"that was the end of {log.relative_to(ROOT)}")
    return done.returncode == 0


def gateway_options() -> tuple[str, ...]:
    """Builds penstock-gw too where all it takes is there; its tests are skipped else."""
    headers = ("bpf/libbpf.h", "CLI/CLI.hpp", "toml++/toml.h", "nlohmann/json.hpp")
    tools = (("clang", "clang-14"), ("bpftool", "/usr/sbin/bpftool"))
    there = all(any(shutil.which(name) for name in names) for names in tools) and all(
        any(Path(root, header).exists() for root in ("/usr/include", "/usr/local/include"))
        for header in headers
    )
    return ("-DPENSTOCK_GATEWAY=ON",) if there else ()


def has_built(name: str, target: str, *options: str) -> bool:
    """Builds a target in a folder of its own."""
    folder = BUILD / name
    configure = ["cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", *options]
    build = ["cmake", "--build", str(folder), "-j", JOBS, "-t", target]
    return quiet(folder / "configure.log", configure) and quiet(folder / "build.log", build)


def pytest(name: str, *options: str) -> Tally:
    """One run of pytest."""
    junit = BUILD / f"{name}.xml"
    junit.unlink(missing_ok=True)
    run = [sys.executable, "-m", "pytest", "-q", f"--junitxml={junit}", *options]
    ended_well = quiet(BUILD / f"{name}.log", run)
    return honest(read(junit), ended_well, name)


def clang_options() -> tuple[str, ...]:
    """Chooses clang where it is installed."""
    if not all(shutil.which(name) for name in CLANG):
        return ()
    return (f"-DCMAKE_C_COMPILER={CLANG[0]}", f"-DCMAKE_CXX_COMPILER={CLANG[1]}")


def with_tests() -> tuple[str, ...]:
    """Options of a build without the module."""
    return ("-DPENSTOCK_PYTHON=OFF", "-DPENSTOCK_TESTS=ON", *gateway_options())


def programs() -> Tally:
    """What the tests in Python run, as a user has it: optimised, and by the default compiler."""
    if not has_header("gtest/gtest.h"):
        return Tally(skips=Counter(["GoogleTest is not installed: the tests' programs"]))
    native = BUILD / "native"  # tools/setup's
    built = (f"-DPENSTOCK_BUILT={native if (native / 'build.ninja').exists() else ''}",)
    done = has_built("tests", "programs", *with_tests(), *built)
    return Tally() if done else Tally(failed=["building the tests' programs"])


def ctest(folder: Path) -> Tally:
    """GoogleTest says how its tests ended, ctest how processes did."""
    junit = folder / "ctest.xml"
    results = folder / "results"
    for old in (junit, *results.glob("*.xml")):
        old.unlink(missing_ok=True)
    run = ["ctest", "--test-dir", str(folder), "-j", JOBS, "--output-on-failure"]
    run += ["--timeout", str(_PROCESS_S), "--output-junit", str(junit)]
    ended_well = quiet(folder / "ctest.log", run)
    tests = sum((read(result) for result in sorted(results.glob("*.xml"))), Tally())
    return honest(tests + read(junit, besides=results), ended_well, "ctest")


def cpp_tests() -> Tally:
    """Sanitized, and by clang where it is there, which takes half of gcc's time for it."""
    if not has_header("gtest/gtest.h"):
        return Tally(skips=Counter(["GoogleTest is not installed: C++ tests"]))
    if not has_built("sanitized", "all", *with_tests(), *SANITIZED, *clang_options()):
        return Tally(failed=["building the C++ tests"])
    tally = ctest(BUILD / "sanitized")
    if not clang_options():
        tally.skips[f"{CLANG[1]} is not installed: C++ tests (clang)"] += 1
    return tally


def foreign_module() -> Tally:
    """The extension module built by clang, optimised, gives the rows of gcc's."""
    options = clang_options()
    if not options:
        return Tally(skips=Counter([f"{CLANG[1]} is not installed: the module by clang"]))
    python = ("-DPENSTOCK_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}")
    # Whatever a unit takes in: its numbers count, not its speed.
    units = ("-DCMAKE_UNITY_BUILD=ON", f"-DCMAKE_UNITY_BUILD_BATCH_SIZE={_BATCH}")
    done = has_built("clang", "_native", *options, *python, *units)
    if not done:
        return Tally(failed=["building the module by clang"])
    return pytest("pytest-compilers", COMPILERS)


def gateway_tests() -> Tally:
    """penstock-gw, mostly in network namespaces."""
    return pytest("pytest-gateway", *SHARED, "tests/gateway")


def python_tests() -> Tally:
    """All of pytest's but the live, the gateway's, and those of the module by clang."""
    others = (f"--ignore={each}" for each in ("tests/live", "tests/gateway", COMPILERS))
    return pytest("pytest", *SHARED, *others)


def live_tests() -> Tally:
    """Those that run in real time, one after the other; nothing else may hold a processor."""
    return pytest("pytest-live", "tests/live")


def static_checks() -> Tally:
    """Each check counts as a test."""
    tally = Tally()
    for one in check.checks():
        if complaint := check.run(one):
            print(complaint)
            tally.failed.append(one.name)
        else:
            tally.passed += 1
    return tally


def proofs() -> Tally:
    """The window rules, proved for all inputs; what is proved of these sources stays so."""
    log = BUILD / "prove.log"
    if not has_header(SOLVER):
        return Tally(skips=Counter(["z3 is not installed: proofs of the window rules"]))
    ended_well = quiet(log, [sys.executable, "tools/prove.py", "--short"])
    lines = log.read_text().splitlines()
    failed = [line for line in lines if line.startswith("FAILED")]
    passed = int(lines[-1].split()[0]) if lines and lines[-1].endswith(" failed") else 0
    return honest(Tally(passed=passed, failed=failed), ended_well, "proofs")


def honest(tally: Tally, ended_well: bool, name: str) -> Tally:
    """A run that failed, or ran nothing, is a failure even if no test says so."""
    if not ended_well and not tally.failed:
        tally.failed.append(f"{name} itself")
    elif not tally.passed and not tally.failed:
        tally.failed.append(f"{name}: no test ran")
    return tally


FIRST: tuple[Stage, ...] = (("programs", programs),)
WAITING: tuple[Stage, ...] = (("gateway tests", gateway_tests),)
COMPUTING: tuple[Stage, ...] = (
    ("static checks", static_checks),
    ("C++ tests", cpp_tests),
    ("Python tests", python_tests),
)
LIVE: tuple[Stage, ...] = (("live tests", live_tests),)
IDLE: tuple[Stage, ...] = (("proofs", proofs), ("module by clang", foreign_module))


def carry_out(stages: Sequence[Stage]) -> Tally:
    """One stage after the other."""
    total = Tally()
    for name, stage in stages:
        say(f"{name} ...")
        started = time.monotonic()
        tally = stage()
        say(f"{name}: {tally} ({time.monotonic() - started:.0f} s)")
        total += tally
    return total


def be_nice() -> None:
    """The processors' time that others leave: a thread hands its niceness on."""
    os.nice(_BEHIND_NICENESS)


def be_idle() -> None:
    """Only what nobody uses: whoever wakes up in real time has the processor at once."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def beside(
    waiting: Sequence[Stage], computing: Sequence[Stage], behind: Callable[[], None]
) -> Tally:
    """Those that mostly wait come first whenever they have something to do."""

    def later() -> Tally:
        behind()
        return carry_out(computing)

    with ThreadPoolExecutor(1) as threads:
        rest = threads.submit(later)
        return carry_out(waiting) + rest.result()


def report(total: Tally, more: str = "") -> int:
    """Prints it. Exit code 0 if something passed and nothing failed."""
    for failed in total.failed:
        print(f"FAILED   {failed}")
    for reason, count in sorted(total.skips.items()):
        print(f"skipped  {count} x {reason}")
    print(f"{total}{more}")
    return 1 if total.failed or not total.passed else 0


def main() -> int:
    """Exit code 0 if something passed and nothing failed."""
    total = carry_out(FIRST) + beside(WAITING, COMPUTING, be_nice) + beside(LIVE, IDLE, be_idle)
    return report(total)


if __name__ == "__main__":
    sys.exit(main())
