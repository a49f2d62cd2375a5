# SPDX-License-Identifier: GPL-2.0-only
"""`penstock run`: columns, determinism, workers, output, failures, captures."""

import json
from pathlib import Path

import numpy as np
import pytest
from lab_support import SMALL, Run, rows

from penstock.cli import options
from penstock.columns import NAMES
from penstock.errors import Exit
from penstock.runs.backends import sim
from penstock.runs.wishes import Wishes


def test_one_json_object_for_each_run(penstock: Run, small: Path) -> None:
    done = penstock("run", small, "-j")
    assert done.returncode == 0
    assert done.stderr == ""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [tuple(row) for row in found] == [NAMES] * 8
    keys = [(row["receivers"], row["flows"], row["method"], row["seed"]) for row in found]
    assert keys == [
        (receivers, 3, method, seed)
        for receivers in ("65535", "auto")
        for method in ("droptail", "ewt")
        for seed in (1, 2)
    ]


def test_values_hang_together(penstock: Run, small: Path) -> None:
    for row in rows(penstock("run", small, "-j", "-n", "1,5").stdout):
        assert row["unfinished"] == 0
        assert 0 <= row["loss_percent"] < 100
        assert (row["drops"] > 0) == (row["loss_percent"] > 0)
        assert row["retransmissions"] + row["flows"] >= row["drops"]  # a SYN has no payload
        assert row["queue_bytes_p50"] <= row["queue_bytes_p99"] <= row["queue_bytes_max"] <= 30_000
        assert row["queue_delay_ms_mean"] <= row["queue_delay_ms_p99"] <= 30_000 * 8 / 1e4 + 2
        assert 1 / row["flows"] <= row["jain"] + 1e-9 <= 1 + 2e-9
        assert 0 < row["goodput_mbps_total"] < 10 * 1448 / 1500
        assert row["tcp_loss_percent"] == row["loss_percent"]
        assert row["udp_loss_percent"] is None
        if row["method"] == "droptail":
            assert row["rewritten_acks"] == 0
        if row["receivers"] == "65535":
            assert row["receive_window_bytes"] <= 65_535
            untouched = row["receive_window_bytes"] > 65_535 - 2  # less the scale's rounding
            assert untouched == (row["rewritten_acks"] == 0)
        else:
            assert row["receive_window_bytes"] > 0


def test_what_is_sent_arrives_or_is_dropped(small: Path) -> None:
    _, plan = options.plan(str(small), Wishes(flows=["1", "5"]))
    for cell in plan.cells():
        built, result = sim.play(cell)
        flows, queue = result.flows, result.queue(built.measured)
        lost = flows["segments_sent"] - flows["segments_received"]
        without_payload = flows["packets_dropped_queue"] - lost
        assert np.all((without_payload >= 0) & (without_payload <= 1)), "a SYN at most"
        assert np.all(flows["delivered_bytes"] == flows["size_bytes"])
        assert np.all(flows["packets_in_flight"] == 0)
        assert queue["drops"] == np.sum(flows["packets_dropped_queue"])
        assert queue["drops"] == queue["drops_overflow"] + queue["drops_method"]


def test_same_arguments_same_results_for_any_workers(penstock: Run, small: Path) -> None:
    results = [rows(penstock("run", small, "-j", "--workers", n).stdout) for n in (1, 2, 2, 3)]
    assert len(results[0]) == 8
    assert results[0] == results[1] == results[2] == results[3]


def test_seeds_and_methods_share_start_times(penstock: Run, small: Path) -> None:
    found = rows(penstock("run", small, "-j", "--set", "link.bottleneck.queue=1MB").stdout)
    fixed = [row for row in found if row["receivers"] == "65535"]
    by_seed = {(row["method"], row["seed"]): row["transfer_s"] for row in fixed}
    assert by_seed["droptail", 1] == by_seed["ewt", 1]  # nothing is cut: the same run
    assert by_seed["droptail", 1] != by_seed["droptail", 2]


def test_set_reaches_the_method(penstock: Run, small: Path) -> None:
    def windows(*more: str) -> float:
        found = rows(penstock("run", small, "-j", "-m", "ewt", "--seeds", "1", *more).stdout)
        return float(found[0]["receive_window_bytes"])

    assert windows("--set", "ewt.start_bytes=0") < windows("--set", "ewt.start=25kB")
    assert windows("--set", "start_bytes=0") == windows("--set", "ewt.start=0B")


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        (["-m", "ewd"], Exit.USAGE, "'ewt'"),
        (["-n", "0"], Exit.USAGE, "a whole number from 1"),
        (["-n", "many"], Exit.USAGE, "a whole number from 1"),
        (["--mode", "unsafe"], Exit.USAGE, "'safe'"),
        (["--receivers", "big"], Exit.USAGE, "is not a size"),
        (["--set", "start_bytes"], Exit.USAGE, "write KEY=VALUE"),
        (["--set", "stat_bytes=1"], Exit.USAGE, "'start_bytes'"),
        (["--set", "weight=0.1"], Exit.USAGE, "ewa and ewt_iot"),
        (["--set", "ewt.start_bytes=-1"], Exit.USAGE, "out of range"),
        (["--backend", "abacus"], Exit.BACKEND_MISSING, "no backend 'abacus'"),
    ],
)
def test_mistakes(penstock: Run, small: Path, arguments: list[str], code: int, hint: str) -> None:
    done = penstock("run", small, *arguments)
    assert done.returncode == code
    assert hint in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_unknown_scenario_lists_the_near_ones(penstock: Run) -> None:
    done = penstock("run", "ewt-2019/scenario-3")
    assert done.returncode == Exit.USAGE
    assert "'ewt-2019/scenario-1'" in done.stderr


def test_table_for_people(penstock: Run, small: Path) -> None:
    done = penstock("run", small)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "3 flows, receive window 65,535 bytes" in done.stdout
    assert "3 flows, receive window autotuned" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("ewt")]
    assert len(lines) == 2
    assert all("±" in line for line in lines)


def test_what_is_named_again_is_run_once(penstock: Run, small: Path, tmp_path: Path) -> None:
    """Or it would count as an independent run, and narrow the interval."""
    text = SMALL.replace("flows = [3]", "flows = [2, 2, 2]")
    text = text.replace('["65535", "auto"]', '["64KiB", "65536", 65536]')
    text = text.replace('["droptail", "ewt"]', '["droptail", "droptail"]')
    (tmp_path / "again.toml").write_text(text)
    found = rows(penstock("run", "again.toml", "-j", "-o", "out").stdout)
    assert [(row["receivers"], row["flows"], row["seed"]) for row in found] == [
        ("65536", 2, 1),
        ("65536", 2, 2),
    ]
    assert "valid; 2 runs: droptail\n" in penstock("validate", "again.toml").stdout
    again = ["-m", "ewt", "-m", "ewt,ewt", "-n", "2,2", "-n", "02", "--receivers", "64KiB,65536"]
    assert len(rows(penstock("run", small, "-j", *again).stdout)) == 2
    levels = ["--levels", "1,1.0", "--most", "1", "-m", "ewt", "--receivers", "64KiB,65536"]
    assert len(penstock("capacity", small, "-j", *levels).stdout.splitlines()) == 1


@pytest.mark.parametrize("verb", [["run"], ["capacity", "--levels", "1,2", "--most", "3"]])
def test_seeds_that_change_nothing_are_told(
    penstock: Run, small: Path, tmp_path: Path, verb: list[str]
) -> None:
    (tmp_path / "same.toml").write_text(SMALL.replace("0s..1s", "0s"))
    arguments = ["-m", "droptail,ewt", "-j", "--receivers", "65535,auto"]
    done = penstock(*verb, "same.toml", *arguments)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "warning: the seeds change nothing for droptail, ewt: " in done.stderr
    assert penstock(*verb, "same.toml", *arguments, "--seeds", "1").stderr == ""
    assert penstock(*verb, small, *arguments).stderr == ""


def test_udp_and_time_limit(penstock: Run, tmp_path: Path) -> None:
    udp = '[udp.cross]\nfrom = "senders"\nto = "receivers"\nrate = "9mbit"\npayload = "1400B"\n'
    (tmp_path / "udp.toml").write_text(SMALL + udp + '[time]\nlimit = "1s"\n')
    for row in rows(penstock("run", "udp.toml", "-j").stdout):
        assert row["unfinished"] == 3
        assert row["transfer_s"] is None
        assert row["udp_loss_percent"] > 0
        assert row["utilisation_percent"] > 90


def test_captures(penstock: Run, small: Path, tmp_path: Path) -> None:
    done = penstock("run", small, "-j", "-m", "ewt", "--seeds", "1", "--pcap", "captures")
    assert done.returncode == 0
    names = sorted(path.name for path in (tmp_path / "captures").iterdir())
    assert names == [
        f"ewt-safe-{receivers}-n3-s1-bottleneck-{direction}.pcap"
        for receivers in ("65535", "auto")
        for direction in ("back", "forward")
    ]
    plain = penstock("run", small, "-j", "-m", "ewt", "--seeds", "1")
    assert rows(done.stdout) == rows(plain.stdout)


def test_a_topology_of_ones_own(penstock: Run, tmp_path: Path) -> None:
    text = SMALL.replace('shape = "dumbbell"', 'nodes = { a = 2, r = 1, q = 1, b = "flows" }')
    for name, ends in (("access", "a r"), ("bottleneck", "r q"), ("egress", "q b")):
        start, end = ends.split()
        head = f"[link.{name}]"
        text = text.replace(head, f'{head}\nfrom = "{start}"\nto = "{end}"')
    text = text.replace('from = "senders"', 'from = "a"').replace('to = "receivers"', 'to = "b"')
    (tmp_path / "own.toml").write_text(text)
    done = penstock("run", "own.toml", "-j")
    assert done.returncode == 0, done.stderr
    assert all(row["unfinished"] == 0 for row in rows(done.stdout))


def test_ten_thousand_flows_finish(penstock: Run, small: Path) -> None:
    sets = ("tcp.bulk.size=20kB", "link.bottleneck.rate=1gbit", "link.bottleneck.queue=3MB")
    arguments = [part for text in sets for part in ("--set", text)]
    done = penstock(
        "run", small, "-j", "-n", "10000", "-m", "ewt", "--receivers", "65535", "--seeds", "1",
        *arguments,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout)[0]["unfinished"] == 0
