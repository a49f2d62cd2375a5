# SPDX-License-Identifier: GPL-2.0-only
"""A cell: one run of a scenario, by method, receivers, number of flows and seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.scenario import params, variants
from penstock.scenario.model import Scenario


@dataclass(frozen=True)
class Cell:
    """Everything that determines one run. Folders for captures change no result."""

    scenario: Scenario
    method: str
    mode: str
    receivers: str
    flows: int
    seed: int
    params: Mapping[str, int] = field(default_factory=dict)
    sampled: bool = False
    pcap_dir: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)  # what was swept or set, as text
    pcapng_dir: str | None = None
    qlog_dir: str | None = None
    flent_dir: str | None = None

    @property
    def captured(self) -> bool:
        """True if the run writes files, so that its stored result does not stand for it."""
        return any((self.pcap_dir, self.pcapng_dir, self.qlog_dir, self.flent_dir))

    @property
    def label(self) -> str:
        """The name of the cell in messages and file names."""
        base = f"{self.method}-{self.mode}-{self.receivers}-n{self.flows}-s{self.seed}"
        parts = [f"{key}={text}".replace("/", "_") for key, text in self.settings.items()]
        return "-".join([base, *parts])

    @property
    def parameters(self) -> str:
        """The method's parameters that are not left at their defaults, as --set takes them."""
        method = variants.methods_of(self.scenario).get(self.method)
        return params.text(method, self.params) if method else ""

    def identity(self) -> dict[str, Any]:
        """The arguments that identify the cell within its scenario."""
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
class Choice:
    """A method's parameters, and which of them were swept or set, as text by the whole key."""

    params: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """One combination of swept or set values of the scenario."""

    scenario: Scenario
    settings: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, Sequence[Choice]] = field(default_factory=dict)  # by method

    def of(self, method: str) -> Sequence[Choice]:
        """The method's parameters at this point."""
        return self.choices.get(method, [Choice()])


@dataclass(frozen=True, eq=False)
class Combination:
    """All that determines a run except the number of flows and the seed."""

    point: Point
    receivers: str
    method: str
    choice: Choice
    mode: str


@dataclass(frozen=True)
class Plan:
    """The sweep to run: the scenario's, as the command line changes it. Nothing is run twice."""

    points: Sequence[Point]
    methods: Sequence[str]
    receivers: Sequence[str]
    flows: Sequence[int]
    seeds: Sequence[int]
    modes: Sequence[str]
    pcap_dir: str | None = None
    pcapng_dir: str | None = None
    qlog_dir: str | None = None
    flent_dir: str | None = None

    def __post_init__(self) -> None:
        """Removes duplicates, which would count as independent runs."""
        for name in ("methods", "receivers", "flows", "seeds", "modes"):
            object.__setattr__(self, name, list(dict.fromkeys(getattr(self, name))))

    @property
    def scenario(self) -> Scenario:
        """The scenario, or the first of several."""
        return self.points[0].scenario

    @property
    def runs(self) -> int:
        """The number of its cells."""
        kinds = sum(1 for point in self.points for _ in self._at(point, ""))
        return kinds * len(self.receivers) * len(self.flows) * len(self.seeds)

    @property
    def mode(self) -> str:
        """The mode, or the first of several."""
        return self.modes[0]

    @property
    def swept(self) -> list[str]:
        """The keys that have several values."""
        found: dict[str, set[str]] = {}
        for point in self.points:
            choices = [choice for method in self.methods for choice in point.of(method)]
            for settings in (point.settings, *(choice.settings for choice in choices)):
                for key, text in settings.items():
                    found.setdefault(key, set()).add(text)
        return [key for key, texts in found.items() if len(texts) > 1]

    def params(self, method: str) -> Mapping[str, int]:
        """A method's parameters at the first point."""
        return self.points[0].of(method)[0].params

    def _modes_of(self, method: str) -> Sequence[str]:
        """All modes; one alone where no gateway rewrites a window."""
        known = variants.methods_of(self.scenario)
        swept = all(gateway.method is None for gateway in self.scenario.gateway.values())
        rewrites = method in known and known[method].rewrites
        return self.modes if rewrites or not swept else self.modes[:1]

    def _at(self, point: Point, receivers: str) -> Iterator[Combination]:
        for method in self.methods:
            for choice in point.of(method):
                for mode in self._modes_of(method):
                    yield Combination(point, receivers, method, choice, mode)

    def combinations(self) -> list[Combination]:
        """What each number of flows and each seed is run with, in the order of the results."""
        return [
            combination
            for point in self.points
            for receivers in self.receivers
            for combination in self._at(point, receivers)
        ]

    def cell_of(self, each: Combination, flows: int, seed: int) -> Cell:
        """One run of a combination; that of the first seed samples its series."""
        return Cell(
            scenario=each.point.scenario,
            method=each.method,
            mode=each.mode,
            receivers=each.receivers,
            flows=flows,
            seed=seed,
            params=each.choice.params,
            sampled=each.point.scenario.sample is not None and seed == self.seeds[0],
            pcap_dir=self.pcap_dir,
            settings={**each.point.settings, **each.choice.settings},
            pcapng_dir=self.pcapng_dir,
            qlog_dir=self.qlog_dir,
            flent_dir=self.flent_dir,
        )

    def cell(self, method: str, receivers: str, flows: int, seed: int) -> Cell:
        """One cell of the first point, choice and mode."""
        point = self.points[0]
        first = Combination(point, receivers, method, point.of(method)[0], self.mode)
        return self.cell_of(first, flows, seed)

    def cells(self) -> list[Cell]:
        """All cells, in the order of the results."""
        return [
            self.cell_of(combination, flows, seed)
            for point in self.points
            for receivers in self.receivers
            for flows in self.flows
            for combination in self._at(point, receivers)
            for seed in self.seeds
        ]


def scenario_params(scenario: Scenario) -> dict[str, dict[str, int]]:
    """The parameters that a scenario sets, by method, as core/ takes them."""
    registry = variants.methods_of(scenario)
    return {
        name: params.resolve(registry[name], variants.given(scenario, name))
        for name in (*scenario.variant, *scenario.method)
    }
