# SPDX-License-Identifier: GPL-2.0-only
"""A bottleneck behind the gateway, measured from ACKs (scenarios/hidden); and where none is."""

import json
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run

from penstock.errors import UserError
from penstock.scenario.read import read

STEP = (Path(__file__).parents[2] / "scenarios" / "hidden" / "step-told.toml").read_text()
TOLD = '[gateway.home]\nlink = "hidden"\n'
PASSIVE = '[gateway.home]\nlink = "lan"\nrate = "auto"\nsource = "passive"\n'
CHANGES = STEP[STEP.index("[[link.hidden.change]]") : STEP.index("[link.egress]")]
BACK = '[link.hidden.back]\nrate = "5mbit"\nqueue = "100kB"\n\n'
UP = """
[tcp.up]
from = "receivers"
to = "senders"
count = 2
size = "1GB"
start = "10s"
"""


def _row(penstock: Run, scenario: str, *options: str, method: str = "penstock") -> dict[str, Any]:
    common = ("-m", method, "--seeds", "1", "-j", "--workers", "1")
    done = penstock("run", scenario, *common, *options)
    assert done.returncode == 0, done.stderr
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return row


def _times(from_s: int, until_s: int) -> tuple[str, ...]:
    return ("--set", f"time.warm_up={from_s}s", "--set", f"time.limit={until_s}s")


@pytest.mark.parametrize("flows", ["1", "4"])
def test_a_step_of_four_times_is_found_within_two_seconds(penstock: Run, flows: str) -> None:
    for from_s, until_s in ((22, 40), (42, 60)):
        options = ("-n", flows, *_times(from_s, until_s))
        told = _row(penstock, "hidden/step-told", *options)
        passive = _row(penstock, "hidden/step", *options)
        assert passive["queue_delay_ms_p99"] <= 1.5 * told["queue_delay_ms_p99"]
        assert passive["utilisation_percent"] >= 90
        assert passive["drops"] == 0


def test_over_the_whole_step_delay_is_no_more_than_told(penstock: Run) -> None:
    told = _row(penstock, "hidden/step-told")
    passive = _row(penstock, "hidden/step")
    dropping = _row(penstock, "hidden/step-told", method="droptail")
    assert passive["queue_delay_ms_p99"] <= 1.5 * told["queue_delay_ms_p99"]
    assert dropping["queue_delay_ms_p99"] > 10 * passive["queue_delay_ms_p99"]
    assert passive["utilisation_percent"] >= 98


def _both(penstock: Run, path: Path, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """With the gateway, and without any."""
    assert TOLD in text
    path.write_text(text.replace(TOLD, PASSIVE))
    passive = _row(penstock, str(path))
    path.write_text(text)
    return passive, _row(penstock, str(path), method="droptail")


@pytest.mark.parametrize(
    ("change", "least"),
    [
        # Nothing waits behind the gateway: the access links or the receivers limit the flows.
        (('to = "gateway"\nrate = "1gbit"', 'to = "gateway"\nrate = "2mbit"'), 1.0),
        (('receivers = ["auto"]', 'receivers = ["65535"]'), 1.0),
        # The path becomes longer, or ACKs wait on their way back: it is no queue of ours.
        ((CHANGES, '[[link.hidden.change]]\nat = "20s"\ndelay = "50ms"\n\n'), 0.95),
        ((CHANGES, BACK), 0.7),
    ],
)
def test_delays_that_have_another_cause_cost_little(
    penstock: Run, tmp_path: Path, change: tuple[str, str], least: float
) -> None:
    text = STEP.replace(*change)
    assert text != STEP
    if change[0] != CHANGES:
        text = text.replace(CHANGES, "").replace('delay = "20ms"', 'delay = "60ms"')
    if change[1] == BACK:
        text += UP
    passive, without = _both(penstock, tmp_path / "s.toml", text)
    assert passive["goodput_mbps_total"] >= least * without["goodput_mbps_total"]


def test_a_source_needs_a_rate_to_measure(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(STEP.replace(TOLD, PASSIVE.replace('rate = "auto"\n', "")))
    with pytest.raises(UserError, match=r"source: .*passive.* needs rate = 'auto'"):
        read(str(path))
