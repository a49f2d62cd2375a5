# SPDX-License-Identifier: GPL-2.0-only
"""The simulator stays lean: a guard on instructions, which noise does not touch."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DUMBBELL = ROOT / "build/tests/bench/dumbbell"

# gcc 12 makes 2,484, and 2,588 for web users; other compilers differ by a few per cent.
MOST_INSTRUCTIONS = 2_600


def bench() -> Any:
    """The module that counts instructions; skips where it cannot."""
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    spec = importlib.util.spec_from_file_location("instructions", ROOT / "bench/instructions.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def built() -> Path:
    """The dumbbell; skips where there is none."""
    if not DUMBBELL.exists():
        pytest.skip("the C++ tests are not built (make test does it)")
    return DUMBBELL


def test_instructions_per_delivered_segment() -> None:
    instructions, events = bench().per_segment(built())
    assert events > 2  # it did play
    assert instructions < MOST_INSTRUCTIONS


def test_instructions_per_segment_of_web_users() -> None:
    few, many = (bench().count(built(), "--flows", "20", "--pages", pages) for pages in ("5", "25"))
    instructions = (many.instructions - few.instructions) / (many.segments - few.segments)
    assert many.segments > 3 * few.segments
    assert instructions < MOST_INSTRUCTIONS


def test_memory_follows_the_connections_that_live() -> None:
    peaks = []
    for pages in ("20", "400"):
        command = [str(built()), "--flows", "100", "--pages", pages, "--rate-bps", "1000000000"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(json.loads(done.stdout)["peak_rss_bytes"])
    # 38,000 connections more; each would have taken 970 bytes, and 120 at the gateway.
    assert peaks[1] - peaks[0] < 1_000_000
