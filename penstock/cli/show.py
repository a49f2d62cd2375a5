# SPDX-License-Identifier: GPL-2.0-only
"""`penstock show`: the whole of a scenario, with what it extends, --set and every default."""

from __future__ import annotations

import json

from penstock.cli import options, stdio


def show(
    scenario: options.ScenarioName,
    sets: options.Sets = [],  # noqa: B006
    as_json: options.AsJson = False,
) -> None:
    """Print the whole of a scenario, as it would be run: TOML, or JSON with -j."""
    from penstock.plan import parameters
    from penstock.runs.wishes import Wishes
    from penstock.scenario import write

    loaded, plan = options.plan(scenario, Wishes(sets=sets))
    if as_json:
        found = {
            "scenario": write.tables(loaded.scenario),
            "parameters": dict(parameters.at_measured(plan)),
        }
        print(json.dumps(found))
        return
    text = write.text(loaded.scenario)
    for name, values in parameters.at_measured(plan):
        text += f"\n# {name}" + ("" if values else ": no parameters") + "\n"
        text += "".join(f"# {key} = {value}\n" for key, value in values.items())
    stdio.document(text)
