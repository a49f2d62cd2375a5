# SPDX-License-Identifier: GPL-2.0-only
"""`penstock show`: the whole of a scenario, with what it extends, --set and every default."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from penstock.cli import options

if TYPE_CHECKING:
    from penstock.plan.cells import Plan


def _parameters(plan: Plan) -> Iterator[tuple[str, dict[str, str]]]:
    """The parameters of each method of the sweep at the measured queue."""
    from penstock.scenario import params, topology
    from penstock.scenario.variants import methods_of

    buffer_bytes = topology.queue_limit_bytes(plan.scenario, *topology.measured(plan.scenario))
    for name in plan.methods:
        method, given = methods_of(plan.scenario)[name], plan.params(name)
        values = {
            params.user_key(param.name): given.get(
                param.name, params.default(param, buffer_bytes or 0)
            )
            for param in method.params
        }
        units = {params.user_key(param.name): param.unit for param in method.params}
        yield name, {key: params.show(units[key], value or 0) for key, value in values.items()}


def show(
    scenario: options.ScenarioName,
    sets: options.Sets = [],  # noqa: B006
    as_json: options.AsJson = False,
) -> None:
    """Print the whole of a scenario, as it would be run: TOML, or JSON with -j."""
    from penstock.runs.wishes import Wishes
    from penstock.scenario import write

    loaded, plan = options.plan(scenario, Wishes(sets=sets))
    if as_json:
        found = {"scenario": write.tables(loaded.scenario), "parameters": dict(_parameters(plan))}
        print(json.dumps(found))
        return
    sys.stdout.write(write.text(loaded.scenario))
    for name, values in _parameters(plan):
        print(f"\n# {name}" + ("" if values else ": no parameters"))
        for key, value in values.items():
            print(f"# {key} = {value}")
