# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw compare and top: what an operator sees of the gain, and of the flows."""

import contextlib
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from browsing import browser
from gateway_lab import TOOL, Lab
from loads import acked_bytes, connections, streaming, until
from spaces import inside

# Drop-tail loses packets here all the time; a law that controls windows does not.
SHAPE = ("--rate", "20mbit", "--buffer", "30kB")
PAGE = bytes(30_000)
PAGES_PORT = 8080


@contextmanager
def browsing(lab: Lab) -> Iterator[list[float]]:
    """Page after page from the server, each by a connection of its own; their times."""
    ending = threading.Event()
    times: list[float] = []
    with inside(lab.server):
        listener = socket.create_server(("10.9.2.2", PAGES_PORT))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                with listener.accept()[0] as one:
                    one.recv(100)
                    one.sendall(PAGE)

    def browse() -> None:
        while not ending.is_set():
            with inside(lab.client):
                one = socket.socket()
            begun = time.monotonic()
            with one:
                one.settimeout(60)
                one.connect(("10.9.2.2", PAGES_PORT))
                one.sendall(b"GET")
                while one.recv(1 << 16):
                    pass
            times.append(time.monotonic() - begun)
            ending.wait(0.05)

    threads = [threading.Thread(target=each, daemon=True) for each in (serve, browse)]
    for thread in threads:
        thread.start()
    try:
        yield times
    finally:
        ending.set()
        threads[1].join()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        threads[0].join()


def test_compare_shows_the_gain_and_restores_the_state(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, *SHAPE, "--observe", "--queue", "install")
    classes = ("--class", f"pages=port {PAGES_PORT}", "--class", "bulk=10.9.1.2 port 6000")
    path = tmp_path / "page.html"
    with connections(lab, 8) as pairs, streaming(*pairs), browsing(lab) as times:
        words = ("-j", "--for", "24s", "--period", "4s", "--report", str(path), *classes)
        shown = lab.tool("compare", lab.device, *words)
    found = json.loads(shown)
    assert (found["pairs"], found["period_s"]) == (3, 4)
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
    # The longest 5 % of the waits count in the one and not in the other.
    for state in ("observing", "live"):
        trips = 60 / measures["round_trip_s"][state]
        assert 0.8 * trips < measures["rpm"][state] < 2 * trips
    assert measures["rpm"]["observing"] < measures["rpm"]["live"]
    assert 0 <= measures["qoo_percent"]["observing"] <= measures["qoo_percent"]["live"] <= 100
    assert lab.status()["state"] == "observe"
    check_classes(found, times)
    check_report(path.read_text(), found)
    look_at_report(path, tmp_path)


def check_classes(found: dict[str, Any], times: list[float]) -> None:
    """Each class has its own traffic's values, and the pages' times are what the browser sees."""
    pages, bulk = found["classes"]
    assert (pages["name"], pages["rule"]) == ("pages", f"port {PAGES_PORT}")
    assert bulk["name"] == "bulk"
    for one in (pages, bulk):
        assert "drops_per_s" not in one["measures"], "the queue's, which all share"
    whole, times_of = found["measures"], pages["measures"]
    assert times_of["pages_per_s"]["observing"] > 0
    assert bulk["measures"]["pages_per_s"]["live"] == 0
    assert bulk["measures"]["page_s"] == {"pairs": 0}
    for state in ("observing", "live"):
        assert times_of["pages_per_s"][state] == whole["pages_per_s"][state]
        assert times_of["page_s"][state] == whole["page_s"][state]
        # One late page of many raises the mean, not the percentile, so neither bounds the other.
        for value in ("page_s", "page_95_s"):
            assert min(times) < times_of[value][state] < max(times)
        parts = [one["measures"]["goodput_bps"][state] for one in (pages, bulk)]
        assert 0 < parts[0] < parts[1]
        assert 0.9 < sum(parts) / whole["goodput_bps"][state] < 1.1


def check_report(page: str, found: dict[str, Any]) -> None:
    """The page has the numbers of the JSON and each pair, and needs nothing else."""
    measures = found["measures"]
    assert "{{" not in page
    assert not re.search(r"<script|src=|href=|url\(", page)
    for key, label, factor, places in (
        ("drops_per_s", "drops, /s", 1, 1),
        ("delay_s", "delay, mean, ms", 1e3, 1),
        ("page_s", "page time, mean, ms", 1e3, 0),
    ):
        shown = [f"{factor * measures[key][state]:.{places}f}" for state in ("observing", "live")]
        assert f"<td>{label}</td><td>{shown[0]}</td><td>{shown[1]}</td>" in page
    assert page.count('class="pair"') == sum(one["pairs"] for one in measures.values())
    assert "<td>better</td>" in page
    assert "3 pairs of periods of 4s" in page
    assert "the shaper that attach installed stays" in page
    assert "the same queue as without it" not in page
    assert "rate = &quot;20mbit&quot;" in page
    for one in found["classes"]:
        assert f'<h3>{one["name"]} <span class="soft">{one["rule"]}</span></h3>' in page
    assert "<td>there was none</td>" in page


def look_at_report(path: Path, folder: Path) -> None:
    """It fits a phone, and prints."""
    with browser(folder) as page:
        page.open(path.as_uri())
        for width in (900, 390):
            page.screen(width)
            assert page.ask("document.documentElement.scrollWidth") <= width
            (folder / f"report-{width}.png").write_bytes(page.picture(whole=True))
        (folder / "report.pdf").write_bytes(page.printed())
        assert page.complaints == []


def test_compare_refuses_what_it_cannot_compare(lab: Lab) -> None:
    assert "not attached" in lab.tool("compare", lab.device, expect=3)
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe")
    assert "--queue install" in lab.tool("compare", lab.device, expect=1)
    lab.tool("set", lab.device, "--queue", "install")
    said = lab.tool("compare", lab.device, "--report", "/nowhere/page.html", expect=1)
    assert "cannot write /nowhere/page.html" in said
    assert "60s at least" in lab.tool("compare", lab.device, "--for", "30s", expect=2)
    for wrong, why in (("gold", "NAME=RULE"), ("gold=shape alice", "no room for shapes")):
        said = lab.tool("compare", lab.device, "--class", wrong, expect=None)
        assert why in said
    words = ("--class", "gold=port 80", "--class", "gold=port 443")
    assert "'gold' comes twice" in lab.tool("compare", lab.device, *words, expect=2)


def test_an_interrupted_compare_restores_the_state(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    command = [str(TOOL), "--netns", lab.gateway, "compare", lab.device, "--period", "2s"]
    one = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    until(lambda: lab.status()["state"] == "observe")
    # While another penstock-gw changes an attachment: it waits for its turn, despite the signal.
    folder = os.open("/sys/fs/bpf", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    one.send_signal(signal.SIGINT)
    time.sleep(0.5)
    os.close(folder)
    assert "interrupted" in one.communicate(timeout=60)[1]
    assert one.returncode == 130
    assert lab.status()["state"] == "live"


def test_a_compare_ends_where_others_change_the_settings(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("of last week")
    lab.tool("attach", lab.device, "--rate", "20mbit")
    command = [str(TOOL), "--netns", lab.gateway, "compare", lab.device, "--period", "10s"]
    one = subprocess.Popen([*command, "--report", str(path)], stderr=subprocess.PIPE, text=True)
    until(lambda: lab.status()["state"] == "observe")
    lab.tool("set", lab.device, "--rate", "10mbit")
    assert "its settings were changed meanwhile" in one.communicate(timeout=60)[1]
    assert one.returncode == 1
    assert (lab.status()["state"], lab.status()["rate_bps"]) == ("observe", 10_000_000)
    assert path.read_text() == "of last week"
    assert list(tmp_path.iterdir()) == [path]


def rows_of_top(lab: Lab) -> list[str]:
    """The flows as it shows them once, from the sender's port on."""
    shown = lab.tool("top", lab.device, "-n", "1", "-i", "300ms")
    return [line.split("10.9.2.2:")[1] for line in shown.splitlines() if "10.9.2.2:" in line]


def test_top_puts_the_fastest_flow_first(lab: Lab) -> None:
    """Not the one that has sent most so far."""
    lab.tool("attach", lab.device, "--rate", "50mbit")
    with connections(lab, 2) as [old, new]:
        with streaming(old):
            until(lambda: acked_bytes(old[0]) > 4_000_000)
        with streaming(new):
            until(lambda: acked_bytes(new[0]) > 1_000_000)
            first = re.compile(rf"{new[0].getsockname()[1]} .*\d Mbit/s")
            until(lambda: first.match(rows_of_top(lab)[0]) is not None)


def test_explain_has_units(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with connections(lab, 1) as [(near, far)], streaming((near, far)):
        until(lambda: int(str(lab.status()["acks_seen"])) > 100)
        end = near.getsockname()
        shown = lab.tool("explain", lab.device, f"{end[0]}:{end[1]}")
    assert re.search(r"round trip [\d.]+ (us|ms)$", shown, re.MULTILINE)
