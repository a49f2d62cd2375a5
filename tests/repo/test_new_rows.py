# SPDX-License-Identifier: GPL-2.0-only
"""A new column is a row of core/tables/ and the line that counts it.

Rows are added to a copy of the table. The hosts' own sources are then compiled against it, and
the lab makes its columns of the copy's rows.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import pytest

from penstock.errors import UserError
from penstock.runs.backends import ns3_runner

ROOT = Path(__file__).resolve().parents[2]
DUMMIES = Path(__file__).parent / "dummies"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
COUNTERS = {
    "PST_SENDER_COUNTERS": 'dummy_sends, "segments", ALL, PST_COLUMN("low"), "Dummies", "RFC 0"',
    "PST_RECEIVER_COUNTERS": 'dummy_arrivals, "bytes", SIM, PST_COLUMN(""), "Bytes of them", ""',
    "PST_QUEUE_COUNTERS": 'dummy_packets, "packets", ALL, PST_COLUMN("high"), "Queued ones", ""',
}
COLUMNS = {
    "dummy_sends": ["segments", "Dummies, all TCP flows (RFC 0).", "senders", "low"],
    "dummy_arrivals": ["bytes", "Bytes of them, all TCP flows.", "receivers", ""],
    "dummy_packets": ["packets", "Queued ones.", "measured queue", "high"],
}
COUNTED = {  # by source: a line, and the counter that is counted beside it
    "sim/tcp/output.cpp": ("++t.counters.retransmissions;", "++t.counters.dummy_sends;"),
    "sim/tcp/receiver.cpp": ("++counters_.segments_received;", "++counters_.dummy_arrivals;"),
    "sim/net/queue.cpp": ("++counters_.arrivals;", "++counters_.dummy_packets;"),
    "ns3/lab/flows.cc": ("++books->timeouts;", "++books->dummy_sends;"),
    "ns3/lab/queue-books.cc": ("++m_counters.marks;", "++m_counters.dummy_packets;"),
}
NS3 = ["ns3/lab/flows.cc", "ns3/lab/queue-books.cc", "ns3/lab/report.cc"]
SIMULATOR = [
    *("sim/tcp/output.cpp", "sim/tcp/receiver.cpp", "sim/net/queue.cpp", "sim/net/books.cpp"),
    "sim/python/result_to_numpy.cpp",
]


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{path}: {old}"
    path.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for room in ("core", "sim", "ns3"):
        shutil.copytree(ROOT / room, root / room)
    table = root / "core/tables/counters.h"
    for macro, row in COUNTERS.items():
        head = next(line for line in table.read_text().splitlines() if f"{macro}(C)" in line)
        _edit(table, head, f"{head}\n\tC({row}) \\")
    for source, (line, count) in COUNTED.items():
        _edit(root / source, line, f"{line} {count}")
    return root


def _compile(copy: Path, *command: str) -> None:
    done = subprocess.run(
        ["g++", "-std=c++20", *command], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", SIMULATOR)
def test_the_simulator_takes_new_counters_as_it_is(copy: Path, source: str) -> None:
    foreign = (sysconfig.get_path("include"), nanobind.include_dir())
    places = ["-I.", "-DPST_LINKED", *(f"-isystem{place}" for place in foreign)]
    _compile(copy, *WARNINGS, *places, "-fsyntax-only", source)


@pytest.mark.parametrize("source", NS3)
def test_the_lab_in_ns3_takes_new_counters_as_it_is(copy: Path, source: str) -> None:
    try:
        include = ns3_runner.prefix() / "include"
    except UserError as missing:
        pytest.skip(str(missing))
    module = copy / "module/ns3"  # as which ns-3 installs the module's headers
    module.mkdir(parents=True, exist_ok=True)
    for header in (copy / "ns3/model").glob("*.h"):
        shutil.copy(header, module)
    places = ["-I.", "-Imodule", f"-isystem{include}"]
    _compile(copy, *places, "-fsyntax-only", source)


def test_rows_become_columns(copy: Path) -> None:
    program = copy / "rows"
    _compile(copy, *WARNINGS, "-I.", str(DUMMIES / "rows.cpp"), "-o", str(program))
    rows = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    (copy / "rows.json").write_text(rows)
    done = subprocess.run(
        [sys.executable, DUMMIES / "lab_rows.py", copy / "rows.json"],
        env={"PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name, column in COLUMNS.items():
        assert found["columns"][name] == column
        assert f"| `{name}` | {column[0]} | {column[1]} | {column[2]} |" in found["page"]
    assert {name: found["values"][name] for name in COLUMNS} == {
        "dummy_sends": 5,
        "dummy_arrivals": 5,
        "dummy_packets": 7,
    }
    assert found["flows"]["dummy_sends"] == found["flows"]["dummy_arrivals"] == [2, 3]
    assert found["types"]["dummy_sends"] == "Int64"
    assert "| `dummy_arrivals` | bytes | Bytes of them. |" in found["page"]
