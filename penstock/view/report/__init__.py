# SPDX-License-Identifier: GPL-2.0-only
"""The HTML report of a folder of results."""

from pathlib import Path

from penstock.errors import UserError


def write(
    folder: Path,
    output: Path | None = None,
    *,
    shared: Path | None = None,
    one_file: bool = False,
    title: str | None = None,
) -> Path:
    """Writes DIR/report.html, or `output`, from what DIR holds, and returns its path.

    The plotting library goes beside it, or to the folder `shared`, or into it: `one_file`.
    """
    from penstock.results.store import Store
    from penstock.view.plots.data import gather
    from penstock.view.report import page
    from penstock.view.report.document import Place

    path = output or folder / "report.html"
    try:
        return page.write(Place(path, shared, one_file), gather(Store(folder)), title)
    except OSError as error:
        target = output or folder
        raise UserError(f"{target}: the report cannot be written: {error.strerror}") from None
