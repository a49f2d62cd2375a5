# SPDX-License-Identifier: GPL-2.0-only
"""What a worker says if it cannot start. Loaded by the server of workers alone."""

import sys
from types import TracebackType

# The run has ended meanwhile, and its semaphores and pipes with it: there is nothing to say.
_RUN_ENDED = (FileNotFoundError, ConnectionError, EOFError)


def _complain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Says in one line what the machine refused a worker of a run that goes on."""
    if isinstance(error, _RUN_ENDED):
        return
    if isinstance(error, OSError):
        why = error.strerror or error
        print(f"penstock: a worker cannot start: {why}; try fewer --workers", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _complain
