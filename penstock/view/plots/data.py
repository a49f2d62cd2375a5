# SPDX-License-Identifier: GPL-2.0-only
"""The data of a report, from a store."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.errors import OptionError, near
from penstock.results import completions, gateways, groups, settings
from penstock.results.row import Row
from penstock.results.store import Store
from penstock.results.tables import Line, labels, summarise, variant
from penstock.scenario import params, units, variants
from penstock.scenario.statements import Paper

Load = tuple[int, str]  # flows, settings of the scenario
Place = tuple[str, Load, str]  # receivers, load, label


@dataclass(frozen=True)
class Data:
    """Results and provenance, ready to be shown."""

    about: Mapping[str, Any]
    lines: list[Line]
    runs: int
    series: Mapping[Place, Mapping[str, Any]]
    served: list[dict[str, Any]]
    paper: Paper | None
    methods: Mapping[str, params.Variant] = field(default_factory=params.methods)
    # By group: how many transfers took how many seconds, over all seeds.
    transfers: Mapping[Place, Mapping[str, Counter[float]]] = field(default_factory=dict)
    # By group, ALL_TRAFFIC first, and seed: delays (ms) at equal steps of the share of packets.
    delays: Mapping[Place, Mapping[str, Sequence[Sequence[float]]]] = field(default_factory=dict)
    # The lines of each group of traffic, where there are several.
    by_group: Mapping[str, Sequence[Line]] = field(default_factory=dict)
    gateway: str = ""  # whose queue the columns describe; "" for the measured one

    def name(self, label: str) -> str:
        """A method's name in the literature, with its settings if the label has them."""
        return method_name(label, self.methods)

    def title(self, label: str) -> str:
        """A method's full title, from core/."""
        method = self.methods.get(label.partition(" ")[0])
        return method.title if method else label.partition(" ")[0]

    @property
    def receivers(self) -> list[str]:
        """All sorts of receivers, in the order of the results, as the next two."""
        return list(dict.fromkeys(line.receivers for line in self.lines))

    @property
    def loads(self) -> list[Load]:
        """All numbers of flows, each with the settings that it was run with."""
        return list(dict.fromkeys((line.flows, line.settings) for line in self.lines))

    def buffer_bytes(self, line: Line) -> int | None:
        """The limit of the measured queue as a line's settings have it; None if packets limit it,
        or nothing does.
        """
        place = gateways.place(self.about, self.gateway)
        if f"link.{place.link}.queue_packets" in line.given:
            return None
        queue = line.given.get(f"link.{place.link}.queue")
        given = place.limit_bytes
        return units.parse_size(queue) if queue else given

    def groups(self, load: Load) -> list[str]:
        """The groups of traffic with finished transfers at a load."""
        found = (by_group for place, by_group in self.transfers.items() if place[1] == load)
        return list(dict.fromkeys(group for by_group in found for group in by_group))

    @property
    def labels(self) -> list[str]:
        """All methods, as they are called here."""
        return list(dict.fromkeys(line.label for line in self.lines))

    def line(
        self, receivers: str, flows: int, name: str, settings: str | None = None
    ) -> Line | None:
        """The combination of that label, or else the first of that method, if it was run.

        Without `settings`, the first that was run.
        """
        here = [
            line
            for line in self.lines
            if (line.receivers, line.flows) == (receivers, flows)
            and settings in (None, line.settings)
        ]
        named = [line for line in here if line.label == name]
        return next(iter(named or [line for line in here if line.method == name]), None)


def method_name(label: str, methods: Mapping[str, params.Variant] | None = None) -> str:
    """The label of a built-in method, or of one of `methods`; settings that follow are kept."""
    name, space, settings = label.partition(" ")
    method = (methods or params.methods()).get(name)
    return (method.label if method else name) + space + settings


def _served(found: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The answers of a search, each method by its label."""
    served = found["served"] if found else []
    label = labels(variant(record) for record in served)
    return [{**record, "method": label[variant(record)]} for record in served]


def build(
    about: Mapping[str, Any],
    rows: Sequence[Row],
    search: Mapping[str, Any] | None = None,
    group: str = "",
    gateway: str = "",
) -> Data:
    """Runs, what made them, and the answers of a search.

    Of one group of traffic, and with the queue of one gateway, if they are named.
    """
    check_group(rows, group)
    rows = gateways.at(rows, gateway)
    lines = summarise(groups.apart(rows, group))
    label = {(line.method, line.mode, line.parameters): line.label for line in lines}
    series, transfers = {}, dict[Place, dict[str, Counter[float]]]()
    delays = dict[Place, dict[str, list[Sequence[float]]]]()
    where = gateways.place(about, gateway)
    for row in rows:
        load = int(row.columns["flows"] or 0), settings.of_scenario(row.columns)
        place = str(row.columns["receivers"]), load, label[variant(row.columns)]
        if row.series:
            series[place] = row.series
        for name, quantiles in gateways.delays(row, where).items():
            if group in ("", name):
                delays.setdefault(place, {}).setdefault(name, []).append(quantiles)
        for name, counts in completions.by_group(row.flows, row.completions).items():
            if group in ("", name):
                transfers.setdefault(place, {}).setdefault(name, Counter()).update(counts)
    return Data(
        about=about,
        lines=lines,
        runs=len(rows),
        series=series,
        transfers=transfers,
        delays=delays,
        gateway=gateway,
        by_group={} if group else _by_group(rows),
        served=_served(search),
        paper=Paper.model_validate(about["paper"]) if about["paper"] else None,
        methods=variants.methods_in(about["scenario"]["setup"]),
    )


def _by_group(rows: Sequence[Row]) -> dict[str, list[Line]]:
    return {name: summarise(groups.apart(rows, name)) for name in groups.names(rows)}


def check_group(rows: Sequence[Row], group: str) -> None:
    """A usage error for a group that no run has."""
    known = groups.waiting(rows)
    if group and group not in known:
        cure = near(group, known) if known else "these runs have one group alone"
        raise OptionError("--group", group, f"no such group; {cure}")


def gather(store: Store, group: str = "", gateway: str = "") -> Data:
    """Reads a folder of results; exit 78 if it has none."""
    return build(store.provenance(), store.rows(), store.search(), group, gateway)
