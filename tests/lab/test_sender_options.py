# SPDX-License-Identifier: GPL-2.0-only
"""Options of a sender on their way from the scenario to the simulator, and where they lack."""

from pathlib import Path

import pytest
from lab_support import long_path

from penstock.plan.cells import Cell
from penstock.runs import backends
from penstock.runs.backends import sim

TRAFFIC = """
[tcp.bulk]
from = "senders"
to = "receivers"
size = "5MB"
congestion = "newreno"
"""


def load(tmp_path: Path, *sets: tuple[str, str]) -> Cell:
    return long_path(tmp_path, TRAFFIC, *sets)


def test_hystart_spares_a_deep_queue_the_first_overrun(tmp_path: Path) -> None:
    deep = ("link.bottleneck.queue", "500kB")
    plain = sim.backend().run(load(tmp_path, deep)).columns
    early = sim.backend().run(load(tmp_path, deep, ("tcp.bulk.hystart", "true"))).columns
    assert int(plain["drops"] or 0) > 300
    assert int(early["drops"] or 0) < int(plain["drops"] or 0) / 3


def test_prr_sends_during_the_first_half_of_a_recovery(tmp_path: Path) -> None:
    """After an overrun of 250 segments half a round trip of silence ends in a timeout."""
    plain = sim.backend().run(load(tmp_path)).columns
    spread = sim.backend().run(load(tmp_path, ("tcp.bulk.prr", "true"))).columns
    assert (plain["timeouts"], spread["timeouts"]) == (1, 0)
    assert float(spread["transfer_s"] or 0) < 0.9 * float(plain["transfer_s"] or 0)


def test_rack_repairs_lost_retransmissions_without_the_timer(tmp_path: Path) -> None:
    """5 % random losses: some of what is sent again is lost too."""
    loss = (("link.bottleneck.loss", "0.05"), ("tcp.bulk.prr", "true"))
    plain = sim.backend().run(load(tmp_path, *loss)).columns
    timed = sim.backend().run(load(tmp_path, *loss, ("tcp.bulk.rack", "true"))).columns
    assert int(plain["timeouts"] or 0) >= 10
    assert int(timed["timeouts"] or 0) < int(plain["timeouts"] or 0) / 2
    assert float(timed["transfer_s"] or 0) < float(plain["transfer_s"] or 0)


@pytest.mark.parametrize(
    ("sets", "backend", "wanted"),
    [
        ((("tcp.bulk.hystart", "true"),), "ns3", "not taken over to ns-3"),
        ((("tcp.bulk.prr", "true"),), "ns3-aligned", "not taken over to ns-3"),
        ((("tcp.bulk.rack", "true"),), "ns3", "not taken over to ns-3"),
        ((("tcp.bulk.hold_cwnd", "true"),), "ns3", "keep cwnd and window apart"),
        ((("tcp.bulk.growth", "acks"),), "ns3", "grow by their own rule"),
        ((("tcp.bulk.repeat_syn_ack", "false"),), "ns3-aligned", "receivers repeat it"),
        ((("tcp.bulk.congestion", "reno"),), "ns3-aligned", "no congestion control like 'reno'"),
        ((("tcp.bulk.congestion", "reno"),), "live", "no congestion control like 'reno'"),
        ((("tcp.bulk.congestion", "log_westwood_plus"),), "ns3", "like 'log_westwood_plus'"),
        ((("tcp.bulk.congestion", "log_westwood_plus"),), "ns3-aligned", ""),
        ((("tcp.bulk.congestion", "westwood_plus"),), "live", ""),
        ((("tcp.bulk.controlled", "false"),), "ns3", "controls all TCP"),
        ((("tcp.bulk.controlled", "false"),), "sim", ""),
        ((("tcp.bulk.congestion", "reno"), ("tcp.bulk.prr", "true")), "sim", ""),
    ],
)
def test_backends_refuse_what_they_lack(
    tmp_path: Path, sets: tuple[tuple[str, str], ...], backend: str, wanted: str
) -> None:
    messages = [message for _, message in backends.lacks(backend, load(tmp_path, *sets).scenario)]
    assert len(messages) == (1 if wanted else 0)
    assert not wanted or wanted in messages[0]
