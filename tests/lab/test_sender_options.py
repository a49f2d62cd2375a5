# SPDX-License-Identifier: GPL-2.0-only
"""Options of a sender on their way from the scenario to the simulator, and where they lack."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from lab_support import long_path

from penstock.plan.build import build
from penstock.plan.cells import Cell
from penstock.plan.network import Sender, Tcp
from penstock.runs import backends
from penstock.runs.backends import sim

ROOT = Path(__file__).resolve().parents[2]
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


def test_a_window_that_is_retracted_loses_nothing_behind_a_gateway(tmp_path: Path) -> None:
    def run(method: str, *sets: tuple[str, str]) -> dict[str, object]:
        window = (("tcp.bulk.window", "250000"), ("tcp.bulk.size", "20MB"))
        cell = replace(load(tmp_path, *window, *sets), method=method)
        return dict(sim.backend().run(cell).columns)

    period = ("tcp.bulk.retract_period", "500ms")
    never, plain, held = run("droptail"), run("droptail", period), run("penstock", period)
    assert float(str(plain["transfer_s"])) > 1.1 * float(str(never["transfer_s"]))
    assert (held["unfinished"], held["drops"], held["timeouts"]) == (0, 0, 0)
    assert float(str(held["transfer_s"])) < 1.1 * float(str(plain["transfer_s"]))


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


def test_the_page_has_the_rows_of_the_table() -> None:
    command = [sys.executable, str(ROOT / "tools" / "gen_scenario_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_hosts_get_what_keys_say_and_the_rest_as_it_is(tmp_path: Path) -> None:
    """Keys by another name than the field's, one of both ends, and one that stands for none."""
    sets = (("tcp.bulk.rto_min", "1s"), ("tcp.bulk.segment", "1000B"), ("tcp.bulk.sack", "false"))
    cell = load(tmp_path, *sets, ("tcp.bulk.delayed_ack_timeout", "200ms"))
    (flow,) = build(cell).network.flows
    assert isinstance(flow, Tcp)
    wanted = Sender("newreno").fields() | {
        "params": flow.sender.params,
        "min_rto_ns": 10**9,
        "mss_bytes": 1000,
        "sack": False,
    }
    assert flow.sender.fields() == wanted
    assert wanted["initial_ssthresh_segments"] == 0
    fields = flow.receiver.fields()
    assert (fields["mss_bytes"], fields["sack"], fields["delayed_ack_ns"]) == (
        1000,
        False,
        2 * 10**8,
    )


@pytest.mark.parametrize(
    ("sets", "backend", "wanted"),
    [
        ((("tcp.bulk.hystart", "true"),), "ns3", "ns-3 has the older HyStart"),
        ((("tcp.bulk.prr", "true"),), "ns3-aligned", ""),
        ((("tcp.bulk.rack", "true"),), "ns3", "ns-3 has no RACK"),
        ((("tcp.bulk.congestion", "dctcp"),), "ns3", ""),
        ((("tcp.bulk.congestion", "dctcp"),), "ns3-aligned", "no congestion control like 'dctcp'"),
        ((("tcp.bulk.congestion", "prague"),), "ns3", "no congestion control like 'prague'"),
        ((("tcp.bulk.congestion", "copa"),), "ns3", "no congestion control like 'copa'"),
        ((("tcp.bulk.congestion", "bbr3"),), "live", "no congestion control like 'bbr3'"),
        ((("tcp.bulk.hold_cwnd", "true"),), "ns3", ""),
        ((("tcp.bulk.growth", "acks"),), "ns3", "grow by their own rule"),
        ((("tcp.bulk.repeat_syn_ack", "false"),), "ns3-aligned", "receivers repeat it"),
        ((("tcp.bulk.rto_max", "30s"),), "ns3", "stops doubling at 60 s"),
        ((("tcp.bulk.congestion", "reno"),), "ns3-aligned", "no congestion control like 'reno'"),
        ((("tcp.bulk.congestion", "reno"),), "live", "no congestion control like 'reno'"),
        ((("tcp.bulk.congestion", "log_westwood_plus"),), "ns3", "like 'log_westwood_plus'"),
        ((("tcp.bulk.congestion", "log_westwood_plus"),), "ns3-aligned", ""),
        ((("tcp.bulk.congestion", "westwood_plus"),), "live", ""),
        ((("tcp.bulk.quic", "true"),), "ns3", "the ns3 backend has no QUIC; add --backend sim"),
        ((("tcp.bulk.quic", "true"),), "live", "the live backend has no QUIC"),
        ((("tcp.bulk.quic", "true"), ("tcp.bulk.prr", "true")), "sim", ""),
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
