# SPDX-License-Identifier: GPL-2.0-only
"""Which room of the tree may import which: the one table, shown in docs/architecture.md."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Rule:
    """A file's rule is the one with the longest `room` that its path starts with.

    `may` holds prefixes of project paths, and names of foreign packages or
    headers. A room may always import itself, and Python its standard library.
    """

    room: str
    may: tuple[str, ...]
    why: str


CPP_STD: Final = "<std>"  # any header of the C++ standard library
SYSTEM: Final = "<system>"  # any header of libc or of the kernel's user interface

RULES: Final = (
    Rule("core/base.h", ("<stdbool.h>",), "integer types alone: it must compile for BPF"),
    Rule("core/exp2.h", ("core/base.h",), "one logarithm and one power for routers and hosts"),
    Rule("core/params.h", ("core/base.h",), "the tables at work, without knowing a method"),
    Rule("core/packet/", ("core/base.h",), "what a flow is does not depend on a method"),
    Rule("core/describe.h", ("core/",), "the registries as data, for user space"),
    Rule(
        "core/queue/",
        ("core/base.h", "core/exp2.h", "core/packet/"),
        "a discipline decides about packets",
    ),
    Rule(
        "core/control/",
        ("core/base.h", "core/params.h", "core/queue/", "core/packet/"),
        "a law decides bytes; it never sees a header, so never core/rewrite",
    ),
    Rule(
        "core/gateway/",
        ("core/base.h", "core/control/", "core/packet/", "core/queue/", "core/rewrite/"),
        "what each event of a gateway means, once for all hosts",
    ),
    Rule("core/rewrite/", ("core/base.h", "core/packet/"), "the window rules hold for every law"),
    Rule(
        "core/sender/",
        ("core/base.h", "core/exp2.h", "core/params.h", "core/packet/feedback.h"),
        "an end host knows no gateway, only the header that both write",
    ),
    Rule("sim/engine/", (CPP_STD,), "events and random numbers, of anything"),
    Rule(
        "core/sharing/",
        ("core/base.h", "core/params.h", "core/sender/sender.h"),
        "what connections share does not depend on their congestion control",
    ),
    Rule(
        "sim/tcp/",
        (CPP_STD, "core/base.h", "core/packet/feedback.h", "core/sender/", "core/sharing/"),
        "TCP is a state machine without clock, queue or gateway",
    ),
    Rule(
        "sim/gateway/",
        (CPP_STD, "core/", "sim/tcp/segment.h"),
        "feeds core/ with the simulator's segments; decides nothing",
    ),
    Rule(
        "sim/traffic/",
        (CPP_STD, "sim/engine/"),
        "what applications send, and when; it sees neither connections nor the network",
    ),
    Rule(
        "sim/net/",
        (CPP_STD, "core/", "sim/engine/", "sim/gateway/", "sim/tcp/", "sim/traffic/"),
        "puts the parts together, and is the only one to do so",
    ),
    Rule("sim/python/", (CPP_STD, "<nanobind/", "core/", "sim/"), "the one door to Python"),
    Rule(
        "ns3/",
        (CPP_STD, "core/"),
        "an ns-3 module as others are: ns-3 and core/, nothing of the simulator",
    ),
    Rule(
        "ns3/lab/",
        (CPP_STD, "core/", "ns3/", "sim/net/histogram.h"),
        "the lab's runner in ns-3; its quantiles are the simulator's, by the same bins",
    ),
    Rule(
        "gateway/bpf/",
        ("<linux/", "<bpf/", "core/", "vmlinux.h"),
        "runs in the kernel: no libc, no C++",
    ),
    Rule(
        "gateway/cc/",
        ("<linux/", "<bpf/", "core/base.h", "core/sender/"),
        "an end host's congestion control in the kernel knows no gateway",
    ),
    Rule(
        "gateway/common/",
        (CPP_STD, SYSTEM, "<CLI/"),
        "units, errors, command lines, netlink: the same in every program of the gateway",
    ),
    Rule(
        "gateway/tool/",
        (
            *(CPP_STD, SYSTEM, "<bpf/", "<nlohmann/", "<toml++/"),
            *("core/", "gateway/bpf/shared.h", "gateway/common/"),
        ),
        "loads and shows; meets the kernel part in one header",
    ),
    Rule(
        "gateway/link/",
        (CPP_STD, SYSTEM, "<nlohmann/", "gateway/common/"),
        "delays and drops packets, of any method",
    ),
    Rule(
        "gateway/load/",
        (CPP_STD, SYSTEM, "<nlohmann/", "gateway/common/"),
        "sends and counts, of any method",
    ),
    Rule("bench/", (CPP_STD, "<benchmark/", "core/", "sim/"), "measures; nothing needs it"),
    Rule("penstock/__main__.py", ("penstock/cli/",), "`python -m penstock` is the command"),
    Rule(
        "penstock/__init__.py",
        ("penstock/version.py", "penstock/api/"),
        "the version, and the lab's names for programs, each loaded when it is used",
    ),
    Rule("penstock/version.py", (), "the version, for all to ask"),
    Rule(
        "penstock/_native.pyi",
        ("penstock/_native_control.pyi", "numpy"),
        "the interface of the compiled part",
    ),
    Rule("penstock/_native_control.pyi", (), "its classes that drive one method by hand"),
    Rule("penstock/errors.py", (), "what went wrong, for all to raise"),
    Rule("penstock/references.py", ("penstock/version.py",), "what to cite"),
    Rule(
        "penstock/scenario/",
        (
            *("penstock/version.py", "penstock/_native.pyi", "penstock/errors.py"),
            *("penstock/results/columns.py", "pydantic", "pydantic_core", "tomli_w"),
        ),
        "what a user wrote, checked; it runs nothing",
    ),
    Rule(
        "penstock/plan/",
        ("penstock/scenario/", "numpy"),
        "what is to be run; it runs nothing",
    ),
    Rule(
        "penstock/live/",
        (
            *("penstock/_native.pyi", "penstock/errors.py"),
            *("penstock/scenario/", "penstock/plan/", "numpy"),
        ),
        "a run on Linux itself; it knows no other backend",
    ),
    Rule(
        "penstock/backends/",
        (
            *("penstock/version.py", "penstock/_native.pyi", "penstock/errors.py"),
            *("penstock/scenario/", "penstock/plan/", "penstock/results/", "penstock/live/"),
            "numpy",
        ),
        "play a cell and count; workers and folders of results are not theirs",
    ),
    Rule("penstock/results/columns.py", (), "the definitions of a run's columns, as data"),
    Rule(
        "penstock/results/",
        ("penstock/plan/", "penstock/scenario/", "numpy", "scipy"),
        "from counters to columns, from columns to tables; it runs nothing",
    ),
    Rule(
        "penstock/runs/",
        (
            *("penstock/version.py", "penstock/errors.py", "penstock/scenario/"),
            *("penstock/plan/", "penstock/backends/", "penstock/results/", "polars"),
            "distributed",
        ),
        "runs the cells of a plan on any backend, and keeps what comes out",
    ),
    Rule(
        "penstock/questions/",
        ("penstock/_native.pyi", "penstock/scenario/", "penstock/results/"),
        "more than one run or none; what has to be run, the caller runs",
    ),
    Rule("penstock/models/", ("penstock/_native.pyi",), "formulas, and models of other papers"),
    Rule(
        "penstock/reproduce/",
        ("penstock/models/", "penstock/results/"),
        "what a paper states beside what was found",
    ),
    Rule(
        "penstock/agree/",
        ("penstock/errors.py", "penstock/results/", "penstock/runs/", "scipy"),
        "compares results of two backends; it runs neither",
    ),
    Rule(
        "penstock/report/",
        (
            *("penstock/backends/", "penstock/scenario/", "penstock/results/", "penstock/runs/"),
            *("penstock/models/", "penstock/reproduce/"),
            *("jinja2", "markupsafe", "numpy", "plotly", "polars"),
        ),
        "made on demand, from results: it needs no simulator",
    ),
    Rule(
        "penstock/plots/",
        (
            *("penstock/errors.py", "penstock/results/", "penstock/report/data.py"),
            *("matplotlib", "numpy"),
        ),
        "figures for papers, from the data of a report",
    ),
    Rule(
        "penstock/api/",
        (
            *("penstock/errors.py", "penstock/scenario/", "penstock/plan/"),
            *("penstock/backends/", "penstock/results/", "penstock/runs/"),
            *("penstock/questions/", "penstock/report/data.py", "penstock/plots/"),
            *("matplotlib", "polars", "rich"),
        ),
        "what programs and notebooks call; it prints nothing",
    ),
    Rule(
        "penstock/cli/",
        (
            *("penstock/version.py", "penstock/_native.pyi", "penstock/errors.py"),
            *("penstock/references.py", "penstock/scenario/", "penstock/plan/"),
            *("penstock/live/", "penstock/backends/", "penstock/results/", "penstock/runs/"),
            *("penstock/questions/", "penstock/models/", "penstock/reproduce/"),
            *("penstock/agree/", "penstock/report/", "penstock/plots/", "penstock/api/"),
            *("typer", "rich"),
        ),
        "arguments in, text out: the one room that prints",
    ),
    Rule("tools/", ("tools/",), "runs before anything is installed"),
    Rule("tools/gen_method_docs.py", ("penstock/",), "writes what the registry says into docs/"),
    Rule("tools/figures.py", ("penstock/",), "plots each method into docs/figures/"),
)
