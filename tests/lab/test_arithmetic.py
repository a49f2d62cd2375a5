# SPDX-License-Identifier: GPL-2.0-only
"""The numbers of a run obey arithmetic: relations of columns.py, and what users found broken."""

from pathlib import Path
from typing import Any

import pytest
from lab_support import SMALL, head

from penstock import columns
from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.results import arithmetic, carried, stats, tables
from penstock.results.row import Row
from penstock.runs import backends
from penstock.scenario import params, variants
from penstock.scenario.model import Scenario
from penstock.scenario.read import read

# Equal packets from a to b; the TCP of the group takes another way.
DATAGRAMS = """
[topology]
nodes = {{ a = 1, b = 1, c = 1 }}
[link.l]
from = "a"
to = "b"
rate = "{rate}"
delay = "0s"
queue = "{queue}"
[link.m]
from = "c"
to = "b"
rate = "10mbit"
delay = "5ms"
[gateway.g]
link = "l"
[tcp.t]
from = "c"
to = "b"
size = "1GB"
[udp.u]
from = "a"
to = "b"
rate = "{offered}"
payload = "{payload}B"
[time]
limit = "{limit}"
warm_up = "{warm_up}"
"""
SLOW = {"rate": "10mbit", "offered": "12mbit", "payload": 1000, "limit": "12s", "warm_up": "3s"}


def cell_of(scenario: Scenario, method: str) -> Cell:
    """The first cell of a method, with what the scenario sets of it."""
    chosen = variants.methods_of(scenario)[method]
    fields = params.resolve(chosen, variants.given(scenario, method))
    receivers = str(scenario.sweep.receivers[0])
    return Cell(scenario, method, "safe", receivers, scenario.sweep.flows[0], 1, dict(fields))


def played(folder: Path, text: str, method: str, *sets: tuple[str, str]) -> Row:
    path = folder / "arithmetic.toml"
    path.write_text(text)
    scenario = read(str(path), sets).scenario
    return backends.get("sim").run(cell_of(scenario, method))


def datagrams(folder: Path, method: str, **given: object) -> dict[str, Any]:
    text = head("Equal packets") + DATAGRAMS.format_map({"queue": "30kB", **SLOW, **given})
    return played(folder, text, method).columns


@pytest.mark.parametrize("rate", [5, 100, 400, 800])
def test_small_packets_take_their_time_at_high_rates(tmp_path: Path, rate: int) -> None:
    """Packets of 156 bytes at 103.5 % of the rate."""
    offered = f"{round(rate * 1.035 * 128 / 156 * 1e6)}kbit"
    times = {"limit": f"{500 / rate}ms", "warm_up": f"{300 / rate}ms"}
    row = datagrams(
        tmp_path,
        "droptail",
        rate=f"{rate}gbit",
        offered=offered,
        payload=128,
        queue="15kB",
        **times,
    )
    assert row["utilisation_percent"] == pytest.approx(100, abs=0.01)
    assert row["udp_loss_percent"] == pytest.approx(100 - 100 / 1.035, abs=0.003)


@pytest.mark.parametrize("method", ["droptail", "codel", "fq_codel", "cake"])
@pytest.mark.parametrize(("rate", "offered"), [("100gbit", "60gbit"), ("800gbit", "480gbit")])
def test_a_packet_on_an_idle_link_takes_its_whole_time(
    tmp_path: Path, method: str, rate: str, offered: str
) -> None:
    """Of 7.36 and 0.92 ns, of which nothing is carried."""
    times = {"limit": "0.1ms", "warm_up": "0.01ms", "payload": 64}
    row = datagrams(tmp_path, method, rate=rate, offered=offered, **times)
    assert row["utilisation_percent"] == pytest.approx(60 * 92 / 64, abs=0.002)


@pytest.mark.parametrize(
    "method", ["droptail", "codel", "fq_codel", "cake", "dualpi2", "xcp_tcp", "red"]
)
def test_packets_and_bytes_are_those_of_one_queue(tmp_path: Path, method: str) -> None:
    row = datagrams(tmp_path, method)
    assert row["queue_packets_mean"] > 1
    assert row["queue_bytes_mean"] == pytest.approx(1028 * row["queue_packets_mean"], rel=1e-6)


@pytest.mark.parametrize("method", ["droptail", "fq_codel", "cake"])
@pytest.mark.parametrize(("limit", "most"), [("30kB", 30_000), ("1500B", 1_500)])
def test_a_length_of_no_duration_is_none(
    tmp_path: Path, method: str, limit: str, most: int
) -> None:
    assert datagrams(tmp_path, method, queue=limit)["queue_bytes_max"] <= most


def test_a_buffer_that_is_never_full_has_percentiles(tmp_path: Path) -> None:
    big = played(tmp_path, SMALL, "droptail", ("link.bottleneck.queue", "100MB")).columns
    small = played(tmp_path, SMALL, "droptail", ("link.bottleneck.queue", "1MB")).columns
    for name in ("bytes_p50", "bytes_p99", "delay_ms_p99", "delay_ms_sd", "delay_ms_mean"):
        assert big[f"queue_{name}"] == small[f"queue_{name}"] > 0
    assert big["queue_delay_ms_p99"] >= big["queue_delay_ms_mean"]


def test_goodput_is_of_what_arrives_in_the_measured_time(tmp_path: Path) -> None:
    """A hole that is filled after the warm-up gives the application what came before it."""
    text = SMALL.replace('size = "300kB"', 'size = "30MB"\nsegment = "1448B"\nrack = true')
    line = 10 * 1448 / 1500
    for begin in range(2000, 5000, 300):
        times = (("time.warm_up", f"{begin}ms"), ("time.limit", f"{begin + 200}ms"))
        row = played(tmp_path, text, "droptail", *times).columns
        assert row["goodput_mbps_total"] <= 1.01 * line
        assert row["goodput_mbps_total"] > 0.9 * line


@pytest.mark.parametrize("congestion", ["dctcp", "prague"])
def test_what_scalable_senders_send_is_marked_and_not_dropped(
    tmp_path: Path, congestion: str
) -> None:
    """Also SYNs, ACKs and retransmissions: at a step at the first packet no flow stays closed."""
    text = SMALL.replace("[tcp.bulk]", f'[tcp.bulk]\ncongestion = "{congestion}"')
    step = """
[variant.step]
base = "red_ecn"
params = { min_th_bytes = "1500B", max_th_bytes = "1500B", weight = 1, max_p = 1, gentle = false }
"""
    row = played(tmp_path, text + step, "step", ("link.bottleneck.queue", "1MB"))
    assert row.columns["drops"] == 0
    assert row.columns["unfinished"] == 0
    assert row.columns["jain"] > 0.8


SOUND = {
    **{"bytes_p50": 100, "bytes_p99": 200, "bytes_max": 300, "bytes_mean": 110},
    **{"packets_mean": 1.1, "least_bytes": 100, "most_bytes": 100, "limit_bytes": 300},
    **{"arrivals": 10, "arrived_bytes": 1000, "sent_packets": 8, "sent_bytes": 800, "drops": 2},
    **{"delay_ns_p99": 9, "delay_ns_mean": 5, "delay_ns_sd": 2, "delay_ns_max": 10},
    **{"utilisation": 1.0, "acks_seen": 5, "acks_rewritten": 5, "jain": 0.5, "counted_flows": 2},
    **{"received_bytes": 10, "delivered_bytes": 9, "bytes_sent": 11, "loss_percent": 20.0},
    **{"goodput_bytes": 700, "header_bytes": 120, "under_way_bytes": 20},
    **{"tcp_arrivals": 7, "udp_arrivals": 3, "tcp_drops": 2, "udp_drops": 0},
    **{"drops_overflow": 1, "drops_method": 1},
}


def test_sound_numbers_pass() -> None:
    assert not arithmetic.broken(SOUND, from_start=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"bytes_p50": 201},
        {"bytes_max": 199},
        {"bytes_p50": 0, "bytes_p99": 0},  # beside a mean of 110
        {"bytes_mean": 20},
        {"limit_bytes": 299},
        {"packets_mean": 1.0},
        {"arrived_bytes": 1001},
        {"sent_bytes": 799},
        {"delay_ns_p99": 0},
        {"delay_ns_sd": 0, "delay_ns_p99": 9000, "delay_ns_max": 9000, "delay_ns_mean": 100},
        {"delay_ns_sd": 6},
        {"utilisation": 1.035},
        {"acks_rewritten": 6},
        {"jain": 0.49},
        {"jain": 1.01},
        {"drops": 11},
        {"sent_packets": 9, "sent_bytes": 900},
        {"received_bytes": 8},
        {"received_bytes": 12},
        {"loss_percent": 20.1},
        {"loss_percent": 19.9},
        {"goodput_bytes": 701},
        {"header_bytes": 121},
        {"tcp_arrivals": 6},
        {"udp_drops": 1},
        {"drops_overflow": 2},
    ],
)
def test_what_cannot_be_is_found(wrong: dict[str, float]) -> None:
    found = arithmetic.broken(SOUND | wrong, from_start=True)
    assert any(f"{name} = " in found for name in wrong), found


def test_each_relation_names_what_there_is(tmp_path: Path) -> None:
    """A relation with a misspelt name would hold for ever."""
    path = tmp_path / "names.toml"
    path.write_text(SMALL)
    cell = cell_of(read(str(path)).scenario, "dualpi2")
    known: set[str] = set()

    def note(_where: str, values: dict[str, Any], _from_start: bool) -> None:
        known.update(values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arithmetic, "check", note)
        backends.get("sim").run(cell)
    for text in (*columns.RELATIONS, *columns.RELATIONS_FROM_START):
        for term in text.split("<="):
            names = set(compile(term.strip(), text, "eval").co_names) - {"max"}
            assert names <= known, text


LONG = SMALL.replace('size = "300kB"', 'size = "30MB"')
LATER = (("time.warm_up", "2s"), ("time.limit", "5s"))


@pytest.mark.parametrize(
    ("more", "sets"),
    [
        ("", LATER[1:]),
        ("", LATER),
        ('[tcp.q]\nfrom = "senders"\nto = "receivers"\nsize = "9MB"\nquic = true', LATER),
        ('[udp.u]\nfrom = "senders"\nto = "receivers"\nrate = "2mbit"\npayload = "90B"', LATER),
        ("", (*LATER, ("link.bottleneck.phantom", "true"))),
        (
            '[link.bottleneck.back]\nqueue = "9kB"\n[tcp.up]\nfrom = "receivers"\n'
            'to = "senders"\nsize = "9MB"',
            LATER,
        ),
    ],
)
def test_what_arrives_had_departed(
    tmp_path: Path, more: str, sets: tuple[tuple[str, str], ...]
) -> None:
    """And nearly all that departed of a bottleneck arrives: the relation is no empty one."""
    found: list[dict[str, Any]] = []

    def note(_where: str, values: dict[str, Any], _from_start: bool) -> None:
        found.extend([values] if values.get("goodput_bytes") else [])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arithmetic, "check", note)
        played(tmp_path, f"{LONG}\n{more}\n", "droptail", *sets)
    assert found
    for each in found:
        least = each["goodput_bytes"] + each["header_bytes"]
        assert 0.9 * each["sent_bytes"] <= least <= each["sent_bytes"] + each["under_way_bytes"]
        assert each["under_way_bytes"] <= 0.1 * least


def test_a_byte_too_much_at_a_receiver_fails_the_run(tmp_path: Path) -> None:
    values = carried.values

    def wrong(cell: Cell, built: Built, result: Any) -> dict[int, dict[str, int | None]]:
        return {
            link: each | {"goodput_bytes": (each["goodput_bytes"] or 0) + 1_000_000}
            for link, each in values(cell, built, result).items()
        }

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(carried, "values", wrong)
        with pytest.raises(RuntimeError, match=r"goodput_bytes \+ header_bytes <= sent_bytes"):
            played(tmp_path, SMALL, "droptail")


def test_a_run_whose_numbers_are_wrong_fails_with_them(tmp_path: Path) -> None:
    queue_values = arithmetic.queue_values

    def wrong(built: Built, result: Any, link: int) -> dict[str, Any]:
        return queue_values(built, result, link) | {"utilisation": 1.035}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arithmetic, "queue_values", wrong)
        with pytest.raises(RuntimeError, match=r"utilisation <= 1.*utilisation = 1\.035"):
            played(tmp_path, SMALL, "droptail")


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (0.03149, 0.00042, "0.0315 ± 0.0004"),
        (0.07449, None, "0.0745"),
        (2.5, 0.25, "2.50 ± 0.25"),
        (9.9999, 0.5, "10.0 ± 0.5"),
        (229.53, 2.81, "230 ± 3"),
        (0.0, 0.0, "0 ± 0"),
    ],
)
def test_times_have_three_significant_digits(value: float, half: float | None, shown: str) -> None:
    column = next(each for each in tables.SUMMARY if each.column == "transfer_s")
    assert tables.text(column, stats.Mean(value, half, 3)) == shown
