# SPDX-License-Identifier: GPL-2.0-only
"""The clamps of laws, routers, senders and the gateway without which a proof breaks."""

from typing import Final

from proof_mutants import Mutant

LAW: Final = "law"
ROUTER: Final = "router"
GATEWAY: Final = "gateway"
_ACK: Final = ("an_ACK_keeps_penstock_in_its_ranges",)
_TICK: Final = ("a_step_of_penstock_keeps_it_in_its_ranges",)
_PACE: Final = ("a_delayed_ACK_keeps_penstock_in_its_ranges",)
LAW_MUTANTS: Final = (
    Mutant(
        "a segment",
        "law/penstock_window.h",
        "	return pst_max(window_bytes, a->mss_bytes);",
        "	return window_bytes;",
        ("a_window_of_penstock_grows_to_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "the queue to come",
        "law/penstock_window.h",
        "	s->coming_bytes = pst_min(s->coming_bytes + bytes, PST_MAX_BYTES - 1);",
        "	s->coming_bytes = s->coming_bytes + bytes;",
        ("a_window_of_penstock_grows_to_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "the queue's error",
        "law/penstock_step.h",
        "		return pst_min(q->bytes - s->target_bytes, pipe_bytes);",
        "		return q->bytes - s->target_bytes;",
        ("penstock_corrects_without_overflow",),
        LAW,
    ),
    Mutant(
        "what has left the queue",
        "law/penstock_window.h",
        "			       PST_PENSTOCK_MOST_DRAIN_Q32);",
        "			       ~0ULL);",
        ("penstock_foresees_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "a large share",
        "law/penstock_plan.h",
        "	return pst_min(each_q16, PST_MAX_BYTES) * (s->factor_q32 >> 16) >> 16;",
        "	return pst_mul_q32(each_q16, s->factor_q32);",
        ("penstock_says_whether_it_is_at_its_floor_without_overflow",),
        LAW,
    ),
    Mutant(
        "the receiver's window",
        "law/penstock.h",
        "	return pst_min(a->window_bytes, window_bytes);",
        "	return window_bytes;",
        _ACK,
        LAW,
    ),
    Mutant(
        "promises that expire",
        "law/penstock.h",
        "pst_max(PST_PENSTOCK_LIFE_TRIPS * pst_penstock_rtt_ns(p, s, 0), p->interval_ns);",
        "PST_PENSTOCK_LIFE_TRIPS * pst_penstock_rtt_ns(p, s, 0);",
        _TICK,
        LAW,
    ),
    Mutant(
        "the correction's range",
        "law/penstock.h",
        "pst_clamp(pst_penstock_step_q32(p, s, q),\n"
        "					  PST_PENSTOCK_LEAST_Q32,\n"
        "					  PST_PENSTOCK_MOST_Q32);",
        "pst_max(pst_penstock_step_q32(p, s, q), PST_PENSTOCK_LEAST_Q32);",
        _TICK,
        LAW,
    ),
    Mutant(
        "an eighth more or less",
        "law/penstock_window.h",
        "pst_clamp(pst_pipe_bytes(q, rtt_ns, s->booked_bytes),\n"
        "			       whole_bytes - whole_bytes / 8,\n"
        "			       whole_bytes + whole_bytes / 8);",
        "pst_pipe_bytes(q, rtt_ns, s->booked_bytes);",
        _PACE,
        LAW,
    ),
    Mutant(
        "a part of a round",
        "law/penstock_window.h",
        "pst_max(pst_min(booked_ns, PST_MAX_NS) + rtt_ns, ns));",
        "pst_min(booked_ns, PST_MAX_NS) + rtt_ns);",
        _PACE,
        LAW,
    ),
    Mutant(
        "what is booked",
        "law/penstock_window.h",
        "pst_max(pst_min(booked_ns, PST_MAX_NS) + rtt_ns, ns));",
        "pst_max(booked_ns + rtt_ns, ns));",
        _PACE,
        LAW,
    ),
    Mutant(
        "EWT's segment",
        "law/ewt.h",
        "pst_max(share, mss_bytes));",
        "share);",
        ("a_window_of_EWT_is_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "EWA's alpha",
        "law/ewa.h",
        "		s->alpha_q16 = pst_min(s->alpha_q16 + p->up_q16,\n"
        "				       p->max_alpha_q16);",
        "		s->alpha_q16 = s->alpha_q16 + p->up_q16;",
        ("a_measurement_keeps_EWA_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "FEWA's segment",
        "law/fewa.h",
        "pst_max(s->segments, 1) * a->mss_bytes;",
        "s->segments * a->mss_bytes;",
        ("a_window_of_FEWA_is_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "RWNDQ's sum",
        "law/rwndq.h",
        "	s->sum_bytes = pst_clamp(s->sum_bytes, flows * p->least_bytes,\n"
        "				 flows * p->most_bytes);\n",
        "",
        ("a_step_keeps_RWNDQ_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "AWM's cap",
        "law/awm.h",
        "				      (u64)q->mss_bytes << 16,\n"
        "				      p->cap_bytes << 16);",
        "				      (u64)q->mss_bytes << 16, ~0ULL);",
        ("packets_keep_AWM_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "the correction of integral",
        "law/integral.h",
        "pst_clamp(pst_integral_step_q32(p, s, q), least_q32,\n"
        "				  pst_max(least_q32, most_q32));",
        "pst_integral_step_q32(p, s, q);",
        ("a_step_keeps_integral_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "SAP-LAW's segment",
        "law/udp.h",
        "pst_min(a->window_bytes, pst_max(share_bytes, a->mss_bytes));",
        "pst_min(a->window_bytes, share_bytes);",
        ("a_window_of_SAP_LAW_is_a_segment_at_least", "a_window_of_PINK_is_a_segment_at_least"),
        LAW,
    ),
    Mutant(
        "the share of a rate",
        "law/udp.h",
        "pst_min(path_bytes / pst_max(q->flows, 1), PST_MAX_BYTES);",
        "path_bytes / pst_max(q->flows, 1);",
        ("a_window_of_PINK_is_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "the uncontrolled rate",
        "law/udp.h",
        "pst_min(bytes_per_s, PST_MAX_BYTES - 1),",
        "bytes_per_s,",
        ("an_interval_keeps_the_uncontrolled_rate_in_its_range",),
        LAW,
    ),
    Mutant(
        "VoAP's range",
        "law/voap.h",
        "	f->window_bytes = pst_clamp(f->window_bytes, least_bytes,\n"
        "				    PST_MOST_WINDOW_BYTES);",
        "	f->window_bytes = pst_max(f->window_bytes, least_bytes);",
        ("a_window_of_VoAP_is_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "VoAP's wait",
        "law/voap.h",
        "				   pst_min(q->rate_bytes_per_s, PST_MAX_BYTES)),\n"
        "		       PST_MAX_NS);",
        "				   pst_min(q->rate_bytes_per_s, PST_MAX_BYTES)),\n		       ~0ULL);",
        ("a_wait_of_VoAP_is_in_its_range",),
        LAW,
    ),
    Mutant(
        "Smart-RED's receiver",
        "law/smart_red.h",
        "		return a->window_bytes;",
        "		return q->bytes;",
        ("a_window_of_Smart_RED_is_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "FEWA's membership",
        "math/fuzzy.h",
        "		return pst_sub_floor(end << 16, x_q16) /\n		       pst_max(end - fall, 1);",
        "		return (end << 16) - x_q16;",
        ("memberships_of_FEWA_are_at_most_1",),
        LAW,
    ),
    Mutant(
        "FEWA's growth",
        "law/fewa.h",
        "pst_sub_floor(limit_pkts + queue_pkts, before_pkts);",
        "limit_pkts + queue_pkts - before_pkts;",
        ("a_measurement_keeps_FEWA_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "XCP's flows",
        "discipline/xcp.h",
        "pst_min(s->weight_q12_us / (length_ns / 1000), PST_MAX_BYTES);",
        "s->weight_q12_us / (length_ns / 1000);",
        ("an_interval_keeps_XCP_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "XCP's amounts in an RTT",
        "discipline/xcp.h",
        "	return pst_min(pst_mul_div(pst_min(sum, PST_MAX_BYTES), s->mean_rtt_us * 1000,\n"
        "				   length_ns),\n"
        "		       PST_MAX_BYTES);",
        "	return pst_mul_div(pst_min(sum, PST_MAX_BYTES), s->mean_rtt_us * 1000,\n"
        "			   length_ns);",
        ("an_interval_keeps_XCP_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "a router that only lowers",
        "discipline/xcp.h",
        "	if (change < f->delta_bytes)\n",
        "",
        ("the_feedback_of_XCP_only_decreases",),
        ROUTER,
    ),
    Mutant(
        "CSFQ's share",
        "discipline/csfq.h",
        "		s->share_bytes_per_s = pst_max(s->largest_bytes_per_s, 1);",
        "		s->share_bytes_per_s = s->largest_bytes_per_s;",
        ("an_update_keeps_CSFQ_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "CSFQ's largest rate",
        "discipline/csfq.h",
        "	return pst_min((mantissa << exponent) * unit_bps / (8 * PST_CSFQ_MANTISSAS),\n"
        "		       PST_MAX_BYTES);",
        "	return (mantissa << exponent) * unit_bps / (8 * PST_CSFQ_MANTISSAS);",
        ("a_label_of_CSFQ_is_a_rate_above_zero",),
        ROUTER,
    ),
    Mutant(
        "ETCP's segment",
        "sender/etcp.h",
        "			w->bytes = pst_max(                                   \\\n"
        "				pst_##name##_next(w->bytes, v->window_bytes,  \\\n"
        "						  v->mss_bytes,               \\\n"
        "						  s->initial_bytes),          \\\n"
        "				v->mss_bytes);                                \\",
        "			w->bytes = pst_##name##_next(w->bytes, v->window_bytes, \\\n"
        "				v->mss_bytes, s->initial_bytes);              \\",
        ("an_ACK_leaves_ETCP_2_a_segment_at_least",),
        ROUTER,
    ),
    Mutant(
        "what an ACK acknowledges",
        "gateway/ack_view.h",
        "(u32)pst_min(h->ack - before, a.flight_bytes);",
        "h->ack - before;",
        ("a_law_sees_an_ACK_in_its_ranges",),
        GATEWAY,
    ),
    Mutant(
        "the longest wait",
        "gateway/pace.h",
        "pst_min(turn_ns, now_ns + pst_min(hold_ns,\n"
        "							       PST_PACE_MOST_NS));",
        "turn_ns;",
        ("a_paced_ACK_waits_in_order_and_not_for_long",),
        GATEWAY,
    ),
)
