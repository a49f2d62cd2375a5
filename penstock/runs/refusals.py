# SPDX-License-Identifier: GPL-2.0-only
"""What a backend does not have of a scenario, in one message with the options that help."""

from collections.abc import Callable, Iterator, Sequence

from penstock.errors import ConfigError, Exit
from penstock.runs import backends
from penstock.scenario.link import HOSTS, LINUX_6
from penstock.scenario.locate import Path
from penstock.scenario.model import Scenario
from penstock.scenario.read import Loaded
from penstock.scenario.source import dotted


def _refused(backend: str, scenario: Scenario) -> Iterator[tuple[Path, str, str]]:
    """The keys that a backend refuses, why, and an option that helps if there is one."""
    for path, message in backends.lacks(backend, scenario):
        yield path, message, backends.cure(scenario, path)


def check(backend: str, loaded: Loaded, scenario: Scenario) -> None:
    """One error about all keys of a scenario that the backend refuses."""
    found = list(_refused(backend, scenario))
    if not found:
        return
    path, message, _ = found[0]
    if len(found) == 1:
        raise loaded.error(path, message, Exit.CONFIG)
    keys = (f"{dotted(path)} ({message.partition(';')[0]})" for path, message, _ in found)
    text = f"{loaded.name}: the {backend} backend refuses {len(found)} keys: {', '.join(keys)}"
    if all(cure for _, _, cure in found):
        text += f"; give {' '.join(cure for _, _, cure in found)}"
        if {path[-1] for path, _, _ in found} <= set(HOSTS[LINUX_6]):
            text += ", or write the scenario with `penstock new-link --hosts 2004`"
    raise ConfigError(text)


def had(
    backend: str,
    scenario: Scenario,
    methods: Sequence[str],
    tell: Callable[[str], None],
    *,
    asked: bool,
) -> list[str]:
    """The methods that the backend has; an error for one that was asked for, or if none is."""
    found = [each for each in methods if not any(backends.method_lacks(backend, scenario, each))]
    if asked or not found:
        for method in methods:
            backends.check_method(backend, scenario, method)
    gone = [each for each in methods if each not in found]
    if gone:
        tell(f"penstock: the {backend} backend lacks {', '.join(gone)}: left out")
    return found
