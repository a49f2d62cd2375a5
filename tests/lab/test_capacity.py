# SPDX-License-Identifier: GPL-2.0-only
"""The search for the number of flows, on known functions and as a command."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab_support import Run

from penstock.api.questions.capacity import Searches, Served
from penstock.results import served as shown

Points = Sequence[tuple[str, int]]


def search(losses: dict[str, list[float]], levels: list[float], step: bool) -> list[Served]:
    """Runs searches where subject s with n flows loses losses[s][n - 1], then 100 %."""
    asked: list[tuple[str, int]] = []

    def measure(points: Points) -> Mapping[tuple[str, int], Sequence[float]]:
        asked.extend(points)
        return {
            (name, n): [losses[name][n - 1] if n <= len(losses[name]) else 100.0]
            for name, n in points
        }

    answers = Searches(measure, most=64, step_by_one=step).run(list(losses), levels)
    assert len(asked) == len(set(asked)), "no point is measured twice"
    return answers


@given(st.lists(st.floats(0, 5), max_size=60).map(sorted), st.floats(0, 5), st.booleans())
def test_monotone_loss(losses: list[float], level: float, step: bool) -> None:
    (served,) = search({"a": losses}, [level], step)
    assert served.flows == sum(loss <= level for loss in losses)
    assert served.monotone


@given(st.lists(st.floats(0, 5), max_size=60), st.floats(0, 5))
def test_any_loss(losses: list[float], level: float) -> None:
    padded = [0.0, *losses, 100.0]
    (found,) = search({"a": losses}, [level], False)
    (first,) = search({"a": losses}, [level], True)
    for served in (found, first):
        assert served.flows is not None
        assert padded[served.flows] <= level < padded[served.flows + 1]
    assert first.flows == next(n for n, loss in enumerate(padded[1:]) if loss > level)


def test_more_than_the_search_goes_up_to() -> None:
    (served,) = search({"a": [0.0] * 64}, [0.1], False)
    assert served.flows is None


def test_not_monotone_is_said() -> None:
    (served,) = search({"a": [0.0, 0.9, 0.0, 0.2, 0.0, 0.0, 0.0, 3.0]}, [1.0], False)
    assert not served.monotone


def test_bisection_needs_few_points() -> None:
    losses = [0.0] * 40 + [1.0] * 24
    for step, most in ((False, 12), (True, 41)):
        asked: list[int] = []

        def measure(points: Points, asked: list[int] = asked) -> dict[tuple[str, int], list[float]]:
            asked += [n for _, n in points]
            return {(name, n): [losses[n - 1]] for name, n in points}

        (served,) = Searches(measure, most=64, step_by_one=step).run(["a"], [0.5])
        assert served.flows == 40
        assert len(asked) <= most


def test_tables_show_the_gain_over_droptail() -> None:
    def record(method: str, level: float, flows: int | None, **more: str) -> dict[str, object]:
        keys = {"method": method, "mode": "safe", "parameters": "", "receivers": "auto"}
        return keys | {"level_percent": level, "flows": flows} | more

    queue = {"settings": "link.bottleneck.queue=60kB"}
    records = [record("droptail", 0.5, 8), record("droptail", 2.0, 0), record("ewt", 0.5, 12)]
    records += [record("ewt", 2.0, None), record("ewt", 0.5, 3, **queue)]
    records += [record("ewt", 2.0, 4, **queue)]
    plain, swept = shown.grids(records, 64)
    assert plain.title == "flows served, receive window autotuned"
    assert plain.headers == ["method", "at 0.5 % loss", "at 2 % loss"]
    assert plain.rows == [["droptail", "8", "0"], ["ewt", "12 (+50 %)", "over 64"]]
    assert swept.title == "flows served, receive window autotuned, link.bottleneck.queue=60kB"
    assert swept.rows == [["ewt", "3", "4"]]


def test_command(penstock: Run, small: Path) -> None:
    arguments = ("capacity", small, "--levels", "0.5,2", "--receivers", "65535", "-j")
    bisected = penstock(*arguments, "--workers", "1")
    assert bisected.returncode == 0, bisected.stderr
    found = [json.loads(line) for line in bisected.stdout.splitlines()]
    assert [(e["method"], e["level_percent"]) for e in found] == [
        (method, level) for method in ("droptail", "ewt") for level in (0.5, 2.0)
    ]
    for entry in found:
        assert entry["seeds"] == 2
        assert entry["next_loss_percent"] > entry["level_percent"]
        assert entry["flows"] == 0 or entry["loss_percent"] <= entry["level_percent"]
    assert penstock(*arguments, "--workers", "2").stdout == bisected.stdout
    for entry in map(json.loads, penstock(*arguments, "--by-one").stdout.splitlines()):
        assert entry["next_loss_percent"] > entry["level_percent"]


@pytest.mark.parametrize("wrong", ["lots", "100", "nan", "0"])
def test_wrong_level(penstock: Run, small: Path, wrong: str) -> None:
    done = penstock("capacity", small, "--levels", f"0.1,{wrong}")
    assert done.returncode == 2
    assert f"--levels {wrong}: must be a loss in percent" in done.stderr


def test_modes_and_swept_values(penstock: Run, small: Path) -> None:
    """Each combination is a search of its own, with the answer that it has alone."""
    search = ["capacity", small, "-m", "droptail,ewt", "--receivers", "65535", "--levels", "2"]
    search += ["--seeds", "1", "--workers", "1", "--most", "16"]
    several = [*search, "--mode", "safe,literal", "--sweep", "link.bottleneck.queue=30kB,60kB"]
    found = [json.loads(line) for line in penstock(*several, "-j").stdout.splitlines()]
    asked = [(each["method"], each["mode"], each["settings"]) for each in found]
    queues = [f"link.bottleneck.queue={size}" for size in ("30kB", "60kB")]
    variants = [("droptail", "safe"), ("ewt", "safe"), ("ewt", "literal")]
    assert asked == [(*variant, queue) for queue in queues for variant in variants]
    assert len({each["flows"] for each in found if each["method"] == "ewt"}) > 1
    alone = penstock(*search, "--mode", "literal", "--set", "link.bottleneck.queue=60kB", "-j")
    assert found[-1] == json.loads(alone.stdout.splitlines()[-1])
    table = penstock(*several)
    assert table.stdout.count("flows served, receive window 65,535 bytes, link.bot") == 2
    assert "ewt literal" in table.stdout
