# SPDX-License-Identifier: GPL-2.0-only
"""`penstock list`: the scenarios that come with Penstock."""

import json

from penstock.cli import options, screen


def list_scenarios(as_json: options.AsJson = False) -> None:
    """List the scenarios and what each reproduces."""
    from penstock.scenario.read import read, shipped

    entries = []
    for name in shipped():
        about = read(name).scenario.scenario
        entries.append({"name": name, "title": about.title, "reproduces": about.reproduces})
    if as_json:
        for entry in entries:
            print(json.dumps(entry))
        return
    rows = [list(entry.values()) for entry in entries]
    screen.out().print(screen.table("", ["scenario", "what", "reproduces"], rows, left=3))
