# SPDX-License-Identifier: GPL-2.0-only
"""Which system calls of a script the simulator's hosts answer."""

from __future__ import annotations

import re
from typing import Final

from penstock.runs.packetdrill.claims import UnclaimedError
from penstock.runs.packetdrill.script import Call, ScriptError, number

WRITES: Final = ("write", "send", "sendto", "sendmsg", "writev")
READS: Final = ("read", "recv", "recvfrom", "recvmsg", "readv")
_ANSWERED: Final = (
    *("socket", "bind", "listen", "accept", "accept4", "connect", "close", "shutdown"),
    *("fcntl", "ioctl", "getsockopt", "setsockopt", *WRITES, *READS),
)
_FEWEST: Final = {  # arguments; of others 1
    **dict.fromkeys(("socket", "shutdown", "fcntl", *READS, *WRITES), 2),
    "ioctl": 3,
    "accept4": 4,
}
_MOST: Final = (1 << 31) - 1  # of an int
_CALLS: Final = {
    "epoll_create": "poll",
    "epoll_ctl": "poll",
    "epoll_wait": "poll",
    "poll": "poll",
    "select": "poll",
    "open": "splice",
    "pipe": "splice",
    "splice": "splice",
    "sendfile": "splice",
}
_WORDS: Final = {  # anywhere in a call's arguments
    "MSG_FASTOPEN": "fast-open",
    "TCP_FASTOPEN": "fast-open",
    "TCP_FASTOPEN_CONNECT": "fast-open",
    "TCP_FASTOPEN_KEY": "fast-open",
    "TCP_FASTOPEN_NO_COOKIE": "fast-open",
    "MSG_ZEROCOPY": "zerocopy",
    "SO_ZEROCOPY": "zerocopy",
    "MSG_ERRQUEUE": "timestamping",
    "SO_TIMESTAMPING": "timestamping",
    "SO_TIMESTAMPNS": "timestamping",
    "SO_TIMESTAMP": "timestamping",
    "MSG_EOR": "eor",
    "MSG_MORE": "cork",
    "TCP_CORK": "cork",
    "MSG_OOB": "urgent",
    "MSG_PEEK": "socket-options",
    "MSG_TRUNC": "socket-options",
    "TCP_USER_TIMEOUT": "user-timeout",
    "SO_KEEPALIVE": "keepalive",
    "TCP_KEEPIDLE": "keepalive",
    "TCP_KEEPINTVL": "keepalive",
    "TCP_KEEPCNT": "keepalive",
    "TCP_NOTSENT_LOWAT": "poll",
    "TCP_MD5SIG": "authentication",
    "TCP_INQ": "control-messages",
    "SO_RCVBUF": "receive-buffer",
    "SO_RCVBUFFORCE": "receive-buffer",
    "SO_RCVLOWAT": "receive-buffer",
    "TCP_WINDOW_CLAMP": "receive-buffer",
    "SO_LINGER": "reset",
    "IPPROTO_UDP": "protocols",
    "IPPROTO_MPTCP": "protocols",
    "SOCK_DGRAM": "protocols",
}
_ERRORS: Final = {
    **dict.fromkeys(("EFAULT", "EINVAL", "ENOTSOCK", "EBADF", "EPROTONOSUPPORT"), "arguments"),
    **dict.fromkeys(("ECONNRESET", "ECONNREFUSED", "EHOSTUNREACH"), "reset"),
    "ETIMEDOUT": "give-up",
}
SOCKET_OPTIONS: Final = (
    *("SO_REUSEADDR", "SO_REUSEPORT", "SO_SNDBUF", "SO_PRIORITY", "SO_MARK"),
    *("TCP_NODELAY", "TCP_MAXSEG", "TCP_CONGESTION", "IP_TOS", "IP_MTU_DISCOVER"),
)
REQUESTS: Final = ("SIOCINQ", "SIOCOUTQ", "FIONREAD")


def check(call: Call, line: int) -> None:
    """That the simulator claims what the call does."""
    if call.name in _CALLS:
        raise UnclaimedError(_CALLS[call.name], line, f"{call.name}()")
    _words(call, line)
    if call.name not in _ANSWERED:
        raise UnclaimedError("socket-options", line, f"{call.name}()")
    if len(call.arguments) < _FEWEST.get(call.name, 1):
        raise ScriptError(line, f"{call.name}() has too few arguments")
    if call.error in _ERRORS and not has_no_buffer(call):
        raise UnclaimedError(_ERRORS[call.error], line, call.error)
    if call.name in ("setsockopt", "getsockopt"):
        _option(call, line)
    if call.name == "ioctl" and call.arguments[1] not in REQUESTS:
        raise UnclaimedError("socket-options", line, call.arguments[1])
    if call.name in WRITES and call.result.isdigit() and int(call.result) < length(call):
        raise UnclaimedError("send-buffer", line, f"{call.name}() of a part")
    for text in _numbers(call):
        number(text.strip("[]").removeprefix("-"), _MOST, f"a number of {call.name}()", line)


def _numbers(call: Call) -> list[str]:
    """What has to be a number."""
    found = [] if call.name == "socket" else [call.arguments[0]]
    if call.name in ("socket", "accept", "accept4"):
        found.append(call.result)
    if call.name == "ioctl":
        found.append(call.arguments[2])
    if call.name == "setsockopt" and call.arguments[2] in ("TCP_NODELAY", "TCP_MAXSEG"):
        found.append(call.arguments[3])
    if call.name in WRITES:
        found.append(str(length(call)))
    return found


def _words(call: Call, line: int) -> None:
    """What the arguments name."""
    text = ", ".join(call.arguments)
    for word in re.findall(r"\w+", text):
        if word in _WORDS:
            raise UnclaimedError(_WORDS[word], line, word)
    if "cmsg_level" in text:
        raise UnclaimedError("control-messages", line)


def _option(call: Call, line: int) -> None:
    if call.name == "getsockopt" and call.arguments[2] == "SO_SNDBUF":
        raise UnclaimedError("send-buffer", line, "SO_SNDBUF")
    if len(call.arguments) < 4 or call.arguments[2] not in SOCKET_OPTIONS:
        name = call.arguments[2] if len(call.arguments) > 2 else call.name
        raise UnclaimedError("socket-options", line, name)


def has_no_buffer(call: Call) -> bool:
    """A read or a write with a null pointer."""
    return call.name in (*READS, *WRITES) and call.arguments[1] == "NULL"


def length(call: Call) -> int:
    """The bytes that a read or a write asks for."""
    if "msg_iov" in ", ".join(call.arguments) or call.name in ("readv", "writev"):
        return sum(int(n) for n in re.findall(r"\{\s*\.\.\.\s*,\s*(\d+)\s*\}", str(call.arguments)))
    for argument in call.arguments[2:3]:
        if argument.isdigit():
            return int(argument)
    return 0
