# SPDX-License-Identifier: GPL-2.0-only
"""What a worker says if it cannot start. Loaded by the server of workers alone."""

import sys
from types import TracebackType


def _complain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Says nothing where the run has ended meanwhile, and its semaphores and pipes with it.

    A run that goes on sees that the worker died.
    """
    if not issubclass(kind, OSError | EOFError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _complain
