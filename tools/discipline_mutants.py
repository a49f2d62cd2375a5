# SPDX-License-Identifier: GPL-2.0-only
"""The clamps of disciplines without which a proof breaks, for tools/prove.py --mutants."""

from typing import Final

from proof_mutants import Mutant

ROUTER: Final = "router"
_CODEL: Final = ("a_departure_keeps_CoDel_in_its_ranges",)
DISCIPLINE_MUTANTS: Final = (
    Mutant(
        "RED's count",
        "discipline/red.h",
        "pst_min(s->count_pkts + 1, PST_RED_MAX_COUNT);",
        "s->count_pkts + 1;",
        ("RED_decides_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "RED's probability of large packets",
        "discipline/red.h",
        "		pb_q32 = pst_min(pb_q32 * k->bytes / pst_max(q->mss_bytes, 1),\n"
        "				 PST_Q32_ONE);",
        "		pb_q32 = pb_q32 * k->bytes / pst_max(q->mss_bytes, 1);",
        ("RED_decides_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "the link's rate before RED's idle packets",
        "discipline/red.h",
        "				pst_min(q->rate_bytes_per_s, PST_MAX_BYTES),\n"
        "				PST_NS_PER_S);\n\n	return",
        "				q->rate_bytes_per_s, PST_NS_PER_S);\n\n	return",
        ("an_arrival_keeps_the_average_of_RED_in_its_range",),
        ROUTER,
    ),
    Mutant(
        "RED's band",
        "discipline/red_band.h",
        " && q->bytes < p->red.max_th_bytes)",
        " && q->bytes < p->red.max_th_bytes - 1)",
        ("RED_outside_a_band_passes_all_within_it",),
        ROUTER,
    ),
    Mutant(
        "ARED's probability",
        "discipline/ared.h",
        "	s->max_p_q32 = pst_min(s->max_p_q32, PST_Q32_ONE);\n",
        "",
        ("an_interval_keeps_ARED_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "BLUE's probability",
        "discipline/blue.h",
        "pst_min(s->probability_q32 + p->raise_q32,\n					     PST_Q32_ONE);",
        "s->probability_q32 + p->raise_q32;",
        ("an_arrival_keeps_BLUE_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "BLUE's steps apart",
        "discipline/blue.h",
        "pst_max(s->idle_ns, s->updated_ns + apart_ns);",
        "s->idle_ns;",
        ("an_idle_link_keeps_BLUE_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "BLUE's idle steps",
        "discipline/blue.h",
        "		steps = pst_min(steps + 1, 0xffffffffULL);",
        "		steps = steps + 1;",
        ("an_idle_link_keeps_BLUE_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "CoDel's count",
        "discipline/codel.h",
        "	s->count_pkts = pst_min(s->count_pkts + 1, PST_CODEL_MAX_COUNT);",
        "	s->count_pkts = s->count_pkts + 1;",
        _CODEL,
        ROUTER,
    ),
    Mutant(
        "CoDel's next drop",
        "discipline/codel.h",
        "	if (q->now_ns < s->drop_next_ns)\n		return PST_PASS;\n",
        "",
        _CODEL,
        ROUTER,
    ),
    Mutant(
        "PIE's probability",
        "discipline/pie.h",
        "	s->probability_q32 = pst_min(s->probability_q32, PST_Q32_ONE);\n",
        "",
        ("an_interval_keeps_PIE_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "PIE's step",
        "discipline/pie.h",
        "	if (!shift)\n		step_q32 = pst_min(step_q32, PST_PIE_CAP_Q32);\n",
        "",
        ("an_interval_keeps_PIE_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "PIE's delay",
        "discipline/pie.h",
        "pst_min(s->delay_ns, PST_MAX_NS);",
        "s->delay_ns;",
        ("an_interval_keeps_PIE_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "FXCP's rate",
        "discipline/fxcp.h",
        "pst_min(q->rate_bytes_per_s, PST_MAX_BYTES / 4);",
        "pst_min(q->rate_bytes_per_s, PST_MAX_BYTES);",
        ("an_interval_keeps_FXCP_in_its_ranges",),
        ROUTER,
    ),
)
