# SPDX-License-Identifier: GPL-2.0-only
"""Tables on terminals of any width: whole words and numbers, and what is left out is named."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab_support import SMALL

from penstock.cli import layout
from penstock.results.tables import SUMMARY

columns = st.lists(
    st.integers(1, 30).flatmap(
        lambda least: st.builds(layout.Column, st.just(least), st.integers(least, 60))
    ),
    min_size=2,
    max_size=12,
)


def at_width(width: int | str, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "penstock", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(width)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@given(columns, st.integers(20, 200))
def test_what_is_kept_fits(asked: list[layout.Column], width: int) -> None:
    chosen = layout.kept(asked, range(len(asked)), width)
    held = [asked[index] for index in chosen]
    given = layout.widths(held, width)
    assert chosen[0] == 0
    assert len(chosen) >= 2
    assert all(c.least <= w <= c.natural for c, w in zip(held, given, strict=True))
    fits = sum(given) + layout.GAP * (len(given) - 1) <= width
    assert fits or len(chosen) == 2
    room = sum(c.natural for c in asked) + layout.GAP * (len(asked) - 1)
    if room <= width:
        assert given == [c.natural for c in asked]


def test_those_of_the_lowest_rank_are_kept() -> None:
    asked = [layout.Column(10, 10)] * 4
    assert layout.kept(asked, [0, 3, 1, 2], 34) == [0, 2, 3]


@pytest.mark.parametrize("size", ["0", "-1", "²", "1" * 5000, ""])
def test_no_size_of_a_terminal_is_as_if_there_were_none(tmp_path: Path, size: str) -> None:
    assert at_width(size, tmp_path, "methods") == at_width(200, tmp_path, "methods")


@pytest.mark.parametrize("width", [80, 60])
def test_a_summary_is_cut_by_whole_columns(tmp_path: Path, width: int) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    run = ["run", "small.toml", "-m", "droptail,ewt", "-n", "12", "--receivers", "65535"]
    wide, narrow = at_width(200, tmp_path, *run), at_width(width, tmp_path, *run)
    assert all(len(line) <= width for line in narrow.splitlines())
    numbers = re.findall(r"[\d.]+ ± [\d.]+", narrow)
    assert set(numbers) <= set(re.findall(r"[\d.]+ ± [\d.]+", wide))
    rows = [line for line in narrow.splitlines() if line.startswith(("droptail", "ewt"))]
    assert len(rows) == 2
    text = " ".join(narrow.split())
    assert f"too wide for {width} columns:" in text
    gone = text.split("columns: ")[1].split(";")[0].split(", ")
    assert set(gone) < {shown.title for shown in SUMMARY}
    assert "loss %" not in gone
    assert len(gone) + len(numbers) // 2 == len(SUMMARY)
    assert "too wide" not in wide


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("verb", ["list", "methods"])
def test_texts_are_wrapped_between_words(tmp_path: Path, verb: str, width: int) -> None:
    wide, narrow = at_width(300, tmp_path, verb), at_width(width, tmp_path, verb)
    assert all(len(line) <= width for line in narrow.splitlines())
    assert set(narrow.split("too wide")[0].split()) <= set(wide.split())
