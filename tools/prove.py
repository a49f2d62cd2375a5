# SPDX-License-Identifier: GPL-2.0-only
"""Proves the window rules, the parser, laws, routers and senders for all inputs (tests/prove).

The last line counts.

Names of proofs select some. --short leaves out those that take more than 10 s. What is proved of
the same sources is not proved again.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compiler import has_header
from tree import ROOT

BUILD: Final = ROOT / "build" / "prove"
PROOFS: Final = ROOT / "tests" / "prove"
MAIN: Final = PROOFS / "main.cpp"  # of each suite's program
CORE: Final = ROOT / "core"
PROOF_S: Final = 1200
LATE: Final = "not proved within"
SOLVER: Final = "z3++.h"  # Debian: libz3-dev
_FLAGS: Final = ("-std=c++20", "-O1")
_WARNINGS: Final = ("-Wall", "-Wextra", "-Werror")
_CACHE: Final = ("ccache",) if shutil.which("ccache") else ()
_ENV: Final = {"CCACHE_DIR": str(ROOT / "build" / "ccache"), **os.environ}
_INTEGERS: Final = '-DPST_INTEGERS="integers.h"'


class ProofError(Exception):
    """The proofs cannot be built."""


@dataclass(frozen=True)
class Suite:
    """Proofs of one program: their folder, and what they are proved of."""

    name: str
    folder: Path
    rooms: tuple[str, ...]
    shares: tuple[Path, ...] = ()  # other suites' folders with headers that it includes

    @property
    def binary(self) -> Path:
        """The program."""
        return BUILD / f"{self.name}_proofs"

    def proved(self, *, short: bool) -> Path:
        """Remembers what was proved of which sources."""
        return BUILD / f"{self.name}_proved{'_short' if short else ''}"

    def digest(self) -> str:
        """What its proofs depend on."""
        seen = hashlib.sha256()
        rooms = [path for room in self.rooms for path in CORE.glob(f"{room}/*.h")]
        shared = [path for folder in self.shares for path in folder.glob("*.h")]
        proofs = {*PROOFS.glob("*.*"), *self.folder.glob("*.*"), *shared}
        for path in sorted((*CORE.glob("*.h"), *rooms, *proofs)):
            seen.update(path.name.encode() + path.read_bytes())
        return seen.hexdigest()

    def sources_with(self, wanted: Iterable[str]) -> list[Path]:
        """Those of its sources that have one of these proofs."""
        texts = {source: source.read_text() for source in sources_of(self)}
        proofs = [f"PROOF({name})" for name in wanted]
        return [each for each, text in texts.items() if any(proof in text for proof in proofs)]

    def known(self, *, short: bool) -> list[str]:
        """What was proved of the same sources, if that is all that is asked for."""
        for path in {self.proved(short=False), self.proved(short=short)}:
            if path.exists() and path.read_text().split()[0] == self.digest():
                return path.read_text().split()[1:]
        return []


GATEWAY_ROOMS: Final = ("packet", "flow", "queue", "rewrite", "law", "gateway")
SUITES: Final = (
    Suite("window", PROOFS, ("packet", "rewrite", "flow")),
    Suite("law", PROOFS / "law", ("packet", "flow", "math", "queue", "law")),
    Suite(
        "router",
        PROOFS / "router",
        ("packet", "flow", "math", "queue", "law", "discipline", "sender"),
        (PROOFS / "law",),
    ),
    Suite("gateway", PROOFS / "gateway", GATEWAY_ROOMS),
    Suite("ack", PROOFS / "ack", GATEWAY_ROOMS, (PROOFS / "gateway",)),
)


def sources_of(suite: Suite) -> list[Path]:
    """What its program is compiled from."""
    return sorted({MAIN, *suite.folder.glob("*.cpp")})


def compiled(*arguments: str) -> None:
    """Runs the compiler."""
    command = [*_CACHE, os.environ.get("CXX", "c++"), *arguments]
    done = subprocess.run(command, env=_ENV, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProofError("\n".join((done.stdout + done.stderr).splitlines()[:30]))


def build(suite: Suite, sources: Iterable[Path], core: Path, target: Path, *flags: str) -> None:
    """Compiles those of its sources against the headers in @core, on all processors."""
    objects = target.with_suffix(".objects")
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir(parents=True)

    def compile_one(source: Path) -> str:
        made = str(objects / f"{source.stem}.o")
        includes = (_INTEGERS, f"-I{suite.folder}", f"-I{core}")
        compiled(*_FLAGS, *flags, *includes, "-c", str(source), "-o", made)
        return made

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        made = list(pool.map(compile_one, sources))
    compiled(*made, "-lz3", "-o", str(target))


def names(binary: Path, *, short: bool) -> list[str]:
    """The proofs in the binary, or those that are not long."""
    done = subprocess.run(
        [binary, "--list-short" if short else "--list"], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def prove(binary: Path, name: str) -> str:
    """The line of one proof."""
    try:
        done = subprocess.run(
            [binary, name], capture_output=True, text=True, check=False, timeout=PROOF_S
        )
    except subprocess.TimeoutExpired:
        return f"FAILED   {name}: {LATE} {PROOF_S} s"
    if done.returncode not in (0, 1):
        return f"FAILED   {name}: ended by {done.returncode}"
    return done.stdout.splitlines()[0]


def lines_of(binary: Path, wanted: Iterable[str]) -> Iterator[str]:
    """The lines of the proofs, in their order, on all processors."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        yield from pool.map(lambda name: prove(binary, name), wanted)


def prove_suite(suite: Suite, wanted: list[str], *, short: bool) -> tuple[int, int]:
    """Proves what is asked for, or all if its sources have changed: how many passed and failed."""
    if not wanted and (known := suite.known(short=short)):
        print(f"proved before, from the same sources: {' '.join(known)}")
        return len(known), 0
    if wanted and not suite.sources_with(wanted):
        return 0, 0
    build(suite, sources_of(suite), CORE, suite.binary, *_WARNINGS)
    there = names(suite.binary, short=short)
    chosen = [name for name in there if not wanted or name in wanted]
    failed = 0
    for line in lines_of(suite.binary, chosen):
        print(line, flush=True)
        failed += not line.startswith("proved")
    if not wanted and not failed:
        suite.proved(short=short).write_text("\n".join((suite.digest(), *chosen)))
    return len(chosen) - failed, failed


def prove_all(wanted: list[str], *, short: bool) -> int:
    """Proves what is asked for, or all that changed sources leave open."""
    counts = [prove_suite(suite, wanted, short=short) for suite in SUITES]
    passed, failed = (sum(column) for column in zip(*counts, strict=True))
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0 or not passed)


def main() -> int:
    """Exit code 0 if all is proved, 77 without the solver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proofs", nargs="*", help="names of proofs; all without")
    parser.add_argument("--short", action="store_true", help="leave out those over 10 s")
    arguments = parser.parse_args()
    if not has_header(SOLVER):
        print("skipped: z3 is not installed (Debian: libz3-dev)")
        return 77
    try:
        return prove_all(arguments.proofs, short=arguments.short)
    except ProofError as error:
        print(error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
