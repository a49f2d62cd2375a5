# SPDX-License-Identifier: GPL-2.0-only
"""The archive of a reproduction: what is in it, that it is one, and that its check works."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penstock.cli import app

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import make_artifact  # noqa: E402


def reproduce(paper: str, folder: Path) -> str:
    arguments = ["reproduce", paper, "--seeds", "1", "-j", "-o", str(folder), "--workers", "1"]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "check.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def archive(small: str, tmp_path: Path) -> Path:
    """An archive of the small paper, and its results beside it."""
    results = tmp_path / "results"
    statements = reproduce(small, results)
    made = []
    for name in ("once", "twice"):
        folder = tmp_path / name / "penstock-small"
        make_artifact.collect("Small", "small --seeds 1", results, statements, folder)
        made.append(make_artifact.tar(folder))
    assert made[0].read_bytes() == made[1].read_bytes()
    return made[0]


def test_archive_is_checked_and_repeated(archive: Path, small: str, tmp_path: Path) -> None:
    with tarfile.open(archive) as packed:
        entries = packed.getmembers()
        packed.extractall(tmp_path / "there", filter="data")
    assert {(entry.mtime, entry.uid, entry.uname) for entry in entries} == {(0, 0, "")}
    folder = tmp_path / "there" / "penstock-small"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {
        *("README.md", "SHA256SUMS", "check.py", "versions.json", "requirements.lock"),
        *("source.tar.gz", "statements.jsonl", "results/reproduce.html"),
        *("results/small/run.json", "results/small/results.parquet", "results/small/report.html"),
    } <= names
    assert [name for name in names if name.startswith("scenarios/") and name.endswith("small.toml")]
    assert not [name for name in names if name.endswith(".lock") and "/" in name]
    with tarfile.open(folder / "source.tar.gz") as packed:
        assert f"penstock-{make_artifact.version()}/core/base.h" in packed.getnames()
    assert check(folder).returncode == 0

    reproduce(small, folder / "again")  # as README.md says
    assert check(folder, str(folder / "again")).returncode == 0
    done = check(folder, str(tmp_path))
    assert (done.returncode, "results.parquet: missing" in done.stdout) == (1, True)
    other = [
        "run",
        str(tmp_path / "small.toml"),
        "--seeds",
        "1",
        "-o",
        str(tmp_path / "x" / "small"),
    ]
    assert CliRunner().invoke(app, [*other, "--set", "tcp.bulk.size=1kB"]).exit_code == 0
    done = check(folder, str(tmp_path / "x"))
    assert (done.returncode, "results.parquet: other rows" in done.stdout) == (1, True)


def test_a_changed_file_is_found(archive: Path) -> None:
    folder = archive.with_name("penstock-small")
    (folder / "statements.jsonl").write_text("{}")
    (folder / "more").touch()
    (folder / "versions.json").unlink()
    done = check(folder)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "versions.json: missing",
        "more: not in SHA256SUMS",
        "statements.jsonl: changed",
    ]


def test_a_paper_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_artifact.main(["ewt-2091"]) == 2
    assert "PAPER=ewt-2019|" in capsys.readouterr().err
