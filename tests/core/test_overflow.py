# SPDX-License-Identifier: GPL-2.0-only
"""No unsigned wrap and no lost bit in core/'s arithmetic, which only clang can watch for."""

import shutil
import subprocess
from pathlib import Path

import compiling
import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECKS = "undefined,unsigned-integer-overflow,unsigned-shift-base"
GTEST = Path("/usr/include/gtest/gtest.h")


@pytest.mark.parametrize("name", ["range_test", "arithmetic_test"])
def test_nothing_overflows(name: str, tmp_path: Path) -> None:
    if not shutil.which("clang++-14"):
        pytest.skip("clang++-14 is not installed")
    if not GTEST.exists():
        pytest.skip("GoogleTest is not installed")
    (tmp_path / "ignore.txt").write_text("src:/usr/*\n")
    options = [
        "-std=c++20",
        "-O1",
        f"-I{ROOT}",
        f"-fsanitize={CHECKS}",
        "-fno-sanitize-recover=all",
    ]
    try:
        program = compiling.program(
            *("clang++-14", *options, "-fsanitize-ignorelist=ignore.txt"),
            sources=[ROOT / f"tests/core/{name}.cpp"],
            folder=tmp_path,
            link=["-lgtest", "-lgtest_main", "-lpthread"],
        )
    except AssertionError as mistake:
        if "libclang_rt" in str(mistake):
            pytest.skip("libclang-rt-14-dev is not installed: clang has no sanitizers")
        raise
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
