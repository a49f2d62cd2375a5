# SPDX-License-Identifier: GPL-2.0-only
"""Links on 802.11g, and delays that are drawn: what a scenario may say, and what becomes of it."""

from typing import Any

import pytest

from penstock.backends import check
from penstock.errors import Exit, UserError
from penstock.plan import build
from penstock.plan.cells import Cell
from penstock.plan.streams import delays_ns, start_times_ns
from penstock.scenario.read import read
from penstock.scenario.types import Span

HOME = "ewt-iot-2023/home-wifi"
MS = 10**6


class Recorder:
    """Stands for a network and keeps what it is told."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.wires: list[dict[str, Any]] = []
        self.radios: list[tuple[int, int]] = []
        self.gateways: list[int] = []
        self.flows = self.nodes = self.links = 0

    def node(self, name: str) -> int:
        self.nodes += 1
        return self.nodes - 1

    def link(self, src: int, dst: int, **fields: Any) -> int:
        self.wires.append({"src": src, "dst": dst, **fields})
        self.links += 1
        return self.links - 1

    def radio(self, access_point: int, station: int, **fields: Any) -> tuple[int, int]:
        assert fields["medium"] == "802.11g"
        assert fields["queue_bytes"] == 97_000
        self.radios.append((access_point, station))
        self.links += 2
        return self.links - 2, self.links - 1

    def gateway(self, link: int, **fields: Any) -> None:
        self.gateways.append(link)

    def tcp(self, src: int, dst: int, **fields: Any) -> int:
        self.flows += 1
        return self.flows - 1

    def sample(self, interval_ns: int, links: list[int], flows: list[int]) -> None:
        pass


def home(flows: int, seed: int = 1) -> Recorder:
    scenario = read(HOME).scenario
    cell = Cell(scenario, "ewt_iot", "literal", "65535", flows, seed)
    made: Recorder = build.network(cell, make=Recorder).network
    return made


def test_stations_share_an_access_point() -> None:
    network = home(5)
    assert len(network.radios) == 5
    assert len({access_point for access_point, _ in network.radios}) == 1
    assert len({station for _, station in network.radios}) == 5


def test_each_server_has_a_delay_of_its_own_both_ways() -> None:
    servers = [wire["delay_ns"] for wire in home(5).wires[:10]]
    assert servers[0::2] == servers[1::2]
    assert len(set(servers)) == 5
    assert all(1 * MS <= delay <= 20 * MS for delay in servers)


def test_more_flows_leave_the_first_delays_as_they_were() -> None:
    few = [wire["delay_ns"] for wire in home(3).wires[:6]]
    assert [wire["delay_ns"] for wire in home(7).wires[:6]] == few
    assert [wire["delay_ns"] for wire in home(3, seed=2).wires[:6]] != few


def test_delays_and_start_times_are_streams_apart() -> None:
    span = Span(0, 10**9)
    assert delays_ns(1, 0, span, 4) != start_times_ns(1, 0, span, 4)
    assert delays_ns(1, 0, Span(5, 5), 3) == [5, 5, 5]


@pytest.mark.parametrize("backend", ["sim", "live"])
def test_other_backends_say_that_they_have_no_radio(backend: str) -> None:
    with pytest.raises(UserError, match="--backend ns3") as failure:
        check(backend, read(HOME).scenario)
    assert failure.value.code == Exit.BACKEND_MISSING
    check("ns3", read(HOME).scenario)


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("link.wifi.rate", "54mbit", "has its own"),
        ("link.wifi.delay", "1ms", "has its own"),
        ("link.wifi.loss", "0.1", "has its own"),
        ("link.wifi.distance_m", "0", "in metres"),
        ("link.wifi.medium", "802.11z", "is not one of"),
        ("link.wifi.from", "stations", "names|one access point|two different"),
        ("link.uplink.distance_m", "3", "a wire has a delay"),
        ("link.uplink.delay", "20ms..10ms", "ends before it begins"),
    ],
)
def test_wrong_keys(key: str, value: str, wanted: str) -> None:
    with pytest.raises(UserError, match=wanted):
        read(HOME, [(key, value)])
