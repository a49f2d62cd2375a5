# SPDX-License-Identifier: GPL-2.0-only
"""Runs as data files of flent: the numbers of the run, by the names of flent's own tests."""

import gzip
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab_support import SMALL, Run, head, network, rows

from penstock.runs.captures import probes

STEP_S = 0.2
WARM_UP_S = 5.0
PROBE = probes.PROBE
SEGMENT = 1448 * 8 / 1e6  # Mbit


def _read(file: Path) -> dict[str, Any]:
    with gzip.open(file, "rt") as text:
        found: dict[str, Any] = json.load(text)
    return found


def _rrul(penstock: Run, folder: str, methods: str) -> list[dict[str, Any]]:
    limit = ("--set", "time.limit=15s")
    done = penstock(
        "run", "live/rrul-be", "-m", methods, "--seeds", "1", *limit, "-j", *folder.split()
    )
    assert done.returncode == 0, done.stderr
    return rows(done.stdout)


@pytest.fixture
def loaded(penstock: Run, tmp_path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run of rrul_be under CoDel, which loses some probes, and its row."""
    (row,) = _rrul(penstock, "--flent f", "codel")
    (file,) = (tmp_path / "f").iterdir()
    assert file.name == "codel-safe-auto-n4-s1-time.limit=15s.flent.gz"
    return _read(file), row


def test_a_file_has_the_format_and_names_of_rrul_be(
    loaded: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    found, _ = loaded
    assert found["version"] == 4
    meta = found["metadata"]
    assert (meta["NAME"], meta["STEP_SIZE"], meta["TOTAL_LENGTH"]) == ("rrul_be", STEP_S, 15.0)
    best = ("BE", "BE2", "BE3", "BE4", "avg", "sum")
    streams = {f"TCP {way} {each}" for way in ("upload", "download") for each in best}
    pings = {"Ping (ms) UDP BE1", "Ping (ms) avg"}
    assert set(found["results"]) == streams | pings | {"TCP totals"} == set(meta["SERIES_META"])
    assert found["x_values"] == pytest.approx([STEP_S * step for step in range(1, 76)])
    assert all(len(series) == 75 for series in found["results"].values())
    for name, raw in found["raw_values"].items():
        assert [each["val"] for each in raw] == [
            value for value in found["results"][name] if value is not None
        ]


def test_goodput_is_that_of_the_run(loaded: tuple[dict[str, Any], dict[str, Any]]) -> None:
    found, row = loaded
    results = found["results"]
    counted = [x > WARM_UP_S for x in found["x_values"]]
    for name, way in (("bulk", "download"), ("up", "upload")):
        (group,) = (each for each in row["groups"] if each["group"] == name)
        total = [v for v, after in zip(results[f"TCP {way} sum"], counted, strict=True) if after]
        # At both ends, each of four receivers may still have to acknowledge two segments.
        assert math.fsum(total) / len(total) == pytest.approx(
            group["goodput_mbps_total"], abs=2 * 4 * 2 * SEGMENT / 10
        )
        streams = [results[f"TCP {way} {each}"] for each in ("BE", "BE2", "BE3", "BE4")]
        sums = [math.fsum(step) for step in zip(*streams, strict=True)]
        assert results[f"TCP {way} sum"] == pytest.approx(sums)
        assert results[f"TCP {way} avg"] == pytest.approx([each / 4 for each in sums])


def test_losses_leave_gaps_and_no_wrong_delays(
    loaded: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    found, _ = loaded
    pings = found["results"]["Ping (ms) UDP BE1"]
    known = [each for each in pings if each is not None]
    assert len(known) > 70
    assert 30 < min(known) < max(known) < 30 + 80 + 200


def test_a_run_and_its_bytes_are_the_same_again(penstock: Run, tmp_path: Path) -> None:
    plain, *others = (_rrul(penstock, each, "fq_codel") for each in ("", "--flent a", "--flent b"))
    assert others == [plain, plain]
    (first,), (second,) = (list((tmp_path / each).iterdir()) for each in "ab")
    assert first.read_bytes() == second.read_bytes()


ALONE = (
    head("Probes almost alone")
    + f"""\

{network("30kB")}
[link.bottleneck.back]
rate = "5mbit"

[tcp.bulk]
from = "senders"
to = "receivers"
size = "60kB"
start = "1s"

[tcp.late]
from = "senders"
to = "receivers"
size = "1kB"
start = "3s"

[udp.probe]
from = "senders"
to = "receivers"
rate = "24kbit"
payload = "60B"

[udp.probe-back]
from = "receivers"
to = "senders"
rate = "24kbit"
payload = "60B"
"""
)


def _play(penstock: Run, tmp_path: Path, text: str, *options: str) -> dict[str, Any]:
    (tmp_path / "s.toml").write_text(text)
    arguments = ("-m", "droptail", "--seeds", "1", "--receivers", "65535")
    done = penstock("run", "s.toml", *arguments, *options, "--flent", "f")
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "f").iterdir()
    return _read(file)


def test_a_probe_takes_what_the_path_takes(penstock: Run, tmp_path: Path) -> None:
    found = _play(penstock, tmp_path, ALONE)
    assert found["metadata"]["NAME"] == "tcp_ndown"
    idle_ms = 2 * (1 + 20 + 1) + 88 * 8 * (4 / 100e6 + 1 / 10e6 + 1 / 5e6) * 1e3
    pings = found["results"]["Ping (ms) ICMP"]
    assert pings[:5] + pings[9:] == pytest.approx([idle_ms] * 11, abs=1e-5)
    assert max(pings[5:9]) > idle_ms + 1  # beside the transfer
    streams = found["results"]["TCP download::1"]
    assert math.fsum(streams) * STEP_S == pytest.approx(60_000 * 8 / 1e6)
    assert found["results"]["TCP download fairness"][0] is None
    assert found["metadata"]["TEST_PARAMETERS"] == {"download_streams": "2"}


UPLOAD = """\
[tcp.up]
from = "receivers"
to = "senders"
size = "300kB"
"""
ONLY_UP = (
    SMALL.replace('from = "senders"', 'from = "receivers"')
    .replace('to = "receivers"', 'to = "senders"')
    .replace('link = "bottleneck"', 'link = "bottleneck"\ndirection = "back"')
)


@pytest.mark.parametrize(
    ("text", "test", "name"),
    [
        (SMALL, "tcp_ndown", "TCP download::3"),
        (ONLY_UP, "tcp_nup", "TCP upload::3"),
        (SMALL + UPLOAD, "rrul_be_nflows", "TCP upload BE::3"),
    ],
)
def test_other_flows_have_other_tests(
    penstock: Run, tmp_path: Path, text: str, test: str, name: str
) -> None:
    found = _play(penstock, tmp_path, text)
    assert found["metadata"]["NAME"] == test
    assert name in found["results"]
    assert not any(each.startswith("Ping") for each in found["results"])
    for series in found["raw_values"].values():
        assert math.fsum(each["val"] for each in series) * STEP_S <= 300_000 * 8 / 1e6 + 1e-6


def test_users_are_refused(penstock: Run) -> None:
    done = penstock("run", "traffic/web", "--flent", "f")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "--flent: flent's tests are of single connections, and tcp." in line


def test_all_that_arrived_is_known_where_nothing_is_lost() -> None:
    assert probes.identified([PROBE] * 4, [PROBE] * 3, 0) == [0, 1, 2]


def test_what_may_be_one_of_two_is_left_out() -> None:
    assert probes.identified([PROBE] * 3, [PROBE] * 2, 1) == [None, None]


def test_segments_around_a_probe_tell_which_it_is() -> None:
    sent = ["a", PROBE, "b", PROBE, "c", PROBE, "d", PROBE]
    assert probes.identified(sent, ["a", "b", PROBE, "c", PROBE, "d", PROBE], 1) == [1, 2, 3]
    assert probes.identified(sent, ["a", PROBE, "b", "c", "d", PROBE], 2) == [0, 3]
    # Between a and c it can be the first or the second.
    assert probes.identified(sent, ["a", PROBE, "c", PROBE], 2) == [None, None]


def test_a_segment_that_was_sent_twice_tells_nothing() -> None:
    sent = ["a", PROBE, "b", PROBE, "a", PROBE]
    assert probes.identified(sent, ["a", PROBE], 2) == [None]
    assert probes.identified(sent, ["b", PROBE, PROBE], 1) == [1, 2]


def test_flent_opens_and_draws_it(penstock: Run, tmp_path: Path) -> None:
    resultset = pytest.importorskip("flent.resultset", reason="flent is not installed")
    _rrul(penstock, "--flent f", "fq_codel")
    (file,) = (tmp_path / "f").iterdir()
    found = resultset.load(str(file))
    assert found.meta("NAME") == "rrul_be"
    assert found.series("TCP download sum") == _read(file)["results"]["TCP download sum"]
    plot = tmp_path / "plot.svg"
    done = subprocess.run(
        [sys.executable, "-m", "flent", "-p", "all_scaled", "-i", str(file), "-o", str(plot)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert plot.read_text().count("<path") > 20
