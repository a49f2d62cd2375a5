# SPDX-License-Identifier: GPL-2.0-only
"""What a report says was found: differences by seed, and none where there is none."""

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.columns import NAMES
from penstock.results import stats
from penstock.results.tables import labels, same_for_all_seeds, summarise
from penstock.view.plots.data import Data
from penstock.view.report import headline


def rows(method: str, losses: Sequence[float], transfers: Sequence[float]) -> list[dict[str, Any]]:
    """Runs of one method with seeds 1, 2 and so on."""
    same = dict.fromkeys(NAMES) | {"method": method, "mode": "safe", "parameters": ""}
    same |= {"receivers": "65535", "flows": 3, "goodput_mbps_total": 1.0, "wall_s": 0.1}
    return [
        same | {"seed": seed, "loss_percent": loss, "transfer_s_max": transfer}
        for seed, (loss, transfer) in enumerate(zip(losses, transfers, strict=True), start=1)
    ]


def sentence(*runs: list[dict[str, Any]]) -> str:
    """The headline of these runs."""
    lines = summarise(row for each in runs for row in each)
    (found,) = headline.sentences(Data({}, lines, 0, {}, [], None))
    return found.text


def test_no_difference_is_called_so() -> None:
    """Means of 0.19 and 0.8 whose differences by seed go both ways."""
    found = sentence(
        rows("droptail", [0.0, 2.0, 0.4], [1, 1, 1]), rows("ewt", [0.1, 0.07, 0.4], [1, 1, 1])
    )
    assert (
        "there is no difference within the 95 % intervals between EWT, which loses 0.19 %" in found
    )
    assert "drop-tail, which loses 0.8 %" in found


def test_a_difference_by_seed_counts_where_intervals_overlap() -> None:
    """Seeds vary more than methods do: only the differences by seed show it."""
    losses = [1.0, 5.0, 9.0, 3.0]
    base, ours = rows("droptail", losses, losses), rows("ewt", [x - 0.5 for x in losses], losses)
    one, other = summarise([*base, *ours])
    means = one.means["loss_percent"], other.means["loss_percent"]
    assert not stats.apart(*means)  # type: ignore[arg-type]
    found = sentence(base, ours)
    assert "EWT loses 4 % of the packets, where drop-tail loses 4.5 % of the packets" in found
    assert "the link carries as much and the slowest transfer takes as long" in found


def test_the_slowest_is_not_told_where_some_never_finish() -> None:
    """Their times would be the longest, and are in no column."""
    base = [row | {"unfinished": 2} for row in rows("droptail", [5, 6, 5], [9, 10, 9])]
    found = sentence(base, rows("ewt", [1, 2, 1], [12, 13, 12]))
    assert "the link carries as much" in found
    assert "slowest" not in found


def test_one_seed_is_no_proof() -> None:
    found = sentence(rows("droptail", [2.0], [10.0]), rows("ewt", [1.0], [12.0]))
    assert "EWT loses 1 % of the packets, where drop-tail loses 2 %" in found
    assert "one seed" in found


def test_more_loss_is_no_finding() -> None:
    found = sentence(rows("droptail", [1, 2, 3], [1, 1, 1]), rows("ewt", [2, 3, 4], [1, 1, 1]))
    assert "no method loses less than drop-tail" in found


def test_differences_are_of_common_seeds() -> None:
    found = stats.paired({1: 3.0, 2: 5.0, 9: 100.0}, {2: 4.0, 1: 1.0, 7: 0.0})
    assert found is not None
    assert (found.mean, found.count) == (1.5, 2)
    assert stats.paired({1: 1.0}, {2: 1.0}) is None


def test_variants_are_told_apart() -> None:
    plain, other, mode = ("ewt", "safe", ""), ("ewt", "safe", "g=1"), ("awm", "safe", "a=2")
    assert labels([plain, other, mode]) == {plain: "ewt", other: "ewt g=1", mode: "awm"}
    literal = ("ewt", "literal", "")
    assert labels([plain, literal]) == {plain: "ewt safe", literal: "ewt literal"}


@pytest.mark.parametrize(("losses", "same"), [([1, 1], ["ewt"]), ([1, 2], []), ([1], [])])
def test_seeds_that_change_nothing(losses: list[float], same: list[str]) -> None:
    other = rows("red", [1, 2, 3], [1, 1, 1])
    times = [1.0] * len(losses)
    runs = rows("ewt", losses, times)
    for number, row in enumerate(runs):
        row["wall_s"] = float(number)
    assert same_for_all_seeds([*other, *runs]) == same


def test_the_slowest_and_the_total_are_told() -> None:
    """A mean of flows would reward what starves some."""
    base, ours = (
        rows("droptail", [6.0, 7.0, 6.5], [250.0, 251.0, 249.0]),
        rows("ewt", [0.0, 0.0, 0.0], [240.0, 241.0, 239.0]),
    )
    for each in ours:
        each["goodput_mbps_total"] = 1.02
    found = sentence(base, ours)
    assert "with EWT, the link carries 2 % more and the slowest transfer takes 4 % less" in found
