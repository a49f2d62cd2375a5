# SPDX-License-Identifier: GPL-2.0-only
"""A recording of a real gateway: played in a browser, and run as a scenario."""

import json
import re
import subprocess
import sys
from pathlib import Path

from browsing import browser
from gateway_lab import Lab
from loads import connections, streaming


def penstock(folder: Path, *words: str) -> str:
    """The lab's command line."""
    command = [sys.executable, "-m", "penstock", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def record(lab: Lab, path: Path) -> None:
    """Five flows on a line of 20 Mbit/s."""
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "97kB", "--target", "20kB")
    with connections(lab, 5) as pairs, streaming(*pairs):
        lab.tool("record", lab.device, str(path), "--for", "20s")


def test_a_recording_plays_and_runs(lab: Lab, tmp_path: Path) -> None:
    record(lab, tmp_path / "r.jsonl")
    penstock(tmp_path, "open", "r.jsonl", "--no-show")
    with browser(tmp_path) as page:
        page.open((tmp_path / "r.jsonl.html").as_uri())
        page.wait("+document.body.dataset.drawn > 3")
        page.ask("document.getElementById('play').click()")
        assert page.ask("document.getElementById('play').textContent") == "Play"
        page.ask(
            "(() => { const seek = document.getElementById('seek'); seek.value = seek.max;"
            "seek.dispatchEvent(new Event('input')); })()"
        )
        last = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
        seen = [line["status"]["acks_seen"] for line in last if line["kind"] == "status"][-1]
        page.wait(f"document.getElementById('flows_note').textContent.includes('of {seen} ACKs')")
        assert page.complaints == []
    said = penstock(tmp_path, "from-recording", "r.jsonl", "s.toml")
    interval = re.search(r"samples ([\d.]+) \.\. ([\d.]+) kB", said)
    assert interval
    low, high = (1000 * float(text) for text in interval.groups())
    rows = penstock(tmp_path, "run", "s.toml", "--seeds", "2", "-m", "penstock", "-j").splitlines()
    for row in rows:
        assert low <= json.loads(row)["queue_bytes_mean"] <= high
