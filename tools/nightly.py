# SPDX-License-Identifier: GPL-2.0-only
"""The runs that take hours, one after the other; what each printed is in build/nightly.

Names select some. --short runs each for a minute or so, which shows that it can be started.
"""

import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from run_tests import BIN, BUILD, JOBS, quiet, say

PENSTOCK = str(BIN / "penstock")
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
RESULTS = BUILD / "nightly"
FOLDER: Final = "FOLDER"  # in a command: a new folder for its results
GRID = (PENSTOCK, "run", "live/grid", "--backend", "live", "-o", FOLDER)
REAL = (PENSTOCK, "live", "real", "--check", "-o", FOLDER)
AGREE = (PENSTOCK, "agree", "-o", FOLDER)
REPRODUCE = (PENSTOCK, "reproduce", "ewt-2019", "-o", FOLDER)
MUTANTS = (sys.executable, "tools/mutants.py")
PROOFS = (sys.executable, "tools/prove.py")
SHORT: Final = "--short"
SUITES: Final = ("bookworm", "bookworm-backports", "trixie-backports")
GUEST = (sys.executable, "tools/guest_runs.py")
RANDOM = (sys.executable, "tools/random_links.py")
EVERYDAY = (*RANDOM, "--everyday")
# Each source by itself includes what it needs, which a compilation of several does not show. And
# the C++ tests by the default compiler, optimised, where `make test` has them sanitized.
APART = BUILD / "apart"
FUZZ = APART / "linux" / "gateway" / "fuzz_parse"
OPTIONS = "-DPENSTOCK_UNITY=OFF -DPENSTOCK_PYTHON=OFF -DPENSTOCK_TESTS=ON -DPENSTOCK_GATEWAY=ON"
COMPILE = f"cmake -S . -B {APART} -G Ninja {OPTIONS} && cmake --build {APART}"
CTEST = f"ctest --test-dir {APART} -j {JOBS} --timeout 300 --output-on-failure"
FUZZED = "fuzz sequence_test contest_test options_test penstock-world"
WORLD = str(APART / "tests" / "world" / "penstock-world")


@dataclass(frozen=True)
class Run:
    """A command, how often it is run, and its short form, which is run once."""

    name: str
    times: int
    command: Sequence[str]
    short: Sequence[str]


def _fuzz(runs: int) -> tuple[str, ...]:
    return (str(FUZZ), f"-runs={runs}", "-max_len=400")


def _sequences(steps: int, subject: str = "sequence") -> tuple[str, ...]:
    sizes = (f"PENSTOCK_FUZZ_STEPS={steps}", f"PENSTOCK_FUZZ_SYNS={steps}")
    return ("env", *sizes, str(APART / f"{subject}_test"))


# Tests in real time pass every time or are not steady.
RUNS: tuple[Run, ...] = (
    Run(
        "sources-apart",
        1,
        ("sh", "-c", f"{COMPILE} && {CTEST}"),
        ("sh", "-c", f"{COMPILE} --target {FUZZED} && {CTEST} -R options_test"),
    ),
    Run("parser-fuzz", 1, _fuzz(20_000_000), _fuzz(20_000)),
    Run("sequence-fuzz", 1, _sequences(200_000_000), _sequences(200_000)),
    Run("handshake-fuzz", 1, _sequences(10_000_000, "contest"), _sequences(20_000, "contest")),
    Run("option-fuzz", 1, _sequences(10_000_000, "options"), _sequences(20_000, "options")),
    Run("worlds", 1, (WORLD, "--seconds", "3600"), (WORLD, "--seconds", "20")),
    Run("proofs", 1, PROOFS, (*PROOFS, SHORT)),
    Run("mutants", 1, MUTANTS, (*MUTANTS, "R3", "CoDel-drops-without-a-count")),
    Run("long-tests", 1, (*PYTEST, "-m", "nightly"), (*PYTEST, "tests/ns3/test_freeze.py")),
    Run("live-tests", 20, (*PYTEST, "tests/live"), (*PYTEST, "tests/live/test_link.py")),
    Run("gateway-tests", 20, (*PYTEST, "tests/gateway"), (*PYTEST, "tests/gateway/test_tool.py")),
    Run(
        "passive-modems",
        1,
        (*PYTEST, "tests/gateway/nightly_modem.py"),
        (*PYTEST, "tests/gateway/nightly_modem.py", "-k", "0-1"),
    ),
    Run(
        "live-grid",
        1,
        GRID,
        (*GRID, "-m", "droptail", "-n", "1", "--receivers", "4MB", "--set", "time.limit=6s"),
    ),
    Run("live-real", 1, REAL, (*REAL, "told-double", "-m", "droptail")),
    Run(
        "agreement",
        1,
        AGREE,
        (*AGREE, "ewt-2019/scenario-1", "-m", "droptail", "-n", "4", "--seeds", "2"),
    ),
    Run("reproduce-ewt-2019", 1, REPRODUCE, (*REPRODUCE, "--quick", "--seeds", "1")),
    Run("random-links", 1, (*RANDOM, "--links", "150"), (*RANDOM, "--links", "5")),
    Run("everyday-links", 1, (*EVERYDAY, "--links", "80"), (*EVERYDAY, "--links", "8")),
    Run(
        "wheels",
        1,
        (sys.executable, "tools/make_wheels.py"),
        (sys.executable, "tools/make_wheels.py", SHORT),
    ),
    Run("container", 1, ("tools/try-container",), ("tools/try-container", SHORT)),
    Run("debian", 1, ("tools/try-debian",), ("tools/try-debian",)),
    Run("boot", 1, ("tools/try-boot", *SUITES), ("tools/try-boot",)),
    Run("old-kernel", 1, ("tools/try-kernel", *SUITES), ("tools/try-kernel", SHORT)),
    Run("guest-queues", 1, ("tools/try-queues",), ("tools/try-queues", SHORT)),
    *(
        Run(f"guest-{what}", 1, (*GUEST, what, "-o", FOLDER), (*GUEST, what, SHORT, "-o", FOLDER))
        for what in ("senders", "peers", "beyond")
    ),
)


def _command(run: Run, short: bool) -> list[str]:
    """What to run. Results of another night, which may be of another build, are removed."""
    folder = RESULTS / (f"{run.name}-short" if short else run.name)
    command = run.short if short else run.command
    if FOLDER in command:
        shutil.rmtree(folder, ignore_errors=True)
    return [str(folder) if argument == FOLDER else argument for argument in command]


def carry_out(run: Run, short: bool) -> bool:
    """Whether a run ended well each time."""
    started, bad, times = time.monotonic(), 0, 1 if short else run.times
    for number in range(times):
        bad += not quiet(RESULTS / f"{run.name}-{number + 1}.log", _command(run, short))
    say(f"{run.name}: {times - bad} of {times} well, {(time.monotonic() - started) / 60:.0f} min")
    return not bad


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 if all runs ended well; only those that are named, if there are any."""
    names = [argument for argument in arguments if argument != SHORT]
    if unknown := set(names) - {run.name for run in RUNS}:
        every = ", ".join(run.name for run in RUNS)
        say(f"there is no {', '.join(sorted(unknown))}; only {every}")
        return 2
    chosen = [run for run in RUNS if not names or run.name in names]
    done = [carry_out(run, SHORT in arguments) for run in chosen]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
