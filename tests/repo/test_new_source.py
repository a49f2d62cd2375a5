# SPDX-License-Identifier: GPL-2.0-only
"""A new source of the queue: a header of core/queue and its cases in core/gateway, and no host.

One is added to a copy, by the edits below and no others. The hosts' own sources are then compiled
against it as they are: what they do of a packet goes through core/gateway, which asks the source.
"""

import shutil
import subprocess
from pathlib import Path

import compiling
import pytest

from penstock.errors import UserError
from penstock.runs.backends import ns3_runner

ROOT = Path(__file__).resolve().parents[2]
DUMMIES = Path(__file__).parent / "dummies"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
STATE = "core/gateway/state.h"
OUT = "core/gateway/passage_out.h"
CASES = (  # a file, a place in it, and what a source adds there
    (STATE, '#include "../queue/upstream_queue.h"\n', '#include "../queue/dummy_queue.h"\n'),
    (STATE, "	bool released;		/* with upstream", "	bool dummy;\n"),
    (
        STATE,
        "	union pst_law_state law;\n	struct pst_flow_count count;",
        "	struct pst_dummy_queue dummy;\n",
    ),
    (
        STATE,
        "	return pst_gateway_is_passive(c) || pst_gateway_is_upstream(c);\n",
        "	if (c->dummy)\n		return true;\n",
    ),
    (
        STATE,
        "	if (pst_gateway_is_blind(c, s))\n		return 0;\n",
        "	if (c->dummy)\n		return s->dummy.bytes;\n",
    ),
    (
        OUT,
        "	if (pst_gateway_is_passive(c)) {\n		pst_hidden_suppose(",
        "	if (c->dummy) {\n		pst_dummy_look(&s->dummy);\n		return;\n	}\n",
    ),
    (
        OUT,
        "	if (pst_gateway_is_passive(c))\n		pst_hidden_enter(",
        "	if (c->dummy)\n		pst_dummy_enter(&s->dummy, bytes);\n",
    ),
    (
        "core/gateway/gateway.h",
        "	pst_departure_rate_init(&s->departures);\n",
        "	__builtin_memset(&s->dummy, 0, sizeof(s->dummy));\n",
    ),
)
SIMULATOR = ["sim/gateway/gateway.cpp", "sim/net/queue.cpp", "sim/net/served_queue.cpp"]
NS3 = ["penstock-control.cc", "penstock-queue-disc.cc"]
OBJECTS = ["-DGW_KERNEL_BTF", "-DGW_PASSIVE", "-DGW_DOWN", "-O2"]  # -O2: the virtual queue's


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for room in ("core", "sim", "linux/gateway/bpf", "ns3/model"):
        shutil.copytree(ROOT / room, root / room)
    shutil.copy(DUMMIES / "dummy_queue.h", root / "core/queue")
    for name, place, more in CASES:
        text = (root / name).read_text()
        assert text.count(place) == 1, f"{name}: {place}"
        (root / name).write_text(text.replace(place, more + place))
    return root


def _understand(copy: Path, *options: str, source: str) -> None:
    done = compiling.understood("g++", "-std=c++20", *options, source=source, cwd=copy)
    assert done.returncode == 0, done.stderr


def test_it_is_asked_in_the_order_of_a_packet_s_way_out(copy: Path) -> None:
    options = ["-std=c++20", "-O1", *WARNINGS, "-I."]
    program = compiling.program("g++", *options, sources=[DUMMIES / "source.cpp"], folder=copy)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", SIMULATOR)
def test_the_simulator_takes_it_as_it_is(copy: Path, source: str) -> None:
    _understand(copy, *WARNINGS, "-I.", source=source)


@pytest.mark.parametrize("source", NS3)
def test_the_ns3_module_takes_it_as_it_is(copy: Path, source: str) -> None:
    try:
        include = ns3_runner.prefix() / "include"
    except UserError as missing:
        pytest.skip(str(missing))
    _understand(copy, "-I.", f"-isystem{include}", source=f"ns3/model/{source}")


@pytest.mark.parametrize("which", OBJECTS)
def test_the_kernel_s_programs_take_it_as_they_are(copy: Path, which: str) -> None:
    clang = shutil.which("clang-14") or shutil.which("clang")
    if not clang or not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("clang or libbpf's headers are not installed")
    multiarch = subprocess.run(
        ["gcc", "-print-multiarch"], capture_output=True, text=True, check=True
    ).stdout.strip()
    include = ["-I.", f"-I/usr/include/{multiarch}"]
    options = ["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-std=gnu11", which]
    done = compiling.compiled(
        clang,
        *options,
        *WARNINGS[:3],
        "-Werror",
        *include,
        source="linux/gateway/bpf/gateway.bpf.c",
        to="unit.o",
        cwd=copy,
    )
    assert done.returncode == 0, done.stderr
