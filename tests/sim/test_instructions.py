# SPDX-License-Identifier: GPL-2.0-only
"""The simulator stays lean: a guard on instructions, which noise does not touch."""

import importlib.util
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DUMBBELL = ROOT / "build/tests/bench/dumbbell"

# The aim is 4,000; gcc 12 makes 2,500. Between the two is room for other compilers.
MOST_INSTRUCTIONS = 3_200


def test_instructions_per_delivered_segment() -> None:
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    if not DUMBBELL.exists():
        pytest.skip("the C++ tests are not built (make test does it)")
    spec = importlib.util.spec_from_file_location("instructions", ROOT / "bench/instructions.py")
    assert spec
    assert spec.loader
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    instructions, events = bench.per_segment(DUMBBELL)
    assert events > 2  # it did play
    assert instructions < MOST_INSTRUCTIONS
