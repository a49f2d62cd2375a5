# SPDX-License-Identifier: GPL-2.0-only
"""The table of the law's parts fits the tree; tools/ablation.py takes each of them out."""

from pathlib import Path

import ablation
import pytest
from law_parts import PARTS, Change
from rule_mutants import MutantError


@pytest.mark.parametrize("name", PARTS)
def test_each_change_of_a_part_is_of_one_place(name: str, root: Path) -> None:
    for change in PARTS[name]:
        text = (root / change.path).read_text()
        assert ablation.changed(change, text) != text


def test_a_text_that_is_not_there_is_an_error() -> None:
    with pytest.raises(MutantError, match="0 times"):
        ablation.changed(Change("core/base.h", "gone", ""), "here")


def test_the_copy_is_as_before_after_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "COPY", tmp_path)
    (tmp_path / "law.h").write_text("one two")
    changes = (Change("law.h", "one", ""), Change("law.h", " two", "2"))
    with ablation.without(changes):
        assert (tmp_path / "law.h").read_text() == "2"
    assert (tmp_path / "law.h").read_text() == "one two"


def test_words_select_parts() -> None:
    assert set(ablation.laws([], together=False)) == {ablation.WHOLE, *PARTS}
    assert set(ablation.laws(["phases"], together=False)) == {ablation.WHOLE, "phases (5)"}


def test_parts_go_together() -> None:
    both = PARTS["phases (5)"] + PARTS["even windows (5)"]
    found = ablation.laws(["phases", "even windows"], together=True)
    assert found == {ablation.WHOLE: (), ablation.SELECTED: both}


@pytest.mark.parametrize(("name", "flows"), ablation.CASES)
def test_a_case_is_a_scenario(name: str, flows: int, root: Path) -> None:
    assert (root / "scenarios" / f"{name}.toml").exists()
    assert flows > 0
