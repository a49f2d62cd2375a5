# SPDX-License-Identifier: GPL-2.0-only
"""Results on disk: whole files only, continued after a kill, one schema version."""

import json
import signal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lab_support import Run, rows, start, wait_for_cells

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


LONG = ["--seeds", "60", "-n", "20", "--workers", "2", "-o", "killed"]


@pytest.mark.slow
def test_continues_after_a_kill(penstock: Run, small: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    running = start(tmp_path, "run", str(small), *LONG)
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
