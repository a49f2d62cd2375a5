# SPDX-License-Identifier: GPL-2.0-only
"""`penstock-gw record`, `log` and `why`: what they write, how much of it, and who can read it."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gateway_lab import ROOT, TOOL, Lab
from loads import connections, streaming, until


def read(path: Path) -> list[dict[str, object]]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


@contextmanager
def running(lab: Lab, *words: str) -> Iterator[None]:
    """A command meanwhile, ended by SIGTERM."""
    one = subprocess.Popen([str(TOOL), "--netns", lab.gateway, *words])
    try:
        yield
    finally:
        one.send_signal(signal.SIGTERM)
        assert one.wait(30) == 0


def documented(kind: str) -> set[str]:
    """The keys of a kind of line, by docs/lines.md."""
    section = (ROOT / "docs/lines.md").read_text().partition(f"\n## {kind}\n")[2]
    return set(re.findall(r"`(\w+)`", section.partition("\n## ")[0]))


def test_a_recording_holds_what_the_page_shows(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "evening.jsonl"
    lab.tool("attach", lab.device, "--rate", "20mbit", "--observe", "--queue", "install")
    with (
        connections(lab, 3) as pairs,
        streaming(*pairs),
        running(lab, "record", lab.device, str(path)),
    ):
        until(lambda: path.exists() and "sample" in path.read_text())
        lab.tool("set", lab.device, "--live")
        until(lambda: '"event":"live"' in path.read_text())
        until(lambda: path.read_text().count('"sample"') > 20)
    lines = read(path)
    assert lines[0]["kind"] == "head"
    kinds = [line["kind"] for line in lines]
    assert {"head", "sample", "status", "flows", "event"} == set(kinds)
    assert kinds.count("sample") > 10
    for kind in ("head", "sample", "event"):
        keys = {key for line in lines if line["kind"] == kind for key in line}
        assert keys - {"kind", "time_ns"} <= documented(kind), kind
    first, second = [line for line in lines if line["kind"] == "flows"][:2]
    assert [one["rate_bps"] for one in first["flows"]] == [None] * 3, "nothing was before it"
    assert max(one["rate_bps"] for one in second["flows"]) > 1000
    assert second["time_ns"] - first["time_ns"] < 5e9, "and the next one comes soon"
    flows = next(line["flows"] for line in reversed(lines) if line["kind"] == "flows")
    assert isinstance(flows, list)
    assert flows[0].keys() == documented("flows") - {"known", "flows"}
    assert [line["event"] for line in lines if line["kind"] == "event"] == ["live"]


def test_a_recording_is_bounded_and_each_file_is_whole(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with running(lab, "record", lab.device, str(path), "-i", "10ms", "--size", "200kB"):
        until(lambda: (tmp_path / "r.jsonl.1").exists())
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["r.jsonl", "r.jsonl.1"]
    assert sum(file.stat().st_size for file in files) < 220_000
    for file in files:
        assert read(file)[0]["kind"] == "head"
        assert "status" in {line["kind"] for line in read(file)[:5]}
    lab.tool("record", lab.device, str(path), "--for", "1s")
    said = lab.tool("record", lab.device, str(path), "--size", "100kB", expect=2)
    assert "less than 100kB for each of 2 files" in said
    assert "is a directory" in lab.tool("record", lab.device, str(tmp_path), expect=1).lower()


def test_the_log_says_why(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    lab.tool("attach", lab.device, "--rate", "20mbit", "--target", "5ms")
    with (
        connections(lab, 4) as pairs,
        streaming(*pairs),
        running(lab, "log", lab.device, "--output", str(path)),
    ):
        until(lambda: path.exists())
        time.sleep(2)
        lab.tool("set", lab.device, "--target", "8ms")
        until(lambda: '"event":"set"' in path.read_text())
        time.sleep(2)
    lines = read(path)
    assert [line["kind"] for line in lines if line["kind"] != "minute"] == ["head", "event"]
    minute = lines[-1]
    assert minute["kind"] == "minute"
    assert minute.keys() - {"kind", "time_ns"} == documented("minute") - {
        "time_ns",
        "off",
        "live",
        "degraded",
    }
    assert "The line was" in str(minute["reason"])
    said = lab.tool("why", "--file", str(path))
    assert '-> set    target = "8ms" (was "5ms")' in said
    assert str(minute["reason"]) in said
    raw = [json.loads(line) for line in lab.tool("why", "--file", str(path), "-j").splitlines()]
    shown = [line.get("begin_ns", line["time_ns"]) for line in raw]
    assert shown == sorted(shown), "a minute is shown where it begins"
    assert {line["kind"] for line in raw} == {"minute", "event"}
    assert "is not a time" in lab.tool("why", "--file", str(path), "--at", "noon", expect=2)
    assert "has nothing of" in lab.tool(
        "why", "--file", str(path), "--at", "2020-01-01 20:15", expect=1
    )
    assert "/var/log/penstock/nil.jsonl" in lab.tool("why", "nil", expect=1)
    assert "name a DEVICE" in lab.tool("why", expect=2)


def test_the_log_of_a_device_that_is_not_attached_says_so(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with running(lab, "log", lab.device, "-o", str(path)):
        until(lambda: path.exists())
        lab.tool("attach", lab.device, "--rate", "20mbit")
        lab.tool("detach", lab.device)
        time.sleep(3)
    assert "not attached" in str(read(path)[-1]["reason"])


def test_drops_that_a_model_only_counted_are_never_called_drops(lab: Lab, tmp_path: Path) -> None:
    """A virtual queue that observes drops nothing: not then, and not once it is live."""
    path = tmp_path / "log.jsonl"
    lab.tool("attach", lab.device, "--rate", "100mbit", "--observe", "--source", "virtual")
    with (
        connections(lab, 2) as pairs,
        streaming(*pairs),
        running(lab, "log", lab.device, "-o", str(path)),
    ):
        until(lambda: lab.status()["observed_drops"] != 0)
        assert re.search(r" [1-9]\d* would have been dropped", lab.tool("status", lab.device))
        assert " would drop " in lab.tool("top", lab.device, "-n", "1", "-i", "100ms")
        time.sleep(1.5)
        lab.tool("set", lab.device, "--live")
        counted = lab.status()
        time.sleep(1.5)
        assert lab.status()["observed_drops"] == counted["observed_drops"]
        shown = re.search(r", (\d+) drops \(", lab.tool("status", lab.device))
        assert shown
        assert int(shown[1]) < int(str(counted["observed_drops"]))
    minutes = [line for line in read(path) if line["kind"] == "minute"]
    # One line for each, or two where the clock's minute ended on the way.
    observed = [one for one in minutes if one["state"] == "observe"]
    live = [one for one in minutes if one["state"] == "live"]
    assert minutes == observed + live
    assert any(
        "would have been dropped: it only observes" in str(one["reason"]) for one in observed
    )
    drops = [sum(int(str(one["queue_drops"])) for one in part) for part in (observed, live)]
    assert drops[1] < drops[0]
