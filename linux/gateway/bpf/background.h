/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shapes of a background class: their rate is what others leave of the line by which data comes in
 * (GW_DOWN), and nothing of them is dropped. The device's own queue knows the line, as all data
 * passes it.
 */
#ifndef PENSTOCK_GATEWAY_BACKGROUND_H
#define PENSTOCK_GATEWAY_BACKGROUND_H

#include "queue.h"
#include "core/queue/background.h"
#include "core/queue/upstream_stamp.h"

#define GW_BACKGROUND_LEAST_BYTES (45ULL * PST_FULL_PACKET_BYTES) /* as of other shapes */
#define GW_FOLLOWED_NS PST_NS_PER_S

#ifdef GW_DOWN

/* Whether a shape goes by the line's wait, so that windows answer it. */
PST_FN bool gw_is_followed(const struct gw_shared *line, u64 now_ns)
{
	return line->followed_ns && now_ns < line->followed_ns + GW_FOLLOWED_NS;
}

/* The link of @p, as the last step left it. */
PST_FN void gw_link_of_background(struct gw_shape *p)
{
	struct gw_link *l = &p->shared.link;

	l->rate_bytes_per_s = pst_max(p->lbe.rate_bytes_per_s, PST_DEPARTURE_MIN_BYTES_PER_S);
	l->line_bytes_per_s = l->rate_bytes_per_s;
	l->limit_bytes = pst_max(GW_BACKGROUND_LEAST_BYTES, l->rate_bytes_per_s / 20);
}

PST_FN void gw_view_line(const struct gw_shape *p, struct gw_shared *line, u64 now_ns,
			 struct pst_line *l)
{
	const struct pst_gateway_state *s = &line->port.state;

	l->now_ns = now_ns;
	l->line_bytes = line->came_bytes;
	l->own_bytes = p->shared.came_bytes;
	l->rate_bytes_per_s = pst_min(s->departures.bytes_per_s, p->rate_bytes_per_s);
	l->sent_bytes_per_s = s->departures.sent_bytes_per_s;
	l->wait_ns = pst_upstream_now_ns(&s->upstream, now_ns);
	l->rtt_ns = s->upstream.rtt_ns;
	l->target_ns = p->target_ns;
	l->drain_q16 = pst_drain_part_q16(&s->upstream.drain, now_ns);
}

/* A step of the shape @p, if one is due. A global function, as in forward.h. */
__attribute__((noinline)) int gw_follow_line(struct gw_shape *p, u64 now_ns)
{
	const struct gw_config *c = gw_config();
	struct gw_shared *line = gw_shared();
	struct pst_line l;

	if (!p || !line)
		return 0;
	line->followed_ns = now_ns;
	if (!pst_background_is_due(&p->lbe, line->port.state.upstream.rtt_ns, now_ns))
		return 0;
	gw_view_line(p, line, now_ns, &l);
	pst_background_step(&p->lbe, &l, c->mss_bytes + PST_HEADERS_BYTES);
	gw_link_of_background(p);
	return 0;
}

PST_FN void gw_follow(struct gw_shape *p, u64 now_ns)
{
	if (p->background)
		gw_follow_line(p, now_ns);
}

/* A packet of the shape @p, or of none, has come. Likewise. */
__attribute__((noinline)) int gw_note_came(struct __sk_buff *skb, struct gw_shape *p)
{
	struct gw_shared *line = gw_shared();
	u32 bytes = gw_wire_bytes(skb);

	if (!line || !line->shape_count)
		return 0;
	line->came_bytes += bytes;
	if (p)
		p->shared.came_bytes += bytes;
	return 0;
}

#else

PST_FN void gw_link_of_background(struct gw_shape *p)
{
	(void)p;
}

PST_FN void gw_follow(struct gw_shape *p, u64 now_ns)
{
	(void)p, (void)now_ns;
}

PST_FN void gw_note_came(struct __sk_buff *skb, struct gw_shape *p)
{
	(void)skb, (void)p;
}

#endif

#endif
