# SPDX-License-Identifier: GPL-2.0-only
"""A table of text, for people."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """Rows below headers; the caller says how many columns are text."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
