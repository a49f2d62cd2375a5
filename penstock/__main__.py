# SPDX-License-Identifier: GPL-2.0-only
"""The `penstock` command, which is also `python -m penstock`.

Only what Python has loaded anyway is imported before Ctrl-C is provided for.
"""

import gc
import os
import signal
from types import FrameType

_STDERR = 2
_OBJECTS = 200_000  # more than a short command makes: none is searched for garbage


def _end(number: int, _frame: FrameType | None) -> None:
    try:
        os.write(_STDERR, b"penstock: interrupted\n")
    finally:
        os._exit(128 + number)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """The first Ctrl-C ends a command gracefully, the second at once."""
    signal.signal(signal.SIGINT, _end)
    raise KeyboardInterrupt


def _open_standard_files() -> None:
    """Opens /dev/null as stdin, stdout or stderr where that is closed.

    Otherwise another file would take its number. Writing to that stdout still fails, as it is
    open for reading alone.
    """
    for descriptor in range(_STDERR + 1):
        try:
            os.fstat(descriptor)
        except OSError:
            flags = os.O_WRONLY if descriptor == _STDERR else os.O_RDONLY
            os.set_inheritable(os.open(os.devnull, flags), True)


def _shorten_start() -> None:
    """Leaves out what takes long while modules load: searches for garbage and plugins, threads.

    Nearly all objects that loading makes stay. Pydantic finds its plugins in the metadata of
    every package that is installed. numpy's OpenBLAS starts a thread per CPU; no command
    multiplies matrices.
    """
    gc.set_threshold(_OBJECTS)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Loads the command and runs it; Ctrl-C ends it at once until it runs, and after."""
    _open_standard_files()
    _shorten_start()
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not told to ignore it
    if ours:
        signal.signal(signal.SIGINT, _end)
    from penstock import cli

    try:
        if ours:
            signal.signal(signal.SIGINT, _interrupt)
        cli.main()
    except KeyboardInterrupt:
        _end(signal.SIGINT, None)


if __name__ == "__main__":
    main()
