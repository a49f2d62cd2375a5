# SPDX-License-Identifier: GPL-2.0-only
"""Finds the programs of the live lab."""

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from penstock.errors import Exit, UserError

_HINT: Final = "see docs/live.md"


def search_path() -> str:
    """Beside this Python, where an installation puts them, then the usual places."""
    own = [str(Path(sys.prefix) / folder) for folder in ("bin", "sbin")]
    return os.pathsep.join([*own, os.environ.get("PATH", os.defpath)])


def find(name: str) -> str:
    """The path of a program; exit 69 without it."""
    path = shutil.which(name, path=search_path())
    if path is None:
        raise UserError(f"the program {name} is not installed: {_HINT}", Exit.BACKEND_MISSING)
    return path
