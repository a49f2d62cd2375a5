# SPDX-License-Identifier: GPL-2.0-only
"""What all tables of a scenario have in common."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo

from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.types import NAME, whole

Name = Annotated[str, Field(pattern=NAME)]
Flows = Annotated[int, whole(1, MAX_FLOWS)]


class Table(BaseModel):
    """A TOML table: no unknown key, no silent conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


@dataclass(frozen=True)
class Said:
    """What the page of the format says of a key, beside its default and its help."""

    unsaid: str = ""  # what saying nothing is called, if the default does not say it
    source: str = ""
    kinds: tuple[str, ...] = ()  # of users, that have the key


def key(help_: str, unsaid: str = "", kinds: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """What the page of the format and editors say of a key."""
    return Field(description=help_), Said(unsaid, kinds=kinds)


def marked(form: Any, mark: Said) -> Any:
    """The form of a key, and what the page says of it."""
    return operator.getitem(cast(Any, Annotated), (form, mark))


def said(field: FieldInfo) -> Said:
    """What the page says of the field."""
    return next((mark for mark in field.metadata if isinstance(mark, Said)), Said())


_T = TypeVar("_T", bound=Table)


def with_keys(name: str, base: type[_T], fields: dict[str, Any]) -> type[_T]:
    """The table `base` with these keys, each with its form and its default."""
    made: type[_T] = create_model(
        name, __base__=base, __module__=base.__module__, __doc__=base.__doc__, **fields
    )
    return made
