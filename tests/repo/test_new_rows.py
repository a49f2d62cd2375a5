# SPDX-License-Identifier: GPL-2.0-only
"""A new column or key is a row of core/tables/ and the line that counts or uses it.

Rows are added to a copy of the tables. The hosts' own sources are then compiled against it, and
the lab makes its columns and keys of the copy's rows.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import compiling
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
OPTIONS = (
    'BOTH, TIME, dummy_ns, 5, ALL, "", PST_SYSCTL(tcp_dummy), PST_KEY(dummy, 1, 10), "Wait", '
    '"RFC 0"',
    'SENDER, FLAG, has_dummy, false, SIM, "ns-3 has none", PST_ROUTE(dummy), '
    'PST_KEY(dummy_flag, 0, 1), "Dummies", ""',
)
LINK_KEYS = (
    'RATIO, dummy_ratio, 0, ALL, PST_KEY(dummy, 0, 1), "Share of dummies"',
    'LONG_COUNT, dummies, 0, SIM, PST_KEY_OR("no end", dummies, 1, 9), "Dummies"',
)
UDP_KEYS = (
    'COUNT, dummies, 0, ALL, PST_KEY_OR("required", dummies, 1, 9), "Dummies"',
    'PERCENT, dummy_percent, 50, SIM, PST_KEY_OR("half", dummy, 1, 200), "Share of dummies"',
    'PERCENT, dummy_percent_later, 60, SIM, PST_KEY_OR("60", dummy, 1, 200), "Later"',
    'RECOVERY_TIMER, dummy_timer, 0, SIM, PST_KEY(timer, 0, 0), "Timer of dummies"',
)
WEB_KEYS = ('DRAWN, dummy_ns, "ns", "exponential(2s)", dummy, "Wait of dummies"',)
ON_OFF_KEYS = ('FIXED, dummies, "bytes", "9B", dummies, "Bytes of dummies"',)
TIME_KEYS = ('TIME, dummy_ns, 5, ALL, PST_KEY(dummy, 1, 10), "Wait of a run"',)
SAMPLE_KEYS = ('COUNT, dummies, 3, ALL, PST_KEY_OR("three", dummies, 1, 9), "Dummies sampled"',)
MOBILITY_KEYS = ('DRAWN, dummy_ns, "ns", "required", dummy, "Wait in a cell"',)
USER_KEYS = (
    'COUNT, dummy_turns, 0, "web on-off", PST_KEY_OR("none", turns, 1, 9), "Turns of a user"',
)
USED = (  # a source, a line there, and the use of an option beside it
    ("sim/tcp/receiver.cpp", "++counters_.segments_received;", "(void)config_->dummy_ns;"),
    ("sim/tcp/output.cpp", "++t.counters.retransmissions;", "(void)t.config->has_dummy;"),
    (
        "sim/net/network.cpp",
        "  set_changes(index, spec);",
        'require(spec.dummy_ratio < 1 && spec.dummies < 10, "dummies");',
    ),
    ("sim/net/network.cpp", "plan_.mobility = std::move(spec);", "(void)plan_.mobility->dummy_ns;"),
    ("sim/net/network.cpp", "  plan_.samples = spec;", "(void)spec.dummies;"),
    ("sim/net/network.cpp", "  Simulation simulation(plan_);", "(void)clock.dummy_ns;"),
    ("sim/net/datagrams.cpp", "Source& d = sources_[index];", "(void)spec.dummies;"),
    (
        "sim/traffic/source.cpp",
        "Transfer Source::page(const Web& web, std::uint64_t done_ns) {",
        "(void)web.dummy_ns; (void)spec_->dummy_turns;",
    ),
    ("ns3/lab/network.cc", "return flow.udp.payload_bytes", "+ flow.udp.dummies"),
    ("ns3/lab/network.cc", "NanoSeconds(m_spec.clock.until_ns", "+ m_spec.clock.dummy_ns"),
    ("ns3/lab/network.cc", "NanoSeconds(m_spec.sample.interval_ns", "+ m_spec.sample.dummies"),
    ("ns3/lab/link.cc", "m_ratio = link.loss_ratio;", "m_ratio += link.dummy_ratio;"),
    ("ns3/lab/tcp-setup.cc", "socket->SetUseEcn(Ecn(s.ecn));", "(void)s.dummy_ns;"),
)
COUNTED = (  # a source, a line there, and the counter that is counted beside it
    ("sim/tcp/output.cpp", "++t.counters.retransmissions;", "++t.counters.dummy_sends;"),
    ("sim/tcp/receiver.cpp", "++counters_.segments_received;", "++counters_.dummy_arrivals;"),
    ("sim/net/queue.cpp", "++counters_.arrivals;", "++counters_.dummy_packets;"),
    ("ns3/lab/flows.cc", "++books->timeouts;", "++books->dummy_sends;"),
    ("ns3/lab/queue-books.cc", "++m_counters.marks;", "++m_counters.dummy_packets;"),
)
BOTH_WAYS = ("rtt", "distance_m", "cable", "change", "back")  # what a direction of a link has not
NS3 = [
    *("ns3/lab/flows.cc", "ns3/lab/queue-books.cc", "ns3/lab/report.cc"),
    *("ns3/lab/description.cc", "ns3/lab/link.cc", "ns3/lab/network.cc", "ns3/lab/tcp-setup.cc"),
]
SIMULATOR = [
    *("sim/tcp/output.cpp", "sim/tcp/receiver.cpp", "sim/net/queue.cpp", "sim/net/books.cpp"),
    *("sim/python/result_to_numpy.cpp", "sim/python/table_bindings.cpp", "sim/setup/config.cpp"),
    *("sim/net/network.cpp", "sim/net/datagrams.cpp", "sim/python/network_bindings.cpp"),
    *("sim/traffic/source.cpp", "sim/python/traffic_bindings.cpp"),
]


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{path}: {old}"
    path.write_text(text.replace(old, new))


def _add(table: Path, macro: str, rows: list[str]) -> None:
    head = next(line for line in table.read_text().splitlines() if macro in line)
    _edit(table, head, "\n".join([head, *(f"\t{row} \\" for row in rows)]))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for room in ("core", "sim", "ns3"):
        shutil.copytree(ROOT / room, root / room)
    for macro, row in COUNTERS.items():
        _add(root / "core/tables/counters.h", f"{macro}(C)", [f"C({row})"])
    _add(root / "core/tables/tcp_options.h", "PST_TCP_OPTIONS(O)", [f"O({o})" for o in OPTIONS])
    _add(root / "core/tables/link_keys.h", "PST_LINK_KEYS(L)", [f"L({k})" for k in LINK_KEYS])
    _add(root / "core/tables/udp_keys.h", "PST_UDP_KEYS(L)", [f"L({k})" for k in UDP_KEYS])
    run = root / "core/tables/run_keys.h"
    _add(run, "PST_TIME_KEYS(L)", [f"L({key})" for key in TIME_KEYS])
    _add(run, "PST_SAMPLE_KEYS(L)", [f"L({key})" for key in SAMPLE_KEYS])
    _add(run, "PST_MOBILITY_KEYS(T)", [f"T({key})" for key in MOBILITY_KEYS])
    traffic = root / "core/tables/traffic_keys.h"
    _add(traffic, "PST_USER_KEYS(L)", [f"L({key})" for key in USER_KEYS])
    _add(traffic, "PST_WEB_KEYS(T)", [f"T({key})" for key in WEB_KEYS])
    _add(traffic, "PST_ON_OFF_KEYS(T)", [f"T({key})" for key in ON_OFF_KEYS])
    for source, line, more in (*COUNTED, *USED):
        _edit(root / source, line, f"{line} {more}")
    return root


def _compile(copy: Path, *options: str, source: str) -> None:
    done = compiling.understood("g++", "-std=c++20", *options, source=source, cwd=copy)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", SIMULATOR)
def test_the_simulator_takes_new_counters_as_it_is(copy: Path, source: str) -> None:
    foreign = (sysconfig.get_path("include"), nanobind.include_dir())
    places = ["-I.", "-DPST_LINKED", *(f"-isystem{place}" for place in foreign)]
    _compile(copy, *WARNINGS, *places, source=source)


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
    places = ["-I.", "-Imodule", "-Ins3/model", f"-isystem{include}"]
    _compile(copy, *places, source=source)


@pytest.fixture(scope="module")
def rows(copy: Path) -> Path:
    """The copy's tables as JSON."""
    options = ["-std=c++20", *WARNINGS, "-I."]
    program = compiling.program("g++", *options, sources=[DUMMIES / "rows.cpp"], folder=copy)
    made = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    path = copy / "rows.json"
    path.write_text(made)
    return path


def _made(script: str, rows: Path) -> Any:
    """What the lab makes of the rows."""
    done = subprocess.run(
        [sys.executable, DUMMIES / script, rows],
        env={"PYTHONPATH": str(ROOT / "tools"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found(rows: Path) -> Any:
    """What the lab makes of the rows that are keys."""
    return _made("lab_keys.py", rows)


def test_rows_become_columns(rows: Path) -> None:
    found = _made("lab_rows.py", rows)
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


def test_rows_become_keys(found: Any) -> None:
    wait = {"type": "string", "default": "5ns", "description": "Wait (a time: '5ms')"}
    flag = {"type": "boolean", "default": False, "description": "Dummies"}
    assert wait.items() <= found["schema"]["dummy"].items()
    assert flag.items() <= found["schema"]["dummy_flag"].items()
    assert found["defaults"] == [5, False]
    wait_refused, flag_refused = found["refused"]
    assert "tcp.bulk.dummy: '11ns' is out of range; from 1ns to 10ns" in wait_refused
    assert "tcp.bulk.dummy_flag: " in flag_refused
    for end in ("sender", "receiver"):
        assert found[end]["dummy_ns"] == 7
    assert found["sender"]["has_dummy"] is True
    assert "has_dummy" not in found["receiver"]
    assert " sender.dummy_ns=5 " in found["ns3"]
    assert " receiver.dummy_ns=5" in found["ns3"]
    assert "has_dummy" not in found["ns3"]
    assert "ns-3 has none; leave it out" in found["ns3_lacks"]
    assert (found["sysctl"], found["route"]) == ("7", " dummy 1")
    assert '| `dummy` | `"5ns"` | Wait (RFC 0) |' in found["page"]
    assert "| `dummy_flag` | false | Dummies |" in found["page"]


def test_rows_become_keys_of_links(found: Any) -> None:
    both, forward = found["link"]["Link"], found["wires"][0]
    ratio = {"type": "number", "default": 0.0, "description": "Share of dummies"}
    assert ratio.items() <= both["dummy"].items()
    assert "default" not in both["dummies"]
    assert both.keys() - found["link"]["Back"].keys() == {"from", "to", "medium", *BOTH_WAYS}
    assert "link.bottleneck.dummy: 2 is not a ratio" in found["link_refused"][0]
    assert "link.bottleneck.dummies: 10 is out of range; from 1 to 9" in found["link_refused"][1]
    assert (forward["dummy_ratio"], forward["dummies"]) == (0.5, 4)
    assert [wire["dummy_ratio"] for wire in found["wires"]] == [0.5, 0.25]
    assert " dummy_ratio=0.0 " in found["ns3"]
    assert "dummies" not in found["ns3"]
    assert "| `dummy` | 0.0 | Share of dummies |" in found["page"]
    assert "| `dummies` | no end | Dummies |" in found["page"]


def test_rows_become_keys_of_udp(found: Any) -> None:
    ratio = {"type": "number", "minimum": 0.01, "maximum": 2.0, "title": "Dummy"}
    assert found["udp"]["dummy"] == ratio | {"description": "Share of dummies"}
    assert found["udp"]["timer"]["const"] == "standard"
    sent = {"dummies": 4, "dummy_percent": 50, "dummy_percent_later": 60, "dummy_timer": "standard"}
    assert sent.items() <= found["sources"][0].items()
    assert found["sources"][1]["dummy_percent"] == found["sources"][1]["dummy_percent_later"] == 29
    missing, large, word = found["udp_refused"]
    assert "udp.u.dummies: this key is missing" in missing
    assert "udp.u.dummy: " in large
    assert "udp.u.timer: " in word
    assert " dummies=4" in found["ns3_udp"]
    assert "dummy_percent" not in found["ns3_udp"]
    assert "| `dummies` | required | Dummies |" in found["page"]
    assert "| `dummy` | half | Share of dummies |" in found["page"]
    assert '| `timer` | `"standard"` | Timer of dummies |' in found["page"]


def test_rows_become_keys_of_traffic(found: Any) -> None:
    assert found["traffic"]["dummy"]["description"] == "Wait of dummies (a time: '5ms')"
    assert found["traffic"]["dummies"] == {
        "type": "string",
        "default": "9B",
        "title": "Dummies",
        "description": "Bytes of dummies (a size: '97kB')",
    }
    assert found["source"] == {"dummy": ["exponential", [2e9]], "dummies": 9}
    turns = {"type": "integer", "title": "Turns", "description": "Turns of a user"}
    assert found["traffic"]["turns"] == turns
    assert found["users"] == [0, 3]
    wrong_kind, wrong_value = found["traffic_refused"]
    assert (
        "web traffic has no such key; it has turns, transfers, persistent, company, dummy,"
        in wrong_kind
    )
    assert "tcp.bulk.traffic.dummy: there is no distribution 'normal'" in wrong_value
    assert '| `dummy` | web | `"exponential(2s)"` | Wait of dummies |' in found["page"]
    assert '| `dummies` | on-off | `"9B"` | Bytes of dummies |' in found["page"]
    assert "| `turns` | web, on-off | none | Turns of a user |" in found["page"]


def test_rows_become_keys_of_a_run(found: Any) -> None:
    assert found["run"]["Clock"]["dummy"]["description"] == "Wait of a run (a time: '5ms')"
    assert found["run"]["Sample"]["dummies"]["description"] == "Dummies sampled"
    assert found["run"]["Mobility"]["dummy"]["description"] == "Wait in a cell (a time: '5ms')"
    assert [clock["dummy_ns"] for clock in found["clocks"]] == [5, 7]
    assert [sample["dummies"] for sample in found["samples"]] == [3, 4]
    assert found["moves"] == {"dwell_ns": 1e9, "outage_ns": 2e9, "dummy_ns": 3e9}
    long, many, missing = found["run_refused"]
    assert "time.dummy: '11ns' is out of range; from 1ns to 10ns" in long
    assert "sample.dummies: 10 is out of range; from 1 to 9" in many
    assert "mobility.dummy: this key is missing" in missing
    first, *_, last = found["ns3_run"]
    assert first.startswith("run ")
    assert " dummy_ns=7" in first
    assert last.startswith("sample ")
    assert " dummies=4 " in last
    assert '| `dummy` | `"5ns"` | Wait of a run |' in found["page"]
    assert "| `dummies` | three | Dummies sampled |" in found["page"]
    assert "| `dummy` | required | Wait in a cell |" in found["page"]
