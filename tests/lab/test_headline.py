# SPDX-License-Identifier: GPL-2.0-only
"""What a report says was found: differences by seed, and none where there is none."""

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.columns import NAMES
from penstock.results import differences, stats
from penstock.results.tables import Shown, labels, same_for_all_seeds, summarise
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


def test_what_seeds_do_not_tell_is_called_so() -> None:
    """Means of 0.19 and 0.8 whose differences by seed go both ways: that is no sameness."""
    found = sentence(
        rows("droptail", [0.0, 2.0, 0.4], [1, 1, 1]), rows("ewt", [0.1, 0.07, 0.4], [1, 1, 1])
    )
    assert "3 seeds do not tell whether EWT, which loses 0.19 % of the packets, loses" in found
    assert "less than drop-tail, which loses 0.8 %" in found


def test_what_is_within_the_margin_is_the_same() -> None:
    base, ours = rows("droptail", [5, 5.01, 4.99], [9, 9, 9]), rows("ewt", [5, 5, 5], [9, 9.1, 9])
    found = sentence(base, ours)
    assert "EWT loses 5 % of the packets, and drop-tail loses 5 % of the packets: the same" in found
    assert "the slowest transfer takes as long" in found


def test_nothing_is_as_long_whose_interval_spans_a_lot() -> None:
    """Slowest transfers of 5 to 9 s and 9 to 5 s: their means are equal, and tell nothing."""
    base, ours = rows("droptail", [6, 7, 6], [5, 9, 7]), rows("ewt", [1, 1, 1], [9, 5, 7])
    for each, mbps in zip(ours, (0.7, 1.4, 1.0), strict=True):
        each["goodput_mbps_total"] = mbps
    found = sentence(base, ours)
    assert "3 seeds do not tell whether it carries more or less" in found
    assert "3 seeds do not tell whether the slowest transfer takes longer" in found
    assert "as much" not in found
    assert "as long" not in found


def test_all_that_seeds_do_not_tell_from_the_best_are_named() -> None:
    base = rows("droptail", [0.0, 2.0, 0.4], [1, 1, 1])
    same = [rows(name, [0.0, 0.0, 0.0], [1, 1, 1]) for name in ("ewt", "penstock")]
    found = sentence(base, *same)
    assert "do not tell whether EWT and penstock, which lose no packet, lose less than" in found


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


@pytest.mark.parametrize(
    ("ours", "text"),
    [([100, 101, 99], "="), ([60, 100, 140], "+0 ± 101"), ([150, 151, 149], "+50 ± 0")],
)
def test_a_difference_is_the_same_only_within_the_margin(ours: list[float], text: str) -> None:
    """An interval that holds 0 and spans a hundred per cent is shown: it is no sameness."""
    shown = Shown("transfer_s_max", "slowest s", 0, rank=1)
    base, line = summarise(
        [*rows("droptail", [1] * 3, [100, 101, 99]), *rows("ewt", [1] * 3, ours)]
    )
    assert differences.text(shown, line, base) == text


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
