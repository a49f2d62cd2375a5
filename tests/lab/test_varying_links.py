# SPDX-License-Identifier: GPL-2.0-only
"""Links that change or follow a trace, from scenario to columns; and synthetic traces."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lab_support import SMALL, Run

from penstock.scenario import traces
from penstock.scenario.read import read

LONG = SMALL.replace('size = "300kB"', 'size = "100MB"').split("[sample]")[0]
CLOCK = '[time]\nlimit = "12s"\nwarm_up = "2s"\n'


def row(penstock: Run, folder: Path, text: str, *options: str) -> dict[str, Any]:
    path = folder / "varying.toml"
    path.write_text(text)
    one = ("-m", "droptail", "--receivers", "auto", "--seeds", "1", "-j")
    done = penstock("run", path, *one, *options)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_goodput_follows_the_rate(penstock: Run, tmp_path: Path) -> None:
    change = '[[link.bottleneck.change]]\nat = "7s"\nrate = "5mbit"\n'
    half = row(penstock, tmp_path, LONG + change + CLOCK)
    # 5 s at 10 Mbit/s, 5 s at 5; 1448 of 1500 bytes are payload.
    assert half["goodput_mbps_total"] == pytest.approx(7.5 * 1448 / 1500, rel=0.03)
    assert half["utilisation_percent"] > 97


def test_back_keeps_what_it_sets_itself(penstock: Run, tmp_path: Path) -> None:
    change = '[[link.bottleneck.change]]\nat = "0s"\nrate = "100kbit"\n'
    slow = 'queue = "30kB"\n'
    own = LONG.replace(slow, slow + 'back = { rate = "10mbit" }\n')
    both = row(penstock, tmp_path, LONG.replace("10mbit", "1mbit") + change + CLOCK)
    forward = row(penstock, tmp_path, own.replace('"10mbit"', '"1mbit"', 1) + change + CLOCK)
    assert forward["goodput_mbps_total"] <= 0.1
    assert both["goodput_mbps_total"] <= 0.1
    assert both != forward


def test_a_trace_takes_the_place_of_the_rate(penstock: Run, tmp_path: Path) -> None:
    (tmp_path / "steady.trace").write_text("3\n6\n9\n")  # 4 Mbit/s
    traced = LONG.replace('queue = "30kB"', 'queue = "30kB"\ntrace = "steady.trace"')
    found = row(penstock, tmp_path, traced + CLOCK)
    assert found["goodput_mbps_total"] == pytest.approx(4 * 1448 / 1500, rel=0.03)
    option = f"link.bottleneck.trace={tmp_path / 'steady.trace'}"
    same = row(penstock, tmp_path, LONG + CLOCK, "--set", option)
    assert same.pop("link.bottleneck.trace") == str(tmp_path / "steady.trace")
    assert {**same, "wall_s": 0} == {**found, "wall_s": 0}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[[link.access.change]]\nat = "1s"\nrate = "1mbit"\n', "needs a queue limit"),
        ('[[link.bottleneck.change]]\nat = "1s"\n', "nothing changes"),
        ('[[link.bottleneck.change]]\nrate = "1mbit"\n', "change.0.at: this key is missing"),
        ('[[link.bottleneck.change]]\nat = "1s"\nrte = "1mbit"\n', "unknown key 'rte'"),
        ('[link.bottleneck.back]\ntrace = "gone"\n', "gone: cannot be read"),
        ('[link.bottleneck.back]\ntrace = "bad"\n', "bad:2: not a whole number"),
        ('[link.bottleneck.back]\ntrace = "down"\n', "down:2: this time is before"),
        ('[link.bottleneck.back]\ntrace = "zero"\n', "ends above 0 ms"),
        ('[link.bottleneck.back]\ntrace = "synthetic:5g"\n', "synthetic:wifi; :SEED"),
        ('[link.bottleneck.back]\ntrace = "synthetic:lte:x"\n', "synthetic:lte:x: write"),
    ],
)
def test_wrong_links_are_one_line_and_78(
    penstock: Run, tmp_path: Path, table: str, message: str
) -> None:
    (tmp_path / "bad").write_text("1\n2.5\n")
    (tmp_path / "down").write_text("2\n1\n")
    (tmp_path / "zero").write_text("0\n0\n")
    path = tmp_path / "wrong.toml"
    path.write_text(LONG + table)
    done = penstock("validate", path)
    assert done.returncode == 78
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("kind", "mean_bps"), [("lte", 12_000_000), ("satellite", 80_000_000)])
def test_synthetic_traces_have_their_mean_and_vary(kind: str, mean_bps: int) -> None:
    ms = traces.opportunities(kind, 1, 600_000, mean_bps)
    assert ms == sorted(ms)
    assert ms[-1] == 600_000
    assert len(ms) * 12_000 / 600 == pytest.approx(mean_bps, rel=0.2)
    seconds = [0] * 601
    for at in ms:
        seconds[at // 1000] += 1
    assert max(seconds[:600]) > 1.4 * min(seconds[:600])
    assert ms == traces.opportunities(kind, 1, 600_000, mean_bps)
    assert ms != traces.opportunities(kind, 2, 600_000, mean_bps)
    gaps = [after - before for before, after in pairwise(ms)]
    assert max(gaps) > 50  # outages


def test_the_command_writes_what_a_scenario_reads(penstock: Run, tmp_path: Path) -> None:
    path = tmp_path / "lte.trace"
    done = penstock("trace", "lte", "--seed", 3, "--duration", "30s", "-o", path)
    assert done.returncode == 0, done.stderr
    assert penstock("trace", "lte", "--seed", 3, "--duration", "30s").stdout == path.read_text()
    found = row(penstock, tmp_path, LONG + CLOCK, "--set", f"link.bottleneck.trace={path}")
    assert 0 < found["goodput_mbps_total"] < 40
    for wrong in (["5g"], ["lte", "--duration", "0s"], ["lte", "--rate", "12"]):
        done = penstock("trace", *wrong)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("name", "options"), [("lte", ()), ("satellite:2", ("--seed", 2))])
def test_a_scenario_may_name_a_synthetic_trace(
    penstock: Run, tmp_path: Path, name: str, options: tuple[str | int, ...]
) -> None:
    path = tmp_path / "written.trace"
    assert penstock("trace", name.partition(":")[0], *options, "-o", path).returncode == 0
    both = [
        read("live/grid", [("link.bottleneck.trace", text)]).scenario.model_dump()
        for text in (f"synthetic:{name}", str(path))
    ]
    assert both[0] == both[1]
    inside = LONG.replace('queue = "30kB"', f'queue = "30kB"\ntrace = "synthetic:{name}"')
    (tmp_path / "named.toml").write_text(inside)
    trace = read(str(tmp_path / "named.toml")).scenario.link["bottleneck"].trace
    assert trace is not None
    assert trace.path == f"synthetic:{name}"
