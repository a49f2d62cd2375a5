# SPDX-License-Identifier: GPL-2.0-only
"""Errors in the words of a program."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from penstock.errors import OptionError

P = ParamSpec("P")
R = TypeVar("R")


def in_python(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose errors name its arguments instead of options of a command."""

    @functools.wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except OptionError as error:
            raise error.in_python() from None

    return told
