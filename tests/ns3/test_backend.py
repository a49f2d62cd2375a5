# SPDX-License-Identifier: GPL-2.0-only
"""The ns-3 backend: what it refuses, and that its columns are the simulator's."""

import dataclasses
import importlib.metadata
import json
import subprocess
import sys
from dataclasses import replace

import pytest
from ns3_ends import RECEIVER, SENDER

from penstock.errors import Exit, UserError
from penstock.plan.network import Clock, Gateway, Network, Sample, Tcp, Udp, Wire
from penstock.runs.backends import ns3, ns3_runner, sim_network
from penstock.scenario import params

LIMIT_NS = 1_000_000_000_000
SLOW = 2  # the number of the slow link


def dumbbell(method="droptail", mode="safe", queue_bytes=40_000, sender=SENDER, receiver=RECEIVER):
    """One flow through a slow link with a gateway."""
    parts = params.methods()[method]
    return Network(
        1,
        nodes=["source", "gateway", "sink"],
        links=[
            Wire(0, 1, 80_000_000, 1_000_000),
            Wire(1, 0, 80_000_000, 1_000_000),
            Wire(1, 2, 8_000_000, 20_000_000, queue_bytes=queue_bytes),
            Wire(2, 1, 8_000_000, 20_000_000),
        ],
        gateways=[Gateway(SLOW, parts.discipline, parts.law, parts.signal, mode)],
        traffic=[Tcp(0, 2, 0, 1460 * 700, sender, receiver)],
    )


def played_by_both(method, flows=6):
    """Counters of a queue of 40,000 bytes that core's senders fill, here and in ns-3."""
    ecn = params.methods()[method].ecn
    one = dumbbell(
        method,
        "literal",
        sender=dataclasses.replace(SENDER, ecn=ecn),
        receiver=dataclasses.replace(RECEIVER, ecn=ecn),
    )
    network = dataclasses.replace(one, traffic=list(one.traffic) * flows)
    theirs = ns3.play(network, Clock(LIMIT_NS), ns3.Options("core"))
    assert theirs.all_done
    return sim_network.make(network).run(LIMIT_NS).queue(SLOW), theirs.queue(SLOW)


def test_sampled_packets_are_those_of_the_sampled_bytes(runner):
    """The one that the device sends is among both."""
    sample = Sample([SLOW], [], interval_ns=10_000_000)
    series = ns3.play(replace(dumbbell(), sample=sample), Clock(LIMIT_NS)).series
    queued, packets = series["queue_bytes"][0], series["queue_packets"][0]
    assert queued.max() > 20_000
    assert (queued <= 1500 * packets).all()


def test_delays_have_quantiles(runner):
    """Those of the packets whose mean and 99th percentile are reported."""
    done = ns3.play(dumbbell(), Clock(LIMIT_NS))
    quantiles, queue = done.delay_quantiles_ns(SLOW), done.queue(SLOW)
    assert len(quantiles) == 101
    assert quantiles[99] == queue["delay_ns_p99"] > 1_000_000
    assert quantiles[100] == queue["delay_ns_max"]
    assert quantiles == sorted(quantiles)
    assert sum(quantiles) / 101 == pytest.approx(queue["delay_ns_mean"], rel=0.03)


def test_a_share_below_the_least_default_of_a_segment_starves_nobody(runner):
    """32 flows of 8 Mbit/s and 42 ms: hosts of ns-3 name no MSS, and wait for a whole segment."""
    one = dumbbell("penstock")
    network = replace(one, traffic=list(one.traffic) * 32)
    done = ns3.play(network, Clock(4_000_000_000))
    queue = done.queue(SLOW)
    assert queue["arrivals"] > 0.9 * 4 * 1_000_000 / 1500
    assert queue["drops"] < 0.03 * queue["arrivals"]


@pytest.mark.parametrize("hold", [False, True])
def test_a_congestion_window_is_held_to_the_advertised_one(runner, hold):
    """The queue overflows at 94 kB, and the receiver has room for less."""
    one = dumbbell(
        sender=replace(SENDER, hold_cwnd=hold), receiver=replace(RECEIVER, buffer_bytes=60_000)
    )
    one = replace(one, sample=Sample([], [0], interval_ns=10_000_000))
    series = ns3.play(one, Clock(LIMIT_NS)).series
    most = series["cwnd_bytes"][0].max()
    assert most <= 60_000 if hold else most > 120_000


WHAT_A_SIGNAL_MAKES = {"drop": "drops_method", "ecn": "marks", "window": "acks_rewritten"}
QUEUES = ("red", "ared", "blue", "codel", "pie")
SIGNALLING = [name for name in params.methods() if name.split("_")[0] in QUEUES]


@pytest.mark.parametrize("method", SIGNALLING)
def test_every_signal_of_every_discipline(runner, method):
    """Drops, marks or windows: with core's senders about as many of each as in the simulator."""
    ours, theirs = played_by_both(method)
    assert theirs["arrivals"] >= 6 * 700
    signal = params.methods()[method].signal
    counter = WHAT_A_SIGNAL_MAKES[signal]
    assert theirs[counter] > 10
    assert ours[counter] / 1.6 < theirs[counter] < 1.6 * ours[counter]
    if signal != "ecn":
        assert theirs["marks"] == 0


@pytest.mark.parametrize("sender", ["etcp_1", "etcp_2", "etcp_3", "etcp_3b"])
def test_etcp_takes_the_gateways_window(runner, sender):
    """One flow on FEWA's windows: the queue is the simulator's."""
    network = dumbbell("fewa", sender=replace(SENDER, method=sender))
    theirs = ns3.play(network, Clock(LIMIT_NS)).queue(SLOW)
    ours = sim_network.make(network).run(LIMIT_NS).queue(SLOW)
    assert theirs["drops"] == ours["drops"] == 0  # as windows are paced
    assert theirs["bytes_mean"] == pytest.approx(ours["bytes_mean"], rel=0.1)


@pytest.mark.parametrize("method", ["fewa", "sap_law", "voap", "smart_red", "pink"])
def test_methods_that_need_only_the_gateway(runner, method):
    """Windows are rewritten, and the queue is the simulator's within a third."""
    ours, theirs = played_by_both(method)
    assert theirs["acks_rewritten"] > 500
    assert theirs["bytes_mean"] == pytest.approx(ours["bytes_mean"], rel=1 / 3, abs=3000)


def test_a_full_link_is_in_use_all_of_the_time_and_no_more(runner):
    """ns-3 rounds 1,714.3 ns of a packet to 1,714: a link that carries them is no faster."""
    rate_bps, overhead_bytes = 7_000_000_000, 18
    one = dumbbell()
    fast = [replace(link, rate_bps=9 * rate_bps // 7, delay_ns=1000) for link in one.links]
    fast[SLOW] = replace(one.links[SLOW], rate_bps=rate_bps, overhead_bytes=overhead_bytes)
    traffic = [Udp(0, 2, 0, rate_bps=8 * rate_bps // 7, payload_bytes=1472 - overhead_bytes)]
    network = replace(one, links=fast, traffic=traffic)
    theirs = ns3.play(network, Clock(40_000_000)).queue(SLOW)
    assert theirs["drops"] > 100
    assert 0.99999 < theirs["utilisation"] <= 1
    assert theirs["sent_bytes"] == theirs["sent_packets"] * (1500 - overhead_bytes)
    assert 0 < theirs["arrivals"] - theirs["drops"] - theirs["sent_packets"] < 30


def test_a_first_threshold_ends_slow_start(runner):
    """Eight segments: the queue is short, and the simulator's, in bytes and in packets."""
    network = dumbbell(sender=replace(SENDER, initial_ssthresh_segments=8))
    for law in ("core", "ns3"):
        plain = ns3.play(dumbbell(), Clock(LIMIT_NS), ns3.Options(law)).queue(SLOW)
        theirs = ns3.play(network, Clock(LIMIT_NS), ns3.Options(law)).queue(SLOW)
        ours = sim_network.make(network).run(LIMIT_NS).queue(SLOW)
        assert plain["bytes_mean"] > 4 * theirs["bytes_mean"]
        assert theirs["bytes_mean"] == pytest.approx(ours["bytes_mean"], rel=0.05)
        assert theirs["packets_mean"] == pytest.approx(ours["packets_mean"], rel=0.05)


def test_segments_that_do_not_fit_are_an_error(runner):
    """1458 bytes with timestamps make 1510: ns-3 would cut each in two without a word."""
    network = dumbbell(sender=replace(SENDER, mss_bytes=1458, timestamps=True))
    with pytest.raises(ValueError, match="1510 bytes does not fit a link's MTU of 1500"):
        ns3.play(network, Clock(LIMIT_NS))


def test_a_queue_beyond_32_bits_is_an_error(runner):
    """ns-3 counts a queue in 32 bits; 2^32 + 40000 bytes would become 40000 without a word."""
    network = dumbbell(queue_bytes=(1 << 32) + 40_000)
    with pytest.raises(ValueError, match="a queue's limit must be at most 4294967295 in ns-3"):
        ns3.play(network, Clock(LIMIT_NS))


def run(*arguments):
    """`penstock run` of a scenario that asks for receivers with 65535 bytes and for auto."""
    command = [sys.executable, "-m", "penstock", "run", "ewt-2019/scenario-1", "-m", "droptail"]
    command += ["-n", "1", "--seeds", "1", "--set", "tcp.file.size=50kB", "-j", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_run_has_receivers_that_autotune(runner):
    done = run("--backend", "ns3")
    assert (done.returncode, done.stderr) == (0, "")
    found = [json.loads(line)["receivers"] for line in done.stdout.splitlines()]
    assert found == ["65535", "auto"]


def test_why_ns3_ends_is_said():
    said = (
        'NS_ASSERT failed, cond="x", file=a.cc, line=1\nNS_FATAL, terminating\nterminate called\n'
    )
    assert ns3._reason(said).startswith("NS_ASSERT failed, cond=")
    assert ns3._reason("Segmentation fault\n") == "Segmentation fault"
    assert ns3._reason("") == "no message"


@pytest.mark.parametrize("gbit", [100, 800])
def test_small_packets_take_their_time_at_high_rates(runner, gbit):
    """Datagrams of 92 bytes at 103.5 % of the rate, and at half of it."""
    for part, loss in ((1.035, 1 - 1 / 1.035), (0.5, 0)):
        network = Network(
            1,
            nodes=["a", "b"],
            links=[Wire(0, 1, gbit * 10**9, 0, queue_bytes=15_000), Wire(1, 0, 10**9, 0)],
            gateways=[Gateway(0, "droptail", "none", "drop", "safe")],
            traffic=[Udp(0, 1, 0, round(part * gbit * 10**9 * 64 / 92), 64)],
        )
        queue = ns3.play(network, Clock(40_000_000 // gbit)).queue(0)
        assert queue["utilisation"] == pytest.approx(min(part, 1), abs=0.003)
        dropped = 1 - queue["sent_packets"] / queue["arrivals"]
        assert dropped == pytest.approx(loss, abs=0.003 + 170 / queue["arrivals"])


def test_without_ns3_one_line_says_how_to_install_it(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    ns3_runner.version.cache_clear()
    with pytest.raises(UserError, match=r"tools/setup --extra ns3") as caught:
        ns3_runner.version()
    assert caught.value.code == Exit.BACKEND_MISSING
    ns3_runner.version.cache_clear()


def test_each_place_of_ns3_has_a_runner_of_its_own(monkeypatch, tmp_path):
    """One that was linked to the libraries of an environment that is gone would not start."""
    monkeypatch.setattr(ns3_runner, "version", lambda: "3.46")
    folders = set()
    for name in ("one", "other"):
        monkeypatch.setattr(ns3_runner, "prefix", lambda name=name: tmp_path / name)
        folders.add(ns3_runner.folder())
    assert len(folders) == 2


def test_checksums_stay_right_on_rewritten_acks(runner):
    result = ns3.play(dumbbell("ewt"), Clock(LIMIT_NS), ns3.Options(checksums=True))
    assert result.all_done
    assert result.queue(SLOW)["acks_rewritten"] > 100


@pytest.mark.parametrize("mode", ["safe", "strict", "literal"])
@pytest.mark.parametrize("method", ["droptail", "ewt", "ewt_iot", "ewa", "awm"])
def test_simulator_and_ns3_count_the_same(runner, method, mode):
    """One flow without loss, Penstock's law in both: the same packets meet the same queue, so
    every decision is the same. ns-3's SYN is 4 bytes shorter, for it has no MSS option, and its
    receiver acknowledges the last data and the FIN each for itself: one ACK more."""
    network = dumbbell(method, mode, queue_bytes=60_000)
    ours = sim_network.make(network).run(LIMIT_NS).queue(SLOW)
    theirs = ns3.play(network, Clock(LIMIT_NS), ns3.Options("core")).queue(SLOW)
    assert ours["drops"] == theirs["drops"] == 0
    for name in ("arrivals", "bytes_max"):
        assert ours[name] == theirs[name], name
    assert theirs["arrived_bytes"] == ours["arrived_bytes"] - 4
    assert theirs["acks_seen"] == ours["acks_seen"] + 1
    more = {name: theirs[name] - ours[name] for name in ours if name.startswith("acks_by_")}
    assert sorted(more.values()) == [0] * (len(more) - 1) + [1]
    for name in ("bytes_mean", "delay_ns_mean", "window_bytes_mean", "utilisation"):
        assert ours[name] == pytest.approx(theirs[name], rel=2e-3), name
