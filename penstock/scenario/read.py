# SPDX-License-Identifier: GPL-2.0-only
"""From a scenario's name or path to a checked Scenario.

Anything wrong is one UserError that names file, line, key and what would be
right: exit 78, or 2 for what the command line gave.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from penstock.errors import ConfigError, Exit, UsageError, UserError, near
from penstock.scenario import axes, complain
from penstock.scenario.check import first_flaw
from penstock.scenario.library import EXPECTED, PAPER, libraries
from penstock.scenario.locate import Path as KeyPath
from penstock.scenario.model import Scalar, Scenario
from penstock.scenario.source import STDIN, Origin, Source, load, override, replace

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Loaded:
    """A scenario and the name that it was asked for by."""

    name: str
    scenario: Scenario
    source: Source
    base: Scenario  # without what --set puts into its runs, if that is a scenario
    plain: Source  # of it

    def error(self, path: KeyPath, message: str, code: Exit) -> UserError:
        """An error at a key of the scenario, named by file and line."""
        return UserError(str(self.source.error(path, message)), code)

    def varied(self, settings: Sequence[tuple[str, Scalar, Origin]]) -> Scenario:
        """The scenario with other values for keys of its own, each with where it comes from."""
        source = self.plain.copy()
        for key, value, origin in settings:
            override(source, key, value, origin)
        return validate(source)


_NO_SCENARIOS: Final = (PAPER, EXPECTED)  # what a paper has beside its scenarios


def shipped() -> dict[str, Path]:
    """The shipped scenarios by name, FOLDER/FILE without its suffix, sorted."""
    found = {
        path.relative_to(root).with_suffix("").as_posix(): path
        for root in libraries()
        for path in root.rglob("*.toml")
        if path.name not in _NO_SCENARIOS
    }
    return dict(sorted(found.items()))


def find(name: str) -> Path:
    """The file that a scenario's name or path means."""
    path = Path(name)
    try:
        if path.is_dir():
            raise ConfigError(f"{name}: this is a folder; name a scenario file")
        if name == STDIN or path.exists():
            return path
    except (OSError, ValueError):
        raise UsageError(f"{name!r} is no path of a file") from None
    ours = shipped()
    plain = name.removesuffix(".toml")
    if plain in ours:
        return ours[plain]
    cure = near(name, ours, otherwise="`penstock list` shows those that are")
    raise UsageError(f"there is no scenario {name!r}, neither file nor shipped; {cure}")


def checked(source: Source, model: type[_Model]) -> _Model:
    """The tables as a model; the error is about the first line that is wrong."""
    try:
        return model.model_validate(source.tables)
    except ValidationError as failure:
        flaws = [
            (complain.key_path(source.tables, error), complain.sentence(model, error))
            for error in failure.errors(include_url=False)
        ]
        raise source.error(*min(flaws, key=lambda flaw: _line(source, flaw[0]))) from None


def validate(source: Source) -> Scenario:
    """The checked scenario of merged tables."""
    scenario = checked(source, Scenario)
    flaw = first_flaw(scenario)
    if flaw:
        raise source.error(*flaw)
    return scenario


def _line(source: Source, path: tuple[str | int, ...]) -> int:
    while path and path not in source.origins:
        path = path[:-1]
    return source.origins.get(path, Origin("", 1)).line


@dataclass(frozen=True)
class Given:
    """Lists that the command line gives in place of the sweep's, each value as typed and read."""

    flows: Sequence[tuple[str, int]] = ()
    receivers: Sequence[tuple[str, str]] = ()


def _base(source: Source) -> Scenario | None:
    """The scenario without what --set would put right; None if it needs that."""
    try:
        return validate(source)
    except UserError:
        return None


def _load(name: str | Source) -> Source:
    if isinstance(name, Source):
        return name.copy()
    return load(find(name), "stdin" if name == STDIN else name)


def read(
    name: str | Source, sets: Sequence[tuple[str, Scalar]] = (), given: Given = Given()
) -> Loaded:
    """Reads a scenario, puts in what the command line gives, and checks the whole.

    Files that tables of a program name are relative to the current folder.
    """
    plain = _load(name)
    for key, option in (("flows", "-n"), ("receivers", "--receivers")):
        values = getattr(given, key)
        if values:
            replace(plain, ("sweep", key), option, values)
    source = plain.copy()
    for key, value in sets:
        override(source, key, value)
        if not axes.changes_runs(key):
            override(plain, key, value)
    scenario = validate(source)
    return Loaded(plain.name, scenario, source, (_base(plain) if sets else None) or scenario, plain)
