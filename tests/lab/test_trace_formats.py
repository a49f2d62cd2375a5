# SPDX-License-Identifier: GPL-2.0-only
"""Recorded traces: what comes in, what goes out, and what is known of their origin."""

import hashlib
import json
from pathlib import Path

import pytest
from lab_support import LONG_PATH, Run

from penstock.scenario import trace_formats
from penstock.scenario.rate_tables import Asked
from penstock.scenario.read import read

CORK = """Timestamp,Operatorname,DL_bitrate,UL_bitrate
2019.12.16_13.40.04,B,12000,10
2019.12.16_13.40.05,B,24000,10
2019.12.16_13.40.06,B,0,10
"""
LUMOS = "run_num,Throughput,speed\n1,12,0\n1,24,1\n"
TRAFFIC = '[tcp.bulk]\nfrom = "senders"\nto = "receivers"\nsize = "500kB"\n[time]\nlimit = "60s"\n'


def test_a_table_becomes_opportunities_at_its_rate() -> None:
    ms, _ = trace_formats.opportunities("csv", CORK)
    assert [sum(1 for at in ms if s < at <= s + 1000) for s in (0, 1000, 2000)] == [1000, 2000, 1]
    assert ms[-1] == 3000  # the pause at the end counts
    assert ms == sorted(ms)
    plain = trace_formats.opportunities("csv", "bps\n12e6\n24e6\n", Asked("bps", 1.0))
    assert trace_formats.opportunities("csv", LUMOS) == plain


def test_the_others_are_taken_as_they_are() -> None:
    assert trace_formats.opportunities("mahimahi", "# a\n5\n5\n 9\n")[0] == [5, 5, 9]
    assert trace_formats.opportunities("cellsim", "1005\n1005\n1009\n")[0] == [0, 0, 4]


def test_its_origin_is_in_the_results(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text(CORK)
    options = ("--source", "UCC\n5G, B", "--licence", "CC BY 4.0", "-o", "b.trace")
    done = penstock("trace", "csv", "b.csv", *options)
    assert done.returncode == 0, done.stderr
    first = (tmp_path / "b.trace").read_text().splitlines()[:3]
    digest = hashlib.sha256(CORK.encode()).hexdigest()
    assert first == ["# source: UCC 5G, B", "# licence: CC BY 4.0", f"# from: sha256 {digest}"]
    queue = 'queue = "150kB"'
    text = LONG_PATH.replace(queue, f'{queue}\ntrace = "b.trace"') + TRAFFIC
    (tmp_path / "s.toml").write_text(text)
    done = penstock("run", "s.toml", "--seeds", "1", "-o", "out")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads((tmp_path / "out" / "run.json").read_text())["traces"]
    trace = read(str(tmp_path / "s.toml")).scenario.link["bottleneck"].trace
    assert trace is not None
    assert found == {
        "link": "bottleneck", "direction": "forward", "sha256": trace.digest,
        "source": "UCC 5G, B", "licence": "CC BY 4.0", "from": f"sha256 {digest}",
    }  # fmt: skip


def test_a_folder_becomes_a_folder(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("up", "down"):
        (tmp_path / "in" / name).write_text("3\n6\n")
    assert penstock("trace", "mahimahi", "in", "-o", "out").returncode == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["down.trace", "up.trace"]
    text = (tmp_path / "out" / "up.trace").read_text()
    assert text.startswith("# source: up\n# licence: not stated\n# from: sha256 ")
    assert text.endswith("\n3\n6\n")


@pytest.mark.parametrize(
    ("arguments", "text", "code", "message"),
    [
        (("mahimahi",), "3\nx\n", 1, "line 2: 'x' is not a whole number of ms"),
        (("mahimahi",), f"{'1' * 5000}\n", 1, f"line 1: '{'1' * 40}' is not a whole number of ms"),
        (("mahimahi",), "3000\n2\n", 1, "line 2: the clock goes back by 2.998 s; cut the file"),
        (("cellsim",), "7\n7\n", 1, "no opportunity to send after 0 ms"),
        (("csv",), "a,b\n1,2\n", 1, "name one with --column: a, b"),
        (("csv", "--column", "c"), "a,b\n1,2\n", 1, "no column 'c'; there are a, b"),
        (("csv", "--column", "a"), "a,b\n1,2\n", 1, "--unit"),
        (("csv",), "DL_bitrate\n-3\n", 1, "line 2: '-3' is not a rate from 0 on"),
        (("csv",), "DL_bitrate\nnan\n", 1, "line 2: 'nan' is not a rate from 0 on"),
        (("csv",), "time,DL_bitrate\nx,1\n", 1, "line 2: 'x' is not a time"),
        (("csv",), "", 1, "it is empty"),
        (("csv",), f"DL_bitrate\n{'1' * 200_000}\n", 1, "it is no table: field larger"),
        (("csv", "--unit", "mbit", "--column", "a"), "a\n1e11\n", 1, "more than 50,000,000"),
        (("csv", "--unit", "furlong"), "a\n", 2, "bit, kbit or mbit"),
        (("csv", "--time-unit", "fortnight"), "a\n", 2, "s, ms, us or ns"),
        (("lte",), "3\n", 2, "lte takes no file"),
    ],
)
def test_what_is_wrong_is_said(
    penstock: Run, tmp_path: Path, arguments: tuple[str, ...], text: str, code: int, message: str
) -> None:
    (tmp_path / "f").write_text(text)
    done = penstock("trace", *arguments, "f")
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_must_be_there(penstock: Run, tmp_path: Path) -> None:
    assert "takes a file with a recording" in penstock("trace", "csv").stderr
    assert "cannot be read" in penstock("trace", "csv", "gone").stderr
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    assert "not a text file" in penstock("trace", "csv", "b").stderr
