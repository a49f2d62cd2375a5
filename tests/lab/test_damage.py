# SPDX-License-Identifier: GPL-2.0-only
"""Folders of results that were damaged: one line and exit 78, or the damage is made good."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from lab_support import SMALL
from typer.testing import CliRunner

from penstock.cli import app
from penstock.errors import Exit, UserError

RUN = ["run", "s.toml", "-m", "droptail,ewt", "--receivers", "65535", "-o", "out", "-j"]
CAPACITY = ["capacity", "s.toml", "-m", "droptail", "--receivers", "65535", "--levels", "1"]
CAPACITY += ["--most", "2", "--seeds", "1", "-o", "out"]
VERBS = {"report": ["report", "out"], "run": RUN, "capacity": CAPACITY}
JSON = ("run.json", "capacity.json")
OTHERS: tuple[Any, ...] = (7, 0.5, [], [1], {}, {"a": 1}, None, "text", True)
Change = Callable[[Path], object]


def outcome(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout, and the message of a user's mistake; anything else is raised."""
    done = CliRunner().invoke(app, arguments)
    if isinstance(done.exception, UserError):
        return done.exception.code, done.stdout, str(done.exception)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, ""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results of both kinds."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "s.toml").write_text(SMALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for arguments in (RUN, CAPACITY):
            assert outcome(*arguments)[0] == 0
    return folder


@pytest.fixture
def out(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to damage."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "out"


def contents(folder: Path) -> dict[str, bytes]:
    """All files except the lock and the page."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".json", ".parquet")
    }


def places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a JSON value with each of its keys."""
    keys = content.keys() if isinstance(content, dict) else range(len(content))
    for key in list(keys):
        yield content, key
        if isinstance(content[key], dict | list):
            yield from places(content[key])


def edits(data: bytes) -> Iterator[bytes]:
    """The file with each key removed, and each value replaced by one of another kind."""
    for number in range(len(list(places(json.loads(data))))):
        for other in (*OTHERS, "removed"):
            content = json.loads(data)
            container, key = list(places(content))[number]
            if other == "removed":
                del container[key]
            elif type(other) is type(container[key]) and other == container[key]:
                continue
            else:
                container[key] = other
            yield json.dumps(content, indent=1).encode() + b"\n"


def wrecks(data: bytes) -> Iterator[bytes]:
    """The file cut off, emptied, or replaced by something else."""
    yield from (data[:size] for size in range(0, len(data) - 2, max(1, len(data) // 20)))
    yield from (b"{}", b"[]", b"null", b"3", b'"text"', b"[" * 100_000, b"\xff\xfe\x00", b"\0" * 99)
    yield from (b'{"schema_version": 2}', b'{"schema_version": 2, "cells": []}', data[1:])


def refused(message: str, name: str) -> bool:
    """True for one line that names the file."""
    return message.count("\n") == 0 and message.startswith(f"out/{name}: ")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("damages", [edits, wrecks])
def test_a_damaged_summary_is_refused_and_runs_are_kept(
    out: Path, verb: str, name: str, damages: Callable[[bytes], Iterator[bytes]]
) -> None:
    before = contents(out)
    every = list(damages(before[name]))
    for data in every[:: 5 if verb == "report" else 20]:
        (out / name).write_bytes(data)
        code, printed, message = outcome(*VERBS[verb])
        assert (code, printed) == (Exit.CONFIG, ""), data
        assert refused(message, name), (message, data)
        assert contents(out) == before | {name: data}
    (out / name).unlink()
    assert [outcome(*arguments)[0] for arguments in (RUN, CAPACITY)] == [0, 0]
    assert contents(out) == before


def test_a_damaged_cell_is_run_again_and_no_other(out: Path) -> None:
    before = contents(out)
    name = f"cells/{json.loads(before['run.json'])['cells'][0]['key']}.json"
    every = [*edits(before[name]), *wrecks(before[name])]
    for data in every[:: len(every) // 15]:
        (out / name).write_bytes(data)
        code, _, message = outcome("report", "out")
        assert code == Exit.CONFIG
        assert refused(message, name)
        assert outcome(*RUN)[0] == 0
        after = contents(out)
        assert json.loads(after[name])["cell"] == json.loads(before[name])["cell"]
        assert {key for key in before if after[key] != before[key]} <= {name, "results.parquet"}
    assert outcome("report", "out")[0] == 0


def test_a_cell_in_the_place_of_another_is_run_again(out: Path) -> None:
    runs = json.loads((out / "run.json").read_bytes())["cells"]
    one, other = (out / "cells" / f"{run['key']}.json" for run in runs[:2])
    before = other.read_bytes()
    other.write_bytes(one.read_bytes())
    assert outcome("report", "out")[0] == Exit.CONFIG
    assert outcome(*RUN)[0] == 0
    assert json.loads(other.read_bytes())["cell"] == json.loads(before)["cell"]


def _other_columns(path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(path)


def _other_types(path: Path) -> None:
    pl.read_parquet(path).with_columns(pl.all().cast(pl.String)).write_parquet(path)


@pytest.mark.parametrize(
    "change",
    [
        _other_columns,
        _other_types,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:200]),
        lambda path: path.unlink(),
    ],
)
def test_the_table_is_written_again(out: Path, change: Change) -> None:
    before = contents(out)
    change(out / "results.parquet")
    assert outcome("report", "out")[0] == 0
    assert outcome(*RUN)[0] == 0
    assert contents(out) == before


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "name", ["run.json", "capacity.json", "results.parquet", "cells", ".lock", "report.html"]
)
def test_another_kind_of_file_in_its_place(out: Path, name: str, verb: str) -> None:
    path = out / name
    if path.is_dir():
        shutil.rmtree(path)
        path.write_text("")
    else:
        path.unlink(missing_ok=True)
        (path / "below").mkdir(parents=True)
    code, _, message = outcome(*VERBS[verb])
    assert code in (0, Exit.FAILURE, Exit.CONFIG)
    assert message.startswith("out") == (code != 0)
    assert "\n" not in message


@pytest.mark.parametrize("version", [1, 3, 99, "2", None, 2.0, True])
@pytest.mark.parametrize("name", JSON)
def test_an_unknown_schema_version_is_refused(out: Path, name: str, version: object) -> None:
    content = json.loads((out / name).read_bytes())
    (out / name).write_text(json.dumps(content | {"schema_version": version}))
    for arguments in VERBS.values():
        code, _, message = outcome(*arguments)
        assert code == Exit.CONFIG
        assert f"schema_version is {version!r}, this Penstock knows 2" in message
