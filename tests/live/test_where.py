# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw where: the queue of each direction is named, and nothing stays behind."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from downloads import DOWN_MBPS, SERVER, TRAFFIC, UP_MBPS, Home, home
from live_support import find, inside, program
from patience import timed

pytestmark = pytest.mark.usefixtures("gateway")


@contextmanager
def loaded(one: Home, downs: int, ups: int) -> Iterator[None]:
    """Downloads and uploads, for as long as somebody looks."""
    with program(*inside(one.server, sys.executable, TRAFFIC, "serve", SERVER)):
        words = [sys.executable, TRAFFIC, "use", SERVER, str(downs), str(ups), "1", "90"]
        with subprocess.Popen(inside(one.client, *words), stdout=subprocess.DEVNULL) as load:
            try:
                yield
            finally:
                load.kill()


def where(one: Home, seconds: int) -> dict[str, Any]:
    """`where -j` of the line."""
    found = json.loads(one.tool("where", "-j", "wan0", "--for", f"{seconds}s"))
    assert isinstance(found, dict)
    return found


def complaint_without_rights(one: Home, verb: str) -> str:
    """What it says on wan0 without CAP_NET_RAW."""
    words = ["setpriv", "--bounding-set", "-net_raw", "--inh-caps", "-net_raw"]
    done = subprocess.run(
        inside(one.router, *words, str(find("penstock-gw")), verb, "wan0"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 77
    assert len(done.stderr.splitlines()) == 1
    assert "needs root, or CAP_NET_RAW" in done.stderr
    return done.stderr


def test_the_queue_of_each_direction_is_named() -> None:
    with home() as one, timed():
        with loaded(one, 4, 0):
            time.sleep(1)
            down = where(one, 4)["down"]
            one.tool("attach", "wan0", "--down")
            # Flows that it met in full flight are held once it has seen the line without a queue.
            for _ in range(8):
                held = where(one, 3)["down"]
                if held["queue"] == "none":
                    break
        one.tool("detach", "wan0", "--down", "--now")
        with loaded(one, 0, 2):
            time.sleep(1)
            up = where(one, 4)["up"]
    assert (down["queue"], down["held_by"]) == ("before", "penstock-gw attach wan0 --down")
    assert 0.9e6 * DOWN_MBPS < down["line_bps"] < 1.1e6 * DOWN_MBPS
    assert down["waits"]["data_behind"]["mean_s"] < down["waits"]["data_before"]["mean_s"] / 2
    assert (held["queue"], held["held_by"]) == ("none", ""), "beside a live attachment"
    assert up["queue"] == "behind"
    assert up["held_by"] == "penstock-gw attach wan0 --rate auto --source passive"
    assert 0.9e6 * UP_MBPS < up["line_bps"] < 1.15e6 * UP_MBPS
    assert up["waits"]["data_before"]["mean_s"] < up["waits"]["data_behind"]["mean_s"] / 2


def test_an_idle_line_is_told_and_a_kill_leaves_nothing() -> None:
    with home() as one, timed():
        found = where(one, 1)
        for way in ("down", "up"):
            assert (found[way]["queue"], found[way]["flows"]) == ("unknown", 0)
            assert "start a large" in found[way]["text"]
        command = [str(find("penstock-gw")), "--netns", one.router, "where", "wan0"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as watch:
            sockets = Path(f"/proc/{watch.pid}/net/packet")
            end_s = time.monotonic() + 10
            while len(sockets.read_text().splitlines()) < 2 and time.monotonic() < end_s:
                time.sleep(0.05)
            assert len(sockets.read_text().splitlines()) == 2
            watch.send_signal(signal.SIGKILL)
        listed = subprocess.run(
            inside(one.router, "cat", "/proc/net/packet"),
            capture_output=True,
            text=True,
            check=True,
        )
        assert len(listed.stdout.splitlines()) == 1
        assert "not attached to any device" in one.tool("status", expect=3)


def test_no_rights_are_one_message() -> None:
    with home() as one:
        assert "cannot watch what passes wan0" in complaint_without_rights(one, "where")
