# SPDX-License-Identifier: GPL-2.0-only
"""What a machine that does not keep time means for a live test, for all of them in one place.

The test is tried again from its fixtures on, and after TRIES skipped with its reason: what was not
measured is neither right nor wrong. As a plugin (`pytest -p patience`) and in conftest.py.
"""

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest
from _pytest.runner import runtestprotocol

from penstock.runs.live import busy

TRIES = 3
_NAP_S = 0.001
_LATE_ONCE_S = 0.008
_LATE_OFTEN_S = 0.0003  # for a tenth of the naps; 0.1 ms on a quiet machine


def raise_if_busy(complaint: str) -> None:
    """BusyError if a program complains of the machine."""
    what, said, _ = complaint.rpartition(f"; {busy.SAID}")
    if said:
        raise busy.BusyError(what.strip().splitlines()[-1])


def _naps(until: threading.Event, late_s: list[float]) -> None:
    while not until.is_set():
        began = time.monotonic()
        time.sleep(_NAP_S)
        late_s.append(time.monotonic() - began - _NAP_S)


@contextmanager
def witnessed() -> Iterator[list[float]]:
    """How late this process is woken meanwhile, in s, nap by nap."""
    late_s: list[float] = []
    until = threading.Event()
    witness = threading.Thread(target=_naps, args=(until, late_s))
    witness.start()
    try:
        yield late_s
    finally:
        until.set()
        witness.join()


@contextmanager
def timed() -> Iterator[None]:
    """A failed assertion inside is a BusyError if this process, too, was woken late meanwhile."""
    with witnessed() as late_s:
        try:
            yield
        except AssertionError as error:
            found = sorted(late_s)
            often, once = (found[len(found) * 9 // 10], found[-1]) if found else (1.0, 1.0)
            if once > _LATE_ONCE_S or often > _LATE_OFTEN_S:
                raise busy.BusyError(f"{str(error).splitlines()[0]}") from error
            raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A BusyError is a skip, with its reason."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, busy.BusyError):
        path, line, _ = item.location
        report.outcome = "skipped"
        report.longrepr = (path, line or 0, f"Skipped: {error} ({TRIES} times)")
        item.stash[_BUSY] = True
    return report


_BUSY = pytest.StashKey[bool]()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Runs a test, again if the machine was too busy for it."""
    where = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**where)
    for left in reversed(range(TRIES)):
        item.stash[_BUSY] = False
        if hasattr(item, "_initrequest"):  # new fixtures, as each try needs
            item._initrequest()
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if not left or not item.stash[_BUSY]:
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
            break
    item.ihook.pytest_runtest_logfinish(**where)
    return True
