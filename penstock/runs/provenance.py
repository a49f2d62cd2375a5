# SPDX-License-Identifier: GPL-2.0-only
"""The provenance of a result set."""

import functools
import platform
import subprocess
from importlib.metadata import version
from typing import Any, Final

from penstock import version as release
from penstock.scenario import topology
from penstock.scenario.model import Scenario
from penstock.scenario.read import Loaded
from penstock.version import PACKAGE

_LIBRARIES: Final = ("numpy", "scipy", "pydantic", "polars", "plotly")


def _git(*arguments: str) -> str | None:
    root = PACKAGE.parent
    if not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


@functools.cache
def commit() -> dict[str, Any]:
    """The commit that Penstock runs from, and whether files differ from it; None if unknown."""
    revision = _git("rev-parse", "HEAD")
    changes = _git("status", "--porcelain", "--untracked-files=no") if revision else None
    return {"commit": revision, "dirty": None if changes is None else bool(changes)}


@functools.cache
def _libraries() -> dict[str, str]:
    """Their versions, of which each takes a millisecond to find."""
    return {name: version(name) for name in _LIBRARIES}


def versions(engine: str) -> dict[str, str]:
    """Versions of everything that affects the numbers."""
    found = {"penstock": release.version(), "engine": engine}
    found["python"] = platform.python_version()
    return found | _libraries()


def made_by(engine: str) -> dict[str, Any]:
    """The programs that produced a result."""
    return {"versions": versions(engine), "git": commit()}


def _traces(scenario: Scenario) -> list[dict[str, Any]]:
    """The links' recorded traces: what they hold, and what their files say of their origin."""
    found = []
    for name, link in scenario.link.items():
        for way, trace in (("forward", link.trace), ("back", link.back.trace)):
            if trace is not None:
                place = {"link": name, "direction": way, "sha256": trace.digest}
                found.append(place | dict(trace.notes))
    return found


def describe(loaded: Loaded, engine: str, backend: str) -> dict[str, Any]:
    """Provenance of the runs of `loaded`; the cells say what they set in it."""
    scenario = loaded.base
    link, direction = topology.measured(scenario)
    return {
        "scenario": {
            "name": loaded.name.encode(errors="replace").decode(),
            **scenario.scenario.model_dump(),
            "setup": scenario.setup(),
            "measured": {"link": link, "direction": direction},
            "queue_limit_bytes": topology.queue_limit_bytes(scenario, link, direction),
        },
        "traces": _traces(scenario),
        "paper": scenario.paper.model_dump() if scenario.paper else None,
        "backend": backend,
        **made_by(engine),
    }
