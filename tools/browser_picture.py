# SPDX-License-Identifier: GPL-2.0-only
"""Writes docs/figures/browser.png: what build/browser/index.html shows at the end of its runs."""

import tempfile
from pathlib import Path
from typing import Final

from chromium import Chromium

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURE: Final = ROOT / "docs/figures/browser.png"
ENDED: Final = "document.getElementById('play').textContent === 'Play'"


def main() -> None:
    """Opens the page at its usual settings."""
    page = ROOT / "build/browser/index.html"
    with tempfile.TemporaryDirectory() as profile, Chromium(Path(profile)) as browser:
        browser.screen(1280, 900)
        browser.open(page.as_uri())
        browser.until(lambda: browser.ask(ENDED))
        PICTURE.write_bytes(browser.picture())


if __name__ == "__main__":
    main()
