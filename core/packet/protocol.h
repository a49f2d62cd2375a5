/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers on the wire that the project reads or writes, for all hosts. */
#ifndef PENSTOCK_CORE_PACKET_PROTOCOL_H
#define PENSTOCK_CORE_PACKET_PROTOCOL_H

/* EtherTypes, and the protocols of PPP (RFC 1332, RFC 5072) */
#define PST_ETHERTYPE_IPV4 0x0800
#define PST_ETHERTYPE_IPV6 0x86dd
#define PST_ETHERTYPE_VLAN 0x8100
#define PST_ETHERTYPE_OUTER_VLAN 0x88a8
#define PST_ETHERTYPE_PPPOE 0x8864
#define PST_ETHERTYPE_PPPOE_DISCOVERY 0x8863
#define PST_ETHERTYPE_ARP 0x0806
#define PST_PPP_IPV4 0x0021
#define PST_PPP_IPV6 0x0057

/*
 * Header lengths, without options (Ethernet's is in core/sizes.h); and IPv4's mask of a
 * fragment's offset and of MF
 */
#define PST_IPV4_BYTES 20U
#define PST_IPV4_FRAGMENT 0x3fff
#define PST_IPV6_BYTES 40U
#define PST_TCP_BYTES 20U

/* Protocols of IPv4, and IPv6's next headers (RFC 8200 section 4) */
#define PST_IP_HOP_BY_HOP 0
#define PST_IP_ICMP 1
#define PST_IP_TCP 6
#define PST_IP_UDP 17
#define PST_IP_DCCP 33
#define PST_IP_ROUTING 43
#define PST_IP_FRAGMENT 44
#define PST_IP_ICMPV6 58
#define PST_IP_DESTINATION 60
#define PST_IP_SCTP 132
#define PST_IP_UDP_LITE 136

/* Neighbour discovery of IPv6, which no router forwards (RFC 4861) */
#define PST_HOPS_OF_LINK 255
#define PST_ICMPV6_FIRST_OF_LINK 133	/* a router is solicited */
#define PST_ICMPV6_LAST_OF_LINK 137	/* a redirect */

/* TCP (RFC 9293 section 3.1) */
#define PST_TCP_FIN 0x01
#define PST_TCP_SYN 0x02
#define PST_TCP_RST 0x04
#define PST_TCP_PSH 0x08
#define PST_TCP_ACK 0x10
#define PST_TCP_FLAGS 0x1ff
#define PST_TCP_WINDOW_AT 14U	/* offset of the field */
#define PST_TCP_CHECKSUM_AT 16U

/* Kinds of TCP options */
#define PST_OPTION_END 0
#define PST_OPTION_NOP 1
#define PST_OPTION_MSS 2
#define PST_OPTION_SCALE 3
#define PST_OPTION_TIMESTAMPS 8
#define PST_OPTION_MD5 19
#define PST_OPTION_AO 29
#define PST_OPTION_MPTCP 30
#define PST_OPTION_MD5_BYTES 18U	/* RFC 2385 section 3.0 */
#define PST_OPTION_AO_HEAD_BYTES 4U	/* before its MAC; RFC 5925 section 2.2 */

#endif
