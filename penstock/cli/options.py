# SPDX-License-Identifier: GPL-2.0-only
"""Options that several verbs have, and how they turn a scenario into a plan."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from penstock import backends
from penstock.cli import screen
from penstock.errors import Exit, UsageError, UserError, near
from penstock.plan.cells import Plan, scenario_params
from penstock.run import workers
from penstock.scenario import params, topology
from penstock.scenario.check import MOST_RUNS, passes_no_gateway
from penstock.scenario.model import Clock, Link, Sample, Scenario, Sweep, Table, Tcp, Udp
from penstock.scenario.read import Given, Loaded, read
from penstock.scenario.types import AUTO, MAX_FLOWS, MAX_SEEDS, window
from penstock.scenario.variants import methods_of

ALL: Final = "all"
MODES: Final = ("safe", "strict", "literal")
_ALSO_CALLED: Final = {"rtt": "delay", "bandwidth": "rate", "mss": "segment", "buffer": "queue"}
_WHERE_KEYS_ARE: Final = (
    "`penstock methods METHOD` lists a method's, docs/scenario-format.md a scenario's"
)


def path(text: str | Path) -> Path:
    """A path that was named; the empty one would mean the current folder."""
    if not str(text).strip():
        raise UsageError("'' is no path; name a file or folder ('.' is the current one)")
    return Path(text)


ScenarioName = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO", help="A file, - for stdin, or a name that `penstock list` shows."
    ),
]
Methods = Annotated[
    list[str],
    typer.Option("-m", "--method", help="Method; again or with commas for several; or all."),
]
FlowCounts = Annotated[
    list[str], typer.Option("-n", "--flows", help="Number of flows; again, with commas, or 4-8.")
]
Receivers = Annotated[
    list[str],
    typer.Option("--receivers", "--window", help="Receive buffer: bytes, or auto; with commas."),
]
Seeds = Annotated[
    str | None,
    typer.Option("--seeds", help="Runs of each combination; or which seeds: 3,7,9 or 4-8."),
]
Sets = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A method's parameter (ewt.start_bytes=30000, or start_bytes=30000 for all that have "
        "it), or a key of the scenario (link.bottleneck.queue=60kB).",
    ),
]
Mode = Annotated[
    str | None,
    typer.Option("--mode", help="How windows are written: safe, strict or literal, or several."),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=1024, help="Runs at a time; all processors by default."),
]
BackendName = Annotated[str, typer.Option("--backend", help="Where cells run.")]
AsJson = Annotated[bool, typer.Option("-j", "--json", help="JSON, one object a line.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", parser=path, help="Keep results; continue what is there."
    ),
]


@dataclass(frozen=True)
class Wishes:
    """What the command line says about the sweep; empty means: as the scenario does."""

    methods: Sequence[str] = ()
    flows: Sequence[str] = ()
    receivers: Sequence[str] = ()
    seeds: str | None = None
    sets: Sequence[str] = ()
    mode: str | None = None
    pcap_dir: Path | None = None


def split(values: Sequence[str]) -> list[str]:
    """'a,b' and repeated options alike, without repetitions."""
    parts = [part.strip() for value in values for part in value.split(",")]
    return list(dict.fromkeys(part for part in parts if part))


def check_method(name: str, scenario: Scenario | None = None) -> str:
    """The name of a gateway method, or a usage error that lists the near ones."""
    known = methods_of(scenario) if scenario else params.methods()
    if name.startswith(params.KERNEL):
        queue = name.removeprefix(params.KERNEL)
        if queue not in params.KERNEL_QUEUES:
            raise UsageError(f"-m {name}: {near(queue, params.KERNEL_QUEUES)}")
        return name
    if name not in known:
        raise UsageError(f"there is no method {name!r}; {near(name, known)}")
    return name


def check_mode(mode: str) -> str:
    """A mode of the window rules, or a usage error."""
    if mode not in MODES:
        raise UsageError(f"--mode {mode}: {near(mode, MODES)}")
    return mode


def _number(option: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most):
        raise UsageError(f"{option} {text}: a whole number from 1 to {most} is wanted, or 4-8")
    return int(text)


def _numbers(option: str, values: Sequence[str], most: int) -> list[tuple[str, int]]:
    """Numbers and spans such as 4-8, each number with the text that it comes from."""
    found: dict[int, str] = {}
    for text in split(values):
        first, dash, last = text.partition("-")
        if not (dash and first):
            found.setdefault(_number(option, text, most), text)
            continue
        low, high = _number(option, first, most), _number(option, last, most)
        if high < low:
            raise UsageError(f"{option} {text}: it ends before it begins; write {last}-{first}")
        if high - low >= MAX_SEEDS:
            raise UsageError(f"{option} {text}: at most {MAX_SEEDS:,} numbers")
        for number in range(low, high + 1):
            found.setdefault(number, text)
    return [(text, number) for number, text in found.items()]


def _seeds(text: str | None, otherwise: int) -> list[int]:
    """A single number says how many, from 1; a list or a span says which."""
    found = _numbers("--seeds", [text], MAX_SEEDS) if text is not None else [("", otherwise)]
    if not found:
        raise UsageError("--seeds: name at least one, such as 5, or 3,7,9")
    (first, number), *more = found
    return [number for _, number in found] if more or "-" in first else list(range(1, number + 1))


def _receivers(text: str) -> str:
    try:
        return window(text)
    except ValueError as error:
        raise UsageError(f"--receivers {text}: {error}") from None


def pairs(sets: Sequence[str]) -> list[tuple[str, str]]:
    """KEY=VALUE, taken apart."""
    found = []
    for text in sets:
        key, equals, value = text.partition("=")
        if not (key.strip() and equals and value.strip()):
            raise UsageError(f"--set {text}: write KEY=VALUE, such as ewt.start_bytes=30000")
        found.append((key.strip(), value.strip()))
    return found


def _scenario_keys(sets: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], ...]:
    """Sets of the scenario, and sets of methods' parameters."""
    tables = {field.alias or name for name, field in Scenario.model_fields.items()}
    ours = [pair for pair in sets if "." in pair[0] and pair[0].split(".")[0] in tables]
    return ours, [pair for pair in sets if pair not in ours]


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
    half = " (half of it, one way)" if key == "rtt" else ""
    return f"in the scenario it is {' or '.join(found[:3])}{half}" if found else ""


def _unknown(key: str, methods: Sequence[str], scenario: Scenario | None) -> UsageError:
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
    return UsageError(f"--set {key}: {what}{'; ' if meant else ''}{meant}")


def set_params(
    sets: Sequence[tuple[str, str]], methods: Sequence[str], scenario: Scenario | None = None
) -> dict[str, dict[str, int]]:
    """The parameters that --set gives, by method; a usage error for an unknown key."""
    registry = methods_of(scenario) if scenario else params.methods()
    chosen: dict[str, dict[str, int]] = {}
    for key, value in sets:
        first, dot, rest = key.partition(".")
        names = [first] if dot and first in methods else [] if dot else list(methods)
        names = params.having(rest if dot else key, [registry[name] for name in names])
        if not names:
            raise _unknown(key, methods, scenario)
        for name in names:
            try:
                fields = params.resolve(registry[name], {rest if dot else key: value})
            except ValueError as error:
                raise UsageError(f"--set {key}={value}: {error}") from None
            chosen.setdefault(name, {}).update(fields)
    return chosen


def _playable(backend: str, loaded: Loaded, receivers: list[str]) -> list[str]:
    """Those receivers that the backend has; a note if some are left out, else a usage error."""
    windows = [tcp.window for tcp in loaded.scenario.tcp.values()]
    if backends.autotunes(backend) or AUTO not in receivers or all(windows):
        return receivers
    fixed = [each for each in receivers if each != AUTO]
    if not fixed:
        raise UsageError(f"{loaded.name}: ns-3's receivers do not autotune; give --receivers BYTES")
    screen.say("ns-3's receivers do not autotune: auto is left out")
    return fixed


def _load(name: str, wishes: Wishes, sets: Sequence[tuple[str, str]], backend: str) -> Loaded:
    """The scenario with the command line's flows and receivers, as far as the backend has it."""
    flows = _numbers("-n", wishes.flows, MAX_FLOWS)
    receivers = [(text, _receivers(text)) for text in split(wishes.receivers)]
    backends.check_name(backend)
    loaded = read(name, sets, Given(flows, receivers))
    for path, message in backends.lacks(backend, loaded.scenario):
        raise loaded.error(path, message, Exit.BACKEND_MISSING)
    for key in passes_no_gateway(loaded.scenario):
        screen.say(f"penstock: tcp.{key} passes no gateway; no method will change it")
    return loaded


def _is_of_kernel(scenario: Scenario, method: str) -> bool:
    if method.startswith(params.KERNEL):
        return True
    return methods_of(scenario)[method].discipline.startswith(params.KERNEL)


def _methods(wishes: Wishes, scenario: Scenario, backend: str) -> list[str]:
    asked, known = split(wishes.methods), methods_of(scenario)
    named = [each for name in asked for each in (known if name == ALL else [name])]
    methods = [check_method(method, scenario) for method in named] or list(scenario.sweep.methods)
    for method in methods:
        if _is_of_kernel(scenario, method) and not backends.is_linux(backend):
            raise UserError(
                f"-m {method}: the {backend} backend has no queues of Linux; add --backend live",
                Exit.BACKEND_MISSING,
            )
    return list(dict.fromkeys(methods))


def plan(name: str, wishes: Wishes, backend: str = "sim") -> tuple[Loaded, Plan]:
    """The scenario and the sweep that a command line asks for, as far as the backend can."""
    scenario_sets, method_sets = _scenario_keys(pairs(wishes.sets))
    loaded = _load(name, wishes, scenario_sets, backend)
    sweep = loaded.scenario.sweep
    methods = _methods(wishes, loaded.scenario, backend)
    fields = scenario_params(loaded.scenario)
    ours = [method for method in methods if not method.startswith(params.KERNEL)]
    for method, given in set_params(method_sets, ours, loaded.scenario).items():
        fields[method] = {**fields.get(method, {}), **given}
    made = Plan(
        scenario=loaded.scenario,
        methods=methods,
        receivers=_playable(backend, loaded, list(dict.fromkeys(sweep.receivers))),
        flows=list(dict.fromkeys(sweep.flows)),
        seeds=_seeds(wishes.seeds, sweep.seeds),
        modes=[check_mode(mode) for mode in split([wishes.mode or ""])] or [sweep.mode],
        params=fields,
        pcap_dir=str(wishes.pcap_dir) if wishes.pcap_dir else None,
    )
    if made.runs > MOST_RUNS:
        raise UsageError(f"{made.runs:,} runs in all; at most {MOST_RUNS:,}: ask for fewer --seeds")
    return loaded, made


def one_mode(plan: Plan) -> None:
    """A usage error where several modes are asked for."""
    if len(plan.modes) > 1:
        raise UsageError(f"--mode {','.join(plan.modes)}: this command takes one of them")


def worker_count(asked: int | None) -> int:
    """--workers, or one for each processor."""
    return asked or workers.default_workers()
