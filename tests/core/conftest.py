# SPDX-License-Identifier: GPL-2.0-only
"""Makes `twins` importable: the methods in floating point, written from the papers."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile(
    "core", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("core")
