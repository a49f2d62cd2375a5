# SPDX-License-Identifier: GPL-2.0-only
"""penstock-load over this machine's loopback; no root needed."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from live_support import find, program
from patience import timed

pytestmark = pytest.mark.usefixtures("programs")


def load(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(find("penstock-load")), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def transfer(
    port: int, receive: list[str], send: list[str], address: str = "127.0.0.1"
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reports of the receiver and of the sender."""
    listen = [str(find("penstock-load")), "receive", address, "--port", str(port), "-j", *receive]
    with program(*listen) as receiver:
        done = load("send", address, "--port", str(port), "-j", *send)
        out, _ = receiver.communicate(timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(out), json.loads(done.stdout.removeprefix("ready\n"))


def test_every_byte_arrives_and_both_ends_agree() -> None:
    flows = ["--flows", "5", "--size", "3MB"]
    received, sent = transfer(21000, flows, [*flows, "--stagger", "10ms"])
    assert [flow["bytes"] for flow in received["flows"]] == [3_000_000] * 5
    assert all(flow["intact"] for flow in received["flows"])
    sums = [[flow["checksum"] for flow in end["flows"]] for end in (received, sent)]
    assert sums[0] == sums[1]
    assert len(set(sums[0])) == 5
    starts = [flow["started_ns"] for flow in sent["flows"]]
    assert starts == sorted(starts)
    assert starts[-1] >= 40_000_000
    assert all(flow["tcp"]["bytes_sent"] >= 3_000_000 for flow in sent["flows"])


@pytest.mark.parametrize("opens", ["send", "receive"])
def test_a_flow_waits_for_another_to_end(tmp_path: Path, opens: str) -> None:
    listens = "receive" if opens == "send" else "send"
    for role, where in ((listens, "at=127.0.0.1"), (opens, "to=127.0.0.1")):
        chain = ["", " after=0 pause=30ms", " after=1 pause=20ms"] if role == opens else [""] * 3
        lines = [
            f"{role} tcp id={number} {where} port={21030 + number} size=50kB{wait}\n"
            for number, wait in enumerate(chain)
        ]
        (tmp_path / role).write_text("".join(lines))
    with program(str(find("penstock-load")), "run", str(tmp_path / listens), "-j") as listener:
        done = load("run", str(tmp_path / opens), "-j")
        out, _ = listener.communicate(timeout=60)
    assert [flow["bytes"] for flow in json.loads(out)["flows"]] == [50_000] * 3
    opened = json.loads(done.stdout.removeprefix("ready\n"))["flows"]
    assert [flow["bytes"] for flow in opened] == [50_000] * 3
    assert opened[1]["started_ns"] >= opened[0]["ended_ns"] + 30_000_000
    assert opened[2]["started_ns"] >= opened[1]["ended_ns"] + 20_000_000


def test_a_flow_that_waits_for_none_of_them_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("send tcp id=1 to=127.0.0.1 port=21040 size=1kB after=7\n")
    done = load("run", str(path))
    assert done.returncode == 2
    assert "flow 1: after=7 is no TCP flow that connects" in done.stderr


def test_a_flow_that_waits_for_one_that_fails_ends_too(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text(
        "send tcp id=1 to=127.0.0.1 port=21041 size=1kB\n"  # where nobody listens
        "send tcp id=2 to=127.0.0.1 port=21042 size=1kB after=1\n"
        "send tcp id=3 to=127.0.0.1 port=21043 size=1kB after=2\n"
    )
    done = load("run", str(path), "-j")
    assert done.returncode == 1
    errors = [flow["error"] for flow in json.loads(done.stdout.removeprefix("ready\n"))["flows"]]
    assert errors[0] == "Connection refused"
    assert errors[1:] == [f"flow {n}, which it waits for, failed" for n in (1, 2)]


def test_a_changed_byte_is_found() -> None:
    # The content depends on the flow's id: another id stands for content that changed.
    listen = [str(find("penstock-load")), "run", "-"]
    with subprocess.Popen(
        listen, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as receiver:
        assert receiver.stdin is not None
        receiver.stdin.write("receive tcp id=2 at=127.0.0.1 port=21010 size=100kB\n")
        receiver.stdin.close()
        receiver.stdin = None
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "ready\n"
        load("send", "127.0.0.1", "--port", "21010", "--size", "100kB")
        out, _ = receiver.communicate(timeout=60)
    assert receiver.returncode == 1
    assert "CONTENT CHANGED" in out


def test_a_fixed_window_holds() -> None:
    received, sent = transfer(
        21020, ["--window", "32kB", "--size", "2MB"], ["--size", "2MB", "--sample", "1ms"]
    )
    assert received["flows"][0]["intact"]
    windows = [sample[3] for sample in sent["samples"]]
    assert windows
    assert max(windows) <= 64_000, "the window went far above what was asked"


def test_without_a_size_it_goes_on_until_the_end() -> None:
    with timed():
        received, sent = transfer(21030, [], ["--until", "300ms", "--congestion", "reno"])
        assert received["flows"][0]["bytes"] > 100_000
    assert received["flows"][0]["intact"]
    assert sent["end_ns"] >= 300e6


@pytest.mark.parametrize("size", ["", "size=3MB "])
def test_a_receiver_may_connect(tmp_path: Path, size: str) -> None:
    plan = tmp_path / "plan"
    plan.write_text(
        f"send tcp id=8 at=127.0.0.1 port=21070 {size}congestion=reno\n"
        f"receive tcp id=8 to=127.0.0.1 port=21070 {size}start=100ms window=32kB\n"
    )
    with timed():
        until = "60s" if size else "500ms"
        done = load("run", str(plan), "--until", until, "--sample", "1ms", "-j")
        report = json.loads(done.stdout.removeprefix("ready\n"))
        send, receive = report["flows"]
        assert receive["bytes"] == 3_000_000 if size else receive["bytes"] > 100_000
    assert receive["intact"]
    assert 100_000_000 <= receive["started_ns"] <= send["started_ns"]
    assert max(sample[3] for sample in report["samples"]) <= 64_000


def test_udp_keeps_its_rate(tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text(
        "receive udp id=7 at=127.0.0.1 port=21040\n"
        "send udp id=7 to=127.0.0.1 port=21040 stop=500ms rate=8mbit payload=1000\n"
    )
    with timed():
        done = load("run", str(plan), "--until", "700ms", "-j")
        report = json.loads(done.stdout.removeprefix("ready\n"))
        receive, send = report["flows"]
        assert send["packets"] == 500
        assert receive["packets"] == 500
    assert receive["intact"]


def test_counters_at_the_mark_are_a_part_of_the_whole() -> None:
    with timed():
        received, _ = transfer(21050, ["--mark", "1s"], ["--until", "1100ms"])
        flow = received["flows"][0]
        assert 0 < flow["bytes_at_mark"] < flow["bytes"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["send"], "ADDRESS is required"),
        (["sent", "127.0.0.1"], "there is no command 'sent'"),
        (["send", "localhost", "--size", "1MB"], "neither an IPv4"),
        (["send", "127.0.0.1", "--size", "5"], "--size"),
        (["watch", "lo", "--handle", "ten"], "handle"),
        (["run", "no-such-file"], "cannot be read"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], says: str) -> None:
    done = load(*arguments)
    if "localhost" in arguments:
        assert says in done.stdout + done.stderr
        return
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_refused_connection_is_a_failure_with_its_reason() -> None:
    done = load("send", "127.0.0.1", "--port", "21060", "--size", "1kB", "--until", "5s")
    assert done.returncode == 1
    assert "Connection refused" in done.stdout


def test_it_runs_with_a_glibc_of_2021() -> None:
    """Of functions alone; a binary's start-up code is that of the machine that links it."""
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("readelf is not installed")
    for program_of_ours in ("penstock-load", "penstock-link"):
        command = [readelf, "--dyn-syms", "--wide", str(find(program_of_ours))]
        table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        symbols = re.findall(r" UND (\w+)@GLIBC_2\.(\d+)", table)
        assert symbols
        assert not [name for name, minor in symbols if int(minor) > 34], symbols
