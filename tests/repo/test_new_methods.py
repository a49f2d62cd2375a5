# SPDX-License-Identifier: GPL-2.0-only
"""A new law or discipline is a header and a line: no host changes for it.

Two dummies, one with flow state and one that decides at departure, are added to a copy
of core/; the hosts' own sources are then compiled against the copy as they are.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DUMMIES = Path(__file__).parent / "dummies"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
LAW = "L(dummy_law, DUMMY_LAW, HAS, NO, NO, NO, NO, NO, HAS, NO, NO, NO, NO)"
DISCIPLINE = "D(dummy_drop, DUMMY_DROP, NO, NO, NO, NO, HAS, NO, NO, NO, NO, NO)"


def _register(registry: Path, macro: str, header: str, line: str) -> None:
    text = registry.read_text()
    text = text.replace('#include "', f'#include "{header}"\n#include "', 1)
    text, count = re.subn(rf"(#define {macro}\(\w\)\s*\\\n)", rf"\1\t{line} \\\n", text)
    assert count == 1
    registry.write_text(text)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for room in ("core", "sim", "gateway/bpf"):
        shutil.copytree(ROOT / room, root / room)
    shutil.copy(DUMMIES / "dummy_law.h", root / "core/control")
    shutil.copy(DUMMIES / "dummy_drop.h", root / "core/queue")
    _register(root / "core/control/registry.h", "PST_LAWS", "dummy_law.h", LAW)
    _register(root / "core/queue/registry.h", "PST_DISCIPLINES", "dummy_drop.h", DISCIPLINE)
    return root


def _compile(copy: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_dummies_work_at_a_gateway(copy: Path) -> None:
    program = copy / "dummies"
    source = str(DUMMIES / "dummies.cpp")
    _compile(copy, "g++", "-std=c++20", "-O1", *WARNINGS, "-I.", source, "-o", str(program))
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("source", ["sim/gateway/gateway.cpp", "sim/net/queue.cpp"])
def test_the_simulator_takes_them_as_it_is(copy: Path, source: str) -> None:
    _compile(copy, "g++", "-std=c++20", "-O1", *WARNINGS, "-I.", "-c", source, "-o", "/dev/null")


def test_the_kernel_s_programs_take_them_as_they_are(copy: Path) -> None:
    clang = shutil.which("clang-14") or shutil.which("clang")
    if not clang or not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("clang or libbpf's headers are not installed")
    multiarch = subprocess.run(
        ["gcc", "-print-multiarch"], capture_output=True, text=True, check=True
    ).stdout.strip()
    include = ["-I.", f"-I/usr/include/{multiarch}"]
    options = ["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-std=gnu11", "-DGW_KERNEL_BTF"]
    source = "gateway/bpf/gateway.bpf.c"
    _compile(copy, clang, *options, *WARNINGS[:3], "-Werror", *include, "-c", source, "-o",
             str(copy / "gateway.o"))  # fmt: skip
