# SPDX-License-Identifier: GPL-2.0-only
"""Limits that input is checked against without loading the format."""

from typing import Final

MAX_FLOWS: Final = 1_000_000  # of a run, about 1 kB each
MOST_QUEUES: Final = 100  # of a run that results have
