# SPDX-License-Identifier: GPL-2.0-only
"""Compares two result directories: how well the simulator predicts the live lab.

Where runs were sampled, the congestion windows are compared as well: the mean of all sampled
connections after the warm-up.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock.errors import ConfigError
from penstock.results import differences, tables, windows
from penstock.results.grid import Grid
from penstock.results.store import Store
from penstock.results.tables import Line

WINDOW: Final = "cwnd_bytes_mean"
COLUMNS: Final = ("goodput_mbps_total", "queue_bytes_mean", "drops", "jain")
# Within this ratio.
PREDICTED: Final = {"goodput_mbps_total": 0.1, "queue_bytes_mean": 0.1, WINDOW: 0.1}


@dataclass(frozen=True)
class Pair:
    """One combination in both folders: means over seeds by column."""

    receivers: str
    flows: int
    settings: str  # of the scenario, that were swept or set
    method: str
    live: Mapping[str, float]
    simulated: Mapping[str, float]

    def deviation(self, column: str) -> float | None:
        """Simulated over live, less one; 0 where both are 0, None unless both have it."""
        if column not in self.live or column not in self.simulated:
            return None
        live, simulated = self.live[column], self.simulated[column]
        if not live:
            return 0.0 if not simulated else float("inf")
        return simulated / live - 1

    @property
    def is_predicted(self) -> bool:
        """Whether goodput, mean queue and mean window are as near as PREDICTED asks for."""
        found = [
            (self.deviation(column), most)
            for column, most in PREDICTED.items()
            if column != WINDOW or self.has_windows
        ]
        return all(by is not None and abs(by) <= most for by, most in found)

    @property
    def has_windows(self) -> bool:
        """Whether both runs were sampled."""
        return WINDOW in self.live and WINDOW in self.simulated


class _Results:
    """What a folder holds."""

    def __init__(self, folder: Path) -> None:
        store = Store(folder)
        clock = store.provenance().get("scenario", {}).get("setup", {}).get("time", {})
        self.warm_up_ns: int = clock.get("warm_up") or 0
        self.rows = store.rows()
        self.lines = tables.summarise(row.columns for row in self.rows)

    def means(self, line: Line) -> dict[str, float]:
        """The means of a combination; the window is that of its sampled run."""
        found = [
            windows.mean_bytes(row.series, row.columns, self.warm_up_ns)
            for row in self.rows
            if tables.is_of(row.columns, line)
        ]
        means = {column: line.means[column] for column in COLUMNS}
        sampled = [window for window in found if window is not None]
        known = {column: mean.mean for column, mean in means.items() if mean is not None}
        return {**known, WINDOW: sampled[0]} if sampled else known


def _both(pair: Pair, column: str, form: str) -> list[str]:
    """'-' where a run has no such value, as users have no Jain index."""
    return [
        format(side[column], form) if column in side else "-"
        for side in (pair.live, pair.simulated)
    ]


def _row(pair: Pair, windows_too: bool) -> list[str]:
    flows = ", ".join(filter(None, [str(pair.flows), pair.settings]))
    cells = [tables.receivers_text(pair.receivers), flows, pair.method]
    compared = [("goodput_mbps_total", ".2f"), ("queue_bytes_mean", ",.0f")]
    if windows_too:
        compared.insert(0, (WINDOW, ",.0f"))
    for column, form in compared:
        by = pair.deviation(column)
        cells += [*_both(pair, column, form), "-" if by is None else f"{100 * by:+.1f}"]
    for column, form in (("drops", ".0f"), ("jain", ".3f")):
        cells += _both(pair, column, form)
    return cells


def grid(found: Sequence[Pair]) -> Grid:
    """Both folders side by side."""
    windows_too = any(pair.has_windows for pair in found)
    headers = ["receivers", "flows", "method"]
    headers += ["cwnd live", "sim", "%"] if windows_too else []
    headers += ["Mbit/s live", "sim", "%", "queue live", "sim", "%"]
    headers += ["drops live", "sim", "Jain live", "sim"]
    return Grid("", headers, [_row(pair, windows_too) for pair in found])


def verdict(found: Sequence[Pair]) -> str:
    """How many combinations the simulator predicts."""
    good = sum(pair.is_predicted for pair in found)
    windows_too = any(pair.has_windows for pair in found)
    what = "goodput, mean queue and mean window" if windows_too else "goodput and mean queue"
    return f"{good} of {len(found)} have {what} within 10 %"


def pairs(live: Path, simulated: Path) -> Iterator[Pair]:
    """The combinations that both folders have, in the order of the first."""
    ours, theirs = _Results(live), _Results(simulated)
    both = differences.matches(ours.lines, theirs.lines)
    if not both:
        raise ConfigError(
            f"{live} and {simulated} have no combination of method and flows in common"
        )
    for line, other in both:
        place = line.receivers, line.flows, line.settings, line.label
        yield Pair(*place, ours.means(line), theirs.means(other))
