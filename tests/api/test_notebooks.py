# SPDX-License-Identifier: GPL-2.0-only
"""The notebooks run from the first cell to the last, and are kept without outputs."""

import warnings
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["analysis", "first-link", "paper-figure"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs for cell in cells)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client's event loop, not ours
        NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
        ).execute()
    last = [output for cell in cells for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in last), "it shows a figure"
