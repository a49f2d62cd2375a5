# SPDX-License-Identifier: GPL-2.0-only
"""Hooks of mkdocs: what the site has beside docs/, and links to files of the tree.

The API's reference page is made of its modules. The papers' pages are pages of the site too, and
any other file of the tree that a page links to is copied beside them. The lab in a browser, once it
is built, is shown where a page has a setting of it.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))  # mkdocs loads this file alone

import api_reference
from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
PAPERS: Final = ROOT / "papers"
INDEX: Final = "papers/README.md"  # what the site has in its place also links to every page
LINK: Final = re.compile(r"\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")
LAB: Final = ROOT / "build/browser/index.html"
SETTING: Final = re.compile(r"^\[In a browser\]\([^)]*\): `(#[^`]*)`$", re.MULTILINE)
SHOWN: Final = (
    '<p><a href="{address}">In a browser, on a page of its own</a></p>\n'
    '<iframe src="{address}" title="The lab in a browser" loading="lazy"'
    ' style="width: 100%; height: 52rem; border: 0"></iframe>'
)


def _source(page: str) -> Path:
    """The file that a page of the site is made of."""
    return DOCS / page if (DOCS / page).is_file() else ROOT / page


def _papers() -> list[Path]:
    return sorted(PAPERS.rglob("page.md"))


def _index() -> str:
    """The papers' README, and a link to the page of each."""
    text = (ROOT / INDEX).read_text()
    links = (path.relative_to(PAPERS).as_posix() for path in _papers())
    return "\n".join([text, *(f"- [{Path(link).parent.as_posix()}]({link})" for link in links)])


def _target(page: Path, target: str) -> Path | None:
    """The file of the tree that a page links to."""
    path = Path(os.path.normpath(page.parent / target))
    return path if "://" not in target and path.is_file() else None


def _place(path: Path) -> str:
    """Where the site has a file of the tree: pages as pages, others as texts."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix()
    return name if name == INDEX or path in _papers() else f"tree/{name}.txt"


def on_files(files: Files, config: Any) -> Files:
    """Adds the reference, the papers, and the files that pages link to."""
    files.append(File.generated(config, "api.md", content=api_reference.text()))
    if LAB.is_file():
        files.append(File.generated(config, "browser/index.html", abs_src_path=str(LAB)))
    files.append(File.generated(config, INDEX, content=_index()))
    linked: set[Path | None] = set(_papers())
    for page in (*DOCS.rglob("*.md"), ROOT / INDEX, *_papers()):
        linked |= {_target(page, target) for target, _ in LINK.findall(page.read_text())}
    linked.discard(ROOT / INDEX)
    for path in sorted(path for path in linked if path and not path.is_relative_to(DOCS)):
        files.append(File.generated(config, _place(path), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leads links to files of the tree to their copies, and shows the lab at its settings."""
    name = page.file.src_uri

    def lead(found: re.Match[str]) -> str:
        path = _target(_source(name), found[1])
        if path is None:
            return found[0]
        return f"]({os.path.relpath(_place(path), Path(name).parent)}{found[2]})"

    def show(found: re.Match[str]) -> str:
        lab = os.path.relpath("browser/index.html", Path(name).parent)
        return SHOWN.format(address=lab + found[1].replace("&", "&amp;"))

    if LAB.is_file():
        markdown = SETTING.sub(show, markdown)
    return LINK.sub(lead, markdown)
