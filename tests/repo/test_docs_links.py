# SPDX-License-Identifier: GPL-2.0-only
"""Links between documents lead somewhere."""

import re
import subprocess
from pathlib import Path

import pytest
import tree

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def dead_links(pages: list[Path]) -> list[str]:
    return [
        f"{page.name}: {target}"
        for page in pages
        for target in LINK.findall(page.read_text())
        if "://" not in target and not (page.parent / target).exists()
    ]


def test_links_between_documents_lead_somewhere() -> None:
    pages = [path for path in tree.files() if path.suffix == ".md"]
    assert len(pages) > 5
    assert dead_links(pages) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("[one](b.md), [two](a.md#part), [three](https://example.org/x)\n")
    assert dead_links([page]) == ["a.md: b.md"]


def test_the_site_is_built_without_a_dead_link(root: Path) -> None:
    """mkdocs is strict; what it needs is not installed for this test."""
    if not (root / "build" / "site-env" / "installed.lock").is_file():
        pytest.skip("the site was never built here: make site")
    done = subprocess.run([root / "tools" / "site"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    site = root / "build" / "site"
    assert "ps.link" in (site / "api.html").read_text()
    if (root / "build" / "browser" / "index.html").is_file():
        assert "../browser/index.html#rate=4mbit" in (site / "methods" / "ewt.html").read_text()
        assert (site / "browser" / "index.html").is_file()
    for page in (root / "papers").rglob("page.md"):
        assert (site / page.relative_to(root).with_suffix(".html")).is_file()
    assert len(list((site / "methods").glob("*.html"))) == len(
        list((root / "docs" / "methods").glob("*.md"))
    )
