# SPDX-License-Identifier: GPL-2.0-only
"""The table of docs/security.md has a row for each attack that is measured live, and no other."""

import subprocess
import sys

import security_table
from tree import ROOT


def test_the_page_has_the_attacks_that_are_measured() -> None:
    assert security_table.words_of(security_table.PAGE.read_text()) == list(
        security_table.ATTACKS.values()
    )


def test_each_attack_is_a_test_that_is_there() -> None:
    files = sorted({test.split("::")[0] for test in security_table.ATTACKS})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert set(security_table.ATTACKS) <= set(done.stdout.splitlines())


def test_results_are_read_from_what_the_tests_wrote() -> None:
    lines = '{"test": "a.py::test_it[1]", "alone_mbps": 19.0, "mbps": 18.44}\n'
    assert security_table.measured(lines) == {"a.py::test_it[1]": (19.0, 18.44)}
