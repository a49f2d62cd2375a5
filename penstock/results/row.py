# SPDX-License-Identifier: GPL-2.0-only
"""What one run gives."""

from dataclasses import dataclass, field
from typing import Any

from penstock.results.metrics import Value


@dataclass(frozen=True)
class Row:
    """What a run gives: its columns, its series if the cell is sampled, those of its columns
    that each group of traffic has, where there are several, lists by single flow, those of its
    columns that each queue has, how long the transfers of users took, and how long packets waited,
    those of each group too.
    """

    columns: dict[str, Value]
    series: dict[str, Any] | None = None
    groups: list[dict[str, Value]] = field(default_factory=list)
    flows: dict[str, list[Any]] = field(default_factory=dict)
    queues: list[dict[str, Value]] = field(default_factory=list)
    completions: dict[str, list[Any]] = field(default_factory=dict)
    delays: dict[str, list[Any]] = field(default_factory=dict)
    group_delays: list[dict[str, Value]] = field(default_factory=list)
