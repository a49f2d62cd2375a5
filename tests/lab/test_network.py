# SPDX-License-Identifier: GPL-2.0-only
"""The network as data: the same for all backends, which refuse what they do not have."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from lab_support import SMALL

from penstock.errors import UserError
from penstock.plan.build import build
from penstock.plan.cells import Cell
from penstock.plan.network import Users, Wire
from penstock.runs import backends, wishes
from penstock.scenario.read import read


def cell(name: str) -> Cell:
    return Cell(read(name).scenario, "droptail", "safe", "65535", 3, 1)


def test_nothing_of_it_can_be_changed() -> None:
    network = build(cell("ewt-2019/scenario-1")).network
    for thing in (network, network.links[0], network.gateways[0], network.flows[0]):
        name = next(iter(vars(thing)))
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, 7)


def test_only_single_flows_are_numbered(tmp_path: Path) -> None:
    more = "\n[tcp.first]\n" + SMALL.split("[tcp.bulk]\n")[1].split("\n[")[0]
    path = tmp_path / "s.toml"
    web = '\n[tcp.web]\nfrom = "senders"\nto = "receivers"\ntraffic.kind = "web"\n'
    path.write_text(SMALL + web + more)
    built = build(cell(str(path)))
    assert [type(each) for each in built.network.traffic].count(Users) == 1
    assert built.groups == {"bulk": [0, 1, 2], "first": [3, 4, 5]}
    assert len(built.network.flows) == 6


def test_the_way_back_leads_back() -> None:
    links = build(cell("ewt-2019/scenario-1")).network.links
    for forward, back in zip(links[0::2], links[1::2], strict=True):
        assert isinstance(forward, Wire)
        assert (forward.src, forward.dst) == (back.dst, back.src)


LAN = 'medium = "csma-cd"\nqueue_packets = 50\n'
GATEWAY = '[gateway.left]\nlink = "bottleneck"\n'


@pytest.mark.parametrize(
    ("backend", "old", "new", "words"),
    [
        ("sim", None, "ewt-iot-2023/home-wifi", "the sim backend has no 802.11g"),
        ("live", None, "ewt-iot-2023/home-wifi", "the live backend has no 802.11g"),
        ("live", "[link.egress]\n", f"[link.egress]\n{LAN}", "live backend has no csma-cd"),
        ("ns3", "[link.egress]\n", f"[link.egress]\n{LAN}", "ns3 backend has no csma-cd"),
        (
            *("ns3", "[link.egress]\n", "[link.egress]\ncut_through = true\n"),
            "links of the ns3 backend deliver whole packets; add --backend sim",
        ),
        ("live", None, "traffic/writers", "users of the live backend are of the web"),
        ("live", None, "nis-2004/today/one-connection", "users of the live backend are of the web"),
        ("ns3", None, "traffic/web", "the ns3 backend has no users"),
        ("live", None, "law/lte", "links of the live backend vary only by steps"),
        ("ns3", None, "traffic/varying-link", "links of the ns3 backend do not vary"),
        ("ns3", GATEWAY, f'{GATEWAY}rate = "auto"\n', "gateway.left.rate: .* no rate = 'auto'"),
        ("ns3", GATEWAY, f'{GATEWAY}share_by = "host"\n', "gateway.left.share_by: .* 'host'"),
        ("live", "[tcp.bulk]\n", "[tcp.bulk]\nmark = 1\n", "the live backend marks no packets"),
        ("ns3", GATEWAY, f'{GATEWAY}beyond = "pace-acks"\n', "gateway.left.beyond: "),
        ("ns3", "[tcp.bulk]\n", "[tcp.bulk]\nforge_feedback = true\n", "return headers as they"),
        ("ns3", "[tcp.bulk]\n", "[tcp.bulk]\ncount_feedback = true\n", "take no room in ns-3's"),
        ("ns3", GATEWAY, f'{GATEWAY}method = "fba_tcp"\n', "gateway.left.method: "),
    ],
)
def test_what_a_backend_lacks_is_refused_by_name(
    tmp_path: Path, backend: str, old: str | None, new: str, words: str
) -> None:
    name = new
    if old is not None:
        assert old in SMALL
        path = tmp_path / "s.toml"
        path.write_text(SMALL.replace(old, new))
        name = str(path)
    with pytest.raises(UserError, match=words):
        backends.check(backend, read(name).scenario)


@pytest.mark.parametrize(
    ("backend", "method", "words"),
    [
        ("ns3", "integral_fq_codel", "tells the law integral nothing"),
        ("ns3", "fba_tcp", "no congestion control like 'fba_sender'"),
        ("ns3", "quick_start", "no congestion control like 'quick_start_sender'"),
        ("live", "xcp", "no congestion control like 'xcp_sender'"),
        ("sim", "kernel:cake", "the sim backend has no queues of Linux"),
    ],
)
def test_what_a_backend_lacks_for_a_method_is_refused(
    backend: str, method: str, words: str
) -> None:
    scenario = read("ewt-2019/scenario-1").scenario
    with pytest.raises(UserError, match=f"-m {method}: .*{words}"):
        backends.check_method(backend, scenario, method)
    backends.check_method("live" if backend == "sim" else "sim", scenario, method)


# Another method can be asked for; without QUIC nothing of the scenario can be run.
def test_what_a_backend_lacks_for_the_scenario_comes_before_its_methods() -> None:
    with pytest.raises(UserError, match=r"tcp\.quic\.quic \(the ns3 backend has no QUIC\)"):
        wishes.plan("traffic/quic", wishes.Wishes(), "ns3")


def test_ns3_carries_the_headers_that_acks_return() -> None:
    scenario = read("ewt-2019/scenario-1").scenario
    for method in ("xcp", "fxcp", "antiecn", "csfq"):
        backends.check_method("ns3", scenario, method)
