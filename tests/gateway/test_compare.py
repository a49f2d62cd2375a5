# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw compare and top: what an operator sees of the gain, and of the flows."""

import json
import re
import signal
import subprocess
from pathlib import Path

from gateway_lab import TOOL, Lab
from loads import acked_bytes, connections, streaming, until

# Drop-tail loses packets here all the time; a law that controls windows does not.
SHAPE = ("--rate", "20mbit", "--buffer", "30kB")


def test_compare_shows_the_gain_and_restores_the_state(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, *SHAPE, "--observe", "--queue", "install")
    with connections(lab, 8) as pairs, streaming(*pairs):
        words = ("-j", "--for", "18s", "--period", "3s", "--report", str(tmp_path / "page.html"))
        shown = lab.tool("compare", lab.device, *words)
    found = json.loads(shown)
    assert (found["pairs"], found["period_s"]) == (3, 3)
    measures = found["measures"]
    drops, again = measures["drops_per_s"], measures["retransmitted_ratio"]
    assert drops["observing"] > 10
    assert drops["live"] < drops["observing"] / 4
    assert drops["interval"][0] <= drops["difference"] <= drops["interval"][1]
    assert 0 < again["observing"] < 0.5
    assert again["live"] < again["observing"]
    # Of 20 Mbit/s; how near it comes is the machine's matter.
    assert 1e6 < measures["goodput_bps"]["observing"] < 20e6
    assert 0 < measures["delay_s"]["live"] < measures["delay_95_s"]["observing"] < 0.02
    assert measures["delay_s"]["live"] < measures["round_trip_s"]["live"] < 0.1
    assert lab.status()["state"] == "observe"
    check_report((tmp_path / "page.html").read_text(), measures)


def check_report(page: str, measures: dict[str, dict[str, float]]) -> None:
    """The page has the numbers of the JSON and each pair, and needs nothing else."""
    assert "{{" not in page
    assert not re.search(r"<script|src=|href=|url\(", page)
    for key, label, factor, places in (
        ("drops_per_s", "drops, /s", 1, 1),
        ("delay_s", "delay, mean, ms", 1e3, 1),
    ):
        shown = [f"{factor * measures[key][state]:.{places}f}" for state in ("observing", "live")]
        assert f"<td>{label}</td><td>{shown[0]}</td><td>{shown[1]}</td>" in page
    assert page.count('class="pair"') == 3 * len(measures)
    assert "<td>better</td>" in page
    assert "3 pairs of periods of 3s" in page
    assert "rate = &quot;20mbit&quot;" in page


def test_compare_refuses_what_it_cannot_compare(lab: Lab) -> None:
    assert "not attached" in lab.tool("compare", lab.device, expect=3)
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe")
    assert "--queue install" in lab.tool("compare", lab.device, expect=1)
    lab.tool("set", lab.device, "--queue", "install")
    said = lab.tool("compare", lab.device, "--report", "/nowhere/page.html", expect=1)
    assert "cannot write /nowhere/page.html" in said
    assert "60s at least" in lab.tool("compare", lab.device, "--for", "30s", expect=2)


def test_an_interrupted_compare_restores_the_state(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    command = [str(TOOL), "--netns", lab.gateway, "compare", lab.device, "--period", "2s"]
    one = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    until(lambda: lab.status()["state"] == "observe")
    one.send_signal(signal.SIGINT)
    assert "interrupted" in one.communicate(timeout=60)[1]
    assert one.returncode == 130
    assert lab.status()["state"] == "live"


def test_top_puts_the_fastest_flow_first(lab: Lab) -> None:
    """Not the one that has sent most so far."""
    lab.tool("attach", lab.device, "--rate", "50mbit")
    with connections(lab, 2) as [old, new]:
        with streaming(old):
            until(lambda: acked_bytes(old[0]) > 4_000_000)
        with streaming(new):
            until(lambda: acked_bytes(new[0]) > 1_000_000)
            port = new[0].getsockname()[1]
            shown = lab.tool("top", lab.device, "-n", "1", "-i", "300ms")
    rows = [line.split("10.9.2.2:")[1] for line in shown.splitlines() if "10.9.2.2:" in line]
    assert rows[0].split()[0] == str(port)
    assert re.search(r"\d Mbit/s", rows[0])


def test_explain_has_units(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with connections(lab, 1) as [(near, far)], streaming((near, far)):
        until(lambda: int(str(lab.status()["acks_seen"])) > 100)
        end = near.getsockname()
        shown = lab.tool("explain", lab.device, f"{end[0]}:{end[1]}")
    assert re.search(r"round trip [\d.]+ (us|ms)$", shown, re.MULTILINE)
