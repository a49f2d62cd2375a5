# SPDX-License-Identifier: GPL-2.0-only
"""Text from and for others: encodings and line ends of files, words of a shell, plain titles."""

import codecs
import shlex
from pathlib import Path
from typing import Final

_WIDE: Final = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_BLANK: Final = 32
_DELETED: Final = range(0x7F, 0xA0)  # and further control characters
_CURE: Final = "save it as UTF-8"


def decoded(data: bytes) -> str:
    """The text of UTF-8, or of UTF-16 with its mark, with \\n at the end of each line.

    Raises ValueError where it is neither, as of ISO 8859-1 and of a file that is no text.
    """
    for mark, encoding in _WIDE.items():
        if data.startswith(mark):
            try:
                return _lines(data.decode(encoding))
            except UnicodeDecodeError:
                raise ValueError(f"not a text file in UTF-16; {_CURE}") from None
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"not a text file in UTF-8 (byte 0x{data[error.start]:02x} in line {line}); {_CURE}"
        ) from None
    zero = text.find("\0")
    if zero >= 0:
        line = text.count("\n", 0, zero) + 1
        raise ValueError(f"not a text file (a zero byte in line {line}); {_CURE}")
    return _lines(text)


def shell_word(path: str | Path) -> str:
    """A path as it can be pasted into a shell, where it is no option."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def readable(text: str) -> str:
    """A text in Unicode, also where bytes of an argument are no text in the locale's encoding.

    They are read as UTF-8; what is none becomes U+FFFD.
    """
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "replace")
    return data.decode("utf-8", "replace")


def plain(text: str) -> str:
    """A title without control characters, which no format of a figure has."""
    text = readable(text)
    return "".join(" " if ord(sign) < _BLANK or ord(sign) in _DELETED else sign for sign in text)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
