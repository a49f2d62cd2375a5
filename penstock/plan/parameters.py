# SPDX-License-Identifier: GPL-2.0-only
"""The parameters with which the methods of a plan run."""

from collections.abc import Iterator

from penstock.plan.cells import Plan
from penstock.scenario import params, topology
from penstock.scenario.variants import methods_of


def at_measured(plan: Plan) -> Iterator[tuple[str, dict[str, str]]]:
    """The parameters of each method of the sweep at the measured queue, as texts with units."""
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
