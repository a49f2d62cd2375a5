# SPDX-License-Identifier: GPL-2.0-only
"""The live lab's computations, without a namespace."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from penstock.columns import NAMES
from penstock.plan.cells import Cell
from penstock.plan.network import Tcp
from penstock.results.agree import live as compare
from penstock.results.row import Row
from penstock.results.store import Store
from penstock.runs.backends import live as backend
from penstock.runs.live import (
    changes,
    counters,
    gateway,
    network,
    plan,
    queues,
    result,
    routes,
    session,
    stale,
    traffic,
)
from penstock.scenario import params
from penstock.scenario.read import read


def cell(text: str, tmp_path: Path, flows: int = 3, method: str = "droptail") -> Cell:
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    return Cell(read(str(path)).scenario, method, "safe", "auto", flows, 1)


@pytest.fixture
def text(scenario: Path) -> str:
    return scenario.read_text()


def test_a_row_of_nodes_is_one_host_and_its_links_one_wire(text: str, tmp_path: Path) -> None:
    slow = text.replace('rate = "1gbit"', 'rate = "100mbit"', 1)
    lab = plan.plan(cell(slow, tmp_path))
    assert lab.hosts == ["senders", "left", "right", "receivers"]
    access, bottleneck, egress = lab.wires
    assert access.forward.rate_bps == 300_000_000
    assert not egress.forward.is_shaped, "a gigabit is as fast as the machine"
    assert bottleneck.forward.queue_bytes == 60_000
    assert [wire.is_emulated for wire in lab.wires] == [False, True, False]
    assert {(flow.source, flow.sink) for flow in lab.flows} == {("senders", "receivers")}
    assert all(isinstance(flow.spec, Tcp) for flow in lab.flows)
    assert lab.measured == ("bottleneck", "forward")


def test_next_hops_lead_along_the_shortest_way(text: str, tmp_path: Path) -> None:
    lab = plan.plan(cell(text, tmp_path))
    hops = routes.next_hops(lab, "senders")
    assert hops == {"left": (0, 2), "right": (0, 2), "receivers": (0, 2)}
    assert routes.next_hops(lab, "right")["senders"] == (1, 1)


def test_acks_leave_where_their_data_came_from(text: str, tmp_path: Path) -> None:
    lab = plan.plan(cell(text, tmp_path))
    assert routes.acks_leave_by(lab, ("bottleneck", "forward")) == ("access", "back")
    assert routes.acks_leave_by(lab, ("egress", "forward")) == ("bottleneck", "back")
    with pytest.raises(ValueError, match="those of 'egress' leave 'receivers' by 0"):
        routes.acks_leave_by(lab, ("egress", "back"))


def test_acks_wait_only_where_the_law_delays_them(text: str, tmp_path: Path) -> None:
    paced = text.replace('link = "bottleneck"', 'link = "bottleneck"\nbeyond = "pace-acks"')
    for method, holds in (("penstock", True), ("integral", False)):
        spec = plan.plan(cell(paced, tmp_path, method=method)).wires[1].forward.gateway
        assert spec is not None
        assert gateway._holds_acks(spec) is holds
    spec = plan.plan(cell(text, tmp_path, method="penstock")).wires[1].forward.gateway
    assert spec is not None
    assert not gateway._holds_acks(spec)


def test_fq_does_not_replace_the_rate_of_a_link(text: str, tmp_path: Path) -> None:
    slow = text.replace('rate = "1gbit"', 'rate = "100mbit"', 1)
    way = plan.plan(cell(slow, tmp_path)).wires[0].back
    with session.Session() as lab, pytest.raises(ValueError, match="has a rate of its own"):
        queues.put_fq(lab, "space", "lan", way)


def test_what_linux_has_once_for_a_host_must_be_agreed_on(text: str, tmp_path: Path) -> None:
    other = text.split("[tcp.bulk]")[1].split("[time]")[0]
    lab = plan.plan(cell(text + f"\n[tcp.other]{other}sack = false\n", tmp_path))
    with pytest.raises(ValueError, match="'senders': its flows differ in sack"):
        network._tcp_settings("senders", lab.flows)


def test_the_end_that_opens_connects_at_the_start(text: str, tmp_path: Path) -> None:
    for who in ("sender", "receiver"):
        opened = text.replace("[tcp.bulk]", f'[tcp.bulk]\nopened_by = "{who}"')
        lab = plan.plan(cell(opened, tmp_path, flows=1))
        ((_, *ends),) = traffic._lines(lab, 4)
        connects, listens = ends if who == "sender" else reversed(ends)
        assert " to=" in connects
        assert " from=" in connects
        assert " start=" in connects
        assert " at=" in listens
        assert " start=" not in listens


def test_captures_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tcpdump"):
        plan.plan(Cell(**{**cell(text, tmp_path).__dict__, "pcap_dir": str(tmp_path)}))


def test_queues_count_what_a_scenario_counts(text: str, tmp_path: Path) -> None:
    way = plan.plan(cell(text, tmp_path)).wires[1].forward
    assert queues._overhead_bytes(way, 4) == -14
    assert queues._overhead_bytes(way, 6) == -34
    assert queues._leaf(way) == "bfifo limit 60000"


def test_the_kernels_queues_have_the_same_limit(text: str, tmp_path: Path) -> None:
    way = plan.plan(cell(text, tmp_path, method="kernel:pie")).wires[1].forward
    assert queues._leaf(way) == f"pie limit {60_000 // 1514}"
    way = plan.plan(cell(text, tmp_path, method="kernel:red")).wires[1].forward
    assert queues._leaf(way) == "red limit 60000 avpkt 1000 bandwidth 20000000bit adaptive"


def test_the_kernels_queues_mark_where_a_variant_says_so(text: str, tmp_path: Path) -> None:
    for queue, leaf in (
        ("pie", "pie limit 39 ecn"),
        ("cake", "cake unlimited"),
        ("dualpi2", "dualpi2 limit 39"),
    ):
        own = f'[variant.mine]\ndiscipline = "kernel:{queue}"\nsignal = "ecn"\necn = true\n'
        lab = plan.plan(cell(f"{text}\n{own}", tmp_path, method="mine"))
        assert queues._leaf(lab.wires[1].forward) == leaf
        assert network._tcp_settings("senders", lab.flows)["net.ipv4.tcp_ecn"] == "1"


def test_accurate_ecn_is_a_value_of_the_same_sysctl(text: str, tmp_path: Path) -> None:
    lab = plan.plan(cell(text.replace("[tcp.bulk]", "[tcp.bulk]\naccecn = true"), tmp_path))
    assert network._tcp_settings("senders", lab.flows)["net.ipv4.tcp_ecn"] == "3"


def test_a_law_stands_over_the_kernels_own_queue(text: str, tmp_path: Path) -> None:
    one = cell(text, tmp_path, method="integral_fq_codel")
    fields = {
        "target_ns": 7_000_000,
        "fq_codel.interval_ns": 50_000_000,
        "integral.interval_ns": 20_000_000,
        "target_bytes": 5000,
    }
    way = plan.plan(Cell(**{**one.__dict__, "params": fields})).wires[1].forward
    limit = 60_000 // 1514
    assert queues._leaf(way) == f"fq_codel limit {limit} target 7000us interval 50000us noecn"
    assert way.gateway is not None
    options = gateway._options(way.gateway, network.Device("space", "wan", way))
    assert options[options.index("--method") + 1] == "integral"
    given = [options[i + 1] for i, word in enumerate(options) if word == "--param"]
    assert given == ["interval_ns=20000000", "target_bytes=5000"]


USERS = """
[tcp.readers]
from = "senders"
to = "receivers"
count = 2
start = "1s"

[tcp.readers.traffic]
kind = "web"
session = "0s"
pages = "5000"
reading = "exponential(2s)"
size = "10kB"
"""


def test_users_are_chains_of_transfers(text: str, tmp_path: Path) -> None:
    lab = plan.plan(cell(text + USERS, tmp_path))
    own = [flow for flow in lab.flows if flow.users]
    assert [flow.number for flow in lab.flows] == list(range(len(lab.flows)))
    assert [flow.after for flow in own].count(None) == 2, "the first of each user"
    assert all(flow.after in (None, flow.number - 1) for flow in own)
    lines = [send for flow, send, _ in traffic._lines(lab, 4) if flow.users]
    assert "start=1000000000ns" in lines[0]
    assert f"after={own[0].number} pause={own[1].pause_ns}ns" in lines[1]
    pauses = [flow.pause_ns for flow in own if flow.after is not None]
    assert len(set(pauses)) == len(pauses) > 10
    again = plan.plan(cell(text + USERS, tmp_path))
    assert [flow.pause_ns for flow in again.flows] == [flow.pause_ns for flow in lab.flows]


def test_users_without_a_pause_are_too_many_transfers(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'readers': a user may have more than 2000 transfers"):
        plan.plan(cell(text + USERS.replace("exponential(2s)", "0s"), tmp_path))


def _end(number: int, role: str, started_s: float, ended_s: float) -> dict[str, object]:
    counts = {"bytes": 10_000, "bytes_at_mark": 0}
    times = {"started_ns": int(started_s * 1e9), "ended_ns": int(ended_s * 1e9)}
    state = {"tcp": {"bytes_sent": 11_000, "retransmissions": 1}} if role == "send" else {}
    return {"id": number, "role": role, **counts, **times, **state}


def test_transfers_of_users_are_no_flows_of_their_own(text: str, tmp_path: Path) -> None:
    """Those that ended after the warm-up count, with all of their time."""
    lab = plan.plan(cell(f'{text}warm_up = "5s"\n{USERS}', tmp_path, flows=1))
    spans = {0: (0.1, -1e-9), 1: (1.0, 2.0), 2: (4.0, 6.5), 3: (7.0, -1e-9)}
    idle = (-1e-9, -1e-9)
    reports = [
        {
            "flows": [
                _end(flow.number, role, *spans.get(flow.number, idle))
                for flow in lab.flows
                for role in ("send", "receive")
            ]
        }
    ]
    assert len(result.flow_table(lab, reports, 0)["is_udp"]) == 1
    (group,) = result.group_table(lab, reports)
    assert group["name"] == "readers"
    assert list(group["transfers"]["done_ns"] - group["transfers"]["start_ns"]) == [2_500_000_000]
    assert group["bytes_sent"] == 33_000
    assert group["start_ns"] == 5 * 10**9
    (times, *others) = backend._timed(group)["completions"]
    assert list(times["values_ns"]) == [2_500_000_000]
    assert not any(len(each["counts"]) for each in others)


def test_flows_that_are_not_controlled_are_exempt(text: str, tmp_path: Path) -> None:
    other = text.split("[tcp.bulk]")[1].split("[time]")[0]
    lab = plan.plan(cell(f"{text}\n[tcp.other]{other}count = 1\ncontrolled = false\n", tmp_path))
    (alone,) = (
        flow for flow in lab.flows if isinstance(flow.spec, Tcp) and not flow.spec.controlled
    )
    assert gateway.exemptions(lab) == ["--exempt", f"port {traffic.port(alone)}"]


def test_senders_have_the_kernels_names() -> None:
    expected = {"newreno": "reno", "westwood_plus": "westwood", "bic": "bic", "kernel:bbr": "bbr"}
    assert {name: traffic.kernel_name(name) for name in expected} == expected


@pytest.mark.parametrize("method", params.methods().values(), ids=lambda method: method.name)
def test_parameters_survive_the_way_to_penstock_gw(method: params._native.Method) -> None:
    for param in method.params:
        for value in {param.min, params.default(param, 97_000) or 0, param.max}:
            shown = gateway._text(param.unit, value)
            assert round(float(shown) * params.RATIO_ONE.get(param.unit, 1)) == value


def test_kernel_counters_are_read_by_name() -> None:
    text = "Tcp: RetransSegs InCsumErrors\nTcp: 7 0\nTcpExt: TCPTimeouts Other\nTcpExt: 3 -1\n"
    found = counters._parse(text)
    assert found["TcpRetransSegs"] == 7
    assert found["TcpExtTCPTimeouts"] == 3


def test_a_link_takes_each_step_of_delay_and_loss(text: str, tmp_path: Path) -> None:
    """In order of time, whatever the file's; the way back keeps the delay of its own."""
    later = '[[link.egress.change]]\nat = "3s"\ndelay = "7ms"\nloss = 0.01\n'
    earlier = '[[link.egress.change]]\nat = "2s"\ndelay = "5ms"\n'
    back = '[link.egress.back]\ndelay = "1ms"\n'
    wire = plan.plan(cell(f"{text}\n{later}{earlier}{back}", tmp_path)).wires[2]
    assert wire.is_emulated
    lines = [changes.shape_line(wire, second * 10**9) for second in (0, 2, 3)]
    assert lines[0] == "delay 0ns delay-back 1000000ns loss 0.000000000 loss-back 0.000000000"
    assert lines[1] == "delay 5000000ns delay-back 1000000ns loss 0.000000000 loss-back 0.000000000"
    assert lines[2] == "delay 7000000ns delay-back 1000000ns loss 0.010000000 loss-back 0.010000000"


def test_a_link_that_will_have_a_delay_is_emulated(text: str, tmp_path: Path) -> None:
    step = '[[link.egress.change]]\nat = "2s"\n{}\n'
    for change in ('delay = "5ms"', "loss = 0.01"):
        lab = plan.plan(cell(f"{text}\n{step.format(change)}", tmp_path))
        assert lab.wires[2].is_emulated
    assert not plan.plan(cell(text, tmp_path)).wires[2].is_emulated


def test_steps_of_the_rate_are_made_in_both_directions(text: str, tmp_path: Path) -> None:
    steps = '[[link.bottleneck.change]]\nat = "2s"\nrate = "5mbit"\n'
    lab = plan.plan(cell(f"{text}\n{steps}", tmp_path))
    assert lab.wires[1].forward.rates == lab.wires[1].back.rates
    assert lab.wires[1].forward.rates == ((0, 20_000_000), (2 * 10**9, 5_000_000))


def test_what_others_called_is_not_ours_to_remove(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = "penstock-4194000-left (id: 3)\npenstock\nmy-penstock-1-left\npenstock-x-left\n"
    monkeypatch.setattr(session, "run", lambda _: listed)
    assert list(stale.namespaces()) == [(4194000, "penstock-4194000-left")]


def _results(
    folder: Path, queue: float, windows: Sequence[int] = (), fairness: float | None = 1.0
) -> Path:
    folder.mkdir()
    row = dict.fromkeys(NAMES) | {"method": "ewt", "mode": "safe", "receivers": "auto", "flows": 8}
    row |= {"goodput_mbps_total": 19.0, "queue_bytes_mean": queue, "drops": 0, "jain": fairness}
    row |= {"parameters": ""}
    store, cells = Store(folder).open(), []
    for seed in (1, 2):
        cell = {name: row[name] for name in ("method", "mode", "receivers", "flows")}
        cells.append({**cell, "key": f"run-{seed}", "seed": seed, "params": {}, "sampled": True})
        store.save(cells[-1], Row(row | {"seed": seed}, _series(windows)), {})
    about = {"scenario": {"setup": {"time": {"warm_up": 1_000_000_000}}}}
    store.finish({"versions": {}, "git": {}, **about}, cells)
    store.close()
    return folder


def _series(windows: Sequence[int]) -> dict[str, list[object]] | None:
    """Two connections' windows, a sample every half second."""
    if not windows:
        return None
    none = [0] * len(windows)
    queue = dict.fromkeys(("queue_bytes", "queue_packets", "window_bytes"), none)
    lists = {**queue, "send_window_bytes": [none, none]}
    times = [0.5 * number for number in range(len(windows))]
    return {**lists, "time_s": times, "cwnd_bytes": [windows, windows]}


def test_windows_are_compared_after_the_warm_up(tmp_path: Path) -> None:
    live = _results(tmp_path / "live", 50_000, [9, 9, 100, 0, 200])  # one was not sampled
    (near,) = compare.pairs(live, _results(tmp_path / "near", 50_000, [9, 9, 140, 150, 160]))
    assert near.live[compare.WINDOW] == near.simulated[compare.WINDOW] == 150
    assert near.is_predicted
    (far,) = compare.pairs(live, _results(tmp_path / "far", 50_000, [9, 9, 100, 130, 160]))
    assert far.deviation(compare.WINDOW) == pytest.approx(-0.133, abs=1e-3)
    assert not far.is_predicted
    (none,) = compare.pairs(live, _results(tmp_path / "none", 50_000))
    assert none.is_predicted
    assert not none.has_windows
    both = compare.grid([far, none])
    assert both.headers[3:6] == ["cwnd live", "sim", "%"]
    assert [row[3:6] for row in both.rows] == [["150", "130", "-13.3"], ["150", "-", "-"]]
    assert {len(row) for row in both.rows} == {len(both.headers)}
    without = compare.grid([none])
    assert {len(row) for row in without.rows} == {len(without.headers)}
    assert compare.verdict([far, none]).startswith("1 of 2 have goodput, mean queue and mean win")
    assert compare.verdict([none]) == "1 of 1 have goodput and mean queue within 10 %"


def test_runs_of_users_have_no_fairness(tmp_path: Path) -> None:
    both = [_results(tmp_path / name, 50_000, fairness=None) for name in ("live", "sim")]
    (pair,) = compare.pairs(*both)
    assert pair.is_predicted
    (row,) = compare.grid([pair]).rows
    assert row[-4:] == ["0", "0", "-", "-"]


def test_results_are_compared_by_combination(tmp_path: Path) -> None:
    live = _results(tmp_path / "live", 50_000)
    (near,) = compare.pairs(live, _results(tmp_path / "near", 46_000))
    (far,) = compare.pairs(live, _results(tmp_path / "far", 56_000))
    assert (near.method, near.flows) == ("ewt", 8)
    assert near.deviation("queue_bytes_mean") == pytest.approx(-0.08)
    assert near.deviation("drops") == 0
    assert near.is_predicted
    assert not far.is_predicted
