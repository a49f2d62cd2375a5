# SPDX-License-Identifier: GPL-2.0-only
"""Accurate ECN on the way from the scenario to the results."""

import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from lab_support import Run, head, network

ONE = (
    head("One sender", receivers="4MB", methods=["codel_ecn"])
    + f"""\

{network("100kB")}
[tcp.bulk]
from = "senders"
to = "receivers"
count = 1
size = "4MB"
"""
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "one.toml"
    path.write_text(ONE)
    return path


def _measured(penstock: Run, file: Path, *sets: str) -> tuple[float, float]:
    """How long the transfer took, and how long its packets waited on average."""
    options = [word for each in sets for word in ("--set", f"tcp.bulk.{each}")]
    out = file.parent / "-".join(["out", *sets])
    done = penstock("run", file, "-m", "codel_ecn", "--seeds", "1", *options, "-o", out)
    assert done.returncode == 0, done.stderr
    queues = pl.read_parquet(out / "queues.parquet").filter(direction="forward")
    flows = pl.read_parquet(out / "flows.parquet")
    return flows["transfer_s"].to_list()[0], queues["queue_delay_ms_mean"].to_list()[0]


@pytest.mark.parametrize("sender", ["cubic", "dctcp", "prague"])
def test_counters_do_what_echoes_do(file: Path, penstock: Run, sender: str) -> None:
    congestion = f"congestion={sender}"
    echoed_s, echoed_ms = _measured(penstock, file, congestion)
    counted_s, counted_ms = _measured(penstock, file, congestion, "accecn=true")
    assert counted_s == pytest.approx(echoed_s, rel=0.05)
    assert counted_ms == pytest.approx(echoed_ms, rel=0.25)


def test_labels_would_overwrite_the_marks(file: Path, penstock: Run) -> None:
    done = penstock("run", file, "-m", "csfq", "--set", "tcp.bulk.accecn=true")
    assert done.returncode != 0
    assert "tcp.bulk.accecn: csfq writes labels into the bits of ECN" in done.stderr


def test_ns3_has_none(file: Path, penstock: Run) -> None:
    done = penstock("run", file, "--set", "tcp.bulk.accecn=true", "--backend", "ns3")
    assert done.returncode == 78
    assert "ns-3 has no accurate ECN" in done.stderr


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")
def test_wireshark_reads_the_field_and_the_option(file: Path, penstock: Run) -> None:
    done = penstock(
        *("run", file, "--set", "tcp.bulk.accecn=true", "-o", file.parent / "out"),
        *("--pcapng", file.parent / "packets"),
    )
    assert done.returncode == 0, done.stderr
    capture = next((file.parent / "packets").glob("*.pcapng"))
    text = subprocess.run(
        ["tshark", "-r", capture, "-c", "4"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "[SYN, ECE, CWR, AE]" in text[0]
    assert "[SYN, ACK, CWR]" in text[1]
    assert "EE1B=1 ECEB=0 EE0B=1" in text[1]
    assert "[ACK, ACE=2]" in text[2]
    assert "[ACK, ACE=5]" in text[3]
    bad = "_ws.malformed || tcp.checksum.status == 0"
    wrong = ["tshark", "-r", capture, "-o", "tcp.check_checksum:TRUE", "-Y", bad]
    assert not subprocess.run(wrong, capture_output=True, text=True, check=True).stdout
