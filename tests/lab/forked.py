# SPDX-License-Identifier: GPL-2.0-only
"""Runs `penstock` in children of a process that has loaded it already.

Loading takes a second for each new process, a fork some milliseconds. As a program this is that
process: it reads a request per line, and answers with the exit code of each.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import selectors
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

PATIENCE_S = 300  # a hang, however busy the machine is; no measure of speed
USED = ("numpy", "polars", "scipy.special", "plotly.graph_objects", "pydantic", "rich.progress")
PACKAGES = ("penstock.cli", "penstock.runs", "penstock.view.report", "penstock.results")


class Server:
    """The process, started with the first command."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            atexit.register(self._end)
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, request: dict[str, Any]) -> int:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(PATIENCE_S):
                self._end()
                raise subprocess.TimeoutExpired(request["arguments"], PATIENCE_S)
        return int(process.stdout.readline())

    def run(
        self, arguments: list[str], folder: Path | None, env: dict[str, str], first: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """A command's exit code and what it wrote, as subprocess.run has them.

        `first` is Python that runs before the command, in its process.
        """
        with tempfile.TemporaryDirectory() as place:
            out, err = Path(place, "out"), Path(place, "err")
            request = {"arguments": arguments, "folder": str(folder or "."), "env": env}
            code = self._ask({**request, "first": first, "out": str(out), "err": str(err)})
            return subprocess.CompletedProcess(arguments, code, out.read_text(), err.read_text())


def _redirect(out: str, err: str) -> None:
    writes = os.O_WRONLY | os.O_CREAT
    for number, (path, flags) in enumerate(
        ((os.devnull, os.O_RDONLY), (out, writes), (err, writes))
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)


def _become(request: dict[str, Any]) -> None:
    """Runs the command as `python -m penstock` does; ends without freeing what is loaded."""
    from penstock import __main__ as command

    _redirect(request["out"], request["err"])
    os.chdir(request["folder"])
    os.environ.update(request["env"])
    sys.modules["__main__"] = command
    sys.argv = ["penstock", *request["arguments"]]
    code: object = 1
    try:
        exec(request["first"], {})
        command.main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0)


def _preload() -> None:
    for name in (*USED, "penstock.runs.backends.sim", "penstock.api"):
        importlib.import_module(name)
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        for module in pkgutil.iter_modules(path, f"{package}."):
            importlib.import_module(module.name)


def _serve() -> None:
    _preload()
    gc.freeze()
    left = b""
    while True:
        while b"\n" not in left:
            read = os.read(0, 1 << 16)  # not by sys.stdin, which the children inherit
            if not read:
                return
            left += read
        line, _, left = left.partition(b"\n")
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        _, status = os.waitpid(child, 0)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    _serve()
