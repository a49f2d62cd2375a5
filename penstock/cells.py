# SPDX-License-Identifier: GPL-2.0-only
"""A cell: one run of a scenario, by method, receivers, number of flows and seed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from penstock import params
from penstock.scenario.model import Scenario

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True)
class Cell:
    """Everything that determines one run. `pcap_dir` adds captures and changes no result."""

    scenario: Scenario
    method: str
    mode: str
    receivers: str
    flows: int
    seed: int
    params: Mapping[str, int] = field(default_factory=dict)
    sampled: bool = False
    pcap_dir: str | None = None

    @property
    def label(self) -> str:
        """The cell as messages and file names call it."""
        return f"{self.method}-{self.mode}-{self.receivers}-n{self.flows}-s{self.seed}"


def key(cell: Cell, engine: str) -> str:
    """Content hash of a cell: 32 hex digits of what its result depends on."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "engine": engine,
        "setup": cell.scenario.setup(),
        "method": cell.method,
        "mode": cell.mode,
        "receivers": cell.receivers,
        "flows": cell.flows,
        "seed": cell.seed,
        "params": dict(cell.params),
        "sampled": cell.sampled,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Plan:
    """The sweep to run: the scenario's, as the command line changes it."""

    scenario: Scenario
    methods: Sequence[str]
    receivers: Sequence[str]
    flows: Sequence[int]
    seeds: Sequence[int]
    mode: str
    params: Mapping[str, Mapping[str, int]]
    pcap_dir: str | None = None

    @property
    def runs(self) -> int:
        """How many cells it has."""
        return len(self.methods) * len(self.receivers) * len(self.flows) * len(self.seeds)

    def cell(self, method: str, receivers: str, flows: int, seed: int) -> Cell:
        """One cell of the plan; the first seed of a combination samples its series."""
        return Cell(
            scenario=self.scenario,
            method=method,
            mode=self.mode,
            receivers=receivers,
            flows=flows,
            seed=seed,
            params=self.params.get(method, {}),
            sampled=self.scenario.sample is not None and seed == self.seeds[0],
            pcap_dir=self.pcap_dir,
        )

    def cells(self) -> list[Cell]:
        """All cells, in the order of the results."""
        return [
            self.cell(method, receivers, flows, seed)
            for receivers in self.receivers
            for flows in self.flows
            for method in self.methods
            for seed in self.seeds
        ]

    def describe(self) -> dict[str, Any]:
        """The plan as run.json keeps it."""
        return {
            "methods": list(self.methods),
            "receivers": list(self.receivers),
            "flows": list(self.flows),
            "seeds": list(self.seeds),
            "mode": self.mode,
            "params": {name: dict(self.params.get(name, {})) for name in self.methods},
        }


def scenario_params(scenario: Scenario) -> dict[str, dict[str, int]]:
    """The parameters that a scenario sets, by method, as core/ takes them."""
    registry = params.methods()
    return {name: params.resolve(registry[name], given) for name, given in scenario.method.items()}
