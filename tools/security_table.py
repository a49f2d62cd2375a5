# SPDX-License-Identifier: GPL-2.0-only
"""Runs the live attacks of tests/gateway and writes what they cost into docs/security.md."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tree import ROOT

PAGE: Final = ROOT / "docs" / "security.md"
PLACE: Final = re.compile(
    r"(?<=<!-- live attacks -->\n).*?(?=<!-- end of live attacks -->)", re.DOTALL
)
FORGED: Final = "tests/gateway/test_forged.py::test_a_running_flow_goes_on"
# The tests that measure, and what they do to a flow.
ATTACKS: Final = {
    f"{FORGED}[blind_acks-acks_by.unseen-1]": "two blind ACKs 2<sup>31</sup> apart, 100 times",
    f"{FORGED}[resets-bypassed.reset-1]": "resets outside of the window, 100 of each end",
    f"{FORGED}[data_ahead-beyond_bytes-1000]": "100 segments of data 2<sup>30</sup> ahead",
    f"{FORGED}[damaged-bypassed.damaged-1]": "100 ACKs with a wrong checksum",
    "tests/gateway/test_flood.py::test_empty_handshakes_leave_a_running_flow_most_of_the_link": (
        "handshakes that are never used, 1,000 per second or more"
    ),
}


def measured(lines: str) -> dict[str, tuple[float, float]]:
    """By test: the flow's goodput before and during it, Mbit/s."""
    rows = [json.loads(line) for line in lines.splitlines()]
    return {row["test"]: (row["alone_mbps"], row["mbps"]) for row in rows}


def table(found: Mapping[str, tuple[float, float]]) -> str:
    """The table."""
    lines = ["", "| attack | before, Mbit/s | during it |", "|---|---|---|"]
    for test, words in ATTACKS.items():
        alone, during = found[test]
        lines.append(f"| {words} | {alone:.1f} | {during:.1f} |")
    return "\n".join([*lines, "", ""])


def words_of(page: str) -> list[str]:
    """The attacks that the page has."""
    place = PLACE.search(page)
    rows = place[0].strip().splitlines()[2:] if place else []
    return [row.split("|")[1].strip() for row in rows]


def main() -> int:
    """Exit code 1 if a test failed or could not run here."""
    if os.geteuid():
        print("security_table: left as it is, as network namespaces need root")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "measured")
        written.touch()
        own = {**os.environ, "PENSTOCK_MEASURED": str(written)}
        command = [sys.executable, "-m", "pytest", "-q", *ATTACKS]
        subprocess.run(command, cwd=ROOT, env=own, check=False)
        found = measured(written.read_text())
    missing = sorted(set(ATTACKS) - set(found))
    if missing:
        print("\n".join(f"security_table: {test} measured nothing" for test in missing))
        return 1
    print(table(found))
    PAGE.write_text(PLACE.sub(lambda _: table(found), PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
