# SPDX-License-Identifier: GPL-2.0-only
"""The table of allowed imports between directories, shown in docs/architecture.md."""

from dataclasses import dataclass
from typing import Final

import gateway_rooms


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

# What any room of the lab may import: it imports none of them.
SHARED: Final = (
    *("penstock/version.py", "penstock/errors.py", "penstock/columns.py"),
    *("penstock/_native.pyi", "penstock/text.py", "penstock/locks.py"),
)

# The lab's rooms, from the ground up: a room imports rooms of lower floors only.
FLOORS: Final = (
    ("penstock/scenario/",),
    ("penstock/plan/",),
    ("penstock/results/",),
    ("penstock/runs/", "penstock/view/"),
    ("penstock/api/",),
    ("penstock/cli/", "penstock/gym/"),
)

RULES: Final = (
    Rule("core/base.h", ("<stdbool.h>",), "integer types only: it must compile for BPF"),
    Rule("core/sizes.h", (), "sizes of packets, for all rooms"),
    Rule("core/params.h", ("core/base.h",), "parameter tables, independent of any method"),
    Rule("core/math/", ("core/base.h",), "arithmetic in fixed point, for routers and hosts"),
    Rule(
        "core/packet/",
        ("core/base.h", "core/sizes.h"),
        "headers, and the flow state derived from them",
    ),
    Rule(
        "core/flow/",
        ("core/base.h", "core/packet/"),
        "RTT, use and groups of flows; independent of the method",
    ),
    Rule(
        "core/queue/",
        ("core/base.h", "core/sizes.h", "core/math/", "core/packet/", "core/flow/"),
        "the queue and link that methods see",
    ),
    Rule(
        "core/describe.h",
        (
            *("core/params.h", "core/law/", "core/gateway/", "core/discipline/"),
            *("core/queue/", "core/rewrite/", "core/sender/", "core/sharing/"),
        ),
        "the registries as data, for user space",
    ),
    Rule("core/outcome.h", ("core/base.h",), "what users notice; floating point, for user space"),
    Rule(
        "core/tables/",
        ("core/base.h",),
        "rows that simulator, ns-3 and Python expand; no code, and nothing for the kernel",
    ),
    Rule("core/core.c", ("core/",), "all of core/ as one unit, for hosts that link it"),
    Rule(
        "core/discipline/",
        ("core/base.h", "core/math/", "core/flow/", "core/queue/"),
        "a discipline decides about packets only",
    ),
    Rule(
        "core/law/",
        ("core/base.h", "core/math/", "core/queue/"),
        "a law returns bytes; it never sees a header, hence not core/rewrite",
    ),
    Rule(
        "core/gateway/",
        (
            *("core/base.h", "core/law/", "core/flow/", "core/packet/"),
            *("core/discipline/", "core/queue/", "core/rewrite/"),
        ),
        "the events of a gateway, once for all hosts",
    ),
    Rule("core/rewrite/", ("core/base.h", "core/packet/"), "the window rules hold for every law"),
    Rule(
        "core/sender/",
        ("core/base.h", "core/math/", "core/packet/feedback.h"),
        "an end host knows no gateway, only the header that both write",
    ),
    Rule("sim/engine/", ("core/base.h", CPP_STD), "generic event queue, random number generator"),
    Rule(
        "core/sharing/",
        ("core/base.h", "core/sender/sender.h"),
        "shared state does not depend on the congestion control",
    ),
    Rule(
        "sim/tcp/",
        (
            CPP_STD,
            "core/base.h",
            "core/sizes.h",
            "core/packet/feedback.h",
            "core/sender/",
            "core/sharing/",
            "core/tables/",
        ),
        "TCP is a state machine without clock, queue or gateway",
    ),
    Rule(
        "sim/tcp/example/",
        (CPP_STD, "core/describe.h", "sim/tcp/"),
        "TCP for others: endpoints and a pipe, without the network",
    ),
    Rule(
        "sim/drill/",
        (CPP_STD, "sim/tcp/"),
        "a host out of both halves of TCP, without the network",
    ),
    Rule(
        "sim/quic/",
        (CPP_STD, "core/base.h", "core/sender/", "sim/tcp/"),
        "TCP's neighbour: QUIC's packets and losses, with TCP's congestion control and pacing",
    ),
    Rule(
        "sim/gateway/",
        (CPP_STD, "core/", "sim/tcp/extension.h", "sim/tcp/segment.h"),
        "passes the simulator's segments to core/; makes no decisions",
    ),
    Rule(
        "sim/traffic/",
        (CPP_STD, "core/base.h", "core/tables/", "sim/engine/"),
        "application traffic; independent of connections and the network",
    ),
    Rule(
        "sim/net/",
        (
            CPP_STD,
            "core/",
            "sim/engine/",
            "sim/gateway/",
            "sim/quic/",
            "sim/tcp/",
            "sim/traffic/",
        ),
        "the only directory that combines the parts",
    ),
    Rule(
        "sim/setup/",
        (CPP_STD, "core/", "sim/gateway/", "sim/net/specs.h", "sim/tcp/"),
        "settings by name, for Python and for the browser",
    ),
    Rule(
        "sim/python/",
        (CPP_STD, "<nanobind/", "<sources_digest.h>", "core/", "sim/"),
        "the only interface to Python",
    ),
    Rule(
        "browser/engine/",
        (CPP_STD, "core/", "sim/"),
        "the simulator as a page calls it",
    ),
    Rule(
        "browser/",
        (
            *("browser/", "penstock/_native.pyi", "penstock/scenario/", "penstock/plan/"),
            "penstock/columns.py",
        ),
        "the page in a browser; nothing depends on it",
    ),
    Rule(
        "ns3/",
        (CPP_STD, "core/"),
        "an ordinary ns-3 module: ns-3 and core/, not the simulator",
    ),
    Rule(
        "ns3/lab/",
        (CPP_STD, "core/", "ns3/", "sim/net/histogram.h", "sim/tcp/autotune.h"),
        "the lab's runner in ns-3; its quantiles and receive windows are the simulator's",
    ),
    Rule(
        "linux/gateway/bpf/",
        ("<linux/", "<bpf/", "core/", "vmlinux.h"),
        "runs in the kernel: no libc, no C++",
    ),
    Rule(
        "tests/world/",
        (
            *(CPP_STD, SYSTEM, "<gtest/"),
            *("core/", "linux/gateway/bpf/", "linux/gateway/tool/settings/settings.h"),
            "tests/gateway/packet.h",
        ),
        "hosts, links and a kernel for the gateway's programs; nothing of the simulator's",
    ),
    Rule(
        "linux/cc/",
        ("<linux/", "<bpf/", "core/base.h", "core/sender/", "core/sharing/"),
        "congestion control of an end host; it knows no gateway",
    ),
    Rule(
        "linux/common/",
        (CPP_STD, SYSTEM, "<CLI/"),
        "units, errors, command lines and netlink for all programs of the gateway",
    ),
    *(
        Rule(f"{gateway_rooms.TOOL}{room.name}/", (CPP_STD, SYSTEM, *room.may), room.why)
        for room in gateway_rooms.ROOMS
    ),
    Rule(
        "linux/lab/link/",
        (CPP_STD, SYSTEM, "<nlohmann/", "linux/common/"),
        "delays and drops packets; independent of the method",
    ),
    Rule(
        "linux/lab/load/",
        (CPP_STD, SYSTEM, "<nlohmann/", "linux/common/"),
        "sends and counts; independent of the method",
    ),
    Rule(
        "bench/", (CPP_STD, "<benchmark/", "core/", "sim/"), "benchmarks; nothing depends on them"
    ),
    Rule("penstock/__main__.py", ("penstock/cli/",), "`python -m penstock` runs the command"),
    Rule(
        "penstock/__init__.py",
        ("penstock/version.py", "penstock/api/"),
        "the version, and the names of the API, loaded on first use",
    ),
    Rule("penstock/version.py", (), "the version, for all modules"),
    Rule(
        "penstock/_native.pyi",
        ("penstock/_native_control.pyi", "numpy"),
        "the interface of the compiled extension",
    ),
    Rule("penstock/_native_control.pyi", (), "its classes that drive a single method"),
    Rule("penstock/errors.py", (), "errors, for all modules"),
    Rule("penstock/text.py", (), "reads text files of others, for all modules"),
    Rule("penstock/locks.py", (), "locks of files, for all modules"),
    Rule(
        "penstock/columns.py",
        ("penstock/_native.pyi",),
        "the definitions of a run's columns, as data",
    ),
    Rule(
        "penstock/scenario/",
        (*SHARED, "pydantic", "pydantic_core", "tomli_w"),
        "validated user input; runs nothing",
    ),
    Rule("penstock/plan/", ("penstock/_native.pyi", "penstock/scenario/"), "plans; runs nothing"),
    Rule("penstock/results/models/", ("penstock/_native.pyi",), "formulas and published models"),
    Rule(
        "penstock/results/",
        (
            *("penstock/errors.py", "penstock/columns.py", "penstock/scenario/", "penstock/plan/"),
            *("penstock/_native.pyi", "penstock/text.py", "penstock/locks.py", "numpy"),
            *("polars", "scipy"),
        ),
        "from counters to columns to tables, and their folders; runs nothing",
    ),
    Rule(
        "penstock/results/agree/",
        ("penstock/errors.py", "penstock/columns.py", "penstock/results/", "scipy"),
        "compares results of two backends; runs neither",
    ),
    Rule("penstock/runs/captures/", (), "files in the formats of others; knows no backend"),
    Rule(
        "penstock/runs/packetdrill/",
        ("penstock/_native.pyi", "penstock/text.py"),
        "plays packetdrill's scripts; knows no scenario, and runs no code of a script",
    ),
    Rule(
        "penstock/runs/live/",
        (
            *("penstock/_native.pyi", "penstock/errors.py", "penstock/locks.py"),
            *("penstock/scenario/", "penstock/plan/", "numpy"),
        ),
        "runs on Linux; knows no other backend",
    ),
    Rule(
        "penstock/runs/clients/",
        (
            *("penstock/scenario/", "penstock/plan/", "penstock/results/", "penstock/runs/live/"),
            *("aioquic", "cryptography", "numpy"),
        ),
        "runs other projects' programs on the live lab",
    ),
    Rule(
        "penstock/runs/backends/",
        (
            *(*SHARED, "penstock/scenario/", "penstock/plan/", "penstock/results/"),
            *("penstock/runs/captures/", "penstock/runs/live/", "numpy"),
        ),
        "run a cell and count; know neither workers nor result directories",
    ),
    Rule(
        "penstock/runs/",
        (
            *(*SHARED, "penstock/scenario/", "penstock/plan/", "penstock/results/"),
            *("penstock/runs/backends/", "dask", "dask_jobqueue", "distributed"),
        ),
        "runs the cells of a plan on any backend",
    ),
    Rule(
        "penstock/view/plots/",
        (
            *("penstock/errors.py", "penstock/columns.py", "penstock/text.py"),
            *("penstock/scenario/", "penstock/results/", "matplotlib", "numpy", "plotly"),
        ),
        "figures: one description, drawn for print and for pages",
    ),
    Rule(
        "penstock/view/report/",
        (
            *("penstock/version.py", "penstock/errors.py", "penstock/columns.py"),
            *("penstock/scenario/", "penstock/results/", "penstock/view/plots/"),
            *("jinja2", "markupsafe", "numpy", "plotly", "polars"),
        ),
        "generated on demand from results, without a simulator",
    ),
    Rule("penstock/view/", (), "what results look like"),
    Rule(
        "penstock/api/questions/",
        ("penstock/_native.pyi", "penstock/scenario/", "penstock/results/"),
        "questions that take several runs or none; the caller runs them",
    ),
    Rule(
        "penstock/api/",
        (
            *(*SHARED, "penstock/scenario/", "penstock/plan/", "penstock/results/"),
            *("penstock/runs/", "penstock/view/", "penstock/api/questions/"),
            *("matplotlib", "pandas", "polars", "rich", "xarray"),
        ),
        "the API for programs and notebooks; prints nothing",
    ),
    Rule(
        "penstock/api/reproduce/",
        (
            *("penstock/errors.py", "penstock/scenario/", "penstock/plan/", "penstock/results/"),
            *("penstock/runs/", "penstock/view/", "penstock/api/", "pydantic"),
        ),
        "runs the papers by their data; knows none by name",
    ),
    Rule(
        "penstock/api/judge/",
        (*SHARED, *(f"penstock/{room}/" for room in ("scenario", "plan", "results", "runs"))),
        "whether a law, a discipline or a sender is any good",
    ),
    Rule("penstock/gym/", ("penstock/", "gymnasium", "numpy"), "environments for learning"),
    Rule(
        "papers/",
        ("papers/", "penstock/", "numpy", "plotly"),
        "what belongs to one paper alone; the lab loads it by the paper's name",
    ),
    Rule(
        "penstock/cli/",
        (
            *(*SHARED, "penstock/scenario/", "penstock/plan/", "penstock/results/"),
            *("penstock/runs/", "penstock/view/", "penstock/api/", "typer", "rich"),
        ),
        "arguments in, text out: the only directory that prints",
    ),
    Rule("tools/", ("tools/",), "must run before anything is installed"),
    Rule("tools/generated.py", (), "writes or compares pages that are made from the code"),
    Rule("tools/gen_dispatch.py", ("tools/generated.py",), "writes the switches over methods"),
    *(
        Rule(f"tools/gen_{name}.py", ("penstock/", "tools/generated.py"), why)
        for name, why in (
            ("method_docs", "writes the registry's tables into docs/"),
            ("column_docs", "writes the table of columns into docs/"),
            ("scenario_docs", "writes the tables of keys into docs/"),
            ("row_classes", "writes fields for type checkers"),
        )
    ),
    Rule("tools/api_reference.py", (), "the names of the API, for the site"),
    Rule("tools/site_hooks.py", ("mkdocs", "tools/api_reference.py"), "a site's other parts"),
    Rule("tools/play_notebooks.py", ("nbclient", "nbformat"), "what notebooks show"),
    Rule("tools/figures.py", ("penstock/",), "plots each method into docs/figures/"),
    Rule("tools/downloads_picture.py", ("tools/figures.py", "tools/generated.py"), "draws a table"),
    Rule("tools/train_policy.py", ("penstock/", "cma", "numpy"), "a policy that learns"),
    Rule(
        "tools/random_links.py",
        ("polars", "penstock/api/judge/"),
        "draws links and loads, and compares methods on them",
    ),
    Rule(
        "tools/make_artifact.py",
        ("tools/artifact_check.py", "penstock/"),
        "packs the results of a reproduction",
    ),
    Rule("tools/artifact_check.py", ("polars",), "goes into the archive, and runs there"),
)
