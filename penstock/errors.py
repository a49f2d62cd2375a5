# SPDX-License-Identifier: GPL-2.0-only
"""Errors for the user, with their exit codes."""

import difflib
from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class Exit(IntEnum):
    """Exit codes of `penstock`."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    SOME_CELLS_FAILED = 5
    BACKEND_MISSING = 69
    SKIPPED = 77
    CONFIG = 78
    INTERRUPTED = 130


class UserError(Exception):
    """An error of the user or in a file; its text is the whole message."""

    def __init__(self, message: str, code: Exit = Exit.FAILURE) -> None:
        super().__init__(message)
        self.code = code


class UsageError(UserError):
    """An error on the command line (exit 2)."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.USAGE)


_ARGUMENTS: Final = {  # where the option's name is another one
    **{"-n": "flows", "-m": "methods", "--method": "methods", "--dev": "device"},
}


class OptionError(UsageError):
    """A wrong value of an option, which each front names in its own words.

    `given` is '' where what is wrong is no single value. Some options have a `key` of a scenario
    or of a method, and a value for it.
    """

    def __init__(self, option: str, given: str, why: str, key: str = "") -> None:
        said = "=".join(part for part in (key, given) if part)
        super().__init__(f"{option}{' ' if said else ''}{said}: {why}")
        self.option, self.given, self.why, self.key = option, given, why, key

    def in_python(self) -> UsageError:
        """The same of an argument of the API."""
        name = _ARGUMENTS.get(self.option, self.option.lstrip("-").replace("-", "_"))
        name += f"[{self.key!r}]" if self.key else ""
        if not self.given:
            return UsageError(f"{name}: {self.why}")
        plain = self.given.lstrip("-").isdigit() and not self.key
        return UsageError(f"{name}={self.given if plain else repr(self.given)}: {self.why}")


class ConfigError(UserError):
    """An error in a file (exit 78)."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Exit.CONFIG)


def near(word: str, known: Iterable[str], limit: int = 3, otherwise: str = "") -> str:
    """`did you mean a or b?`; when nothing is near, `otherwise` or the list of what is known."""
    names = list(dict.fromkeys(known))
    small = {name.lower(): name for name in names}
    close = [small[each] for each in difflib.get_close_matches(word.lower(), small, n=limit)]
    if close:
        return f"did you mean {' or '.join(repr(name) for name in close)}?"
    if otherwise:
        return otherwise
    if not names:
        return "no key is known here"
    return f"known: {', '.join(names)}"
