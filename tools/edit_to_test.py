# SPDX-License-Identifier: GPL-2.0-only
"""Measures the time from a changed line in a header of core/ to the result of its own test.

Each header, or each one that is named, gets a line more; what its test needs is built, and the
test run. The header is then as before. Seconds are those that passed, and those of the processor.
Exit code 1 if one takes more than ten seconds of two processors, or a test fails.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tree import ROOT

BUILD: Final = ROOT / "build" / "edit"
CORE: Final = ROOT / "core"
TESTS: Final = ROOT / "tests" / "core"
WHOLE_RANGE: Final = TESTS / "range_test.cpp"  # of all methods
MOST_S: Final = 10.0
_OPTIONS: Final = ("-DPENSTOCK_TESTS=ON", f"-DPython_EXECUTABLE={sys.executable}")
# The installed module stays as it is.
_PYTEST: Final = """
import sys
sys.path[:0] = ["tests/sim"]
import with_native
with_native.load(sys.argv[1])
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[2]]))
"""


@dataclass(frozen=True)
class Measured:
    """One header, its test, and what it took."""

    header: Path
    test: Path
    passed_s: float
    processor_s: float
    is_good: bool


def functions_of(header: Path) -> set[str]:
    """The names that it defines."""
    return set(re.findall(r"^PST_FN [^;{]*?\b(pst_\w+)\(", header.read_text(), re.M))


def includers_of(header: Path) -> list[Path]:
    """The headers that include it themselves."""
    include = re.compile(rf'^#include "(?:[^"]*/)?{re.escape(header.name)}"$', re.M)
    return [each for each in sorted(CORE.rglob("*.h")) if include.search(each.read_text())]


def test_of(header: Path) -> Path:
    """The test of its name, or that calls it most, or of what includes it; else of all methods."""
    functions = functions_of(header)

    def calls(test: Path) -> int:
        return len(functions & set(re.findall(r"pst_\w+", test.read_text())))

    best = max(sorted(TESTS.glob("*_test.cpp")), key=calls)
    users = [user.stem for user in includers_of(header)]
    choice = [TESTS / f"{header.stem}_test.cpp", TESTS / f"test_{header.stem}.py"]
    choice += [best] if calls(best) else []
    choice += [TESTS / f"{user}_test.cpp" for user in users]
    choice += [TESTS / f"test_{user}.py" for user in users]
    choice += [TESTS / f"{header.parent.name}_test.cpp"]
    return next((test for test in choice if test.exists()), WHOLE_RANGE)


def build(test: Path) -> bool:
    """Builds what it needs."""
    target = "_native" if test.suffix == ".py" else test.stem
    command = ["cmake", "--build", str(BUILD), "-j", "2", "--target", target]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False).returncode == 0


def run(test: Path) -> bool:
    """True if it passes."""
    if test.suffix == ".py":
        module = next(BUILD.glob("_native*.so"))
        command = [sys.executable, "-c", _PYTEST, str(module), str(test)]
    else:
        command = [str(BUILD / test.stem), "--gtest_brief=1"]
    return subprocess.run(command, capture_output=True, cwd=ROOT, check=False).returncode == 0


def edited(text: str) -> str:
    """With a line more, which no build has seen."""
    before, end, after = text.rpartition("#endif")
    return f"{before}enum {{ pst_edited = {time.time_ns() & 0x7FFFFFFF} }};\n\n{end}{after}"


def measure(header: Path) -> Measured:
    """The time from the edit to the result."""
    test = test_of(header)
    build(test)
    text = header.read_text()
    try:
        before, started = os.times(), time.monotonic()
        header.write_text(edited(text))
        is_good = build(test) and run(test)
        passed_s, after = time.monotonic() - started, os.times()
    finally:
        header.write_text(text)
    processor_s = sum(after[2:4]) - sum(before[2:4])
    return Measured(header, test, passed_s, processor_s, is_good)


def main(names: Sequence[str]) -> int:
    """Exit code 0 if all results come in time."""
    headers = [ROOT / name for name in names] or sorted(CORE.rglob("*.h"))
    configure = ["cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", *_OPTIONS]
    subprocess.run(configure, capture_output=True, cwd=ROOT, check=True)
    bad = 0
    for header in headers:
        m = measure(header)
        late = min(m.passed_s, m.processor_s / 2) > MOST_S
        bad += late or not m.is_good
        words = "" if m.is_good else "  failed"
        print(
            f"{m.passed_s:6.1f} s {m.processor_s:6.1f} s  {m.header.relative_to(ROOT)}"
            f"  {m.test.name}{words}{'  late' if late else ''}",
            flush=True,
        )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
