# SPDX-License-Identifier: GPL-2.0-only
"""Files and folders that a call writes."""

from pathlib import Path

from penstock.errors import UserError
from penstock.results import sealed


def saved(path: str | Path, text: str) -> Path:
    """Writes the text, whole or not at all; the file."""
    target = Path(path)
    try:
        with sealed.replacing(target) as partial:
            partial.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{target}: cannot be written: {error.strerror}") from None
    return target


def folder(path: Path) -> Path:
    """Makes the folder, unless it is there; the folder."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{path}: cannot be made: {error.strerror}") from None
    return path
