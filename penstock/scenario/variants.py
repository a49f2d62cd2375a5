# SPDX-License-Identifier: GPL-2.0-only
"""The methods that a scenario knows: the built-in variants and those that it defines."""

from collections.abc import Iterator, Mapping
from typing import Any

from penstock.errors import near
from penstock.scenario import params
from penstock.scenario.flaw import Flaw
from penstock.scenario.model import OwnVariant, Scenario


def _composed(name: str, own: OwnVariant, label: str) -> params.Variant:
    base = params.methods()[own.base]
    return params.compose(
        name,
        own.discipline or base.discipline,
        own.law or base.law,
        own.signal or base.signal,
        sender=own.sender or base.sender,
        sharing=own.sharing or base.sharing,
        ecn=base.ecn if own.ecn is None else own.ecn,
        label=label,
        colour=own.colour,
    )


def _with(own: Mapping[str, OwnVariant]) -> Mapping[str, params.Variant]:
    labels = _labels(own)
    composed = {name: _composed(name, table, labels.get(name, "")) for name, table in own.items()}
    return {**params.methods(), **composed}


def methods_of(scenario: Scenario) -> Mapping[str, params.Variant]:
    """All that -m takes with this scenario, by name."""
    return _with(scenario.variant)


def methods_in(setup: Mapping[str, Any]) -> Mapping[str, params.Variant]:
    """The same from what Scenario.setup() gave."""
    own = setup.get("variant", {})
    return _with({name: OwnVariant.model_validate(table) for name, table in own.items()})


def _labels(own: Mapping[str, OwnVariant]) -> dict[str, str]:
    """The labels of a scenario's own variants; with the name, where that tells them apart."""
    found = {name: table.label for name, table in own.items() if table.label}
    taken = [*found.values(), *params.methods(), *(name for name in own if name not in found)]
    return {
        name: label if taken.count(label) == 1 else f"{label} ({name})"
        for name, label in found.items()
    }


def labels_of(scenario: Scenario) -> dict[str, str]:
    """The labels that a scenario gives its own variants, by their names."""
    return _labels(scenario.variant)


def labels_in(setup: Mapping[str, Any]) -> dict[str, str]:
    """The same from what Scenario.setup() gave."""
    own = setup.get("variant", {})
    return _labels({name: OwnVariant.model_validate(table) for name, table in own.items()})


def given(scenario: Scenario, name: str) -> dict[str, object]:
    """The parameters that a scenario sets for a method, as its author wrote them."""
    own = scenario.variant.get(name)
    return {**(own.params if own else {}), **scenario.method.get(name, {})}


def flaws(scenario: Scenario) -> Iterator[Flaw]:
    """What [variant] names and nobody has."""
    for name, own in scenario.variant.items():
        if name in params.methods():
            yield ("variant", name), f"{name!r} is a built-in method; take another name"
        known = (
            ("base", own.base, params.methods()),
            ("discipline", own.discipline, params.disciplines()),
            ("law", own.law, params.laws()),
            ("sender", own.sender, params.senders()),
            ("sharing", own.sharing, params.sharings()),
        )
        for key, value, registry in known:
            if key == "discipline" and value and value.startswith(params.KERNEL):
                queue = value.removeprefix(params.KERNEL)
                if queue not in params.KERNEL_QUEUES:
                    yield ("variant", name, key), near(queue, params.KERNEL_QUEUES)
            elif value and value not in registry:
                yield (
                    ("variant", name, key),
                    f"there is no {key} {value!r}; {near(value, list(registry))}",
                )
