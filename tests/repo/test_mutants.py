# SPDX-License-Identifier: GPL-2.0-only
"""The mutants of tests/mutants fit the tree and name what is there; `make nightly` tries them."""

import fnmatch
import re
from collections import Counter
from pathlib import Path

import catchers
import check_rules
import mutants
import patches
import prove
import pytest
from compiler import has_header

RULES = set(range(1, check_rules.LAST_RULE + 1))
# Rules without a mutant, whose tests take namespaces and minutes: counts and order of packets on
# a wire, connection tracking of a router, other kernels.
ELSEWHERE = {12, 22, 33}
ALL = mutants.mutants()
PATCHES = {each.name: each.patch for each in ALL}
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
SHARED = "core/rewrite/window.h"
HARMLESS = "/* @bytes as a field, rounded up (R3) and at most @offered_field (R1). */"


def _rule(mutant: mutants.Mutant) -> int:
    found = re.fullmatch(r"R(\d+)", mutant.group)
    return int(found[1]) if found else 0


def _name(patch: patches.Patch) -> str:
    return patch.name


def _of(*kinds: str) -> pytest.MarkDecorator:
    found = [each for each in ALL if each.catcher.kind in kinds]
    return pytest.mark.parametrize("mutant", found, ids=lambda each: each.name)


@pytest.mark.parametrize("patch", PATCHES.values(), ids=_name)
def test_it_fits(patch: patches.Patch, root: Path) -> None:
    for path, text in patches.changed(patch, root).items():
        assert text != (root / path).read_text()


@_of("proof")
def test_its_proofs_are_those_of_one_suite_and_of_what_it_changes(mutant: mutants.Mutant) -> None:
    suites = [suite for suite in prove.SUITES if suite.sources_with(mutant.catcher.words)]
    assert len(suites) == 1
    for name in mutant.catcher.words:
        assert suites[0].sources_with([name]), name
    for path in mutant.patch.hunks:
        assert path.split("/")[1] in suites[0].rooms


@_of("test", "contract")
def test_its_test_is_there(mutant: mutants.Mutant, root: Path) -> None:
    file, selected = mutant.catcher.words
    names = [".".join(found) for found in TEST.findall((root / file).read_text())]
    assert any(fnmatch.fnmatch(name, selected) for name in names)


@_of("test")
def test_the_page_of_the_rules_names_its_test(mutant: mutants.Mutant, root: Path) -> None:
    page = (root / check_rules.PAGE).read_text()
    rows = {row.number: row.test for row in check_rules.rows(page) if not isinstance(row, str)}
    assert mutant.catcher.words[0] in rows[_rule(mutant)]
    assert _rule(mutant) in check_rules.rules_in((root / mutant.catcher.words[0]).read_text())


@_of("contract")
def test_it_changes_a_file_with_contracts(mutant: mutants.Mutant, root: Path) -> None:
    text = "".join((root / path).read_text() for path in mutant.patch.hunks)
    assert "PST_REQUIRE(" in text or "PST_ENSURE(" in text


def test_each_rule_has_a_mutant_that_its_test_catches() -> None:
    assert {_rule(each) for each in ALL if each.catcher.kind == "test"} == RULES - ELSEWHERE


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("proof", False),
        ("proof one two", True),
        ("test tests/core/window_test.cpp", False),
        ("world", True),
        ("world 3", False),
        ("luck", False),
    ],
)
def test_a_catcher_is_of_a_kind(words: str, right: bool) -> None:
    if right:
        assert str(catchers.catcher_of(words)) == words
    else:
        with pytest.raises(patches.PatchError, match="is none of: proof, test, contract, world"):
            catchers.catcher_of(words)


@pytest.mark.parametrize(
    ("note", "match"),
    [
        ("Caught by: luck\n", "R3/a: 'luck' is none of"),
        ("", "R3/a: its first lines must be 'Caught by: ...'"),
        ("Part: of a law\n", "R3/a: its first lines must be 'Caught by: ...'"),
    ],
)
def test_a_patch_without_a_catcher_is_told(tmp_path: Path, note: str, match: str) -> None:
    (tmp_path / "R3").mkdir()
    change = "--- a/core/base.h\n+++ b/core/base.h\n@@ -1 +1 @@\n-old\n+new\n"
    (tmp_path / "R3" / "a.patch").write_text(note + change)
    with pytest.raises(patches.PatchError, match=match):
        mutants.mutants(tmp_path)


def test_words_select_mutants() -> None:
    assert {each.group for each in mutants.chosen(ALL, ["r3"], ())} == {"R3"}
    assert all("FQ-CoDel" in each.name for each in mutants.chosen(ALL, ["FQ-CoDel"], ()))
    assert {each.catcher.kind for each in mutants.chosen(ALL, [], ["world"])} == {"world"}


def test_no_such_mutant_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["no-such-word"]) == 1
    assert "no mutant has no-such-word in its name" in capsys.readouterr().out


def _mutant(folder: Path, name: str, old: str, new: str, catcher: str) -> None:
    path = folder / "R3" / f"{name}.patch"
    path.parent.mkdir(exist_ok=True)
    change = f"--- a/{SHARED}\n+++ b/{SHARED}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    path.write_text(f"Caught by: {catcher}\n{change}")


@pytest.mark.skipif(not has_header(prove.SOLVER), reason="z3 is not installed (Debian: libz3-dev)")
def test_one_that_survives_and_one_that_fits_no_more_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = "proof R3_a_field_is_rounded_up_to_the_granule"
    rounded = "	u64 field = (bytes + (1ULL << f->scale) - 1) >> f->scale;"
    _mutant(tmp_path, "caught", rounded, "	u64 field = bytes >> f->scale;", proof)
    _mutant(tmp_path, "harmless", HARMLESS, "/* Rounded. */", proof)
    _mutant(tmp_path, "old", "	u64 field = bytes / 4;", "	u64 field = bytes / 3;", proof)
    _mutant(tmp_path, "unknown", rounded, "", "proof no_such_proof")
    counts = mutants.try_all(mutants.mutants(tmp_path), tmp_path / "benches", 1)
    assert counts == Counter(
        {("R3", "caught"): 1, ("R3", "SURVIVES"): 1, ("R3", "FAILED"): 2},
    )
    assert mutants.report(counts) == 1
    told = capsys.readouterr().out
    assert re.search(r"SURVIVES R3/harmless: proof R3_a_field", told)
    assert rf"R3/old: {SHARED}: no place fits '-\tu64 field = bytes / 4;'" in told
    assert "there is no proof of the name no_such_proof" in told
    assert "1 caught, 1 SURVIVES, 2 FAILED, 0 skipped" in told


def test_all_that_are_caught_is_success() -> None:
    assert mutants.report(Counter({("R3", "caught"): 2, ("R4", "skipped"): 1})) == 0
    assert mutants.report(Counter({("R4", "skipped"): 1})) == mutants.NOTHING_RAN
