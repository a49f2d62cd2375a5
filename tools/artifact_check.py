# SPDX-License-Identifier: GPL-2.0-only
"""Checks an archived reproduction: `python3 check.py` its files, `check.py DIR` the rows of DIR.

DIR holds the results of repeating the reproduction. Its rows must be those of the archive, apart
from the time that each run took. For DIR this needs polars, which is installed with Penstock.
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUMS = "SHA256SUMS"
TABLES = tuple(
    f"{name}.parquet"
    for name in ("results", "groups", "flows", "series", "queues", "queue_series", "completions")
)
TIME_TAKEN = "wall_s"


def damaged(*, alone: bool) -> Iterator[str]:
    """Files that are missing, changed, or, where the archive is `alone` here, not in the list."""
    lines = (HERE / SUMS).read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    there = {
        path.relative_to(HERE).as_posix()
        for path in HERE.rglob("*")
        if path.is_file() and path.name != SUMS
    }
    yield from (f"{name}: missing" for name in sorted(set(sums) - there))
    yield from (f"{name}: not in {SUMS}" for name in sorted(there - set(sums)) if alone)
    for name in sorted(there & set(sums)):
        if hashlib.sha256((HERE / name).read_bytes()).hexdigest() != sums[name]:
            yield f"{name}: changed"


def different(again: Path) -> Iterator[str]:
    """Tables of the archive whose rows `again` does not have."""
    import polars

    def rows(path: Path) -> polars.DataFrame:
        return polars.read_parquet(path).drop(TIME_TAKEN, strict=False)

    for path in sorted((HERE / "results").rglob("*.parquet")):
        name = path.relative_to(HERE / "results")
        if path.name not in TABLES:
            continue
        if not (again / name).is_file():
            yield f"{again / name}: missing"
        elif not rows(path).equals(rows(again / name)):
            yield f"{again / name}: other rows than in the archive"


def main() -> int:
    """Exit code 0 if all is as it was."""
    if len(sys.argv) > 2:
        print("usage: check.py [DIR]", file=sys.stderr)
        return 2
    wrong = list(damaged(alone=len(sys.argv) == 1))
    if not wrong and len(sys.argv) == 2:
        wrong = list(different(Path(sys.argv[1])))
    print("\n".join(wrong) or "everything is as it was archived")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
