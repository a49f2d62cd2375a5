# SPDX-License-Identifier: GPL-2.0-only
"""A new law, discipline or sender is a header and a line of a manifest: no host changes for it.

Dummies of each sort are added to a copy of core/: a law with flow state, a sender with a header,
and disciplines that decide at departure, have a header, or have several queues. The hosts' own
sources are then compiled against the copy as they are.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import hosts_of_core
import pytest
from hosts_of_core import WARNINGS

ROOT = Path(__file__).resolve().parents[2]
DUMMIES = Path(__file__).parent / "dummies"
DUMMY = {  # by header: its directory, and its words
    "dummy_law.h": ("law", "flow", "on_ack"),
    "dummy_drop.h": ("discipline", "on_leave"),
    "dummy_header.h": ("discipline", "on_arrive", "header"),
    "dummy_turns.h": ("discipline", "schedules"),
    "dummy_sender.h": ("sender", "on_sample", "stamp"),
}
SIMULATOR = [
    *("sim/gateway/gateway.cpp", "sim/net/queue.cpp", "sim/net/served_queue.cpp"),
    *("sim/tcp/sender.cpp", "sim/tcp/congestion_control.cpp", "sim/tcp/handshake.cpp"),
]
KERNEL = ["linux/gateway/bpf/gateway.bpf.c", "linux/cc/sender.bpf.c"]
NS3 = ["penstock-control.cc", "penstock-queue-disc.cc", "penstock-congestion-ops.cc"]


def _written(copy: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Writes the switches of the copy."""
    command = [sys.executable, ROOT / "tools/gen_dispatch.py", *options, copy / "core"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for room in ("core", "sim", "linux/gateway/bpf", "linux/cc", "ns3/model"):
        shutil.copytree(ROOT / room, root / room)
    for header, (room, *words) in DUMMY.items():
        shutil.copy(DUMMIES / header, root / "core" / room)
        with (root / "core" / room / "methods.toml").open("a") as manifest:
            manifest.write(f"{header.removesuffix('.h')} = {words}\n")
    done = _written(root)
    assert done.returncode == 0, done.stderr
    return root


def test_the_dummies_work_at_a_gateway(copy: Path) -> None:
    hosts_of_core.works(copy, DUMMIES / "dummies.cpp")


def test_the_compiled_unit_takes_them_as_it_is(copy: Path) -> None:
    options = ["-std=c11", "-O1", *WARNINGS, "-I."]
    hosts_of_core.compiles(copy, "gcc", *options, source="core/core.c")


@pytest.mark.parametrize("source", SIMULATOR)
def test_the_simulator_takes_them_as_it_is(copy: Path, source: str) -> None:
    hosts_of_core.takes(copy, *WARNINGS, "-I.", source=source)


@pytest.mark.parametrize("source", NS3)
def test_the_ns3_module_takes_them_as_it_is(copy: Path, source: str) -> None:
    hosts_of_core.ns3_takes(copy, source)


@pytest.mark.parametrize("source", KERNEL)
def test_the_kernel_s_programs_take_them_as_they_are(copy: Path, source: str) -> None:
    # The kernel calls struct_ops with arguments that a program may not need.
    options = ["-DGW_KERNEL_BTF", "-Wno-unused-parameter"]
    hosts_of_core.kernel_takes(copy, *options, source=source)


@pytest.mark.parametrize("word", ["on_tik", "header"])
def test_a_word_that_no_law_may_have_is_refused(copy: Path, word: str) -> None:
    manifest = copy / "core/law/methods.toml"
    text = manifest.read_text()
    try:
        manifest.write_text(text.replace("'flow', 'on_ack'", f"'flow', 'on_ack', '{word}'"))
        done = _written(copy, "--check")
    finally:
        manifest.write_text(text)
    assert done.returncode == 1
    assert f"core/law/methods.toml: dummy_law has {word}; known are init, on_acc" in done.stderr


@pytest.mark.parametrize("room", ["law", "discipline", "sender", "sharing"])
def test_a_handler_that_a_manifest_leaves_out_is_found(copy: Path, room: str) -> None:
    """It would never be called."""
    manifest = copy / f"core/{room}/methods.toml"
    text = manifest.read_text()
    word = {"law": "on_tick", "discipline": "on_leave", "sender": "pacing", "sharing": "pull"}[room]
    try:
        manifest.write_text(text.replace(f'"{word}"', "").replace(", ,", ",").replace("[, ", "["))
        done = _written(copy, "--check")
    finally:
        manifest.write_text(text)
    assert done.returncode == 1
    assert f"has no {word}, but pst_" in done.stderr


def test_who_calls_a_handler_can_be_searched_for() -> None:
    callers = [
        path
        for path in sorted(ROOT.glob("core/**/*.h"))
        if "return pst_ewt_on_ack(" in path.read_text()
    ]
    assert callers == [ROOT / "core/law/dispatch.h"]
