# SPDX-License-Identifier: GPL-2.0-only
"""Columns: defined once, documented, and computed as defined."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from lab_support import SMALL
from scipy import stats as reference

import penstock
from penstock import columns
from penstock.plan.streams import START_TIMES, start_times_ns
from penstock.results import metrics, stats, table_columns, tables
from penstock.scenario.types import Span

ROOT = Path(__file__).resolve().parents[2]
WANTED = (
    "method mode flows seed loss_percent drops tcp_efficiency_percent transfer_s goodput_mbps "
    "goodput_mbps_total jain queue_bytes_mean queue_bytes_p50 queue_bytes_p99 queue_bytes_max "
    "queue_delay_ms_mean queue_delay_ms_p99 queue_delay_ms_sd retransmissions timeouts "
    "utilisation_percent udp_loss_percent rewritten_acks receive_window_bytes wall_s events "
    "receivers"
)


def test_the_document_is_the_table() -> None:
    command = [sys.executable, str(ROOT / "tools" / "gen_column_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_column_is_defined() -> None:
    assert set(WANTED.split()) <= set(columns.NAMES)
    assert columns.NAMES[-1] == "wall_s"
    assert len(set(columns.NAMES)) == len(columns.NAMES)
    for column in columns.COLUMNS:
        assert column.definition.endswith(".")
        assert column.point


TABLES = (
    *("GROUP", "GROUP_OF_USERS", "GROUP_COMPANY", "FLOW", "QUEUE_PLACE", "LOW_LATENCY"),
    *("COMPLETION", "DELAY", "GROUP_DELAY", "SERIES"),
)


def test_every_column_of_a_further_table_is_defined(tmp_path: Path) -> None:
    """What a directory has of users, of their company, of single flows and of two queues."""
    path = tmp_path / "tables.toml"
    users = '[tcp.users]\nfrom = "senders"\nto = "receivers"\ncount = 2\n'
    web = '[tcp.users.traffic]\nkind = "web"\ntransfers = 2\nreading = "1s"\ncompany = true\n'
    path.write_text(f"{SMALL}{users}{web}")
    folder = tmp_path / "results"
    penstock.run(str(path), methods=["dualpi2"], seeds=1, receivers=["auto"], output=folder)
    known = {each.name for name in TABLES for each in getattr(table_columns, name)}
    known |= set(columns.NAMES)
    seen = {file.name: set(pl.read_parquet_schema(file)) for file in folder.glob("*.parquet")}
    assert {"groups.parquet", "delays.parquet", "completions.parquet"} <= seen.keys()
    assert not {(file, name) for file, names in seen.items() for name in names - known}
    for name in TABLES:
        for each in getattr(table_columns, name):
            assert each.definition.endswith("."), each
            assert each.point, each


# A comparison calls what is lower better, and the lab in a browser marks it.
def test_the_columns_of_the_table_have_a_better_end() -> None:
    for shown in (*tables.SUMMARY, *tables.USERS):
        assert columns.BY_NAME[shown.column].better, shown.column


@pytest.mark.parametrize(("rates", "index"), [([1, 1, 1], 1.0), ([1, 0, 0], 1 / 3), ([2, 4], 0.9)])
def test_jain(rates: list[float], index: float) -> None:
    assert metrics.jain(np.array(rates, dtype=float)) == pytest.approx(index)


def test_interval_is_students() -> None:
    values = [1.0, 2.5, 2.0, 4.0]
    ours = stats.mean(values)
    assert ours is not None
    low, high = reference.t.interval(0.95, 3, np.mean(values), reference.sem(values))
    assert (ours.low, ours.high) == pytest.approx((low, high))
    assert stats.mean([]) is None
    one = stats.mean([3.0])
    assert one is not None
    assert one.half is None


def test_start_times() -> None:
    span = Span(1_000_000_000, 8_000_000_000)
    many = start_times_ns(7, 0, span, 4000)
    words = np.random.Philox(key=np.array([7, START_TIMES], dtype=np.uint64)).random_raw(4000)
    width = span.last_ns - span.first_ns + 1
    assert many == [span.first_ns + (int(word) * width >> 64) for word in words]
    assert many[:5] == start_times_ns(7, 0, span, 5), "more flows leave the first ones alone"
    assert many != start_times_ns(8, 0, span, 4000)
    assert many != start_times_ns(7, 1, span, 4000)
    assert span.first_ns <= min(many) < max(many) <= span.last_ns
    assert reference.kstest(np.array(many), "uniform", (1e9, 7e9)).pvalue > 0.01
    assert start_times_ns(7, 0, Span(5, 5), 3) == [5, 5, 5]
