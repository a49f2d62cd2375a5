# SPDX-License-Identifier: GPL-2.0-only
"""Columns that count from the end of the warm-up."""

import json
from pathlib import Path

import polars
import pytest
from lab_support import SMALL, Run

LONG = SMALL.replace('size = "300kB"', 'size = "100MB"').split("[sample]")[0]


def row(penstock: Run, tmp_path: Path, name: str, clock: str) -> dict[str, float]:
    path = tmp_path / f"{name}.toml"
    path.write_text(LONG + f"[time]\n{clock}\n")
    usual = ("-m", "droptail", "--receivers", "auto", "--seeds", "1", "-j")
    done = penstock("run", path, *usual, "-o", tmp_path / name)
    assert done.returncode == 0, done.stderr
    found: dict[str, float] = json.loads(done.stdout)
    return found


def test_two_parts_make_the_whole(penstock: Run, tmp_path: Path) -> None:
    whole = row(penstock, tmp_path, "whole", 'limit = "12s"')
    first = row(penstock, tmp_path, "first", 'limit = "5s"')
    rest = row(penstock, tmp_path, "rest", 'limit = "12s"\nwarm_up = "5s"')
    for column in ("drops", "retransmissions", "timeouts"):
        assert first[column] + rest[column] == whole[column], column
    assert 0 < rest["drops"] < whole["drops"]
    assert first["events"] + rest["events"] == whole["events"]
    weighted = 5 * first["queue_bytes_mean"] + 7 * rest["queue_bytes_mean"]
    assert weighted / 12 == pytest.approx(whole["queue_bytes_mean"], rel=0.02)
    # Three bulk flows fill a link of 10 Mbit/s: 1448 of 1500 bytes are payload.
    assert rest["goodput_mbps_total"] == pytest.approx(10 * 1448 / 1500, rel=0.02)
    assert rest["utilisation_percent"] == pytest.approx(100, abs=1)


SHORT = """

[tcp.short]
from = "senders"
to = "receivers"
size = "20kB"
"""


def test_a_flow_that_finished_before_is_left_out(penstock: Run, tmp_path: Path) -> None:
    found = row(penstock, tmp_path, "two", 'limit = "12s"\nwarm_up = "5s"' + SHORT)
    assert [found[name] for name in ("transfers", "transfer_s", "unfinished")] == [0, None, 3]
    assert 3 * found["goodput_mbps"] == pytest.approx(found["goodput_mbps_total"], abs=1e-5)
    assert found["jain"] > 0.5  # three of six flows, all alike, have 0.5
    flows = polars.read_parquet(tmp_path / "two" / "flows.parquet")
    assert flows["transfer_s"].null_count() == len(flows) == 6


def test_a_run_must_be_longer_than_its_warm_up(penstock: Run, tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text(SMALL + '[time]\nwarm_up = "900s"\n')
    done = penstock("run", path, "-m", "droptail", "--receivers", "auto", "--seeds", "1")
    assert done.returncode == 1
    assert "ends before its warm-up" in done.stderr


@pytest.mark.parametrize("discipline", ["droptail", "codel"])
def test_a_packet_that_an_end_cuts_counts_in_part(
    penstock: Run, tmp_path: Path, discipline: str
) -> None:
    """At 1 kbit/s a packet of 1500 bytes takes 12 s, longer than what is counted."""
    path = tmp_path / "slow.toml"
    path.write_text(
        LONG.replace('rate = "10mbit"', 'rate = "1kbit"')
        + '[time]\nlimit = "40s"\nwarm_up = "35s"\n'
    )
    done = penstock("run", path, "-m", discipline, "--receivers", "auto", "--seeds", "1", "-j")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["utilisation_percent"] == pytest.approx(100)
