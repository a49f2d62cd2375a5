# SPDX-License-Identifier: GPL-2.0-only
"""Standard output and error as the command uses them: whatever they are, no traceback.

A failed write to stdout is a UserError, and silent where the reader of a pipe is gone; one to
stderr is ignored, as nobody could be told. Signs that the encoding lacks are spelled.
"""

import codecs
import errno
import io
import os
import sys
from typing import Any, Final, TextIO

from penstock.errors import UserError
from penstock.text import readable

_SPELLED: Final = str.maketrans({"±": "+-", "…": "..."})
_ERRORS: Final = "penstock.spelled"
_SIZE_DIGITS: Final = 5
_FIRST_ESCAPED, _LAST_ESCAPED = 0xDC80, 0xDCFF  # bytes of a file name that are no UTF-8 (PEP 383)


def _spell_sign(sign: str) -> bytes:
    if _FIRST_ESCAPED <= ord(sign) <= _LAST_ESCAPED:
        return sign.encode("ascii", "surrogateescape")
    return sign.translate(_SPELLED).encode("ascii", "replace")


def _spell(error: UnicodeError) -> tuple[bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return b"".join(_spell_sign(sign) for sign in signs), error.end


class _Output(io.FileIO):
    """Standard output, until the first write that fails."""

    _failed = False

    def write(self, data: Any, /) -> int:
        if self._failed:
            return memoryview(data).nbytes
        try:
            return super().write(data) or 0
        except OSError as error:
            self._failed = True
            gone = error.errno == errno.EPIPE
            raise UserError(
                "" if gone else f"stdout: cannot be written: {error.strerror}"
            ) from None


class _Complaints(io.FileIO):
    """Standard error."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return memoryview(data).nbytes


def _text(raw: io.FileIO, before: TextIO | None, each_line: bool) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=before.encoding if before else "utf-8",
        errors=_ERRORS,
        line_buffering=each_line or raw.isatty(),
    )


def _forget_odd_sizes() -> None:
    """Removes the terminal's size from the environment where it is none, as of 0 columns."""
    for name in ("COLUMNS", "LINES"):
        size = os.environ.get(name, "1")
        if not (size.isascii() and size.isdigit() and len(size) <= _SIZE_DIGITS and int(size)):
            del os.environ[name]


def prepare() -> None:
    """Replaces sys.stdout and sys.stderr. All three file descriptors must be open."""
    _forget_odd_sizes()
    codecs.register_error(_ERRORS, _spell)
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout, False)
    sys.stderr = _text(_Complaints(2, "w", closefd=False), sys.stderr, True)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115


def document(text: str) -> None:
    """Writes a text in a format that others read: in UTF-8, except to a terminal.

    TOML and JSON are UTF-8, and a file that a shell makes of it has none of the locale's encodings.
    """
    raw = getattr(sys.stdout, "buffer", None)  # a text in memory has none
    if raw is None or sys.stdout.isatty():
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    raw.write(readable(text).encode())


def spelled(text: str) -> str:
    """The text as stdout will show it, so that columns can be laid out for it."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        return text.encode(encoding, sys.stdout.errors or "strict").decode(encoding, "replace")
    except LookupError:
        return text
