# SPDX-License-Identifier: GPL-2.0-only
"""What a report is about, gathered from a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from penstock import params
from penstock.scenario.model import Paper
from penstock.store import Store
from penstock.tables import Line, summarise

Place = tuple[str, int, str]  # receivers, flows, method

_SHORT: Final = {
    "droptail": "drop-tail",
    "red": "RED",
    "ared": "ARED",
    "ewa": "EWA",
    "awm": "AWM",
    "ewt": "EWT",
    "ewt_iot": "EWT-IoT",
}


@dataclass(frozen=True)
class Data:
    """Results and provenance, ready to be shown."""

    about: Mapping[str, Any]
    plan: Mapping[str, Any]
    lines: list[Line]
    runs: int
    series: Mapping[Place, Mapping[str, Any]]
    served: list[dict[str, Any]]
    paper: Paper | None

    def line(self, receivers: str, flows: int, method: str) -> Line | None:
        """The means of one combination, if it was run."""
        for line in self.lines:
            if (line.receivers, line.flows, line.method) == (receivers, flows, method):
                return line
        return None


def method_name(name: str) -> str:
    """A method as the literature writes it."""
    return _SHORT.get(name, name)


def method_title(name: str) -> str:
    """A method's full title, from core/."""
    method = params.methods().get(name)
    return method.title if method else name


def gather(store: Store) -> Data:
    """Reads a folder of results; exit 78 if it has none."""
    about = store.provenance()
    rows = store.rows()
    series = {}
    for row in rows:
        if row.series:
            columns = row.columns
            place = (
                str(columns["receivers"]),
                int(columns["flows"] or 0),
                str(columns["method"]),
            )
            series[place] = row.series
    return Data(
        about=about,
        plan=about["plan"],
        lines=summarise(row.columns for row in rows),
        runs=len(rows),
        series=series,
        served=store.capacity(),
        paper=Paper.model_validate(about["paper"]) if about["paper"] else None,
    )
