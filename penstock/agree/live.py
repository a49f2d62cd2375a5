# SPDX-License-Identifier: GPL-2.0-only
"""Compares two result directories: how well the simulator predicts the live lab."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock.errors import ConfigError
from penstock.results import tables
from penstock.results.tables import Line
from penstock.runs.store import Store

COLUMNS: Final = ("goodput_mbps_total", "queue_bytes_mean", "drops", "jain")
PREDICTED: Final = {"goodput_mbps_total": 0.1, "queue_bytes_mean": 0.1}  # within this ratio

Key = tuple[str, int, str, str]


@dataclass(frozen=True)
class Pair:
    """One combination in both folders: means over seeds by column."""

    receivers: str
    flows: int
    settings: str  # of the scenario, that were swept or set
    method: str
    live: Mapping[str, float]
    simulated: Mapping[str, float]

    def deviation(self, column: str) -> float:
        """Simulated over live, less one; 0 where both are 0."""
        live, simulated = self.live[column], self.simulated[column]
        if not live:
            return 0.0 if not simulated else float("inf")
        return simulated / live - 1

    @property
    def is_predicted(self) -> bool:
        """Whether goodput and mean queue are as near as PREDICTED asks for."""
        return all(abs(self.deviation(column)) <= most for column, most in PREDICTED.items())


def _lines(folder: Path) -> dict[Key, Line]:
    store = Store(folder)
    store.provenance()
    rows = (row.columns for row in store.rows())
    lines = tables.summarise(rows)
    return {(line.receivers, line.flows, line.settings, line.label): line for line in lines}


def _means(line: Line) -> dict[str, float]:
    found = {column: line.means[column] for column in COLUMNS}
    return {column: mean.mean for column, mean in found.items() if mean is not None}


def pairs(live: Path, simulated: Path) -> Iterator[Pair]:
    """The combinations that both folders have, in the order of the first."""
    ours, theirs = _lines(live), _lines(simulated)
    both = [key for key in ours if key in theirs]
    if not both:
        raise ConfigError(
            f"{live} and {simulated} have no combination of method and flows in common"
        )
    for key in both:
        yield Pair(*key, _means(ours[key]), _means(theirs[key]))
