# SPDX-License-Identifier: GPL-2.0-only
"""The notebooks run from the first cell to the last, and show what they show today."""

import re
from pathlib import Path

import nbformat
import pytest
from play_notebooks import notebooks, played, texts

NOTEBOOKS = notebooks()


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["analysis", "first-link", "paper-figure"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_nothing_internal(path: Path) -> None:
    code = "".join(
        cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"
    )
    assert "import penstock as ps" in code
    assert not re.search(r"penstock\.\w", code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_print(path: Path, tmp_path: Path) -> None:
    kept, now = nbformat.read(path, as_version=4), played(path, tmp_path)
    assert texts(now) == texts(kept), "tools/play_notebooks.py --update writes them"
    for notebook in (kept, now):
        shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        assert any("image/png" in output.get("data", {}) for output in shown), "a figure"
