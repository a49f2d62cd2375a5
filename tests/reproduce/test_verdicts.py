# SPDX-License-Identifier: GPL-2.0-only
"""A paper's statements beside ours: decided where seeds decide, and else said to be open."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS
from penstock.results.judge import Judged
from penstock.results.stats import mean
from penstock.results.tables import Line
from penstock.scenario.statements import Paper
from penstock.view.plots.data import Data
from penstock.view.report.paper import compare, tally

COLUMN = "loss_percent"
WHERE = {"figure": "Fig. 1", "source": "text", "column": COLUMN, "method": "ewt"}


def _line(method: str, values: Sequence[float]) -> Line:
    by_seed = dict(enumerate(values, start=1))
    means = {COLUMN: mean(list(values))}
    return Line("65535", 4, method, "safe", "", method, {COLUMN: by_seed}, means)


def _judged(stated: dict[str, Any], **values: Sequence[float]) -> Judged:
    paper = Paper.model_validate({"name": "p", **stated})
    data = Data({}, [_line(*each) for each in values.items()], 2, {}, [], paper)
    (found,) = compare(data)
    assert tally([found], "65535")[found.ours["65535"].verdict] == 1
    return found.ours["65535"].judged


def _verdict(stated: dict[str, Any], **values: Sequence[float]) -> str:
    return _judged(stated, **values).verdict


@pytest.mark.parametrize(
    ("relation", "ewt", "droptail", "verdict"),
    [
        ("lowest", [1.0, 1.1, 0.9], [3.0, 3.1, 2.8], AGREES),
        ("lowest", [3.0, 3.1, 2.8], [1.0, 1.1, 0.9], DIFFERS),
        # Smaller in the mean, but not beyond chance.
        ("lowest", [1.0, 2.0, 3.0], [2.0, 2.1, 2.2], CANNOT_TELL),
        ("lowest", [1.0], [3.0], CANNOT_TELL),
        # Far apart from seed to seed, yet always by one: pairs tell what means do not.
        ("lowest", [1.0, 5.0, 9.0], [2.0, 6.1, 10.0], AGREES),
        ("lowest", [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], DIFFERS),
        ("highest", [3.0, 3.1, 2.8], [1.0, 1.1, 0.9], AGREES),
        ("similar", [2.0, 2.1, 1.9], [2.0, 2.0, 2.1], CANNOT_TELL),
        ("similar", [2.0, 2.01, 1.99], [2.0, 2.0, 2.01], AGREES),
        ("similar", [2.0, 2.1, 1.9], [5.0, 5.1, 5.2], DIFFERS),
        ("similar", [1.0, 5.0, 3.0], [6.0, 2.0, 4.0], CANNOT_TELL),
        ("similar", [2.0], [2.0], CANNOT_TELL),
    ],
)
def test_orders(
    relation: str, ewt: Sequence[float], droptail: Sequence[float], verdict: str
) -> None:
    order = {**WHERE, "flows": [4], "relation": relation, "others": ["droptail"]}
    assert _verdict({"order": [order]}, ewt=ewt, droptail=droptail) == verdict


def test_one_method_against_is_enough() -> None:
    order = {**WHERE, "flows": [4], "relation": "lowest", "others": ["droptail", "red", "awm"]}
    values = {"ewt": [2.0, 2.1, 1.9], "droptail": [9.0, 9.1, 9.2]}
    near, less = [2.0, 2.2, 1.9], [1.0, 1.1, 0.9]
    assert _verdict({"order": [order]}, **values, red=near, awm=values["droptail"]) == CANNOT_TELL
    assert _verdict({"order": [order]}, **values, red=near, awm=less) == DIFFERS


@pytest.mark.parametrize(
    ("relation", "value", "values", "verdict"),
    [
        ("equal", 2.0, [2.0, 2.05, 1.95], AGREES),
        ("equal", 2.0, [2.0, 2.1, 1.9], CANNOT_TELL),
        ("equal", 2.5, [2.0, 2.01, 1.99], DIFFERS),
        ("equal", 3.0, [2.0, 2.1, 1.9], DIFFERS),
        ("equal", 2.0, [2.0], CANNOT_TELL),
        # An interval that reaches anything.
        ("equal", 2.0, [1.0, 9.0], CANNOT_TELL),
        ("equal", 2.0, [1.0, 3.0], CANNOT_TELL),
        ("at most", 3.0, [2.0, 2.1, 1.9], AGREES),
        ("at most", 1.0, [2.0, 2.1, 1.9], DIFFERS),
        ("at most", 2.1, [2.0, 2.3, 1.7], CANNOT_TELL),
        ("at least", 1.0, [2.0, 2.1, 1.9], AGREES),
        ("at least", 3.0, [2.0, 2.1, 1.9], DIFFERS),
        ("at least", 1.9, [2.0, 2.3, 1.7], CANNOT_TELL),
        ("at most", 0.0, [0.0, 0.0], AGREES),
    ],
)
def test_values(relation: str, value: float, values: Sequence[float], verdict: str) -> None:
    stated = {**WHERE, "flows": 4, "relation": relation, "value": value}
    assert _verdict({"value": [stated]}, ewt=values) == verdict


@pytest.mark.parametrize(
    ("relation", "decisive"),
    [("equal", 0.4), ("at most", 0.45), ("at least", 0.35)],  # the digit; to 2.4 and to 1.6
)
def test_so_many_seeds_tell(relation: str, decisive: float) -> None:
    stated = {**WHERE, "flows": 4, "relation": relation, "value": 2.0, "tolerance": 0.4}
    values = [1.0, 1.95, 2.9]
    ours = mean(values)
    assert ours is not None
    assert ours.half is not None
    needed = math.ceil(3 * (ours.half / decisive) ** 2)
    assert _judged({"value": [stated]}, ewt=values).needed == needed


@pytest.mark.parametrize(
    ("ewt", "verdict"),
    [
        ([7.5, 7.6, 7.4], AGREES),
        ([5.0, 5.1, 4.9], DIFFERS),
        ([9.0, 9.1, 8.9], DIFFERS),
        ([6.0, 8.0, 7.0], CANNOT_TELL),
        ([7.5], CANNOT_TELL),
    ],
)
def test_changes(ewt: Sequence[float], verdict: str) -> None:
    change = {**WHERE, "flows": [4], "others": ["droptail"], "change_percent": -25, "tolerance": 5}
    droptail = [10.0, 10.0, 10.0][: len(ewt)]
    assert _verdict({"change": [change]}, ewt=ewt, droptail=droptail) == verdict


def test_the_papers_runs_tell_its_own_interval() -> None:
    """Ten runs of ours reach 0.25 on either side, and thirty 0.13."""
    stated = {**WHERE, "flows": 4, "value": 2.52}
    values = [1.9, 2.0, 2.3, 2.8, 2.5, 2.1, 1.7, 2.4, 2.6, 2.2]
    assert _verdict({"value": [stated]}, ewt=values) == DIFFERS
    assert _verdict({"value": [stated], "runs": 30}, ewt=values) == AGREES


def _by_flows(values: dict[int, Sequence[float]], stated: dict[str, Any]) -> str:
    lines = [replace(_line("ewt", each), flows=flows) for flows, each in values.items()]
    lines += [replace(_line("droptail", [10.0] * 3), flows=flows) for flows in values]
    paper = Paper.model_validate({"name": "p", **stated})
    (found,) = compare(Data({}, lines, 3, {}, [], paper))
    return found.ours["65535"].verdict


@pytest.mark.parametrize(
    ("relation", "last", "verdict"),
    [
        ("rises", [3.0, 3.1, 2.9], AGREES),
        ("falls", [3.0, 3.1, 2.9], DIFFERS),
        ("rises", [2.0, 2.1, 1.9], CANNOT_TELL),
        ("rises", [1.0, 1.1, 0.9], DIFFERS),
        ("rises", [3.0], CANNOT_TELL),
    ],
)
def test_trends(relation: str, last: Sequence[float], verdict: str) -> None:
    trend = {**WHERE, "flows": [4, 8, 12], "relation": relation}
    values = {4: [1.0, 1.1, 0.9], 8: [2.0, 2.1, 1.9], 12: last}
    assert _by_flows(values, {"trend": [trend]}) == verdict


@pytest.mark.parametrize(("most", "verdict"), [(6.5, AGREES), (5.0, DIFFERS), (9.0, DIFFERS)])
def test_the_largest_change_is_the_papers(most: float, verdict: str) -> None:
    change = {**WHERE, "flows": [4, 8], "others": ["droptail"], "change_percent": -35}
    stated = {"change": [{**change, "tolerance": 0.5, "up_to": True}]}
    values = {4: [8.0, 8.0, 8.0], 8: [most, most + 0.01, most - 0.01]}
    assert _by_flows(values, stated) == verdict
