# SPDX-License-Identifier: GPL-2.0-only
"""A new law, discipline or sender is a header and a line: no host changes for it.

Dummies of each sort are added to a copy of core/: a law with flow state, a sender with a header,
and disciplines that decide at departure, have a header, or have several queues. The hosts' own
sources are then compiled against the copy as they are.
"""

import re
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
DUMMY = {  # by header: its directory, its registry's macro and its row's
    "dummy_law.h": ("law", "PST_LAWS", "L"),
    "dummy_drop.h": ("discipline", "PST_DISCIPLINES", "D"),
    "dummy_header.h": ("discipline", "PST_DISCIPLINES", "D"),
    "dummy_turns.h": ("discipline", "PST_DISCIPLINES", "D"),
    "dummy_sender.h": ("sender", "PST_SENDERS", "M"),
}
SIMULATOR = [
    *("sim/gateway/gateway.cpp", "sim/net/queue.cpp", "sim/net/served_queue.cpp"),
    *("sim/tcp/sender.cpp", "sim/tcp/congestion_control.cpp", "sim/tcp/handshake.cpp"),
]
KERNEL = ["linux/gateway/bpf/gateway.bpf.c", "linux/cc/sender.bpf.c"]
NS3 = ["penstock-control.cc", "penstock-queue-disc.cc", "penstock-congestion-ops.cc"]


def _register(registry: Path, macro: str, row: str, header: str) -> None:
    name = header.removesuffix(".h")
    line = f"{row}({name}, {name.upper()}, __VA_ARGS__)"
    text = registry.read_text()
    text = text.replace('#include "', f'#include "{header}"\n#include "', 1)
    text, count = re.subn(rf"(#define {macro}\(\w, \.\.\.\)\s*\\\n)", rf"\1\t{line} \\\n", text)
    assert count == 1
    registry.write_text(text)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for room in ("core", "sim", "linux/gateway/bpf", "linux/cc", "ns3/model"):
        shutil.copytree(ROOT / room, root / room)
    for header, (room, macro, row) in DUMMY.items():
        shutil.copy(DUMMIES / header, root / "core" / room)
        _register(root / "core" / room / "registry.h", macro, row, header)
    return root


def _compile(copy: Path, compiler: str, *options: str, source: str) -> None:
    done = compiling.compiled(compiler, *options, source=source, to="unit.o", cwd=copy)
    assert done.returncode == 0, done.stderr


def test_the_dummies_work_at_a_gateway(copy: Path) -> None:
    options = ["-std=c++20", "-O1", *WARNINGS, "-I."]
    program = compiling.program("g++", *options, sources=[DUMMIES / "dummies.cpp"], folder=copy)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_compiled_unit_takes_them_as_it_is(copy: Path) -> None:
    options = ["-std=c11", "-O1", *WARNINGS, "-I."]
    _compile(copy, "gcc", *options, source="core/core.c")


@pytest.mark.parametrize("source", SIMULATOR)
def test_the_simulator_takes_them_as_it_is(copy: Path, source: str) -> None:
    _compile(copy, "g++", "-std=c++20", "-O1", *WARNINGS, "-I.", source=source)


@pytest.mark.parametrize("source", NS3)
def test_the_ns3_module_takes_them_as_it_is(copy: Path, source: str) -> None:
    try:
        include = ns3_runner.prefix() / "include"
    except UserError as missing:
        pytest.skip(str(missing))
    places = ["-I.", f"-isystem{include}"]
    _compile(copy, "g++", "-std=c++20", *places, source=f"ns3/model/{source}")


@pytest.mark.parametrize("source", KERNEL)
def test_the_kernel_s_programs_take_them_as_they_are(copy: Path, source: str) -> None:
    clang = shutil.which("clang-14") or shutil.which("clang")
    if not clang or not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("clang or libbpf's headers are not installed")
    multiarch = subprocess.run(
        ["gcc", "-print-multiarch"], capture_output=True, text=True, check=True
    ).stdout.strip()
    include = ["-I.", f"-I/usr/include/{multiarch}"]
    options = ["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-std=gnu11", "-DGW_KERNEL_BTF"]
    # The kernel calls struct_ops with arguments that a program may not need.
    warnings = [*WARNINGS[:3], "-Wno-unused-parameter", "-Werror"]
    _compile(copy, clang, *options, *warnings, *include, source=source)


@pytest.mark.parametrize("word", ["on_tik", "header"])
def test_a_word_that_no_law_may_have_does_not_compile(copy: Path, word: str) -> None:
    law = copy / "core/law/dummy_law.h"
    text = law.read_text()
    try:
        law.write_text(text.replace("H(on_ack)", f"H(on_ack) H({word})"))
        with pytest.raises(AssertionError, match=f"PST_LAW_HAS_{word}"):
            _compile(copy, "gcc", "-std=c11", "-I.", source="core/core.c")
    finally:
        law.write_text(text)


@pytest.mark.parametrize("registry", sorted(ROOT.glob("core/*/registry.h")), ids=str)
def test_methods_list_the_functions_that_they_have(registry: Path) -> None:
    """A handler that PST_NAME_HAS leaves out would never be called."""
    head = registry.read_text().partition("#ifndef")[0].partition("Of functions")[2]
    optional = re.findall(r"^ \*   (?:\w+ )*(\w+)\(", head, re.M)
    optional = optional or re.findall(r"^ \*   (\w+) ", head, re.M)
    listed = 0
    for header in registry.parent.glob("*.h"):
        text = header.read_text().replace("\\\n", " ")
        for name, words in re.findall(r"#define PST_(\w+)_HAS\(H\)(.*)", text):
            has = set(re.findall(r"H\((\w+)\)", words))
            if "schedules" in has:
                continue  # its host calls it for each of its queues
            for word in optional:
                defined = re.search(rf"\bpst_{name.lower()}_{word}\(const", text)
                assert not defined or word in has, f"{header.name}: {word} of {name}"
            listed += len(has)
    assert listed > 3
