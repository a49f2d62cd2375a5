# SPDX-License-Identifier: GPL-2.0-only
"""The table of broken contracts fits the tree; `make nightly` runs them."""

from pathlib import Path

import pytest
from contract_mutants import BREACHES, Breach


@pytest.mark.parametrize("breach", BREACHES.values(), ids=BREACHES.keys())
def test_it_changes_one_place_of_a_file_with_contracts(breach: Breach, root: Path) -> None:
    text = (root / breach.path).read_text()
    assert text.count(breach.text) == 1
    assert breach.text != breach.replacement
    assert "PST_REQUIRE(" in text or "PST_ENSURE(" in text
