# SPDX-License-Identifier: GPL-2.0-only
"""The table of mutations fits the tree; `make nightly` runs them."""

from pathlib import Path

import check_rules
import pytest
import rule_mutants
from rule_mutations import ELSEWHERE, MUTATIONS, Mutation

RULES = set(range(1, check_rules.LAST_RULE + 1))


def test_each_rule_has_a_mutation_or_a_reason() -> None:
    assert {each.rule for each in MUTATIONS} | set(ELSEWHERE) == RULES
    assert not {each.rule for each in MUTATIONS} & set(ELSEWHERE)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: f"R{each.rule}")
def test_it_changes_one_place_and_its_test_names_the_rule(mutation: Mutation, root: Path) -> None:
    text = (root / mutation.path).read_text()
    assert rule_mutants.mutated(mutation, text) != text
    assert mutation.rule in check_rules.rules_in((root / mutation.test).read_text())


def test_the_page_names_the_test(root: Path) -> None:
    page = (root / check_rules.PAGE).read_text()
    rows = {row.number: row.test for row in check_rules.rows(page) if not isinstance(row, str)}
    for mutation in MUTATIONS:
        assert mutation.test in rows[mutation.rule], f"R{mutation.rule}"


def test_a_text_that_is_not_there_is_an_error() -> None:
    gone = Mutation(1, "tests/core/window_test.cpp", "*", "core/base.h", "gone", "")
    with pytest.raises(rule_mutants.MutantError, match="R1's mutation 0 times"):
        rule_mutants.mutated(gone, "here")
