# SPDX-License-Identifier: GPL-2.0-only
"""`penstock recommend`: the best method, why, and nothing where chance could have decided."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from lab_support import SMALL, Run

from penstock.api.advice import attach_line
from penstock.api.questions.recommend import JUDGED, Answer, Candidate, attachable, recommend
from penstock.scenario import params
from penstock.scenario.read import read
from penstock.scenario.source import parse

NOISE = (0.0, 0.2, -0.2, 0.1, -0.1)


def _candidate(name: str, noise: Sequence[float] = NOISE, **means: float) -> Candidate:
    """Five seeds around the means: of loss, of delay and of goodput."""
    usual = {"loss_percent": 3.0, "queue_delay_ms_p99": 50.0, "goodput_mbps_total": 9.0}
    values: Mapping[str, Mapping[int, float]] = {
        column: {seed: mean + part for seed, part in enumerate(noise, start=1)}
        for column, mean in zip(JUDGED, (usual | means).values(), strict=True)
    }
    return Candidate(name, values)


def _answer(*candidates: Candidate) -> tuple[str, list[str]]:
    found: Answer = recommend(candidates)
    return found.method, sorted(found.equal)


OTHER_NOISE = (0.3, -0.2, 0.1, -0.3, 0.1)


def test_less_loss_wins() -> None:
    better = _candidate("ewt", OTHER_NOISE, loss_percent=1.0)
    assert _answer(_candidate("droptail"), better) == ("ewt", [])


def test_chance_decides_nothing() -> None:
    """A smaller mean within the interval is no reason for a gateway."""
    luckier = _candidate("ewt", OTHER_NOISE, loss_percent=2.99)
    assert _answer(_candidate("droptail"), luckier) == ("droptail", ["ewt"])


def test_the_next_column_decides_between_equals() -> None:
    equal = [
        _candidate("droptail"),
        _candidate("ewt", OTHER_NOISE, loss_percent=1.0, queue_delay_ms_p99=40.0),
        _candidate("share", loss_percent=1.0, queue_delay_ms_p99=20.0),
        _candidate("penstock", OTHER_NOISE, loss_percent=1.0, queue_delay_ms_p99=20.0),
    ]
    assert _answer(*equal) == ("penstock", ["share"])
    found = recommend(equal)
    assert [(step.column, sorted(step.out)) for step in found.steps] == [
        ("loss_percent", ["droptail"]),
        ("queue_delay_ms_p99", ["ewt"]),
    ]


def test_what_starves_the_link_is_out() -> None:
    slow = _candidate("awm", OTHER_NOISE, loss_percent=0.5, goodput_mbps_total=5.0)
    found = recommend([_candidate("droptail"), slow])
    assert (found.method, list(found.slower)) == ("droptail", ["awm"])
    assert found.slower["awm"].mean == pytest.approx(-4.0)


def test_only_what_the_gateway_has() -> None:
    names = {name for name, method in params.methods().items() if attachable(method)}
    assert {"droptail", "ewt", "penstock", "red_rwm", "pink"} <= names
    assert not {"red", "codel", "xcp", "etcp_1", "integral_fq_codel", "smart_red"} & names


def test_the_line_names_the_measured_link() -> None:
    scenario = read(parse("s", SMALL.encode())).scenario
    line = attach_line(scenario, "ewt", "start_bytes=10kB", "safe", "wan0")
    expected = "penstock-gw attach wan0 --method ewt --rate 9.5mbit --buffer 30kB"
    assert line == f"{expected} --param start_bytes=10kB"
    assert attach_line(scenario, "ewt", "", "strict", "wan0") == f"{expected} --mode strict"
    assert attach_line(scenario, "droptail", "", "safe", "wan0") == ""


def test_command(penstock: Run, small: Path) -> None:
    options = ["-m", "penstock", "--seeds", "3", "--receivers", "65535", "--dev", "wan0"]
    answer = json.loads(penstock("recommend", small, *options, "-j").stdout)
    assert sorted(answer["methods"]) == ["droptail", "penstock"]
    assert answer["seeds"] == 3
    expected = "penstock-gw attach wan0 --method penstock --rate 9.5mbit --buffer 30kB"
    assert answer["attach"] in (expected, None)
    assert (answer["method"] == "penstock") == (answer["attach"] == expected)
    assert answer["why"]
    text = penstock("recommend", small, *options).stdout
    assert text.splitlines()[-1] == (answer["attach"] or "attach nothing")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "2"], "2 cannot tell a method from chance; give 3 or more"),
        (["-m", "codel"], "-m codel: penstock-gw cannot attach it to hosts as they are"),
        (["--mode", "safe,strict"], "this command takes one of them"),
        (["--dev", "a b"], "--dev a b: a device has 1 to 15 characters"),
        (["--dev", "sixteencharacter"], "a device has 1 to 15 characters"),
    ],
)
def test_mistakes(penstock: Run, small: Path, options: list[str], message: str) -> None:
    done = penstock("recommend", small, *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
