# SPDX-License-Identifier: GPL-2.0-only
"""A new paper is a folder in papers/: the lab and its documents know it without another change.

A dummy is added to a copy of papers/, and the lab as it is runs on the copy.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import tree

DUMMY = Path(__file__).parent / "dummies" / "paper"
NAME = "dummy-2026"
START = """\
import sys
from pathlib import Path
from penstock import version
version.PACKAGE = Path(sys.argv.pop(1)) / "penstock"
from penstock.__main__ import main
sys.exit(main())
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for room in ("papers", "scenarios"):
        shutil.copytree(tree.ROOT / room, root / room)
    (root / "docs").symlink_to(tree.ROOT / "docs")
    shutil.copytree(DUMMY, root / "papers" / NAME)
    return root


def penstock(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START, str(copy), *arguments]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)


def records(copy: Path, *arguments: str) -> list[dict[str, str]]:
    done = penstock(copy, *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_its_scenario_is_listed(copy: Path) -> None:
    listed = {each["name"]: each["reproduces"] for each in records(copy, "list", "-j")}
    assert listed[f"{NAME}/small"] == "dummy-2026 Fig. 1"
    assert not [name for name in listed if Path(name).name in ("paper", "expected")]


def test_it_is_cited(copy: Path) -> None:
    done = penstock(copy, "cite", NAME)
    assert "@article{dummy-2026," in done.stdout
    assert "author = {Doe, Jo}" in done.stdout


def test_it_is_reproduced_with_its_own_analysis(copy: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    found = records(copy, "reproduce", NAME, "--workers", "1", "-j", "-o", str(folder))
    verdicts = [(each["figure"], each["verdict"]) for each in found[:-1]]
    assert [figure for figure, _ in verdicts] == ["Fig. 9", "Fig. 1"]
    assert found[-1]["of"] == NAME
    page = (folder / "reproduce.html").read_text()
    assert "A dummy paper (2026)" in page
    assert f"papers/{NAME}/page.md" in page
    assert "dummy-2026" in (folder / "small" / "report.html").read_text()
    assert penstock(copy, "report", str(folder / "small")).returncode == 0


def test_what_it_leaves_open_is_fitted(copy: Path, tmp_path: Path) -> None:
    options = ("--seeds", "2", "--workers", "1", "-j", "-o", str(tmp_path))
    found = records(copy, "fit", NAME, *options)
    assert sorted(each["moved"] for each in found) == [[], ["sender: tcp.bulk.congestion=newreno"]]


def test_a_wrong_key_is_named_by_file_and_line(copy: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    shutil.copytree(copy / "papers" / NAME, there / "papers" / NAME)
    (there / "scenarios").mkdir()
    path = there / "papers" / NAME / "paper.toml"
    path.write_text(path.read_text().replace("analyses", "analyzes"))
    done = penstock(there, "reproduce", NAME)
    assert done.returncode == 78
    assert f"{path}:3: analyzes: unknown key 'analyzes'; did you mean 'analyses'?" in done.stderr
    path.write_text(path.read_text().replace("analyzes", "analyses").replace("_analysis", "_s"))
    done = penstock(there, "reproduce", NAME, "-o", str(tmp_path / "out"))
    assert done.returncode == 78
    assert "there is no dummy_s.py beside it" in done.stderr


PAPERS = sorted(path.parent for path in (tree.ROOT / "papers").rglob("paper.toml"))


@pytest.mark.parametrize("folder", PAPERS, ids=lambda folder: folder.name)
def test_a_paper_is_whole(folder: Path) -> None:
    tables = tomllib.loads((folder / "paper.toml").read_text())
    page = tables.get("document", f"{folder.relative_to(tree.ROOT)}/page.md")
    assert (tree.ROOT / page).is_file()


def test_the_lab_runs_no_paper_by_name() -> None:
    """Citations and examples may name one; what runs, judges and draws papers may not."""
    names = {path.relative_to(tree.ROOT / "papers").parts[0] for path in PAPERS}
    word = re.compile("|".join(map(re.escape, sorted(names))))
    rooms = (
        "penstock/api/reproduce/",
        "penstock/view/report/",
        "penstock/runs/",
        "penstock/cli/reproduce",
    )
    found = [
        f"{path.relative_to(tree.ROOT)}: {line.strip()}"
        for path in tree.files()
        if path.relative_to(tree.ROOT).as_posix().startswith((*rooms, "penstock/cli/fit"))
        for line in path.read_text().splitlines()
        if path.suffix == ".py" and word.search(line)
    ]
    assert [line for line in found if '"""' not in line] == []
