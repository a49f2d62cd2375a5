# SPDX-License-Identifier: GPL-2.0-only
"""What ns-3 has itself, or takes from the simulator: beside the simulator's own."""

from dataclasses import replace

import pytest
from ns3_ends import RECEIVER, SENDER
from test_backend import LIMIT_NS, SLOW, dumbbell

from penstock.errors import Exit, UserError
from penstock.plan.network import Clock, Gateway, Udp
from penstock.runs import backends
from penstock.runs.backends import ns3, sim_network
from penstock.scenario.read import read

STAMPED = replace(SENDER, mss_bytes=1448, timestamps=True)
AUTO = replace(
    RECEIVER,
    buffer_bytes=65_535,
    max_buffer_bytes=6_291_456,
    autotune=True,
    mss_bytes=1448,
    timestamps=True,
    delayed_ack_segments=2,
    delayed_ack_ns=40_000_000,
)


def both(network, law="ns3", clock=LIMIT_NS):
    """The slow queue as the simulator and ns-3 count it."""
    theirs = ns3.play(network, Clock(clock), ns3.Options(law)).queue(SLOW)
    return sim_network.make(network).run(clock).queue(SLOW), theirs


@pytest.mark.parametrize("timestamps", [True, False])
def test_a_receiver_autotunes_as_in_the_simulator(runner, timestamps):
    """One flow over 42 ms, and a window that nothing limits but the receiver: the same windows."""
    sender = replace(STAMPED, timestamps=timestamps, initial_window_segments=10)
    receiver = replace(AUTO, timestamps=timestamps)
    network = dumbbell("ewt", queue_bytes=400_000, sender=sender, receiver=receiver)
    ours, theirs = both(network, "core")
    assert ours["window_bytes_mean"] > 2 * 65_535
    assert theirs["window_bytes_mean"] == pytest.approx(ours["window_bytes_mean"], rel=0.03)
    assert theirs["bytes_mean"] == pytest.approx(ours["bytes_mean"], rel=0.03)
    assert theirs["acks_rewritten"] == pytest.approx(ours["acks_rewritten"], rel=0.05)
    fixed = replace(receiver, autotune=False)
    kept = ns3.play(
        replace(dumbbell("ewt", queue_bytes=400_000, sender=sender, receiver=fixed)),
        Clock(LIMIT_NS),
        ns3.Options("core"),
    ).queue(SLOW)
    assert kept["window_bytes_mean"] <= 65_536


def test_a_receiver_autotunes_no_further_than_its_limit(runner):
    receiver = replace(AUTO, max_buffer_bytes=160_000)
    network = dumbbell("ewt", queue_bytes=400_000, sender=STAMPED, receiver=receiver)
    ours, theirs = both(network, "core")
    assert theirs["window_bytes_mean"] == pytest.approx(ours["window_bytes_mean"], rel=0.03)
    assert theirs["window_bytes_mean"] <= 160_000 * 5 / 8


def test_bbr_is_that_of_ns3(runner):
    """Four flows fill the link with a queue that CUBIC's would be long beside."""
    sender = replace(STAMPED, method="bbr", initial_window_segments=10)
    network = dumbbell(queue_bytes=400_000, sender=sender, receiver=AUTO)
    network = replace(network, traffic=[replace(network.traffic[0], size_bytes=4_000_000)] * 4)
    ours, theirs = both(network)
    assert theirs["utilisation"] > 0.9
    assert theirs["bytes_mean"] == pytest.approx(ours["bytes_mean"], rel=0.5)
    cubic = [replace(each, sender=replace(sender, method="cubic")) for each in network.traffic]
    other = ns3.play(replace(network, traffic=cubic), Clock(LIMIT_NS)).queue(SLOW)
    assert other["bytes_mean"] > 2 * theirs["bytes_mean"]


def test_flows_of_bbr_draw_phases_of_their_own(runner):
    """ns-3 gives each the same stream of random numbers: all would probe at the same time."""
    sender = replace(STAMPED, method="bbr", initial_window_segments=10)
    network = dumbbell(queue_bytes=400_000, sender=sender, receiver=AUTO)
    network = replace(network, traffic=[replace(network.traffic[0], size_bytes=4_000_000)] * 2)
    flows = ns3.play(network, Clock(LIMIT_NS)).flows
    assert flows["done_ns"][0] != flows["done_ns"][1]
    again = ns3.play(network, Clock(LIMIT_NS)).flows
    assert (again["done_ns"] == flows["done_ns"]).all()


def test_dctcp_hears_each_mark(runner):
    """RED with one threshold: as many marks, and as short a queue, as in the simulator."""
    sender = replace(STAMPED, method="dctcp", ecn=True)
    receiver = replace(AUTO, ecn=True, exact_ecn=True)
    network = dumbbell(queue_bytes=200_000, sender=sender, receiver=receiver)
    params = {"min_th_bytes": 30_000, "max_th_bytes": 30_000, "weight_q32": (1 << 32) - 1}
    gateway = Gateway(SLOW, "red", "none", "ecn", "safe", params)
    traffic = [replace(network.traffic[0], size_bytes=4_000_000)] * 4
    ours, theirs = both(replace(network, gateways=[gateway], traffic=traffic))
    assert ours["marks"] > 50
    assert theirs["marks"] == pytest.approx(ours["marks"], rel=0.5)
    assert theirs["bytes_mean"] == pytest.approx(ours["bytes_mean"], rel=0.3)


@pytest.mark.parametrize("method", ["fq_codel", "fq_codel_ecn"])
def test_fq_codel_is_that_of_ns3(runner, method):
    """Six bulk flows and a call: about as many drops or marks, and the call waits for nobody."""
    ecn = method == "fq_codel_ecn"
    network = dumbbell(
        method,
        queue_bytes=600_000,
        sender=replace(STAMPED, ecn=ecn, initial_window_segments=10),
        receiver=replace(AUTO, ecn=ecn),
    )
    call = Udp(0, 2, 0, rate_bps=64_000, payload_bytes=160)
    bulk = [replace(network.traffic[0], size_bytes=2_000_000)] * 6
    ours, theirs = both(replace(network, traffic=[*bulk, call]))
    counter = "marks" if ecn else "drops_method"
    assert theirs[counter] == pytest.approx(ours[counter], rel=0.6)
    assert theirs[counter] > 30
    assert theirs["udp_drops"] == 0
    assert theirs["delay_ns_mean"] == pytest.approx(ours["delay_ns_mean"], rel=0.5)


def test_the_books_of_fq_codel_balance(runner):
    """Twice the rate into 20 packets: ns-3 drops from the head, and no packet is counted twice."""
    flood = [Udp(0, 2, 0, rate_bps=8_000_000, payload_bytes=1472)] * 2
    network = replace(dumbbell("fq_codel", queue_bytes=30_000), traffic=flood)
    theirs = ns3.play(network, Clock(4_000_000_000)).queue(SLOW)
    assert theirs["drops_overflow"] > 100
    waiting = theirs["arrivals"] - theirs["drops"] - theirs["sent_packets"]
    assert 0 <= waiting <= 20
    assert 25_000 < theirs["bytes_max"] <= 30_000
    assert theirs["utilisation"] > 0.99
    assert theirs["delay_ns_max"] <= 30e6 + 2e6  # 20 packets of 1.5 ms, and a deficit
    assert theirs["udp_drops"] == theirs["drops"]


def test_fq_codel_has_the_parameters_of_the_scenario(runner):
    network = dumbbell("fq_codel", queue_bytes=600_000, sender=STAMPED, receiver=AUTO)
    network = replace(network, traffic=[replace(network.traffic[0], size_bytes=4_000_000)] * 4)

    def played(**params):
        gateway = replace(network.gateways[0], params=params)
        return ns3.play(replace(network, gateways=[gateway]), Clock(LIMIT_NS)).queue(SLOW)

    plain, lazy = played(), played(target_ns=40_000_000)
    assert lazy["drops_method"] < plain["drops_method"]
    assert lazy["delay_ns_mean"] > 1.2 * plain["delay_ns_mean"]
    one = played(queues=1)
    assert one["delay_ns_mean"] != plain["delay_ns_mean"]
    with pytest.raises(ValueError, match="FqCoDelQueueDisc has no parameter maxpacket_bytes"):
        played(maxpacket_bytes=3000)


def test_prr_is_that_of_ns3(runner):
    """A recovery spreads its segments: the window is not cut at once."""
    sender = replace(STAMPED, initial_window_segments=10)
    plain = dumbbell(sender=sender, receiver=AUTO)
    spread = dumbbell(sender=replace(sender, prr=True), receiver=AUTO)
    ours, theirs = both(spread)
    cut = ns3.play(plain, Clock(LIMIT_NS)).queue(SLOW)
    assert theirs != cut
    assert theirs["bytes_mean"] == pytest.approx(ours["bytes_mean"], rel=0.2)


@pytest.mark.parametrize(
    ("backend", "method", "why"),
    [
        ("ns3", "integral_fq_codel", "tells the law integral nothing"),
        ("ns3", "cake", "ns-3 has none like it"),
        ("ns3-aligned", "dualpi2", "ns-3 has none like it"),
        ("ns3", "xcp_tcp", "ns-3 has none like it"),
    ],
)
def test_other_queues_are_refused(backend, method, why):
    scenario = read("link").scenario
    with pytest.raises(UserError, match=why) as caught:
        backends.check_method(backend, scenario, method)
    assert caught.value.code == Exit.BACKEND_MISSING
    backends.check_method(backend, scenario, "fq_codel")


@pytest.mark.parametrize("sender", ["bbr", "dctcp"])
def test_aligned_senders_are_cores(sender):
    scenario = read("link", [("tcp.bulk.congestion", sender)]).scenario
    assert any("congestion" in path for path, _ in backends.lacks("ns3-aligned", scenario))
    assert not any("congestion" in path for path, _ in backends.lacks("ns3", scenario))


def test_a_limit_in_packets_is_told():
    scenario = read("link").scenario
    (note,) = backends.differences("ns3", scenario, ["droptail", "fq_codel"])
    assert "limits packets; the 60000 bytes of link.bottleneck are 40 of 1500 bytes" in note
    assert not list(backends.differences("ns3", scenario, ["droptail"]))
    assert not list(backends.differences("sim", scenario, ["fq_codel"]))
