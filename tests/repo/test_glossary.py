# SPDX-License-Identifier: GPL-2.0-only
"""A term has one row in the glossary, and wordings that would give it another meaning stay away."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "glossary.md"
ROOMS = ("core", "sim", "ns3", "linux", "penstock", "browser", "docs", "README.md")
TERM = re.compile(r"\*([^*]+)\*")


def rows(head: str) -> list[list[str]]:
    """The cells of each row of the table with that head."""
    table = PAGE.read_text().partition(f"{head}\n|---|---|\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def texts() -> dict[str, str]:
    """Tracked files where the terms are used, blanks and line ends made one blank."""
    command = ["git", "ls-files", *ROOMS]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    kinds = (".md", ".h", ".c", ".cc", ".cpp", ".py", ".pyi", ".js", ".html")
    paths = [path for path in listed.splitlines() if path.endswith(kinds)]
    return {path: plain((ROOT / path).read_text()) for path in paths if ROOT / path != PAGE}


def plain(text: str) -> str:
    """In one line, without the marks that begin a line of a comment."""
    return re.sub(r"\s*\n[\s*/#]*", " ", text).lower()


def second_meanings(all_texts: dict[str, str]) -> list[str]:
    """Where a wording is that the glossary has a better one for."""
    return [
        f"{path}: {wrong!r}; write {right!r}"
        for wrong, right in rows("| not | but |")
        for path, text in all_texts.items()
        if re.search(rf"\b{re.escape(wrong)}\b", text)
    ]


def test_a_term_has_one_row() -> None:
    terms = [term for first, _ in rows("| term | meaning |") for term in TERM.findall(first)]
    assert len(terms) > 30
    assert terms == sorted(set(terms))


def test_no_other_page_has_terms_of_its_own() -> None:
    others = [path for path, text in texts().items() if "| term | meaning |" in text]
    assert others == []


def test_every_term_is_used() -> None:
    whole = " ".join(texts().values())
    for first, _ in rows("| term | meaning |"):
        for term in TERM.findall(first):
            assert re.search(rf"\b{term}", whole), term


def test_no_second_meaning() -> None:
    assert second_meanings(texts()) == []


def test_a_second_meaning_is_found_across_lines() -> None:
    text = plain("/*\n * The window has a floor\n * of two segments.\n */")
    assert second_meanings({"a.h": text}) == [
        "a.h: 'floor of'; write 'smallest window of, or lower bound of'"
    ]
