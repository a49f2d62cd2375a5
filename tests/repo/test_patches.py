# SPDX-License-Identifier: GPL-2.0-only
"""Patches fit where lines have moved or a name has changed, and nowhere else."""

from pathlib import Path

import patches
import pytest

SOURCE = """\
u64 half(u64 bytes)
{
	u64 most = 10;

	if (bytes > most)
		bytes = most;
	return bytes / 2;
}
"""
PATCH = (
    "Caught by: proof half_is_bounded\n--- a/half.h\n+++ b/half.h\n@@ -2,7 +2,5 @@\n"
    " {\n \tu64 most = 10;\n \n"
    "-\tif (bytes > most)\n-\t\tbytes = most;\n-\treturn bytes / 2;\n+\treturn bytes;\n }\n"
)


def _with(source: str, root: Path, text: str = PATCH) -> str:
    (root / "half.h").write_text(source)
    return patches.changed(patches.parsed("half", text), root)["half.h"]


def test_a_patch_changes_its_place(tmp_path: Path) -> None:
    made = _with(SOURCE, tmp_path)
    assert made == "u64 half(u64 bytes)\n{\n\tu64 most = 10;\n\n\treturn bytes;\n}\n"


def test_lines_may_move(tmp_path: Path) -> None:
    assert _with("\n\n" + SOURCE, tmp_path) == "\n\n" + _with(SOURCE, tmp_path)


def test_what_is_around_may_change(tmp_path: Path) -> None:
    other = SOURCE.replace("= 10", "= 20").replace("}", "}\n/* more */")
    made = _with(other, tmp_path)
    assert "= 20" in made
    assert "/* more */" in made
    assert "> most" not in made


def test_names_may_change_as_a_tool_renames_them(tmp_path: Path) -> None:
    other = SOURCE.replace("bytes", "octets").replace("most", "limit")
    assert _with(other, tmp_path) == _with(SOURCE, tmp_path).replace("bytes", "octets").replace(
        "most", "limit"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bytes > most", "bytes >= most"),  # no name
        ("bytes > most", "octets > most"),  # one of four
        ("bytes", "most"),  # two names become one
    ],
)
def test_other_changes_of_its_lines_are_told(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(patches.PatchError, match=r"half: half\.h: no place fits"):
        _with(SOURCE.replace(old, new), tmp_path)


def test_two_places_are_told(tmp_path: Path) -> None:
    with pytest.raises(patches.PatchError, match="2 places fit"):
        _with(SOURCE + SOURCE, tmp_path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(patches.PatchError, match=r"half: half\.h is not there"):
        patches.changed(patches.parsed("half", PATCH), tmp_path)


def test_a_refreshed_patch_has_the_names_of_today(tmp_path: Path) -> None:
    other = "\n" + SOURCE.replace("bytes", "octets")
    made = _with(other, tmp_path)
    text = patches.refreshed(patches.parsed("half", PATCH), tmp_path)
    assert text.startswith("Caught by: proof half_is_bounded\n--- a/half.h\n")
    assert "-	if (octets > most)\n" in text
    assert patches.changed(patches.parsed("half", text), tmp_path)["half.h"] == made


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "there is no change in it"),
        ("--- a/half.h\n+++ b/half.h\n", "there is no change in it"),
        ("broken\n" + PATCH, "half:1: 'broken' is no line of a patch"),
    ],
)
def test_what_is_no_patch_is_told(text: str, match: str) -> None:
    with pytest.raises(patches.PatchError, match=match):
        patches.parsed("half", text)
