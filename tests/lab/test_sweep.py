# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps of methods' parameters and of keys of the scenario; precision; comparisons."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lab_support import SMALL, Run, rows

from penstock.columns import NAMES
from penstock.errors import Exit
from penstock.results import differences, settings
from penstock.results.tables import summarise
from penstock.runs.precision import Target, next_count, parse
from penstock.runs.wishes import Wishes, plan
from penstock.scenario import axes, write
from penstock.scenario.model import Scenario

NARROW = ("--receivers", "65535", "--seeds", "1")
DELAY = "link.bottleneck.delay"


def swept(*lines: str) -> str:
    return SMALL.replace("seeds = 2\n", "seeds = 2\n" + "".join(f"{line}\n" for line in lines))


def test_named_hosts_give_what_neither_scenario_nor_options_say(penstock: Run, small: Path) -> None:
    small.write_text(small.read_text() + '\n[tcp.other]\nfrom = "senders"\nto = "receivers"\n')
    small.write_text(small.read_text() + 'size = "10kB"\nscaling_ratio = 200\n')
    usual = ("run", small, "--receivers", "auto", "--seeds", "1", "-m", "droptail", "-j")
    (plain,) = rows(penstock(*usual).stdout)
    (six,) = rows(penstock(*usual, "--hosts", "linux-6").stdout)
    assert {**six, "wall_s": 0} == {**plain, "wall_s": 0}
    (seven,) = rows(
        penstock(*usual, "--hosts", "linux-7", "--set", "tcp.other.window_max=1MB").stdout
    )
    group = next(key for key in seven if key.endswith(".window_max") and "other" not in key)
    own = group.removesuffix(".window_max")
    keys = ("window_max", "scaling_ratio", "rcvbuf_slow_start", "rcvbuf_low_rtt")
    assert [seven[f"{own}.{key}"] for key in keys] == ["32MiB", "240", "true", "1ms"]
    assert seven["tcp.other.window_max"] == "1MB"
    assert "tcp.other.scaling_ratio" not in seven
    done = penstock(*usual, "--hosts", "linux-8")
    assert done.returncode == Exit.USAGE
    assert "--hosts linux-8: must be one of linux-6, linux-7" in done.stderr


def test_all_combinations_are_run_and_each_key_is_a_column(
    penstock: Run, small: Path, tmp_path: Path
) -> None:
    sweeps = ["--sweep", "ewt.start=10kB,20kB", "--sweep", f"{DELAY}=5ms,0.02s"]
    found = rows(penstock("run", small, *NARROW, *sweeps, "-j", "-o", "out").stdout)
    names = ("method", DELAY, "ewt.start_bytes")
    assert [tuple(row.get(name) for name in names) for row in found] == [
        *(("droptail", "5ms", None), ("ewt", "5ms", "10kB"), ("ewt", "5ms", "20kB")),
        *(("droptail", "20ms", None), ("ewt", "20ms", "10kB"), ("ewt", "20ms", "20kB")),
    ]
    assert len({row["queue_bytes_mean"] for row in found}) == 6, "each value has its own run"
    table = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert table.select(names).rows() == [tuple(row.get(name) for name in names) for row in found]
    (tmp_path / "file.toml").write_text(
        swept('"ewt.start" = ["10kB", "20kB"]', f'"{DELAY}" = ["5ms", "20ms"]')
    )
    of_file = penstock("run", "file.toml", *NARROW, "-j").stdout
    assert rows(of_file) == found
    assert "valid; 24 runs" in penstock("validate", "file.toml").stdout
    assert f"5ms, {DELAY}" not in penstock("run", small, *NARROW, *sweeps).stdout
    assert '"ewt.start"' in penstock("show", "file.toml").stdout


def test_swept_values_are_those_of_set(penstock: Run, small: Path) -> None:
    both = rows(penstock("run", small, *NARROW, "-j", "--sweep", f"{DELAY}=5ms,9ms").stdout)
    for value in ("5ms", "9ms"):
        alone = rows(penstock("run", small, *NARROW, "-j", "--set", f"{DELAY}={value}").stdout)
        assert alone == [row for row in both if row[DELAY] == value]


def test_other_values_are_added_to_a_folder(penstock: Run, small: Path, tmp_path: Path) -> None:
    base = ["run", small, "-m", "ewt", *NARROW, "-o", "out"]
    for more in ([], ["--set", f"{DELAY}=5ms"], ["--sweep", "ewt.start=1kB,2kB"]):
        assert penstock(*base, *more).returncode == 0
    table = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert table.select(DELAY, "ewt.start_bytes").rows() == [
        ("20ms", None), ("20ms", "1kB"), ("20ms", "2kB"), ("5ms", None),
    ]  # fmt: skip
    about = json.loads((tmp_path / "out" / "run.json").read_text())
    assert about["plan"]["settings"] == {
        DELAY: ["20ms", "5ms"],
        "ewt.start_bytes": ["1kB", "2kB"],
    }
    for cell in (tmp_path / "out" / "cells").iterdir():
        cell.write_text("{")
    assert penstock(*base, "--seeds", "2").returncode == 0, "what was lost is run again"
    again = pl.read_parquet(tmp_path / "out" / "results.parquet").filter(pl.col("seed") == 1)
    assert again.drop("wall_s").equals(table.drop("wall_s"))
    assert penstock("report", "out").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ["--set", "ewt.start=1kB", "--set", "ewt.start=2kB"],
            "given twice; --sweep ewt.start=1kB",
        ),
        (["--set", "ewt.start=1kB", "--sweep", "ewt.start=2kB"], "--set gives it too"),
        (["--sweep", "ewt.start=1kB,big"], "--sweep ewt.start=big: "),
        (["--sweep", "ewt.strt=1kB,2kB"], "did you mean 'ewt.start_bytes'?"),
        (["--sweep", f"{DELAY}=5ms,soon"], f"--sweep {DELAY}: 'soon' is not a time"),
        (["--sweep", "link.botleneck.delay=5ms"], "did you mean 'link.bottleneck'?"),
        (["--sweep", "sweep.seeds=1,2"], "it changes no run"),
        (["--sweep", DELAY], "write KEY=VALUE"),
        (["--precision", "0"], "above 0 and below 100"),
        (["--precision", "los=5%"], "no column with a mean"),
        (["--against", "awm"], "not a method of this run"),
    ],
)
def test_mistakes(penstock: Run, small: Path, arguments: list[str], hint: str) -> None:
    done = penstock("run", small, *arguments)
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert hint in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ('"ewt.start" = ["1kB", "big"]', "9: sweep.ewt.start=big: "),
        (f'"{DELAY}" = ["soon"]', f"9: {DELAY}: 'soon' is not a time"),
        ('sede = ["1"]', "9: sweep.sede: unknown key 'sede'; did you mean 'seeds'?"),
        ('"ewt.start" = []', "9: sweep.ewt.start: expected at least one entry"),
        ('ewt.start = ["1kB"]', "9: sweep.ewt: expected a list; a key with a dot stands in"),
    ],
)
def test_mistakes_in_a_file_have_its_line(
    penstock: Run, tmp_path: Path, line: str, hint: str
) -> None:
    (tmp_path / "s.toml").write_text(swept(line))
    done = penstock("validate", "s.toml")
    assert (done.returncode, done.stdout) == (Exit.CONFIG, "")
    assert f"s.toml:{hint}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_recommendation_is_for_one_value(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(swept(f'"{DELAY}" = ["5ms", "9ms"]'))
    done = penstock("recommend", "s.toml")
    assert done.returncode == Exit.USAGE
    assert f"{DELAY}: this command takes one value; give --set {DELAY}=VALUE" in done.stderr


def test_commas_within_brackets_do_not_split() -> None:
    assert axes.split('gamma(1, 2), "a,b",[1,2]') == ["gamma(1, 2)", '"a,b"', "[1,2]"]


def test_a_combination_is_written_once_for_all_of_its_keys(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing all of a scenario for each key took half of the time of a paper's plan."""
    written = []

    def count(scenario: Scenario, of: Any = write.tables) -> dict[str, Any]:
        written.append(scenario)
        return dict(of(scenario))

    monkeypatch.setattr(write, "tables", count)
    sweeps = ["link.bottleneck.queue=20kB,30kB", "tcp.bulk.size=50kB,60kB,70kB"]
    _, made = plan(str(small), Wishes(sweeps=sweeps))
    assert len(made.points) == len(written) == 6
    assert made.points[0].settings.keys() == {"link.bottleneck.queue", "tcp.bulk.size"}


def test_nothing_is_run_twice(small: Path) -> None:
    asked = Wishes(sweeps=(f"{DELAY}=20ms,0.02s", "ewt.start=1kB,1000B"), receivers=["65535"])
    _, made = plan(str(small), asked)
    assert made.runs == len(made.cells()) == 4
    assert made.swept == []


@pytest.mark.parametrize(
    ("text", "value"),
    [("20kB", 20_000), ("5ms", 0.005), ("10mbit", 1e7), ("0.5", 0.5), ("0s..1s", None)],
)
def test_settings_as_numbers(text: str, value: float | None) -> None:
    assert settings.number(text) == value


def row(method: str, seed: int, goodput: float) -> dict[str, Any]:
    names = {"mode": "safe", "parameters": "", "receivers": "auto", "flows": 1}
    base: dict[str, Any] = dict.fromkeys(NAMES)
    return base | names | {"method": method, "seed": seed, "goodput_mbps": goodput}


def test_seeds_follow_the_width_of_the_interval() -> None:
    (line,) = summarise([row("ewt", 1, 1.0), row("ewt", 2, 1.1), row("ewt", 3, 0.9)])
    mean = line.means["goodput_mbps"]
    assert mean is not None
    assert mean.half is not None
    assert Target(100 * mean.half * 1.001).ratio(line) < 1
    assert next_count([line], [Target(100 * mean.half * 1.001)], 3, 100) == 3
    assert next_count([line], [Target(100 * mean.half / 1.2)], 3, 100) == 5
    assert next_count([line], [Target(0.1)], 3, 100) == 6, "at most twice as many at a time"
    assert next_count([line], [Target(0.1)], 3, 5) == 5
    assert parse("loss_percent=10%") == Target(10.0, "loss_percent")


def test_precision_is_reached_with_any_number_of_workers(penstock: Run, small: Path) -> None:
    asked = ["run", small, "--receivers", "65535", "--precision", "20%", "-j"]
    found = [rows(penstock(*asked, "--workers", count).stdout) for count in (1, 2)]
    assert found[0] == found[1]
    lines = summarise(found[0])
    assert all(Target(20.0).ratio(line) <= 1 for line in lines)
    seeds = {line.label: set(line.values["goodput_mbps"]) for line in lines}
    assert seeds["droptail"] == seeds["ewt"], "methods share their seeds"
    assert len(seeds["ewt"]) > 2
    done = penstock(*asked, "--precision", "1%", "--most-seeds", "3")
    assert "after 3 seeds; --most-seeds allows more" in done.stderr


def test_differences_are_paired_by_seed(penstock: Run, small: Path) -> None:
    base = [row("droptail", 1, 5.0), row("droptail", 2, 9.0)]
    found = [*base, row("ewt", 1, 5.1), row("ewt", 2, 9.1)]
    theirs, ours = summarise(found)
    difference = differences.by_seed(ours, theirs, "goodput_mbps")
    assert difference is not None
    assert difference.mean == pytest.approx(0.1)
    assert not difference.holds_zero, "though the means' own intervals overlap"
    done = penstock("run", small, "--receivers", "65535", "--against", "droptail")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("ewt")]
    assert "less droptail, by seed" in done.stdout
    assert "-" in line or "=" in line


def test_transfer_times_of_some_flows_decide_nothing() -> None:
    base = [row("droptail", seed, 5.0) | {"transfer_s": 9.0 + seed / 10} for seed in (1, 2)]
    ours = [each | {"transfer_s": 12.0 + each["seed"] / 10, "unfinished": 1} for each in base]
    for theirs, verdict in ((base, "same"), (ours, "cannot tell")):
        (found,) = differences.pairs(base, theirs, ["transfer_s"])
        assert differences.verdict(found) == verdict


def test_the_same_variant_is_compared_with_itself() -> None:
    """A folder's only variant is called as the method alone, as the defaults are in another."""
    given = [row("ewt", seed, 5.0) | {"parameters": "start=9kB"} for seed in (1, 2)]
    both = [*(row("ewt", seed, 7.0) for seed in (1, 2)), *given]
    (found,) = differences.pairs(both, given, ["goodput_mbps"])
    assert (found.base_line.label, found.difference) == ("ewt start=9kB", 0.0)
    (other,) = differences.pairs(both[:2], given, ["goodput_mbps"])
    assert other.difference == -2.0, "where each has one, they are compared"


def test_a_sweep_is_compared_with_one_of_its_values() -> None:
    one, other = ([row("ewt", seed, 5.0) | {DELAY: delay} for seed in (1, 2)] for delay in "12")
    (found,) = differences.pairs([*one, *other], other, ["goodput_mbps"])
    assert found.base_line.given[DELAY] == "2"


def test_two_folders_are_compared(penstock: Run, small: Path, tmp_path: Path) -> None:
    for name, delay in (("a", "20ms"), ("b", "20ms"), ("c", "5ms")):
        penstock("run", small, "--seeds", "3", "-o", name, "--set", f"{DELAY}={delay}")
    same = [json.loads(line) for line in penstock("report", "a", "b", "-j").stdout.splitlines()]
    assert same
    assert {pair["verdict"] for pair in same} == {"same"}
    other = [json.loads(line) for line in penstock("report", "a", "c", "-j").stdout.splitlines()]
    times = [pair for pair in other if pair["column"] == "transfer_s"]
    assert len(times) == 4
    assert all(pair["verdict"] == "better" for pair in times if pair["method"] == "ewt")
    done = penstock("report", "a", "c")
    assert done.stdout == "a/against-c.html\n"
    page = (tmp_path / "a" / "against-c.html").read_text()
    assert "comparisons of the second with the first" in page
    assert f"{DELAY}: 20ms in the first, 5ms in the second." in page
    penstock("run", small, "--seeds", "1", "-o", "d", "-m", "ewt", "--set", "ewt.start=1kB")
    penstock("report", "a", "d")
    page = (tmp_path / "a" / "against-d.html").read_text()
    assert "ewt: safe in the first, safe start_bytes=1kB in the second." in page
    few = [json.loads(line) for line in penstock("report", "a", "d", "-j").stdout.splitlines()]
    assert {pair["verdict"] for pair in few} == {"cannot tell"}
    assert penstock("report", "a", "none").returncode == Exit.CONFIG
