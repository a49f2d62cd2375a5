# SPDX-License-Identifier: GPL-2.0-only
"""What the simulator's TCP claims to do, and what it does not: that is skipped."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Feature:
    """Of TCP, of sockets or of the language."""

    what: str
    reference: str  # the document that defines it


CLAIMED: Final = {
    "handshake": Feature("handshake from either side, SYN retransmission", "RFC 9293"),
    "options": Feature("MSS, window scale, SACK and timestamps options", "RFC 6691, 7323, 2018"),
    "windows": Feature("send and receive windows, probes of a zero window", "RFC 9293"),
    "congestion": Feature("slow start, CUBIC, Reno, BBR, initial window of 10", "RFC 9438, 6928"),
    "recovery": Feature("fast retransmit, NewReno, SACK recovery, PRR", "RFC 5681, 6582, 6675"),
    "rack": Feature("losses by time, tail loss probes", "RFC 8985"),
    "timeout": Feature("retransmission timer and its backoff", "RFC 6298"),
    "limited-transmit": Feature("limited transmit", "RFC 3042"),
    "ecn": Feature("explicit congestion notification", "RFC 3168"),
    "accecn": Feature("accurate explicit congestion notification", "RFC 9768"),
    "dsack": Feature("reports of duplicates", "RFC 2883"),
    "nagle": Feature("Nagle's algorithm, TCP_NODELAY", "RFC 9293"),
    "close": Feature("close and shutdown in both directions", "RFC 9293"),
    "reset-in": Feature("resets of the peer that end a connection", "RFC 9293, 5961"),
    "sockets": Feature("blocking and non-blocking calls", "POSIX"),
    "tcp-info": Feature("assertions on cwnd, ssthresh, state, RTT and counts", "Linux"),
}

UNCLAIMED: Final = {
    "accecn-modes": Feature("options of accurate ECN at times, or no fallback of it", "RFC 9768"),
    "arguments": Feature("calls with wrong arguments", "POSIX"),
    "authentication": Feature("MD5 and TCP-AO", "RFC 2385, 5925"),
    "code": Feature("code that does more than assert", "packetdrill"),
    "control-messages": Feature("control messages of recvmsg() and sendmsg()", "Linux"),
    "cork": Feature("MSG_MORE and TCP_CORK", "Linux"),
    "eor": Feature("MSG_EOR", "Linux"),
    "fast-open": Feature("TCP Fast Open", "RFC 7413"),
    "give-up": Feature("the end of a host's patience, and its errors", "RFC 9293"),
    "hystart": Feature("HyStart of Linux' CUBIC, of which RFC 9406 is the successor", "Linux"),
    "icmp": Feature("ICMP", "RFC 792, 5927"),
    "keepalive": Feature("keep-alives", "RFC 9293"),
    "language": Feature("text that is not in the language as it is read here", "packetdrill"),
    "local-drops": Feature("drops in the host's own queue", "Linux"),
    "no-assertion": Feature("a script that asserts nothing", "packetdrill"),
    "pacing-fq": Feature("the gaps of the fq queue discipline", "Linux"),
    "path-mtu": Feature("path MTU discovery and route changes", "RFC 1191, 4821"),
    "paws": Feature("protection against wrapped sequence numbers", "RFC 7323"),
    "poll": Feature("poll() and epoll", "Linux"),
    "protocols": Feature("protocols other than TCP, tunnels", "RFC 768, 2784"),
    "psp": Feature("PSP encryption", "Linux"),
    "receive-buffer": Feature("the receive buffer's memory", "Linux"),
    "reordering": Feature("the reordering degree, and counts of lost segments", "Linux"),
    "reset": Feature("resets that leave, and what follows on one", "RFC 9293, 5961"),
    "segmentation": Feature("sizes of segmentation offload", "Linux"),
    "send-buffer": Feature("a send buffer that fills", "Linux"),
    "settings-file": Feature("a file of settings that is not here", "packetdrill"),
    "several": Feature("several connections at once", "packetdrill"),
    "shell": Feature("shell commands that are no settings", "packetdrill"),
    "socket-options": Feature("other socket options and requests", "Linux"),
    "splice": Feature("splice() and sendfile()", "Linux"),
    "tcp-info-field": Feature("other fields of tcp_info", "Linux"),
    "timestamping": Feature("time stamps of packets for programs", "Linux"),
    "tlp-off": Feature("RACK without tail loss probes, or the reverse", "RFC 8985"),
    "urgent": Feature("urgent data", "RFC 6093"),
    "user-timeout": Feature("the user timeout", "RFC 5482"),
    "zerocopy": Feature("MSG_ZEROCOPY", "Linux"),
}


class UnclaimedError(Exception):
    """A script needs a feature that the simulator does not claim."""

    def __init__(self, feature: str, line: int, detail: str = "") -> None:
        self.feature = feature
        self.line = line
        self.detail = detail
        super().__init__(feature)

    @property
    def reason(self) -> str:
        """As the user sees it."""
        known = UNCLAIMED[self.feature]
        detail = f" ({self.detail})" if self.detail else ""
        return f"{known.what}{detail}, {known.reference}"
