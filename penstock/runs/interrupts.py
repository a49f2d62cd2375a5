# SPDX-License-Identifier: GPL-2.0-only
"""Ctrl-C: waits that it ends, and whether it came."""

import signal
import threading

from penstock.errors import UserError


def let_wake() -> None:
    """Lets Ctrl-C end a wait of this thread; to be called before each.

    Polars wraps the handler on its first query and asks for SA_RESTART: the wait would go on, and
    Python's handler run only after it.
    """
    if threading.current_thread() is threading.main_thread():
        signal.siginterrupt(signal.SIGINT, True)


class Watch:
    """Tells whether Ctrl-C ended what was done since this was made.

    A library may make an error of its own of the exception that came in its callback (pydantic:
    an error of serialization). The first Ctrl-C changes the handler of the `penstock` command.
    """

    def __init__(self) -> None:
        self._handler = signal.getsignal(signal.SIGINT)

    def check(self) -> None:
        """Raises KeyboardInterrupt if Ctrl-C came and its exception was lost, as in a finalizer."""
        if self._came():
            raise KeyboardInterrupt

    def blames(self, kind: type[BaseException] | None) -> bool:
        """Whether an exception of that kind comes from Ctrl-C."""
        if kind is None or not issubclass(kind, Exception):
            return kind is KeyboardInterrupt
        if issubclass(kind, UserError):
            return False
        return self._came()

    def _came(self) -> bool:
        return signal.getsignal(signal.SIGINT) is not self._handler
