# SPDX-License-Identifier: GPL-2.0-only
"""What is here, and from a gateway's status to a scenario."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run

from penstock.errors import ConfigError, Exit
from penstock.scenario import measured
from penstock.scenario.read import read

STATUS: dict[str, Any] = {
    **{"schema_version": 1, "device": "wan0", "state": "live", "rate_bps": 20_000_000},
    **{"buffer_bytes": 97_000, "flows_active": 7, "controllable_ratio": 0.9},
}


def test_doctor_says_what_is_here(penstock: Run) -> None:
    done = penstock("doctor", "-j")
    found = {each["what"]: each for each in map(json.loads, done.stdout.splitlines())}
    assert found["sim"]["state"] == "here"
    assert found["sim"]["about"].startswith("sim ")
    assert all(each["remedy"] for each in found.values() if each["state"] == "missing")
    assert "kernel" in penstock("doctor").stdout


def test_a_status_becomes_a_link(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "penstock", "new-link", "--from", "-", "my.toml"]
    done = subprocess.run(
        [*command, "--size", "1MB"],
        input=json.dumps(STATUS), capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    scenario = read(str(tmp_path / "my.toml")).scenario
    assert scenario.link["bottleneck"].rate == 20_000_000
    assert scenario.link["bottleneck"].queue == 97_000
    assert scenario.sweep.flows == [7]
    assert scenario.udp["background"].rate == 2_000_000
    assert scenario.tcp["bulk"].size == 1_000_000
    assert "--rtt not given" in done.stderr, "a status has none"


def test_options_come_before_the_status(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "status.json").write_text(json.dumps([STATUS | {"controllable_ratio": None}]))
    done = penstock("new-link", "my.toml", "--from", "status.json", "--rate", "5mbit")
    assert done.returncode == 0, done.stderr
    scenario = read(str(tmp_path / "my.toml")).scenario
    assert scenario.link["bottleneck"].rate == 5_000_000
    assert not scenario.udp


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "no JSON text"),
        ("[]", "no status of one device"),
        ('{"state": "off", "device": "wan0"}', "nothing is attached to wan0"),
        (json.dumps(STATUS | {"rate_bps": "fast"}), "rate_bps: expected a number, not 'fast'"),
    ],
)
def test_what_is_no_status(text: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint) as caught:
        measured.values("stdin", text)
    assert caught.value.code == Exit.CONFIG
