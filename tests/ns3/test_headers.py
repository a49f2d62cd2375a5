# SPDX-License-Identifier: GPL-2.0-only
"""What routers write into packets, in ns-3 beside the simulator: XCP, FXCP, AntiECN and CSFQ."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from ns3_ends import RECEIVER, SENDER

from penstock.plan.network import Clock, Gateway, Network, Tcp, Udp, Wire
from penstock.runs.backends import ns3, sim_network
from penstock.scenario import params

MBIT = 1_000_000
MS = 1_000_000
RTTS_MS = (20, 50, 100, 150, 200)
SECONDS = 20


def gateway(link: int, method: str) -> Gateway:
    parts = params.methods()[method]
    return Gateway(link, parts.discipline, parts.law, parts.signal, "safe")


def star(method: str, sender: str, rtts_ms: Sequence[int] = RTTS_MS, second_queue: int = 0):
    """Flows with round trips of their own through one link of 20 Mbit/s, which is link 0."""
    nodes = ["left", "right"]
    links = [Wire(0, 1, 20 * MBIT, MS, queue_bytes=250_000), Wire(1, 0, 20 * MBIT, MS)]
    ends = replace(RECEIVER, buffer_bytes=2_000_000, max_buffer_bytes=2_000_000)
    traffic = []
    for rtt_ms in rtts_ms:
        source, sink = len(nodes), len(nodes) + 1
        nodes += [f"source{rtt_ms}", f"sink{rtt_ms}"]
        wire = {"rate_bps": 1000 * MBIT, "delay_ns": rtt_ms * MS // 4 - MS // 2}
        links += [Wire(source, 0, **wire), Wire(0, source, **wire), Wire(sink, 1, **wire)]
        links.append(Wire(1, sink, **wire, queue_bytes=second_queue))
        traffic.append(Tcp(source, sink, 0, 1 << 38, replace(SENDER, method=sender), ends))
    return Network(3, nodes=nodes, links=links, gateways=[gateway(0, method)], traffic=traffic)


def played(network: Network, seconds: int = SECONDS):
    """Results of the simulator and of ns-3."""
    until_ns = seconds * 1_000_000_000
    theirs = ns3.play(network, Clock(until_ns), ns3.Options("core"))
    return sim_network.make(network).run(until_ns), theirs


@pytest.mark.parametrize("method", ["xcp", "fxcp"])
def test_routers_tell_windows(runner, method):
    """Round trips of 20 to 200 ms get the simulator's rates; NewReno's are far apart."""
    ours, theirs = played(star(method, "xcp_sender"))
    mine, yours = ours.flows["delivered_bytes"], theirs.flows["delivered_bytes"]
    assert list(yours) == pytest.approx(list(mine), rel=0.1)
    assert max(yours) < 1.4 * min(yours)
    queue = theirs.queue(0)
    assert queue["utilisation"] > 0.99
    assert queue["bytes_mean"] == pytest.approx(ours.queue(0)["bytes_mean"], rel=0.1)
    plain = ns3.play(
        star("droptail", "newreno"), Clock(SECONDS * 1_000_000_000), ns3.Options("core")
    )
    assert max(plain.flows["delivered_bytes"]) > 3 * min(plain.flows["delivered_bytes"])


def test_a_queue_that_cannot_read_the_header_ends_its_use(runner):
    """XCP's senders are then NewReno, to the byte, as in the simulator."""
    network = star("xcp", "xcp_sender", RTTS_MS[:2], second_queue=250_000)
    for result, plain in zip(
        played(network, 5),
        played(star("xcp", "newreno", RTTS_MS[:2], second_queue=250_000), 5),
        strict=True,
    ):
        assert list(result.flows["delivered_bytes"]) == list(plain.flows["delivered_bytes"])
        assert result.queue(0)["drops"] == plain.queue(0)["drops"] > 0


def test_spare_capacity_lets_the_window_grow(runner):
    """AntiECN: one flow sends the same packets in both, and more of them than NewReno's."""
    antiecn = replace(SENDER, method="antiecn_sender", initial_ssthresh_segments=20)
    both = []
    for method, sender in (("antiecn", antiecn), ("droptail", replace(antiecn, method="newreno"))):
        network = star(method, "newreno", (100,))
        network = replace(network, traffic=[replace(network.traffic[0], sender=sender)])
        both.append(played(network, 10))
    (ours, theirs), (_, plain) = both
    assert theirs.queue(0)["arrivals"] == pytest.approx(ours.queue(0)["arrivals"], rel=0.01)
    assert theirs.flows["delivered_bytes"][0] > 1.05 * plain.flows["delivered_bytes"][0]


def way(method: str, *, edge: bool, unit_bps: int = 1000) -> Network:
    """Ten UDP flows of 0.4 to 4 Mbit/s on 10 Mbit/s, labelled there or at an edge before it.

    `unit_bps` is of the edge's labels.
    """
    nodes, links, gateways = ["source", "sink"], [], []

    def hop(start: int, end: int, rate_bps: int) -> None:
        labels = {"unit_bps": unit_bps} if method == "csfq" and end == 2 else {}
        gateways.append(replace(gateway(len(links), method), params=labels))
        links.append(Wire(start, end, rate_bps, 10 * MS, queue_bytes=rate_bps // 80))
        links.append(Wire(end, start, 1000 * MBIT, 10 * MS))

    if edge:
        nodes.append("edge")
        hop(0, 2, 20 * MBIT)
        hop(2, 1, 10 * MBIT)
    else:
        hop(0, 1, 10 * MBIT)
    traffic = [
        Udp(0, 1, 7 * MS * i, 400_000 * (i + 1) * 972 // 1000, 972, 1 << 40) for i in range(10)
    ]
    return Network(5, nodes=nodes, links=links, gateways=gateways, traffic=traffic)


@pytest.mark.parametrize("edge", [False, True])
def test_labels_give_fair_shares(runner, edge):
    """The first two send less than the share, the others get the same; drop-tail is far off."""
    ours, theirs = played(way("csfq", edge=edge), 30)
    mine, yours = ours.flows["delivered_bytes"], theirs.flows["delivered_bytes"]
    assert list(yours) == pytest.approx(list(mine), rel=0.04)
    fair = yours[2:]
    assert max(fair) < 1.06 * min(fair)
    last = 2 if edge else 0
    assert theirs.queue(last)["drops_method"] == pytest.approx(
        ours.queue(last)["drops_method"], rel=0.03
    )
    plain = ns3.play(way("droptail", edge=edge), Clock(30_000_000_000), ns3.Options("core"))
    assert max(plain.flows["delivered_bytes"][2:]) > 1.5 * min(plain.flows["delivered_bytes"][2:])


def test_a_core_router_believes_labels(runner):
    """An edge whose labels are all the same: no flow exceeds its share, and all lose alike."""
    believed = played(way("csfq", edge=True, unit_bps=100 * MBIT), 10)
    honest = played(way("csfq", edge=True), 10)
    for labels, right in zip(believed, honest, strict=True):
        smallest = labels.flows["delivered_bytes"][0], right.flows["delivered_bytes"][0]
        assert smallest[0] < 0.65 * smallest[1]
