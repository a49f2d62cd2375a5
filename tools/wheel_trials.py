# SPDX-License-Identifier: GPL-2.0-only
"""What the making of wheels and their trials share: folders, commands with a log, the rows."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from run_tests import BUILD, ROOT

WORK: Final = BUILD / "wheels"
MADE: Final = WORK / "dist"
LOGS: Final = WORK / "logs"
LOCK: Final = ROOT / "requirements" / "run.lock"
SMALL_RUN: Final = (
    *("run", "ewt-2019/scenario-1", "-m", "droptail,ewt,penstock", "-n", "3", "--receivers"),
    *("auto", "--seeds", "1", "--set", "tcp.file.size=100kB", "--workers", "1", "-j"),
)

Environment = Mapping[str, str]
Command = Sequence[str | Path]


def run(name: str, command: Command, more: Environment | None = None, where: Path = WORK) -> str:
    """The output of a command, kept in a log; ends everything if it fails."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=where,
        env={**os.environ, "PYTHONNOUSERSITE": "1", **(more or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    log = LOGS / f"{name}.log"
    log.write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode:
        print("\n".join((done.stdout + done.stderr).splitlines()[-40:]))
        sys.exit(f"penstock: {name} failed; the whole log is {log}")
    return done.stdout


def rows(name: str, command: Command, more: Environment | None = None) -> str:
    """What a small run says, without the time that it took."""
    said = run(f"{name}-version", [*command, "--version"], more)
    if not said.startswith("penstock "):
        sys.exit(f"penstock: {name}: --version says {said!r}")
    printed = run(f"{name}-run", [*command, *SMALL_RUN], more).splitlines()
    found = [json.loads(line) for line in printed]
    if len(found) != 3 or not all(row["flows"] == 3 for row in found):
        sys.exit(f"penstock: {name}: three rows were expected: {found}")
    return json.dumps([{**row, "wall_s": None} for row in found], sort_keys=True)
