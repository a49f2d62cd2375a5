# SPDX-License-Identifier: GPL-2.0-only
"""Results on disk: whole files only, continued after a kill, one schema version."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lab_support import Run, rows

from penstock.columns import NAMES
from penstock.errors import Exit


def contents(folder: Path) -> dict[str, Any]:
    """All that a folder holds, by path, without the time that runs took."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            found[str(path.relative_to(folder))] = without_time(json.loads(path.read_bytes()))
        elif path.suffix == ".parquet":
            table = pl.read_parquet(path)
            assert tuple(table.columns) == NAMES
            found[path.name] = table.drop("wall_s").to_dicts()
    return found


def without_time(content: dict[str, Any]) -> dict[str, Any]:
    """A cell's content without its wall_s."""
    content.get("columns", {}).pop("wall_s", None)
    return content


def test_results_of_any_workers_are_the_same(penstock: Run, small: Path, tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        assert penstock("run", small, "-o", name, "--workers", workers).returncode == 0
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert len(one) == 8 + 2
    assert one == two


def start(arguments: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """A run that is not waited for."""
    return subprocess.Popen(
        [sys.executable, "-m", "penstock", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def wait_for_cells(folder: Path, count: int) -> None:
    """Returns once that many cells are finished."""
    end = time.monotonic() + 60
    while len(list((folder / "cells").glob("*.json"))) < count:
        assert time.monotonic() < end
        time.sleep(0.01)


LONG = ["--seeds", "60", "-n", "20", "--workers", "2", "-o", "killed"]


@pytest.mark.slow
def test_continues_after_a_kill(penstock: Run, small: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    running = start(["run", str(small), *LONG], tmp_path)
    wait_for_cells(killed, 5)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert not (killed / "run.json").exists()
    finished = {path: path.read_bytes() for path in (killed / "cells").glob("*.json")}
    assert 5 <= len(finished) < 240
    assert all(json.loads(data)["columns"] for data in finished.values())
    assert penstock("run", small, *LONG).returncode == 0
    assert all(path.read_bytes() == data for path, data in finished.items())
    assert penstock("run", small, *LONG[:-1], "whole").returncode == 0
    assert contents(killed) == contents(tmp_path / "whole")
    assert not list(killed.rglob("*.partial"))


@pytest.mark.slow
def test_no_worker_outlives_a_killed_run(small: Path, tmp_path: Path) -> None:
    running = start(["run", str(small), *LONG], tmp_path)
    wait_for_cells(tmp_path / "killed", 3)
    group = os.listdir("/proc")
    ours = [pid for pid in group if pid.isdigit() and str(running.pid) in ancestors(pid)]
    assert ours
    running.kill()
    running.communicate()
    end = time.monotonic() + 20
    while any(alive(pid) for pid in ours):
        assert time.monotonic() < end
        time.sleep(0.05)


def status(pid: str) -> Mapping[str, str]:
    """The fields of /proc/PID/status; empty if the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def ancestors(pid: str) -> list[str]:
    """The parents of a process, the nearest first."""
    found = []
    while (parent := status(pid).get("PPid", "0")) != "0":
        found.append(parent)
        pid = parent
    return found


def alive(pid: str) -> bool:
    """True for a process that is neither gone nor a zombie."""
    return status(pid).get("State", "Z")[0] not in "ZX"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_exits_with_130(small: Path, tmp_path: Path, workers: str) -> None:
    arguments = ["run", str(small), *LONG, "--workers", workers]
    running = start(arguments, tmp_path)
    wait_for_cells(tmp_path / "killed", 2)
    running.send_signal(signal.SIGINT)
    _, complaint = running.communicate(timeout=30)
    assert running.returncode == Exit.INTERRUPTED
    assert b"repeat the command to continue" in complaint
    assert b"Traceback" not in complaint


def test_finished_cells_are_not_run_again(penstock: Run, small: Path, tmp_path: Path) -> None:
    first = penstock("run", small, "-o", "out", "-j")
    again = penstock("run", small, "-o", "out", "-j")
    assert first.stdout == again.stdout  # wall_s too: it is the first run's
    more = penstock("run", small, "-o", "out", "-j", "--seeds", "3")
    assert set(first.stdout.splitlines()) < set(more.stdout.splitlines())
    changed = penstock("run", small, "-o", "out", "-j", "--set", "tcp.bulk.size=290kB")
    assert len(rows(changed.stdout)) == 8
    assert not set(changed.stdout.splitlines()) & set(first.stdout.splitlines())


def test_damaged_cell_is_run_again(penstock: Run, small: Path, tmp_path: Path) -> None:
    first = rows(penstock("run", small, "-o", "out", "-j").stdout)
    for number, cell in enumerate(sorted((tmp_path / "out" / "cells").iterdir())):
        cell.write_bytes(cell.read_bytes()[: 40 * number])
    assert rows(penstock("run", small, "-o", "out", "-j").stdout) == first


def test_unknown_schema_version_is_refused(penstock: Run, small: Path, tmp_path: Path) -> None:
    penstock("run", small, "-o", "out")
    path = tmp_path / "out" / "run.json"
    path.write_text(path.read_text().replace('"schema_version": 1', '"schema_version": 99'))
    for verb in (["run", small, "-o", "out"], ["report", "out"]):
        done = penstock(*verb)
        assert done.returncode == Exit.CONFIG
        assert "schema_version is 99, this Penstock knows 1" in done.stderr


def test_provenance(penstock: Run, small: Path, tmp_path: Path) -> None:
    penstock("run", small, "-o", "out", "--set", "ewt.start_bytes=9000", "--mode", "strict")
    about = json.loads((tmp_path / "out" / "run.json").read_bytes())
    assert about["schema_version"] == 1
    assert about["plan"]["seeds"] == [1, 2]
    assert about["plan"]["mode"] == "strict"
    assert about["plan"]["params"]["ewt"] == {"start_bytes": 9000}
    assert {"penstock", "engine", "python", "numpy"} <= set(about["versions"])
    assert set(about["git"]) == {"commit", "dirty"}
    assert about["scenario"]["setup"]["link"]["bottleneck"]["rate"] == 10_000_000


def test_where_nothing_can_be_written(penstock: Run, small: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = penstock("run", small, "-o", "file/below")
    assert done.returncode == Exit.FAILURE
    assert "cannot be written" in done.stderr
