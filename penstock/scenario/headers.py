# SPDX-License-Identifier: GPL-2.0-only
"""Sizes of packet headers, without options unless the name says so."""

from typing import Final

ETHERNET_BYTES: Final = 14  # IEEE 802.3 clause 3.2: addresses and type
ETHERNET_MTU_BYTES: Final = 1500  # RFC 894
IPV4_BYTES: Final = 20  # RFC 791 section 3.1
IPV6_BYTES: Final = 40  # RFC 8200 section 3
TCP_BYTES: Final = 20  # RFC 9293 section 3.1
TIMESTAMPS_BYTES: Final = 12  # RFC 7323 section 3.2, padded as in its appendix A
UDP_BYTES: Final = 8  # RFC 768

IP_TCP_BYTES: Final = IPV4_BYTES + TCP_BYTES  # PST_HEADERS_BYTES of core/queue/queue.h
IP_UDP_BYTES: Final = IPV4_BYTES + UDP_BYTES


def beyond_ipv4_bytes(version: int) -> int:
    """What the header of an IP version has more than that of IPv4."""
    return IPV6_BYTES - IPV4_BYTES if version == 6 else 0


def tcp_options_bytes(timestamps: bool) -> int:
    """Options of each TCP data segment."""
    return TIMESTAMPS_BYTES if timestamps else 0
