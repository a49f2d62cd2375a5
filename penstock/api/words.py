# SPDX-License-Identifier: GPL-2.0-only
"""Errors in the words of a program."""

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

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


def in_options(function: Callable[P, R]) -> Callable[P, R]:
    """The same for a command, whose options the errors name."""
    return cast(Callable[P, R], inspect.unwrap(function))
