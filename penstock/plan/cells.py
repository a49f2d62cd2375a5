# SPDX-License-Identifier: GPL-2.0-only
"""A cell: one run of a scenario, by method, receivers, number of flows and seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.scenario import params, variants
from penstock.scenario.model import Scenario


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

    @property
    def parameters(self) -> str:
        """The method's parameters that are not left at their defaults, as --set takes them."""
        method = variants.methods_of(self.scenario).get(self.method)
        return params.text(method, self.params) if method else ""

    def identity(self) -> dict[str, Any]:
        """What tells the cell from the others of its scenario: the arguments that make it again."""
        return {
            "method": self.method,
            "mode": self.mode,
            "receivers": self.receivers,
            "flows": self.flows,
            "seed": self.seed,
            "params": dict(self.params),
            "sampled": self.sampled,
        }


@dataclass(frozen=True)
class Plan:
    """The sweep to run: the scenario's, as the command line changes it. Nothing is run twice."""

    scenario: Scenario
    methods: Sequence[str]
    receivers: Sequence[str]
    flows: Sequence[int]
    seeds: Sequence[int]
    modes: Sequence[str]
    params: Mapping[str, Mapping[str, int]]
    pcap_dir: str | None = None

    def __post_init__(self) -> None:
        """Leaves out what is named again: it would count as an independent run."""
        for name in ("methods", "receivers", "flows", "seeds", "modes"):
            object.__setattr__(self, name, list(dict.fromkeys(getattr(self, name))))

    @property
    def runs(self) -> int:
        """How many cells it has."""
        kinds = sum(len(self._modes_of(method)) for method in self.methods)
        return kinds * len(self.receivers) * len(self.flows) * len(self.seeds)

    @property
    def mode(self) -> str:
        """The mode, or the first of several."""
        return self.modes[0]

    def _modes_of(self, method: str) -> Sequence[str]:
        """All modes; one alone where no gateway rewrites a window."""
        known = variants.methods_of(self.scenario)
        swept = all(gateway.method is None for gateway in self.scenario.gateway.values())
        rewrites = method in known and known[method].rewrites
        return self.modes if rewrites or not swept else self.modes[:1]

    def cell(self, method: str, receivers: str, flows: int, seed: int, mode: str = "") -> Cell:
        """One cell of the plan; the first seed of a combination samples its series."""
        return Cell(
            scenario=self.scenario,
            method=method,
            mode=mode or self.mode,
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
            self.cell(method, receivers, flows, seed, mode)
            for receivers in self.receivers
            for flows in self.flows
            for method in self.methods
            for mode in self._modes_of(method)
            for seed in self.seeds
        ]


def scenario_params(scenario: Scenario) -> dict[str, dict[str, int]]:
    """The parameters that a scenario sets, by method, as core/ takes them."""
    registry = variants.methods_of(scenario)
    return {
        name: params.resolve(registry[name], variants.given(scenario, name))
        for name in (*scenario.variant, *scenario.method)
    }
