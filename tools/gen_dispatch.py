# SPDX-License-Identifier: GPL-2.0-only
"""Writes the switches over methods, core/*/dispatch.h, from core/*/methods.toml; --check compares.

A line of a manifest is a method: its name, and the words for what it has besides what all have.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import generated

ROOT: Final = Path(__file__).resolve().parents[1]
ALL: Final = ""  # the word of what every method has
FEEDBACK: Final = "PST_{NAME}_FEEDBACK"
SCOPE: Final = "PST_{NAME}_SCOPE"
WIDTH: Final = 96
TAB: Final = 8
Methods = dict[str, list[str]]
"""The words of each method, in the order of their numbers."""


@dataclass(frozen=True)
class Event:
    """A switch over the methods that have a word: it calls pst_NAME_name(), or reads a value.

    Its parameters are named as in PARAMETERS; `otherwise` is the result for the other methods.
    """

    name: str
    result: str
    parameters: str
    otherwise: str = ""
    of: str | None = None  # the word that says who has it, if that is not its name
    value: str = ""  # what is read: of the parameters, or a constant of the method's header

    def is_of(self, words: list[str]) -> bool:
        """Whether it concerns a method of these words."""
        return (self.name if self.of is None else self.of) in (ALL, *words)

    def statement(self, name: str, words: list[str]) -> list[str]:
        """Of the method."""
        if self.value:
            return [f"\t\treturn {self.value.format(name=name, NAME=name.upper())};"]
        own = {one: f"&{one}->{name}" for one in "psf"}
        taken = [one for one in self.parameters.split() if one != "f" or "flow" in words]
        arguments = [own.get(one.removeprefix("const_"), argument(one)) for one in taken]
        head = f"\t\t{'' if self.result == 'void' else 'return '}pst_{name}_{self.name}("
        return [*wrapped(head, arguments, ");"), *(["\t\tbreak;"] if self.result == "void" else [])]


PARAMETERS: Final = {
    "p": "const union pst_{room}_params *p",
    "s": "union pst_{room}_state *s",
    "const_s": "const union pst_{room}_state *s",
    "f": "union pst_law_flow *f",
    "q": "const struct pst_queue *q",
    "k": "const struct pst_packet *k",
    "a": "const struct pst_ack *a",
    "bytes": "u32 bytes",
    "let_out_bytes": "u64 let_out_bytes",
    "booked_ns": "u64 booked_ns",
    "waits": "bool *waits",
    "v": "const struct pst_sender_view *v",
    "w": "struct pst_cwnd *w",
    "const_w": "const struct pst_cwnd *w",
    "l": "const struct pst_lost_segment *l",
    "why": "enum pst_congestion why",
    "header": "struct pst_feedback *header",
    "out": "struct pst_pacing *out",
    "e": "struct pst_ensemble *e",
    "m": "struct pst_member *m",
    "t": "struct pst_tcb *t",
    "const_t": "const struct pst_tcb *t",
}


def argument(parameter: str) -> str:
    """Its name in C."""
    return PARAMETERS[parameter].split()[-1].lstrip("*")


def continued(parts: list[str]) -> Iterator[str]:
    """Lines of a macro."""
    yield from (f"{part} \\" for part in parts[:-1])
    yield parts[-1]


def wrapped(head: str, parts: list[str], end: str, between: str = ",") -> Iterator[str]:
    """A call or a head; its further lines are as far in as its first part."""
    indent = len(head.expandtabs(TAB))
    line, first = head, True
    for place, part in enumerate(parts):
        text = part + (end if place + 1 == len(parts) else between)
        if not first and len(f"{line} {text}".expandtabs(TAB)) > WIDTH:
            yield line
            line, first = "\t" * (indent // TAB) + " " * (indent % TAB), True
        line += text if first else f" {text}"
        first = False
    yield line


@dataclass(frozen=True)
class Room:
    """A folder of core/ with methods."""

    name: str
    number: str  # the argument that chooses a method
    methods: str  # the macro that lists them
    enum: str
    events: tuple[Event, ...]
    properties: tuple[str, ...]
    unions: tuple[str, ...] = ("params", "state")

    def handlers(self) -> list[str]:
        """The functions that a manifest names."""
        return [one.name for one in self.events if one.of is None]

    def words(self) -> list[str]:
        """All that a manifest may say."""
        return [*self.handlers(), *self.properties]


ROOMS: Final = (
    Room(
        "law",
        "law",
        "PST_LAWS",
        "pst_law",
        (
            Event("init", "void", "p s q"),
            Event("on_accepted", "void", "p s q k"),
            Event("on_left", "void", "p s q k"),
            Event("on_data", "void", "p s f q bytes"),
            Event("on_tick", "u64", "p s q", "0"),
            Event("on_ack", "u64", "p s f q a", "a->window_bytes"),
            Event("pace_ns", "u64", "p s q a let_out_bytes booked_ns waits", "0"),
            Event("floor", "enum pst_floor", "p const_s q", "PST_FLOOR_NONE"),
            Event("pause_ns", "u64", "const_s", "0"),
            Event("interval_ns", "u64", "p", "0", of="on_tick", value="p->{name}.interval_ns"),
        ),
        ("flow", "opens", "divides"),
        ("params", "state", "flow"),
    ),
    Room(
        "discipline",
        "discipline",
        "PST_DISCIPLINES",
        "pst_discipline",
        (
            Event("init", "void", "p s q"),
            Event("on_arrive", "enum pst_verdict", "p s q k", "PST_PASS"),
            Event("on_accepted", "void", "p s q k"),
            Event("on_overflow", "void", "p s q k"),
            Event("on_leave", "enum pst_verdict", "p s q k", "PST_PASS"),
            Event("on_left", "void", "p s q k"),
            Event("on_tick", "u64", "p s q", "0"),
            Event("interval_ns", "u64", "p", "0", of="on_tick", value="p->{name}.interval_ns"),
            Event("feedback", "u32", "", "PST_FEEDBACK_NONE", of="header", value=FEEDBACK),
        ),
        ("schedules", "header", "labels", "tables", "dual", "isolates", "measures", "weighs"),
    ),
    Room(
        "sender",
        "method",
        "PST_SENDERS",
        "pst_sender_method",
        (
            Event("init", "void", "p s v w"),
            Event("on_sample", "void", "p s v w"),
            Event("on_ack", "void", "p s v w", of=ALL),
            Event("on_congestion", "u64", "p s v const_w why", "w->ssthresh_bytes", of=ALL),
            Event("on_recovered", "void", "p s v w"),
            Event("on_lost", "void", "p s v const_w l"),
            Event("on_restart", "void", "p s v w"),
            Event("stamp", "void", "p const_s v const_w header"),
            Event("paces", "u32", "const_s", "0"),
            Event("pacing", "void", "const_s v out"),
            Event("ect1", "bool", "p", "false"),
            Event("feedback", "u32", "", "PST_FEEDBACK_NONE", of="stamp", value=FEEDBACK),
        ),
        ("one_loss", "exact_ecn"),
    ),
    Room(
        "sharing",
        "sharing",
        "PST_SHARINGS",
        "pst_sharing",
        (
            Event("join", "void", "p e m t", of=ALL),
            Event("pull", "void", "p e m t"),
            Event("push", "void", "p e m t", of=ALL),
            Event("ask", "void", "p e m t"),
            Event("leave", "void", "p e m const_t", of=ALL),
            Event("scope", "enum pst_sharing_scope", "", "PST_SCOPE_HOST", of=ALL, value=SCOPE),
        ),
        ("rejoins", "kernel", "caches", "at_once", "of_window", "paced_as_one"),
        ("params",),
    ),
)


def offered_to_linux(room: Room, words: list[str]) -> bool:
    """Whether a method is a congestion control of Linux: registry.h says which cannot be."""
    if room.name == "sender":
        return not {"pacing", "exact_ecn"}.intersection(words)
    return "kernel" in words


def headers_of(folder: Path, methods: Methods) -> dict[str, str]:
    """The header of each method; ValueError without one."""
    texts = {path.name: path.read_text() for path in sorted(folder.glob("*.h"))}
    found = {}
    for name in methods:
        title = f"#define PST_{name.upper()}_TITLE "
        found[name] = next((each for each, text in texts.items() if title in text), "")
        if not found[name]:
            raise ValueError(f"{name}: no header of core/{folder.name} has {title.strip()}")
    return found


def checked(room: Room, methods: Methods, folder: Path) -> None:
    """ValueError where a manifest does not fit the headers: a handler would not be called."""
    hand_written = (path for path in folder.glob("*.h") if path.name != "dispatch.h")
    text = "\n".join(path.read_text() for path in hand_written)
    for name, words in methods.items():
        for word in words:
            if word not in room.words():
                raise ValueError(f"{name} has {word}; known are {', '.join(room.words())}")
        for word in room.handlers() if "schedules" not in words else ():
            if word not in words and re.search(rf"\bpst_{name}_{word}\(const", text):
                raise ValueError(f"{name} has no {word}, but pst_{name}_{word}() is there")


def listed(macro: str, names: list[str]) -> Iterator[str]:
    """A macro that expands its first argument for each name."""
    rows = [f"\tMETHOD({name}, {name.upper()}, __VA_ARGS__)" for name in names]
    yield from continued([f"#define {macro}(METHOD, ...)", *rows])


def united(room: Room, union: str, methods: Methods) -> Iterator[str]:
    """One of the unions of what methods have; hosts that link core know most sizes alone."""
    of = [name for name, words in methods.items() if union != "flow" or "flow" in words]
    kept = [name for name in of if "schedules" in methods[name]]
    kind = {"params": "PARAM"}.get(union, union.upper())
    yield f"union pst_{room.name}_{union} {{"
    yield f"\tu64 words[PST_{room.name.upper()}_{kind}_WORDS];"
    yield from (f"\tstruct pst_{name}_{union} {name};" for name in kept)
    yield "#ifndef PST_LINKED"
    yield from (f"\tstruct pst_{name}_{union} {name};" for name in of if name not in kept)
    yield "#endif"
    yield "};"
    yield ""


def function(room: Room, event: Event, methods: Methods) -> Iterator[str]:
    """A switch over the methods that have the event."""
    parameters = [PARAMETERS[one].format(room=room.name) for one in event.parameters.split()]
    head = f"PST_FN {event.result} pst_{room.name}_dispatch_{event.name}("
    yield from wrapped(head, [f"u32 {room.number}", *parameters], ")")
    yield "{"
    yield f"\tswitch ({room.number}) {{"
    for method, words in methods.items():
        if event.is_of(words):
            yield f"\tcase PST_{room.name.upper()}_{method.upper()}:"
            yield from event.statement(method, words)
    yield from ("\tdefault:", "\t\tbreak;", "\t}")
    if event.otherwise:
        yield f"\treturn {event.otherwise};"
    yield from ("}", "")


def mask(room: Room, methods: Methods) -> Iterator[str]:
    """Who has one of some words, as bits of their numbers: constant words leave a constant."""
    upper = room.name.upper()
    for word in room.words():
        have = [name for name, words in methods.items() if word in words]
        bits = [f"1ULL << PST_{upper}_{name.upper()}" for name in have]
        parts = [f"{one} |" for one in bits[:-1]] + bits[-1:]
        yield f"#define PST_{upper}_WITH_{word} \\"
        yield from continued(list(wrapped("\t(", parts or ["0ULL"], ")", between="")))
    yield ""
    yield f"PST_FN bool pst_{room.name}_dispatch_has(u32 {room.number}, u32 bits)"
    yield "{"
    yield "\tu64 with = 0;"
    yield ""
    for word in room.words():
        yield f"\tif (bits & PST_{upper}_HAS_{word})"
        yield f"\t\twith |= PST_{upper}_WITH_{word};"
    yield f"\treturn with >> {room.number} & 1;"
    yield from ("}", "")


def lines(room: Room, methods: Methods, folder: Path) -> Iterator[str]:
    """The text of dispatch.h."""
    upper = room.name.upper()
    headers = headers_of(folder, methods)
    linked = {headers[name] for name, words in methods.items() if "schedules" in words}
    yield "/* SPDX-License-Identifier: GPL-2.0-only */"
    yield f"/* Written by tools/gen_dispatch.py from core/{room.name}/methods.toml. */"
    yield f"#ifndef PENSTOCK_CORE_{upper}_DISPATCH_H"
    yield f"#define PENSTOCK_CORE_{upper}_DISPATCH_H"
    yield ""
    yield '#include "registry.h"'
    yield from (f'#include "{one}"' for one in sorted(linked))
    yield "#ifndef PST_LINKED"
    yield from (f'#include "{one}"' for one in sorted({*headers.values()} - linked))
    yield "#endif"
    yield ""
    yield from listed(room.methods, list(methods))
    yield ""
    if room.name in ("sender", "sharing"):
        yield "/* Those that are offered as congestion controls of Linux, by PST_NAME_LINUX. */"
        offered = [name for name in methods if offered_to_linux(room, methods[name])]
        yield from listed(f"PST_LINUX_{room.methods.removeprefix('PST_')}", offered)
        yield ""
        others = [name for name in methods if name not in offered]
        yield "#ifndef PST_LINKED"
        yield from (f'#define PST_{name.upper()}_LINUX ""' for name in others)
        yield from ("#endif", "")
    yield f"enum {room.enum} {{"
    yield from (f"\tPST_{upper}_{name.upper()}," for name in methods)
    yield from (f"\tPST_{upper}_COUNT,", "};", "")
    yield f"enum pst_{room.name}_bit {{"
    for bit, word in enumerate(room.words()):
        yield f"\tPST_{upper}_HAS_{word} = 1 << {bit},"
    yield from ("};", "")
    for union in room.unions:
        yield from united(room, union, methods)
    yield from ("#ifndef PST_LINKED", "")
    yield from mask(room, methods)
    for event in room.events:
        yield from function(room, event, methods)
    yield from ("#endif /* PST_LINKED */", "", "#endif")


def made(room: Room, folder: Path, text: str) -> str:
    """Its dispatch.h of today."""
    del text
    manifest = folder / "methods.toml"
    try:
        methods: Methods = tomllib.loads(manifest.read_text())
        checked(room, methods, folder)
    except ValueError as wrong:
        raise ValueError(f"core/{room.name}/{manifest.name}: {wrong}") from wrong
    return "\n".join(lines(room, methods, folder)) + "\n"


def main(arguments: list[str]) -> int:
    """The exit code; the last argument may be another folder than core/."""
    core = ROOT / "core"
    if arguments and not arguments[-1].startswith("-"):
        core = Path(arguments.pop())
    pages: list[generated.Page] = [
        (core / room.name / "dispatch.h", partial(made, room, core / room.name)) for room in ROOMS
    ]
    return generated.main(pages, Path(__file__).name, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
