# SPDX-License-Identifier: GPL-2.0-only
"""`penstock doctor`: which backends and tools are here, and how to get the others."""

import json
from dataclasses import asdict

from penstock.cli import options, screen


def doctor(as_json: options.AsJson = False) -> None:
    """Say which backends, extras and tools are here, and how to get the others."""
    from penstock.api import present

    found = list(present.findings())
    if as_json:
        for each in found:
            print(json.dumps(asdict(each)))
        return
    rows = [[each.what, each.state, each.about, each.remedy] for each in found]
    headers = ["what", "", "for", "to get it"]
    screen.out().print(screen.table("", headers, rows, left=4, ranks=[0, 1, 3, 2]))
