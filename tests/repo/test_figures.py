# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of the documents are those of today's simulator, and are shown."""

from pathlib import Path

import downloads_picture
import figures

DRAWN = {"path.svg", "simulator-ack.svg", "simulator-events.svg", "window.svg"}  # by hand
MEASURED = "downloads.svg"  # drawn from a table
MOST_BYTES = {".svg": 8000, ".png": 250_000}  # drawn by us; shots of a page in a browser


def test_the_plots_are_what_the_simulator_makes() -> None:
    made = {path.name: content for path, content in figures.pictures()}
    kept = {path.name: path.read_text() for path in figures.FOLDER.glob("*.svg")}
    assert set(kept) - DRAWN - {MEASURED} <= set(made)
    assert kept[MEASURED] == figures.svg(downloads_picture.picture())
    old = [name for name in made if name in kept and kept[name] != made[name]]
    assert not old, "make docs writes them"


def test_every_picture_is_shown_and_small(root: Path) -> None:
    pages = "\n".join(page.read_text() for page in (root / "docs").rglob("*.md"))
    for picture in figures.FOLDER.iterdir():
        assert f"figures/{picture.name})" in pages, picture.name
        assert picture.stat().st_size < MOST_BYTES[picture.suffix], picture.name
