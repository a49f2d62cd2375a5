# SPDX-License-Identifier: GPL-2.0-only
"""Connections beside each other: nis-2004 section 7.2, and its pacing, in whole runs."""

from pathlib import Path
from typing import Any

import pytest
from lab_support import head

from penstock.errors import UserError
from penstock.plan.cells import Cell
from penstock.runs.backends import sim
from penstock.scenario.read import read

MSS = 1460
TEXT = (
    head("A page that is under way, and another that comes to it", receivers="64240")
    + """\

[topology]
nodes = { server = 1, router = 1, client = 1, other = 1 }

[link.slow]
from = "server"
to = "router"
rate = "10mbit"
delay = "50ms"
queue = "1MB"

[link.last]
from = "router"
to = "client"
rate = "100mbit"
delay = "0s"

[link.aside]
from = "router"
to = "other"
rate = "100mbit"
delay = "0s"

[gateway.r1]
link = "slow"

[tcp.first]
from = "server"
to = "client"
count = 1
segment = "1460B"
timestamps = false
initial_window = 3
delayed_ack = 1
rto_initial = "6s"

[tcp.first.traffic]
kind = "trace"
company = true
file = "first.txt"

[tcp.second]
from = "server"
to = "client"
count = 1
segment = "1460B"
timestamps = false
initial_window = 3
delayed_ack = 1
rto_initial = "6s"

[tcp.second.traffic]
kind = "trace"
company = true
file = "second.txt"
"""
)


def groups(tmp_path: Path, *sets: tuple[str, str], second: str = "1.0 14600\n") -> dict[str, Any]:
    (tmp_path / "first.txt").write_text("0 1460000\n")
    (tmp_path / "second.txt").write_text(second)
    path = tmp_path / "one.toml"
    path.write_text(TEXT)
    cell = Cell(read(str(path), sets).scenario, "droptail", "safe", "64240", 1, 1)
    return {str(row["group"]): row for row in sim.backend().run(cell).groups}


def both(key: str, value: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"tcp.{name}.{key}", value) for name in ("first", "second"))


def test_who_comes_to_others_is_told_from_who_does_not(tmp_path: Path) -> None:
    rows = groups(tmp_path)
    assert (rows["first"]["newcomers"], rows["second"]["newcomers"]) == (0, 1)
    assert rows["second"]["newcomer_cwnd_segments"] == 3
    assert rows["second"]["newcomer_ssthresh_segments"] is None
    # SYN, then 3, 6 and the last of 10 segments: four round trips, and what waits in the queue.
    tpo = rows["second"]["newcomer_tpo_segments_per_s"]
    assert tpo == rows["second"]["newcomer_tpc_segments_per_s"]
    assert 10 / 0.65 < tpo < 10 / 0.4


def test_a_period_counts_what_each_got_in_it(tmp_path: Path) -> None:
    rows = groups(tmp_path)
    first, second = rows["first"], rows["second"]
    assert (first["concurrent"], second["concurrent"]) == (1, 1)
    assert first["concurrent_s"] == second["concurrent_s"]
    assert second["concurrent_segments"] == 11  # with the SYN
    lifetime_s = 10 / second["newcomer_tpo_segments_per_s"]
    assert second["concurrent_s"] == pytest.approx(lifetime_s, abs=1e-5)
    a, b = first["concurrent_segments"], second["concurrent_segments"]
    fair = (a + b) ** 2 / (2 * (a * a + b * b))  # (2.19)
    assert first["concurrent_fairness"] == pytest.approx(fair, abs=1e-6)
    assert first["concurrent_periods"] + second["concurrent_periods"] == 1


def test_other_hosts_are_no_company(tmp_path: Path) -> None:
    rows = groups(tmp_path, ("tcp.second.to", "other"))
    assert rows["second"]["newcomers"] == rows["second"]["concurrent"] == 0
    later = groups(tmp_path, second="30.0 14600\n")  # the first is over
    assert later["second"]["newcomers"] == 0


def test_columns_are_there_if_asked_for(tmp_path: Path) -> None:
    rows = groups(tmp_path, ("tcp.first.traffic.company", "false"))
    assert "newcomers" not in rows["first"]
    assert rows["second"]["newcomers"] == 0  # the other one is not looked at


def test_an_ensemble_tells_the_syn_how_long_a_round_trip_takes(tmp_path: Path) -> None:
    """The link loses all from just before the second SYN until just after it."""
    path = tmp_path / "one.toml"
    lossy = TEXT.replace('rate = "10mbit"', 'rate = "10mbit"\nloss = 0.0').replace(
        "[link.last]",
        '[[link.slow.change]]\nat = "0.999s"\nloss = 0.999999\n\n'
        '[[link.slow.change]]\nat = "1.001s"\nloss = 0.0\n\n[link.last]',
    )
    took = {}
    for name in ("fs_tcbi", "efcm", ""):
        (tmp_path / "first.txt").write_text("0 1460000\n20 1460\n")
        (tmp_path / "second.txt").write_text("1.0 14600\n")
        path.write_text(lossy)
        sets = both("sharing", name) if name else ()
        cell = Cell(read(str(path), sets).scenario, "droptail", "safe", "64240", 1, 1)
        rows = {str(row["group"]): row for row in sim.backend().run(cell).groups}
        took[name] = 10 / rows["second"]["newcomer_tpo_segments_per_s"]
    assert took[""] > 6  # the initial timer
    assert took["fs_tcbi"] < 2
    assert took["efcm"] < 2


def test_newcomers_begin_with_their_share(tmp_path: Path) -> None:
    row = groups(tmp_path, *both("sharing", "fs_tcbi"))["second"]
    assert row["newcomer_cwnd_segments"] > 10
    assert row["newcomer_ssthresh_segments"] > 10
    assert row["newcomer_srtt_ms"] > 100


def test_bursts_leave_gaps_for_all_of_them(tmp_path: Path) -> None:
    """Paced at one window per round trip, a page takes as long in bursts of 2 as in bursts of 1."""
    paced = (*both("pacing", "true"), *both("pacing_gain", "1.0"))
    ones = groups(tmp_path, *paced)
    twos = groups(tmp_path, *paced, *both("pacing_burst", "2"))
    free = groups(tmp_path)
    rate = "newcomer_tpo_segments_per_s"
    assert twos["second"][rate] == pytest.approx(ones["second"][rate], rel=0.25)
    assert twos["second"][rate] != ones["second"][rate]
    assert free["second"][rate] > ones["second"][rate]


def test_company_needs_a_connection_for_each_transfer(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="one transfer each"):
        groups(tmp_path, ("tcp.first.traffic.persistent", "true"))
