# SPDX-License-Identifier: GPL-2.0-only
"""Hooks of mkdocs: what the site has beside docs/, and links to files of the tree.

The API's reference page is made of its modules, and a file of the tree that a page links to is
copied beside the pages. The lab in a browser, once it is built, is shown where a page has a
setting of it.
"""

import os
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
MODULES: Final = ("links", "play", "questions", "results")
LINK: Final = re.compile(r"\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")
LAB: Final = ROOT / "build/browser/index.html"
SETTING: Final = re.compile(r"^\[In a browser\]\([^)]*\): `(#[^`]*)`$", re.MULTILINE)
SHOWN: Final = (
    '<p><a href="{address}">In a browser, on a page of its own</a></p>\n'
    '<iframe src="{address}" title="The lab in a browser" loading="lazy"'
    ' style="width: 100%; height: 52rem; border: 0"></iframe>'
)
API: Final = "# The Python API\n\n`import penstock as ps` has these names.\n\n"


def _outside(page: str, target: str) -> str:
    """The path in the tree of what a page links to, if that is a file outside docs/."""
    if "://" in target:
        return ""
    path = Path(os.path.normpath(DOCS / page)).parent / target
    path = Path(os.path.normpath(path))
    inside = path.is_relative_to(DOCS) or not path.is_file()
    return "" if inside else path.relative_to(ROOT).as_posix()


def _place(path: str) -> str:
    """Where the site has a file of the tree; as a text, which browsers show."""
    return f"tree/{path}.txt"


def on_files(files: Files, config: Any) -> Files:
    """Adds the reference, and the files that pages link to."""
    reference = API + "\n\n".join(f"::: penstock.api.{name}" for name in MODULES)
    files.append(File.generated(config, "api.md", content=reference))
    linked = set()
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        linked |= {_outside(name, target) for target, _ in LINK.findall(page.read_text())}
    if LAB.is_file():
        files.append(File.generated(config, "browser/index.html", abs_src_path=str(LAB)))
    for path in sorted(linked - {""}):
        files.append(File.generated(config, _place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leads links to files of the tree to their copies, and shows the lab at its settings."""
    name = page.file.src_uri

    def lead(found: re.Match[str]) -> str:
        path = _outside(name, found[1])
        if not path or name.startswith("tree/"):
            return found[0]
        return f"]({os.path.relpath(_place(path), Path(name).parent)}{found[2]})"

    def show(found: re.Match[str]) -> str:
        lab = os.path.relpath("browser/index.html", Path(name).parent)
        return SHOWN.format(address=lab + found[1].replace("&", "&amp;"))

    if LAB.is_file():
        markdown = SETTING.sub(show, markdown)
    return LINK.sub(lead, markdown)
