# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of a gateway: as a page that plays them, and as a scenario."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run

from penstock.errors import ConfigError
from penstock.scenario import recorded_link, recording
from penstock.scenario.read import read
from penstock.scenario.types import Span

SECOND = 1_000_000_000
BEGIN = 1_800_000_000 * SECOND
STATUS = {
    "device": "wan0", "state": "live", "method": "penstock", "rate_bps": 20_000_000,
    "buffer_bytes": 97_000, "target_bytes": 20_000,
}  # fmt: skip


def lines(samples: int = 60, udp_bytes: int = 0) -> list[dict[str, Any]]:
    """A recording of a queue between 19 and 21 kB, with a change of settings after its third."""
    found: list[dict[str, Any]] = [
        {"kind": "head", "time_ns": BEGIN, "schema_version": 1, "device": "wan0"},
        {"kind": "status", "time_ns": BEGIN, "status": STATUS | {"target_bytes": 5000}},
    ]
    for n in range(samples):
        change = n == samples // 3
        time_ns = BEGIN + n * SECOND // 2
        if change:
            found.append({"kind": "event", "time_ns": time_ns, "event": "set", "reason": "</x>"})
            found.append({"kind": "status", "time_ns": time_ns + 3 * SECOND, "status": STATUS})
        queue = 5_000 if n <= samples // 3 else 19_000 + 1000 * (n % 3)
        sent = n * 1_250_000
        found.append(
            {
                "kind": "sample", "time_ns": time_ns, "state": "live", "queue_bytes": queue,
                "flows_active": 4, "forward_bytes": sent + n * udp_bytes,
                "forward_controlled_bytes": sent,
            }
        )  # fmt: skip
    flow = {"rtt_ns": 41_960_000, "rate_bps": 5_000_000}
    found.append({"kind": "flows", "time_ns": time_ns, "known": 4, "flows": [flow] * 4})
    return found


def write(path: Path, found: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in found))


def test_a_recording_becomes_a_scenario(penstock: Run, tmp_path: Path) -> None:
    write(tmp_path / "r.jsonl", lines(udp_bytes=125_000))
    done = penstock("from-recording", "r.jsonl", "s.toml")
    assert done.returncode == 0, done.stderr
    assert "recorded queue: 20 kB, 95 % of the samples 19 .. 21 kB" in done.stdout
    scenario = read(str(tmp_path / "s.toml")).scenario
    link = scenario.link["bottleneck"]
    assert (link.rate, link.queue) == (20_000_000, 97_000)
    assert link.delay == Span(21_000_000, 21_000_000)
    assert scenario.sweep.flows == [4]
    assert scenario.udp["background"].rate == 2_000_000
    assert 'target_bytes = "20000B"' in (tmp_path / "s.toml").read_text()
    again = penstock("from-recording", "r.jsonl", "s.toml")
    assert again.returncode == 2
    assert "--force overwrites it" in again.stderr
    shown = penstock("run", "s.toml", "--seeds", "1", "-m", "penstock", "-j")
    assert 19_000 < json.loads(shown.stdout.splitlines()[0])["queue_bytes_mean"] < 21_000


def test_the_page_of_a_recording_holds_all_of_it(penstock: Run, tmp_path: Path) -> None:
    whole = lines()
    write(tmp_path / "r.jsonl.2", whole[:10])
    write(tmp_path / "r.jsonl.1", whole[10:20])
    write(tmp_path / "r.jsonl", whole[20:])
    with (tmp_path / "r.jsonl").open("a") as file:
        file.write('{"kind": "sam')  # cut off
    done = penstock("open", "r.jsonl", "--no-show")
    assert (done.returncode, done.stdout) == (0, "r.jsonl.html\n"), done.stderr
    page = (tmp_path / "r.jsonl.html").read_text()
    held = re.search(r'id="recording">(.*?)</script>', page, re.DOTALL)
    assert held
    assert [json.loads(line) for line in held[1].splitlines()] == sorted(
        whole, key=lambda line: int(line["time_ns"])
    )
    assert not re.search(r"<(script|link)[^>]+(src|rel=.stylesheet)", page)
    assert "unsafe" not in page


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "it has no samples"),
        ('{"kind": "sample", "time_ns": 1}\n', "it has no line of kind 'head'"),
        ("[" * 100_000 + "\n", "r.jsonl:1: is no line of a recording"),
        ("nonsense\n", "r.jsonl:1: is no line of a recording"),
        ('{"kind": "head"}\n', "r.jsonl:1: is no line of a recording"),
        (
            '{"kind": "head", "time_ns": 1, "schema_version": 2}\n'
            '{"kind": "sample", "time_ns": 1}\n',
            "has schema version 2, not 1",
        ),
    ],
)
def test_what_is_no_recording_is_refused(
    penstock: Run, tmp_path: Path, text: str, hint: str
) -> None:
    (tmp_path / "r.jsonl").write_text(text)
    for words in (("open", "r.jsonl", "--no-show"), ("from-recording", "r.jsonl", "s.toml")):
        done = penstock(*words)
        assert done.returncode == 78
        assert hint in done.stderr
        assert "Traceback" not in done.stderr


def test_a_line_that_a_full_disk_cut_off_is_left_out(tmp_path: Path) -> None:
    whole = lines()
    write(tmp_path / "r", whole)
    text = (tmp_path / "r").read_text()
    (tmp_path / "r").write_text(text + '{"kind": "sam\n' + text)
    assert len(recording.read(tmp_path / "r")) == 2 * len(whole)


@pytest.mark.parametrize(
    ("kind", "changed", "hint"),
    [
        ("status", {"status": None}, "expected an object, not None"),
        ("status", {"status": STATUS | {"rate_bps": "fast"}}, "rate_bps: expected a number"),
        ("status", {"status": STATUS | {"method": None}}, "method: expected a name"),
        ("sample", {"flows_active": None}, "flows_active: expected a number, not None"),
        ("sample", {"forward_bytes": float("nan")}, "forward_bytes: expected a number, not nan"),
        ("sample", {"state": None}, "record for longer"),
        ("sample", {"time_ns": BEGIN + 100 * SECOND}, "record for longer"),
        ("flows", {"flows": [{}]}, "rtt_ns: expected a number, not None"),
        ("flows", {"flows": None}, "expected an object, not None"),
    ],
)
def test_what_a_line_lacks_is_said(
    tmp_path: Path, kind: str, changed: dict[str, Any], hint: str
) -> None:
    write(tmp_path / "r", [line | changed if line["kind"] == kind else line for line in lines()])
    with pytest.raises(ConfigError, match=hint):
        recorded_link.draft(recorded_link.steady("r", recording.read(tmp_path / "r")))


def test_a_recording_that_is_too_short_says_so(penstock: Run, tmp_path: Path) -> None:
    write(tmp_path / "r.jsonl", lines(12))
    done = penstock("from-recording", "r.jsonl", "s.toml")
    assert done.returncode == 78
    assert "record for longer" in done.stderr
    assert not (tmp_path / "s.toml").exists()
