# SPDX-License-Identifier: GPL-2.0-only
"""Links between documents lead somewhere."""

import re
from pathlib import Path

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
