# SPDX-License-Identifier: GPL-2.0-only
"""Runs cells on a cluster of dask.distributed, across machines."""

import logging
import re
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final

from penstock.errors import Exit, UsageError, UserError
from penstock.runs import interrupts, job_queues

_ADDRESS: Final = re.compile(r"(tcp|tls)://\S+:\d+")
_CONNECT: Final = "5s"
_LOGGERS: Final = ("distributed", "distributed.client", "tornado.application", "asyncio")
_MISSING: Final = (
    "dask.distributed is missing; tools/setup --extra cluster in the checkout, or pip install "
    "'WHEEL[cluster]'"
)


def library() -> Any:
    """dask.distributed; exit 69 if it is not installed."""
    try:
        import distributed
    except ImportError:
        raise UserError(_MISSING, Exit.BACKEND_MISSING) from None
    return distributed


def _connected(address: str) -> Any:
    distributed = library()
    try:
        return distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f"--cluster {address}: no scheduler answers ({reason}); `penstock cluster` starts one",
            Exit.BACKEND_MISSING,
        ) from None


class Cluster:
    """A connection to a scheduler. A cell whose worker is lost is run again by another.

    `where` is a scheduler's address, or a batch system that is asked for `jobs` workers; then
    the scheduler is in this process, and the first worker is waited for.
    """

    def __init__(self, where: str, jobs: int = 1) -> None:
        if where not in job_queues.KINDS and not _ADDRESS.fullmatch(where):
            kinds = ", ".join(job_queues.KINDS)
            raise UsageError(
                f"--cluster {where}: write tcp://HOST:PORT, tls://HOST:PORT, or one of {kinds}"
            )
        interrupts.let_wake()
        self._jobs = jobs if where in job_queues.KINDS else 0
        self._queue = job_queues.start(where) if self._jobs else None
        self._client: Any = None
        try:
            self._client = _connected(self._queue.scheduler_address if self._queue else where)
            if self._queue is not None:
                self._queue.scale(jobs=jobs)
                self._client.wait_for_workers(1)
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:
        """How many cells can run at a time; at least 1, as workers may come later."""
        return max(sum(map(int, self._client.nthreads().values())), self._jobs, 1)

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
        """Ends the connection and what still runs, and takes the jobs back."""
        self._silence()
        interrupts.let_wake()
        if self._client is not None:
            self._client.close()
        if self._queue is not None:
            self._queue.close()

    def _silence(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        if not isinstance(sys.unraisablehook, _UnlessDropped):
            sys.unraisablehook = _UnlessDropped(sys.unraisablehook)


@dataclass(frozen=True)
class _UnlessDropped:
    """A call that is dropped may find its client gone when it is freed."""

    otherwise: "Callable[[sys.UnraisableHookArgs], object]"

    def __call__(self, what: "sys.UnraisableHookArgs") -> None:
        module = getattr(what.object, "__module__", None) or ""
        if module.partition(".")[0] != "distributed":
            self.otherwise(what)


def other_build(there: str, here: str) -> str:
    """Why a worker's rows cannot be taken."""
    return f"a worker has {there}, here is {here}; install the same build there"


def _engine(backend: str) -> str:
    from penstock.runs import backends

    return backends.get(backend).engine
