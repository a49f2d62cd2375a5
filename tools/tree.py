# SPDX-License-Identifier: GPL-2.0-only
"""The files of the checkout that the checks are about."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINUX = ("common/", "lab/", "gateway/tool/")  # the rest is C for the kernel
GENERATED = {".venv", ".git", "build", "out"}


def files(root: Path = ROOT) -> list[Path]:
    """Files under version control or about to be; all files where there is no git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        found = [p for p in root.rglob("*") if not GENERATED & set(p.relative_to(root).parts)]
    else:
        found = [root / name for name in done.stdout.split("\0") if name]
    return sorted(p for p in found if p.is_file())


def cpp_files(root: Path = ROOT) -> list[Path]:
    """The C++ that clang-format keeps; core/ is in the kernel's style, by hand."""
    return [
        p
        for p in files(root)
        if p.suffix in {".h", ".cpp", ".cc"}
        and p.relative_to(root)
        .as_posix()
        .startswith(
            ("sim/", "browser/", "ns3/", "tests/", "bench/", *(f"linux/{r}" for r in LINUX))
        )
    ]


if __name__ == "__main__":
    print("\n".join(str(path) for path in cpp_files()))
