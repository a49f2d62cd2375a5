# SPDX-License-Identifier: GPL-2.0-only
"""Runs as pcapng and qlog: complete, consistent with the run, and readable by others."""

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lab_support import SMALL, Run, rows

from penstock.errors import Exit

LABEL = "droptail-safe-65535-n3-s1"


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    text = SMALL.replace('receivers = ["65535", "auto"]', 'receivers = ["65535"]')
    (tmp_path / "s.toml").write_text(text)
    return tmp_path / "s.toml"


def _read(pcapng: Path, *names: str) -> list[list[str]]:
    if not shutil.which("tshark"):
        pytest.skip("tshark is not installed")
    wanted = [option for name in names for option in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-r", str(pcapng), "-T", "fields", *wanted],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_pcapng_has_both_directions_in_their_order(
    penstock: Run, scenario: Path, tmp_path: Path
) -> None:
    arguments = ("run", scenario, "-m", "droptail", "--seeds", "1", "-j")
    done = penstock(*arguments, "--pcapng", "ng", "--pcap", "old")
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout) == rows(penstock(*arguments).stdout)
    assert [path.name for path in (tmp_path / "ng").iterdir()] == [f"{LABEL}.pcapng"]
    names = ("frame.interface_name", "frame.time_epoch", "ip.src", "tcp.seq_raw", "tcp.window_size")
    merged = _read(tmp_path / "ng" / f"{LABEL}.pcapng", *names)
    assert {packet[0] for packet in merged} == {"bottleneck forward", "bottleneck back"}
    times = [float(packet[1]) for packet in merged]
    assert times == sorted(times)
    for way in ("forward", "back"):
        alone = _read(tmp_path / "old" / f"{LABEL}-bottleneck-{way}.pcap", *names[1:4])
        assert [packet[1:4] for packet in merged if packet[0] == f"bottleneck {way}"] == alone


def _named(events: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["name"] == name]


def test_a_file_that_cannot_be_written_fails_its_run(
    penstock: Run, scenario: Path, tmp_path: Path
) -> None:
    (tmp_path / "q" / f"{LABEL}.qlog").mkdir(parents=True)
    done = penstock("run", scenario, "-m", "droptail", "--seeds", "1", "--qlog", "q")
    assert done.returncode == Exit.FAILURE, done.stderr
    assert "Is a directory" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(list((tmp_path / "q").iterdir())) == 1, "nothing half done is left"


@pytest.fixture
def traces(penstock: Run, scenario: Path, tmp_path: Path) -> tuple[list[Any], dict[str, Any]]:
    done = penstock("run", scenario, "-m", "droptail", "--seeds", "1", "-j", "--qlog", "q")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "q").iterdir()] == [f"{LABEL}.qlog"]
    document = json.loads((tmp_path / "q" / f"{LABEL}.qlog").read_text())
    assert (document["qlog_format"], document["qlog_version"]) == ("JSON", "0.3")
    (row,) = rows(done.stdout)
    return document["traces"], row


def test_qlog_counts_what_the_run_counted(traces: tuple[list[Any], dict[str, Any]]) -> None:
    found, row = traces
    assert [trace["title"] for trace in found] == ["flow 1", "flow 2", "flow 3"]
    lost = sum(len(_named(trace["events"], "recovery:packet_lost")) for trace in found)
    assert row["drops"] > 0
    assert lost >= row["drops"]
    sent = [_named(trace["events"], "transport:packet_sent") for trace in found]
    again = 0
    for packets in sent:
        numbers = [packet["header"]["packet_number"] for packet in packets]
        assert numbers == list(range(len(numbers)))
        offsets = [packet["frames"][0].get("offset") for packet in packets]
        offsets = [offset for offset in offsets if offset is not None]
        again += len(offsets) - len(set(offsets))
    assert again == row["retransmissions"]


def test_qlog_acknowledges_or_loses_all_that_was_sent(
    traces: tuple[list[Any], dict[str, Any]],
) -> None:
    for trace in traces[0]:
        events = trace["events"]
        times = [event["time"] for event in events]
        assert times == sorted(times)
        received = _named(events, "transport:packet_received")
        frames = [frame for packet in received for frame in packet["frames"]]
        acked = [
            number
            for frame in frames
            if frame["frame_type"] == "ack"
            for first, last in frame["acked_ranges"]
            for number in range(first, last + 1)
        ]
        lost = [each["header"]["packet_number"] for each in _named(events, "recovery:packet_lost")]
        assert len(set(acked)) == len(acked)
        assert not set(acked) & set(lost)
        packets = _named(events, "transport:packet_sent")
        data = [p for p in packets if p["frames"][0]["frame_type"] == "stream"]
        assert {p["header"]["packet_number"] for p in data} <= {*acked, *lost}
        limits = [frame["maximum"] for frame in frames if frame["frame_type"] == "max_data"]
        assert max(limits) > 65_535
        assert all(after >= before - 65_535 for before, after in pairwise(limits))


def test_qlog_keeps_to_the_window_and_measures_the_path(
    traces: tuple[list[Any], dict[str, Any]],
) -> None:
    for trace in traces[0]:
        metrics = _named(trace["events"], "recovery:metrics_updated")
        assert max(each.get("bytes_in_flight", 0) for each in metrics) <= 65_535 + 2
        least = min(each["latest_rtt"] for each in metrics if "latest_rtt" in each)
        assert all(each["min_rtt"] >= least for each in metrics if "min_rtt" in each)
    cwnd = _named(traces[0][0]["events"], "recovery:metrics_updated")
    assert any("congestion_window" in each for each in cwnd)


@pytest.mark.parametrize("option", ["--pcapng", "--qlog", "--flent"])
def test_other_backends_refuse(penstock: Run, scenario: Path, option: str) -> None:
    done = penstock("run", scenario, "--backend", "live", option, "folder")
    assert done.returncode == 2
    assert "only --backend sim" in done.stderr
