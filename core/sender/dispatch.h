/* SPDX-License-Identifier: GPL-2.0-only */
/* Written by tools/gen_dispatch.py from core/sender/methods.toml. */
#ifndef PENSTOCK_CORE_SENDER_DISPATCH_H
#define PENSTOCK_CORE_SENDER_DISPATCH_H

#include "registry.h"
#ifndef PST_LINKED
#include "antiecn_sender.h"
#include "bbr.h"
#include "bbr3.h"
#include "bic.h"
#include "copa.h"
#include "cubic.h"
#include "dctcp.h"
#include "etcp.h"
#include "fba_sender.h"
#include "highspeed.h"
#include "log_westwood_plus.h"
#include "newreno.h"
#include "prague.h"
#include "quick_start_sender.h"
#include "reno.h"
#include "scalable.h"
#include "scalable_westwood.h"
#include "vegas.h"
#include "westwood_plus.h"
#include "xcp_sender.h"
#endif

#define PST_SENDERS(METHOD, ...) \
	METHOD(newreno, NEWRENO, __VA_ARGS__) \
	METHOD(cubic, CUBIC, __VA_ARGS__) \
	METHOD(reno, RENO, __VA_ARGS__) \
	METHOD(westwood_plus, WESTWOOD_PLUS, __VA_ARGS__) \
	METHOD(log_westwood_plus, LOG_WESTWOOD_PLUS, __VA_ARGS__) \
	METHOD(scalable, SCALABLE, __VA_ARGS__) \
	METHOD(highspeed, HIGHSPEED, __VA_ARGS__) \
	METHOD(bic, BIC, __VA_ARGS__) \
	METHOD(vegas, VEGAS, __VA_ARGS__) \
	METHOD(xcp_sender, XCP_SENDER, __VA_ARGS__) \
	METHOD(etcp_1, ETCP_1, __VA_ARGS__) \
	METHOD(etcp_2, ETCP_2, __VA_ARGS__) \
	METHOD(etcp_3, ETCP_3, __VA_ARGS__) \
	METHOD(etcp_3b, ETCP_3B, __VA_ARGS__) \
	METHOD(fba_sender, FBA_SENDER, __VA_ARGS__) \
	METHOD(quick_start_sender, QUICK_START_SENDER, __VA_ARGS__) \
	METHOD(antiecn_sender, ANTIECN_SENDER, __VA_ARGS__) \
	METHOD(bbr, BBR, __VA_ARGS__) \
	METHOD(bbr3, BBR3, __VA_ARGS__) \
	METHOD(dctcp, DCTCP, __VA_ARGS__) \
	METHOD(prague, PRAGUE, __VA_ARGS__) \
	METHOD(copa, COPA, __VA_ARGS__) \
	METHOD(scalable_westwood, SCALABLE_WESTWOOD, __VA_ARGS__)

/* Those that are offered as congestion controls of Linux, by PST_NAME_LINUX. */
#define PST_LINUX_SENDERS(METHOD, ...) \
	METHOD(newreno, NEWRENO, __VA_ARGS__) \
	METHOD(cubic, CUBIC, __VA_ARGS__) \
	METHOD(reno, RENO, __VA_ARGS__) \
	METHOD(westwood_plus, WESTWOOD_PLUS, __VA_ARGS__) \
	METHOD(log_westwood_plus, LOG_WESTWOOD_PLUS, __VA_ARGS__) \
	METHOD(scalable, SCALABLE, __VA_ARGS__) \
	METHOD(highspeed, HIGHSPEED, __VA_ARGS__) \
	METHOD(bic, BIC, __VA_ARGS__) \
	METHOD(vegas, VEGAS, __VA_ARGS__) \
	METHOD(xcp_sender, XCP_SENDER, __VA_ARGS__) \
	METHOD(etcp_1, ETCP_1, __VA_ARGS__) \
	METHOD(etcp_2, ETCP_2, __VA_ARGS__) \
	METHOD(etcp_3, ETCP_3, __VA_ARGS__) \
	METHOD(etcp_3b, ETCP_3B, __VA_ARGS__) \
	METHOD(fba_sender, FBA_SENDER, __VA_ARGS__) \
	METHOD(quick_start_sender, QUICK_START_SENDER, __VA_ARGS__) \
	METHOD(antiecn_sender, ANTIECN_SENDER, __VA_ARGS__) \
	METHOD(scalable_westwood, SCALABLE_WESTWOOD, __VA_ARGS__)

#ifndef PST_LINKED
#define PST_BBR_LINUX ""
#define PST_BBR3_LINUX ""
#define PST_DCTCP_LINUX ""
#define PST_PRAGUE_LINUX ""
#define PST_COPA_LINUX ""
#endif

enum pst_sender_method {
	PST_SENDER_NEWRENO,
	PST_SENDER_CUBIC,
	PST_SENDER_RENO,
	PST_SENDER_WESTWOOD_PLUS,
	PST_SENDER_LOG_WESTWOOD_PLUS,
	PST_SENDER_SCALABLE,
	PST_SENDER_HIGHSPEED,
	PST_SENDER_BIC,
	PST_SENDER_VEGAS,
	PST_SENDER_XCP_SENDER,
	PST_SENDER_ETCP_1,
	PST_SENDER_ETCP_2,
	PST_SENDER_ETCP_3,
	PST_SENDER_ETCP_3B,
	PST_SENDER_FBA_SENDER,
	PST_SENDER_QUICK_START_SENDER,
	PST_SENDER_ANTIECN_SENDER,
	PST_SENDER_BBR,
	PST_SENDER_BBR3,
	PST_SENDER_DCTCP,
	PST_SENDER_PRAGUE,
	PST_SENDER_COPA,
	PST_SENDER_SCALABLE_WESTWOOD,
	PST_SENDER_COUNT,
};

enum pst_sender_bit {
	PST_SENDER_HAS_init = 1 << 0,
	PST_SENDER_HAS_on_sample = 1 << 1,
	PST_SENDER_HAS_on_recovered = 1 << 2,
	PST_SENDER_HAS_on_lost = 1 << 3,
	PST_SENDER_HAS_on_restart = 1 << 4,
	PST_SENDER_HAS_stamp = 1 << 5,
	PST_SENDER_HAS_paces = 1 << 6,
	PST_SENDER_HAS_pacing = 1 << 7,
	PST_SENDER_HAS_ect1 = 1 << 8,
	PST_SENDER_HAS_one_loss = 1 << 9,
	PST_SENDER_HAS_exact_ecn = 1 << 10,
};

union pst_sender_params {
	u64 words[PST_SENDER_PARAM_WORDS];
#ifndef PST_LINKED
	struct pst_newreno_params newreno;
	struct pst_cubic_params cubic;
	struct pst_reno_params reno;
	struct pst_westwood_plus_params westwood_plus;
	struct pst_log_westwood_plus_params log_westwood_plus;
	struct pst_scalable_params scalable;
	struct pst_highspeed_params highspeed;
	struct pst_bic_params bic;
	struct pst_vegas_params vegas;
	struct pst_xcp_sender_params xcp_sender;
	struct pst_etcp_1_params etcp_1;
	struct pst_etcp_2_params etcp_2;
	struct pst_etcp_3_params etcp_3;
	struct pst_etcp_3b_params etcp_3b;
	struct pst_fba_sender_params fba_sender;
	struct pst_quick_start_sender_params quick_start_sender;
	struct pst_antiecn_sender_params antiecn_sender;
	struct pst_bbr_params bbr;
	struct pst_bbr3_params bbr3;
	struct pst_dctcp_params dctcp;
	struct pst_prague_params prague;
	struct pst_copa_params copa;
	struct pst_scalable_westwood_params scalable_westwood;
#endif
};

union pst_sender_state {
	u64 words[PST_SENDER_STATE_WORDS];
#ifndef PST_LINKED
	struct pst_newreno_state newreno;
	struct pst_cubic_state cubic;
	struct pst_reno_state reno;
	struct pst_westwood_plus_state westwood_plus;
	struct pst_log_westwood_plus_state log_westwood_plus;
	struct pst_scalable_state scalable;
	struct pst_highspeed_state highspeed;
	struct pst_bic_state bic;
	struct pst_vegas_state vegas;
	struct pst_xcp_sender_state xcp_sender;
	struct pst_etcp_1_state etcp_1;
	struct pst_etcp_2_state etcp_2;
	struct pst_etcp_3_state etcp_3;
	struct pst_etcp_3b_state etcp_3b;
	struct pst_fba_sender_state fba_sender;
	struct pst_quick_start_sender_state quick_start_sender;
	struct pst_antiecn_sender_state antiecn_sender;
	struct pst_bbr_state bbr;
	struct pst_bbr3_state bbr3;
	struct pst_dctcp_state dctcp;
	struct pst_prague_state prague;
	struct pst_copa_state copa;
	struct pst_scalable_westwood_state scalable_westwood;
#endif
};

#ifndef PST_LINKED

#define PST_SENDER_WITH_init \
	(1ULL << PST_SENDER_LOG_WESTWOOD_PLUS | 1ULL << PST_SENDER_VEGAS | \
	 1ULL << PST_SENDER_XCP_SENDER | 1ULL << PST_SENDER_ETCP_1 | 1ULL << PST_SENDER_ETCP_2 | \
	 1ULL << PST_SENDER_ETCP_3 | 1ULL << PST_SENDER_ETCP_3B | \
	 1ULL << PST_SENDER_QUICK_START_SENDER | 1ULL << PST_SENDER_BBR | \
	 1ULL << PST_SENDER_BBR3 | 1ULL << PST_SENDER_DCTCP | 1ULL << PST_SENDER_PRAGUE | \
	 1ULL << PST_SENDER_COPA)
#define PST_SENDER_WITH_on_sample \
	(1ULL << PST_SENDER_WESTWOOD_PLUS | 1ULL << PST_SENDER_LOG_WESTWOOD_PLUS | \
	 1ULL << PST_SENDER_XCP_SENDER | 1ULL << PST_SENDER_QUICK_START_SENDER | \
	 1ULL << PST_SENDER_ANTIECN_SENDER | 1ULL << PST_SENDER_DCTCP | \
	 1ULL << PST_SENDER_PRAGUE | 1ULL << PST_SENDER_SCALABLE_WESTWOOD)
#define PST_SENDER_WITH_on_recovered \
	(1ULL << PST_SENDER_VEGAS | 1ULL << PST_SENDER_XCP_SENDER)
#define PST_SENDER_WITH_on_lost \
	(1ULL << PST_SENDER_BBR3)
#define PST_SENDER_WITH_on_restart \
	(1ULL << PST_SENDER_BBR | 1ULL << PST_SENDER_BBR3)
#define PST_SENDER_WITH_stamp \
	(1ULL << PST_SENDER_XCP_SENDER | 1ULL << PST_SENDER_FBA_SENDER | \
	 1ULL << PST_SENDER_QUICK_START_SENDER | 1ULL << PST_SENDER_ANTIECN_SENDER)
#define PST_SENDER_WITH_paces \
	(1ULL << PST_SENDER_ETCP_1 | 1ULL << PST_SENDER_ETCP_2 | 1ULL << PST_SENDER_ETCP_3 | \
	 1ULL << PST_SENDER_ETCP_3B | 1ULL << PST_SENDER_QUICK_START_SENDER | \
	 1ULL << PST_SENDER_PRAGUE)
#define PST_SENDER_WITH_pacing \
	(1ULL << PST_SENDER_BBR | 1ULL << PST_SENDER_BBR3 | 1ULL << PST_SENDER_COPA)
#define PST_SENDER_WITH_ect1 \
	(1ULL << PST_SENDER_DCTCP | 1ULL << PST_SENDER_PRAGUE)
#define PST_SENDER_WITH_one_loss \
	(1ULL << PST_SENDER_RENO)
#define PST_SENDER_WITH_exact_ecn \
	(1ULL << PST_SENDER_DCTCP | 1ULL << PST_SENDER_PRAGUE)

PST_FN bool pst_sender_dispatch_has(u32 method, u32 bits)
{
	u64 with = 0;

	if (bits & PST_SENDER_HAS_init)
		with |= PST_SENDER_WITH_init;
	if (bits & PST_SENDER_HAS_on_sample)
		with |= PST_SENDER_WITH_on_sample;
	if (bits & PST_SENDER_HAS_on_recovered)
		with |= PST_SENDER_WITH_on_recovered;
	if (bits & PST_SENDER_HAS_on_lost)
		with |= PST_SENDER_WITH_on_lost;
	if (bits & PST_SENDER_HAS_on_restart)
		with |= PST_SENDER_WITH_on_restart;
	if (bits & PST_SENDER_HAS_stamp)
		with |= PST_SENDER_WITH_stamp;
	if (bits & PST_SENDER_HAS_paces)
		with |= PST_SENDER_WITH_paces;
	if (bits & PST_SENDER_HAS_pacing)
		with |= PST_SENDER_WITH_pacing;
	if (bits & PST_SENDER_HAS_ect1)
		with |= PST_SENDER_WITH_ect1;
	if (bits & PST_SENDER_HAS_one_loss)
		with |= PST_SENDER_WITH_one_loss;
	if (bits & PST_SENDER_HAS_exact_ecn)
		with |= PST_SENDER_WITH_exact_ecn;
	return with >> method & 1;
}

PST_FN void pst_sender_dispatch_init(u32 method, const union pst_sender_params *p,
				     union pst_sender_state *s, const struct pst_sender_view *v,
				     struct pst_cwnd *w)
{
	switch (method) {
	case PST_SENDER_LOG_WESTWOOD_PLUS:
		pst_log_westwood_plus_init(&p->log_westwood_plus, &s->log_westwood_plus, v, w);
		break;
	case PST_SENDER_VEGAS:
		pst_vegas_init(&p->vegas, &s->vegas, v, w);
		break;
	case PST_SENDER_XCP_SENDER:
		pst_xcp_sender_init(&p->xcp_sender, &s->xcp_sender, v, w);
		break;
	case PST_SENDER_ETCP_1:
		pst_etcp_1_init(&p->etcp_1, &s->etcp_1, v, w);
		break;
	case PST_SENDER_ETCP_2:
		pst_etcp_2_init(&p->etcp_2, &s->etcp_2, v, w);
		break;
	case PST_SENDER_ETCP_3:
		pst_etcp_3_init(&p->etcp_3, &s->etcp_3, v, w);
		break;
	case PST_SENDER_ETCP_3B:
		pst_etcp_3b_init(&p->etcp_3b, &s->etcp_3b, v, w);
		break;
	case PST_SENDER_QUICK_START_SENDER:
		pst_quick_start_sender_init(&p->quick_start_sender, &s->quick_start_sender, v,
					    w);
		break;
	case PST_SENDER_BBR:
		pst_bbr_init(&p->bbr, &s->bbr, v, w);
		break;
	case PST_SENDER_BBR3:
		pst_bbr3_init(&p->bbr3, &s->bbr3, v, w);
		break;
	case PST_SENDER_DCTCP:
		pst_dctcp_init(&p->dctcp, &s->dctcp, v, w);
		break;
	case PST_SENDER_PRAGUE:
		pst_prague_init(&p->prague, &s->prague, v, w);
		break;
	case PST_SENDER_COPA:
		pst_copa_init(&p->copa, &s->copa, v, w);
		break;
	default:
		break;
	}
}

PST_FN void pst_sender_dispatch_on_sample(u32 method, const union pst_sender_params *p,
					  union pst_sender_state *s,
					  const struct pst_sender_view *v, struct pst_cwnd *w)
{
	switch (method) {
	case PST_SENDER_WESTWOOD_PLUS:
		pst_westwood_plus_on_sample(&p->westwood_plus, &s->westwood_plus, v, w);
		break;
	case PST_SENDER_LOG_WESTWOOD_PLUS:
		pst_log_westwood_plus_on_sample(&p->log_westwood_plus, &s->log_westwood_plus, v,
						w);
		break;
	case PST_SENDER_XCP_SENDER:
		pst_xcp_sender_on_sample(&p->xcp_sender, &s->xcp_sender, v, w);
		break;
	case PST_SENDER_QUICK_START_SENDER:
		pst_quick_start_sender_on_sample(&p->quick_start_sender, &s->quick_start_sender,
						 v, w);
		break;
	case PST_SENDER_ANTIECN_SENDER:
		pst_antiecn_sender_on_sample(&p->antiecn_sender, &s->antiecn_sender, v, w);
		break;
	case PST_SENDER_DCTCP:
		pst_dctcp_on_sample(&p->dctcp, &s->dctcp, v, w);
		break;
	case PST_SENDER_PRAGUE:
		pst_prague_on_sample(&p->prague, &s->prague, v, w);
		break;
	case PST_SENDER_SCALABLE_WESTWOOD:
		pst_scalable_westwood_on_sample(&p->scalable_westwood, &s->scalable_westwood, v,
						w);
		break;
	default:
		break;
	}
}

PST_FN void pst_sender_dispatch_on_ack(u32 method, const union pst_sender_params *p,
				       union pst_sender_state *s,
				       const struct pst_sender_view *v, struct pst_cwnd *w)
{
	switch (method) {
	case PST_SENDER_NEWRENO:
		pst_newreno_on_ack(&p->newreno, &s->newreno, v, w);
		break;
	case PST_SENDER_CUBIC:
		pst_cubic_on_ack(&p->cubic, &s->cubic, v, w);
		break;
	case PST_SENDER_RENO:
		pst_reno_on_ack(&p->reno, &s->reno, v, w);
		break;
	case PST_SENDER_WESTWOOD_PLUS:
		pst_westwood_plus_on_ack(&p->westwood_plus, &s->westwood_plus, v, w);
		break;
	case PST_SENDER_LOG_WESTWOOD_PLUS:
		pst_log_westwood_plus_on_ack(&p->log_westwood_plus, &s->log_westwood_plus, v,
					     w);
		break;
	case PST_SENDER_SCALABLE:
		pst_scalable_on_ack(&p->scalable, &s->scalable, v, w);
		break;
	case PST_SENDER_HIGHSPEED:
		pst_highspeed_on_ack(&p->highspeed, &s->highspeed, v, w);
		break;
	case PST_SENDER_BIC:
		pst_bic_on_ack(&p->bic, &s->bic, v, w);
		break;
	case PST_SENDER_VEGAS:
		pst_vegas_on_ack(&p->vegas, &s->vegas, v, w);
		break;
	case PST_SENDER_XCP_SENDER:
		pst_xcp_sender_on_ack(&p->xcp_sender, &s->xcp_sender, v, w);
		break;
	case PST_SENDER_ETCP_1:
		pst_etcp_1_on_ack(&p->etcp_1, &s->etcp_1, v, w);
		break;
	case PST_SENDER_ETCP_2:
		pst_etcp_2_on_ack(&p->etcp_2, &s->etcp_2, v, w);
		break;
	case PST_SENDER_ETCP_3:
		pst_etcp_3_on_ack(&p->etcp_3, &s->etcp_3, v, w);
		break;
	case PST_SENDER_ETCP_3B:
		pst_etcp_3b_on_ack(&p->etcp_3b, &s->etcp_3b, v, w);
		break;
	case PST_SENDER_FBA_SENDER:
		pst_fba_sender_on_ack(&p->fba_sender, &s->fba_sender, v, w);
		break;
	case PST_SENDER_QUICK_START_SENDER:
		pst_quick_start_sender_on_ack(&p->quick_start_sender, &s->quick_start_sender, v,
					      w);
		break;
	case PST_SENDER_ANTIECN_SENDER:
		pst_antiecn_sender_on_ack(&p->antiecn_sender, &s->antiecn_sender, v, w);
		break;
	case PST_SENDER_BBR:
		pst_bbr_on_ack(&p->bbr, &s->bbr, v, w);
		break;
	case PST_SENDER_BBR3:
		pst_bbr3_on_ack(&p->bbr3, &s->bbr3, v, w);
		break;
	case PST_SENDER_DCTCP:
		pst_dctcp_on_ack(&p->dctcp, &s->dctcp, v, w);
		break;
	case PST_SENDER_PRAGUE:
		pst_prague_on_ack(&p->prague, &s->prague, v, w);
		break;
	case PST_SENDER_COPA:
		pst_copa_on_ack(&p->copa, &s->copa, v, w);
		break;
	case PST_SENDER_SCALABLE_WESTWOOD:
		pst_scalable_westwood_on_ack(&p->scalable_westwood, &s->scalable_westwood, v,
					     w);
		break;
	default:
		break;
	}
}

PST_FN u64 pst_sender_dispatch_on_congestion(u32 method, const union pst_sender_params *p,
					     union pst_sender_state *s,
					     const struct pst_sender_view *v,
					     const struct pst_cwnd *w, enum pst_congestion why)
{
	switch (method) {
	case PST_SENDER_NEWRENO:
		return pst_newreno_on_congestion(&p->newreno, &s->newreno, v, w, why);
	case PST_SENDER_CUBIC:
		return pst_cubic_on_congestion(&p->cubic, &s->cubic, v, w, why);
	case PST_SENDER_RENO:
		return pst_reno_on_congestion(&p->reno, &s->reno, v, w, why);
	case PST_SENDER_WESTWOOD_PLUS:
		return pst_westwood_plus_on_congestion(&p->westwood_plus, &s->westwood_plus, v,
						       w, why);
	case PST_SENDER_LOG_WESTWOOD_PLUS:
		return pst_log_westwood_plus_on_congestion(&p->log_westwood_plus,
							   &s->log_westwood_plus, v, w, why);
	case PST_SENDER_SCALABLE:
		return pst_scalable_on_congestion(&p->scalable, &s->scalable, v, w, why);
	case PST_SENDER_HIGHSPEED:
		return pst_highspeed_on_congestion(&p->highspeed, &s->highspeed, v, w, why);
	case PST_SENDER_BIC:
		return pst_bic_on_congestion(&p->bic, &s->bic, v, w, why);
	case PST_SENDER_VEGAS:
		return pst_vegas_on_congestion(&p->vegas, &s->vegas, v, w, why);
	case PST_SENDER_XCP_SENDER:
		return pst_xcp_sender_on_congestion(&p->xcp_sender, &s->xcp_sender, v, w, why);
	case PST_SENDER_ETCP_1:
		return pst_etcp_1_on_congestion(&p->etcp_1, &s->etcp_1, v, w, why);
	case PST_SENDER_ETCP_2:
		return pst_etcp_2_on_congestion(&p->etcp_2, &s->etcp_2, v, w, why);
	case PST_SENDER_ETCP_3:
		return pst_etcp_3_on_congestion(&p->etcp_3, &s->etcp_3, v, w, why);
	case PST_SENDER_ETCP_3B:
		return pst_etcp_3b_on_congestion(&p->etcp_3b, &s->etcp_3b, v, w, why);
	case PST_SENDER_FBA_SENDER:
		return pst_fba_sender_on_congestion(&p->fba_sender, &s->fba_sender, v, w, why);
	case PST_SENDER_QUICK_START_SENDER:
		return pst_quick_start_sender_on_congestion(&p->quick_start_sender,
							    &s->quick_start_sender, v, w, why);
	case PST_SENDER_ANTIECN_SENDER:
		return pst_antiecn_sender_on_congestion(&p->antiecn_sender, &s->antiecn_sender,
							v, w, why);
	case PST_SENDER_BBR:
		return pst_bbr_on_congestion(&p->bbr, &s->bbr, v, w, why);
	case PST_SENDER_BBR3:
		return pst_bbr3_on_congestion(&p->bbr3, &s->bbr3, v, w, why);
	case PST_SENDER_DCTCP:
		return pst_dctcp_on_congestion(&p->dctcp, &s->dctcp, v, w, why);
	case PST_SENDER_PRAGUE:
		return pst_prague_on_congestion(&p->prague, &s->prague, v, w, why);
	case PST_SENDER_COPA:
		return pst_copa_on_congestion(&p->copa, &s->copa, v, w, why);
	case PST_SENDER_SCALABLE_WESTWOOD:
		return pst_scalable_westwood_on_congestion(&p->scalable_westwood,
							   &s->scalable_westwood, v, w, why);
	default:
		break;
	}
	return w->ssthresh_bytes;
}

PST_FN void pst_sender_dispatch_on_recovered(u32 method, const union pst_sender_params *p,
					     union pst_sender_state *s,
					     const struct pst_sender_view *v,
					     struct pst_cwnd *w)
{
	switch (method) {
	case PST_SENDER_VEGAS:
		pst_vegas_on_recovered(&p->vegas, &s->vegas, v, w);
		break;
	case PST_SENDER_XCP_SENDER:
		pst_xcp_sender_on_recovered(&p->xcp_sender, &s->xcp_sender, v, w);
		break;
	default:
		break;
	}
}

PST_FN void pst_sender_dispatch_on_lost(u32 method, const union pst_sender_params *p,
					union pst_sender_state *s,
					const struct pst_sender_view *v,
					const struct pst_cwnd *w,
					const struct pst_lost_segment *l)
{
	switch (method) {
	case PST_SENDER_BBR3:
		pst_bbr3_on_lost(&p->bbr3, &s->bbr3, v, w, l);
		break;
	default:
		break;
	}
}

PST_FN void pst_sender_dispatch_on_restart(u32 method, const union pst_sender_params *p,
					   union pst_sender_state *s,
					   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	switch (method) {
	case PST_SENDER_BBR:
		pst_bbr_on_restart(&p->bbr, &s->bbr, v, w);
		break;
	case PST_SENDER_BBR3:
		pst_bbr3_on_restart(&p->bbr3, &s->bbr3, v, w);
		break;
	default:
		break;
	}
}

PST_FN void pst_sender_dispatch_stamp(u32 method, const union pst_sender_params *p,
				      const union pst_sender_state *s,
				      const struct pst_sender_view *v, const struct pst_cwnd *w,
				      struct pst_feedback *header)
{
	switch (method) {
	case PST_SENDER_XCP_SENDER:
		pst_xcp_sender_stamp(&p->xcp_sender, &s->xcp_sender, v, w, header);
		break;
	case PST_SENDER_FBA_SENDER:
		pst_fba_sender_stamp(&p->fba_sender, &s->fba_sender, v, w, header);
		break;
	case PST_SENDER_QUICK_START_SENDER:
		pst_quick_start_sender_stamp(&p->quick_start_sender, &s->quick_start_sender, v,
					     w, header);
		break;
	case PST_SENDER_ANTIECN_SENDER:
		pst_antiecn_sender_stamp(&p->antiecn_sender, &s->antiecn_sender, v, w, header);
		break;
	default:
		break;
	}
}

PST_FN u32 pst_sender_dispatch_paces(u32 method, const union pst_sender_state *s)
{
	switch (method) {
	case PST_SENDER_ETCP_1:
		return pst_etcp_1_paces(&s->etcp_1);
	case PST_SENDER_ETCP_2:
		return pst_etcp_2_paces(&s->etcp_2);
	case PST_SENDER_ETCP_3:
		return pst_etcp_3_paces(&s->etcp_3);
	case PST_SENDER_ETCP_3B:
		return pst_etcp_3b_paces(&s->etcp_3b);
	case PST_SENDER_QUICK_START_SENDER:
		return pst_quick_start_sender_paces(&s->quick_start_sender);
	case PST_SENDER_PRAGUE:
		return pst_prague_paces(&s->prague);
	default:
		break;
	}
	return 0;
}

PST_FN void pst_sender_dispatch_pacing(u32 method, const union pst_sender_state *s,
				       const struct pst_sender_view *v, struct pst_pacing *out)
{
	switch (method) {
	case PST_SENDER_BBR:
		pst_bbr_pacing(&s->bbr, v, out);
		break;
	case PST_SENDER_BBR3:
		pst_bbr3_pacing(&s->bbr3, v, out);
		break;
	case PST_SENDER_COPA:
		pst_copa_pacing(&s->copa, v, out);
		break;
	default:
		break;
	}
}

PST_FN bool pst_sender_dispatch_ect1(u32 method, const union pst_sender_params *p)
{
	switch (method) {
	case PST_SENDER_DCTCP:
		return pst_dctcp_ect1(&p->dctcp);
	case PST_SENDER_PRAGUE:
		return pst_prague_ect1(&p->prague);
	default:
		break;
	}
	return false;
}

PST_FN u32 pst_sender_dispatch_feedback(u32 method)
{
	switch (method) {
	case PST_SENDER_XCP_SENDER:
		return PST_XCP_SENDER_FEEDBACK;
	case PST_SENDER_FBA_SENDER:
		return PST_FBA_SENDER_FEEDBACK;
	case PST_SENDER_QUICK_START_SENDER:
		return PST_QUICK_START_SENDER_FEEDBACK;
	case PST_SENDER_ANTIECN_SENDER:
		return PST_ANTIECN_SENDER_FEEDBACK;
	default:
		break;
	}
	return PST_FEEDBACK_NONE;
}

#endif /* PST_LINKED */

#endif
