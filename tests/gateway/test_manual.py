# SPDX-License-Identifier: GPL-2.0-only
"""The manual page names the options that there are, and no others."""

import re
import subprocess
from pathlib import Path

import pytest
from gateway_lab import ROOT, TOOL

PAGE = ROOT / "linux" / "gateway" / "packaging" / "penstock-gw.8"
OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")


@pytest.fixture(scope="module")
def tool() -> Path:
    if not TOOL.exists():
        pytest.skip("penstock-gw is not built: clang, bpftool or libbpf is missing")
    return TOOL


def help_of(tool: Path, *command: str) -> str:
    done = subprocess.run(
        [str(tool), *command, "--help"], capture_output=True, text=True, check=True
    )
    return done.stdout


def commands(tool: Path) -> list[list[str]]:
    """The words of each command, those of commands of commands too."""
    found = []
    waiting: list[list[str]] = [[]]
    while waiting:
        words = waiting.pop()
        listed = help_of(tool, *words).partition("Subcommands:")[2]
        inner = [[*words, name] for name in re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)]
        waiting += inner
        if words and not inner:
            found.append(words)
    return found


def manual() -> str:
    return PAGE.read_text().replace("\\-", "-")


def test_the_manual_has_every_command(tool: Path) -> None:
    listed = commands(tool)
    assert len(listed) > 10
    for words in listed:
        shown = r'[" ]+'.join(words)
        assert re.search(rf"^\.BI? {shown}\b", manual(), re.MULTILINE), words


def test_the_manual_has_every_exit_code() -> None:
    """Those of linux/common/error.h, which users' scripts go by."""
    codes = re.findall(
        r"^  k\w+ = (\d+),", (ROOT / "linux/common/error.h").read_text(), re.MULTILINE
    )
    listed = manual().partition(".SH EXIT STATUS")[2].partition(".SH")[0]
    assert re.findall(r"^\.B (\d+)$", listed, re.MULTILINE) == codes
    assert len(codes) > 5


def test_each_help_ends_with_examples_of_its_command(tool: Path) -> None:
    groups = [["auto"], ["shape"], ["cc"]]
    for words in [[], *commands(tool), *groups]:
        text, _, examples = help_of(tool, *words).partition("Examples:\n")
        lines = examples.splitlines()
        assert lines, words
        known = {*OPTION.findall(text + help_of(tool)), *re.findall(r"-[a-z]\b", text), "-j"}
        for line in lines:
            assert line.startswith("  " + " ".join(["penstock-gw", *words])), line
            given = line.partition(" -- ")[0].partition(" # ")[0].replace(">>", " ")
            options = re.findall(r"(?<= )--?[a-z][a-z-]*", given)
            assert not words or words in groups or {*options} <= known, line


def test_the_manual_has_every_option_and_no_other(tool: Path) -> None:
    texts = [help_of(tool), *(help_of(tool, *words) for words in commands(tool))]
    real = {option for text in texts for option in OPTION.findall(text)}
    assert real == set(OPTION.findall(manual()))
