# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, where there is one."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from chromium import Chromium


def browser(folder: Path) -> Chromium:
    """A new browser with its profile in `folder`; skips where there is none."""
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    return Chromium(folder / "profile")
