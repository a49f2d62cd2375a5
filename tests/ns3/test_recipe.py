# SPDX-License-Identifier: GPL-2.0-only
"""docs/ns3.md's recipe for a script of one's own, with the commands as they are printed there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.backends import ns3_runner
from penstock.errors import UserError

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


def recipe() -> str:
    page = (ROOT / "docs" / "ns3.md").read_text()
    found = re.search(r"^```sh\n(module=.*?)^```\n", page, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_own_script(tmp_path: Path) -> None:
    try:
        ns3_runner.prefix()
    except UserError as missing:
        pytest.skip(str(missing))
    shutil.copy(ROOT / "ns3" / "examples" / "penstock-dumbbell.cc", tmp_path / "my-script.cc")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", recipe()],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert re.search(r"^ewt: [\d.]+ Mbit/s, 0 packets dropped, [1-9]", done.stdout, re.MULTILINE)
