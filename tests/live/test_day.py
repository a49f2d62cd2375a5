# SPDX-License-Identifier: GPL-2.0-only
"""The script that plays a day of a home: it counts, and leaves nothing, also interrupted."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from day import play
from day_plan import Phase, Scene
from day_table import changes_table, day_table
from live_support import call, environment
from patience import timed

pytestmark = pytest.mark.usefixtures("gateway")

DAY = str(Path(__file__).with_name("day.py"))


def spaces() -> list[str]:
    """The namespaces of this machine."""
    return [line.split()[0] for line in call("ip", "netns", "list").splitlines() if line]


def test_a_short_day_is_counted_and_leaves_nothing() -> None:
    before = spaces()
    scene = Scene(
        (
            Phase("idle", 3, mostly=False),
            Phase("all", 9, downs=2, ups=1, quic=True),
            Phase("faster", 3, downs=2, line="rate 40mbit rate-back 10mbit", rate_mbps=40),
        )
    )
    with timed():
        seen = play(scene, "auto", scene.seconds)
        idle, full, faster = seen.spans
        assert seen.goodput_mbps("down", idle) == 0
        assert 10 < seen.goodput_mbps("down", full) < 20
        assert 2 < seen.goodput_mbps("up", full) < 5
        assert seen.quic_bytes["all"] > 100_000
        assert seen.goodput_mbps("down", faster) > seen.goodput_mbps("down", full)
        assert seen.call_loss_percent(idle) == 0
        assert 0 <= min(seen.waits_ms("ssh", idle)) < 5
        assert max(seen.waits_ms("game down", full)) > 50, "a queue stood"
        assert seen.of("page", full)
        assert seen.decisions[0]["to"] == "trying"
        assert 3 < seen.decisions[0]["at_s"] < 12
        assert "| all | auto |" in day_table({"auto": seen})
        assert "observing -> trying" in changes_table({"auto": seen})
    assert spaces() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_day_leaves_nothing(number: signal.Signals) -> None:
    before = spaces()
    command = [sys.executable, DAY, "short", "--ways", "auto"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as running:
        assert running.stderr
        assert running.stderr.readline().startswith("-- short, auto: idle")
        running.send_signal(number)
        assert running.wait(30) == 128 + number
        assert "Traceback" not in running.stderr.read()
    assert spaces() == before


def test_a_day_that_cannot_be_is_one_message() -> None:
    done = subprocess.run(
        [sys.executable, DAY, "short", "--ways", "none,cake"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 2
    assert "--ways: no way 'cake': auto, none, shaper, held" in done.stderr
