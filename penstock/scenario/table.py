# SPDX-License-Identifier: GPL-2.0-only
"""What all tables of a scenario have in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.types import NAME, whole

Name = Annotated[str, Field(pattern=NAME)]
Flows = Annotated[int, whole(1, MAX_FLOWS)]


class Table(BaseModel):
    """A TOML table: no unknown key, no silent conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
