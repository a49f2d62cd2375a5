# SPDX-License-Identifier: GPL-2.0-only
"""Shows that the simulated worlds find what an audit found, where its fix is removed.

Builds tests/world in a copy of the tree with one mutation after the other, plays worlds, and
demands that one fails within ten minutes. Names select some mutations.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from rule_mutants import BUILD, COPY, SKIPPED, MutantError, applied, call, configure
from rule_mutations import Mutation
from run_tests import gateway_options

WORLD: Final = "penstock-world"
FOUND_S: Final = 600
_TEST: Final = "tests/world/world_test.cpp"
_OBJECT: Final = ("tests/world/CMakeFiles/penstock_world_programs.dir/kernel/programs.c.o",)

_UNSEEN: Final = Mutation(
    35,
    _TEST,
    "*",
    "core/rewrite/window.h",
    "	return f->has_sent && pst_seq_after(h->ack, f->sent + 1);",
    "	return !f->has_sent && pst_seq_after(h->ack, f->sent + 1);",
)
_SETTLE: Final = Mutation(
    35,
    _TEST,
    "*",
    "core/packet/flow.h",
    "	if (!f->has_doubted || !(is_old || is_unseen) ||",
    "	if (f->has_doubted || !(is_old || is_unseen) ||",
)
_PLACE: Final = Mutation(
    35,
    _TEST,
    "*",
    "linux/gateway/bpf/handshake.h",
    "	is_more = gw_place(k, f);\n",
    "	is_more = false;\n",
)

_OPEN_AGAIN: Final = Mutation(
    5,
    _TEST,
    "*",
    "core/rewrite/window.h",
    "	       h->field <= f->field_in;",
    "	       (h->field <= f->field_in || !f->field_in);",
)
_GROWTH: Final = Mutation(
    36,
    _TEST,
    "*",
    "core/rewrite/window.h",
    "	return (u64)f->ramp_bytes + (ack - f->ack);",
    "	return (u64)f->ramp_bytes;",
)
_NEW_NUMBERS: Final = Mutation(
    8,
    _TEST,
    "*",
    "core/packet/flow.h",
    "	f->scale_proved = false;\n	f->contested = true;\n",
    "",
)
_MARK: Final = Mutation(
    34,
    _TEST,
    "*",
    "linux/gateway/bpf/gateway.bpf.c",
    "	if (marks && !c->gateway.observe)\n",
    "	if (marks)\n",
)
_OPTIONS: Final = Mutation(
    9,
    _TEST,
    "*",
    "core/packet/parse.h",
    "	s->payload_bytes = c->limit - c->at - s->header_bytes;",
    "	s->payload_bytes = c->limit - c->at - PST_TCP_BYTES;",
)
_HOLD: Final = Mutation(
    36,
    _TEST,
    "*",
    "core/discipline/fair.h",
    "	if (controlled || level_bytes <= limit_bytes || 2 * q->bytes <= s->target_bytes)\n",
    "	if (controlled || level_bytes <= ~0ULL || 2 * q->bytes <= s->target_bytes)\n",
)

MUTATIONS: Final[Mapping[str, tuple[Mutation, ...]]] = {
    "forged-handshake": (_PLACE,),
    "blind-acks": (_UNSEEN,),
    "blind-acks-for-ever": (_UNSEEN, _SETTLE),
    "zero-window": (_OPEN_AGAIN,),
    "share": (_GROWTH,),
    "ports-again": (_NEW_NUMBERS,),
    "ecn": (_MARK,),
    "sack": (_OPTIONS,),
    "beside-others": (_HOLD,),
}


def find(mutations: Sequence[Mutation]) -> str:
    """What the worlds say of them: the report of the one that fails, or nothing if all hold."""
    with ExitStack() as stack:
        for each in mutations:
            stack.enter_context(applied(each, [BUILD / name for name in _OBJECT]))
        call("cmake", "--build", str(BUILD), "--target", WORLD)
        command = [str(BUILD / "tests" / "world" / WORLD), "--seconds", str(FOUND_S)]
        done = subprocess.run(command, cwd=COPY, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise MutantError(done.stderr)
    return done.stdout if done.returncode else ""


def main(names: Sequence[str]) -> int:
    """Exit code 0 if each is found."""
    if not (options := gateway_options()):
        print("penstock-gw cannot be built here: clang, bpftool or a library is missing")
        return SKIPPED
    bad = 0
    try:
        configure(options)
        call("cmake", "--build", str(BUILD), "--target", WORLD)
        for name in names or MUTATIONS:
            found = find(MUTATIONS[name])
            bad += not found
            print(f"{name}: {'found' if found else 'NOT FOUND'}\n{found}", flush=True)
    except MutantError as error:
        print(error)
        return 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
