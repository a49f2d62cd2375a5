# SPDX-License-Identifier: GPL-2.0-only
"""Method parameters: a user's keys and values, core/'s fields and integers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import _native
from penstock.errors import UsageError
from penstock.runs.wishes import set_params
from penstock.scenario import params


def every() -> list[tuple[params.Described, _native.Param]]:
    """All parameters of all methods."""
    methods: tuple[params.Described, ...] = (*params.methods().values(), *_native.senders())
    return [(method, param) for method in methods for param in method.params]


@given(st.data())
def test_shown_value_reads_back(data: st.DataObject) -> None:
    method, param = data.draw(st.sampled_from(every()))
    value = data.draw(st.integers(param.min, param.max))
    shown = params.show(param.unit, value)
    assert params.resolve(method, {params.user_key(param.name): shown}) == {param.name: value}


def test_spellings_of_a_key() -> None:
    ewt, ewa = params.methods()["ewt"], params.methods()["ewa"]
    for key, value in (("start_bytes", 29000), ("start_bytes", "29kB"), ("start", "29kB")):
        assert params.resolve(ewt, {key: value}) == {"start_bytes": 29000}
    assert params.resolve(ewa, {"weight": 0.0078125}) == {"weight_q32": 1 << 25}
    assert params.resolve(ewa, {"interval": "10ms"}) == {"interval_ns": 10_000_000}


@pytest.mark.parametrize(
    ("method", "given_", "message"),
    [
        ("ewt", {"stat_bytes": 1}, "did you mean 'start_bytes'"),
        ("ewt", {"start": 3}, "a unit is missing"),
        ("ewt", {"start_bytes": -3}, "out of range"),
        ("ewt", {"start_bytes": "1.5B"}, "finer than one B"),
        ("ewt", {"start": "1kB", "start_bytes": "2kB"}, "twice"),
        ("red", {"max_p": 2.0}, "from 0 to 1"),
        ("red", {"max_p": float("nan")}, "not a finite number"),
        ("red", {"max_p": "1e999999"}, "out of range"),
        ("red", {"gentle": "perhaps"}, "neither true nor false"),
    ],
)
def test_wrong_parameter(method: str, given_: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        params.resolve(params.methods()[method], given_)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("ewt.strat", "did you mean 'ewt.start_bytes'?"),
        ("lnk.x", "did you mean 'link'?"),
        (
            "frobs",
            "`penstock methods METHOD` lists a method's, docs/scenario-format.md a scenario's",
        ),
    ],
)
def test_unknown_key_of_set_names_near_ones_or_where_all_are(key: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        set_params([(key, "3")], ["red", "ewt"])
    assert str(caught.value) == f"--set {key}: unknown key; {hint}"


def test_defaults_are_in_range() -> None:
    for _, param in every():
        value = params.default(param, 97_000)
        assert value is not None
        assert param.min <= value <= param.max
