# SPDX-License-Identifier: GPL-2.0-only
"""`set` while traffic runs: what it changes at once, and what takes another program."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gateway_lab import Lab
from loads import acked_bytes, connections, streaming, until

SET_MOST_S = 0.5
BUSY_PROCESSES = 4
UNSHAPED = ("--queue", "existing", "--source", "virtual", "--buffer", "97k", "--live")


def programs(lab: Lab) -> list[str]:
    """The kernel's numbers of those at the device's hooks."""
    hooks = (lab.tc(f"filter show dev {lab.device} {hook}") for hook in ("egress", "ingress"))
    return [number for hook in hooks for number in re.findall(r" id (\d+)", hook)]


def seconds_of_set(lab: Lab, *change: str) -> float:
    """For how long an operator waits."""
    begun = time.monotonic()
    lab.tool("set", lab.device, *change)
    return time.monotonic() - begun


@contextmanager
def busy_cpus() -> Iterator[None]:
    """Other programs compute all the time."""
    command = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(command) for _ in range(BUSY_PROCESSES)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def test_settings_change_within_half_a_second_under_load(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "50mbit", *UNSHAPED)
    first = programs(lab)
    changes = [
        ("--rate", "40mbit"),
        ("--buffer", "80kB"),
        ("--police",),
        ("--idle", "1h"),
        ("--exempt", "port 6001"),
        ("-p", "slow_gain=0.2"),
        ("--target", "20kB"),
    ]
    with connections(lab, 1) as [pair], streaming(pair), busy_cpus():
        for change in changes:
            until(lambda change=change: seconds_of_set(lab, *change) < SET_MOST_S)
    assert programs(lab) == first != []
    status = lab.status()
    assert status["rate_bps"] == 40_000_000
    assert status["buffer_bytes"] == 80_000


def test_what_runs_takes_them(lab: Lab) -> None:
    """No queue but the virtual one limits the flow, so it has the rate that the program knows."""
    lab.tool("attach", lab.device, "--rate", "40mbit", *UNSHAPED)

    def mbps() -> float:
        before, begun = acked_bytes(pair[0]), time.monotonic()
        time.sleep(0.5)
        return (acked_bytes(pair[0]) - before) * 8e-6 / (time.monotonic() - begun)

    with lab.far_server("20ms"):
        with connections(lab, 1) as [pair], streaming(pair):
            until(lambda: 20 < mbps() < 44)
            lab.tool("set", lab.device, "--rate", "5mbit")
            until(lambda: 2 < mbps() < 6)
            lab.tool("set", lab.device, "--rate", "40mbit", "--exempt", "port 6000")
            until(lambda: 20 < mbps() < 44)
        with connections(lab, 1) as [pair]:
            pair[0].sendall(b"exempt from now on")
            pair[1].recv(100)
            flows = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
    assert "exempt" in {flow["bypass"] for flow in flows}


def test_another_discipline_begins_anew(lab: Lab) -> None:
    """PIE's burst allowance is full while its clock runs on an empty queue."""
    lab.tool("attach", lab.device, *UNSHAPED, "--rate", "50mbit", "--discipline", "red")
    lab.tool("set", lab.device, "--discipline", "pie")
    status = lab.status()
    state, params = status["method_state"], status["params"]
    assert isinstance(state, dict)
    assert isinstance(params, dict)
    assert state["burst_ns"] == params["max_burst_ns"] > 0


def test_a_method_takes_another_program(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "50mbit", *UNSHAPED)
    first = programs(lab)
    lab.tool("set", lab.device, "-m", "share")
    second = programs(lab)
    assert not set(first) & set(second)
    lab.tool("set", lab.device, "--rate", "20mbit")
    assert programs(lab) == second
    assert lab.status()["rate_bps"] == 20_000_000
