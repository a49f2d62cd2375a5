# SPDX-License-Identifier: GPL-2.0-only
"""Bounds for the classes of the simulator: a class has one duty, and fits in a reader's head."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tree import ROOT, files

ROOMS = (
    *("sim/engine/", "sim/gateway/", "sim/net/", "sim/tcp/"),
    *("sim/quic/", "sim/traffic/", "sim/drill/"),
)
MOST_METHODS = 30
MOST_FIELDS = 20
MOST_FILES = 2  # its header, and one source file

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
HEAD = re.compile(r"(?<!enum )\b(class|struct)\s+(?:alignas\(\w+\)\s+)?(\w+)[^;{}()]*\{")
NO_MEMBER = re.compile(
    r"(?:using|enum|friend|static_assert|typedef)\b"
    r"|(?:struct|class|union) \w+(?: final)?\s*(?::[^{]*)?\{\}$"
    r"|.*=\s*(?:delete|default)$"
)
CONSTANT = re.compile(r"static\s+(?:inline\s+)?constexpr\b[^(]*(?:=|$)")
LABEL = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]|\btemplate\s*<[^<>]*>")


@dataclass(frozen=True)
class Size:
    """Of a class: what is counted, in the order of the bounds."""

    methods: int
    fields: int
    files: int


def body_from(text: str, start: int) -> str:
    """What is between the brace at `start` and its partner, inner braces emptied."""
    depth, inside = 0, []
    for char in text[start:]:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth == 0:
            break
        if depth == 1 or (depth == 2 and char == "{"):
            inside.append(char)
    return "".join(inside[1:])


def members(body: str) -> Iterator[str]:
    """The declarations of a class; its functions' bodies are `{}`, as emptied by body_from()."""
    text = LABEL.sub(" ", body)
    for part in re.split(r";|\{\}(?=\s*[^;,\s{}=])|\{\}\s*$", re.sub(r"\{\s*\}", "{}", text)):
        if member := " ".join(part.split()):
            yield member


def is_method(member: str) -> bool:
    """Whether a declaration is that of a function: its first parenthesis comes before any value."""
    plain = re.sub(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", member)
    return "operator" in plain or bool(re.match(r"[^={]*\(", plain))


def classes(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, methods and fields of each class; structs that are only data are left out."""
    text = ATTRIBUTE.sub(" ", COMMENT.sub("", text))
    for head in HEAD.finditer(text):
        found = [
            member
            for member in members(body_from(text, head.end() - 1))
            if not NO_MEMBER.match(member) and not CONSTANT.match(member)
        ]
        methods = sum(map(is_method, found))
        if head[1] == "class" or methods:
            yield head[2], methods, len(found) - methods


def sources_of(name: str, texts: dict[str, str]) -> int:
    """In how many source files functions of the class are defined."""
    defined = re.compile(rf"^[^\s#/].*\b{name}::[~\w]+\(", re.MULTILINE)
    return sum(1 for path, text in texts.items() if path.endswith(".cpp") and defined.search(text))


def complaints(texts: dict[str, str]) -> Iterator[str]:
    """What is above the bounds in these files."""
    for path in sorted(path for path in texts if path.endswith(".h")):
        folder = path.rpartition("/")[0] + "/"
        beside = {other: text for other, text in texts.items() if other.startswith(folder)}
        for name, methods, fields in classes(texts[path]):
            size = (methods, fields, 1 + sources_of(name, beside))
            most = (MOST_METHODS, MOST_FIELDS, MOST_FILES)
            for what, has, may in zip(("methods", "fields", "files"), size, most, strict=True):
                if has > may:
                    yield f"{path}: {name} has {has} {what}, {may} is the most: give one duty away"


def read(root: Path) -> dict[str, str]:
    """The C++ of the simulator, by path."""
    texts = {}
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if name.startswith(ROOMS) and path.suffix in {".h", ".cpp"}:
            texts[name] = path.read_text(encoding="utf-8")
    return texts


if __name__ == "__main__":
    found = list(complaints(read(ROOT)))
    print("\n".join(found))
    sys.exit(bool(found))
