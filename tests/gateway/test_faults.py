# SPDX-License-Identifier: GPL-2.0-only
"""Faults under load: no connection is lost, no byte changed, nothing is left behind."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from gateway_lab import TOOL, Lab
from loads import Load, connections, streaming, tcp_count, until


def acks_seen(lab: Lab) -> int:
    return int(str(lab.status()["acks_seen"]))


@contextmanager
def flowing(lab: Lab) -> Iterator[None]:
    """A connection is well on its way through the gateway, and goes on until the end of this."""
    with connections(lab, 1) as [pair], streaming(pair):
        until(lambda: acks_seen(lab) > 100)
        yield


def test_the_stream_is_the_same_and_nothing_is_dropped(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "50mbit", "--buffer", "200k")
    Load(lab, 10).finish()
    status = lab.status()
    assert status["queue_drops"] == 0
    assert int(str(status["acks_rewritten"])) > 100
    for host in (lab.server, lab.client):
        assert tcp_count(host, "InCsumErrors") == 0


def test_killing_the_tool_leaves_the_gateway_at_work(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    top = subprocess.Popen(
        [str(TOOL), "--netns", lab.gateway, "monitor", lab.device, "-i", "50ms"],
        stdout=subprocess.DEVNULL,
    )
    with flowing(lab):
        top.kill()
        top.wait()
        seen = acks_seen(lab)
        until(lambda: acks_seen(lab) > seen + 100)
    assert lab.status()["state"] == "live"


def test_detach_and_attach_under_load(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with flowing(lab):
        lab.tool("detach", lab.device)
        assert lab.leftovers() == []
        lab.tool("attach", lab.device, "--rate", "20mbit")
        until(lambda: int(str(lab.status()["forward_packets"])) > 100)
    assert lab.status()["flows_opened"] == 0, "it was on its way already, and passes"


def test_from_live_to_observe_the_windows_open_by_the_ramp(lab: Lab) -> None:
    def by_ramp() -> int:
        acks_by = lab.status()["acks_by"]
        assert isinstance(acks_by, dict)
        return int(acks_by["ramp"])

    def is_open() -> bool:
        [flow] = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
        return bool(flow["window_sent_bytes"] == flow["window_offered_bytes"])

    lab.tool("attach", lab.device, "--rate", "20mbit")
    with flowing(lab):
        before = by_ramp()
        lab.tool("set", lab.device, "--observe")
        until(lambda: by_ramp() > before)
        assert lab.status()["state"] == "observe"
        until(is_open)


def test_changes_under_load_keep_the_flows(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with flowing(lab):
        for method in ("ewt", "share", "awm", "ewa", "ewt_iot", "integral") * 2:
            lab.tool("set", lab.device, "-m", method)
        assert lab.status()["flows_opened"] == 1
        seen = acks_seen(lab)
        until(lambda: acks_seen(lab) > seen)
    bypassed = lab.status()["bypassed"]
    assert isinstance(bypassed, dict)
    assert bypassed["stale"] == 0


def test_interface_down_and_up(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    set_link = ["ip", "-n", lab.gateway, "link", "set", lab.device]
    with flowing(lab):
        before = tcp_count(lab.server, "RetransSegs")
        subprocess.run([*set_link, "down"], check=True)
        until(lambda: tcp_count(lab.server, "RetransSegs") > before)
        subprocess.run([*set_link, "up"], check=True)
        seen = acks_seen(lab)
        until(lambda: acks_seen(lab) > seen + 100)
    assert lab.status()["state"] == "live"


def test_too_little_memory_is_told_with_the_limits(lab: Lab) -> None:
    command = [str(TOOL), "--netns", lab.gateway, "attach", lab.device, "--rate", "20mbit"]
    told = []
    for limit_kb in range(20_000, 44_001, 500):
        limited = ["prlimit", f"--as={limit_kb * 1024}", *command]
        done = subprocess.run(limited, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        if "shared libraries" not in done.stderr:  # else the loader had no room
            told.append(done.stderr)
    assert told
    assert all("address space" in text and "ulimit -v" in text for text in told), told
    lab.tool("detach", "--all", expect=None)
    assert lab.leftovers() == []
