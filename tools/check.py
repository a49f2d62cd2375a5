# SPDX-License-Identifier: GPL-2.0-only
"""All static checks: one line each, and the output of those that fail."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tree import ROOT, cpp_files, files

BIN = Path(sys.executable).parent
MOST_LINES = 40


@dataclass(frozen=True)
class Check:
    """A command that exits with 0 if all is well."""

    name: str
    command: tuple[str, ...]
    remedy: str = ""


def checks() -> list[Check]:
    """In the order of the effort to fix."""
    tool = str(BIN) + "/"
    cpp = tuple(str(path) for path in cpp_files())
    python = (path for path in files() if path.suffix == ".py" and "test_" not in path.name)
    papers = tuple(str(path) for path in python if path.is_relative_to(ROOT / "papers"))
    return [
        Check("ruff check", (tool + "ruff", "check", "--quiet", "."), "make format fixes some"),
        Check(
            "ruff format",
            (tool + "ruff", "format", "--quiet", "--check", "."),
            "make format fixes it",
        ),
        Check(
            "clang-format",
            (tool + "clang-format", "--dry-run", "--Werror", *cpp),
            "make format fixes it",
        ),
        Check("mypy --strict", (tool + "mypy", "--no-error-summary", "--no-color-output")),
        Check("mypy of papers", (tool + "mypy", "--no-error-summary", *papers)),
        Check("import rules", (sys.executable, "tools/check_imports.py")),
        Check("file rules", (sys.executable, "tools/check_files.py")),
        Check("bounds of classes", (sys.executable, "tools/check_classes.py")),
        Check("rules of the gateway", (sys.executable, "tools/check_rules.py")),
        Check("switches over methods", (sys.executable, "tools/gen_dispatch.py", "--check")),
        Check("classes of rows", (sys.executable, "tools/gen_row_classes.py", "--check")),
        Check(
            "settings of the gateway", (sys.executable, "tools/gen_gateway_settings.py", "--check")
        ),
    ]


def run(check: Check) -> str:
    """Empty if the check passed, otherwise its output."""
    done = subprocess.run(check.command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    lines = (done.stdout + done.stderr).strip().splitlines()
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"... and {len(lines) - MOST_LINES} lines more"]
    return "\n".join([*lines, check.remedy or f"{check.name}: exit code {done.returncode}"])


def main() -> int:
    """Exit code 0 if all checks passed."""
    failed = 0
    for check in checks():
        complaint = run(check)
        print(f"{'FAIL' if complaint else 'ok':4}  {check.name}", flush=True)
        if complaint:
            print(complaint, flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
