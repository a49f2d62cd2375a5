# SPDX-License-Identifier: GPL-2.0-only
"""core/ for every host: C11 and C++20 in user space, and the kernel's BPF."""

import shutil
from pathlib import Path

import compiling
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


def compile_with(kind: str, sources: list[str], folder: Path) -> None:
    """Compiles sources, whose paths are relative to the folder or whole."""
    compiler, *language = COMPILERS[kind]
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    options = [*language, "-O2", *WARNINGS, f"-I{ROOT}"]
    for source in sources:
        done = compiling.compiled(compiler, *options, source=source, to="unit.o", cwd=folder)
        assert done.returncode == 0, done.stderr


def test_the_headers_are_found() -> None:
    assert len(HEADERS) > 20
    assert set(HEADERS) > USER_SPACE


@pytest.mark.parametrize("kind", COMPILERS)
def test_every_header_compiles_alone(kind: str, tmp_path: Path) -> None:
    sources = []
    for header in HEADERS:
        if kind == "bpf" and header in USER_SPACE:
            continue
        sources.append(header.replace("/", "_") + ".c")
        text = f'#include "{header}"\n#include "{header}"\nint unit(void);\n'
        (tmp_path / sources[-1]).write_text(text)
    compile_with(kind, sources, tmp_path)


@pytest.mark.parametrize("kind", COMPILERS)
def test_every_method_generates_code(kind: str, tmp_path: Path) -> None:
    compile_with(kind, [str(ROOT / "tests/core/portability/all_methods.c")], tmp_path)


@pytest.mark.parametrize("header", HEADERS)
def test_core_imports_nothing_but_itself(header: str) -> None:
    for line in (ROOT / header).read_text().splitlines():
        # PST_INTEGERS is of the proofs alone, PST_STAGES of the kernel's program and the proofs.
        if line.startswith("#include") and line not in (
            "#include <stdbool.h>",
            "#include PST_INTEGERS",
            "#include PST_STAGES",
        ):
            assert line.startswith('#include "'), f"{header}: {line}"
