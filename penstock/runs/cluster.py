# SPDX-License-Identifier: GPL-2.0-only
"""Runs cells on a cluster of dask.distributed, across machines."""

import logging
import re
from concurrent.futures import Executor
from typing import Any, Final

from penstock.errors import Exit, UsageError, UserError
from penstock.runs import interrupts

_ADDRESS: Final = re.compile(r"(tcp|tls)://\S+:\d+")
_CONNECT: Final = "5s"
_LOGGERS: Final = ("distributed", "distributed.client", "tornado.application", "asyncio")
_MISSING: Final = (
    "dask.distributed is missing; pip install '.[cluster]' in the checkout, or 'WHEEL[cluster]'"
)


def library() -> Any:
    """dask.distributed; exit 69 if it is not installed."""
    try:
        import distributed
    except ImportError:
        raise UserError(_MISSING, Exit.BACKEND_MISSING) from None
    return distributed


class Cluster:
    """A connection to a scheduler. A cell whose worker is lost is run again by another."""

    def __init__(self, address: str) -> None:
        if not _ADDRESS.fullmatch(address):
            raise UsageError(f"--cluster {address}: write tcp://HOST:PORT, or tls://HOST:PORT")
        distributed = library()
        interrupts.let_wake()
        try:
            self._client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(
                f"--cluster {address}: no scheduler answers ({reason}); `penstock cluster` starts "
                "one",
                Exit.BACKEND_MISSING,
            ) from None
        self.address = address

    @property
    def workers(self) -> int:
        """How many cells can run at a time; at least 1, as workers may come later."""
        return max(sum(map(int, self._client.nthreads().values())), 1)

    def executor(self) -> Executor:
        """An executor that runs each call, even with equal arguments."""
        found: Executor = self._client.get_executor(pure=False)
        return found

    def engines(self, backend: str) -> set[str]:
        """The builds of a backend that its workers have."""
        interrupts.let_wake()
        return set(self._client.run(_engine, backend).values())

    def drop(self, executor: Executor) -> None:
        """Drops the calls that run, of which no library shall complain."""
        self._silence()
        executor.shutdown(wait=False)

    def close(self) -> None:
        """Ends the connection and what still runs."""
        self._silence()
        interrupts.let_wake()
        self._client.close()

    def _silence(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _engine(backend: str) -> str:
    from penstock import backends

    return backends.get(backend).engine
