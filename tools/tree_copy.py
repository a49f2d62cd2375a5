# SPDX-License-Identifier: GPL-2.0-only
"""A copy of the tree to break, and what is built of it."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from patches import Patch, changed
from run_tests import ENV
from tree import ROOT, files


class CopyError(Exception):
    """A copy cannot be built."""


def copy_tree(folder: Path) -> None:
    """Brings the copy up to date. Equal files keep their time, so that builds are short."""
    there = {path.relative_to(ROOT): path for path in files()}
    for old in list(folder.rglob("*")):
        if old.is_file() and old.relative_to(folder) not in there:
            old.unlink()
    for name, path in there.items():
        target = folder / name
        if target.exists() and target.read_bytes() == path.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def call(*command: str, folder: Path = ROOT) -> None:
    """A step of a build."""
    done = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CopyError("\n".join((done.stdout + done.stderr).splitlines()[-20:]))


@contextmanager
def applied(patch: Patch, folder: Path, objects: Iterable[Path] = ()) -> Iterator[None]:
    """The copy with the patch; then it is as before.

    Of a changed header only @objects are compiled again: to Ninja it is no newer than before.
    """
    texts = changed(patch, folder)
    before = {path: ((folder / path).read_text(), (folder / path).stat()) for path in texts}
    stale = list(objects) if any(path.endswith(".h") for path in texts) else []

    def write(path: str, text: str) -> None:
        (folder / path).write_text(text)
        if stale and path.endswith(".h"):
            stat = before[path][1]
            os.utime(folder / path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    try:
        for path, text in texts.items():
            write(path, text)
        for each in stale:
            each.unlink(missing_ok=True)
        yield
    finally:
        for path, (text, _) in before.items():
            write(path, text)
        for each in stale:
            each.unlink(missing_ok=True)
