# SPDX-License-Identifier: GPL-2.0-only
"""Arguments and errors in the words of a program."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from penstock.errors import OptionError

P = ParamSpec("P")
R = TypeVar("R")


def plain(value: Any) -> Any:
    """A value without the types of numpy and polars: of a scalar the number, of a vector a list."""
    if isinstance(value, str | bytes):
        return value
    if isinstance(value, dict):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    dimensions = getattr(value, "ndim", None)
    if dimensions == 0 and hasattr(value, "item"):
        return value.item()
    if hasattr(value, "to_list"):  # a series of polars or pandas
        return plain(value.to_list())
    if dimensions == 1 and hasattr(value, "tolist"):
        return plain(value.tolist())
    return value


def in_python(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which takes scalars of numpy, and whose errors name its arguments."""

    @functools.wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*map(plain, args), **{key: plain(each) for key, each in kwargs.items()})
        except OptionError as error:
            raise error.in_python() from None

    return told


def in_options(function: Callable[P, R]) -> Callable[P, R]:
    """The same for a command, whose options the errors name."""
    return cast(Callable[P, R], inspect.unwrap(function))
