# SPDX-License-Identifier: GPL-2.0-only
"""Breaks a copy of the tree by the patches of tests/mutants, one at a time, and demands that
what each names as its catcher catches it (tools/catchers.py).

Words select the mutants that have one of them in their name, such as R3 or FQ-CoDel.
"""

import argparse
import os
import queue
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from catchers import CAUGHT, FAILED, KINDS, SKIPPED, SURVIVES, Bench, Catcher, Verdict, catcher_of
from patches import Patch, PatchError, read_all, refreshed
from tree import ROOT

FOLDER: Final = ROOT / "tests" / "mutants"
BENCHES: Final = ROOT / "build" / "mutants"
NOTHING_RAN: Final = 77
_NOTE: Final = "Caught by"


@dataclass(frozen=True)
class Mutant:
    """A patch, and one of its catchers."""

    patch: Patch
    catcher: Catcher

    @property
    def name(self) -> str:
        """GROUP/WHAT-IT-BREAKS."""
        return self.patch.name

    @property
    def group(self) -> str:
        """A rule, or a room."""
        return self.name.split("/")[0]

    def has(self, word: str) -> bool:
        """Whether its name has all of the word."""
        whole, part = (f"-{each.replace('/', '-')}-".lower() for each in (self.name, word))
        return part in whole


def mutants(folder: Path = FOLDER) -> list[Mutant]:
    """All of a folder; PatchError if one has no catcher."""
    found = []
    for patch in read_all(folder):
        if {key for key, _ in patch.notes} != {_NOTE}:
            raise PatchError(f"{patch.name}: its first lines must be '{_NOTE}: ...', one or more")
        for _, words in patch.notes:
            try:
                found.append(Mutant(patch, catcher_of(words)))
            except PatchError as error:
                raise PatchError(f"{patch.name}: {error}") from error
    return found


def chosen(
    all_of_them: Sequence[Mutant], words: Sequence[str], kinds: Sequence[str]
) -> list[Mutant]:
    """Those of a word, if there are any, and of a kind of catcher, in the order to try them in."""
    found = [each for each in all_of_them if not words or any(each.has(word) for word in words)]
    found = [each for each in found if not kinds or each.catcher.kind in kinds]
    return sorted(found, key=lambda each: KINDS.index(each.catcher.kind))


def try_one(mutant: Mutant, benches: "queue.SimpleQueue[Bench]") -> tuple[Verdict, float]:
    """Its verdict, on a bench that is free, and the seconds that it took."""
    bench = benches.get()
    began = time.monotonic()
    try:
        return bench.verdict(mutant.patch, mutant.catcher), time.monotonic() - began
    finally:
        benches.put(bench)


def try_all(wanted: Sequence[Mutant], folder: Path, jobs: int) -> Counter[tuple[str, str]]:
    """A line for each as soon as it is known; how many of each group came to what."""
    benches: queue.SimpleQueue[Bench] = queue.SimpleQueue()
    proved: set[str] = set()
    counts: Counter[tuple[str, str]] = Counter()
    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        for _ in range(min(jobs, len(wanted))):
            bench = Bench(folder, max(1, (os.cpu_count() or 1) // jobs), proved)
            benches.put(stack.enter_context(closing(bench)))
        tried = {pool.submit(try_one, each, benches): each for each in wanted}
        for done in as_completed(tried):
            mutant, (verdict, took_s) = tried[done], done.result()
            counts[mutant.group, verdict.state] += 1
            place = f"[{counts.total()}/{len(wanted)}] {verdict.state:8}"
            print(f"{place} {mutant.name}: {mutant.catcher} ({took_s:.0f} s)", flush=True)
            if verdict.state != CAUGHT and verdict.why:
                print(verdict.why, flush=True)
    return counts


def report(counts: Counter[tuple[str, str]]) -> int:
    """A line for each group, and the sum. 0 if all that could be tried were caught."""
    states = (CAUGHT, SURVIVES, FAILED, SKIPPED)
    for group in sorted({group for group, _ in counts}):
        parts = [f"{counts[group, state]} {state}" for state in states if counts[group, state]]
        print(f"{group}: {', '.join(parts)}")
    total = {state: sum(n for (_, each), n in counts.items() if each == state) for state in states}
    print(", ".join(f"{number} {state}" for state, number in total.items()))
    if total[SURVIVES] or total[FAILED]:
        return 1
    return 0 if total[CAUGHT] else NOTHING_RAN


def refresh(found: Iterable[Mutant], folder: Path) -> None:
    """Writes the patches again, as they apply to the tree today."""
    for patch in {each.name: each.patch for each in found}.values():
        (folder / f"{patch.name}.patch").write_text(refreshed(patch, ROOT))


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 if each is caught, 1 if one is not, 77 if none can be tried here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--by", action="append", choices=KINDS, help="only by such a catcher")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="copies of the tree")
    parser.add_argument("--list", action="store_true", help="print them")
    parser.add_argument("--refresh", action="store_true", help="write them as they apply today")
    options = parser.parse_args(arguments)
    try:
        wanted = chosen(mutants(), options.words, options.by or ())
        if not wanted:
            raise PatchError(
                f"no mutant has {' or '.join(options.words)} in its name; --list prints all"
            )
        if options.refresh:
            refresh(wanted, FOLDER)
            return 0
    except PatchError as error:
        print(error)
        return 1
    if options.list:
        for each in wanted:
            print(f"{each.name}: {each.catcher}")
        return 0
    return report(try_all(wanted, BENCHES, max(1, options.jobs)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
