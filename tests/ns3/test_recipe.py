# SPDX-License-Identifier: GPL-2.0-only
"""docs/ns3.md's recipes for scripts of one's own, with the commands as they are printed there."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from penstock.errors import UserError
from penstock.runs.backends import ns3_runner

ROOT = Path(__file__).resolve().parents[2]


def block(first: str) -> str:
    """The commands of the page's block that starts so."""
    page = (ROOT / "docs" / "ns3.md").read_text()
    found = re.search(rf"^```sh\n({first}.*?)^```\n", page, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def follow(commands: str, folder: Path) -> str:
    """What the commands print in a folder, where they do not fail."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", commands],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scripts that the page starts from."""
    try:
        ns3_runner.prefix()
    except UserError as missing:
        pytest.skip(str(missing))
    made = tmp_path_factory.mktemp("recipe")
    for suffix in (".cc", ".py"):
        example = ROOT / "ns3" / "examples" / f"penstock-dumbbell{suffix}"
        shutil.copy(example, made / f"my-script{suffix}")
    return made


@pytest.mark.nightly
def test_own_script(folder: Path) -> None:
    printed = follow(block("module="), folder)
    assert re.search(r"^ewt: [\d.]+ Mbit/s, 0 packets dropped, [1-9]", printed, re.MULTILINE)


def test_own_python_script(folder: Path) -> None:
    if find_spec("cppyy") is None:
        pytest.skip("cppyy is not installed; `pip install cppyy` compiles and installs it")
    *configure, _, _ = block("module=").splitlines()
    printed = follow("\n".join([*configure, block("cmake --build")]), folder)
    said = re.search(r"^ewt: ([\d.]+) Mbit/s, 0 packets dropped$", printed, re.MULTILINE)
    assert said
    assert float(said[1]) > 5
