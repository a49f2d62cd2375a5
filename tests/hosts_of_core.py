# SPDX-License-Identifier: GPL-2.0-only
"""The hosts' own sources, compiled against a copy of core/ to which something was added."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import compiling
import pytest

from penstock.errors import UserError
from penstock.runs.backends import ns3_runner

WARNINGS: Final = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror")


def works(copy: Path, source: Path) -> None:
    """A program of that source passes, in the copy."""
    options = ["-std=c++20", "-O1", *WARNINGS, "-I."]
    program = compiling.program("g++", *options, sources=[source], folder=copy)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def compiles(copy: Path, compiler: str, *options: str, source: str) -> None:
    """The source compiles."""
    done = compiling.compiled(compiler, *options, source=source, to="unit.o", cwd=copy)
    assert done.returncode == 0, done.stderr


def takes(copy: Path, *options: str, source: str) -> None:
    """A source in C++ is understood."""
    done = compiling.understood("g++", "-std=c++20", *options, source=source, cwd=copy)
    assert done.returncode == 0, done.stderr


def ns3_takes(copy: Path, source: str) -> None:
    """A source of the ns-3 module is understood; skips without ns-3."""
    try:
        include = ns3_runner.prefix() / "include"
    except UserError as missing:
        pytest.skip(str(missing))
    takes(copy, "-I.", f"-isystem{include}", source=f"ns3/model/{source}")


def kernel_takes(copy: Path, *options: str, source: str) -> None:
    """A source of kernel programs compiles; skips without clang or libbpf."""
    clang = shutil.which("clang-14") or shutil.which("clang")
    if not clang or not Path("/usr/include/bpf/bpf_helpers.h").exists():
        pytest.skip("clang or libbpf's headers are not installed")
    multiarch = subprocess.run(
        ["gcc", "-print-multiarch"], capture_output=True, text=True, check=True
    ).stdout.strip()
    target = ["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-std=gnu11"]
    include = ["-I.", f"-I/usr/include/{multiarch}"]
    compiles(copy, clang, *target, *WARNINGS[:3], *options, "-Werror", *include, source=source)
