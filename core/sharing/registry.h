/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a way of sharing between the connections from one host to another has. It is a
 * header with TITLE, SOURCE and SCOPE macros, a table of
 * parameters, and these functions on the ensemble e, the connection's member m and its
 * block t, each with the prefix pst_NAME_:
 *
 *   void join(p, e, m, t)   the connection is established; t is its own
 *   void push(p, e, m, t)   its own law has changed t
 *   void leave(p, e, m, t)  the connection is over
 *
 * and a line of methods.toml, which lists what else it has; dispatch.h is written from these
 * lines. Of functions:
 *
 *   void pull(p, e, m, t)   before it uses t: others may have changed its part
 *   void ask(p, e, m, t)    t->idle is no longer m->idle
 *
 * Of properties:
 *
 *   caches   an ensemble without members is remembered, as its cached_... fields and round trip
 *   rejoins  push takes members out of the ensemble and back into it
 *   kernel   it is also offered as a congestion control of Linux, called PST_NAME_LINUX
 *   at_once  others use what an event gives them when it happens, not at their own next
 *            events: a host that can calls pull for each, in turn. Not BPF
 *   of_window     a loss takes its part of the member's window, not of what is in flight;
 *                 of two members or more. So does any law on Linux
 *   paced_as_one  a member that paces spreads the window of all over their round trip.
 *                 Not BPF
 */
#ifndef PENSTOCK_CORE_SHARING_REGISTRY_H
#define PENSTOCK_CORE_SHARING_REGISTRY_H

#include "ensemble.h"

#define PST_SHARING_PARAM_WORDS 2 /* the most that one has, as core.c demands */

#include "dispatch.h"

#endif
