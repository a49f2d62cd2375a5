# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the lab's tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from lab_support import SMALL, Run, command


@pytest.fixture(name="penstock")
def _penstock(tmp_path: Path) -> Run:
    return lambda *arguments: command(*arguments, cwd=tmp_path)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario file that runs in a moment."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path
