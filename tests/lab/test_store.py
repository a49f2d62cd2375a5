# SPDX-License-Identifier: GPL-2.0-only
"""Results on disk: whole files only, continued after a kill, one schema version."""

import json
import signal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lab_support import SMALL, Run, command, rows, start, wait_for_cells

from penstock.columns import NAMES
from penstock.errors import Exit
from penstock.results.store import Store


def contents(folder: Path) -> dict[str, Any]:
    """All that a folder holds, by path, without the time that runs took."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            found[str(path.relative_to(folder))] = without_time(json.loads(path.read_bytes()))
        elif path.suffix == ".parquet":
            table = pl.read_parquet(path)
            assert path.name != "results.parquet" or tuple(table.columns) == NAMES
            found[path.name] = table.drop("wall_s", strict=False).to_dicts()
    return found


def without_time(content: dict[str, Any]) -> dict[str, Any]:
    """A cell's content without its wall_s."""
    content.get("columns", {}).pop("wall_s", None)
    del content["sha256"]
    return content


def test_results_of_any_workers_are_the_same(penstock: Run, small: Path, tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        assert penstock("run", small, "-o", name, "--workers", workers).returncode == 0
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert len(one) == 8 + 8  # cells; run.json and the tables
    assert one == two


LONG = ["--seeds", "60", "-n", "20", "--workers", "2", "-o", "killed"]


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
    lines = set(more.stdout.splitlines())
    less = penstock("run", small, "-o", "out", "-j", "-m", "ewt", "--seeds", "1")
    assert set(less.stdout.splitlines()) < lines
    assert len(pl.read_parquet(tmp_path / "out" / "results.parquet")) == len(lines) == 12


def test_methods_parameters_and_seeds_are_added(penstock: Run, small: Path, tmp_path: Path) -> None:
    """What several commands put together is what one would have: nothing is replaced."""
    narrow = ["--receivers", "65535"]
    penstock("run", small, "-o", "one", "-m", "droptail,ewt", *narrow)
    penstock("report", "one")
    penstock("run", small, "-o", "one", "-m", "ewt", "--set", "start_bytes=9000", *narrow)
    assert not (tmp_path / "one" / "report.html").exists(), "it shows other results"
    penstock("run", small, "-o", "one", "-m", "awm", "--seeds", "3", *narrow)
    table = pl.read_parquet(tmp_path / "one" / "results.parquet")
    runs = table.select("method", "parameters", "seed").rows()
    assert runs == [
        *(("droptail", "", seed) for seed in (1, 2)),
        *(("ewt", "", seed) for seed in (1, 2)),
        *(("ewt", "start_bytes=9kB", seed) for seed in (1, 2)),
        *(("awm", "", seed) for seed in (1, 2, 3)),
    ]
    penstock("run", small, "-o", "two", "-m", "droptail,ewt,awm", *narrow)
    penstock("run", small, "-o", "two", "-m", "droptail,ewt,awm", "--seeds", "3", *narrow)
    seeds = pl.read_parquet(tmp_path / "two" / "results.parquet")["seed"].to_list()
    assert seeds == [1, 2, 3] * 3
    page = penstock("report", "one")
    assert page.returncode == 0
    text = (tmp_path / "one" / "report.html").read_text()
    assert ">EWT start_bytes=9kB</td>" in text
    assert penstock("run", small, "-o", "one", *narrow).returncode == 0
    assert (tmp_path / "one" / "report.html").read_text() == text, "nothing was added"


def test_a_seed_counts_once_whether_sampled_or_not(
    penstock: Run, small: Path, tmp_path: Path
) -> None:
    narrow = ["--receivers", "65535", "-m", "ewt", "-o", "out"]
    for seeds in ("3", "2-4", "3-4"):
        assert penstock("run", small, *narrow, "--seeds", seeds).returncode == 0
    tables = (
        pl.read_parquet(tmp_path / "out" / f"{name}.parquet") for name in ("results", "series")
    )
    seeds, sampled = (sorted(table["seed"]) for table in tables)
    assert (seeds, set(sampled)) == ([1, 2, 3, 4], {1, 2, 3})


def test_only_its_own_partial_files_are_removed(tmp_path: Path) -> None:
    ours = {"cells/0123.json.1f.partial", "results.parquet.1f.partial", "run.json.1f.partial"}
    others = {"film.mkv.1f.partial", "sub/run.json.1f.partial"}
    for name in ours | others:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    Store(tmp_path).open().close()
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.partial")}
    assert left == others


def test_searches_are_added(penstock: Run, small: Path, tmp_path: Path) -> None:
    search = ["capacity", small, "--receivers", "65535", "--seeds", "1", "-o", "out"]
    for method in ("droptail", "ewt", "ewt"):
        assert penstock(*search, "-m", method, "--levels", "1", "--most", "2").returncode == 0
    kept = json.loads((tmp_path / "out" / "capacity.json").read_bytes())
    assert [record["method"] for record in kept["served"]] == ["droptail", "ewt"]
    assert {"scenario", "versions", "git", "schema_version"} <= set(kept)
    assert penstock("report", "out").returncode == 0, "a search alone has a report too"


@pytest.mark.parametrize("verb", ["run", "capacity"])
def test_another_scenario_is_not_mixed_in(
    penstock: Run, small: Path, tmp_path: Path, verb: str
) -> None:
    penstock("run", small, "-o", "out")
    (tmp_path / "other.toml").write_text(SMALL.replace('"300kB"', '"290kB"'))
    before = contents(tmp_path)
    done = penstock(verb, "other.toml", "-o", "out")
    assert (done.returncode, done.stdout) == (Exit.CONFIG, "")
    assert done.stderr.count("\n") == 1
    assert "out: holds results of another scenario (tcp.bulk.size" in done.stderr
    assert contents(tmp_path) == before


def test_every_file_says_how_it_came_to_be(penstock: Run, small: Path, tmp_path: Path) -> None:
    penstock("run", small, "-o", "out", "-m", "ewt", "--set", "start_bytes=9000", "--seeds", "1")
    out = tmp_path / "out"
    table = pl.read_parquet_metadata(out / "results.parquet")["penstock"]
    cells = [path.read_text() for path in (out / "cells").iterdir()]
    for about in map(json.loads, [(out / "run.json").read_text(), table, *cells]):
        assert about["schema_version"] == 2
        assert {"penstock", "engine", "python", "numpy"} <= set(about["versions"])
        assert set(about["git"]) == {"commit", "dirty"}
    for cell in map(json.loads, cells):
        assert cell["cell"]["params"] == {"start_bytes": 9000}
        assert cell["cell"]["seed"] == 1


def test_damaged_cell_is_run_again(penstock: Run, small: Path, tmp_path: Path) -> None:
    first = rows(penstock("run", small, "-o", "out", "-j").stdout)
    for number, cell in enumerate(sorted((tmp_path / "out" / "cells").iterdir())):
        cell.write_bytes(cell.read_bytes()[: 40 * number])
    assert rows(penstock("run", small, "-o", "out", "-j").stdout) == first


def test_provenance(penstock: Run, small: Path, tmp_path: Path) -> None:
    penstock("run", small, "-o", "out", "--set", "ewt.start_bytes=9000", "--mode", "strict")
    about = json.loads((tmp_path / "out" / "run.json").read_bytes())
    assert about["schema_version"] == 2
    assert about["plan"]["seeds"] == [1, 2]
    assert about["plan"]["modes"] == ["strict"]
    ours = [cell["params"] for cell in about["cells"] if cell["method"] == "ewt"]
    assert ours == [{"start_bytes": 9000}] * 4
    assert {"penstock", "engine", "python", "numpy"} <= set(about["versions"])
    assert set(about["git"]) == {"commit", "dirty"}
    assert about["scenario"]["setup"]["link"]["bottleneck"]["rate"] == 10_000_000


COUNTED = """
from importlib import metadata
found = metadata.Distribution.from_name
def counted(name):
    with open("asked", "a") as file:
        print(name, file=file)
    return found(name)
metadata.Distribution.from_name = counted
"""


def test_versions_are_looked_up_once(small: Path, tmp_path: Path) -> None:
    done = command("run", small, "--workers", "1", "-o", "out", cwd=tmp_path, first=COUNTED)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 8
    asked = (tmp_path / "asked").read_text().split()
    assert len(asked) == len(set(asked)) > 3


def test_where_nothing_can_be_written(penstock: Run, small: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = penstock("run", small, "-o", "file/below")
    assert done.returncode == Exit.FAILURE
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        *(["run", "small.toml", "-o", ""], ["report", ""], ["demo", "-o", " "]),
        *(["model", "pftk", "--losses", "0", "-o", ""], ["trace", "lte", "-o", ""]),
    ],
)
def test_a_folder_without_a_name_is_refused(
    penstock: Run, small: Path, tmp_path: Path, arguments: list[str]
) -> None:
    done = penstock(*arguments)
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert "is no path" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == [small]
