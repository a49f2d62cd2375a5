# SPDX-License-Identifier: GPL-2.0-only
"""The program's side of a script: sockets, and what its calls return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from penstock import _native
from penstock.runs.packetdrill import calls
from penstock.runs.packetdrill.claims import UnclaimedError
from penstock.runs.packetdrill.script import Call
from penstock.runs.packetdrill.settings import Settings

BLOCKS: Final = None  # what a call answers that does not return yet
_LEAST_MSS_BYTES: Final = 48  # Linux' tcp_min_snd_mss


@dataclass(frozen=True)
class Answer:
    """Of a call; -1 with the name of an error."""

    result: int
    error: str = ""


def _error(name: str) -> Answer:
    return Answer(-1, name)


@dataclass
class Socket:
    """One descriptor of the program."""

    host: _native.Host | None = None
    listens: bool = False
    non_blocking: bool = False
    read_bytes: int = 0
    no_reads: bool = False
    no_writes: bool = False
    opening: bool = False  # connect() was called
    options: dict[str, int] = field(default_factory=dict)

    @property
    def readable_bytes(self) -> int:
        """Received, and not read."""
        return 0 if self.host is None else self.host.info().received_bytes - self.read_bytes


class Program:
    """The sockets of a script, and the one connection that it is about."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sockets: dict[int, Socket] = {}
        self.host: _native.Host | None = None  # of the connection
        self.accepted = False
        self._closed = False  # by the program
        self._congestion = ""

    def listener(self) -> Socket | None:
        """The socket that accepts connections."""
        return next((each for each in self.sockets.values() if each.listens), None)

    def make_host(self, opens: bool, timestamps: bool, maxseg: int) -> _native.Host:
        """The endpoint of the connection."""
        path = self.settings.path_mss_bytes
        mss = max(min(maxseg or path, path), _LEAST_MSS_BYTES)
        sender = self.settings.sender(opens, timestamps, mss, self._congestion)
        self.host = _native.Host(sender, self.settings.receiver(opens, sender))
        return self.host

    def on_syn(self, timestamps: bool, line: int) -> _native.Host | None:
        """A SYN arrives: the connection that it begins."""
        listener = self.listener()
        if self.host is not None:
            if self._closed:
                raise UnclaimedError("several", line)
            return self.host
        if listener is None:
            raise UnclaimedError("reset", line)
        self.accepted = False
        return self.make_host(False, timestamps, listener.options.get("TCP_MAXSEG", 0))

    def call(self, call: Call, now_ns: int, line: int) -> Callable[[], Answer | None]:
        """Begins a call: what it answers when it is asked, None as long as it blocks."""
        name = call.name
        if name == "socket":
            return self._socket(call)
        fd = int(call.arguments[0])
        socket = self.sockets.get(fd)
        if socket is None:
            return lambda: _error("EBADF")
        if socket.host is not None and socket.host.reset and name != "close":
            raise UnclaimedError("reset", line, f"{name}() after a reset")
        if name in calls.WRITES:
            answer = self._write(socket, call, now_ns)
            return lambda: answer
        if name in calls.READS:
            return lambda: self._read(socket, call)
        method: Callable[[Socket, Call, int, int], Callable[[], Answer | None]]
        method = getattr(self, f"_{name.removesuffix('4')}")
        return method(socket, call, now_ns, line)

    def _socket(self, call: Call) -> Callable[[], Answer | None]:
        fd = int(call.result)
        self.sockets[fd] = Socket(non_blocking="SOCK_NONBLOCK" in call.arguments[1])
        return lambda: Answer(fd)

    def _bind(self, *_: object) -> Callable[[], Answer | None]:
        return lambda: Answer(0)

    def _listen(self, socket: Socket, *_: object) -> Callable[[], Answer | None]:
        socket.listens = True
        return lambda: Answer(0)

    def _accept(self, socket: Socket, call: Call, *_: object) -> Callable[[], Answer | None]:
        def accept() -> Answer | None:
            if self.host is None or not self.host.established or self.accepted:
                return _error("EAGAIN") if socket.non_blocking else BLOCKS
            self.accepted = True
            flags = call.arguments[3] if call.name == "accept4" else ""
            child = Socket(host=self.host, non_blocking="SOCK_NONBLOCK" in flags)
            child.options = dict(socket.options)
            fd = int(call.result)
            self.sockets[fd] = child
            return Answer(fd)

        return accept

    def _connect(
        self, socket: Socket, _: Call, now_ns: int, line: int
    ) -> Callable[[], Answer | None]:
        if self.host is not None and self.host is not socket.host:
            raise UnclaimedError("several", line)
        if not socket.opening:
            socket.opening = True
            maxseg = socket.options.get("TCP_MAXSEG", 0)
            socket.host = self.make_host(True, True, maxseg)
            if socket.options.get("TCP_NODELAY"):
                socket.host.set_nagle(False, now_ns)
            socket.host.open(now_ns)
            if socket.non_blocking:
                return lambda: _error("EINPROGRESS")
        host = socket.host
        return lambda: Answer(0) if host is not None and host.established else BLOCKS

    def _write(self, socket: Socket, call: Call, now_ns: int) -> Answer:
        size = calls.length(call)
        if socket.host is None:
            return _error("ENOTCONN")
        if socket.no_writes:
            return _error("EPIPE")
        if calls.has_no_buffer(call):
            return _error("EFAULT")
        socket.host.write(size, now_ns)
        return Answer(size)

    def _read(self, socket: Socket, call: Call) -> Answer | None:
        host = socket.host
        if host is None:
            return _error("ENOTCONN")
        taken = min(calls.length(call), socket.readable_bytes)
        if taken and calls.has_no_buffer(call):
            return _error("EFAULT")
        socket.read_bytes += taken
        if taken or host.peer_closed or socket.no_reads:
            return Answer(taken)
        return _error("EAGAIN") if socket.non_blocking else BLOCKS

    def _shutdown(
        self, socket: Socket, call: Call, now_ns: int, _: int
    ) -> Callable[[], Answer | None]:
        how = call.arguments[1]
        socket.no_reads = socket.no_reads or how != "SHUT_WR"
        if how != "SHUT_RD" and not socket.no_writes and socket.host is not None:
            socket.no_writes = True
            socket.host.close(now_ns)
        return lambda: Answer(0)

    def _close(
        self, socket: Socket, call: Call, now_ns: int, line: int
    ) -> Callable[[], Answer | None]:
        del self.sockets[int(call.arguments[0])]
        host = socket.host
        if host is not None and not host.established:
            self.host = None
        elif host is not None and not host.reset:
            if socket.readable_bytes > 0:  # RFC 9293 section 3.6.1
                raise UnclaimedError("reset", line, "close() with unread data")
            self._closed = True
            if not socket.no_writes:
                host.close(now_ns)
        return lambda: Answer(0)

    def _fcntl(self, socket: Socket, call: Call, *_: object) -> Callable[[], Answer | None]:
        if call.arguments[1] == "F_SETFL":
            socket.non_blocking = "O_NONBLOCK" in call.arguments[-1]
            return lambda: Answer(0)
        flags = 0x802 if socket.non_blocking else 2
        return lambda: Answer(flags)

    def _ioctl(self, socket: Socket, call: Call, _: int, line: int) -> Callable[[], Answer | None]:
        expected = int(call.arguments[2].strip("[]"))
        if call.arguments[1] == "SIOCOUTQ":
            raise UnclaimedError("socket-options", line, "SIOCOUTQ")
        actual = socket.readable_bytes
        return lambda: Answer(0) if actual == expected else Answer(0, f"[{actual}]")

    def _setsockopt(
        self, socket: Socket, call: Call, now_ns: int, line: int
    ) -> Callable[[], Answer | None]:
        name, value = call.arguments[2], call.arguments[3].strip("[]")
        if name == "TCP_CONGESTION":
            self._congestion = value.strip('"')
            self.settings.method(self._congestion, line)
            if socket.host is not None:
                raise UnclaimedError("socket-options", line, "another congestion control at once")
        elif name in ("TCP_NODELAY", "TCP_MAXSEG"):
            socket.options[name] = int(value)
            if socket.host is not None and name == "TCP_NODELAY":
                socket.host.set_nagle(not int(value), now_ns)
        return lambda: Answer(0)

    def _getsockopt(self, socket: Socket, call: Call, *_: object) -> Callable[[], Answer | None]:
        name, expected = call.arguments[2], call.arguments[3].strip("[]")
        actual = str(socket.options.get(name, 0))
        if name == "TCP_MAXSEG" and socket.host is not None:
            actual = str(socket.host.info().mss_bytes)
        elif name == "TCP_CONGESTION":
            actual = expected
        return lambda: Answer(0) if actual == expected else Answer(0, f"[{actual}]")
