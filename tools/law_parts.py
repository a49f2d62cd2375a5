# SPDX-License-Identifier: GPL-2.0-only
"""The parts of the law `penstock`, each with the change of the code that takes it out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Change:
    """`text`, which is in `path` once, becomes `replacement`."""

    path: str
    text: str
    replacement: str


_EVENTS: Final = "core/law/penstock.h"
_STEP: Final = "core/law/penstock_step.h"
_PLAN: Final = "core/law/penstock_plan.h"
_WINDOW: Final = "core/law/penstock_window.h"
_TARGET: Final = "core/queue/target.h"
_COUNT: Final = "core/flow/flow_count.h"
_ALLOW: Final = "core/gateway/allow.h"

# By the equation of core/law/penstock.h that a part belongs to.
PARTS: Final[Mapping[str, tuple[Change, ...]]] = {
    "RTT_i, the flow's own round trip (1)": (
        Change(_PLAN, "rtt_ns(p, s, a->rtt_ns);\n\tu64 each", "rtt_ns(p, s, 0);\n\tu64 each"),
    ),
    "whether flows want more (2)": (
        Change(_STEP, "pst_penstock_is_wanted(s, q, response_ns);", "true;"),
    ),
    "who limits a flow (2)": (
        Change(_EVENTS, "(limit == PST_PENSTOCK_SHARE)", "(limit != PST_PENSTOCK_SENDER)"),
    ),
    "first flights that are over (4)": (Change(_EVENTS, "\t\tpst_penstock_keep(s, f);\n", ""),),
    "only what is granted is let out (7)": (
        Change(
            _EVENTS,
            "pst_min(pst_penstock_whole(p, s, a, phase_q16) * pst_max(a->mss_bytes, 1),\n"
            "\t\t\t      a->window_bytes);",
            "pst_penstock_whole(p, s, a, phase_q16) * pst_max(a->mss_bytes, 1);",
        ),
    ),
    "Q drains from the start (7)": (
        Change(_EVENTS, "\tpst_penstock_foresee(p, s, q);\n}\n\n/* Data", "}\n\n/* Data"),
    ),
    "brief connections (1)": (
        Change(_COUNT, "part_q16 * (PST_Q15_ONE - c->brief_q15) >> 15,", "part_q16,"),
    ),
    "flows that grow into their shares (2)": (
        Change(_STEP, "s->growing_bytes <= s->acked_bytes / PST_PENSTOCK_GROWING_PART", "true"),
    ),
    "who limits a flow, over a round trip (2)": (
        Change(
            _STEP,
            "s->filled_bytes -= pst_mul_q32(s->filled_bytes, part_q32);\n"
            "\ts->growing_bytes -= pst_mul_q32(s->growing_bytes, part_q32);",
            "s->filled_bytes = 0;\n\ts->growing_bytes = 0;",
        ),
    ),
    "bursts on their way (7)": (
        Change(_WINDOW, "q->bytes < s->coming_bytes ? part_q32 / 2 : part_q32)", "part_q32)"),
    ),
    "the decay of c (2)": (Change(_STEP, "p->slow_gain_q16 * step_q16);", "0);"),),
    "c that falls with N (2)": (Change(_STEP, "\tif (flows_q16 < s->flows_q16)", "\tif (false)"),),
    "the value of c that N's fall leaves (2)": (
        Change(_STEP, "pst_max(s->base_q32, PST_Q32_ONE)),", "PST_Q32_ONE),"),
    ),
    "slow_gain and D (2)": (
        Change(_STEP, "s->segments_q16 && s->segments_q16 < 2 * PST_Q16_ONE;", "false;"),
    ),
    "the rate in use (3)": (Change(_STEP, "\tif (q->bytes < q->mss_bytes)\n", "\tif (false)\n"),),
    "first flights (4)": (Change(_PLAN, "pst_max(kept_bytes, above_bytes)", "above_bytes"),),
    "the queue to come above the target (4)": (
        Change(_PLAN, "pst_sub_floor(s->coming_bytes, s->target_bytes);", "0;"),
    ),
    "phases (5)": (Change(_EVENTS, "f->phase_q16 + (q->now_ns >> 16)", "(q->now_ns >> 16)"),),
    "even windows (5)": (
        Change(_WINDOW, "\tif (segments_q16 < 4 * PST_Q16_ONE)\n", "\tif (false)\n"),
    ),
    "windows below two by rate (5)": (
        Change(
            _WINDOW,
            "1 + ((pst_penstock_pairs_q16(p, s, a) + phase_q16) >> 16);",
            "pst_max((segments_q16 + phase_q16) >> 16, 1);",
        ),
    ),
    "openers O (6)": (Change(_PLAN, "pst_clamp(q->opening, 1, PST_MAX_PKTS / 128);", "1;"),),
    "room for openers (6)": (
        Change(_PLAN, "pst_max(each_bytes, room_bytes / opening);", "each_bytes;"),
    ),
    "unmeasured paths not counted on (6)": (Change(_PLAN, "a->rtt_ns || s->rtt_ns_q16;", "true;"),),
    "promises that expire (6)": (
        Change(_EVENTS, "pst_mul_div(s->promised_bytes, p->interval_ns, life_ns);", "0;"),
    ),
    "silent connections (6)": (Change(_PLAN, "(PST_Q15_ONE - q->silent_q15)", "PST_Q15_ONE"),),
    "growth bounded by the room (7)": (
        Change(
            _WINDOW,
            "pst_min(a->acked_bytes,\n\t\t\t\t\t       pst_sub_floor(high_bytes, ahead_bytes)));",
            "PST_MAX_BYTES);",
        ),
    ),
    "the queue to come (7)": (
        Change(
            _WINDOW,
            "pst_max(s->coming_bytes,\n"
            "\t\t       pst_min(q->bytes, PST_MAX_BYTES) + s->coming_bytes / 2);",
            "q->bytes;",
        ),
    ),
    "what comes on top of what stands (7)": (
        Change(_WINDOW, "PST_MAX_BYTES) + s->coming_bytes / 2);", "PST_MAX_BYTES));"),
    ),
    "falls by half of what is acknowledged (7)": (
        Change(_WINDOW, "a->fills && ahead_bytes < s->target_bytes", "false"),
    ),
    "edges that went back (7)": (Change(_WINDOW, "pst_min(more_bytes, f->behind_bytes);", "0;"),),
    "senders with no more to send (7)": (Change(_WINDOW, "if (a->more || a->fills)", "if (true)"),),
    "what a share varies by (2)": (
        Change(_EVENTS, "share_bytes - share_bytes / PST_PENSTOCK_LACK_PART", "share_bytes"),
    ),
    "the share of flows that have begun (1)": (Change(_ALLOW, " && f->use.shown)", ")"),),
    "first flights in the queue to come (7)": (
        Change(_WINDOW, "\tpst_penstock_let_out(s, more_bytes);\n", ""),
    ),
    "the queue to come at the rate in use (7)": (
        Change(_WINDOW, "pst_max(s->use_q16, PST_Q16_ONE),", "PST_Q16_ONE,"),
    ),
    "the part of the target for many flows (8)": (
        Change(_TARGET, "PST_TARGET_ROOT_HALVES * root_q8 / 2);", "0);"),
    ),
}
