# SPDX-License-Identifier: GPL-2.0-only
"""From a scenario and what a user asks for to the plan of what is run."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from penstock.errors import ConfigError, Exit, OptionError, UsageError, UserError, near
from penstock.plan.cells import Choice, Plan, Point, scenario_params
from penstock.runs import backends, refusals
from penstock.runs.numbers import listed, names, numbers, seeds
from penstock.scenario import axes, notes, params, topology
from penstock.scenario.axes import Axis, Sets, Sweeps, shown
from penstock.scenario.check import MOST_RUNS
from penstock.scenario.check_traffic import passes_no_gateway
from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.link import RECEIVERS
from penstock.scenario.model import MODES, Clock, Link, Sample, Scalar, Scenario, Sweep, Tcp, Udp
from penstock.scenario.read import Given, Loaded, read
from penstock.scenario.source import SET, Origin, Source
from penstock.scenario.table import Table
from penstock.scenario.types import window
from penstock.scenario.variants import methods_of

ALL: Final = "all"
MOST_POINTS: Final = 10_000
_ALSO_CALLED: Final = {"bandwidth": "rate", "mss": "segment", "buffer": "queue"}
_WHERE_KEYS_ARE: Final = (
    "`penstock methods METHOD` lists a method's, docs/scenario-format.md a scenario's"
)

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Wishes:
    """What a user says about the sweep; empty means: as the scenario does.

    Texts are as on the command line, with commas and spans; a program gives numbers and values
    as they are. A single number of `seeds` says how many, a list says which.
    """

    methods: Sequence[str] = ()
    flows: Sequence[str | int] = ()
    receivers: Sequence[str | int] = ()
    seeds: str | int | Sequence[str | int] | None = None
    sets: Sets = ()
    mode: str | Sequence[str] | None = None
    pcap_dir: Path | None = None
    sweeps: Sweeps = ()
    pcapng_dir: Path | None = None
    qlog_dir: Path | None = None
    flent_dir: Path | None = None
    hosts: str | None = None

    @property
    def folders(self) -> list[Path]:
        """Where files of each run go."""
        every = (self.pcap_dir, self.pcapng_dir, self.qlog_dir, self.flent_dir)
        return [folder for folder in every if folder]


def _check_formats(wishes: Wishes, backend: str) -> None:
    asked = wishes.pcapng_dir or wishes.qlog_dir or wishes.flent_dir
    if asked and not backends.is_simulator(backend):
        raise UsageError(
            f"--pcapng, --qlog and --flent: only --backend sim writes them, not {backend}"
        )


def check_method(name: str, scenario: Scenario | None = None) -> str:
    """The name of a gateway method, or a usage error that lists the near ones."""
    known = methods_of(scenario) if scenario else params.methods()
    if name.startswith(params.KERNEL):
        queue = name.removeprefix(params.KERNEL)
        if queue not in params.KERNEL_QUEUES:
            raise OptionError("-m", name, near(queue, params.KERNEL_QUEUES))
        return name
    if name not in known:
        if name in params.senders():
            table = next(iter(scenario.tcp), "NAME") if scenario else "NAME"
            raise UsageError(
                f"-m {name}: a sender, which hosts run, and no method of a gateway; "
                f"{SET} tcp.{table}.congestion={name} runs it"
            )
        cure = near(name, known, otherwise="`penstock methods` lists them")
        raise UsageError(f"there is no method {name!r}; {cure}")
    return name


def check_mode(mode: str) -> str:
    """A mode of the window rules, or a usage error."""
    if mode not in MODES:
        raise OptionError("--mode", mode, near(mode, MODES))
    return mode


def _receivers(given: str | int) -> str:
    try:
        return window(given)
    except ValueError as error:
        raise OptionError("--receivers", str(given), str(error)) from None


def _keys(model: type[Table]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _tables(scenario: Scenario) -> dict[str, type[Table]]:
    """The tables of a scenario by their whole names, that of the measured link first."""
    link, _ = topology.measured(scenario)
    links = sorted(scenario.link, key=lambda name: name != link)
    return {
        **{f"link.{name}": Link for name in links},
        **{f"tcp.{name}": Tcp for name in scenario.tcp},
        **{f"udp.{name}": Udp for name in scenario.udp},
        "sweep": Sweep,
        "time": Clock,
        "sample": Sample,
    }


def _of_scenario(key: str, scenario: Scenario) -> str:
    """Which key of the scenario may be meant by one without its table; '' if none."""
    tables = _tables(scenario)
    if key in Scenario.model_fields:
        inner = [f"{name}.KEY" for name in tables if name.split(".")[0] == key]
        return f"it is a table; name a key in it, such as {(inner or [f'{key}.KEY'])[0]}"
    last = _ALSO_CALLED.get(key, key)
    found = [f"{name}.{last}" for name, model in tables.items() if last in _keys(model)]
    return f"in the scenario it is {' or '.join(found[:3])}" if found else ""


def _unknown(key: str, methods: Sequence[str], scenario: Scenario | None) -> str:
    registry = methods_of(scenario) if scenario else params.methods()
    meant = _of_scenario(key, scenario) if scenario else ""
    others = params.having(key.rpartition(".")[2], registry.values())
    if others:
        what = f"no method of this run has it; {' and '.join(others)} would"
    elif meant:
        what = "no method has it"
    else:
        short = [name for method in methods for name in params.keys(registry[method])]
        long = [f"{method}.{name}" for method in methods for name in params.keys(registry[method])]
        tables = [name for name in Scenario.model_fields if name != "paper"]
        what = f"unknown key; {near(key, [*short, *long, *tables], otherwise=_WHERE_KEYS_ARE)}"
    return f"{what}{'; ' if meant else ''}{meant}"


def _having(
    key: str, methods: Sequence[str], registry: Mapping[str, params.Variant]
) -> tuple[list[str], str]:
    """The methods that a key is a parameter of, and its name there."""
    first, dot, rest = key.partition(".")
    names = [first] if dot and first in methods else [] if dot else list(methods)
    own = rest if dot else key
    return params.having(own, [registry[name] for name in names]), own


def set_params(
    sets: Sequence[tuple[str, Scalar]], methods: Sequence[str], scenario: Scenario | None = None
) -> dict[str, dict[str, int]]:
    """The parameters that --set gives, by method; a usage error for an unknown key."""
    registry = methods_of(scenario) if scenario else params.methods()
    chosen: dict[str, dict[str, int]] = {}
    for key, value in sets:
        names, own = _having(key, methods, registry)
        if not names:
            raise OptionError(SET, "", _unknown(key, methods, scenario), key)
        for name in names:
            try:
                fields = params.resolve(registry[name], {own: value})
            except ValueError as error:
                raise OptionError(SET, shown(value), str(error), key) from None
            chosen.setdefault(name, {}).update(fields)
    return chosen


def _wrong(origin: Origin, key: str, given: str, why: str) -> UserError:
    """The error for an axis, and one of its values if any: exit 2 for an option, 78 for a file."""
    if origin.line == 0:
        return OptionError(origin.name, given, why, key)
    said = f"{key}={given}" if given else key
    return ConfigError(f"{origin.name}:{origin.line}: sweep.{said}: {why}")


def _values(method: params.Variant, axis: Axis, own: str) -> list[dict[str, int]]:
    """What an axis makes of a method's parameter, by value."""
    found = []
    for value, origin in zip(axis.values, axis.origins, strict=True):
        try:
            found.append(params.resolve(method, {own: value}))
        except ValueError as error:
            raise _wrong(origin, axis.key, shown(value), str(error)) from None
    return found


def _shown(method: params.Variant, fields: Mapping[str, int]) -> dict[str, str]:
    """Parameters as text, by their whole keys."""
    units = {param.name: param.unit for param in method.params}
    return {
        f"{method.name}.{params.user_key(name)}": params.show(units[name], value)
        for name, value in fields.items()
    }


def _check_clear(axis: Axis, methods: Sequence[str], scenario: Scenario) -> None:
    """Refuses a key without its table that both a method and the scenario have."""
    meant = _of_scenario(axis.key, scenario) if "." not in axis.key else ""
    if meant:
        own = f"{methods[0]}.{axis.key}"
        what = f"two meanings: {own} is a parameter of the method; {meant}; write one of them"
        raise _wrong(axis.origins[0], axis.key, "", what)


def _choices(
    scenario: Scenario, methods: Sequence[str], varied: Sequence[Axis]
) -> dict[str, list[Choice]]:
    """All that each method is run with."""
    registry, fields = methods_of(scenario), scenario_params(scenario)
    ours = [name for name in methods if not name.startswith(params.KERNEL)]
    by_method: dict[str, list[list[dict[str, int]]]] = {name: [] for name in ours}
    for axis in varied:
        names, own = _having(axis.key, ours, registry)
        if not names:
            raise _wrong(axis.origins[0], axis.key, "", _unknown(axis.key, ours, scenario))
        _check_clear(axis, names, scenario)
        for name in names:
            by_method[name].append(_values(registry[name], axis, own))
    found: dict[str, list[Choice]] = {}
    for name, values in by_method.items():
        for parts in itertools.product(*values):
            given = {key: value for part in parts for key, value in part.items()}
            choice = Choice({**fields.get(name, {}), **given}, _shown(registry[name], given))
            if choice not in found.setdefault(name, []):
                found[name].append(choice)
    return found


def _check_octet(loaded: Loaded, scenario: Scenario, methods: Sequence[str]) -> None:
    known = methods_of(scenario)
    own = [name for name in methods if not name.startswith(params.KERNEL)]
    labelling = [name for name in own if params.labels(known[name])]
    for key, tcp in scenario.tcp.items():
        if params.needs_ecn(tcp.congestion) and labelling:
            raise loaded.error(
                ("tcp", key, "congestion"),
                f"{labelling[0]} writes labels into the bits of ECN, which {tcp.congestion} needs",
                Exit.CONFIG,
            )
        if (tcp.ecn or tcp.accecn) and labelling:
            raise loaded.error(
                ("tcp", key, "ecn" if tcp.ecn else "accecn"),
                f"{labelling[0]} writes labels into the bits of ECN: set it to false, or leave "
                f"{labelling[0]} out",
                Exit.CONFIG,
            )


def _points(
    loaded: Loaded, methods: Sequence[str], every: Sequence[Axis], backend: str
) -> list[Point]:
    """Each combination of the values that are swept or set."""
    ours = [axis for axis in every if axes.of_scenario(axis.key) and axes.changes_runs(axis.key)]
    theirs = [axis for axis in every if not axes.of_scenario(axis.key)]
    if math.prod(len(axis.values) for axis in every) > MOST_POINTS:
        raise UsageError(f"more than {MOST_POINTS:,} combinations of swept values; sweep fewer")
    found: list[Point] = []
    values = ([*zip(axis.values, axis.origins, strict=True)] for axis in ours)
    for combination in itertools.product(*values):
        settings = [
            (axis.key, text, origin) for axis, (text, origin) in zip(ours, combination, strict=True)
        ]
        scenario = loaded.varied(settings) if settings else loaded.scenario
        refusals.check(backend, loaded, scenario)
        _check_octet(loaded, scenario, methods)
        shown = axes.texts(scenario, [axis.key for axis in ours])
        point = Point(scenario, shown, _choices(scenario, methods, theirs))
        if all(point.settings != other.settings for other in found):
            found.append(point)
    return found


def _check_flent(points: Sequence[Point]) -> None:
    from penstock.runs.backends import sim_flent

    for point in points:
        if why := sim_flent.refusal(point.scenario):
            raise OptionError("--flent", "", why)


def _methods(wishes: Wishes, scenario: Scenario) -> list[str]:
    asked, known = names("-m", wishes.methods), methods_of(scenario)
    named = [each for name in asked for each in (known if name == ALL else [name])]
    methods = [check_method(method, scenario) for method in named] or list(scenario.sweep.methods)
    return list(dict.fromkeys(methods))


def _load(
    name: str | Source, wishes: Wishes, given: Sequence[Axis], backend: str, tell: Tell
) -> Loaded:
    """The scenario with the command line's flows and receivers."""
    flows = numbers("-n", wishes.flows, MAX_FLOWS)
    receivers = [(str(each), _receivers(each)) for each in listed("--receivers", wishes.receivers)]
    backends.check_name(backend)
    sets = [
        (axis.key, axis.values[0])
        for axis in given
        if axes.of_scenario(axis.key) and axis.origins[0] == Origin(SET)
    ]
    loaded = read(name, sets, Given(flows, receivers))
    for key in passes_no_gateway(loaded.scenario):
        tell(f"penstock: tcp.{key} passes no gateway; no method will change it")
    return loaded


def _tell_notes(points: Sequence[Point], methods: Sequence[str], tell: Tell) -> None:
    """What settings cannot do, once for all points of a sweep."""
    told = (note for point in points for note in notes.notes(point.scenario, methods))
    for note in dict.fromkeys(told):
        tell(f"penstock: note: {note}")


def _with_hosts(name: str | Source, wishes: Wishes) -> tuple[str | Source, Wishes]:
    """The scenario, and what --hosts stands for: keys that neither it nor --set gives."""
    if wishes.hosts is None:
        return name, wishes
    if wishes.hosts not in RECEIVERS:
        raise OptionError("--hosts", wishes.hosts, f"must be one of {', '.join(RECEIVERS)}")
    loaded = read(name)
    sets = {axis.key: axis.values[0] for axis in axes.given(wishes.sets, ())}
    for group, tcp in loaded.scenario.tcp.items():
        for key, value in RECEIVERS[wishes.hosts].items():
            if key not in tcp.model_fields_set and not tcp.quic:
                sets.setdefault(f"tcp.{group}.{key}", axes.shown(value))
    return loaded.source, replace(wishes, sets=sets)


def plan(
    name: str | Source, wishes: Wishes, backend: str = "sim", tell: Tell = lambda _: None
) -> tuple[Loaded, Plan]:
    """The scenario and the sweep that a command line asks for, as far as the backend can."""
    _check_formats(wishes, backend)
    name, wishes = _with_hosts(name, wishes)
    given = axes.given(wishes.sets, wishes.sweeps)
    loaded = _load(name, wishes, given, backend, tell)
    sweep, named = loaded.scenario.sweep, {axis.key for axis in given}
    own = [axis for axis in axes.of_file(loaded.scenario, loaded.source) if axis.key not in named]
    methods = _methods(wishes, loaded.scenario)
    modes = [wishes.mode] if isinstance(wishes.mode, str) else wishes.mode or []
    points = _points(loaded, methods, [*own, *given], backend)
    _tell_notes(points, methods, tell)
    asked = bool(wishes.methods) and ALL not in names("-m", wishes.methods)
    methods = refusals.had(backend, loaded.scenario, methods, tell, asked=asked)
    for note in dict.fromkeys(
        note for point in points for note in backends.differences(backend, point.scenario, methods)
    ):
        tell(f"penstock: note: {note}")
    if wishes.flent_dir:
        _check_flent(points)
    made = Plan(
        points=points,
        methods=methods,
        receivers=list(dict.fromkeys(sweep.receivers)),
        flows=list(dict.fromkeys(sweep.flows)),
        seeds=seeds(wishes.seeds, sweep.seeds),
        modes=[check_mode(mode) for mode in names("--mode", modes)] or [sweep.mode],
        pcap_dir=str(wishes.pcap_dir) if wishes.pcap_dir else None,
        pcapng_dir=str(wishes.pcapng_dir) if wishes.pcapng_dir else None,
        qlog_dir=str(wishes.qlog_dir) if wishes.qlog_dir else None,
        flent_dir=str(wishes.flent_dir) if wishes.flent_dir else None,
    )
    if made.runs > MOST_RUNS:
        raise UsageError(f"{made.runs:,} runs in all; at most {MOST_RUNS:,}: ask for fewer --seeds")
    return loaded, made
