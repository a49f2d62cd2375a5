# SPDX-License-Identifier: GPL-2.0-only
"""packetdrill's scripts against the simulator's TCP: which there are, and how each ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock.errors import OptionError, UsageError
from penstock.runs.packetdrill import claims, run
from penstock.runs.packetdrill.run import Verdict

OUTCOMES: Final = ("passed", "failed", "skipped")
_ENDING: Final = ".pkt"


@dataclass(frozen=True)
class Feature:
    """Of TCP, of sockets or of the language, and whether the simulator claims it."""

    feature: str
    claimed: bool
    what: str
    reference: str


@dataclass(frozen=True)
class Script:
    """A file, and the name that is printed."""

    file: Path
    name: str


def features() -> list[Feature]:
    """All that is claimed, then what is not."""
    return [
        Feature(name, claimed, each.what, each.reference)
        for claimed, table in ((True, claims.CLAIMED), (False, claims.UNCLAIMED))
        for name, each in table.items()
    ]


def scripts(paths: Sequence[str]) -> list[Script]:
    """The scripts of files and folders; those of a folder are named within it."""
    found: list[Script] = []
    for text in paths:
        path = Path(text)
        if path.is_dir():
            inside = sorted(path.rglob(f"*{_ENDING}"))
            if not inside:
                raise UsageError(f"{text} holds no scripts (*{_ENDING})")
            found += [Script(file, file.relative_to(path).as_posix()) for file in inside]
        elif path.is_file():
            found.append(Script(path, text))
        else:
            raise UsageError(f"there is no script and no folder {text}")
    return found


def play(
    paths: Sequence[str], tolerance_us: int | None = None, ip_version: str = "ipv4"
) -> Iterator[Verdict]:
    """Plays the scripts one by one.

    `tolerance_us` and `ip_version` hold for scripts that do not say.
    """
    if ip_version not in run.FAMILIES:
        raise OptionError("--ip-version", ip_version, f"it is one of {', '.join(run.FAMILIES)}")
    every = scripts(paths)
    return (run.verdict(each.file, each.name, tolerance_us, ip_version) for each in every)
