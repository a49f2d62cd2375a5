# SPDX-License-Identifier: GPL-2.0-only
"""The HTML report of a folder of results: one file that needs nothing else."""

from pathlib import Path


def write(folder: Path, output: Path | None = None) -> Path:
    """Writes DIR/report.html, or `output`, from what DIR holds, and returns its path."""
    from penstock.report.data import gather
    from penstock.report.page import render
    from penstock.runs.store import Store

    path = output or folder / "report.html"
    partial = path.with_name(path.name + ".partial")
    partial.write_text(render(gather(Store(folder))), encoding="utf-8")
    partial.rename(path)
    return path
