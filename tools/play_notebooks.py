# SPDX-License-Identifier: GPL-2.0-only
"""Runs the notebooks, and with `--update` keeps what their cells show in them."""

import sys
import tempfile
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
TIMEOUT_S = 600


def notebooks() -> list[Path]:
    """All of them."""
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def played(path: Path, folder: Path) -> NotebookNode:
    """The notebook with what its cells print and draw when they run in `folder`."""
    notebook = nbformat.read(path, as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client's event loop, not ours
        resources = {"metadata": {"path": folder}}
        NotebookClient(
            notebook,
            timeout=TIMEOUT_S,
            kernel_name="python3",
            record_timing=False,
            resources=resources,
        ).execute()
    notebook.metadata.language_info = {"name": "python"}  # else it names this Python's version
    return notebook


def texts(notebook: NotebookNode) -> list[str]:
    """What the cells print; figures are their size alone."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.get("text") or output["data"]["text/plain"] for output in outputs]


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: play_notebooks.py --update")
    for each in notebooks():
        with tempfile.TemporaryDirectory() as empty:
            nbformat.write(played(each, Path(empty)), each)
