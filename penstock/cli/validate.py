# SPDX-License-Identifier: GPL-2.0-only
"""`penstock validate`: reads a scenario and says whether it would run."""

import json

from penstock.cli import options


def validate(
    scenario: options.ScenarioName,
    sets: options.Sets = [],  # noqa: B006
    as_json: options.AsJson = False,
    backend: options.BackendName = "sim",
) -> None:
    """Check a scenario without running it."""
    from penstock.runs.wishes import Wishes

    loaded, plan = options.plan(scenario, Wishes(sets=sets), backend)
    count = plan.runs
    if as_json:
        print(json.dumps({"scenario": loaded.name, "valid": True, "runs": count}))
        return
    print(f"{loaded.name}: valid; {count} runs: {', '.join(plan.methods)}")
