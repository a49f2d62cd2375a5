/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Variants: the names for -m. A variant is a discipline, a law and the effect of early
 * events, with its requirements on end hosts. One line each,
 *
 *   V(name, NAME, DISCIPLINE, LAW, SIGNAL, sender, sharing, ecn, label, colour)
 *
 * sender   the senders' congestion control, "" for the scenario's own
 * sharing  what connections of one host share, "" for the scenario's own
 * ecn      1 if the end hosts are to speak ECN, else as the scenario has it
 * label    the name in tables and plots
 * colour   its colour in all figures, which no other method has; "" for the next of a cycle
 *
 * Scenarios define further ones ([variant.NAME]).
 */
#ifndef PENSTOCK_CORE_GATEWAY_VARIANTS_H
#define PENSTOCK_CORE_GATEWAY_VARIANTS_H

#include "gateway.h"

#define PST_VARIANTS(V)                                                                 \
	V(droptail, DROPTAIL, DROPTAIL, NONE, DROP, "", "", 0, "drop-tail", "#8a8f98")  \
	V(red, RED, RED, NONE, DROP, "", "", 0, "RED", "#c2273d")                       \
	V(ared, ARED, ARED, NONE, DROP, "", "", 0, "ARED", "#e69f00")                   \
	V(ewa, EWA, DROPTAIL, EWA, DROP, "", "", 0, "EWA", "#009e73")                   \
	V(awm, AWM, DROPTAIL, AWM, DROP, "", "", 0, "AWM", "#b58ad6")                   \
	V(ewt, EWT, DROPTAIL, EWT, DROP, "", "", 0, "EWT", "#2f86d1")                   \
	V(ewt_iot, EWT_IOT, DROPTAIL, EWT_IOT, DROP, "", "", 0, "EWT-IoT", "#56c1e8")   \
	V(share, SHARE, DROPTAIL, SHARE, DROP, "", "", 0, "share", "#c43fb0")           \
	V(integral, INTEGRAL, DROPTAIL, INTEGRAL, DROP, "", "", 0, "integral", "#7a9a01") \
	V(penstock, PENSTOCK, FAIR, PENSTOCK, DROP, "", "", 0, "penstock", "#d55e00")   \
	V(red_ecn, RED_ECN, RED, NONE, ECN, "", "", 1, "RED, ECN", "#e600ff")           \
	V(ared_ecn, ARED_ECN, ARED, NONE, ECN, "", "", 1, "ARED, ECN", "#ff0087")       \
	V(red_rwm, RED_RWM, RED, NONE, WINDOW, "", "", 0, "RED, RWM", "#9b5069")        \
	V(ared_rwm, ARED_RWM, ARED, NONE, WINDOW, "", "", 0, "ARED, RWM", "#ff001e")    \
	V(blue, BLUE, BLUE, NONE, DROP, "", "", 0, "BLUE", "#00aa3c")                   \
	V(blue_ecn, BLUE_ECN, BLUE, NONE, ECN, "", "", 1, "BLUE, ECN", "#d27d64")       \
	V(blue_rwm, BLUE_RWM, BLUE, NONE, WINDOW, "", "", 0, "BLUE, RWM", "#556e41")    \
	V(codel, CODEL, CODEL, NONE, DROP, "", "", 0, "CoDel", "#4d4dff")               \
	V(codel_ecn, CODEL_ECN, CODEL, NONE, ECN, "", "", 1, "CoDel, ECN", "#007dff")   \
	V(pie, PIE, PIE, NONE, DROP, "", "", 0, "PIE", "#11808f")                       \
	V(pie_ecn, PIE_ECN, PIE, NONE, ECN, "", "", 1, "PIE, ECN", "#cd64ff")           \
	V(fq_codel, FQ_CODEL, FQ_CODEL, NONE, DROP, "", "", 0, "FQ-CoDel", "#7d4fc0")   \
	V(fq_codel_ecn, FQ_CODEL_ECN, FQ_CODEL, NONE, ECN, "", "", 1, "FQ-CoDel, ECN",  \
	  "#ff0ad2")                                                                    \
	V(integral_fq_codel, INTEGRAL_FQ_CODEL, FQ_CODEL, INTEGRAL, DROP, "", "", 0,    \
	  "integral, FQ-CoDel", "#e664a0")                                              \
	V(xcp, XCP, XCP, NONE, DROP, "xcp_sender", "", 0, "XCP", "#8c00ff")             \
	V(fewa, FEWA, DROPTAIL, FEWA, DROP, "", "", 0, "FEWA", "#695f8c")               \
	V(sap_law, SAP_LAW, DROPTAIL, SAP_LAW, DROP, "", "", 0, "SAP-LAW", "#7d5f4b")   \
	V(voap, VOAP, DROPTAIL, VOAP, DROP, "", "", 0, "VoAP", "#2d7319")               \
	V(smart_red, SMART_RED, RED_BAND, SMART_RED, DROP, "", "", 0, "Smart-RED", "#8c9b4b") \
	V(pink, PINK, DROPTAIL, PINK, DROP, "", "", 0, "PINK", "#a05019")               \
	V(rwndq, RWNDQ, DROPTAIL, RWNDQ, DROP, "", "", 0, "RWNDQ", "#ff005a")           \
	V(fxcp, FXCP, FXCP, NONE, DROP, "xcp_sender", "", 0, "FXCP", "#96468c")         \
	V(quick_start, QUICK_START, QUICK_START, NONE, DROP, "quick_start_sender", "",  \
	  0, "Quick-Start", "#aa910a")                                                  \
	V(antiecn, ANTIECN, ANTIECN, NONE, DROP, "antiecn_sender", "", 0, "AntiECN",    \
	  "#fa5f46")                                                                    \
	V(csfq, CSFQ, CSFQ, NONE, DROP, "", "", 0, "CSFQ", "#699b87")                   \
	V(fba_tcp, FBA_TCP, CSFQ, NONE, DROP, "fba_sender", "", 0, "FBA-TCP", "#555fb4") \
	V(etcp_1, ETCP_1, DROPTAIL, FEWA, DROP, "etcp_1", "", 0, "ETCP 1, FEWA", "#e66978") \
	V(etcp_2, ETCP_2, DROPTAIL, FEWA, DROP, "etcp_2", "", 0, "ETCP 2, FEWA", "#b400be") \
	V(etcp_3, ETCP_3, DROPTAIL, FEWA, DROP, "etcp_3", "", 0, "ETCP 3, FEWA", "#be1e5f") \
	V(etcp_3b, ETCP_3B, DROPTAIL, FEWA, DROP, "etcp_3b", "", 0, "ETCP 3b, FEWA", "#aa9164") \
	V(fair, FAIR, FAIR, NONE, DROP, "", "", 0, "fair", "#b487a5")                   \
	V(penstock_alone, PENSTOCK_ALONE, DROPTAIL, PENSTOCK, DROP, "", "", 0,          \
	  "penstock alone", "#cd822d")                                                  \
	V(dualpi2, DUALPI2, DUALPI2, NONE, DROP, "", "", 0, "DualPI2", "#912de1")       \
	V(cake, CAKE, CAKE, NONE, DROP, "", "", 0, "CAKE", "#8a6a1e")                   \
	V(xcp_tcp, XCP_TCP, XCP_TCP, NONE, DROP, "", "", 0, "XCP beside TCP", "#145046")

#define PST_ENUM(name, NAME, ...) PST_VARIANT_##NAME,
enum pst_variant {
	PST_VARIANTS(PST_ENUM)
	PST_VARIANT_COUNT,
};
#undef PST_ENUM

#endif
