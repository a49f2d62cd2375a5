# SPDX-License-Identifier: GPL-2.0-only
"""A new source of the queue: a header of core/queue and its cases in core/gateway, and no host.

One is added to a copy, by the edits below and no others. The hosts' own sources are then compiled
against it as they are: what they do of a packet goes through core/gateway, which asks the source.
"""

import shutil
from pathlib import Path

import hosts_of_core
import pytest
from hosts_of_core import WARNINGS

ROOT = Path(__file__).resolve().parents[2]
DUMMIES = Path(__file__).parent / "dummies"
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


def test_it_is_asked_in_the_order_of_a_packet_s_way_out(copy: Path) -> None:
    hosts_of_core.works(copy, DUMMIES / "source.cpp")


@pytest.mark.parametrize("source", SIMULATOR)
def test_the_simulator_takes_it_as_it_is(copy: Path, source: str) -> None:
    hosts_of_core.takes(copy, *WARNINGS, "-I.", source=source)


@pytest.mark.parametrize("source", NS3)
def test_the_ns3_module_takes_it_as_it_is(copy: Path, source: str) -> None:
    hosts_of_core.ns3_takes(copy, source)


@pytest.mark.parametrize("which", OBJECTS)
def test_the_kernel_s_programs_take_it_as_they_are(copy: Path, which: str) -> None:
    hosts_of_core.kernel_takes(copy, which, source="linux/gateway/bpf/gateway.bpf.c")
