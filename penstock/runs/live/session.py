# SPDX-License-Identifier: GPL-2.0-only
"""One live lab on this machine: its namespaces and processes, and their end.

All namespaces are called penstock-PID-HOST. A lock file stays locked as long as
the process lives, so that what a killed run left behind can be told from what
another one uses.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, ClassVar, Final

from penstock import locks
from penstock.runs.live.busy import BusyError

LOCKS: Final = Path("/run/penstock-live")
PREFIX: Final = "penstock"
_NETNS: Final = Path("/run/netns")
_COMMAND_S: Final = 30
_END_S: Final = 5
_POLL_S: Final = 0.005
_NAP_S: Final = 0.1


def namespace(pid: int, host: str) -> str:
    """The namespace of a host."""
    return f"{PREFIX}-{pid}-{host}"


def run(command: Sequence[str], text: str | None = None) -> str:
    """Runs a command to its end and returns its output; RuntimeError says why it failed."""
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_COMMAND_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuntimeError(f"{command[0]}: {error}") from None
    if done.returncode:
        why = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(f"{' '.join(command)}: {why[0] if why else done.returncode}")
    return done.stdout


def inside(space: str, *command: str) -> list[str]:
    """A command line that runs in a namespace, with this machine's file systems."""
    return ["nsenter", f"--net={_NETNS / space}", "--", *command]


@dataclass
class Process:
    """A running program of the lab; its output goes to a file, so that it never blocks."""

    name: str
    popen: subprocess.Popen[bytes]
    output: Path
    errors: Path

    def wait_ready(self, seconds: float) -> None:
        """Waits for the line 'ready'."""
        end = time.monotonic() + seconds
        while not self.output.read_bytes().startswith(b"ready\n"):
            if self.popen.poll() is not None:
                raise RuntimeError(f"{self.name}: {self.complaint()}")
            if time.monotonic() > end:
                raise BusyError(f"{self.name} was not ready in {seconds:g} s")
            time.sleep(_POLL_S)

    def complaint(self) -> str:
        """Its stderr, or its exit status."""
        said = self.errors.read_text(encoding="utf-8", errors="replace").strip()
        return said.splitlines()[-1] if said else f"ended with exit code {self.popen.poll()}"

    def answer(self, ask: Callable[[], object], seconds: float) -> str:
        """The line that it prints once it is asked."""
        lines, end = self.text().count("\n"), time.monotonic() + seconds
        ask()
        while self.text().count("\n") == lines:
            if time.monotonic() > end or self.popen.poll() is not None:
                raise RuntimeError(f"{self.name} did not answer: {self.complaint()}")
            time.sleep(_POLL_S)
        return self.text().splitlines()[-1]

    def write(self, line: str) -> None:
        """A line for its standard input."""
        assert self.popen.stdin
        with contextlib.suppress(BrokenPipeError):  # it has ended: whoever waits for it finds out
            self.popen.stdin.write(f"{line}\n".encode())
            self.popen.stdin.flush()

    def text(self) -> str:
        """Its output without the line 'ready'."""
        return self.output.read_text(encoding="utf-8").removeprefix("ready\n")

    def end(self) -> None:
        """Terminates it, by force if necessary."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        if self.popen.stdin:
            self.popen.stdin.close()
        try:
            self.popen.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


class Session:
    """Namespaces and processes of one run; leaving it removes them all."""

    _all: ClassVar[set["Session"]] = set()
    _ended: ClassVar[bool] = False

    def __init__(self) -> None:
        if Session._ended:
            raise RuntimeError("interrupted")
        self._lock = threading.RLock()
        self._closed = False
        self._processes: list[Process] = []
        self._undo: list[Callable[[], object]] = []
        self._spaces: list[str] = []
        self._lock_file: IO[bytes] | None = None
        self._lock_file = hold_lock()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=LOCKS))
        Session._all.add(self)

    @classmethod
    def close_all(cls) -> None:
        """Closes all sessions finally: the process is about to end."""
        cls._ended = True
        for session in list(cls._all):
            session.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise RuntimeError("interrupted")
            yield

    def run(self, command: Sequence[str], text: str | None = None) -> str:
        """Runs a command, unless the session is being closed."""
        with self._open():
            return run(command, text)

    def add_host(self, host: str) -> str:
        """Makes a namespace."""
        space = namespace(os.getpid(), host)
        with self._open():
            run(["ip", "netns", "add", space])
            self._spaces.append(space)
        return space

    def on_close(self, undo: Callable[[], object]) -> None:
        """Calls `undo` before the namespaces go; its RuntimeError is dropped."""
        with self._open():
            self._undo.append(undo)

    def spawn(self, name: str, command: Sequence[str], listens: bool = False) -> Process:
        """Starts a program in the background; one that listens takes lines from us."""
        with self._open():
            stem = self.folder / f"{len(self._processes)}"
            output, errors = stem.with_suffix(".out"), stem.with_suffix(".err")
            with output.open("wb") as out, errors.open("wb") as err:
                heard = subprocess.PIPE if listens else subprocess.DEVNULL
                popen = subprocess.Popen(
                    command, stdin=heard, stdout=out, stderr=err, process_group=0
                )
            process = Process(name, popen, output, errors)
            self._processes.append(process)
            return process

    def close(self) -> None:
        """Removes everything; may be called twice, and from a signal's handler."""
        with self._lock:
            self._closed = True
            for undo in reversed(self._undo):
                with contextlib.suppress(RuntimeError):
                    undo()
            for process in reversed(self._processes):
                process.end()
            for space in self._spaces:
                remove_namespace(space)
            self._undo, self._processes, self._spaces = [], [], []
            shutil.rmtree(self.folder, ignore_errors=True)
            if self._lock_file:
                self._lock_file.close()
                lock_path(os.getpid()).unlink(missing_ok=True)
                self._lock_file = None
            Session._all.discard(self)

    def sleep_until(self, time_ns: int) -> None:
        """Waits for a time of CLOCK_MONOTONIC; RuntimeError when the session is closed."""
        while (left_ns := time_ns - time.monotonic_ns()) > 0:
            with self._open():
                pass
            time.sleep(min(left_ns * 1e-9, _NAP_S))


def lock_path(pid: int) -> Path:
    """The lock file of a process."""
    return LOCKS / f"{pid}.lock"


def hold_lock() -> IO[bytes]:
    """Takes this process' lock, which is held while the file is open."""
    LOCKS.mkdir(mode=0o755, exist_ok=True)
    file = lock_path(os.getpid()).open("wb")
    locks.take(file, wait=True)
    return file


def remove_namespace(space: str) -> None:
    """Ends the processes in a namespace, and removes it."""
    with contextlib.suppress(RuntimeError):
        for pid in run(["ip", "netns", "pids", space]).split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
    with contextlib.suppress(RuntimeError):
        run(["ip", "netns", "del", space])
