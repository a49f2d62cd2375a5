# SPDX-License-Identifier: GPL-2.0-only
"""A folder of results: one file a finished cell, then results.parquet and run.json.

Every file is written beside its place and renamed, so that a run killed at any
moment leaves whole files only; the same command then runs what is missing.
"""

import fcntl
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

import polars as pl

from penstock.backends import Row
from penstock.cells import SCHEMA_VERSION
from penstock.columns import COLUMNS
from penstock.errors import ConfigError, UserError
from penstock.metrics import Value

_TYPES: Final = {"str": pl.String, "int": pl.Int64, "float": pl.Float64}
_PARTIAL: Final = ".partial"


def _write(path: Path, data: bytes) -> None:
    partial = path.with_name(path.name + _PARTIAL)
    partial.write_bytes(data)
    partial.rename(path)


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"


def frame(rows: Sequence[Mapping[str, Value]]) -> pl.DataFrame:
    """Rows as a table with the types of columns.py."""
    schema = {column.name: _TYPES[column.kind] for column in COLUMNS}
    return pl.DataFrame([dict(row) for row in rows], schema=schema, orient="row")


class Store:
    """The folder of one campaign. One process writes to it at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cells = folder / "cells"
        self._lock: IO[bytes] | None = None

    def open(self) -> "Store":
        """Makes the folder, or checks that what is there can be continued."""
        try:
            self.cells.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / ".lock").open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"{self.folder}: another run is writing here; wait for it") from None
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written: {error.strerror}") from None
        if (self.folder / "run.json").exists():
            self.provenance()
        for partial in self.folder.glob(f"**/*{_PARTIAL}"):
            partial.unlink()
        return self

    def close(self) -> None:
        """Lets others write to the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def provenance(self) -> dict[str, Any]:
        """What run.json says; exit 78 for another schema version."""
        path = self.folder / "run.json"
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise ConfigError(
                f"{self.folder}: no finished results here; `penstock run SCENARIO -o "
                f"{self.folder}` makes them"
            ) from None
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: cannot be read: {error}") from None
        version = content.get("schema_version") if isinstance(content, dict) else None
        if version != SCHEMA_VERSION:
            raise ConfigError(
                f"{path}: schema_version is {version!r}, this Penstock knows {SCHEMA_VERSION}; "
                "use the version that wrote it, or another folder"
            )
        return dict(content)

    def load(self, key: str) -> Row | None:
        """The row of a finished cell; None if there is none, or none that can be read."""
        try:
            content = json.loads((self.cells / f"{key}.json").read_bytes())
            if content["schema_version"] != SCHEMA_VERSION:
                return None
            return Row(content["columns"], content["series"], content.get("groups", []))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, key: str, row: Row) -> None:
        """Keeps a finished cell."""
        content = {"schema_version": SCHEMA_VERSION, "columns": row.columns, "series": row.series}
        if row.groups:
            content["groups"] = row.groups
        try:
            _write(self.cells / f"{key}.json", json.dumps(content).encode() + b"\n")
        except OSError as error:
            raise UserError(f"{self.cells}: cannot be written: {error.strerror}") from None

    def rows(self) -> list[Row]:
        """The rows of all cells that run.json names; exit 78 if one is gone."""
        found = []
        for key in self.provenance()["cells"]:
            row = self.load(str(key))
            if row is None:
                raise ConfigError(
                    f"{self.cells / str(key)}.json: missing or damaged; repeat the run with "
                    f"-o {self.folder}"
                )
            found.append(row)
        return found

    def keep_capacity(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Keeps the answers of a search for the number of flows."""
        content = {"schema_version": SCHEMA_VERSION, "served": list(records)}
        _write(self.folder / "capacity.json", _json(content))

    def capacity(self) -> list[dict[str, Any]]:
        """The answers of a search, if one was kept here."""
        try:
            content = json.loads((self.folder / "capacity.json").read_bytes())
        except (OSError, ValueError):
            return []
        return list(content["served"]) if content["schema_version"] == SCHEMA_VERSION else []

    def keep_groups(self, rows: Sequence[Mapping[str, Value]]) -> None:
        """Writes the table of rows by group, if there are any."""
        table = self.folder / "groups.parquet"
        if not rows:
            table.unlink(missing_ok=True)
            return
        partial = table.with_name(table.name + _PARTIAL)
        pl.DataFrame([dict(row) for row in rows], infer_schema_length=None).write_parquet(partial)
        partial.rename(table)

    def finish(self, provenance: Mapping[str, Any], rows: Sequence[Mapping[str, Value]]) -> None:
        """Writes the table of all rows, then run.json, which says that all is there."""
        table = self.folder / "results.parquet"
        partial = table.with_name(table.name + _PARTIAL)
        frame(rows).write_parquet(partial)
        partial.rename(table)
        _write(self.folder / "run.json", _json({"schema_version": SCHEMA_VERSION, **provenance}))
