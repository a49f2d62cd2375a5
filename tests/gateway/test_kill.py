# SPDX-License-Identifier: GPL-2.0-only
"""Signals and errors at system calls: what is left can be used, and taken away."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from gateway_lab import TOOL, Lab
from loads import connections, streaming, until

# Of each call that changes something in the kernel, every n-th is tried.
STEPS = {"sendto": 1, "bpf": 10}


@pytest.fixture(autouse=True)
def strace() -> None:
    """strace(1) sends the signal."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")


def disturbed(lab: Lab, call: str, injected: str, *arguments: str) -> int:
    """Runs the tool with this done to some of its system calls; its exit code."""
    command = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
    command += ["-e", f"inject={call}:{injected}"]
    command += [str(TOOL), "--netns", lab.gateway, *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode


def killed(lab: Lab, *arguments: str) -> Iterator[str]:
    """Runs the tool again and again, killed a little later each time, until it comes through."""
    for call, step in STEPS.items():
        number = 1
        while True:
            code = disturbed(lab, call, f"signal=SIGKILL:when={number}", *arguments)
            if code == 0:
                break
            assert code == -9
            yield f"{call} {number}"
            number += step
        assert number > step, f"{call} was never met"


def test_an_attach_that_is_killed_can_be_done_again(lab: Lab) -> None:
    attach = ("attach", lab.device, "--rate", "20mbit")
    for where in killed(lab, *attach):
        if lab.status(expect=None)["state"] == "off":
            lab.tool(*attach)
        assert lab.status()["state"] == "live", where
        lab.tool("detach", lab.device)
        assert lab.leftovers() == [], where


def test_an_attach_that_is_killed_can_be_taken_away(lab: Lab) -> None:
    for where in killed(lab, "attach", lab.device, "--rate", "20mbit"):
        lab.tool("detach", lab.device, expect=None)
        assert lab.leftovers() == [], where


@contextmanager
def reduced(lab: Lab) -> Iterator[None]:
    """A flow, meanwhile, whose window is reduced."""
    lab.tool("attach", lab.device, "--rate", "20mbit")

    def is_reduced() -> bool:
        (flow,) = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
        return bool(flow["decided_by"] == "method" and flow["rewritten"] > 300)

    with connections(lab, 1) as [pair], streaming(pair):
        until(is_reduced)
        yield


def test_a_signal_while_windows_open_ends_no_change(lab: Lab) -> None:
    change = ("clock_nanosleep", "signal=SIGTERM:when=1", "set", lab.device, "--observe")
    with reduced(lab):
        while (code := disturbed(lab, *change)) == 1:  # it waited for the turn of another
            assert lab.status()["state"] == "live"
        assert code == 0
        assert (lab.status()["method"], lab.status()["state"]) == ("penstock", "observe")


def test_an_error_after_windows_have_opened_restores_the_settings(lab: Lab) -> None:
    change = ("set", lab.device, "--observe", "--rate", "30mbit")
    with reduced(lab):
        number = 1
        while disturbed(lab, "sendto", f"error=ENOBUFS:when={number}", *change):
            number += 1
            status = lab.status()
            assert (status["method"], status["state"]) == ("penstock", "live"), number
            assert status["rate_bps"] == 20_000_000, number
            assert "rate 20Mbit" in lab.tc(f"class show dev {lab.device}"), number
    assert number > 3


def test_a_set_that_is_killed_keeps_flows_and_can_be_done_again(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "-m", "ewt")
    with connections(lab, 1) as [pair], streaming(pair):
        until(lambda: int(str(lab.status()["acks_seen"])) > 100)
        for where in killed(lab, "set", lab.device, "--rate", "30mbit", "-m", "share"):
            status = lab.status()
            assert status["state"] == "live", where
            assert status["method"] in ("ewt", "share"), where
            lab.tool("set", lab.device, "--rate", "20mbit", "-m", "ewt")
            assert lab.status()["method"] == "ewt", where
    status = lab.status()
    assert status["flows_opened"] == 1
    assert isinstance(status["bypassed"], dict)
    assert status["bypassed"]["unknown_flow"] == 0
