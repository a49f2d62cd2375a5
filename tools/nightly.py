# SPDX-License-Identifier: GPL-2.0-only
"""The runs that take hours, one after the other; what each printed is in build/nightly."""

import sys
import time
from collections.abc import Sequence

from run_tests import BIN, BUILD, quiet, say

PENSTOCK = str(BIN / "penstock")
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
RESULTS = BUILD / "nightly"
FUZZ = BUILD / "tests" / "gateway" / "fuzz_parse"
SEQUENCES = (str(BUILD / "tests" / "core_tests"), "--gtest_filter=Sequences.*")

# Name, how often, command. Tests in real time pass every time or are not steady.
RUNS: tuple[tuple[str, int, Sequence[str]], ...] = (
    ("parser-fuzz", 1, (str(FUZZ), "-runs=20000000", "-max_len=400")),
    ("sequence-fuzz", 1, ("env", "PENSTOCK_FUZZ_STEPS=200000000", *SEQUENCES)),
    ("live-tests", 20, (*PYTEST, "tests/live")),
    ("gateway-tests", 20, (*PYTEST, "tests/gateway")),
    (
        "live-grid",
        1,
        (PENSTOCK, "run", "live/grid", "--backend", "live", "-o", str(RESULTS / "grid")),
    ),
    ("live-real", 1, (PENSTOCK, "live", "real", "-o", str(RESULTS / "real"))),
    ("agreement", 1, (PENSTOCK, "agree", "-o", str(RESULTS / "agreement"))),
    ("reproduce-ewt-2019", 1, (PENSTOCK, "reproduce", "ewt-2019", "-o", str(RESULTS / "ewt-2019"))),
)


def main(names: Sequence[str]) -> int:
    """Exit code 0 if all runs ended well; only those called `names`, if there are any."""
    if unknown := set(names) - {name for name, _, _ in RUNS}:
        say(f"there is no {', '.join(sorted(unknown))}; only {', '.join(n for n, _, _ in RUNS)}")
        return 2
    failed = 0
    for name, times, command in RUNS:
        if names and name not in names:
            continue
        started, bad = time.monotonic(), 0
        for number in range(times):
            bad += not quiet(RESULTS / f"{name}-{number + 1}.log", command)
        failed += bad
        say(f"{name}: {times - bad} of {times} well, {(time.monotonic() - started) / 60:.0f} min")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
