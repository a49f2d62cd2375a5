# SPDX-License-Identifier: GPL-2.0-only
"""Every ```sh block of the documents does what it says.

The blocks of one document run in order, in one empty folder, and stop at the first
command that fails. A block is left out if the line before it is a comment that
starts with "not run"; it gives the reason.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(?:<!-- (not run[^>]*) -->\n)?```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMEOUT_S = 300


def documents() -> list[Path]:
    skipped = {".venv", "build", "out", ".git"}
    found = [p for p in ROOT.rglob("*.md") if not skipped & set(p.relative_to(ROOT).parts)]
    return sorted(p for p in found if script(p.read_text()))


def script(text: str) -> str:
    return "\n".join(block for reason, block in BLOCK.findall(text) if not reason)


@pytest.mark.parametrize("document", documents(), ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_run(document: Path, tmp_path: Path) -> None:
    commands = script(document.read_text())
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def test_marks_are_understood() -> None:
    text = "<!-- not run: slow -->\n```sh\na\n```\n\n```sh\nb\n```\n```text\nc\n```\n"
    assert script(text) == "b\n"
