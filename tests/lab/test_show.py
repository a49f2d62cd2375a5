# SPDX-License-Identifier: GPL-2.0-only
"""What is shown of the format: whole scenarios, the schema, and what to cite."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_support import SMALL, Run

from penstock.api import references
from penstock.scenario import write
from penstock.scenario.read import read, shipped
from penstock.scenario.schema import schema


@pytest.mark.parametrize("name", shipped())
def test_what_is_shown_reads_as_the_same_scenario(tmp_path: Path, name: str) -> None:
    scenario = read(name).scenario
    path = tmp_path / "shown.toml"
    path.write_text(write.text(scenario))
    assert read(str(path)).scenario == scenario


def test_show_has_defaults_sets_and_parameters(penstock: Run, small: Path) -> None:
    done = penstock("show", small, "--set", "link.bottleneck.queue=60kB", "--set", "ewt.start=9kB")
    assert done.returncode == 0, done.stderr
    shown = tomllib.loads(done.stdout)
    assert shown["link"]["bottleneck"]["queue"] == "60kB"
    assert shown["tcp"]["bulk"]["rto_min"] == "200ms"
    assert "\n# ewt\n# start_bytes = 9kB\n# reserve_bytes = 0B\n" in done.stdout
    found = json.loads(penstock("show", small, "-j").stdout)
    assert found["scenario"]["time"] == {"limit": "100000s"}
    assert found["parameters"]["ewt"]["start_bytes"] == "9kB"  # 3/10 of 30 kB
    assert penstock("show", "-").returncode != 0


def missing(found: Any, rule: dict[str, Any], root: dict[str, Any], path: str) -> Iterator[str]:
    """The keys of a TOML value that the schema does not have."""
    if "$ref" in rule:
        rule = root["$defs"][rule["$ref"].rpartition("/")[2]]
    for choice in rule.get("anyOf", ()):
        rule = {**choice, **rule}
        if "$ref" in choice:
            rule = root["$defs"][choice["$ref"].rpartition("/")[2]]
    if isinstance(found, list):
        for each in found:
            yield from missing(each, rule["items"], root, f"{path}[]")
    if not isinstance(found, dict):
        return
    for key, value in found.items():
        inner = rule.get("properties", {}).get(key)
        for pattern, each in rule.get("patternProperties", {}).items():
            inner = each if re.search(pattern, key) else inner
        more = rule.get("additionalProperties")
        inner = more if inner is None and isinstance(more, dict) else inner
        if inner is None:
            yield f"{path}.{key}"
        else:
            yield from missing(value, inner, root, f"{path}.{key}")


@pytest.mark.parametrize("name", shipped())
def test_the_schema_has_every_key_of_a_scenario(name: str) -> None:
    made = schema()
    tables = tomllib.loads(shipped()[name].read_text())
    assert list(missing(tables, made, made, "")) == []
    whole = write.tables(read(name).scenario)
    assert list(missing(whole, made, made, "")) == []


def test_each_key_says_what_it_is() -> None:
    tables = {name: made for name, made in schema()["$defs"].items() if "Paper" not in name}
    assert len(tables) > 14
    for name, table in tables.items():
        for key, rule in table["properties"].items():
            assert "description" in rule or "$ref" in json.dumps(rule), f"{name}.{key}"


def test_the_schema_has_no_other_key(penstock: Run) -> None:
    made = json.loads(penstock("schema").stdout)
    wrong = tomllib.loads(SMALL.replace('queue = "30kB"', 'quue = "30kB"'))
    assert list(missing(wrong, made, made, "")) == [".link.bottleneck.quue"]
    link = made["$defs"]["Link"]["properties"]
    assert link["mtu"]["default"] == "1.5kB"
    told = "bits per second, of everything that is on the wire (a rate: '4mbit')"
    assert link["rate"] == {"type": "string", "description": told, "title": "Rate"}
    assert "null" not in json.dumps(made)
    assert "start_bytes" in made["properties"]["method"]["properties"]["ewt"]["properties"]


def test_cite(penstock: Run) -> None:
    done = penstock("cite")
    assert done.stdout.count("@") == 1 + len(references.load()[1])
    assert "author = {Talau, Marcos and Fonseca, Mauro and Wille, Emilio C. G.}" in done.stdout
    one = penstock("cite", "ewt-iot-2023").stdout
    assert "ewt-2019" not in one
    wrong = penstock("cite", "ewt-2018")
    assert wrong.returncode == 2
    assert "did you mean 'ewt-2019'" in wrong.stderr


def test_the_documents_cite_in_full_what_methods_are_from() -> None:
    folder = Path(__file__).resolve().parents[2] / "docs" / "methods"
    pages = "".join(path.read_text(encoding="utf-8") for path in folder.glob("[a-z]*.md"))
    rows = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    cited = [key for key in references.load()[1] if key in pages]
    assert len(cited) >= 5
    for key in cited:
        assert references.row(key) in rows


def test_the_citation_file_is_made_from_the_references() -> None:
    root = Path(__file__).resolve().parents[2]
    assert (root / "CITATION.cff").read_text() == references.cff()
