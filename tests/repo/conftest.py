# SPDX-License-Identifier: GPL-2.0-only
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))


@pytest.fixture
def root() -> Path:
    return ROOT
