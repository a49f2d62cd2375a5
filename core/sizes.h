/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of usual packets and of their headers, bytes. */
#ifndef PENSTOCK_CORE_SIZES_H
#define PENSTOCK_CORE_SIZES_H

#define PST_TIMESTAMPS_BYTES 12	/* TCP's option, padded (RFC 7323 appendix A) */
#define PST_UDP_HEADERS_BYTES 28	/* IPv4 and UDP */
#define PST_ETHERNET_BYTES 14	/* header, without the frame check sequence */

#define PST_FULL_PACKET_BYTES 1500	/* IP, on Ethernet (RFC 894) */
#define PST_FULL_FRAME_BYTES (PST_FULL_PACKET_BYTES + PST_ETHERNET_BYTES)

#endif
