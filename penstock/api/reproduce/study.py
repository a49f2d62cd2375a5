# SPDX-License-Identifier: GPL-2.0-only
"""What a paper compares that no table of statements can: modules in the paper's folder.

Such a module has `study(effort)`, which says what to run and what to make of the results. What the
paper states stands in expected.toml beside it.
"""

import importlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pydantic import BaseModel

from penstock.api.reproduce.papers import Paper
from penstock.api.reproduce.runs import Effort, Part
from penstock.errors import ConfigError
from penstock.results.entries import Entry
from penstock.scenario.library import EXPECTED, PAPER, libraries
from penstock.scenario.read import checked
from penstock.scenario.source import load

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Study:
    """Runs of a paper's own, and what makes statements and plots of their results.

    `work` are the runs and the cells of each; `live`, for each run on Linux, whether its result
    is there, and its seconds.
    """

    run: Callable[[], Any]
    entries: Callable[[Any], Iterable[Entry]]
    plots: Callable[[Any], Iterable[tuple[str, Any]]] = lambda _: ()
    work: Callable[[], Iterable[Part]] = lambda: ()
    live: Callable[[], Iterable[tuple[bool, float]]] = lambda: ()


def expected(module: str, model: type[_Model]) -> _Model:
    """What the paper states, of the module with that __file__."""
    path = Path(module).with_name(EXPECTED)
    return checked(load(path, str(path)), model)


def module(folder: str, name: str) -> ModuleType:
    """A module in the folder of a paper; it may import others there."""
    places = [library / folder for library in libraries()]
    sys.path[:0] = map(str, places)
    try:
        made = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ConfigError(f"{folder}/{PAPER}: analyses: there is no {name}.py beside it") from None
    finally:
        del sys.path[: len(places)]
    if Path(made.__file__ or "").parent not in places:
        raise ConfigError(
            f"{folder}/{PAPER}: analyses: there is another module {name!r}; rename it"
        )
    return made


def studies(paper: Paper, effort: Effort) -> list[Study]:
    """Those of a paper, in its order."""
    made: list[Study] = [module(paper.folder, name).study(effort) for name in paper.analyses]
    return made
