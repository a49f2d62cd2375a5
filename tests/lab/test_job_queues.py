# SPDX-License-Identifier: GPL-2.0-only
"""Cells as jobs of a batch system: the same rows as alone, and no job is left behind.

Slurm's commands are stood in for by scripts that start a job as a process here.
"""

import os
import signal
from pathlib import Path

import pytest
from forked import PATIENCE_S
from lab_support import Run, rows, start, until

from penstock.errors import Exit

SBATCH = """#!/bin/sh
for script; do :; done
cp "$script" "$SLURM_STUB/script"
{started}
echo "Submitted batch job 17"
"""
SCANCEL = """#!/bin/sh
echo "$*" >> "$SLURM_STUB/cancelled"
pkill -KILL -s "$(cat "$SLURM_STUB/session" 2>/dev/null || echo 1)" || true
"""
STARTED = """
setsid sh -c 'echo $$ > "$SLURM_STUB/session"; exec bash "$SLURM_STUB/script"' >/dev/null 2>&1 &
"""


def _slurm(folder: Path, monkeypatch: pytest.MonkeyPatch, started: str) -> None:
    for name, text in (("sbatch", SBATCH.format(started=started)), ("scancel", SCANCEL)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    settings = folder / "dask"
    settings.mkdir()
    (settings / "jobqueue.yaml").write_text("jobqueue:\n  slurm:\n    account: thesis\n")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_STUB", str(folder))
    monkeypatch.setenv("DASK_CONFIG", str(settings))


def test_rows_of_jobs_are_those_of_one_machine(penstock: Run, small: Path) -> None:
    alone = penstock("run", small, "-j", "--workers", "1")
    there = penstock("run", small, "-j", "--cluster", "local", "--workers", "2")
    assert there.returncode == 0, there.stderr
    assert rows(there.stdout) == rows(alone.stdout)


def test_a_job_of_slurm_has_what_the_users_file_says(
    penstock: Run, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = penstock("run", small, "-j", "--workers", "1")
    _slurm(tmp_path, monkeypatch, STARTED)
    there = penstock("run", small, "-j", "--cluster", "slurm", "--workers", "1")
    assert there.returncode == 0, there.stderr
    assert rows(there.stdout) == rows(alone.stdout)
    script = (tmp_path / "script").read_text()
    assert "#SBATCH -A thesis" in script
    assert "--nthreads 1" in script
    assert (tmp_path / "cancelled").read_text().split() == ["17"]


def test_interrupted_while_no_job_has_started(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _slurm(tmp_path, monkeypatch, "")
    running = start(tmp_path, "run", str(small), "--cluster", "slurm", "--workers", "1")
    until((tmp_path / "script").exists)
    os.kill(running.pid, signal.SIGINT)
    _, complaint = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == Exit.INTERRUPTED, complaint
    assert "Traceback" not in complaint
    assert (tmp_path / "cancelled").read_text().split() == ["17"]


def test_without_the_commands_of_slurm(penstock: Run, small: Path) -> None:
    done = penstock("run", small, "--cluster", "slurm")
    assert done.returncode == Exit.BACKEND_MISSING
    assert "--cluster slurm: sbatch is not here; run this where jobs can be" in done.stderr
