# SPDX-License-Identifier: GPL-2.0-only
"""What must catch a mutant, as its patch says it:

proof NAME ...        of these proofs (tests/prove) one is refuted
test FILE FILTER      of this C++ test, what GoogleTest's filter selects fails
contract FILE FILTER  a contract ends it, where contracts are checked
world                 a simulated world (tests/world) fails within ten minutes
"""

import fcntl
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import prove
from compiler import has_header
from patches import Patch, PatchError
from run_tests import clang_options, gateway_options
from tree_copy import CopyError, applied, call, copy_tree

CAUGHT: Final = "caught"
SURVIVES: Final = "SURVIVES"
SKIPPED: Final = "skipped"
FAILED: Final = "FAILED"  # it cannot be tried
KINDS: Final = ("proof", "test", "contract", "world")
WORLD: Final = "penstock-world"
_WORLD_S: Final = 600
_TEST_S: Final = 600
_TRAPS: Final = frozenset({-signal.SIGILL, -signal.SIGTRAP})  # what __builtin_trap() comes to
_BINARIES: Final = {"gateway": "gateway_tests", "sim": "sim_tests"}  # of core: one a source
_IN_SIM: Final = ("sim/gateway", "sim/net")
_TESTS: Final = ("-G", "Ninja", "-DPENSTOCK_PYTHON=OFF", "-DPENSTOCK_TESTS=ON")
_CHECKED: Final = (
    "-DPENSTOCK_CHECKED=ON",
    "-DCMAKE_BUILD_TYPE=Debug",
    "-DCMAKE_C_FLAGS_DEBUG=-O1",
    "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
)


@dataclass(frozen=True)
class Catcher:
    """A kind, and the words behind it."""

    kind: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.kind, *self.words))

    @property
    def binary(self) -> str:
        """The program of a test, a contract or a world."""
        if self.kind == "world":
            return WORLD
        return _BINARIES.get(self.words[0].split("/")[1], Path(self.words[0]).stem)


@dataclass(frozen=True)
class Verdict:
    """What came of a mutant, and why."""

    state: str
    why: str = ""


def catcher_of(words: str) -> Catcher:
    """That of a note; PatchError if there is none such."""
    kind, *rest = words.split()
    fits = {"proof": len(rest) > 0, "world": not rest}.get(kind, len(rest) == 2)
    if kind not in KINDS or not fits:
        raise PatchError(
            f"{words!r} is none of: {', '.join(KINDS)}, with what tools/catchers.py says"
        )
    return Catcher(kind, tuple(rest))


class Bench:
    """A copy of the tree where mutants are tried, one at a time."""

    def __init__(self, benches: Path, jobs: int, proved: set[str]) -> None:
        self._builds, self._lock = _free_folder(benches)
        self._tree = self._builds / "tree"
        self._jobs = str(jobs)
        self._configured: set[str] = set()
        self._clean: dict[Catcher, Verdict] = {}
        self._proved = proved  # of the tree as it is; other benches know of these, too
        copy_tree(self._tree)

    def close(self) -> None:
        """Leaves the copy to other benches."""
        self._lock.close()

    def verdict(self, patch: Patch, catcher: Catcher) -> Verdict:
        """Whether the catcher passes as the tree is, and not with the patch."""
        try:
            if lacks := _lacking(catcher):
                return Verdict(SKIPPED, lacks)
            if catcher.kind == "proof":
                return self._by_proof(patch, catcher)
            if catcher not in self._clean:
                self._clean[catcher] = self._as_it_is(catcher)
            if self._clean[catcher].state != CAUGHT:
                return self._clean[catcher]
            with applied(patch, self._tree, list(self._objects(catcher))):
                self._build(catcher)
                return self._outcome(catcher)
        except (PatchError, CopyError, prove.ProofError) as error:
            return Verdict(FAILED, str(error))

    def _by_proof(self, patch: Patch, catcher: Catcher) -> Verdict:
        suite, sources = _suite_of(catcher)
        core, binary = self._tree / "core", self._builds / "proofs"
        names = catcher.words
        self._proved.update(suite.known(short=False), suite.known(short=True))
        if not self._proved.issuperset(names):
            prove.build(suite, sources, core, binary)
            lines = [prove.prove(binary, name) for name in names]
            if unproved := [line for line in lines if not line.startswith("proved")]:
                return Verdict(FAILED, f"as it is: {unproved[0]}")
            self._proved.update(names)
        with applied(patch, self._tree):
            prove.build(suite, sources, core, binary)
        lines = [prove.prove(binary, name) for name in names]
        refuted = [each for each in lines if each.startswith("FAILED") and prove.LATE not in each]
        return Verdict(CAUGHT, refuted[0]) if refuted else Verdict(SURVIVES, "; ".join(lines))

    def _as_it_is(self, catcher: Catcher) -> Verdict:
        """CAUGHT if the catcher passes, as it must before it can catch."""
        self._build(catcher)
        if catcher.kind == "world":  # they hold in `make test`; here each would take ten minutes
            return Verdict(CAUGHT)
        found = self._outcome(catcher)
        if found.state == SURVIVES:
            return Verdict(CAUGHT)
        return found if found.state == SKIPPED else Verdict(FAILED, f"as it is: {found.why}")

    def _folder(self, catcher: Catcher) -> Path:
        return self._builds / ("checked" if catcher.kind == "contract" else "tests")

    def _build(self, catcher: Catcher) -> None:
        folder = self._folder(catcher)
        if folder.name not in self._configured:
            checked = (*_CHECKED, *clang_options())
            options = checked if folder.name == "checked" else gateway_options()
            call("cmake", "-S", str(self._tree), "-B", str(folder), *_TESTS, *options)
            self._configured.add(folder.name)
        call("cmake", "--build", str(folder), "-j", self._jobs, "--target", catcher.binary)

    def _objects(self, catcher: Catcher) -> Iterator[Path]:
        """What has to be compiled with a changed header; the rest does not see it."""
        folder, binary = self._folder(catcher), catcher.binary
        if binary == WORLD:
            programs = folder / "tests/world/CMakeFiles/penstock_world_programs.dir"
            yield programs / "kernel/programs.c.o"
        elif binary == "gateway_tests":
            yield from (folder / "linux" / "gateway").glob("penstock_[ckv]*.bpf.o")
        else:
            yield folder / "CMakeFiles" / f"{binary}.dir" / f"{catcher.words[0]}.o"
        if binary == "sim_tests":
            yield folder / "CMakeFiles" / "penstock_core.dir" / "core" / "core.c.o"
            for room in _IN_SIM:
                yield from (folder / "CMakeFiles" / "penstock_sim.dir" / room).glob("*.o")

    def _outcome(self, catcher: Catcher) -> Verdict:
        """What the program makes of the copy as it was built."""
        if catcher.kind == "world":
            program, options = f"tests/world/{WORLD}", ["--seconds", str(_WORLD_S)]
        else:
            program, options = catcher.binary, [f"--gtest_filter={catcher.words[1]}"]
        command = [str(self._folder(catcher) / program), *options]
        limit_s = None if catcher.kind == "world" else _TEST_S
        try:
            done = subprocess.run(
                command,
                cwd=self._tree,
                capture_output=True,
                text=True,
                check=False,
                timeout=limit_s,
            )
        except subprocess.TimeoutExpired:
            return Verdict(CAUGHT, f"it does not end within {_TEST_S} s")
        return _judged(catcher, done)


def _free_folder(benches: Path) -> tuple[Path, IO[str]]:
    """The first that no other bench uses, and what keeps others from using it."""
    number = 1
    while True:
        folder = benches / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            number += 1
        else:
            return folder, lock


def _judged(catcher: Catcher, done: subprocess.CompletedProcess[str]) -> Verdict:
    """What the end of a program says."""
    if catcher.kind == "world":
        if done.returncode not in (0, 1):
            return Verdict(FAILED, done.stderr)
        return Verdict(CAUGHT if done.returncode else SURVIVES, done.stdout)
    if "[  SKIPPED ]" in done.stdout and not done.returncode:
        return Verdict(SKIPPED, f"{catcher.words[1]} is skipped here")
    if "C++ exception with description" in done.stdout:  # the kernel refuses to load a program
        return Verdict(FAILED, "an exception ends it")
    if "[  FAILED  ]" not in done.stdout and not done.returncode:
        ran = "[       OK ]" in done.stdout
        return Verdict(SURVIVES) if ran else Verdict(FAILED, f"{catcher.words[1]} is no test of it")
    if catcher.kind == "contract" and done.returncode not in _TRAPS:
        return Verdict(SURVIVES, f"no contract ends it; it ends by {done.returncode}")
    return Verdict(CAUGHT)


def _lacking(catcher: Catcher) -> str:
    """What this machine lacks for it."""
    if catcher.kind == "proof":
        return "" if has_header(prove.SOLVER) else "z3 is not installed (Debian: libz3-dev)"
    if not has_header("gtest/gtest.h"):
        return "GoogleTest is not installed"
    if catcher.kind != "contract" and not gateway_options():
        return "penstock-gw cannot be built here: clang, bpftool or a library is missing"
    return ""


def _suite_of(catcher: Catcher) -> tuple[prove.Suite, list[Path]]:
    """The suite of its proofs, and those of its sources that are compiled for them."""
    for suite in prove.SUITES:
        if sources := suite.sources_with(catcher.words):
            return suite, [prove.MAIN, *sources]
    raise PatchError(f"there is no proof of the name {catcher.words[0]}")
