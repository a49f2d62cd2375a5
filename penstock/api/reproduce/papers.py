# SPDX-License-Identifier: GPL-2.0-only
"""The papers as data: paper.toml beside a paper's scenarios names what belongs to it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, Field

from penstock.scenario.library import PAPER, libraries
from penstock.scenario.read import checked
from penstock.scenario.source import load
from penstock.scenario.table import Table

LEVELS: Final = (0.1, 0.5, 1.0)  # percent of data packets lost at which flows served are compared


class Strict(BaseModel):
    """Read as strictly as a scenario's tables, of which these are none."""

    model_config = Table.model_config


class Part(Strict):
    """[[part]]: one scenario of a paper.

    `served`: the number of flows at each level is searched too, with the methods `searched`
    if the paper leaves out some there. `slow`: with --quick, one seed with these receivers
    and no search. Methods and receivers are the scenario's unless they are named.
    """

    scenario: str
    methods: Sequence[str] = ()
    receivers: Sequence[str] = ()
    served: bool = False
    searched: Sequence[str] = ()
    backend: str = "sim"
    slow: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The scenario without its folder."""
        return Path(self.scenario).stem


class Guess(Strict):
    """[[calibration.guess]]: a setting that the paper may have used without stating it.

    `sets` are --set values, and `levels` percents of the data packets that stand for the paper's.
    """

    what: str
    sets: Sequence[str] = ()
    receivers: Sequence[str]
    levels: Sequence[float] = LEVELS


class Calibration(Strict):
    """[calibration]: the flows at which the paper's drop-tail came to LEVELS (RFC 7928)."""

    flows: Mapping[str, Sequence[int]]
    guess: Sequence[Guess]


class Open(Strict):
    """[[open]]: what the paper leaves open, and what `penstock fit` tries instead of the
    scenarios' values: lists of --set values.
    """

    what: Annotated[str, Field(min_length=1)]
    tries: Annotated[Sequence[Annotated[Sequence[str], Field(min_length=1)]], Field(min_length=1)]


class NotRun(Strict):
    """[[not_run]]: a statement that no run of ours decides, listed so that all are counted."""

    figure: str
    source: str
    what: str
    stated: str
    why: str


class Reference(Strict):
    """[reference]: what to cite; of a paper in several folders, in one of them."""

    title: str
    authors: Annotated[Sequence[str], Field(min_length=1)]  # "Family, Given"
    year: int
    journal: str = ""
    booktitle: str = ""
    school: str = ""
    doi: str = ""


class Paper(Strict):
    """paper.toml: a paper that can be reproduced.

    `scenarios` are parts with nothing of their own, `analyses` modules beside the file that
    compare what a table of statements cannot.
    """

    name: str
    folder: str  # of its library
    title: str
    document: str  # the page that explains differences
    published: bool = True
    quick_seeds: Annotated[int, Field(ge=1)] = 3
    analyses: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    parts: Annotated[Sequence[Part], Field(alias="part")] = ()
    calibration: Calibration | None = None
    open: Sequence[Open] = ()
    not_run: Sequence[NotRun] = ()
    reference: Reference | None = None


def read(file: Path, library: Path) -> Paper:
    """The paper of a file; its name and those of its scenarios are of its folder."""
    source = load(file, str(file))
    folder = file.parent.relative_to(library).as_posix()
    page = file.with_name("page.md").relative_to(library.parent).as_posix()
    tables = source.tables
    own = {"name": folder.replace("/", "-"), "folder": folder}
    tables |= {**own, "document": tables.get("document", page)}
    paper = checked(source, Paper)
    named = [Part(scenario=name) for name in paper.scenarios]
    parts = [
        part.model_copy(update={"scenario": f"{folder}/{part.scenario}"})
        for part in (*named, *paper.parts)
    ]
    return paper.model_copy(update={"parts": parts})


def _all() -> Iterator[Paper]:
    for library in libraries():
        for file in library.rglob(PAPER):
            yield read(file, library)


def _place(paper: Paper) -> tuple[bool, str]:
    return not paper.published, paper.name


PAPERS: Final[Mapping[str, Paper]] = {paper.name: paper for paper in sorted(_all(), key=_place)}
