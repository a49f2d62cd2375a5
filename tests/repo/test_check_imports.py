# SPDX-License-Identifier: GPL-2.0-only
"""The import rules hold, and would be missed if they did not."""

from graphlib import TopologicalSorter
from pathlib import Path

import check_imports
import import_rules
import pytest
import rules_page
import tree


def test_the_tree_keeps_its_rules(root: Path) -> None:
    assert check_imports.check(root) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("core/law/x.h", '#include "../rewrite/window.h"'),
        ("core/law/x.h", "#include <stdlib.h>"),
        ("sim/tcp/x.cpp", '#  include "sim/net/queue.h"'),
        ("sim/net/x.cpp", "#include <unistd.h>"),
        ("sim/net/x.cpp", "#include <nanobind/nanobind.h>"),
        ("linux/gateway/bpf/x.c", "#include <vector>"),
        ("linux/gateway/tool/attach/x.cpp", '#include "linux/gateway/bpf/maps.h"'),
        ("penstock/plan/cells.py", "from penstock.cli import run"),
        ("penstock/plan/cells.py", "import penstock.cli.run"),
        ("penstock/plan/cells.py", "import rich"),
        ("penstock/plan/cells.py", "from . import cli"),
        ("penstock/scenario/read.py", "def f():\n    from penstock import workers"),
        ("tools/x.py", "import numpy"),
        ("sim/nowhere/x.h", "#include <vector>"),
    ],
)
def test_a_breach_is_found(tmp_path: Path, path: str, line: str) -> None:
    for name in ("cli/__init__.py", "cli/run.py"):
        (tmp_path / "penstock" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "penstock" / name).touch()
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(line + "\n")
    complaints = check_imports.check(tmp_path)
    assert len(complaints) == 1
    assert complaints[0].startswith(path)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("core/law/x.h", '#include "../queue/queue.h"'),
        ("sim/net/x.cpp", '#include "core/gateway/gateway.h"'),
        ("sim/net/x.cpp", "#include <vector>"),
        ("ns3/model/x.cc", '#include "ns3/object.h"'),
        ("linux/lab/link/x.cpp", "#include <linux/if_tun.h>"),
        ("penstock/cli/run.py", "import json\nimport rich.table"),
    ],
)
def test_what_is_allowed_passes(tmp_path: Path, path: str, line: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(line + "\n")
    assert check_imports.check(tmp_path) == []


def test_no_rooms_may_import_each_other() -> None:
    rooms = [rule.room for rule in import_rules.RULES]
    graph: dict[str, set[str]] = {room: set() for room in rooms}
    for rule in import_rules.RULES:
        for may in rule.may:
            within = {room for room in rooms if may.endswith("/") and room.startswith(may)}
            holder = check_imports.rule_of(may)
            graph[rule.room] |= within | ({holder.room} if holder else set())
        graph[rule.room].discard(rule.room)
    TopologicalSorter(graph).prepare()


def floor_of(room: str) -> int:
    """The floor of a room of the lab, from 1 on; the ground is 0."""
    floors = enumerate(import_rules.FLOORS, 1)
    return next((n for n, rooms in floors if room.startswith(rooms)), 0)


def test_no_arrow_of_the_lab_goes_up() -> None:
    on_floors = [rule for rule in import_rules.RULES if floor_of(rule.room)]
    assert {Path(rule.room).parts[1] for rule in on_floors} == {
        path.name for path in (tree.ROOT / "penstock").iterdir() if (path / "__init__.py").exists()
    }
    for rule in on_floors:
        for may in rule.may:
            same = Path(may).parts[:2] == Path(rule.room).parts[:2]
            assert same or floor_of(may) < floor_of(rule.room), f"{rule.room} may import {may}"


def test_the_architecture_page_shows_the_rules() -> None:
    text = rules_page.PAGE.read_text()
    assert rules_page.PLACE.search(text)
    assert text == rules_page.updated(text), "make docs fixes it"
