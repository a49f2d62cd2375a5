# SPDX-License-Identifier: GPL-2.0-only
"""Whole runs of `penstock run --backend live`. A row means: every byte arrived unchanged."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from live_support import (
    ended,
    environment,
    find,
    left_by,
    play,
    spaces_of,
    start_penstock,
    wait_for_spaces,
)

from penstock.errors import Exit, UserError
from penstock.runs.backends import live
from penstock.runs.wishes import check_method

FLOWS = 4  # of live_support.SCENARIO


def check(row: dict[str, object]) -> None:
    assert row["unfinished"] == 0
    assert row["tcp_in_csum_errors"] == 0
    # Of 20; how near it comes is the machine's matter, and no test's.
    assert float(str(row["goodput_mbps_total"])) > 5
    assert 0 < float(str(row["queue_bytes_mean"])) <= 60_000
    assert float(str(row["queue_bytes_max"])) <= 60_000


@pytest.mark.usefixtures("machine")
def test_drop_tail_drops_what_is_sent_again(scenario: Path) -> None:
    row = play(scenario)
    check(row)
    assert row["drops"]
    assert row["retransmissions"] == row["tcp_retrans_segs"]
    # Each lost segment is sent again, and now and then one that was not lost. A lost ACK is not:
    # of the sender's, one ends the handshake and one answers the receiver's FIN.
    assert row["drops"] - 2 * FLOWS <= row["retransmissions"] <= 1.3 * row["drops"] + 10


@pytest.mark.usefixtures("gateway")
def test_receivers_open_and_their_windows_are_rewritten(scenario: Path) -> None:
    row = play(scenario, "-m", "penstock", "--set", "tcp.bulk.opened_by=receiver")
    check(row)
    assert row["rewritten_acks"] > 0


OFFLOADS = ["--set", "topology.offloads=true"]


def choose(offloads: bool) -> list[str]:
    """Half of the runs have offloads on; not those that count drops, which are bursts then."""
    if offloads and find("ethtool") is None:
        pytest.skip("ethtool is not installed")
    return OFFLOADS if offloads else []


@pytest.mark.usefixtures("gateway")
@pytest.mark.parametrize(("method", "offloads"), [("ewt", False), ("ewa", True)])
def test_a_method_rewrites(scenario: Path, method: str, offloads: bool) -> None:
    row = play(scenario, "-m", method, *choose(offloads))
    check(row)
    assert row["rewritten_acks"] > 0


@pytest.mark.usefixtures("gateway")
def test_what_a_discipline_drops_before_the_queue_is_a_drop(scenario: Path) -> None:
    """Most of RED's drops are early: without them half of what is sent again has no cause."""
    row = play(scenario, "-m", "red", "--set", "tcp.bulk.size=100MB", "--set", "time.limit=6s")
    assert 0 < row["tcp_retrans_segs"] < 2 * row["drops"]
    assert row["loss_percent"] > 0


@pytest.mark.usefixtures("gateway")
def test_flows_that_are_not_controlled_keep_their_windows(scenario: Path) -> None:
    row = play(scenario, "-m", "penstock", "--set", "tcp.bulk.controlled=false")
    check(row)
    assert row["rewritten_acks"] == 0


STEP = '[[link.bottleneck.change]]\nat = "2s"\nrate = "5mbit"\n'


@pytest.mark.usefixtures("gateway")
def test_a_rate_changes_and_a_gateway_that_measures_it_follows(scenario: Path) -> None:
    """From 2 to 6 s no more than 5 Mbit/s can arrive, of which there were 20."""
    text = scenario.read_text().replace('link = "bottleneck"', 'link = "bottleneck"\nrate = "auto"')
    scenario.write_text(text + f'warm_up = "2s"\n\n{STEP}')
    endless = ["--set", "tcp.bulk.size=100MB", "--set", "time.limit=6s"]
    row = play(scenario, "-m", "penstock", *endless)
    assert 2.5 < row["goodput_mbps_total"] < 5
    assert row["rewritten_acks"] > 0


@pytest.mark.usefixtures("machine")
def test_a_delay_changes_during_a_run(scenario: Path) -> None:
    """Four windows of 12 kB every 200 ms are 2 Mbit/s, after 19 at 20 ms."""
    step = '[[link.bottleneck.change]]\nat = "2s"\ndelay = "100ms"\n'
    scenario.write_text(scenario.read_text() + f'warm_up = "2200ms"\n\n{step}')
    endless = ["--set", "tcp.bulk.size=100MB", "--set", "time.limit=6s"]
    row = play(scenario, "--receivers", "12kB", *endless)
    assert 0.5 < row["goodput_mbps_total"] < 3


@pytest.mark.usefixtures("machine")
def test_users_transfer_one_page_after_another(scenario: Path) -> None:
    """At most one page every 0.3 s and half a round trip: 12 of each of the two users."""
    users = '[tcp.readers]\nfrom = "senders"\nto = "receivers"\ncount = 2\n'
    pages = 'kind = "web"\nsession = "0s"\nreading = "0.3s"\nsize = "10kB"\n'
    scenario.write_text(f"{scenario.read_text()}\n{users}[tcp.readers.traffic]\n{pages}")
    row = play(scenario, "--set", "tcp.bulk.size=100MB", "--set", "time.limit=4s")
    assert 2 <= row["transfers"] <= 24
    assert row["fct_to_10k_ms_p50"] >= 20, "a round trip at least"
    assert row["unfinished"] == 4, "of bulk alone"


@pytest.mark.usefixtures("machine")
def test_ipv6_is_the_same_lab(scenario: Path) -> None:
    row = play(
        scenario, "--backend", "live6", "--set", "tcp.bulk.sack=false", *choose(offloads=True)
    )
    check(row)


@pytest.mark.usefixtures("machine")
def test_fixed_windows_need_no_queue(scenario: Path) -> None:
    row = play(scenario, "--receivers", "12kB")
    assert row["drops"] == 0
    # Four windows and no more are under way: 48 kB are below BDP and queue together.
    assert row["queue_bytes_max"] <= 48_000 * 1.3


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(("number", "offloads"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_nothing_is_left_after_a_signal(
    scenario: Path, number: signal.Signals, offloads: bool
) -> None:
    process = start_penstock(scenario, "--set", "tcp.bulk.size=100MB", *choose(offloads))
    wait_for_spaces(process.pid)
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == (130 if number == signal.SIGINT else 128 + number), err
    assert left_by(process.pid) == []


@pytest.mark.usefixtures("machine")
def test_what_a_killed_run_left_goes_away(scenario: Path) -> None:
    process = start_penstock(scenario, "--set", "tcp.bulk.size=100MB")
    wait_for_spaces(process.pid)
    process.kill()
    process.communicate(timeout=120)
    assert spaces_of(process.pid)
    clean = [sys.executable, "-m", "penstock", "live", "clean"]
    done = subprocess.run(
        clean, capture_output=True, text=True, check=False, timeout=60, env=environment()
    )
    assert done.returncode == 0
    assert f"penstock-{process.pid}-left" in done.stdout
    assert left_by(process.pid) == []


@pytest.mark.usefixtures("machine")
def test_a_queue_that_the_kernel_lacks_is_a_skip(scenario: Path) -> None:
    done = ended(scenario, "-m", "kernel:pie")
    if done.returncode == 0:
        assert '"method": "kernel:pie"' in done.stdout
    else:
        assert done.returncode == Exit.SKIPPED
        assert "no queueing discipline pie" in done.stderr


def test_without_root_it_is_a_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    live.backend.cache_clear()
    with pytest.raises(UserError, match="needs root") as raised:
        live.backend()
    assert raised.value.code == Exit.SKIPPED


def test_offloads_are_not_for_simulators(scenario: Path) -> None:
    command = [sys.executable, "-m", "penstock", "run", str(scenario), *OFFLOADS]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == Exit.CONFIG
    assert "topology.offloads: only Linux joins segments; add --backend live" in done.stderr


def test_only_queues_that_linux_has_are_kernel_methods() -> None:
    assert check_method("kernel:fq_codel") == "kernel:fq_codel"
    with pytest.raises(UserError, match="did you mean 'pie'") as raised:
        check_method("kernel:pi")
    assert raised.value.code == Exit.USAGE


@pytest.mark.usefixtures("machine")
def test_a_sender_of_the_kernel(scenario: Path) -> None:
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if "bbr" not in available:
        pytest.skip("this kernel has no bbr")
    check(play(scenario, "--set", "tcp.bulk.congestion=kernel:bbr", *choose(offloads=True)))


@pytest.mark.usefixtures("machine")
def test_each_flow_has_a_row(scenario: Path, tmp_path: Path) -> None:
    row = play(scenario, "-o", str(tmp_path / "kept"))
    flows = pl.read_parquet(tmp_path / "kept" / "flows.parquet")
    assert flows["group"].to_list() == ["bulk"] * FLOWS
    assert flows["delivered_bytes"].to_list() == [1_500_000] * FLOWS
    assert max(flows["transfer_s"]) == pytest.approx(row["transfer_s_max"], abs=1e-5)
    assert flows["retransmissions"].sum() == row["retransmissions"]
