# SPDX-License-Identifier: GPL-2.0-only
"""A result directory: one file per finished cell, then results.parquet and run.json.

Every file is written beside its place and renamed, so that a run killed at any moment leaves
whole files only; the same command then runs what is missing. Another command of the same
scenario, backend and build adds its cells; any other is refused. A file that was changed by
anything else does not fit its digest: a cell is then run again, the rest is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from penstock import locks
from penstock.errors import ConfigError, UserError
from penstock.results import sealed, settings
from penstock.results.row import Row
from penstock.scenario import axes
from penstock.text import shell_word

if TYPE_CHECKING:
    import polars as pl

_RUN, _SEARCH, _REPORT = "run.json", "capacity.json", "report.html"
_TABLES: Final = (
    *("results.parquet", "groups.parquet", "flows.parquet", "series.parquet", "queues.parquet"),
    *("queue_series.parquet", "completions.parquet", "delays.parquet", "group_delays.parquet"),
)
_FILES: Final = ("cells/*.json", *_TABLES, _RUN, _SEARCH, _REPORT)
_NO_LOCKS: Final = "its file system has no locks; let no other command write there meanwhile"
_LISTS: Final = ("flows", "queues", "completions", "delays", "group_delays")  # that some runs have

Record = Mapping[str, Any]


def _origin(about: Record) -> dict[str, Any]:
    """Common properties of the results in a directory."""
    return {
        "scenario": about["scenario"]["setup"],
        "backend": about["backend"],
        "build": about["versions"]["engine"],
    }


def difference(theirs: object, ours: object, path: str = "") -> str:
    """The first difference of two JSON values, '' if there is none."""
    if theirs == ours:
        return ""
    if not (isinstance(theirs, dict) and isinstance(ours, dict)):
        return f"{path}: {theirs} there, {ours} here".removeprefix(": ")
    names = (name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name))
    name = next(names)
    return difference(theirs.get(name), ours.get(name), f"{path}.{name}".removeprefix("."))


def _settings(cell: Record) -> dict[str, str]:
    return dict(cell.get("settings", {}))


def _filled(cells: Sequence[Record], text: Callable[[str], str]) -> list[Record]:
    """Cells with a value for each key of the scenario that any of them sets."""
    every = {key: "" for cell in cells for key in _settings(cell)}
    base = {key: text(key) for key in every if axes.of_scenario(key)}
    return [{**cell, "settings": base | _settings(cell)} if every else cell for cell in cells]


def _run(cell: Record) -> str:
    """What tells a run from others, whether its series is sampled or not."""
    return sealed.canonical({name: cell[name] for name in cell if name not in ("key", "sampled")})


def merged(earlier: Sequence[Record], new: Sequence[Record]) -> list[Record]:
    """Cells of several commands in the order that one command would have run them in."""
    by_key = {cell["key"]: cell for cell in (*earlier, *new)}
    every: dict[str, Record] = {}
    for cell in by_key.values():
        if cell["sampled"] or _run(cell) not in every:
            every[_run(cell)] = cell
    ranks: list[dict[Any, int]] = [{}, {}, {}, {}]

    def place(cell: Record) -> tuple[int, ...]:
        variant = (cell["method"], cell["mode"], sealed.canonical(cell["params"]))
        point = tuple(item for item in _settings(cell).items() if axes.of_scenario(item[0]))
        parts = zip(ranks, (point, cell["receivers"], cell["flows"], variant), strict=True)
        return *(rank.setdefault(part, len(rank)) for rank, part in parts), cell["seed"]

    return sorted(every.values(), key=place)


def _tables(rows: Sequence[Row]) -> Iterator[pl.DataFrame]:
    """The tables, in the order of _TABLES; one at a time, as some are large."""
    from penstock.results import frames

    yield frames.runs([row.columns for row in rows])
    yield frames.groups(rows)
    yield frames.flows(rows)
    yield frames.series(rows)
    yield frames.queues(rows)
    yield frames.queue_series(rows)
    yield frames.completions(rows)
    yield frames.delays(rows)
    yield frames.group_delays(rows)


class Store:
    """The folder of one campaign. One process writes to it at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[bytes] | None = None

    def _cell(self, key: str) -> Path:
        return self.folder / "cells" / f"{key}.json"

    def open(self, about: Record | None = None) -> Store:
        """Makes the folder, or checks that results of `about` can be added to what is there."""
        try:
            self._cell("").parent.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / ".lock").open("wb")
            if locks.take(self._lock):
                sealed.remove_partial(self.folder, _FILES)
            else:
                warnings.warn(f"{self.folder}: {_NO_LOCKS}", stacklevel=2)
        except BlockingIOError:
            self.close()
            raise UserError(f"{self.folder}: another run is writing here; wait for it") from None
        except OSError as error:
            self.close()
            raise UserError(f"{self.folder}: cannot be written: {error.strerror}") from None
        try:
            for found in (self.run(), self.search()):
                if found and about:
                    self._check(_origin(found), _origin(about))
        except ConfigError:
            self.close()
            raise
        return self

    def _check(self, theirs: Record, ours: Record) -> None:
        for what in ours:
            if text := difference(theirs[what], ours[what]):
                raise ConfigError(
                    f"{self.folder}: holds results of another {what} ({text}), which cannot "
                    "be mixed with these; name another folder, or remove this one"
                )

    def close(self) -> None:
        """Lets others write to the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def run(self) -> dict[str, Any] | None:
        """What run.json says; None if there is none, exit 78 if it cannot be used."""
        return sealed.read(self.folder / _RUN)

    def search(self) -> dict[str, Any] | None:
        """What capacity.json says; None if there is none, exit 78 if it cannot be used."""
        return sealed.read(self.folder / _SEARCH)

    def provenance(self) -> dict[str, Any]:
        """How the results came to be; exit 78 if there are none."""
        about = self.run() or self.search()
        if about is None:
            raise ConfigError(
                f"{self.folder}: no finished results here; `penstock run SCENARIO -o "
                f"{shell_word(self.folder)}` makes them"
            )
        return about

    def cells(self) -> list[Record]:
        """The cells that run.json names."""
        return list((self.run() or {"cells": []})["cells"])

    def has(self, key: str) -> bool:
        """Whether there is a file of that cell."""
        return self._cell(key).exists()

    def load(self, key: str) -> Row | None:
        """The row of a finished cell; None if there is none, or none that is as it was."""
        try:
            content = sealed.read(self._cell(key))
        except ConfigError:
            return None
        if content is None or content["cell"]["key"] != key:
            return None
        lists = {name: content[name] for name in _LISTS if name in content}
        return Row(content["columns"], content["series"], content["groups"], **lists)

    def save(self, cell: Record, row: Row, made: Record) -> None:
        """Keeps a finished cell; `made` says what made it."""
        results = {"columns": row.columns, "series": row.series, "groups": row.groups}
        results |= {name: found for name in _LISTS if (found := getattr(row, name))}
        try:
            sealed.write(self._cell(cell["key"]), {"cell": cell, **made, **results})
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def rows(self, cells: Sequence[Record] | None = None) -> list[Row]:
        """The rows of these cells, or of all that run.json names; exit 78 if one is gone."""
        found = []
        for cell in self.cells() if cells is None else cells:
            row = self.load(cell["key"])
            if row is None:
                raise ConfigError(
                    f"{self._cell(cell['key'])}: missing or damaged; run the scenario again with "
                    f"-o {shell_word(self.folder)}, which replaces it and keeps the others"
                )
            found.append(replace(row, columns=settings.joined(row.columns, _settings(cell))))
        return found

    def finish(
        self, about: Record, cells: Sequence[Record], text: Callable[[str], str] = lambda _: ""
    ) -> None:
        """Writes the tables of all rows, then run.json, which says that all is there.

        `text` gives the scenario's own value of a key, for cells that do not set it.
        """
        earlier = self.cells()
        filled = _filled([*earlier, *cells], text)
        every = merged(filled[: len(earlier)], filled[len(earlier) :])
        rows = self.rows(every)
        origin = sealed.labelled({name: about[name] for name in ("versions", "git")})
        try:
            for name, table in zip(_TABLES, _tables(rows), strict=True):
                self._write_table(name, table, origin)
            self._keep(_RUN, {**about, "plan": _plan(every), "cells": every})
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def _write_table(self, name: str, table: pl.DataFrame, origin: Record) -> None:
        """Writes a table that says how it came to be; none that is empty."""
        path = self.folder / name
        if table.is_empty():
            path.unlink(missing_ok=True)
            return
        with sealed.replacing(path) as partial:
            table.write_parquet(partial, metadata={"penstock": sealed.canonical(origin)})

    def keep_search(self, about: Record, served: Sequence[Record]) -> None:
        """Keeps the answers of a search for the number of flows; the latest to each question."""
        asked = ("method", "mode", "parameters", "receivers", "settings", "level_percent")
        every = {
            tuple(record.get(name) for name in asked): record
            for record in (*(self.search() or {"served": []})["served"], *served)
        }
        try:
            self._keep(_SEARCH, {**about, "served": list(every.values())})
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def _keep(self, name: str, content: Record) -> None:
        """Writes a file that the report is made of; one of something else is removed."""
        if sealed.write(self.folder / name, content, indent=1):
            (self.folder / _REPORT).unlink(missing_ok=True)


def _plan(cells: Sequence[Record]) -> dict[str, Any]:
    """What was varied, over all cells."""
    names = ("methods", "method"), ("modes", "mode"), ("receivers", "receivers"), ("flows", "flows")
    found: dict[str, Any] = {
        plural: list(dict.fromkeys(cell[name] for cell in cells)) for plural, name in names
    }
    keys = dict.fromkeys(key for cell in cells for key in _settings(cell))
    values = {
        key: list(dict.fromkeys(_settings(cell)[key] for cell in cells if key in _settings(cell)))
        for key in keys
    }
    varied = {"settings": values} if values else {}
    return found | {"seeds": sorted({cell["seed"] for cell in cells})} | varied
