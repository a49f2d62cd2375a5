# SPDX-License-Identifier: GPL-2.0-only
"""A bottleneck behind the gateway, measured from ACKs (scenarios/hidden); and where none is."""

import json
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run

from penstock.errors import UserError
from penstock.scenario import traces
from penstock.scenario.read import read

STEP = (Path(__file__).parents[2] / "scenarios" / "hidden" / "step-told.toml").read_text()
TOLD = '[gateway.home]\nlink = "hidden"\n'
PASSIVE = '[gateway.home]\nlink = "lan"\nrate = "auto"\nsource = "passive"\n'
CHANGES = STEP[STEP.index("[[link.hidden.change]]") : STEP.index("[link.egress]")]
BACK = '[link.hidden.back]\nrate = "5mbit"\nqueue = "100kB"\n\n'
UP = """
[tcp.up]
from = "receivers"
to = "senders"
count = 2
size = "1GB"
start = "10s"
"""


def _row(penstock: Run, scenario: str, *options: str, method: str = "penstock") -> dict[str, Any]:
    common = ("-m", method, "--seeds", "1", "-j", "--workers", "1")
    done = penstock("run", scenario, *common, *options)
    assert done.returncode == 0, done.stderr
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return row


def _times(from_s: int, until_s: int) -> tuple[str, ...]:
    return ("--set", f"time.warm_up={from_s}s", "--set", f"time.limit={until_s}s")


@pytest.mark.parametrize("flows", ["1", "4"])
def test_a_step_of_four_times_is_found_within_two_seconds(penstock: Run, flows: str) -> None:
    for from_s, until_s in ((22, 40), (42, 60)):
        options = ("-n", flows, *_times(from_s, until_s))
        told = _row(penstock, "hidden/step-told", *options)
        passive = _row(penstock, "hidden/step", *options)
        assert passive["queue_delay_ms_p99"] <= 1.5 * told["queue_delay_ms_p99"]
        assert passive["utilisation_percent"] >= 90
        assert passive["drops"] == 0


def test_over_the_whole_step_delay_is_no_more_than_told(penstock: Run) -> None:
    told = _row(penstock, "hidden/step-told")
    passive = _row(penstock, "hidden/step")
    dropping = _row(penstock, "hidden/step-told", method="droptail")
    assert passive["queue_delay_ms_p99"] <= 1.5 * told["queue_delay_ms_p99"]
    assert dropping["queue_delay_ms_p99"] > 10 * passive["queue_delay_ms_p99"]
    assert passive["utilisation_percent"] >= 98


def _both(penstock: Run, path: Path, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """With the gateway, and without any."""
    assert TOLD in text
    path.write_text(text.replace(TOLD, PASSIVE))
    passive = _row(penstock, str(path))
    path.write_text(text)
    return passive, _row(penstock, str(path), method="droptail")


@pytest.mark.parametrize(
    ("change", "least"),
    [
        # Nothing waits behind the gateway: the access links or the receivers limit the flows.
        (('to = "gateway"\nrate = "1gbit"', 'to = "gateway"\nrate = "2mbit"'), 1.0),
        (('receivers = ["auto"]', 'receivers = ["65535"]'), 1.0),
        # The path becomes longer, or ACKs wait on their way back: it is no queue of ours.
        ((CHANGES, '[[link.hidden.change]]\nat = "20s"\ndelay = "50ms"\n\n'), 0.95),
        ((CHANGES, BACK), 0.7),
    ],
)
def test_delays_that_have_another_cause_cost_little(
    penstock: Run, tmp_path: Path, change: tuple[str, str], least: float
) -> None:
    text = STEP.replace(*change)
    assert text != STEP
    if change[0] != CHANGES:
        text = text.replace(CHANGES, "").replace('delay = "20ms"', 'delay = "60ms"')
    if change[1] == BACK:
        text += UP
    passive, without = _both(penstock, tmp_path / "s.toml", text)
    assert passive["goodput_mbps_total"] >= least * without["goodput_mbps_total"]


@pytest.mark.parametrize("stamped", [0, 1, 2])
def test_flows_without_timestamps_are_no_worse_off_in_a_full_uplink_than_without_a_gateway(
    penstock: Run, tmp_path: Path, stamped: int
) -> None:
    """Their ACKs wait as long as those of the others, which say it."""
    bulk = "[tcp.bulk]\n"
    plain = STEP[STEP.index(bulk) : STEP.index("[time]")] + "timestamps = false\n"
    count = f"count = {stamped or 4}\n"
    text = STEP.replace(CHANGES, BACK).replace(bulk, bulk + count).replace("[4]", "[1]") + UP
    if stamped:
        text += plain.replace(bulk, f"[tcp.plain]\ncount = {4 - stamped}\n")
    else:
        text = text.replace(count, count + "timestamps = false\n")
    passive, without = _both(penstock, tmp_path / "s.toml", text)
    assert passive["goodput_mbps_total"] >= 0.9 * without["goodput_mbps_total"]


@pytest.mark.parametrize(("skew", "most_ms"), [(-200, 8), (-1000, 45)])
def test_one_receiver_whose_clock_is_slow_hides_a_part_of_the_queue(
    penstock: Run, tmp_path: Path, skew: int, most_ms: float
) -> None:
    """Clocks drift by 200 ppm at most; more is a lie (docs/security.md)."""
    bulk = "[tcp.bulk]\n"
    liar = STEP[STEP.index(bulk) : STEP.index("[time]")].replace(bulk, "[tcp.liar]\ncount = 1\n")
    text = STEP.replace(CHANGES, "").replace(bulk, bulk + "count = 3\n").replace("[4]", "[1]")
    (tmp_path / "s.toml").write_text(text.replace(TOLD, PASSIVE) + liar + f"clock_skew = {skew}\n")
    row = _row(penstock, str(tmp_path / "s.toml"))
    assert row["queue_delay_ms_mean"] <= most_ms
    assert row["utilisation_percent"] >= 99


@pytest.mark.parametrize("longer_ms", [3, 4, 6, 8, 10, 20, 30])
@pytest.mark.parametrize("flows", ["1", "4"])
def test_a_longer_path_is_told_from_a_queue_whatever_c_has_become(
    penstock: Run, tmp_path: Path, flows: str, longer_ms: int
) -> None:
    """Windows take less of it, so C falls, and a pair's time at C grows to the path's delay."""
    change = f'[[link.hidden.change]]\nat = "20s"\ndelay = "{20 + longer_ms}ms"\n\n'
    (tmp_path / "s.toml").write_text(STEP.replace(CHANGES, change).replace(TOLD, PASSIVE))
    options = ("-m", "penstock", "-n", flows, "--seeds", "8", "-j", "--workers", "1")
    done = penstock("run", str(tmp_path / "s.toml"), *options, *_times(24, 40))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 8
    assert min(row["goodput_mbps_total"] for row in rows) >= 18.4
    assert max(row["queue_delay_ms_mean"] for row in rows) <= 9


AT_THE_QUEUE = '[gateway.home]\nlink = "hidden"\nrate = "auto"\n'
GRANT_BYTES = 1500
RATE_BPS = 20_000_000


def _play(path: Path, opportunities_ms: list[int], bps: int, gateway: str) -> str:
    """A scenario whose hidden link sends at these times."""
    trace = path.with_suffix(".trace")
    trace.write_text("".join(f"{ms}\n" for ms in opportunities_ms))
    link = f'trace = "{trace}"\nrate = "{bps}bit"\ndelay = "20ms"'
    text = STEP.replace(CHANGES, "").replace('rate = "20mbit"\ndelay = "20ms"', link)
    path.write_text(text.replace(TOLD, gateway))
    return str(path)


def _granted(path: Path, every_ms: int, gateway: str) -> str:
    """20 Mbit/s or a little more or less, in whole packets."""
    packets = round(RATE_BPS * every_ms / 8000 / GRANT_BYTES)
    bps = packets * GRANT_BYTES * 8000 // every_ms
    return _play(path, [every_ms] * packets, bps, gateway)


def test_the_cause_of_long_delays_behind_grants_is_the_wait_for_one(
    penstock: Run, tmp_path: Path
) -> None:
    """It is no queue to a trip, so the queue stands on top of it, which fills the grants."""
    rows = {}
    for every_ms in (1, 5):
        for who, gateway in (("passive", PASSIVE), ("told", TOLD)):
            name = _granted(tmp_path / f"{who}{every_ms}.toml", every_ms, gateway)
            rows[who, every_ms] = _row(penstock, name, *_times(10, 40))
    longer = ("--set", "method.penstock.target_ns=10ms")
    rows["longer", 5] = _row(penstock, str(tmp_path / "told5.toml"), *_times(10, 40), *longer)
    p99 = {key: row["queue_delay_ms_p99"] for key, row in rows.items()}
    used = {key: row["utilisation_percent"] for key, row in rows.items()}
    print(p99, used)
    assert p99["passive", 1] <= 1.5 * p99["told", 1]
    assert p99["told", 5] * 1.5 < p99["passive", 5] <= 1.5 * p99["longer", 5]
    assert used["told", 5] < 97 < 99 < min(used["passive", 5], used["longer", 5])


def test_the_cause_of_long_delays_on_lte_is_how_fast_it_changes(
    penstock: Run, tmp_path: Path
) -> None:
    mean_bps = 12_000_000
    fast = traces.opportunities("lte", 1, 60_000, mean_bps)
    counts = [0] * 60_001
    for ms in fast:
        counts[ms] += 1
    slow = [ms for ms in range(1, 60_001) for _ in range(counts[(ms - 1) // 16 + 1])]
    p99 = {}
    for speed, trace in (("fast", fast), ("slow", slow)):
        for who, gateway in (("passive", PASSIVE), ("there", AT_THE_QUEUE)):
            name = _play(tmp_path / f"{speed}-{who}.toml", trace, mean_bps, gateway)
            p99[speed, who] = _row(penstock, name, *_times(10, 40))["queue_delay_ms_p99"]
    print(p99)
    assert p99["fast", "passive"] > 1.5 * p99["fast", "there"]
    assert p99["slow", "passive"] <= 1.5 * p99["slow", "there"]


def test_a_source_needs_a_rate_to_measure(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(STEP.replace(TOLD, PASSIVE.replace('rate = "auto"\n', "")))
    with pytest.raises(UserError, match=r"source: .*passive.* needs rate = 'auto'"):
        read(str(path))


def test_udp_above_the_rate_behind_the_gateway_leaves_tcp_what_a_told_rate_does(
    penstock: Run,
) -> None:
    told = _row(penstock, "hidden/flood-told")
    passive = _row(penstock, "hidden/flood")
    dropping = _row(penstock, "hidden/flood-told", method="droptail")
    assert passive["goodput_mbps_total"] > 0.95 * told["goodput_mbps_total"]
    # No ACK reports UDP, so the model seems empty at times, and pauses are counted.
    assert told["queue_delay_ms_mean"] <= passive["queue_delay_ms_mean"]
    assert passive["queue_delay_ms_mean"] <= told["queue_delay_ms_mean"] + 10
    assert passive["drops"] == 0  # of the modem, all are the gateway's
    assert dropping["goodput_mbps_total"] < 0.1


def test_acks_that_wait_in_a_full_uplink_are_no_queue_of_ours(
    penstock: Run, tmp_path: Path
) -> None:
    """With round trips alone it gave up for 30 s: 30 and 77 ms, and 900 drops."""
    (tmp_path / "s.toml").write_text(STEP.replace(CHANGES, BACK).replace(TOLD, PASSIVE) + UP)
    row = _row(penstock, str(tmp_path / "s.toml"))
    assert row["queue_delay_ms_mean"] <= 20
    assert row["drops"] <= 20
    assert row["utilisation_percent"] >= 80
