# SPDX-License-Identifier: GPL-2.0-only
"""The version of Penstock, and where it is installed."""

import functools
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent


@functools.cache
def version() -> str:
    """The version, on demand: what finds it takes a tenth of a second to load."""
    from importlib import metadata

    try:
        return metadata.version("penstock")
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
