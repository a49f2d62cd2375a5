# SPDX-License-Identifier: GPL-2.0-only
"""What all tables of a scenario have in common."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.types import NAME, whole

Name = Annotated[str, Field(pattern=NAME)]
Flows = Annotated[int, whole(1, MAX_FLOWS)]


class Table(BaseModel):
    """A TOML table: no unknown key, no silent conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


_T = TypeVar("_T", bound=Table)


def with_keys(name: str, base: type[_T], fields: dict[str, Any]) -> type[_T]:
    """The table `base` with these keys, each with its form and its default."""
    made: type[_T] = create_model(
        name, __base__=base, __module__=base.__module__, __doc__=base.__doc__, **fields
    )
    return made
