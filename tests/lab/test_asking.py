# SPDX-License-Identifier: GPL-2.0-only
"""How the command line asks for runs: lists, spans, all."""

from pathlib import Path

import pytest
from lab_support import Run

from penstock.cli import options
from penstock.errors import UsageError
from penstock.plan.cells import Plan
from penstock.runs.wishes import Wishes
from penstock.scenario import params


def plan(small: Path, wishes: Wishes) -> Plan:
    return options.plan(str(small), wishes)[1]


@pytest.mark.parametrize(
    ("flows", "found"),
    [
        (["4-8"], [4, 5, 6, 7, 8]),
        (["4-6,2", "5,9-9"], [4, 5, 6, 2, 9]),
        (["3"], [3]),
    ],
)
def test_flows(small: Path, flows: list[str], found: list[int]) -> None:
    assert plan(small, Wishes(flows=flows)).flows == found


@pytest.mark.parametrize(
    ("seeds", "found"),
    [
        ("3", [1, 2, 3]),
        ("3,7,9", [3, 7, 9]),
        ("4-6", [4, 5, 6]),
        ("7-7", [7]),
        ("3,3", [3]),
        (None, [1, 2]),
    ],
)
def test_seeds(small: Path, seeds: str | None, found: list[int]) -> None:
    assert plan(small, Wishes(seeds=seeds)).seeds == found


def test_all_methods(small: Path) -> None:
    assert plan(small, Wishes(methods=["all"])).methods == list(params.methods())
    assert plan(small, Wishes(methods=["ewt,all"])).methods[0] == "ewt"


@pytest.mark.parametrize(
    ("wishes", "hint"),
    [
        (Wishes(flows=["8-4"]), "-n 8-4: it ends before it begins; write 4-8"),
        (Wishes(flows=["4-"]), "-n 4-: must be a whole number from 1 to 1000000"),
        (Wishes(flows=[""]), "-n: name at least one"),
        (Wishes(flows=["-3"]), "-n -3: must be a whole number"),
        (Wishes(flows=["1-1000000"]), "at most 100,000 numbers"),
        (Wishes(seeds="0"), "--seeds 0: must be a whole number from 1 to 100000"),
        (Wishes(seeds="0000000019999999999"), "must be a whole number from 1 to 100000"),
        (Wishes(seeds="x"), "--seeds x: must be a whole number"),
        (Wishes(seeds=","), "--seeds: name at least one"),
        (Wishes(methods=["al"]), "there is no method 'al'; `penstock methods` lists them"),
        (Wishes(methods=["EWT"]), "there is no method 'EWT'; did you mean 'ewt'"),
        (Wishes(methods=[" "]), "-m: name at least one"),
        (Wishes(receivers=[","]), "--receivers: name at least one"),
        (Wishes(mode=""), "--mode: name at least one"),
    ],
)
def test_mistakes(small: Path, wishes: Wishes, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        plan(small, wishes)
    assert hint in str(caught.value)


def test_several_modes_of_what_rewrites(penstock: Run, small: Path) -> None:
    made = plan(small, Wishes(methods=["droptail", "ewt"], mode="safe,literal", seeds="1"))
    found = [(cell.method, cell.mode) for cell in made.cells() if cell.receivers == "auto"]
    assert found == [("droptail", "safe"), ("ewt", "safe"), ("ewt", "literal")]
    assert len(made.cells()) == made.runs == 6
    done = penstock("run", small, "-m", "ewt", "--mode", "safe,literal", "--receivers", "65535")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("ewt")]
    assert len(lines) == 2
    assert "literal" in lines[0] + lines[1]
    with pytest.raises(UsageError, match="--mode litral: did you mean 'literal'"):
        plan(small, Wishes(mode="safe,litral"))
