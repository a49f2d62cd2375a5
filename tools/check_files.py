# SPDX-License-Identifier: GPL-2.0-only
"""Rules for every file: licence line, length, and forbidden content and words."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from english import idioms
from tree import ROOT, files

SPDX = "SPDX-License-Identifier: GPL-2.0-only"
WITH_SPDX = {
    ".c",
    ".cc",
    ".cff",
    ".cmake",
    ".cpp",
    ".h",
    ".in",
    ".lock",
    ".py",
    ".pyi",
    ".sh",
    ".toml",
}
CAP_LINES = 400
WARN_LINES = 300
# Long by nature: the licence, what tools write, and the papers' figures as data.
FREE_OF_CAP = re.compile(r"LICENSE|.*\.lock|(?:scenarios|papers)/.*\.toml|core/.*/dispatch\.h")
TEXT = WITH_SPDX | {".md", ".txt", ".csv", ".j2", ".css", ".js", ""}

FORBIDDEN = (
    (re.compile(r"\b(?:TODO|FIXME|XXX)\b"), "unfinished work: finish it or open an issue"),
    (re.compile(r"(?<![\w.])/(?:work|tmp|home)/\w"), "a path of one machine"),
    (re.compile(r"//(?:[\w-]+\.)*(?:pypi|pythonhosted)\."), "the address of a package registry"),
)
MAPPED = ("penstock", "sim", "tests")  # whose README is a map of the folder
NAMED = re.compile(r"`([\w/]+(?:\.\w+)?)`")
MODULE = re.compile(r"[a-z]\w*\.py")
SELF = {"tools/check_files.py", "tools/english.py", "tests/repo/test_check_files.py"}


def needs_spdx(path: Path) -> bool:
    """Code, build files and scripts carry the line; prose and data do not."""
    return path.suffix in WITH_SPDX or path.name in {"CMakeLists.txt", "Makefile"}


def complaints_about(path: Path, name: str) -> Iterator[str]:
    """The violations in one file."""
    if path.suffix not in TEXT:
        return
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    script = bool(lines) and lines[0].startswith("#!")
    if needs_spdx(path) or script:
        first = lines[script] if len(lines) > script else ""
        if SPDX not in first:
            yield f"{name}:{1 + script}: the first line must hold {SPDX!r}"
    if len(lines) > CAP_LINES and not FREE_OF_CAP.fullmatch(name):
        yield f"{name}: {len(lines)} lines; split it, {CAP_LINES} is the most"
    if name in SELF:
        return
    for number, line in enumerate(lines, 1):
        for pattern, why in FORBIDDEN:
            if found := pattern.search(line):
                yield f"{name}:{number}: {found[0]!r}: {why}"
    for number, words, instead in idioms(text):
        yield f"{name}:{number}: {words!r}: write: {instead}"


def parts(folder: Path, root: Path) -> set[str]:
    """The folders of a folder, and its modules except `__init__.py` and similar ones."""
    inside = [path.relative_to(folder).parts for path in files(root) if folder in path.parents]
    folders = {f"{first}/" for first, *rest in inside if rest}
    return folders | {first for first, *rest in inside if not rest and MODULE.fullmatch(first)}


def unnamed_parts(root: Path) -> Iterator[str]:
    """Parts that directory READMEs leave out, and named modules that do not exist."""
    for name in MAPPED:
        page = root / name / "README.md"
        if not page.exists():
            continue
        held = parts(page.parent, root)
        named = set(NAMED.findall(page.read_text(encoding="utf-8")))
        for part in sorted(held - named):
            yield f"{name}/README.md: {part} is missing; say in a few words what it is for"
        for part in sorted(each for each in named - held if MODULE.fullmatch(each)):
            yield f"{name}/README.md: there is no {part}"


def check(root: Path) -> list[str]:
    """All complaints about the tree at `root`."""
    complaints: list[str] = []
    for path in files(root):
        complaints += complaints_about(path, path.relative_to(root).as_posix())
    return complaints + list(unnamed_parts(root))


def long_files(root: Path) -> list[str]:
    """Files close to the length limit."""
    long = []
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if path.suffix in TEXT and not FREE_OF_CAP.fullmatch(name):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if WARN_LINES < lines <= CAP_LINES:
                long.append(f"note: {name} has {lines} lines")
    return long


if __name__ == "__main__":
    found = check(ROOT)
    print("\n".join(long_files(ROOT) + found))
    sys.exit(bool(found))
