# SPDX-License-Identifier: GPL-2.0-only
"""For each rule of docs/rules.md one change of the code that breaks it, and the test that fails."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Mutation:
    """`text`, which is in `path` once, becomes `replacement`; of `test`, `names` then fails."""

    rule: int
    test: str
    names: str
    path: str
    text: str
    replacement: str


_WINDOW: Final = "core/rewrite/window.h"
_FLOW: Final = "core/packet/flow.h"
_REVERSE: Final = "linux/gateway/bpf/reverse.h"
_FORWARD: Final = "linux/gateway/bpf/forward.h"
_HANDSHAKE: Final = "linux/gateway/bpf/handshake.h"
_ROUNDED: Final = "	u64 field = (bytes + (1ULL << f->scale) - 1) >> f->scale;\n"
_ON_PACKETS: Final = "tests/gateway/rules_test.cpp"
_FLOWS: Final = "tests/gateway/flow_test.cpp"

MUTATIONS: Final = (
    Mutation(
        1,
        "tests/core/window_test.cpp",
        "*R1*",
        _WINDOW,
        "	if (bytes < (u64)h->field << f->scale)\n"
        "		out.field = pst_field_of(f, bytes, h->field);\n",
        "	if (bytes < 1ULL << 40)\n		out.field = pst_field_of(f, bytes, 65535);\n",
    ),
    Mutation(2, _ON_PACKETS, "*R2TheEdge*", _WINDOW, "	return edge - ack;", "	return 0;"),
    Mutation(
        3,
        "tests/core/window_test.cpp",
        "*R3*",
        _WINDOW,
        _ROUNDED,
        "	u64 field = bytes >> f->scale;\n",
    ),
    Mutation(
        4,
        "tests/core/window_test.cpp",
        "*R4*",
        _WINDOW,
        "	return pst_round_up(pst_max(f->mss_bytes, 1), 1ULL << f->scale);",
        "	return f->mss_bytes < 1 ? 0 : 1;",
    ),
    Mutation(
        5,
        _ON_PACKETS,
        "*R5*",
        _WINDOW,
        "	       h->field <= f->field_in;",
        "	       h->ack == f->ack;",
    ),
    Mutation(
        6,
        "tests/core/window_test.cpp",
        "*R6*",
        _WINDOW,
        "	u64 floor_bytes = 2 * pst_max(f->mss_bytes, 1);",
        "	u64 floor_bytes = pst_max(f->mss_bytes, 1);",
    ),
    Mutation(
        7,
        _FLOWS,
        "*R7TheScale*",
        _FLOW,
        "	f->scale = f->forward_scale == PST_NO_SCALE ||\n",
        "	f->scale = f->reverse_scale == PST_NO_SCALE ||\n",
    ),
    Mutation(
        8,
        "tests/core/window_test.cpp",
        "*R8*",
        _WINDOW,
        "	} else if (!f->scale_known) {",
        "	} else if (!f->has_forward_syn) {",
    ),
    Mutation(
        9,
        _ON_PACKETS,
        "*R9*",
        _WINDOW,
        "		out->field = (u16)pst_min(f->field_out, h->field);",
        "		out->field = h->field;",
    ),
    Mutation(
        10,
        "tests/gateway/advance_test.cpp",
        "*R10*",
        _WINDOW,
        "	if (!h->syn && pst_is_ignored(f, h))\n		return;\n",
        "",
    ),
    Mutation(
        11,
        _ON_PACKETS,
        "*R11*",
        _WINDOW,
        "	if (f->has_ack && pst_seq_before(h->ack, f->ack))\n		return;\n	edge",
        "	edge",
    ),
    Mutation(
        13,
        _ON_PACKETS,
        "*R13*",
        _REVERSE,
        "bpf_skb_store_bytes(skb, window_offset, words, 4, 0)",
        "bpf_skb_store_bytes(skb, window_offset - 2, words, 4, 0)",
    ),
    Mutation(
        14,
        _ON_PACKETS,
        "*R14*",
        _REVERSE,
        "words[1] = pst_checksum_update(s->checksum, from, words[0]);",
        "words[1] = s->checksum;",
    ),
    Mutation(
        15,
        "tests/gateway/parse_test.cpp",
        "Parse.Fragments*",
        "core/packet/parse.h",
        "	if (pst_load_be16(p + 6) & PST_IPV4_FRAGMENT)",
        "	if (pst_load_be16(p + 6) & 0x8000)",
    ),
    Mutation(
        16,
        _FLOWS,
        "*R16Md5*",
        _HANDSHAKE,
        "	if (both & 1U << GW_SKIP_authenticated)\n		return GW_SKIP_authenticated;\n",
        "",
    ),
    Mutation(
        17,
        _FLOWS,
        "*R17*",
        _HANDSHAKE,
        "	return o->multipath ? GW_SKIP_multipath : GW_CONTROLLED;",
        "	return GW_CONTROLLED;",
    ),
    Mutation(
        18,
        "tests/gateway/count_test.cpp",
        "*R18*",
        "linux/gateway/bpf/place.h",
        "gw_load_of(skb, k), bytes,",
        "gw_load_of(skb, k), 0 * bytes,",
    ),
    Mutation(
        19,
        "tests/core/overhead_test.cpp",
        "*R19*",
        "core/queue/overhead.h",
        "	s64 frame_bytes = (s64)ip_bytes + o->packet_bytes;",
        "	s64 frame_bytes = (s64)ip_bytes;",
    ),
    Mutation(
        20,
        "tests/gateway/bypass_test.cpp",
        "*R20Ect1*",
        "linux/gateway/bpf/shared.h",
        "return f->gateway.flow.scalable && c->bypass_scalable ?",
        "return f->gateway.flow.scalable && !c->bypass_scalable ?",
    ),
    Mutation(
        21,
        _FLOWS,
        "*R21*",
        "core/gateway/handshake.h",
        "	return h->answered && forward == h->opener.forward &&\n"
        "	       ack - h->answer.isn - 1 < PST_FIRST_FLIGHT_BYTES;",
        "	return forward == h->opener.forward && ack != h->answer.isn;",
    ),
    Mutation(
        23,
        "tests/gateway/offload_test.cpp",
        "Offload.*",
        "linux/gateway/tool/attach/offload.cpp",
        '"[HW_OFFLOAD]"',
        '"[OFFLOAD]"',
    ),
    Mutation(
        24,
        _ON_PACKETS,
        "*R24OfJoinedSegmentsTheLast*",
        _FORWARD,
        "	if (skb->gso_size && skb->gso_size < h.segment_bytes)\n"
        "		h.segment_bytes = skb->gso_size;\n",
        "",
    ),
    Mutation(
        25,
        _ON_PACKETS,
        "*R25*",
        _REVERSE,
        "	return c->ticks && !gw_is_shape(g) && now_ns > g->due_ns + GW_STALE_NS;",
        "	return !c->ticks && !gw_is_shape(g) && now_ns > g->due_ns + GW_STALE_NS;",
    ),
    Mutation(
        26,
        _ON_PACKETS,
        "*R26*",
        _WINDOW,
        "	return (u64)f->ramp_bytes + (ack - f->ack);",
        "	return (u64)f->ramp_bytes + 4 * (ack - f->ack);",
    ),
    Mutation(
        27,
        "tests/gateway/belief_test.cpp",
        "*R27*",
        "linux/gateway/bpf/sweep.h",
        "	if (quiet_ns <= (f->ends.over || doubtful ? GW_OVER_NS : w->idle_ns) ||",
        "	if (!f->ends.over || quiet_ns <= w->idle_ns ||",
    ),
    Mutation(
        28,
        "tests/gateway/stress_test.cpp",
        "*R28*",
        "linux/gateway/bpf/flow.h",
        "	return !__sync_val_compare_and_swap(&f->lock, 0, 1);",
        "	f->lock = 1;\n	return true;",
    ),
    Mutation(
        29,
        "tests/sim/net/sharing_test.cpp",
        "*R29*",
        "core/law/pipe.h",
        "PST_OF_BUFFER(3, 10)",
        "PST_OF_BUFFER(19, 20)",
    ),
    Mutation(
        30,
        "tests/gateway/count_test.cpp",
        "*R30*",
        "core/flow/flow_count.h",
        "most_bytes >= full_bytes ? PST_Q16_ONE : (most_bytes << 16) / full_bytes;",
        "PST_Q16_ONE;",
    ),
    Mutation(
        31,
        "tests/core/rtt_test.cpp",
        "*R31*",
        "core/flow/rtt.h",
        "	if (now_ns - r->period_start_ns >= PST_RTT_PERIOD_NS) {",
        "	if (now_ns - r->period_start_ns >= PST_MAX_NS) {",
    ),
    # Other arithmetic in the kernel alone.
    Mutation(
        32,
        "tests/gateway/agree_test.cpp",
        "*Agree*",
        _WINDOW,
        _ROUNDED,
        "	u64 field = bytes >> f->scale;\n",
    ),
    Mutation(
        34,
        "tests/gateway/bypass_test.cpp",
        "*R34Exempt*",
        _HANDSHAKE,
        "	if (e->port && e->port != port)",
        "	if (e->port && e->port == port)",
    ),
    Mutation(
        35,
        _ON_PACKETS,
        "*R35AnAck*",
        _WINDOW,
        "	return f->has_sent && pst_seq_after(h->ack, f->sent + 1);",
        "	return !f->has_sent && pst_seq_after(h->ack, f->sent + 1);",
    ),
    Mutation(
        36,
        "tests/core/fair_test.cpp",
        "*R36*",
        "core/discipline/fair.h",
        "	if (k->kind == PST_KIND_CONTROLLED || level_bytes <= limit_bytes ||\n",
        "	if (k->kind == PST_KIND_CONTROLLED || level_bytes <= 64 * limit_bytes ||\n",
    ),
    Mutation(
        37,
        "tests/core/observe_test.cpp",
        "*R37*",
        "core/law/penstock.h",
        "	s->factor_q32 = q->observed || pst_penstock_is_paced(p, s, q) ?\n",
        "	s->factor_q32 = pst_penstock_is_paced(p, s, q) ?\n",
    ),
    Mutation(
        38,
        "tests/gateway/scone_test.cpp",
        "*R38Never*",
        "linux/gateway/bpf/scone.h",
        "	} else if (signal >= pst_scone_signal(word)) {",
        "	} else if (signal == pst_scone_signal(word)) {",
    ),
)

# Rules without a mutation here: their tests take namespaces and minutes.
ELSEWHERE: Final[Mapping[int, str]] = {
    12: "counts and order of packets on a wire: tests/gateway/test_wire.py",
    22: "connection tracking of a router: tests/gateway/test_nat.py",
    33: "other kernels and BPF congestion controls: tests/gateway/test_cc.py",
}
