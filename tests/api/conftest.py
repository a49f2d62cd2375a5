# SPDX-License-Identifier: GPL-2.0-only
"""Makes tools/ importable, for the notebooks, and what these tests share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).parent))
