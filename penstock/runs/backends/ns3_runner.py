# SPDX-License-Identifier: GPL-2.0-only
"""The runner of the ns-3 backend: compiled once, kept in the user's cache.

Its folder is named by the version of ns-3 and by a digest of the sources and of the place of
ns-3, so that another ns-3, a changed method or another environment makes another runner: the
program loads ns-3's libraries from where they were when it was linked.
"""

import functools
import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from penstock import locks
from penstock.errors import Exit, UserError
from penstock.version import PACKAGE

_PROGRAM: Final = "penstock-ns3"
_FOLDERS: Final = ("core", "ns3/lab", "ns3/model", "ns3/helper")
_OF_SIM: Final = ("sim/net/histogram.h", "sim/tcp/autotune.h", "sim/tcp/autotune.cpp")
_FILES: Final = ("ns3/CMakeLists.txt", "ns3/installed-ns3.cmake", *_OF_SIM)
_DIGITS: Final = 12
_TAIL_LINES: Final = 15
_STEP: Final = re.compile(r"^\[(\d+)/(\d+)\]|^\[ *(\d+)%\]")


def _sources() -> Path:
    """The directory that holds core/ and ns3/: the checkout, or the installed copy."""
    for folder in (PACKAGE.parent, PACKAGE / "source"):
        if (folder / "ns3" / "CMakeLists.txt").is_file():
            return folder
    raise UserError(
        "the sources of the ns-3 module are missing; reinstall Penstock", Exit.BACKEND_MISSING
    )


@functools.cache
def version() -> str:
    """The version of the installed ns-3; exit 69 if there is none."""
    try:
        return importlib.metadata.version("ns3")
    except importlib.metadata.PackageNotFoundError:
        raise UserError(
            "ns-3 is not installed; `tools/setup --extra ns3` in the checkout, or "
            "`pip install 'WHEEL[ns3]'` with a "
            "wheel's file, installs it",
            Exit.BACKEND_MISSING,
        ) from None


def prefix() -> Path:
    """The directory of ns-3's headers and libraries."""
    version()
    return Path(str(importlib.metadata.distribution("ns3").locate_file("ns3")))


def cmake_dir() -> Path:
    """What CMake calls ns3_DIR."""
    return prefix() / "lib64" / "cmake" / "ns3"


def module() -> Path:
    """The ns-3 module, which CMake builds."""
    return _sources() / "ns3"


def _files() -> list[Path]:
    root = _sources()
    found = [root / name for name in _FILES]
    for name in _FOLDERS:
        found += sorted(path for path in (root / name).rglob("*") if path.is_file())
    return [path for path in found if path.suffix in (".h", ".cc", ".cpp", ".cmake", ".txt")]


@functools.cache
def fingerprint() -> str:
    """A digest of the sources of the runner; results carry it."""
    digest = hashlib.sha256()
    for path in _files():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def folder() -> Path:
    """The place of the runner for these sources and this ns-3."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    place = hashlib.sha256(os.fsencode(prefix().resolve())).hexdigest()[:_DIGITS]
    return Path(base) / "penstock" / f"ns3-{version()}-{fingerprint()}-{place}"


def _tool(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        raise UserError(
            f"{name} is needed to compile the ns-3 runner; `pip install {name}` installs it",
            Exit.BACKEND_MISSING,
        )
    return found


def _show(line: str) -> None:
    step = _STEP.match(line)
    if step and sys.stderr.isatty():
        print(f"\r  {step.group(0)}  ", end="", file=sys.stderr, flush=True)


def _call(command: list[str], log: Path) -> None:
    """Runs a build step, with its output in the log and its progress on the terminal."""
    with (
        log.open("a", encoding="utf-8") as out,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        assert process.stdout
        for line in process.stdout:
            out.write(line)
            _show(line)
    if process.returncode:
        tail = "\n".join(log.read_text(encoding="utf-8").splitlines()[-_TAIL_LINES:])
        raise UserError(f"the ns-3 runner does not compile; the log is {log}:\n{tail}")


def configure(build: Path, tests: bool = False) -> list[str]:
    """The command that configures a build of the module against the installed ns-3."""
    return [
        _tool("cmake"),
        "-S",
        str(module()),
        "-B",
        str(build),
        "-G",
        "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={_tool('ninja')}",
        f"-Dns3_DIR={cmake_dir()}",
        f"-DPENSTOCK_NS3_TESTS={'ON' if tests else 'OFF'}",
    ]


def _compile(folder: Path) -> None:
    print(
        f"penstock: compiling the runner for ns-3 {version()} (a minute or two, once)",
        file=sys.stderr,
    )
    work, log = folder / "build", folder / "build.log"
    shutil.rmtree(work, ignore_errors=True)
    log.unlink(missing_ok=True)
    _call(configure(work), log)
    _call([_tool("cmake"), "--build", str(work), "--target", _PROGRAM], log)
    if sys.stderr.isatty():
        print("\r" + " " * 20 + "\r", end="", file=sys.stderr)
    (work / _PROGRAM).rename(folder / _PROGRAM)
    shutil.rmtree(work)


@functools.cache
def path() -> Path:
    """The runner, compiled if necessary."""
    place = folder()
    runner = place / _PROGRAM
    if runner.exists():
        return runner
    try:
        place.mkdir(parents=True, exist_ok=True)
        with (place / ".lock").open("wb") as lock:
            locks.take(lock, wait=True)
            if not runner.exists():
                _compile(place)
    except OSError as error:
        raise UserError(f"{place}: cannot be written: {error.strerror}") from None
    return runner
