# SPDX-License-Identifier: GPL-2.0-only
"""Builds and runs all tests and checks, and sums them in the last line."""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import check
from compiler import has_header
from junit import Tally, read
from prove import SOLVER
from tree import ROOT

BUILD = ROOT / "build"
BIN = Path(sys.executable).parent
ENV = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
JOBS = str(min(os.cpu_count() or 1, 8))
TAIL_LINES = 60
SANITIZED = (
    "-DPENSTOCK_SANITIZE=ON",
    "-DCMAKE_BUILD_TYPE=Debug",
    "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
)
CLANG = ("clang-14", "clang++-14")


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


def cpp_tests(name: str, *options: str) -> Tally:
    """The GoogleTest binaries of one configuration."""
    if not has_header("gtest/gtest.h"):
        return Tally(skips=Counter([f"GoogleTest is not installed: C++ tests ({name})"]))
    folder = BUILD / name
    configure = ["cmake", "-S", ".", "-B", str(folder), "-G", "Ninja"]
    configure += ["-DPENSTOCK_PYTHON=OFF", "-DPENSTOCK_TESTS=ON", *options]
    if not quiet(folder / "configure.log", configure):
        return Tally(failed=[f"configuring {name}"])
    if not quiet(folder / "build.log", ["cmake", "--build", str(folder), "-j", JOBS]):
        return Tally(failed=[f"building {name}"])
    junit = folder / "ctest.xml"
    junit.unlink(missing_ok=True)
    run = ["ctest", "--test-dir", str(folder), "-j", JOBS, "--output-on-failure"]
    run += ["--timeout", "300", "--output-junit", str(junit)]
    ended_well = quiet(folder / "ctest.log", run)
    return honest(read(junit), ended_well, f"ctest ({name})")


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


def sanitized_tests() -> Tally:
    """The C++ tests once more: by clang, which takes half of gcc's time for it, if it is there."""
    tally = cpp_tests("sanitized", *SANITIZED, *clang_options(), *gateway_options())
    if not clang_options():
        tally.skips[f"{CLANG[1]} is not installed: C++ tests (clang)"] += 1
    return tally


def foreign_module() -> Tally:
    """The extension module built by clang, optimised; pytest compares its rows with gcc's."""
    options = clang_options()
    if not options:
        return Tally()
    folder = BUILD / "clang"
    configure = ["cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", *options]
    configure += ["-DPENSTOCK_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    done = quiet(folder / "configure.log", configure) and quiet(
        folder / "build.log", ["cmake", "--build", str(folder), "-j", JOBS, "-t", "_native"]
    )
    return Tally() if done else Tally(failed=["building the module by clang"])


def python_tests() -> Tally:
    """All of pytest's but the live ones."""
    return pytest("pytest", "-n", JOBS, "--ignore=tests/live")


def live_tests() -> Tally:
    """Those that run in real time: one after the other, with the machine to themselves."""
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
    ended_well = quiet(log, [sys.executable, "tools/prove.py"])
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


STAGES: tuple[tuple[str, Callable[[], Tally]], ...] = (
    ("static checks", static_checks),
    ("proofs", proofs),
    ("C++ tests", lambda: cpp_tests("tests", *gateway_options())),
    ("C++ tests, sanitized", sanitized_tests),
    ("module by clang", foreign_module),
    ("Python tests", python_tests),
    ("live tests", live_tests),
)


def main() -> int:
    """Exit code 0 if something passed and nothing failed."""
    total = Tally()
    for name, stage in STAGES:
        say(f"{name} ...")
        started = time.monotonic()
        tally = stage()
        say(f"{name}: {tally} ({time.monotonic() - started:.0f} s)")
        total += tally
    for failed in total.failed:
        print(f"FAILED   {failed}")
    for reason, count in sorted(total.skips.items()):
        print(f"skipped  {count} x {reason}")
    print(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
