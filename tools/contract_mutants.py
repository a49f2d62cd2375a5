# SPDX-License-Identifier: GPL-2.0-only
"""Shows that contracts end a program that breaks them.

Builds tests with contracts checked in a copy of the tree, applies one change after the other that
breaks a contract, and demands that the test named ends by the contract, not by what it expects.
Names select some changes.
"""

import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rule_mutants import COPY, MutantError, call, changed, copy_tree, replaced
from run_tests import clang_options

BUILD: Final = COPY / "checked"
_CHECKED: Final = (
    "-DPENSTOCK_PYTHON=OFF",
    "-DPENSTOCK_TESTS=ON",
    "-DPENSTOCK_CHECKED=ON",
    "-DCMAKE_BUILD_TYPE=Debug",
    "-DCMAKE_C_FLAGS_DEBUG=-O1",
    "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
)
_TRAPS: Final = frozenset({-signal.SIGILL, -signal.SIGTRAP})  # what __builtin_trap() comes to
_TEST_S: Final = 120


@dataclass(frozen=True)
class Breach:
    """`text`, which is in `path` once, becomes `replacement`: a contract then ends `test`."""

    binary: str
    test: str
    path: str
    text: str
    replacement: str


BREACHES: Final[Mapping[str, Breach]] = {
    "a drop is counted twice": Breach(
        "sim_tests",
        "Changes.SetRateDelayAndLosses",
        "sim/net/forwarder.cpp",
        "  ++cause;\n",
        "  cause += 2;\n",
    ),
    "a station that sends is not busy": Breach(
        "sim_tests",
        "Media.*",
        "sim/net/medium.cpp",
        "  station.busy = true;\n  if (medium.idle_ns",
        "  if (medium.idle_ns",
    ),
    "a sample is missed": Breach(
        "sim_tests",
        "Sampler.*",
        "sim/net/sampler.cpp",
        "now_ns + spec_.interval_ns);\n}",
        "now_ns + 2 * spec_.interval_ns);\n}",
    ),
    "a time-out is not recovered from": Breach(
        "sim_tests",
        "Timeout.*",
        "sim/tcp/reactions.cpp",
        "  t.losses.on_timeout(t.data, t.timer.rtt(), now_ns);\n",
        "",
    ),
    "more is acknowledged than was in flight": Breach(
        "sim_tests",
        "Timeout.*",
        "sim/tcp/acks.cpp",
        "grow_window(t, acked, flight, rtt_ns, now_ns);\n    set_timer",
        "grow_window(t, acked + flight, flight, rtt_ns, now_ns);\n    set_timer",
    ),
    "a lost segment counts twice": Breach(
        "sim_tests",
        "Rack*",
        "sim/tcp/rack.cpp",
        "  lost_bytes_ += s.bytes();\n",
        "  lost_bytes_ += 2 * s.bytes();\n",
    ),
    "more is in flight than QUIC remembers": Breach(
        "sim_tests",
        "Quic.*",
        "sim/quic/sent_packets.cpp",
        "  position_ += bytes;\n",
        "",
    ),
    "a queue joins a list that it is on": Breach(
        "fq_codel_test",
        "FqCodel.*",
        "core/discipline/fq_codel.h",
        "	removed->list = PST_FQ_INACTIVE;\n",
        "",
    ),
    "CoDel drops without a count": Breach(
        "codel_test",
        "Codel.*",
        "core/discipline/codel.h",
        "	s->count_pkts = gained > 1 && recent ? gained : 1;\n",
        "	s->count_pkts = gained > 1 && recent ? gained : 0;\n",
    ),
}


def ends_by_contract(breach: Breach) -> bool:
    """Whether the test, built as the copy is, ends by a trap."""
    call("cmake", "--build", str(BUILD), "--target", breach.binary)
    command = [str(BUILD / breach.binary), f"--gtest_filter={breach.test}"]
    done = subprocess.run(command, cwd=COPY, capture_output=True, check=False, timeout=_TEST_S)
    if done.returncode not in _TRAPS and done.returncode not in (0, 1):
        raise MutantError(f"{breach.test} ends by {done.returncode}")
    return done.returncode in _TRAPS


def with_breach(breach: Breach) -> bool:
    """Whether a contract ends the test with the change; then the copy is as before."""
    path = COPY / breach.path
    text = replaced(path.read_text(), breach.text, breach.replacement, f"{breach.path} has it")
    with changed(path, text):
        return ends_by_contract(breach)


def verdict(breach: Breach) -> str:
    """Empty if a contract ends the test with the change, and none without it."""
    if ends_by_contract(breach):
        return "a contract is broken as it is"
    return "" if with_breach(breach) else f"no contract ends {breach.test}"


def main(names: list[str]) -> int:
    """Exit code 0 if a contract ends each."""
    configure = ("cmake", "-S", ".", "-B", str(BUILD), "-G", "Ninja", *_CHECKED, *clang_options())
    bad = 0
    try:
        copy_tree()
        call(*configure)
        for name in names or BREACHES:
            found = verdict(BREACHES[name])
            bad += bool(found)
            print(f"{name}: {found or 'a contract ends it'}", flush=True)
    except MutantError as error:
        print(error)
        return 1
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
