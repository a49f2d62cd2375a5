# SPDX-License-Identifier: GPL-2.0-only
"""Hooks of mkdocs: what the site has beside docs/, and links to files of the tree.

The API's reference page is made of its modules, and a file of the tree that a page links to is
copied beside the pages.
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
    for path in sorted(linked - {""}):
        files.append(File.generated(config, _place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leads links to files of the tree to their copies."""
    name = page.file.src_uri

    def lead(found: re.Match[str]) -> str:
        path = _outside(name, found[1])
        if not path or name.startswith("tree/"):
            return found[0]
        return f"]({os.path.relpath(_place(path), Path(name).parent)}{found[2]})"

    return LINK.sub(lead, markdown)
