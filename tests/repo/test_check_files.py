# SPDX-License-Identifier: GPL-2.0-only
"""The file rules hold, and would be missed if they did not."""

from pathlib import Path

import check_files
import pytest

HEAD = "# SPDX-License-Identifier: GPL-2.0-only\n"


def test_the_tree_keeps_its_rules(root: Path) -> None:
    assert check_files.check(root) == []


def test_a_readme_is_a_map_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "penstock"
    (folder / "cli").mkdir(parents=True)
    for name in ("cells.py", "__init__.py", "cli/run.py"):
        (folder / name).write_text(HEAD)
    page = folder / "README.md"
    page.write_text("`cells.py` and `cli/`\n")
    assert check_files.check(tmp_path) == []
    page.write_text("`cells.py`, `gone.py`\n")
    missing, gone = check_files.check(tmp_path)
    assert missing.startswith("penstock/README.md: cli/ is missing")
    assert gone == "penstock/README.md: there is no gone.py"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.py", "x = 1\n", "the first line must hold"),
        ("a.h", "\n// SPDX-License-Identifier: GPL-2.0-only\n", "the first line must hold"),
        ("run", "#!/bin/sh\necho\n", "the first line must hold"),
        ("a.py", HEAD + "x = 1\n" * 400, "401 lines; split it"),
        ("a.py", HEAD + "# TODO: more\n", "unfinished work"),
        ("a.md", "see /home/someone/notes\n", "a path of one machine"),
        ("a.md", "from https://pypi.org/simple\n", "the address of a package registry"),
        ("a.md", "None, but for one flow.\n", "'but for': write: except"),
        ("a.md", "The queue has not, Linux has.\n", "'has not': write: lack"),
        ("run", "#!/bin/sh\n" + HEAD + "# Anew.\n", "'anew': write: again"),
        ("a.py", HEAD + "# 4 bytes a second\n", "'bytes a second': write: per"),
    ],
)
def test_a_breach_is_found(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    (tmp_path / name).write_text(text)
    complaints = check_files.check(tmp_path)
    assert len(complaints) == 1
    assert complaint in complaints[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run", "#!/bin/sh\n" + HEAD),
        ("a.py", HEAD + "x = 1\n" * 399),
        ("requirements.lock", HEAD + "x==1\n" * 900),
        ("a.png", "\0"),
        ("a.md", "A second flow at a handover has not begun: see the amended table.\n"),
    ],
)
def test_what_is_allowed_passes(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert check_files.check(tmp_path) == []


def test_a_long_file_is_noted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(HEAD + "x = 1\n" * 320)
    assert check_files.long_files(tmp_path) == ["note: a.py has 321 lines"]
