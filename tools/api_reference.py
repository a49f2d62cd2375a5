# SPDX-License-Identifier: GPL-2.0-only
"""The site's page of the Python API: each name as a program writes it."""

import runpy
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
_HEAD: Final = "# The Python API\n\n`import penstock as ps` has these names.\n\n"
_FIGURES: Final = ("results.plot", "results.Plots")  # what that property of Results is
_OPTIONS: Final = "    options:\n      show_root_heading: false"


def text() -> str:
    """The page, in which mkdocstrings fills in what documents each name."""
    homes = runpy.run_path(str(ROOT / "penstock/api/__init__.py"))["HOMES"]
    names = [(f"ps.{name}", f"{module}.{name}") for name, module in sorted(homes.items())]
    parts = (
        f"## {name}\n\n::: penstock.api.{place}\n{_OPTIONS}" for name, place in [*names, _FIGURES]
    )
    return _HEAD + "\n\n".join(parts) + "\n"
