# SPDX-License-Identifier: GPL-2.0-only
"""The commands in the documents run, and print what the documents show."""

from pathlib import Path

import doc_commands
import pytest

PAGE = """<!-- not run: it fails -->
```sh
false
```

```sh
echo one > file
```

```sh
cat file; echo
```

```text
one
```
"""


@pytest.mark.parametrize("page", doc_commands.documents(), ids=lambda p: p.name)
def test_commands_run_and_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    results = doc_commands.play(page.read_text(), tmp_path)
    assert results
    for done in results:
        assert done.code == 0, f"{done.commands}{done.printed}{done.errors}"
        if done.shown is not None:
            assert done.printed == done.shown, "tools/doc_commands.py --update fixes it"


def test_blocks_run_in_one_folder_and_are_compared(tmp_path: Path) -> None:
    results = doc_commands.play(PAGE, tmp_path)
    assert [done.code for done in results] == [0, 0]
    assert results[1].printed == results[1].shown == "one\n"


def test_python_runs_too(tmp_path: Path) -> None:
    page = "```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n\n```python\n1 / 0\n```\n"
    good, bad = doc_commands.play(page, tmp_path)
    assert (good.code, good.printed, good.shown) == (0, "42\n", "42\n")
    assert bad.code == 1
    assert "ZeroDivisionError" in bad.errors


def test_a_failure_ends_the_page(tmp_path: Path) -> None:
    results = doc_commands.play("```sh\nfalse; echo no\n```\n\n```sh\ntrue\n```\n", tmp_path)
    assert [(done.code, done.printed) for done in results] == [(1, "\n")]


def test_update_writes_what_is_printed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\necho two\n```\n\n```text\none\n```\n")
    doc_commands.update(page)
    assert "```text\ntwo\n```" in page.read_text()
