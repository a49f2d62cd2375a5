# SPDX-License-Identifier: GPL-2.0-only
"""The target queue of an attached gateway, as its operator writes and reads it."""

import json

import pytest
from gateway_lab import Lab


def test_a_target_is_a_time_that_follows_the_rate_or_bytes(lab: Lab) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "97kB", "--target", "5ms")
    status = lab.status()
    assert (status["target_bytes"], status["target_ns"]) == (12_500, 5_000_000)
    assert "  target       12.5 kB, 5.00 ms at the rate\n" in lab.tool("status", lab.device)
    said = lab.tool("explain", lab.device)
    assert "  target queue 12.5 kB, 5.00 ms at the rate\n" in said
    assert json.loads(lab.tool("explain", "-j", lab.device))["target_ns"] == 5_000_000
    assert 'target = "5ms"\n' in lab.tool("show", lab.device)
    lab.tool("set", lab.device, "--rate", "10mbit")
    assert (lab.status()["target_bytes"], lab.status()["target_ns"]) == (6250, 5_000_000)
    lab.tool("set", lab.device, "--target", "20kB")
    lab.tool("set", lab.device, "--rate", "20mbit")
    assert (lab.status()["target_bytes"], lab.status()["target_ns"]) == (20_000, 8_000_000)
    shown = lab.tool("show", lab.device)
    assert 'target_bytes = "20kB"\n' in shown
    assert "target =" not in shown
    message = lab.tool("set", lab.device, "-m", "ewt", "--target", "5ms", expect=2)
    assert "target: ewt has no target queue; those that do: " in message
    lab.tool("set", lab.device, "-m", "ewt")
    assert "target_bytes" not in lab.status()
    assert "  target " not in lab.tool("status", lab.device)


def test_a_target_in_time_is_one_at_the_rate_of_full_packets(lab: Lab) -> None:
    shape = ("--rate", "16mbit", "--overhead", "pppoe-llcsnap", "--target", "5ms")
    lab.tool("attach", lab.device, *shape)
    rate = 2e6 * 1514 / (33 * 53)
    assert lab.status()["target_bytes"] == pytest.approx(rate * 0.005, abs=1)
    assert lab.status()["target_ns"] == pytest.approx(5e6, abs=1000)
