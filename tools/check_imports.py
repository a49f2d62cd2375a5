# SPDX-License-Identifier: GPL-2.0-only
"""Checks every #include and import of the tree against tools/import_rules.py."""

import ast
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from import_rules import CPP_STD, RULES, SYSTEM, Rule

CPP_ROOMS = ("core", "sim", "bench", "browser", "ns3", "linux")
PYTHON_ROOMS = ("penstock", "papers", "browser", "tools")
WORLD = "tests/world"  # of the tests, the one room with a rule
FROM_ROOT = tuple(f"{room}/" for room in (*CPP_ROOMS, "tests"))
STD_HEADER = re.compile(r"<[a-z_]+>")
SYSTEM_HEADER = re.compile(r"<(?:arpa/|linux/|linux/netfilter/|net/|netinet/|sys/)?[a-z_]+\.h>")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))', re.MULTILINE)


def rule_of(path: str) -> Rule | None:
    """The rule with the longest room that holds `path`."""
    rules = [rule for rule in RULES if path.startswith(rule.room)]
    return max(rules, key=lambda rule: len(rule.room), default=None)


def cpp_imports(root: Path, path: str, text: str) -> Iterator[str]:
    """Project headers as paths from the root; foreign ones in angle brackets."""
    for ours, foreign in INCLUDE.findall(text):
        if foreign:
            yield foreign
        elif (root / posixpath.dirname(path) / ours).is_file():
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), ours))
        elif ours.startswith(FROM_ROOT) or ours == "vmlinux.h":
            yield ours
        else:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), ours))


def python_imports(root: Path, path: str, text: str) -> Iterator[str]:
    """Project modules as paths from the root; foreign ones by their top name."""
    for node in ast.walk(ast.parse(text, path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from module_path(root, path, alias.name)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield f"relative import in line {node.lineno}"
                continue
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if any(module_file(root, whole)):
                    yield from module_path(root, path, whole)
                else:
                    yield from module_path(root, path, node.module or "")


def module_file(root: Path, module: str) -> Iterator[str]:
    """The files that `module` may be."""
    stem = module.replace(".", "/")
    for name in (f"{stem}.py", f"{stem}.pyi", f"{stem}/__init__.py"):
        if (root / name).is_file():
            yield name


def module_path(root: Path, path: str, module: str) -> Iterator[str]:
    """What an import of `module` in the file `path` means, unless it is standard."""
    sibling = f"{posixpath.dirname(path)}/{module}.py"
    found = next(module_file(root, module), None)
    if found:
        yield found
    elif path.startswith(("papers/", "browser/", "tools/")) and (root / sibling).is_file():
        yield sibling
    elif module.partition(".")[0] not in sys.stdlib_module_names:
        yield module.partition(".")[0]


def allowed(rule: Rule, imported: str) -> bool:
    """Whether `imported` is of the same room, or the room's own list has it."""
    if rule_of(imported) is rule:
        return True
    if CPP_STD in rule.may and STD_HEADER.fullmatch(imported):
        return True
    if SYSTEM in rule.may and SYSTEM_HEADER.fullmatch(imported):
        return True
    return any(
        imported == may or (may.endswith("/") and imported.startswith(may)) for may in rule.may
    )


def complaints_about(path: str, imports: Iterator[str]) -> Iterator[str]:
    """One line for each import that the rules forbid."""
    rule = rule_of(path)
    if rule is None:
        yield f"{path}: no rule in tools/import_rules.py holds for this file"
        return
    for imported in imports:
        if not allowed(rule, imported):
            yield f"{path}: must not import {imported} ({rule.room}: {rule.why})"


def check(root: Path) -> list[str]:
    """All complaints about the tree at `root`."""
    complaints: list[str] = []
    for room in (*CPP_ROOMS, WORLD):
        for file in sorted((root / room).rglob("*")):
            if file.suffix in {".h", ".c", ".cc", ".cpp"}:
                path = file.relative_to(root).as_posix()
                complaints += complaints_about(path, cpp_imports(root, path, file.read_text()))
    for room in PYTHON_ROOMS:
        for file in sorted((root / room).rglob("*.py")):
            if file.name.startswith("test_"):  # may import anything
                continue
            path = file.relative_to(root).as_posix()
            complaints += complaints_about(path, python_imports(root, path, file.read_text()))
    return complaints


if __name__ == "__main__":
    found = check(Path(__file__).resolve().parents[1])
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
