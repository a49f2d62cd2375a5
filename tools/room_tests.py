# SPDX-License-Identifier: GPL-2.0-only
"""Runs the tests of one room: `make test ROOM=core/law`, or sim/tcp, penstock/view, tests/lab.

C++ tests that include a header of the room, the nearest test of each header of core/, tests in
Python that import a module of the room or have the name of one of its files, and what is checked
of its files. A whole run has what this leaves out: proofs, and tests that run the room's code
through something else.
"""

import ast
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import edit_to_test
from junit import Tally, read
from run_tests import (
    BUILD,
    ENV,
    JOBS,
    has_built,
    honest,
    pytest,
    quiet,
    report,
    say,
    with_tests,
)
from tree import ROOT, files

FOLDER: Final = "room"
_SUITE: Final = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),", re.MULTILINE)
_INCLUDE: Final = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
_LIVE: Final = ("tests/live", "tests/gateway")
_LONG: Final = (*_LIVE, "tests/reproduce", "papers")  # run if they are the room, or have its name
_OF_FOLDER: Final = {"sim": "sim_tests", "gateway": "gateway_tests", "linux": "live_tests"}
_FORMATTED: Final = (("ruff", "check", "--quiet"), ("ruff", "format", "--quiet", "--check"))


def room_of(name: str) -> list[Path]:
    """The files of a room; SystemExit with what would be right if there are none."""
    path = (ROOT / name).resolve()
    found = [each for each in files() if each == path or path in each.parents]
    if path == ROOT or not found:
        rooms = sorted({str(each.relative_to(ROOT).parent) for each in files()} - {"."})
        near = [each for each in rooms if Path(name).name in each][:5]
        hint = f"; near it: {', '.join(near)}" if near else ""
        sys.exit(f"ROOM={name}: no folder or file of the tree, such as core/law{hint}")
    return found


def included(test: Path) -> Iterator[Path]:
    """The headers that a source includes itself."""
    for name in _INCLUDE.findall(test.read_text()):
        for base in (test.parent, ROOT):
            if (base / name).is_file():
                yield (base / name).resolve()


def cpp_of(room: list[Path]) -> list[Path]:
    """The C++ tests of a room."""
    own = set(room)
    tests = [each for each in files() if each.name.endswith("_test.cpp")]
    found = {each for each in tests if each in own or own & set(included(each))}
    headers = [each for each in room if each.suffix == ".h" and edit_to_test.CORE in each.parents]
    found |= {each for each in map(edit_to_test.test_of, headers) if each.suffix == ".cpp"}
    return sorted(found)


def imported(test: Path) -> set[str]:
    """The modules of which a test has something."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(test.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def python_of(room: list[Path]) -> list[Path]:
    """The tests of a room that pytest runs."""
    own = set(room)
    modules = {
        str(each.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__")
        for each in room
        if each.suffix == ".py"
    }
    parts = (each.relative_to(ROOT).parts[0] for each in room)
    where = {"core": "core", "sim": "sim", "ns3": "ns3", "linux": "gateway"}
    folders = {where[part] for part in parts if part in where}
    stems = {each.stem.replace("-", "_") for each in room}
    alike = re.compile(rf"test_({'|'.join(map(re.escape, sorted(stems)))})(_\w+)?")

    def belongs(test: Path) -> bool:
        has_name = test.parent.name in folders and alike.fullmatch(test.stem)
        is_long = str(test.relative_to(ROOT)).startswith(_LONG)
        return bool(test in own or has_name or (not is_long and modules & imported(test)))

    tests = (each for each in files() if each.suffix == ".py" and each.name.startswith("test_"))
    return sorted(filter(belongs, tests))


def program_of(test: Path) -> str:
    """The binary that a source is part of."""
    folder = test.relative_to(ROOT / "tests").parts[0]
    return _OF_FOLDER.get(folder, test.stem)


def run_cpp(tests: list[Path]) -> Tally:
    """Builds the binaries, and runs the suites of these sources."""
    suites: dict[str, set[str]] = {}
    for test in tests:
        suites.setdefault(program_of(test), set()).update(_SUITE.findall(test.read_text()))
    if not has_built(FOLDER, "help", *with_tests()):
        return Tally(failed=["configuring the C++ tests"])
    build = ["cmake", "--build", str(BUILD / FOLDER), "-j", JOBS, "-t", *suites]
    if not quiet(BUILD / FOLDER / "build.log", build):
        return Tally(failed=["building the C++ tests"])
    tally = Tally()
    for program, names in sorted(suites.items()):
        junit = BUILD / FOLDER / f"{program}.xml"
        junit.unlink(missing_ok=True)
        wanted = ":".join(f"{name}.*:*/{name}.*" for name in sorted(names))
        run = [str(BUILD / FOLDER / program), f"--gtest_filter={wanted}"]
        ended_well = quiet(BUILD / FOLDER / f"{program}.log", [*run, f"--gtest_output=xml:{junit}"])
        tally += honest(read(junit), ended_well, program)
    return tally


def run_python(tests: list[Path]) -> Tally:
    """At once, but those that run in real time."""
    names = [str(each.relative_to(ROOT)) for each in tests]
    live = [each for each in names if each.startswith(_LIVE)]
    rest = [each for each in names if each not in live]
    tally = Tally()
    if rest:
        tally += pytest("pytest-room", "-n", JOBS, "-m", "not nightly", *rest)
    if live:
        tally += pytest("pytest-room-live", "-m", "not nightly", *live)
    return tally


def run_checks(room: list[Path]) -> Tally:
    """The style of the room's files in Python."""
    sources = [str(each) for each in room if each.suffix == ".py"]
    tally = Tally()
    for command in _FORMATTED if sources else ():
        done = subprocess.run([*command, *sources], cwd=ROOT, env=ENV, check=False)
        if done.returncode:
            tally.failed.append(" ".join(command[:2]))
        else:
            tally.passed += 1
    return tally


def run(name: str) -> int:
    """Exit code 0 if something passed and nothing failed."""
    started = time.monotonic()
    room = room_of(name)
    cpp, python = cpp_of(room), python_of(room)
    if not cpp and not python:
        sys.exit(f"ROOM={name}: no test includes or imports it; `make test` runs what uses it")
    for each in (*cpp, *python):
        say(str(each.relative_to(ROOT)))
    total = run_checks(room)
    total += run_cpp(cpp) if cpp else Tally()
    total += run_python(python) if python else Tally()
    seconds = time.monotonic() - started
    return report(total, f" ({seconds:.0f} s; proofs and other rooms: make test)")


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
