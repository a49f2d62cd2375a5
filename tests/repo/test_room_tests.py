# SPDX-License-Identifier: GPL-2.0-only
"""Which tests `make test ROOM=...` runs."""

import sys

import pytest
import tree

sys.path.insert(0, str(tree.ROOT / "tools"))
import room_tests


@pytest.mark.parametrize(
    ("room", "test"),
    [
        ("core/law", "tests/core/penstock_floor_test.cpp"),
        ("core/law", "tests/core/test_penstock_growth.py"),
        ("core/sender/scalable_westwood.h", "tests/core/test_scalable_westwood.py"),
        ("sim/tcp", "tests/sim/tcp/congestion_control_test.cpp"),
        ("penstock/view", "tests/lab/test_figures.py"),
        ("linux/gateway/tool/auto", "tests/gateway/auto_test.cpp"),
        ("tests/lab", "tests/lab/test_law.py"),
    ],
)
def test_a_room_has_its_tests(room: str, test: str) -> None:
    files = room_tests.room_of(room)
    assert tree.ROOT / test in {*room_tests.cpp_of(files), *room_tests.python_of(files)}


def test_a_room_leaves_out_what_only_runs_it() -> None:
    tests = room_tests.python_of(room_tests.room_of("penstock/results"))
    assert not [each for each in tests if "live" in each.parts or "reproduce" in each.parts]


def test_an_unknown_room_names_one_that_is_near() -> None:
    with pytest.raises(SystemExit, match=r"no folder or file .* near it: core/law"):
        room_tests.room_of("sim/law")
