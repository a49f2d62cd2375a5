# SPDX-License-Identifier: GPL-2.0-only
"""A run that the machine was too slow for, which is no defect of what was run."""

from typing import Final

SAID: Final = "this machine is too busy for a live run"  # at the end of each such complaint


class BusyError(RuntimeError):
    """The machine did not keep time: the same run may succeed later."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; {SAID}")
