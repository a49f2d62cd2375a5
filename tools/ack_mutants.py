# SPDX-License-Identifier: GPL-2.0-only
"""The conditions of an ACK's event without which a proof breaks, for tools/prove.py --mutants."""

from typing import Final

from proof_mutants import Mutant

ACK: Final = "ack"
_EVENTS: Final = "gateway/passage_back.h"
_PACED: Final = ("an_ACK_at_a_gateway_that_paces_is_booked_once_as_it_leaves",)
_RULES: Final = ("an_ACK_leaves_a_gateway_by_the_rules",)
_RECORDED: Final = ("an_ACK_at_a_gateway_is_recorded_as_it_leaves",)
_LAW: Final = ("an_ACK_at_a_gateway_asks_the_law_once_or_not",)
_R3: Final = ("R3_a_window_leaves_a_gateway_rounded_up",)
_R10: Final = ("R10_an_ACK_that_its_sender_ignores_keeps_windows_at_a_gateway",)
_R26: Final = ("R26_a_reduced_window_of_a_gateway_grows_by_what_is_acknowledged",)
_BYPASSED: Final = (
    "	if (pst_rewrite_bypassed(&f->flow, c->mode, h, out))\n		return false;\n"
)
_STEPS: Final = ("an_ACK_at_a_gateway_settles_times_and_marks_what_it_may",)
ACK_MUTANTS: Final = (
    Mutant(
        "what settles",
        _EVENTS,
        "	if (h->syn)\n		return;\n	pst_flow_settle(",
        "	pst_flow_settle(",
        _STEPS,
        ACK,
    ),
    Mutant(
        "R35, times",
        _EVENTS,
        "	if (!pst_is_unseen(&f->flow, h))\n",
        "",
        _STEPS,
        ACK,
    ),
    Mutant(
        "times of SYNs",
        _EVENTS,
        "	if (h->syn)\n		return;\n	pst_flow_settle(&f->flow, h->ack,",
        "	if (!h->syn)\n		pst_flow_settle(&f->flow, h->ack,",
        _STEPS,
        ACK,
    ),
    Mutant(
        "R6, a SYN",
        _EVENTS,
        "	if (h->syn && pst_law_is(c->law, PST_TRAIT_OPENS) &&",
        "	if (pst_law_is(c->law, PST_TRAIT_OPENS) &&",
        _RULES,
        ACK,
    ),
    Mutant(
        "R6, a law that opens",
        _EVENTS,
        "	if (h->syn && pst_law_is(c->law, PST_TRAIT_OPENS) &&\n",
        "	if (h->syn &&\n",
        _RULES,
        ACK,
    ),
    Mutant(
        "R6, a flow that opens",
        _EVENTS,
        " &&\n	    pst_flow_opens(&f->flow, c->mode))",
        ")",
        _RULES,
        ACK,
    ),
    Mutant(
        "a first flight promised once",
        _EVENTS,
        "		return !pst_gateway_repeats(c, f, h, out);\n",
        "		return true;\n",
        _LAW,
        ACK,
    ),
    Mutant(
        "marks of the newest",
        _EVENTS,
        "	if (pst_is_current(&f->flow, h))\n",
        "",
        _STEPS,
        ACK,
    ),
    Mutant(
        "what is bypassed",
        _EVENTS,
        _BYPASSED,
        "",
        _RULES,
        ACK,
    ),
    Mutant("R10, the law is not asked", _EVENTS, _BYPASSED, "", _R10, ACK),
    Mutant(
        "R3, of what the law allows",
        _EVENTS,
        "pst_rewrite_window(&f->flow, c->mode, h, allowed_bytes);",
        "pst_rewrite_window(&f->flow, c->mode, h, a->window_bytes);",
        _R3,
        ACK,
    ),
    Mutant(
        "R26, a queue that is known no more",
        _EVENTS,
        "		allowed_bytes = a->window_bytes;\n",
        "		return { h->field, PST_BY_RECEIVER };\n",
        _R26,
        ACK,
    ),
    Mutant(
        "a request before the first data",
        _EVENTS,
        "\n	return !pst_gateway_repeats(c, f, h, out);\n",
        "\n	return true;\n",
        _LAW,
        ACK,
    ),
    Mutant(
        "an unknown queue",
        _EVENTS,
        "	if (pst_gateway_is_blind(c, s))\n		allowed_bytes = a->window_bytes;\n	else if",
        "	if",
        _LAW,
        ACK,
    ),
    Mutant(
        "windows of SYNs",
        _EVENTS,
        "	if (h->syn)\n		return pst_rewrite_opening(",
        "	if (false)\n		return pst_rewrite_opening(",
        _LAW,
        ACK,
    ),
    Mutant(
        "signals",
        _EVENTS,
        "		allowed_bytes = pst_gateway_signalled(c, s, &f->flow, a, allowed_bytes);\n",
        "		;\n",
        _LAW,
        ACK,
    ),
    Mutant(
        "observed",
        _EVENTS,
        "c->observe ? h->field : out->field",
        "out->field",
        _RECORDED,
        ACK,
    ),
    Mutant("grants", _EVENTS, "	if (had_edge && pst_seq", "	if (pst_seq", _STEPS, ACK),
    Mutant(
        "grants that move an edge",
        _EVENTS,
        "	if (had_edge && pst_seq_after(f->flow.edge, edge))",
        "	if (had_edge)",
        _STEPS,
        ACK,
    ),
    Mutant(
        "what goes at once",
        _EVENTS,
        "	if (!pst_gateway_paces(c))\n		return back;\n",
        "",
        _PACED,
        ACK,
    ),
    Mutant(
        "N of what is booked",
        _EVENTS,
        "	if (!asks)\n		pst_stage_c",
        "	pst_stage_c",
        _PACED,
        ACK,
    ),
    Mutant(
        "the window that is booked",
        _EVENTS,
        "pst_back_pace(port, f, p, q, h, back.out.field)",
        "pst_back_pace(port, f, p, q, h, h->field)",
        _PACED,
        ACK,
    ),
    Mutant(
        "a gateway that only decides about packets",
        _EVENTS,
        "	if (!pst_gateway_rewrites(PST_CONFIG(port)))\n		return back;\n",
        "",
        ("a_segment_back_is_judged_once_by_a_gateway_that_rewrites",),
        ACK,
    ),
)
