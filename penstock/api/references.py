# SPDX-License-Identifier: GPL-2.0-only
"""What to cite, from references.toml and papers/: as BibTeX, and as CITATION.cff.

CITATION.cff is generated: python -m penstock.api.references > CITATION.cff
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from penstock.scenario.library import PAPER, libraries
from penstock.version import version

_FILE: Final = Path(__file__).with_suffix(".toml")
_AUTHORS: Final = "The Penstock authors"
_BIBTEX: Final = {"journal": "article", "booktitle": "inproceedings", "school": "phdthesis"}
_CFF: Final = {"journal": "article", "booktitle": "conference-paper", "school": "thesis"}


def load() -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Penstock itself, and the papers by the names of their folders."""
    papers = {}
    for library in libraries():
        for file in sorted(library.rglob(PAPER)):
            about = tomllib.loads(file.read_text(encoding="utf-8"))
            if "reference" in about:
                papers[file.relative_to(library).parts[0]] = about["reference"]
    own = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return own["penstock"], papers


def _entry(kind: str, key: str, fields: Mapping[str, object]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def software() -> str:
    """The installed version of Penstock as BibTeX."""
    about, _ = load()
    return _entry(
        "software",
        "penstock",
        {
            "title": about["title"],
            "author": f"{{{_AUTHORS}}}",
            "year": about["released"].year,
            "version": version(),
        },
    )


def paper(key: str) -> str:
    """A paper as BibTeX."""
    fields = load()[1][key]
    kind = next((_BIBTEX[name] for name in _BIBTEX if name in fields), "misc")
    fields = {"title": f"{{{fields['title']}}}", "author": " and ".join(fields["authors"])} | {
        name: fields.get(name) for name in (*_BIBTEX, "year", "doi")
    }
    return _entry(kind, key, fields)


def row(key: str) -> str:
    """A paper as a row of the table of sources in docs/methods/README.md."""
    fields = load()[1][key]
    names = (" ".join(reversed(name.split(", "))) for name in fields["authors"])
    venue = next((fields[name] for name in _BIBTEX if name in fields), "")
    venue = f"dissertation, {venue}" if "school" in fields else venue
    where = f"https://doi.org/{fields['doi']}" if "doi" in fields else ""
    parts = [", ".join(names), f'"{fields["title"]}"', venue, str(fields["year"]), where]
    return f"| {key} | {', '.join(part for part in parts if part)} |"


def _person(name: str) -> str:
    family, given = name.split(", ")
    return f"      - {{family-names: {family}, given-names: {given}}}"


def cff() -> str:
    """CITATION.cff."""
    about, papers = load()
    lines = [
        "# SPDX-License-Identifier: GPL-2.0-only",
        "# Made by `python -m penstock.api.references` from its table and papers/.",
        "cff-version: 1.2.0",
        "message: If you use Penstock in your work, please cite it, and the paper of the method "
        "that you use.",
        f"title: {about['title']}",
        f"abstract: {json.dumps(about['abstract'])}",
        "type: software",
        "authors:",
        f"  - name: {_AUTHORS}",
        f"version: {version()}",
        f'date-released: "{about["released"]}"',
        "license: GPL-2.0-only",
        "keywords:",
        *(f"  - {word}" for word in about["keywords"]),
        "references:",
    ]
    for fields in papers.values():
        kind = next((_CFF[name] for name in _CFF if name in fields), "article")
        lines += [f"  - type: {kind}", f"    title: {json.dumps(fields['title'])}", "    authors:"]
        lines += [_person(name) for name in fields["authors"]]
        lines += [
            f"    {name}: {fields[name]}" for name in ("journal", "year", "doi") if name in fields
        ]
        if "booktitle" in fields:
            lines.append(f"    collection-title: {fields['booktitle']}")
        if "school" in fields:
            lines.append(f"    institution: {{name: {fields['school']}}}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(cff(), end="")
