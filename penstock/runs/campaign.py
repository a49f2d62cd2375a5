# SPDX-License-Identifier: GPL-2.0-only
"""A campaign: all cells of a plan, from the store or run on workers."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from penstock.errors import Exit, UserError
from penstock.plan.cells import Cell
from penstock.results import sealed
from penstock.results.row import Row
from penstock.results.store import Store
from penstock.runs import backends, interrupts, provenance, workers
from penstock.runs.cluster import Cluster, other_build
from penstock.runs.workers import Failure, Outcome
from penstock.scenario import axes
from penstock.scenario.model import Scenario
from penstock.scenario.read import Loaded
from penstock.scenario.source import Origin

_DIGITS: Final = 32


@dataclass
class Campaign:
    """Runs cells and remembers them, on disk if there is a store; for a `with` statement."""

    backend: str = "sim"
    workers: int = 1
    store: Store | None = None
    cluster: str = ""  # a scheduler or a batch system, in place of workers here
    advance: Callable[[int], None] = lambda _: None  # told of each number of finished cells
    failures: list[tuple[Cell, str]] = field(default_factory=list)
    about: Mapping[str, Any] = field(default_factory=dict)  # what the store says of its results

    def __post_init__(self) -> None:
        """Finds the backend first."""
        backend = backends.get(self.backend)
        self.engine = backend.engine
        self.workers = min(self.workers, getattr(backend, "most_workers", self.workers))
        self._cluster = self._connect() if self.cluster else None
        self._watch = interrupts.Watch()
        self._pool = workers.Pool(self.backend, self.workers, self._cluster)
        self._loaded: Loaded | None = None

    def _connect(self) -> Cluster:
        """The cluster, whose workers must have the same build, byte by byte."""
        cluster = Cluster(self.cluster, self.workers)
        for other in cluster.engines(self.backend) - {self.engine}:
            cluster.close()
            raise UserError(f"--cluster {self.cluster}: {other_build(other, self.engine)}")
        self.workers = cluster.workers
        return cluster

    def __enter__(self) -> Self:
        self._watch = interrupts.Watch()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Ends the workers, at once after an error, and unlocks the store.

        Raises UserError in place of Ctrl-C, wherever it came.
        """
        try:
            self._end(kind)
        except KeyboardInterrupt:
            kind = KeyboardInterrupt
            self._pool.kill()  # again: the first time may have been cut
        if self._watch.blames(kind):
            raise UserError("interrupted" + self._kept(), Exit.INTERRUPTED) from None

    def _end(self, kind: type[BaseException] | None) -> None:
        try:
            if kind is None:
                self._pool.close()
            else:
                self._pool.kill()
        finally:
            if self._cluster is not None:
                self._cluster.close()
            if self.store is not None:
                self.store.close()

    def key(self, cell: Cell) -> str:
        """The name of a cell in the store: hex digits of a hash of what its result depends on."""
        content = {"engine": self.engine, "setup": cell.scenario.setup(), **cell.identity()}
        text = sealed.canonical(sealed.labelled(content))
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    def keep_in(self, folder: Path, loaded: Loaded) -> Store:
        """Opens the folder for results of `loaded`."""
        self.about = provenance.describe(loaded, self.engine, self.backend)
        self._loaded = loaded
        self.store = Store(folder).open(self.about)
        return self.store

    def record(self, cell: Cell) -> dict[str, Any]:
        """A cell's name in files."""
        settings = {"settings": dict(cell.settings)} if cell.settings else {}
        return {"key": self.key(cell), **cell.identity(), **settings}

    def lost(self, todo: Sequence[Cell]) -> list[Cell]:
        """Damaged or missing cells of earlier commands in this directory, except `todo`."""
        if self.store is None:
            return []
        ours = {self.key(cell) for cell in todo}
        earlier = [dict(record) for record in self.store.cells() if record["key"] not in ours]
        return [
            Cell(self._varied(record.get("settings", {})), **record)
            for record in earlier
            if self.store.load(record.pop("key")) is None
        ]

    def _varied(self, settings: Mapping[str, str]) -> Scenario:
        """The scenario that an earlier command ran with these settings."""
        assert self._loaded is not None, "set with the store"
        given = [(key, text) for key, text in settings.items() if axes.of_scenario(key) and text]
        if not given:
            return self._loaded.base
        origin = Origin(f"{self.store and self.store.folder}/run.json", 1)
        return self._loaded.varied([(key, text, origin) for key, text in given])

    def finish(self, cells: Sequence[Cell]) -> None:
        """Writes the tables of all that the store has, `cells` among it."""
        if self.store is None or self._loaded is None:
            return
        base, records = self._loaded.base, [self.record(cell) for cell in cells]
        self.store.finish(self.about, records, lambda key: axes.text(base, key))

    def has(self, cell: Cell) -> bool:
        """Whether the store has a file of this cell, whole or not."""
        kept = self.store is not None and not cell.captured
        return kept and self.store is not None and self.store.has(self.key(cell))

    def _stored(self, cell: Cell) -> Row | None:
        if self.store is None or cell.captured:
            return None
        return self.store.load(self.key(cell))

    def _finish(self, cell: Cell, outcome: Outcome) -> None:
        if isinstance(outcome, Failure):
            self.failures.append((cell, outcome.message))
        elif self.store is not None:
            made = provenance.made_by(self.engine)
            self.store.save(self.record(cell), outcome, made)
        self.advance(1)

    def run(self, todo: Sequence[Cell]) -> Iterator[tuple[Cell, Row | None]]:
        """Yields each cell with its row in the order of `todo`; None for a failed one."""
        for cell in todo:
            backends.check(self.backend, cell.scenario)
            backends.check_method(self.backend, cell.scenario, cell.method)
        ready: dict[int, Outcome] = {}
        missing: list[int] = []
        for index, cell in enumerate(todo):
            row = self._stored(cell)
            if row is None:
                missing.append(index)
            else:
                ready[index] = row
        self.advance(len(ready))
        following = 0
        outcomes = self._pool.run([todo[index] for index in missing])
        for number, outcome in outcomes:
            self._finish(todo[missing[number]], outcome)
            self._watch.check()
            ready[missing[number]] = outcome
            while following in ready:
                yield todo[following], _row(ready.pop(following))
                following += 1
        while following in ready:
            yield todo[following], _row(ready.pop(following))
            following += 1

    def _kept(self) -> str:
        if self.store is None:
            return ""
        return f"; finished runs are in {self.store.folder}: repeat the command to continue"


def _row(outcome: Outcome) -> Row | None:
    return None if isinstance(outcome, Failure) else outcome
