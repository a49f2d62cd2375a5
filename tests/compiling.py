# SPDX-License-Identifier: GPL-2.0-only
"""Compilers as tests call them: what was compiled before is taken from ccache, where that is.

ccache knows a compilation of one source again, in whichever folder, if it has an object file and
the paths of the copy that it reads are relative.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


def compiled(
    compiler: str, *options: str, source: str, to: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Compiles one source to an object file; the caller judges how that ended."""
    cache = ["ccache"] if shutil.which("ccache") else []
    return subprocess.run(
        [*cache, compiler, *options, "-c", source, "-o", to],
        cwd=cwd,
        env={**os.environ, "CCACHE_NOHASHDIR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def understood(
    compiler: str, *options: str, source: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Only reads one source, in half the time; the caller judges how that ended."""
    command = [compiler, *options, "-fsyntax-only", source]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def program(
    compiler: str, *options: str, sources: Sequence[Path], folder: Path, link: Sequence[str] = ()
) -> Path:
    """A program of these sources, named after the first; AssertionError if there is a mistake."""
    objects = []
    for number, source in enumerate(sources):
        objects.append(f"{number}.o")
        done = compiled(compiler, *options, source=str(source), to=objects[-1], cwd=folder)
        assert done.returncode == 0, done.stderr
    made = folder / sources[0].stem
    command = [compiler, *options, *objects, *link, "-o", str(made)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made
