# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw auto: live where its own periods prove that this helps."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from downloads import Home, home
from live_support import call, find, inside
from patience import timed
from test_where import complaint_without_rights, loaded

pytestmark = pytest.mark.usefixtures("gateway")


@contextmanager
def automatic(one: Home, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A running `auto`, once it watches."""
    command = [str(find("penstock-gw")), "--netns", one.router, "auto", "wan0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        try:
            assert soon(lambda: "auto since" in one.tool("auto", "status", "wan0", expect=None), 15)
            yield run
        finally:
            run.terminate()


def soon(holds: Any, seconds: float) -> bool:
    """Whether it holds before the time is over."""
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        if holds():
            return True
        time.sleep(0.25)
    return False


def day(one: Home) -> dict[str, Any]:
    """`auto status -j`."""
    found = json.loads(one.tool("auto", "status", "-j", "wan0"))
    assert isinstance(found, dict)
    return found


def left(one: Home) -> list[str]:
    """What it would have left: attachments, hooks, files."""
    said = one.tool("status", expect=None)
    hooks = call(*inside(one.router, "tc", "qdisc", "show", "dev", "wan0"))
    files = [path.name for path in Path("/run/penstock").glob("auto-wan0@*")]
    return [
        line for line in (said + hooks).splitlines() if "clsact" in line or "wan0:" in line
    ] + files


def test_it_is_live_on_the_line_that_it_helps_and_leaves_nothing() -> None:
    with home() as one, timed():
        with automatic(one) as run:
            states = [day(one)[way]["state"] for way in ("down", "up")]
            assert states == ["observing", "observing"]
            said = one.tool("auto", "wan0", expect=1)
            assert "another penstock-gw auto runs on wan0" in said
            with loaded(one, 4, 0):
                begun_s = time.monotonic()
                assert soon(lambda: day(one)["down"]["state"] == "live", 60)
                assert time.monotonic() - begun_s < 40
                found = day(one)
                assert one.status("wan0.down")["observe"] is False
            assert found["up"]["state"] == "observing"
            assert [d["to"] for d in found["decisions"]] == ["trying", "live"]
            evidence = found["decisions"][-1]["evidence"]
            assert evidence["delay_live_s"] < evidence["delay_observing_s"] / 2
            assert evidence["goodput_live_bps"] > 0.95 * evidence["goodput_observing_bps"]
            shown = one.tool("auto", "status", "wan0")
            assert "down: live since" in shown
            assert "observing -> trying: Downloads wait" in shown
            assert "auto         live. The delay is lower" in one.tool("status", "wan0.down")
            run.terminate()
            assert run.wait(20) == 0
        assert left(one) == []


def test_a_kill_leaves_nothing_and_the_file_is_heeded(tmp_path: Path) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text('[wan0]\nauto = true\nexempt = ["port 22"]\n')
    with home() as one:
        with automatic(one, "-c", str(file)) as run:
            shown = one.tool("show", "wan0", "--down")
            assert 'exempt = ["port 22"]' in shown
            run.send_signal(signal.SIGKILL)
            assert soon(lambda: left(one) == [], 20), left(one)
        said = one.tool("attach", "wan0", "-c", str(file), expect=78)
        assert "[wan0] has auto = true: penstock-gw auto wan0 runs it" in said
        file.write_text('[wan0]\nauto = true\nrate = "20mbit"\n')
        said = one.tool("auto", "wan0", "-c", str(file), expect=78)
        assert f"{file}:3: [wan0] rate: auto finds what it needs itself" in said
        file.write_text("[wan0.down]\nauto = true\n")
        assert "is of both directions" in one.tool("check", "-c", str(file), expect=78)
        file.write_text('[wan0.down]\nrate = "20mbit"\n')
        said = one.tool("auto", "wan0", "-c", str(file), expect=78)
        assert "[wan0.down] does not say auto = true" in said
        file.write_text("# as installed\n")
        with automatic(one, "-c", str(file)):
            assert one.status("wan0.down")["state"] == "observe"
        file.write_text('[wan0]\nrate = "20mbit"\n')
        said = one.tool("auto", "wan0", "-c", str(file), expect=78)
        assert "does not say auto = true" in said
        assert "no penstock-gw auto runs on wan0" in one.tool("auto", "status", "wan0", expect=3)
        assert left(one) == []


def test_what_is_attached_by_hand_is_left_alone() -> None:
    with home() as one:
        one.tool("attach", "wan0", "--down", "--observe")
        with automatic(one) as run:
            assert soon(lambda: "attached by hand" in day(one)["down"]["reason"], 10)
            one.tool("set", "wan0", "--target", "9ms")
            assert soon(lambda: "changed by hand" in day(one)["up"]["reason"], 10)
            run.terminate()
            run.wait(20)
        assert one.status("wan0.down")["observe"] is True
        assert one.status("wan0")["state"] == "observe"


TRACKED = """
table ip home {
    chain forward {
        type filter hook forward priority filter
        ct state established counter
    }
}
"""


def test_connections_that_run_already_are_adopted() -> None:
    with home() as one:
        call(*inside(one.router, "nft", "-f", "-"), input=TRACKED)
        with loaded(one, 4, 0):
            assert soon(lambda: one.retransmitted() > 0, 20), "the line is not full"
            one.tool("attach", "wan0", "--down", "--observe")
            assert one.status("wan0.down")["flows_adopted"] == 4
            assert "4 older ones were adopted" in one.tool("status", "wan0.down")
            one.tool("set", "wan0", "--down", "--live")
            assert soon(lambda: one.status("wan0.down")["acks_rewritten"] != 0, 10)
            one.tool("detach", "wan0", "--down")
            with automatic(one):
                assert soon(lambda: one.status("wan0.down")["flows_adopted"] == 4, 20)
                assert soon(lambda: day(one)["down"]["state"] == "live", 60), day(one)
            assert left(one) == []


def test_without_connection_tracking_older_connections_pass() -> None:
    with home() as one, loaded(one, 2, 0):
        assert soon(lambda: one.retransmitted() > 0, 20), "the line is not full"
        one.tool("attach", "wan0", "--down")
        assert one.status("wan0.down")["flows_adopted"] == 0
        assert "adopted" not in one.tool("status", "wan0.down")
        assert one.status("wan0.down")["acks_rewritten"] == 0
        one.tool("detach", "wan0", "--down")
        with automatic(one):
            assert soon(lambda: "older than auto" in day(one)["down"]["reason"], 20), day(one)
            time.sleep(4)
            assert day(one)["decisions"] == [], "nothing to try"


def test_it_attaches_once_what_stood_there_first_is_gone() -> None:
    with home() as one:
        words = ["run", "--device", "wan0", "--down", "5mbit", "--", "sleep", "60"]
        held = [str(find("penstock-gw")), "--netns", one.router, *words]
        with subprocess.Popen(held) as program:
            try:
                assert soon(lambda: "wan0.down" in one.tool("status", expect=None), 20)
                with automatic(one):
                    assert soon(lambda: "penstock-gw run" in day(one)["down"]["reason"], 10)
                    program.terminate()
                    assert soon(lambda: "No TCP data" in day(one)["down"]["reason"], 20), day(one)
                    assert one.status("wan0.down")["state"] == "observe"
                assert left(one) == []
            finally:
                program.kill()


def test_a_line_without_timestamps_says_so() -> None:
    with home() as one:
        for space in (one.client, one.server):
            call(*inside(space, "sysctl", "-qw", "net.ipv4.tcp_timestamps=0"))
        with automatic(one), loaded(one, 2, 0):
            assert soon(lambda: "no timestamps (RFC 7323)" in day(one)["down"]["reason"], 20)
            assert day(one)["down"]["state"] == "observing"
        assert left(one) == []


def test_no_rights_are_one_message() -> None:
    with home() as one:
        complaint_without_rights(one, "auto")
        assert left(one) == []
