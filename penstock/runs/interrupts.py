# SPDX-License-Identifier: GPL-2.0-only
"""Waits that Ctrl-C ends."""

import signal
import threading


def let_wake() -> None:
    """Lets Ctrl-C end a wait of this thread; to be called before each.

    Polars wraps the handler on its first query and asks for SA_RESTART: the wait would go on, and
    Python's handler run only after it.
    """
    if threading.current_thread() is threading.main_thread():
        signal.siginterrupt(signal.SIGINT, True)
