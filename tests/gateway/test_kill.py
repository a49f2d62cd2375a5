# SPDX-License-Identifier: GPL-2.0-only
"""SIGKILL at one system call after the other: what is left can be used, and taken away."""

import shutil
import subprocess
from collections.abc import Iterator

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


def killed(lab: Lab, *arguments: str) -> Iterator[str]:
    """Runs the tool again and again, killed a little later each time, until it comes through."""
    for call, step in STEPS.items():
        number = 1
        while True:
            inject = f"inject={call}:signal=SIGKILL:when={number}"
            command = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject]
            command += [str(TOOL), "--netns", lab.gateway, *arguments]
            code = subprocess.run(command, capture_output=True, check=False).returncode
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
