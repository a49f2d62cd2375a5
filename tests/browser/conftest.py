# SPDX-License-Identifier: GPL-2.0-only
"""The page, built, and a browser that has it open."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from chromium import Chromium  # noqa: E402


@pytest.fixture(scope="session")
def page() -> Path:
    needed = (
        *("/usr/bin/clang++-14", "/usr/bin/wasm-ld-14", "/usr/lib/wasm32-wasi/libc.a"),
        "/usr/lib/llvm-14/include/wasm32-wasi/c++/v1/vector",
    )
    missing = [path for path in needed if not Path(path).exists()]
    if missing:
        pytest.skip(f"{missing[0]} is missing (tools/install-test-deps installs it)")
    done = subprocess.run(
        [sys.executable, ROOT / "browser/build.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / "build/browser/index.html"


@pytest.fixture(scope="module")
def browser(page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    with Chromium(tmp_path_factory.mktemp("browser")) as found:
        found.screen(1280, 900)
        found.open(page.as_uri())
        found.until(lambda: found.ask("penstock.rows()"))
        yield found
        assert found.complaints == []
