# SPDX-License-Identifier: GPL-2.0-only
"""Worker processes: how they start, and how they end. Loaded only where there are any."""

import multiprocessing.context
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from penstock.version import PACKAGE

# What a killed run leaves the tracker removes, and need not say so.
_STARTING: Final = threading.RLock()
_TRACKER_REMOVES: Final = "ignore:resource_tracker:UserWarning"


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
    os.killpg(0, signal.SIGKILL)


def _start_worker() -> None:
    """Makes a process group of the worker and its children; it ends when the parent does."""
    os.setpgid(0, 0)
    threading.Thread(target=_end_with_parent, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Puts Ctrl-C off. Processes that start within never see it: it is the parent that ends them.

    The mask is for them. It does not spare the parent, whose other threads take the signal: its
    main thread, which alone may have handlers, puts it off.
    """
    held: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    sys.warnoptions.append(_TRACKER_REMOVES)
    resource_tracker.ensure_running()  # unblocks the signal when it starts
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if is_main:
            signal.signal(signal.SIGINT, handler)
        if held:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _own_modules() -> Iterator[None]:
    """Python processes that start within look for modules where this one found its own.

    The server of workers starts as `python -c`, which also looks in the working directory first:
    a folder of any project that is called penstock would be taken for ours.
    """
    name, before = "PYTHONSAFEPATH", os.environ.get("PYTHONSAFEPATH")
    if PACKAGE.parent != Path.cwd():
        os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


class _Process(multiprocessing.context.ForkServerProcess):
    """A worker, which loads none of the program that starts it: a script may have no main guard."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            return super(_Process, _Process)._Popen(process_obj)
        finally:
            sys.modules["__main__"] = main


class _Context(multiprocessing.context.ForkServerContext):
    Process = _Process


@contextmanager
def starting() -> Iterator[None]:
    """The workers of an executor start at the first cell that is submitted, within this.

    What changes meanwhile is the whole process', so one thread at a time is here.
    """
    with _STARTING, _interrupts_held(), _own_modules():
        yield


def _forget_server() -> None:
    """In a child of fork(): the server that the parent started is no child of this process."""
    if getattr(forkserver._forkserver, "_forkserver_pid", None) is not None:
        forkserver.ForkServer.__init__(forkserver._forkserver)  # whose methods are known by name


os.register_at_fork(after_in_child=_forget_server)


def executor(workers: int) -> ProcessPoolExecutor:
    """`workers` processes."""
    context = _Context()
    context.set_forkserver_preload(
        [
            __name__,
            "penstock.runs.worker_server",
            "penstock.runs.workers",
            "penstock.runs.backends.sim",
        ]
    )
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)


def kill(executor: Executor) -> None:
    """Ends all workers of an executor at once, with their children."""
    for child in list((getattr(executor, "_processes", None) or {}).values()):
        if child.pid is not None:
            with suppress(ProcessLookupError):  # it has no group of its own yet
                os.killpg(child.pid, signal.SIGKILL)
        child.kill()
    executor.shutdown(wait=True, cancel_futures=True)
