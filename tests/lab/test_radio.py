# SPDX-License-Identifier: GPL-2.0-only
"""Links on 802.11g, and delays that are drawn: what a scenario may say, and what becomes of it."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from penstock.errors import Exit, UserError
from penstock.plan.build import build
from penstock.plan.cells import Cell
from penstock.plan.network import Network, Radio, Wire
from penstock.plan.streams import delays_ns, start_times_ns
from penstock.runs.backends import check
from penstock.scenario.read import read
from penstock.scenario.types import Span

ROOT = Path(__file__).resolve().parents[2]
HOME = "ewt-iot-2023/home-wifi"
MS = 10**6


def home(flows: int, seed: int = 1) -> Network:
    scenario = read(HOME).scenario
    return build(Cell(scenario, "ewt_iot", "literal", "65535", flows, seed)).network


def wire_delays(network: Network) -> list[int]:
    return [link.delay_ns for link in network.links if isinstance(link, Wire)]


def test_stations_share_an_access_point() -> None:
    radios = [link for link in home(5).links if isinstance(link, Radio)]
    to, back = radios[0::2], radios[1::2]
    assert len({link.src for link in to}) == 1
    assert len({link.dst for link in to}) == 5
    assert [(link.src, link.dst) for link in back] == [(link.dst, link.src) for link in to]
    assert {(link.medium, link.queue_bytes) for link in to} == {("802.11g", 97_000)}


def test_each_server_has_a_delay_of_its_own_both_ways() -> None:
    servers = wire_delays(home(5))[:10]
    assert servers[0::2] == servers[1::2]
    assert len(set(servers)) == 5
    assert all(1 * MS <= delay <= 20 * MS for delay in servers)


def test_more_flows_leave_the_first_delays_as_they_were() -> None:
    few = wire_delays(home(3))[:6]
    assert wire_delays(home(7))[:6] == few
    assert wire_delays(home(3, seed=2))[:6] != few


def test_delays_and_start_times_are_streams_apart() -> None:
    span = Span(0, 10**9)
    assert delays_ns(1, 0, span, 4) != start_times_ns(1, 0, span, 4)
    assert delays_ns(1, 0, Span(5, 5), 3) == [5, 5, 5]


TV = '[link.tv]\nfrom = "ap"\nto = "tv"\nmedium = "802.11g"\ndistance_m = 5\nqueue = "97kB"\n'


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        (TV.replace("5", "9"), "of 'wifi'; give both one distance_m"),
        (TV.replace("97kB", "50kB"), "of 'wifi'; give both one queue"),
        (TV + "[gateway.tv]\nlink = 'tv'\n", "the queue of 'tv' is that of 'wifi'"),
        (TV, None),
    ],
)
def test_links_of_one_access_point_are_one_cell(
    tmp_path: Path, table: str, wanted: str | None
) -> None:
    text = (ROOT / "papers" / f"{HOME}.toml").read_text().partition("[paper]")[0]
    path = tmp_path / "two.toml"
    path.write_text(text.replace("ap = 1\n", "ap = 1\ntv = 1\n") + table)
    with pytest.raises(UserError, match=wanted) if wanted else nullcontext():
        read(str(path))


@pytest.mark.parametrize("backend", ["sim", "live"])
def test_other_backends_say_that_they_have_no_radio(backend: str) -> None:
    with pytest.raises(UserError, match="--backend ns3") as failure:
        check(backend, read(HOME).scenario)
    assert failure.value.code == Exit.CONFIG
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
