# SPDX-License-Identifier: GPL-2.0-only
"""How many flows each method serves at each level of loss, as tables."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from penstock.results import tables
from penstock.results.grid import Grid

_BASE: Final = "droptail"
NOTE: Final = (
    "flows served at a level: the mean loss is at most that with n flows, and above it with n + 1; "
    f"in brackets: against {_BASE}"
)

Record = Mapping[str, Any]  # of a search: a combination and a level


def _gain(flows: int | None, base: int | None) -> str:
    if flows is None or not base:
        return ""
    return f" ({100 * (flows - base) / base:+.0f} %)"


def _rows(
    served: Sequence[Record], levels: Sequence[float], most: int, own: Mapping[str, str]
) -> list[list[str]]:
    """A row for each variant, of those of one load."""
    found = {(tables.variant(each), each["level_percent"]): each["flows"] for each in served}
    base = {level: flows for ((name, *_), level), flows in found.items() if name == _BASE}
    rows = []
    for variant, label in tables.labels(key for key, _ in found).items():
        row = [tables.called(label, own)]
        for level in levels:
            flows = found[variant, level]
            gain = _gain(flows, base.get(level)) if variant[0] != _BASE else ""
            row.append((f"over {most}" if flows is None else str(flows)) + gain)
        rows.append(row)
    return rows


def grids(
    records: Sequence[Record], most: int, own: Mapping[str, str] = MappingProxyType({})
) -> list[Grid]:
    """A table for each load, of a search up to `most` flows: methods by levels.

    `own` are labels that a scenario gives its variants.
    """
    loads: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        loads.setdefault((record["receivers"], record.get("settings", "")), []).append(record)
    levels = list(dict.fromkeys(record["level_percent"] for record in records))
    headers = ["method", *(f"at {level:g} % loss" for level in levels)]
    found = []
    for (receivers, settings), served in loads.items():
        title = f"flows served, receive window {tables.receivers_text(receivers)}"
        title += f", {settings}" if settings else ""
        found.append(Grid(title, headers, _rows(served, levels, most, own)))
    return found
