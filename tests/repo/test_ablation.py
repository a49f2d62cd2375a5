# SPDX-License-Identifier: GPL-2.0-only
"""The patches of the law's parts fit the tree; tools/ablation.py takes each of them out."""

from pathlib import Path

import ablation
import patches
import pytest


@pytest.mark.parametrize("patch", ablation.parts().values(), ids=lambda patch: patch.name)
def test_the_patch_of_a_part_fits_the_law(patch: patches.Patch, root: Path) -> None:
    for path, text in patches.changed(patch, root).items():
        assert path.startswith("core/")
        assert text != (root / path).read_text()


def test_each_patch_names_its_part() -> None:
    assert len(ablation.parts()) == len(patches.read_all(ablation.PARTS))


def test_the_copy_is_as_before_after_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ablation, "COPY", tmp_path)
    (tmp_path / "law.h").write_text("one\ntwo\n")
    head = "--- a/law.h\n+++ b/law.h\n@@ -1,2 +1,2 @@\n"
    one = patches.parsed("one", head + "-one\n+1\n two\n")
    two = patches.parsed("two", head + " one\n-two\n+2\n")
    with ablation.without((one, two)):
        assert (tmp_path / "law.h").read_text() == "1\n2\n"
    assert (tmp_path / "law.h").read_text() == "one\ntwo\n"


def test_words_select_parts() -> None:
    assert set(ablation.laws([], together=False)) == {ablation.WHOLE, *ablation.parts()}
    assert set(ablation.laws(["phases"], together=False)) == {ablation.WHOLE, "phases (5)"}


def test_parts_go_together() -> None:
    found = ablation.laws(["phases", "even windows"], together=True)
    known = ablation.parts()
    both = (known["phases (5)"], known["even windows (5)"])
    assert found == {ablation.WHOLE: (), ablation.SELECTED: both}


@pytest.mark.parametrize(("name", "flows"), ablation.CASES)
def test_a_case_is_a_scenario(name: str, flows: int, root: Path) -> None:
    assert (root / "scenarios" / f"{name}.toml").exists()
    assert flows > 0
