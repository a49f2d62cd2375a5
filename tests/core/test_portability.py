# SPDX-License-Identifier: GPL-2.0-only
"""core/ for every host: C11 and C++20 in user space, and the kernel's BPF."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("core/**/*.h"))
USER_SPACE = {"core/params.h", "core/describe.h"}
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
COMPILERS = {
    "c11": ["gcc", "-std=c11", "-x", "c"],
    "c++20": ["g++", "-std=c++20", "-x", "c++"],
    "bpf": ["clang-14", "-target", "bpf", "-std=c11", "-x", "c"],
}


def compile_with(kind: str, sources: list[Path], folder: Path) -> None:
    command = COMPILERS[kind]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    result = subprocess.run(
        [*command, "-O2", *WARNINGS, f"-I{ROOT}", "-c", *map(str, sources)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_the_headers_are_found() -> None:
    assert len(HEADERS) > 20
    assert set(HEADERS) > USER_SPACE


@pytest.mark.parametrize("kind", COMPILERS)
def test_every_header_compiles_alone(kind: str, tmp_path: Path) -> None:
    sources = []
    for header in HEADERS:
        if kind == "bpf" and header in USER_SPACE:
            continue
        source = tmp_path / (header.replace("/", "_") + ".c")
        source.write_text(f'#include "{header}"\n#include "{header}"\nint unit(void);\n')
        sources.append(source)
    compile_with(kind, sources, tmp_path)


@pytest.mark.parametrize("kind", COMPILERS)
def test_every_method_generates_code(kind: str, tmp_path: Path) -> None:
    compile_with(kind, [ROOT / "tests/core/portability/all_methods.c"], tmp_path)


@pytest.mark.parametrize("header", HEADERS)
def test_core_imports_nothing_but_itself(header: str) -> None:
    for line in (ROOT / header).read_text().splitlines():
        # PST_INTEGERS is of the proofs alone.
        if line.startswith("#include") and line not in (
            "#include <stdbool.h>",
            "#include PST_INTEGERS",
        ):
            assert line.startswith('#include "'), f"{header}: {line}"
