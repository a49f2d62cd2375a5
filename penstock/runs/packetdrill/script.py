# SPDX-License-Identifier: GPL-2.0-only
"""packetdrill's language: from the text of a script to its events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from penstock.runs.packetdrill.claims import UnclaimedError


class ScriptError(Exception):
    """The text is not in the language."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class When:
    """The time of an event; None of `from_ns`: any."""

    from_ns: int | None
    to_ns: int | None  # the end of a range; of a blocking call its return
    relative: bool
    blocking: bool = False


@dataclass(frozen=True)
class Options:
    """TCP options of a segment; None or empty: absent."""

    mss_bytes: int | None = None
    scale: int | None = None
    sack_permitted: bool = False
    timestamps: tuple[int, int] | None = None
    sack: tuple[tuple[int, int], ...] = ()
    accecn: tuple[int, tuple[int, ...]] | None = None  # of accurate ECN: kind and counters


@dataclass(frozen=True)
class Packet:
    """A segment that arrives, or that must leave."""

    inbound: bool
    flags: str  # of FSRP.EWA, in the script's order
    ecn: str  # "" if it does not matter
    seq: int
    payload_bytes: int
    ack: int | None
    window: int | None
    options: Options | None  # None: any


@dataclass(frozen=True)
class Call:
    """A system call with its result."""

    name: str
    arguments: tuple[str, ...]
    result: str
    error: str


@dataclass(frozen=True)
class Code:
    """Assertions about the connection."""

    text: str


@dataclass(frozen=True)
class Shell:
    """A command."""

    text: str


@dataclass(frozen=True)
class Event:
    """What happens, or must happen, at a time."""

    line: int
    when: When
    what: Packet | Call | Code | Shell


@dataclass
class Script:
    """A whole script."""

    flags: dict[str, str] = field(default_factory=dict)  # --NAME=VALUE at its top
    events: list[Event] = field(default_factory=list)


_U8, _U16, _U24, _U32 = ((1 << bits) - 1 for bits in (8, 16, 24, 32))  # widths of fields
# RFC 9768 section 3.2.3: the counters of either kind of option.
ACCECN: Final = {172: ("e0b", "ceb", "e1b"), 174: ("e1b", "ceb", "e0b")}
_ACE: Final = ("", "E", "W", "EW", "A", "EA", "WA", "EWA")
_MOST_S: Final = 10**6  # of a time

_NUMBER: Final = r"(?:\d+(?:\.\d+)?|\.\d+)"
_TIME: Final = re.compile(
    rf"(?P<any>\*)|(?P<plus>\+?)\s*(?P<from>{_NUMBER})"
    rf"(?:\s*~\s*(?P<plus2>\+?)\s*(?P<range>{_NUMBER})|\s*\.\.\.\s*(?P<end>{_NUMBER}))?"
)
_FLAG: Final = re.compile(r"--(\w+)(?:=(\S+))?")
_FLAGS: Final = (  # without a network only some of them matter
    *("tolerance_usecs", "tolerance_percent", "tcp_ts_tick_usecs", "mss", "ip_version"),
    *("strict_segments", "local_ip", "remote_ip", "gateway_ip", "netmask_ip", "connect_port"),
    *("bind_port", "mtu", "send_omit_free", "debug", "verbose", "no_cleanup"),
)
_NUMBERS: Final = {"tolerance_usecs": _U32, "tcp_ts_tick_usecs": _U32, "mtu": _U16}
_PACKET: Final = re.compile(
    r"(?P<direction>[<>])\s*(?:\[(?P<ip>[^\]]*)\])?\s*(?P<flags>[A-Z0-9.]+|-)\s+"
    r"(?P<seq>\d+):(?P<end>\d+)\s*\((?P<bytes>\d+)\)"
    r"(?:\s+ack\s+(?P<ack>\d+))?(?:\s+win\s+(?P<win>\d+))?(?P<urgent>\s+urg\s+\d+)?"
    r"(?:\s*<(?P<options>[^>]*)>)?\s*$"
)
_OTHER_PACKETS: Final = {
    "icmp": "icmp",
    "udp": "protocols",
    "gre": "protocols",
    "ipv4": "protocols",
    "ipv6": "protocols",
    "mpls": "protocols",
    "psp": "psp",
}
_RESULT: Final = re.compile(r"=\s*(?P<value>-?(?:0x[0-9a-fA-F]+|\d+)|\.\.\.)\s*(?P<error>[A-Z]+)?")
_OPTION_CLAIMS: Final = {
    "FO": "fast-open",
    "FOEXP": "fast-open",
    "md5": "authentication",
    "exp": "fast-open",
    "mp": "protocols",
}


def _ns(text: str, line: int) -> int:
    if float(text) > _MOST_S:
        raise ScriptError(line, f"a time is at most {_MOST_S} s, not {text[:20]}")
    return round(float(text) * 1e9)


class _Reader:
    """A place in the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def rest(self) -> str:
        return self.text[self.at : self.at + 400]

    def skip(self) -> None:
        """Over white space and comments."""
        space = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)*", re.DOTALL)
        found = space.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def until(self, mark: str, what: str) -> str:
        """The text before `mark`, which is passed."""
        end = self.text.find(mark, self.at)
        if end < 0:
            raise ScriptError(self.line, f"{what} has no end: {mark} is missing")
        found = self.text[self.at : end]
        self.at = end + len(mark)
        return found

    def to_line_end(self) -> str:
        """The rest of the line, without its comment."""
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        found = self.text[self.at : end]
        self.at = end
        return re.sub(r"//.*|/\*.*?\*/", "", found).strip()


def _split(text: str) -> tuple[str, ...]:
    """At the commas that are in no bracket."""
    parts, depth, part = [], 0, ""
    for char in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += char
    if part.strip():
        parts.append(part.strip())
    return tuple(parts)


def number(text: str, most: int, what: str, line: int) -> int:
    """A number of the script, in its range."""
    if not text.isdecimal():
        raise ScriptError(line, f"no number: {text!r}")
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(most)) or int(digits) > most:
        raise ScriptError(line, f"{what} is at most {most}, not {digits[:20]}")
    return int(digits)


def _block(text: str, line: int) -> tuple[int, int]:
    """The edges of a SACK block."""
    start, _, end = text.partition(":")
    return number(start, _U32, "an edge of sack", line), number(end, _U32, "an edge of sack", line)


def _accecn(words: Sequence[str], line: int) -> tuple[int, tuple[int, ...]]:
    """The option of accurate ECN: its counters follow their names."""
    names, values = tuple(words[::2]), words[1::2]
    for kind, known in ACCECN.items():
        if names == known[: len(names)] and len(values) == len(names):
            return kind, tuple(number(value, _U24, "a counter of ECN", line) for value in values)
    raise ScriptError(line, f"no counters of ECN: {' '.join(words)!r}")


def _option(words: list[str], options: Options, line: int) -> Options:
    """The options with one more."""
    match words:
        case [] | ["nop" | "eol"]:
            return options
        case ["mss", value]:
            return replace(options, mss_bytes=number(value, _U16, "mss", line))
        case ["wscale", value]:
            return replace(options, scale=number(value, _U8, "wscale", line))
        case ["sackOK"]:
            return replace(options, sack_permitted=True)
        case ["TS", "val", value, "ecr", echo]:
            stamps = (number(value, _U32, "TS val", line), number(echo, _U32, "TS ecr", line))
            return replace(options, timestamps=stamps)
        case ["ECN", *counters]:
            return replace(options, accecn=_accecn(counters, line))
        case ["sack", *blocks]:
            return replace(options, sack=tuple(_block(block, line) for block in blocks))
    if words[0] in _OPTION_CLAIMS:
        raise UnclaimedError(_OPTION_CLAIMS[words[0]], line)
    raise ScriptError(line, f"no TCP option: {' '.join(words)!r}")


def _options(text: str, line: int) -> Options | None:
    if text.strip() == "...":
        return None
    options = Options()
    for part in _split(text):
        options = _option(part.split(), options, line)
    return options


def _ecn(ip: str, line: int) -> str:
    """The codepoint of `[ect0, ttl 64]`, if it is named."""
    ecn = ""
    for part in _split(ip):
        if part in ("noecn", "ect0", "ect1", "ce", "ect01"):
            ecn = part
        elif not part.startswith(("ttl", "tos", "flowlabel")):
            raise ScriptError(line, f"no field of IP: {part!r}")
    return ecn


def _packet(text: str, line: int) -> Packet:
    found = _PACKET.match(text)
    if found is None:
        word = re.match(r"[<>]\s*(?:\[[^\]]*\]\s*)?(\w+)", text)
        if word is not None and word[1] in _OTHER_PACKETS:
            raise UnclaimedError(_OTHER_PACKETS[word[1]], line)
        raise ScriptError(line, f"no packet: {text!r}")
    flags = found["flags"].replace("-", "")
    if found["urgent"] or "U" in flags:
        raise UnclaimedError("urgent", line)
    flags = re.sub("[0-7]", lambda ace: _ACE[int(ace[0])], flags)
    if set(flags) - set("FSRP.EWA"):
        raise ScriptError(line, f"no flags of TCP: {flags!r}")
    seq = number(found["seq"], _U32, "a sequence number", line)
    end = number(found["end"], _U32, "a sequence number", line)
    size = number(found["bytes"], _U16, "a payload", line)
    if (seq + size) & _U32 != end:
        raise ScriptError(line, f"{seq}:{end} is not {size} bytes")
    ack, window = found["ack"], found["win"]
    return Packet(
        inbound=found["direction"] == "<",
        flags=flags,
        ecn=_ecn(found["ip"] or "", line),
        seq=seq,
        payload_bytes=size,
        ack=None if ack is None else number(ack, _U32, "ack", line),
        window=None if window is None else number(window, _U16, "win", line),
        options=_options(found["options"] or "", line),
    )


def _call(reader: _Reader) -> Call:
    line = reader.line
    name = reader.match(re.compile(r"\w+"))
    if name is None or reader.match(re.compile(r"\s*\(")) is None:
        raise ScriptError(line, f"no event: {reader.to_line_end()[:60]!r}")
    start, depth = reader.at, 1
    while depth:
        if reader.at >= len(reader.text):
            raise ScriptError(line, f"{name[0]}() has no end: ) is missing")
        depth += {"(": 1, ")": -1}.get(reader.text[reader.at], 0)
        reader.at += 1
    arguments = re.sub(r"//[^\n]*", "", reader.text[start : reader.at - 1])
    text = reader.to_line_end()
    if not text:  # the result may stand on the next line
        reader.skip()
        text = reader.to_line_end()
    result = _RESULT.match(text)
    if result is None:
        raise ScriptError(line, f"{name[0]}() has no result")
    return Call(
        name[0], _split(" ".join(arguments.split())), result["value"], result["error"] or ""
    )


def _when(reader: _Reader) -> When:
    found = reader.match(_TIME)
    if found is None:
        return When(0, None, relative=True)
    if found["any"]:
        return When(None, None, relative=True)
    end = found["range"] or found["end"]
    return When(
        _ns(found["from"], reader.line),
        None if end is None else _ns(end, reader.line),
        relative=bool(found["plus"]),
        blocking=found["end"] is not None,
    )


def read(text: str) -> Script:
    """The events of a script."""
    script = Script()
    reader = _Reader(text)
    reader.skip()
    while (flag := reader.match(_FLAG)) is not None:
        if flag[1] not in _FLAGS:
            psp = flag[1].startswith("psp")
            raise UnclaimedError("psp" if psp else "socket-options", reader.line, f"--{flag[1]}")
        script.flags[flag[1]] = flag[2] or ""
        if flag[1] in _NUMBERS:
            number(script.flags[flag[1]], _NUMBERS[flag[1]], f"--{flag[1]}", reader.line)
        reader.skip()
    while reader.at < len(text):
        line = reader.line
        when = _when(reader)
        reader.skip()
        script.events.append(Event(line, when, _what(reader)))
        reader.skip()
    return script


def _what(reader: _Reader) -> Packet | Call | Code | Shell:
    rest = reader.rest()
    if rest.startswith("`"):
        reader.at += 1
        return Shell(reader.until("`", "a command"))
    if rest.startswith("%{"):
        reader.at += 2
        return Code(reader.until("}%", "code"))
    if rest.startswith(("<", ">")):
        line = reader.line
        return _packet(reader.to_line_end(), line)
    return _call(reader)
