# SPDX-License-Identifier: GPL-2.0-only
"""Programs that the agreement tests run; without ns-3 they are skipped, with the reason."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import compiling
import pytest

from penstock.errors import UserError
from penstock.runs.backends import ns3_runner

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))  # for scripts.py and scripts_compare.py


def _compile(source: Path, folder: Path, *places: str, link: Sequence[str] = ()) -> Path:
    return _program([source], folder, *places, link=link)


def _program(sources: Sequence[Path], folder: Path, *places: str, link: Sequence[str] = ()) -> Path:
    compiler = shutil.which("c++")
    if not compiler:
        pytest.skip("no C++ compiler")
    options = ["-std=c++20", "-O1", f"-I{ROOT}", *places]
    return compiling.program(compiler, *options, sources=sources, folder=folder, link=link)


@pytest.fixture(scope="session")
def disciplines(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What plays a script in our queue disciplines, and in those of ns-3."""
    try:
        prefix = ns3_runner.prefix()
    except UserError as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("disciplines")
    here = ROOT / "tests" / "agree"
    libraries = [
        f"-l{next((prefix / 'lib64').glob(f'libns3*-{name}.so')).stem.removeprefix('lib')}"
        for name in ("traffic-control", "network", "core")
    ]
    places = [f"-L{prefix}/lib64", f"-Wl,-rpath,{prefix}/lib64", "-Wl,--allow-shlib-undefined"]
    ns3 = _compile(
        here / "discipline_ns3.cc",
        folder,
        f"-isystem{prefix}/include",
        link=[*places, *libraries],
    )
    return _compile(here / "discipline_ours.cpp", folder), ns3


@pytest.fixture(scope="session")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Core's gateway, which is told a record (replayed.cpp)."""
    return _compile(ROOT / "tests/agree/replayed.cpp", tmp_path_factory.mktemp("replayed"))


@pytest.fixture(scope="session")
def scripted(runner: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our TCP alone (scripted.cpp)."""
    sources = [ROOT / "tests/agree/scripted.cpp", *sorted((ROOT / "sim/tcp").glob("*.cpp"))]
    return _program(sources, tmp_path_factory.mktemp("scripted"))
