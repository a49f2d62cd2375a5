# SPDX-License-Identifier: GPL-2.0-only
"""Instructions per delivered segment, by callgrind: the figure that noise does not touch.

Two sizes of flow are played and the difference divided, so that start-up is not
counted: (I2 - I1) / (segments2 - segments1).
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

BUILT = Path(__file__).resolve().parents[1] / "build" / "bench" / "bench" / "dumbbell"
SMALL_BYTES = 1_500_000
LARGE_BYTES = 5_000_000


@dataclass(frozen=True)
class Count:
    """One run under callgrind."""

    instructions: int
    segments: int
    events: int


def count(dumbbell: Path, *options: str) -> Count:
    """Plays `dumbbell` once; RuntimeError with valgrind's words if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command += [str(dumbbell), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    played = json.loads(done.stdout)
    return Count(int(collected[1]), played["segments"], played["events"])


def per_segment(dumbbell: Path, *options: str) -> tuple[float, float]:
    """Instructions and events per delivered segment."""
    small = count(dumbbell, *options, "--size-bytes", str(SMALL_BYTES))
    large = count(dumbbell, *options, "--size-bytes", str(LARGE_BYTES))
    segments = large.segments - small.segments
    return (
        (large.instructions - small.instructions) / segments,
        (large.events - small.events) / segments,
    )


def main() -> None:
    """Counts the program that the arguments name, or the one that `make bench` has built."""
    names = sys.argv[1:2] if not sys.argv[1:2] or not sys.argv[1].startswith("-") else []
    dumbbell = Path(names[0]) if names else BUILT
    options = sys.argv[1 + len(names) :]
    if not dumbbell.is_file():
        sys.exit(f"penstock: there is no {dumbbell}: make bench, or name the program dumbbell")
    if not shutil.which("valgrind"):
        sys.exit("penstock: the count needs valgrind: sudo apt install valgrind")
    instructions, events = per_segment(dumbbell, *options)
    print(f"{instructions:.0f} instructions and {events:.2f} events per delivered segment")


if __name__ == "__main__":
    main()
