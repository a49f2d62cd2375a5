# SPDX-License-Identifier: GPL-2.0-only
"""What a run will cost: said before it, measured, and right."""

import json
from pathlib import Path

import pytest
from lab_support import SMALL, Run
from pydantic import TypeAdapter

from penstock import _native
from penstock.cli import costs
from penstock.plan import offered
from penstock.plan.work import work
from penstock.runs import wishes
from penstock.runs.backends import sim
from penstock.runs.campaign import Campaign
from penstock.runs.estimate import LONG_S, Estimate, estimate
from penstock.runs.wishes import Wishes
from penstock.scenario.distributions import CountDistribution
from penstock.scenario.source import parse

UDP = """
[udp.voice]
from = "senders"
to = "receivers"
rate = "1mbit"
payload = "125B"
stop = "0.5s"
"""

USERS = SMALL.replace('size = "300kB"\n', "") + '[tcp.bulk.traffic]\nkind = "web"\n'


def _cell(toml: str, flows: int = 3, **settings: str) -> object:
    sets = [f"{key.replace('__', '.')}={value}" for key, value in settings.items()]
    _, plan = wishes.plan(parse("s", toml.encode()), Wishes(sets=sets, methods=["droptail"]))
    return plan.cell("droptail", "65535", flows, 1)


def test_work_is_what_the_flows_carry() -> None:
    """300 kB are 208 segments of 1,448 bytes; with headers, three flows fill 10 Mbit/s 0.75 s."""
    found = work(_cell(SMALL))  # type: ignore[arg-type]
    assert found.segments == 3 * 208
    assert found.seconds == pytest.approx(1.0 + 3 * 8 * (300_000 + 208 * 52) / 10e6)
    assert not found.bounded


def test_the_limit_of_time_cuts_the_work() -> None:
    long = work(_cell(SMALL, time__limit="100s", tcp__bulk__size="1GB"))  # type: ignore[arg-type]
    assert long.seconds == 100
    assert long.segments == pytest.approx(100 * 10e6 / 8 / 1500, rel=0.02)


def test_udp_counts_until_it_stops() -> None:
    both, tcp = (work(_cell(text)) for text in (SMALL + UDP, SMALL))  # type: ignore[arg-type]
    assert both.segments - tcp.segments == pytest.approx(500)


def _users(traffic: str, flows: int = 3, limit: str = "30s") -> object:
    return _cell(f'{USERS}{traffic}\n[time]\nlimit = "{limit}"\n', flows)


def test_users_send_at_most_what_links_carry() -> None:
    """Pareto of shape 1 has no mean; 100,000 users have more to send than a link takes."""
    for cell in (_users('size = "pareto(1, 30kB)"'), _users("", 100_000)):
        found = work(cell)  # type: ignore[arg-type]
        assert found.bounded
        assert found.segments == pytest.approx(30 * 10e6 / 8 / 1500)


def test_where_links_only_bound_it_a_part_of_the_run_tells() -> None:
    """Pages one after the other over a long path: windows hold them, not the link."""
    load = 'session = "0s"\nreading = "0s"\nsize = "pareto(1.7584, 30458B)"\n'
    text = f'{USERS}{load}\n[time]\nlimit = "2000s"\n'
    (cell,) = [_cell(text, 1, link__bottleneck__delay="200ms", link__bottleneck__rate="1gbit")]
    most = work(cell)  # type: ignore[arg-type]
    assert most.bounded
    told = estimate(Campaign("sim", 1), [cell])  # type: ignore[list-item]
    _, result = sim.play(cell)  # type: ignore[arg-type]
    carried = int(result.groups[0]["delivered_bytes"]) / 1448
    assert most.segments > 30 * carried
    assert told.segments == pytest.approx(carried, rel=0.5)
    assert not told.at_most


PAGES = """
session = "exponential(5s)"
pages = "constant(5)"
reading = "exponential(2s)"
objects = "constant(2)"
size = "uniform(10kB, 50kB)"
"""


@pytest.mark.parametrize("more", ["", "transfers = 10"], ids=["for a time", "some each"])
def test_users_that_wait_send_less(more: str) -> None:
    """Twenty users read for 2.6 s between pages of 60 kB, on average: some 3.5 Mbit/s."""
    cell = _users(PAGES + more, 20, "200s")
    expected = work(cell)  # type: ignore[arg-type]
    assert not expected.bounded
    _, result = sim.play(cell)  # type: ignore[arg-type]
    (group,) = result.groups
    assert expected.segments == pytest.approx(int(group["delivered_bytes"]) / 1448, rel=0.15)


def test_writers_send_what_they_write() -> None:
    writes = 'on = "constant(2s)"\noff = "constant(6s)"\ninterval = "20ms"\nwrite = "160B"'
    text = (USERS + writes + '\n[time]\nlimit = "200s"\n').replace('"web"', '"on-off"')
    cell = _cell(text, 5)
    _, result = sim.play(cell)  # type: ignore[arg-type]
    found = work(cell)  # type: ignore[arg-type]
    assert found.segments == pytest.approx(int(result.groups[0]["transfers"]), rel=0.1)
    assert not found.bounded


@pytest.mark.parametrize(
    "text",
    ["exponential(3)", "uniform(2, 9)", "lognormal(4, 2)", "gamma(5, 2)", "pareto(2.5, 3)",
     "pareto(1.2, 3, 90)", "pareto(1, 3, 90)", "weibull(2, 5)", "7"],
)  # fmt: skip
def test_means_are_those_of_what_is_drawn(text: str) -> None:
    given = TypeAdapter(CountDistribution).validate_python(text)
    draw = getattr(_native.Distribution, given.name)(*given.values)
    drawn = [value for user in range(100) for value in draw.draw(1, user, 200)]
    assert offered.mean(given) == pytest.approx(sum(drawn) / len(drawn), rel=0.03)


def test_plan_runs_nothing(penstock: Run, small: Path, tmp_path: Path) -> None:
    done = penstock("run", small, "--plan", "-o", "out")
    assert done.returncode == 0, done.stderr
    names = [line.split("  ")[0] for line in done.stdout.splitlines()]
    assert names == ["runs", "segments", "processor time", "elapsed time"]
    assert done.stdout.splitlines()[0].split() == ["runs", "8"]
    assert not (tmp_path / "out").exists()


def test_plan_counts_what_is_stored(penstock: Run, small: Path) -> None:
    assert penstock("run", small, "--receivers", "65535", "-o", "out").returncode == 0
    answer = json.loads(penstock("run", small, "--plan", "-o", "out", "-j").stdout)
    assert (answer["runs"], answer["stored"]) == (8, 4)
    assert answer["segments"] == 4 * 3 * 208
    assert 50 < answer["ns_per_segment"] < 500_000, "measured, on however busy a machine"
    expected = answer["segments"] * answer["ns_per_segment"] / 1e9
    assert answer["processor_s"] == pytest.approx(expected)
    assert answer["elapsed_s"] == pytest.approx(expected / answer["workers"])


def _cost(elapsed_s: float) -> Estimate:
    return Estimate(1200, 200, 4e9, 1000.0, 2 * elapsed_s, 2, elapsed_s)


def test_a_long_run_says_so_before(capsys: pytest.CaptureFixture[str]) -> None:
    costs.announce(_cost(LONG_S - 1))
    assert capsys.readouterr().err == ""
    costs.announce(_cost(5400.0))
    expected = "1,000 runs: about 3.0 hours of processor time, 1.5 hours with 2 workers\n"
    assert capsys.readouterr().err == expected
