# SPDX-License-Identifier: GPL-2.0-only
"""Where a cell can run: one module a backend, loaded when it is asked for."""

import importlib
from dataclasses import dataclass
from typing import Any, Final, Protocol

from penstock.cells import Cell
from penstock.errors import Exit, UserError
from penstock.metrics import Value
from penstock.scenario.model import WIRE, Scenario

_MODULES: Final = {
    "sim": "penstock.backends.sim",
    "sim-aligned": "penstock.backends.sim_aligned",
    "ns3": "penstock.backends.ns3",
    "ns3-aligned": "penstock.backends.ns3_aligned",
    "live": "penstock.backends.live",
    "live6": "penstock.backends.live6",
}

_NS3: Final = ("ns3", "ns3-aligned")
_WITH_RADIO: Final = _NS3
_WITHOUT_AUTOTUNING: Final = _NS3


@dataclass(frozen=True)
class Row:
    """What a run gives: its columns, and its series if the cell is sampled."""

    columns: dict[str, Value]
    series: dict[str, Any] | None = None


class Backend(Protocol):
    """A way to run cells. `engine` names it with its exact version.

    `most_workers`, where there is one, is how many cells may run at a time. `needs_process`,
    where it is true, keeps cells out of the main process: they start programs, which only the
    end of a worker process takes along.
    """

    engine: str

    def run(self, cell: Cell) -> Row:
        """Runs one cell; raises RuntimeError or ValueError when it cannot."""


def check(name: str, scenario: Scenario) -> None:
    """Exit 69 if the scenario has what the backend has not."""
    for link, spec in scenario.link.items():
        if spec.medium != WIRE and name not in _WITH_RADIO:
            raise UserError(
                f"link {link!r} is {spec.medium}, which the {name} backend does not have; "
                f"add --backend {_WITH_RADIO[0]}",
                Exit.BACKEND_MISSING,
            )


def autotunes(name: str) -> bool:
    """Whether receivers there can size their windows themselves."""
    return name not in _WITHOUT_AUTOTUNING


def get(name: str) -> Backend:
    """The backend of that name; exit 69 where there is none."""
    if name not in _MODULES:
        known = ", ".join(_MODULES)
        raise UserError(
            f"there is no backend {name!r} here; available: {known}", Exit.BACKEND_MISSING
        )
    backend: Backend = importlib.import_module(_MODULES[name]).backend()
    return backend
