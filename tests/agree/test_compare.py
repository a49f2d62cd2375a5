# SPDX-License-Identifier: GPL-2.0-only
"""The comparison of two backends' rows."""

import numpy as np
import pytest
from scipy import stats

from penstock.api.agreement import Extent
from penstock.api.agreement import plan as _plan
from penstock.columns import NAMES
from penstock.results.agree import compare, shown
from penstock.runs.console import Silent
from penstock.runs.wishes import Wishes


def rows(column, values, method="ewt"):
    keys = {"mode": "safe", "parameters": "", "receivers": "65535", "flows": 8, "method": method}
    return [
        dict.fromkeys(NAMES) | keys | {"seed": seed, column: value}
        for seed, value in enumerate(values)
    ]


def only(ours, theirs, column="transfer_s"):
    (found,) = compare.compare(rows(column, ours), rows(column, theirs), [column])
    return found


def test_interval_is_welchs():
    draw = np.random.default_rng(3)
    ours, theirs = draw.normal(10, 1, 12), draw.normal(11, 3, 7)
    expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    found = only(list(ours), list(theirs))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.difference == pytest.approx(ours.mean() - theirs.mean())


@pytest.mark.parametrize(
    ("ours", "theirs", "column", "verdict"),
    [
        ([9.0, 11.0, 10.0], [10.5, 9.5, 11.0], "transfer_s", "cannot tell"),  # 40 % wide
        ([10.0, 10.01, 10.02], [10.2, 10.21, 10.22], "transfer_s", "same"),
        ([10.0, 10.01, 10.02], [10.5, 10.51, 10.52], "transfer_s", "differs"),
        ([10.0, 10.4, 10.2], [10.4, 10.8, 10.55], "transfer_s", "cannot tell"),
        ([0.0, 0.001, 0.0], [0.011, 0.012, 0.011], "loss_percent", "same"),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], "loss_percent", "same"),
        ([1.0], [1.02], "transfer_s", "cannot tell"),
        ([1.0], [1.2], "transfer_s", "cannot tell"),
    ],
)
def test_verdicts(ours, theirs, column, verdict):
    assert compare.verdict(only(ours, theirs, column)) == verdict


def test_tables_are_plain_text_by_load():
    """Of 12 and of 8 flows; a single run has no interval, and jain no unit."""
    few = [1200.0, 1300.0, 1100.0]
    ours = rows("goodput_mbps", few) + [each | {"flows": 12} for each in rows("jain", [0.5])]
    theirs = rows("goodput_mbps", [2.0, 2.1, 2.3])
    theirs += [each | {"flows": 12} for each in rows("jain", [1.0])]
    eight, twelve = shown.pairs("x", compare.compare(ours, theirs, ["goodput_mbps", "jain"]))
    assert (eight.title, twelve.title) == (
        "x: 8 flows, receive window 65,535 bytes",
        "x: 12 flows, receive window 65,535 bytes",
    )
    (row,) = eight.rows
    assert row[:3] == ["ewt", "goodput_mbps Mbit/s", "1,200"]
    assert row[4].endswith(" (+99.8 %)")
    assert row[6] == "differs"
    assert twelve.rows == [["ewt", "jain", "0.5", "1", "-0.5 (-50.0 %)", "-", "cannot tell"]]
    assert len(row) == len(eight.headers)


def test_what_one_side_lacks_is_left_out():
    assert not compare.compare(rows("jain", [1.0]), rows("jain", [1.0], "red"), ["jain"])
    assert not compare.compare(
        rows("transfer_s", [None]), rows("transfer_s", [1.0]), ["transfer_s"]
    )


def test_plan_has_all_receivers_of_the_scenario():
    _, plan = _plan("ewt-2019/scenario-1", Extent(Wishes(), quick=True), Silent())
    assert list(plan.receivers) == ["65535", "auto"]
    assert (list(plan.flows), len(plan.seeds)) == ([8], 5)


def test_runs_with_other_settings_are_not_pooled():
    slow, fast = (
        [{**row, "link.bottleneck.rate": rate} for row in rows("transfer_s", [value, value])]
        for rate, value in (("1mbit", 9.0), ("9mbit", 1.0))
    )
    found = compare.compare(slow + fast, slow, ["transfer_s"])
    assert [(each.line.settings, compare.verdict(each)) for each in found] == [
        ("link.bottleneck.rate=1mbit", "same")
    ]


def test_modes_and_parameters_are_not_pooled():
    safe = rows("transfer_s", [1.0, 1.0])
    literal = [{**row, "mode": "literal", "transfer_s": 9.0} for row in safe]
    early = [{**row, "parameters": "start_bytes=9kB", "transfer_s": 5.0} for row in safe]
    every = [*safe, *literal, *early]
    found = [compare.describe(each) for each in compare.compare(every, every, ["transfer_s"])]
    assert [(each["mode"], each["parameters"], each["sim"]) for each in found] == [
        ("safe", "", 1.0),
        ("literal", "", 9.0),
        ("safe", "start_bytes=9kB", 5.0),
    ]


def test_plan_takes_modes_and_swept_values():
    sweep = ["link.bottleneck.queue=60kB,97kB"]
    asked = Wishes(["ewt"], ["8"], ["65535"], "2", mode="safe,literal", sweeps=sweep)
    _, plan = _plan("ewt-2019/scenario-1", Extent(asked, quick=True), Silent())
    assert plan.runs == 8
    assert {(cell.mode, *cell.settings.values()) for cell in plan.cells()} == {
        (mode, size) for mode in ("safe", "literal") for size in ("60kB", "97kB")
    }
