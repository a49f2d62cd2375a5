# SPDX-License-Identifier: GPL-2.0-only
"""What is said in several places is said alike."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)


@pytest.fixture
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text())


def pins(path: Path) -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in PINNED.findall(path.read_text())}


def requirements(root: Path, project: dict[str, Any], *, dev: bool) -> list[Requirement]:
    lines = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    build = (root / "requirements/build.in").read_text().splitlines()
    lines += [line for line in build if not line.startswith("#")]
    if dev:
        lines += project["project"]["optional-dependencies"]["dev"]
    return [Requirement(line) for line in lines]


def test_the_release_has_one_number(root: Path, project: dict[str, Any]) -> None:
    version = project["project"]["version"]
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text()
    assert f"VERSION {version} " in (root / "CMakeLists.txt").read_text()
    newest = re.search(r"^## \[(\d[^]]*)\]", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert newest[1] == version


def test_citation_and_changelog_have_one_date(root: Path) -> None:
    cited = re.search(r'date-released: "([\d-]+)"', (root / "CITATION.cff").read_text())
    newest = re.search(r"^## \[\d[^]]*\] - ([\d-]+)$", (root / "CHANGELOG.md").read_text(), re.M)
    assert cited
    assert newest
    assert cited[1] == newest[1]


@pytest.mark.parametrize(
    ("lock", "dev"), [("requirements/run.lock", False), ("requirements/dev.lock", True)]
)
def test_the_lock_satisfies_what_is_required(
    root: Path, project: dict[str, Any], lock: str, dev: bool
) -> None:
    locked = pins(root / lock)
    for wanted in requirements(root, project, dev=dev):
        name = canonicalize_name(wanted.name)
        assert name in locked, f"{lock} lacks {name}: make lock"
        assert locked[name] in wanted.specifier, f"{lock} has {name} {locked[name]}: make lock"


def test_the_development_lock_holds_the_other(root: Path) -> None:
    dev = pins(root / "requirements/dev.lock")
    assert pins(root / "requirements/run.lock").items() <= dev.items()


def test_wheels_are_built_with_the_locked_build_tools(root: Path) -> None:
    wheels, dev = pins(root / "requirements/wheels.lock"), pins(root / "requirements/dev.lock")
    named = "".join((root / f"requirements/{part}.in").read_text() for part in ("wheels", "build"))
    for line in named.splitlines():
        if not line.startswith("#"):
            wanted = Requirement(line)
            assert wheels[canonicalize_name(wanted.name)] in wanted.specifier, "make lock"
    common = wheels.keys() & dev.keys()
    assert {name: wheels[name] for name in common} == {name: dev[name] for name in common}


@pytest.mark.parametrize(
    "lock",
    [
        "requirements/run.lock",
        "requirements/dev.lock",
        "requirements/docs.lock",
        "requirements/wheels.lock",
        "requirements/zig.lock",
    ],
)
def test_every_locked_package_has_a_hash(root: Path, lock: str) -> None:
    text = (root / lock).read_text()
    for block in re.split(r"^(?=[A-Za-z0-9._-]+==)", text, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block, block.splitlines()[0]


def test_make_help_lists_every_target(root: Path) -> None:
    done = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, check=True)
    for target in ("help", "demo", "test", "check", "format", "bench", "clean"):
        assert f"make {target} " in done.stdout
