# SPDX-License-Identifier: GPL-2.0-only
"""Finds and removes the remains of killed live runs."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from penstock import locks
from penstock.runs.live import gateway, session

_SPACE: Final = re.compile(rf"{session.PREFIX}-(\d+)-[A-Za-z]")

_FILE: Final = re.compile(r"(\d+)(?:\.lock$|-)")


def _is_alive(pid: int) -> bool:
    """Whether the run of that process is active: its lock is taken."""
    path = session.lock_path(pid)
    try:
        with path.open("r+b") as file:
            if not locks.take(file):
                return Path(f"/proc/{pid}").exists()
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def namespaces() -> Iterator[tuple[int, str]]:
    """The process number and name of every namespace of a live lab."""
    for line in session.run(["ip", "netns", "list"]).splitlines():
        found = _SPACE.match(line)
        if found:
            yield int(found[1]), line.split()[0]


def clean() -> list[str]:
    """Removes what no active run uses; returns the names."""
    removed = []
    for pid, space in namespaces():
        if not _is_alive(pid):
            session.remove_namespace(space)
            removed += [space, *gateway.remove_pins(pid)]
    for path in session.LOCKS.glob("*") if session.LOCKS.is_dir() else ():
        found = _FILE.match(path.name)
        if found and not _is_alive(int(found[1])):
            _remove(path)
    return removed


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
