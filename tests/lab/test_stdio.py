# SPDX-License-Identifier: GPL-2.0-only
"""Standard files that are full, closed, cut off or of another encoding: never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab_support import SMALL

from penstock.errors import Exit

PENSTOCK = f"{sys.executable} -m penstock"
RUN = f"{PENSTOCK} run small.toml -m droptail --receivers 65535"
VERBS = [
    f"{PENSTOCK} list",
    f"{PENSTOCK} methods ewt -j",
    f"{PENSTOCK} --help",
    f"{PENSTOCK} explain ewt --queue 100 --window 60000",
    RUN,
    f"{RUN} -j --workers 2",
]


def shell(command: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a line of bash."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_output_that_cannot_be_written(small: Path, verb: str) -> None:
    for where, why in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
        code, _, complaint = shell(f"{verb} {where}", small.parent)
        last = complaint.splitlines()[-1]
        assert (code, last) == (Exit.FAILURE, f"penstock: stdout: cannot be written: {why}")
        assert "Traceback" not in complaint
        assert "Exception" not in complaint


@pytest.mark.parametrize("verb", VERBS)
def test_a_reader_that_leaves_is_no_news(small: Path, verb: str) -> None:
    code, _, complaint = shell(f"({verb}; echo $? >code) | true", small.parent)
    assert code == 0
    assert (small.parent / "code").read_text() in ("1\n", "0\n")
    assert "stdout" not in complaint
    assert "Traceback" not in complaint
    assert "Exception" not in complaint


def test_a_run_stops_when_its_reader_leaves(small: Path) -> None:
    line = f"({RUN} -j --seeds 5000 --workers 2; echo $? >code) | head -1"
    code, out, complaint = shell(line, small.parent)
    assert (code, out.count("\n"), complaint) == (0, 1, "")
    assert (small.parent / "code").read_text() == "1\n"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, str]:
    """The rows of a run, without their last column."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "small.toml").write_text(SMALL)
    return shell(f"{RUN} -j | sed s/.wall_s.*//", folder)


@pytest.mark.parametrize("closed", ["2>/dev/full", "2>&-", "<&-", "2>&- <&-"])
def test_what_else_is_closed_changes_nothing(
    small: Path, plain: tuple[int, str, str], closed: str
) -> None:
    assert plain[1].count("\n") == 2
    assert shell(f"{RUN} -j --workers 2 {closed} | sed s/.wall_s.*//", small.parent) == plain
    assert shell(f"{PENSTOCK} run nothing.toml {closed}", small.parent)[:2] == (Exit.USAGE, "")


def test_results_are_kept_where_their_table_is_not_shown(small: Path) -> None:
    assert shell(f"{RUN} -o out >/dev/full", small.parent)[0] == Exit.FAILURE
    assert (small.parent / "out" / "run.json").exists()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The table of a run, with all its signs."""
    folder = tmp_path_factory.mktemp("table")
    (folder / "small.toml").write_text(SMALL)
    return shell(RUN, folder, PYTHONIOENCODING="utf-8")[1]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "ascii:strict"])
def test_signs_that_an_encoding_lacks(small: Path, table: str, encoding: str) -> None:
    assert "±" in table
    code, out, complaint = shell(RUN, small.parent, PYTHONIOENCODING=encoding)
    assert code == 0
    assert "Traceback" not in complaint
    if encoding != "latin-1":
        assert [line.split() for line in out.splitlines()] == [
            line.replace("±", "+-").split() for line in table.splitlines()
        ]
        assert "+- 95 % interval" in complaint


def test_names_that_are_no_text(small: Path) -> None:
    name = b"caf\xe9.toml"
    os.rename(small, os.fsencode(small.parent) + b"/" + name)
    for encoding in ("ascii", "utf-8"):
        code, out, _ = shell(
            f"{PENSTOCK} validate $'caf\\xe9.toml'", small.parent, PYTHONIOENCODING=encoding
        )
        assert code == 0
        assert out.encode("utf-8", "surrogateescape").startswith(name)
