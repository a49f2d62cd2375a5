# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of methods in another order in the second backend."""

import pytest

from penstock.columns import NAMES
from penstock.results.agree import orders, shown


def rows(**methods):
    keys = {"mode": "safe", "parameters": "", "receivers": "65535", "flows": 8}
    return [
        dict.fromkeys(NAMES) | keys | {"method": method, "seed": seed, "transfer_s": value}
        for method, values in methods.items()
        for seed, value in enumerate(values)
    ]


AHEAD = rows(ewt=[8.0, 8.1, 8.2], red=[9.0, 9.1, 9.3])
BEHIND = rows(ewt=[9.0, 9.1, 9.2], red=[8.0, 8.2, 8.3])
NOISY = rows(ewt=[9.0, 9.5, 10.0], red=[8.9, 10.4, 8.0])
SINGLE = rows(ewt=[9.0], red=[8.0])
EQUAL = rows(ewt=[9.0, 9.1, 9.2], red=[8.99, 9.08, 9.18])


@pytest.mark.parametrize(
    ("ours", "theirs", "compared", "verdicts"),
    [
        (AHEAD, AHEAD, 1, []),
        (AHEAD, BEHIND, 1, ["flips"]),
        (BEHIND, AHEAD, 1, ["flips"]),
        (AHEAD, NOISY, 1, ["cannot tell"]),
        (AHEAD, SINGLE, 1, ["cannot tell"]),
        (AHEAD, EQUAL, 0, []),
        (AHEAD, rows(ewt=[1.0, 2.0]), 0, []),
    ],
    ids=["same", "flips", "flips back", "noise", "one seed", "no order", "one method"],
)
def test_verdicts(ours, theirs, compared, verdicts):
    count, found = orders.compare(ours, theirs, ["transfer_s"])
    assert count == compared
    assert [each.verdict for each in found] == verdicts


def test_the_difference_is_by_seed():
    """Of values that vary much over seeds but alike, the difference is certain."""
    ours = rows(ewt=[5.0, 9.0, 14.0], red=[6.0, 10.1, 15.2])
    theirs = rows(ewt=[6.0, 10.1, 15.1], red=[5.0, 9.0, 14.1])
    _, (flip,) = orders.compare(ours, theirs, ["transfer_s"])
    assert flip.verdict == "flips"
    assert flip.ours.mean == pytest.approx(-1.1)
    assert flip.theirs.mean == pytest.approx(31.2 / 3 - 28.1 / 3)
    described = flip.describe()
    assert described["order"] == ["ewt", "red"]
    assert (described["runs"], described["verdict"]) == (3, "flips")


def test_the_table_of_flips():
    _, found = orders.compare(AHEAD, BEHIND, ["transfer_s"])
    grid = shown.flips("x", found)
    (row,) = grid.rows
    assert row[:3] == ["8 flows", "ewt less red", "transfer_s"]
    assert (row[3].startswith("-1.033 ± "), row[4].startswith("0.9333 ± ")) == (True, True)
    assert (row[5], len(grid.headers)) == ("flips", 6)
    assert not shown.flips("x", []).rows
