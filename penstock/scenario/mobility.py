# SPDX-License-Identifier: GPL-2.0-only
"""Checks of [mobility], and which groups it moves."""

from collections.abc import Iterator

from penstock.errors import near
from penstock.scenario import topology
from penstock.scenario.flaw import Flaw
from penstock.scenario.model import Scenario, Tcp


def moves(scenario: Scenario, tcp: Tcp) -> bool:
    """Whether the receivers of a group move between cells."""
    return bool(scenario.mobility and tcp.sink in scenario.mobility.cells)


def sinks(scenario: Scenario, tcp: Tcp) -> list[str]:
    """Where the receivers of a group may be."""
    assert scenario.mobility or not moves(scenario, tcp)
    cells = scenario.mobility.cells if scenario.mobility else []
    return list(cells) if moves(scenario, tcp) else [tcp.sink]


def _cells(scenario: Scenario, cells: list[str]) -> Iterator[Flaw]:
    known = topology.nodes(scenario)
    for index, name in enumerate(cells):
        path = ("mobility", "cells", index)
        if name not in known:
            yield path, f"there is no node {name!r}; {near(name, list(known))}"
        elif known[name] != 1:
            yield path, f"{name!r} stands for {known[name]} nodes; name single nodes"
        elif name in cells[:index]:
            yield path, f"{name!r} is there already; name another node"
    if len(cells) < 2:
        yield ("mobility", "cells"), "receivers move between at least two nodes; name another"


def _groups(scenario: Scenario, cells: list[str]) -> Iterator[Flaw]:
    movers = {key: tcp for key, tcp in scenario.tcp.items() if tcp.sink in cells}
    if not movers:
        yield ("mobility", "cells"), "no [tcp.NAME] has its `to` here; name nodes that receive"
    for key, tcp in movers.items():
        for cell in cells:
            if tcp.source == cell or not topology.route(scenario, tcp.source, cell):
                what = f"its receivers move to {cell!r}, and no link leads there"
                yield ("tcp", key, "from"), f"{what} from {tcp.source!r}; add one"


def flaws(scenario: Scenario) -> Iterator[Flaw]:
    """Cells that are there, and groups that can reach them."""
    if scenario.mobility is None:
        return
    yield from _cells(scenario, scenario.mobility.cells)
    yield from _groups(scenario, scenario.mobility.cells)
