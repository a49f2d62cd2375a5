# SPDX-License-Identifier: GPL-2.0-only
"""TCP without the network: the program of `sim/tcp/example` transfers what it should."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "build/tests/lossy_pipe"


def played(size_bytes: int, loss: int) -> tuple[int, float, int, int]:
    """Bytes delivered, seconds, segments sent again, and all segments."""
    if not EXAMPLE.exists():
        pytest.skip("the C++ tests are not built (make test does it)")
    command = [str(EXAMPLE), str(size_bytes), str(loss)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.fullmatch(r"(\d+) bytes in ([\d.]+) s, (\d+) segments of (\d+) sent again\n", text)
    assert found, text
    return int(found[1]), float(found[2]), int(found[3]), int(found[4])


def test_every_byte_arrives_and_each_lost_segment_is_sent_again() -> None:
    delivered, seconds, again, segments = played(1_000_000, 100)
    assert delivered == 1_000_000
    assert again == segments // 100
    assert seconds > played(1_000_000, 10**9)[1]


def test_it_needs_nothing_of_the_network() -> None:
    if not EXAMPLE.exists() or not shutil.which("nm"):
        pytest.skip("the C++ tests are not built (make test does it), or there is no nm")
    symbols = subprocess.run(["nm", "-C", EXAMPLE], check=True, capture_output=True, text=True)
    rooms = set(re.findall(r"penstock::(\w+)::", symbols.stdout))
    assert rooms == {"tcp"}


def test_it_stays_as_short_as_the_docs_say() -> None:
    source = ROOT / "sim/tcp/example/lossy_pipe.cpp"
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 60
