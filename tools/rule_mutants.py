# SPDX-License-Identifier: GPL-2.0-only
"""Shows that each rule of docs/rules.md has a test that fails without it.

Builds the C++ tests in a copy of the tree, applies one mutation after the other
(rule_mutations.py), builds what it is for, and demands that the rule's test fails. Rules may
be named: tools/rule_mutants.py R4 R9.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rule_mutations import ELSEWHERE, MUTATIONS, Mutation
from run_tests import gateway_options
from tree import ROOT, files

COPY: Final = ROOT / "build" / "mutants"
BUILD: Final = COPY / "build"
SKIPPED: Final = 77
_CONFIGURE: Final = ("-G", "Ninja", "-DPENSTOCK_PYTHON=OFF", "-DPENSTOCK_TESTS=ON")
_TESTS_S: Final = 120
_BINARIES: Final = {"gateway": "gateway_tests", "sim": "sim_tests"}  # of core: one a source
_IN_SIM: Final = ("sim/gateway", "sim/net")


class MutantError(Exception):
    """The copy cannot be built, with a mutation or without, or the table does not fit it."""


def copy_tree(folder: Path = COPY) -> None:
    """Brings the copy up to date. Equal files keep their time, so that builds are short."""
    for path in files():
        target = folder / path.relative_to(ROOT)
        if target.exists() and target.read_bytes() == path.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def call(*command: str, folder: Path = COPY) -> None:
    """A step of the build."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MutantError("\n".join((done.stdout + done.stderr).splitlines()[-20:]))


def configure(options: Sequence[str]) -> None:
    """The copy of the tree, and its build."""
    copy_tree()
    call("cmake", "-S", ".", "-B", str(BUILD), *_CONFIGURE, *options)


def binary_of(mutation: Mutation) -> str:
    """The binary that holds its test."""
    return _BINARIES.get(mutation.test.split("/")[1], Path(mutation.test).stem)


def objects_of(mutation: Mutation) -> Iterator[Path]:
    """What has to be compiled with a changed header; the rest does not see it."""
    binary = binary_of(mutation)
    if binary == "gateway_tests":
        yield from (BUILD / "linux" / "gateway").glob("penstock_[ckv]*.bpf.o")
    elif binary == "sim_tests":
        yield BUILD / "CMakeFiles" / "penstock_core.dir" / "core" / "core.c.o"
        for room in _IN_SIM:
            yield from (BUILD / "CMakeFiles" / "penstock_sim.dir" / room).glob("*.o")
    if binary != "gateway_tests":
        yield BUILD / "CMakeFiles" / f"{binary}.dir" / f"{mutation.test}.o"


def replaced(text: str, old: str, new: str, whose: str) -> str:
    """The text with `new` in place of `old`; MutantError if it has that not once."""
    if (count := text.count(old)) != 1:
        raise MutantError(f"{whose} {count} times")
    return text.replace(old, new)


def mutated(mutation: Mutation, text: str) -> str:
    """The file with the mutation."""
    whose = f"{mutation.path} has the text of R{mutation.rule}'s mutation"
    return replaced(text, mutation.text, mutation.replacement, whose)


def outcome(mutation: Mutation) -> str:
    """What the tests do in the binary as it is: pass, fail, skip, or end by an exception.

    The latter is what the kernel's refusal to load a program comes to.
    """
    command = [str(BUILD / binary_of(mutation)), f"--gtest_filter={mutation.names}"]
    try:
        done = subprocess.run(
            command, cwd=COPY, capture_output=True, text=True, check=False, timeout=_TESTS_S
        )
    except subprocess.TimeoutExpired:
        return "fail"
    if "C++ exception with description" in done.stdout:
        return "exception"
    if done.returncode:
        return "fail"
    if "[  SKIPPED ]" in done.stdout:
        return "skip"
    return "pass" if "[       OK ]" in done.stdout else "none"


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """The file with that text; then it is as before."""
    before = path.read_text()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_text(before)


@contextmanager
def applied(mutation: Mutation, objects: Sequence[Path]) -> Iterator[None]:
    """The mutation in the copy, of which `objects` are compiled again; then it is as before."""
    path = COPY / mutation.path
    stat = path.stat()
    stale = objects if path.suffix == ".h" else ()
    try:
        with changed(path, mutated(mutation, path.read_text())):
            if stale:  # of these alone: to Ninja the file is no newer than what it has built
                os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            for each in stale:
                each.unlink(missing_ok=True)
            yield
    finally:
        if stale:
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        for each in stale:
            each.unlink(missing_ok=True)


def with_mutation(mutation: Mutation) -> str:
    """The tests' outcome with it."""
    with applied(mutation, list(objects_of(mutation))):
        call("cmake", "--build", str(BUILD), "--target", binary_of(mutation))
        return outcome(mutation)


def verdict(mutation: Mutation) -> str:
    """Empty if the rule's test fails with its mutation and passes without; else what is wrong."""
    call("cmake", "--build", str(BUILD), "--target", binary_of(mutation))
    clean = outcome(mutation)
    if clean != "pass":
        return {"skip": "skipped here", "none": f"no test is called {mutation.names}"}.get(
            clean, f"{mutation.test} fails as it is"
        )
    found = with_mutation(mutation)
    if found == "exception":
        return f"{mutation.names} in {mutation.test} cannot be tried: an exception ends it"
    return "" if found == "fail" else f"survives {mutation.names} in {mutation.test}"


def chosen(names: Sequence[str]) -> list[Mutation]:
    """All mutations, or those of the rules that are named."""
    rules = {int(name.removeprefix("R")) for name in names}
    return [each for each in MUTATIONS if not rules or each.rule in rules]


def main(names: Sequence[str]) -> int:
    """Exit code 0 if no rule survives."""
    if not (options := gateway_options()):
        print("penstock-gw cannot be built here: clang, bpftool or a library is missing")
        return SKIPPED
    try:
        configure(options)
        bad = 0
        for mutation in chosen(names):
            try:
                found = verdict(mutation)
            except MutantError as error:
                found = f"cannot be tried\n{error}"
            bad += bool(found)
            print(f"R{mutation.rule}: {found or 'a test fails without it'}", flush=True)
    except MutantError as error:
        print(error)
        return 1
    if not names:
        for rule, where in ELSEWHERE.items():
            print(f"R{rule}: not mutated: {where}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
