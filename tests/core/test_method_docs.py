# SPDX-License-Identifier: GPL-2.0-only
"""docs/methods: a page for every method, with the tables that core/ has."""

import subprocess
import sys
from pathlib import Path

import pytest

from penstock import _native
from penstock.scenario import params

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "methods"
GATEWAY = [m for m in (*_native.disciplines(), *_native.laws()) if m.name != params.NO_LAW]
METHODS = [*GATEWAY, *_native.senders(), *_native.sharings()]
OTHERS = {"README.md", "window-rules.md"}  # pages of no method
HEADINGS = ("## Equations", "## Deviations", "## Parameters", "## What to expect today")


def test_the_tables_are_those_of_core() -> None:
    script = ROOT / "tools" / "gen_method_docs.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", sorted({path.name for path in PAGES.glob("*.md")} - OTHERS))
def test_a_page_says_what_a_reader_wants(page: str) -> None:
    """Options of senders and receivers have pages too."""
    text = (PAGES / page).read_text(encoding="utf-8")
    assert [heading for heading in HEADINGS if f"\n{heading}" not in text] == []


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_each_method_has_a_page(method: _native.Method) -> None:
    page = f"{method.name.replace('_', '-')}.md"
    assert (PAGES / page).exists()
    assert f"[{method.name}]({page})" in (PAGES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", GATEWAY, ids=lambda method: method.name)
def test_a_formula_names_only_what_explain_knows(method: _native.Method) -> None:
    known = {"window_bytes", "queue_bytes", "buffer_bytes", "mss_bytes", "flows"}
    known |= {"whole_segments"}  # tests/lab/test_explain.py
    known |= {row.name.removesuffix("_q16").removesuffix("_q32") for row in method.params}
    known |= {row.name.removesuffix("_q16").removesuffix("_q32") for row in method.states}
    known |= {"min", "max", "log2", "round", "if", "else"}
    words = set(method.formula.replace("(", " ").replace(")", " ").replace(",", " ").split())
    assert {word for word in words if word[0].isalpha()} <= known
