# SPDX-License-Identifier: GPL-2.0-only
"""Programs that the agreement tests run; without ns-3 they are skipped, with the reason."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.backends import ns3_runner
from penstock.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))  # for scripts.py and scripts_compare.py


@pytest.fixture(scope="session")
def runner() -> Path:
    """The runner of the ns-3 backend, compiled if need be."""
    try:
        return ns3_runner.path()
    except UserError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def scripted(runner: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our TCP alone (scripted.cpp)."""
    compiler = shutil.which("c++")
    if not compiler:
        pytest.skip("no C++ compiler")
    program = tmp_path_factory.mktemp("scripted") / "scripted"
    sources = [ROOT / "tests/agree/scripted.cpp", *sorted((ROOT / "sim/tcp").glob("*.cpp"))]
    command = [compiler, "-std=c++20", "-O1", f"-I{ROOT}", *map(str, sources), "-o", str(program)]
    subprocess.run(command, check=True)
    return program
