# SPDX-License-Identifier: GPL-2.0-only
"""Runs the ```sh and ```python blocks of the documents, and keeps what they show true.

The blocks of one document run in order in one empty folder. A ```text block that
follows one at once shows what it prints; `--update` rewrites it. A block is left
out if the line before it is a comment that starts with "not run" and says why.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tree import ROOT, files

BLOCK = re.compile(
    r"^(?:<!-- (?P<not_run>not run[^>]*) -->\n)?```(?P<language>sh|python)\n(?P<commands>.*?)^```\n"
    r"(?:\n```text\n(?P<shown>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
TIMEOUT_S = 300
PROGRAMS = {"sh": ("bash", "-euo", "pipefail"), "python": (sys.executable,)}


@dataclass(frozen=True)
class Done:
    """The result of one block."""

    language: str
    commands: str
    code: int
    printed: str
    errors: str
    shown: str | None


def documents() -> list[Path]:
    """Those with a block that is run."""
    pages = [path for path in files() if path.suffix == ".md"]
    return [p for p in pages if any(not b["not_run"] for b in BLOCK.finditer(p.read_text()))]


def trimmed(text: str) -> str:
    """Without trailing blanks, and without empty lines at both ends."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def play(text: str, folder: Path) -> list[Done]:
    """Runs a document's blocks; ends with the first that fails."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "200"}
    results: list[Done] = []
    for block in BLOCK.finditer(text):
        if block["not_run"] or (results and results[-1].code):
            continue
        done = subprocess.run(
            [*PROGRAMS[block["language"]], "-c", block["commands"]],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        printed = trimmed(done.stdout)
        found = (done.returncode, printed, done.stderr, block["shown"])
        results.append(Done(block["language"], block["commands"], *found))
    return results


def update(page: Path) -> None:
    """Writes what the commands of `page` print into it."""
    text = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        for done in play(text, Path(folder)):
            if done.code:
                sys.exit(f"{page}: {done.commands}{done.errors}")
            if done.shown is not None:
                block = f"```{done.language}\n{done.commands}```\n\n```text\n"
                old, new = f"{block}{done.shown}```", f"{block}{done.printed}```"
                text = text.replace(old, new)
    page.write_text(text)


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: doc_commands.py --update")
    for document in documents():
        print(document.relative_to(ROOT), flush=True)
        update(document)
