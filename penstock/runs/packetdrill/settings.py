# SPDX-License-Identifier: GPL-2.0-only
"""Settings of a host: from sysctls and socket options to the simulator's configuration."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from penstock.runs.packetdrill.claims import UnclaimedError
from penstock.runs.packetdrill.script import ScriptError
from penstock.text import decoded

TIMESTAMPS_BYTES: Final = 12
_HEADER_BYTES: Final = {4: 40, 6: 60}

# What Linux has where a script says nothing.
_DEFAULTS: Final = {
    "tcp_congestion_control": "cubic",
    "tcp_dsack": "1",
    "tcp_early_retrans": "3",
    "tcp_ecn": "2",
    "tcp_ecn_option": "2",
    "tcp_recovery": "1",
    "tcp_rmem": "4096 131072 6291456",
    "tcp_sack": "1",
    "tcp_slow_start_after_idle": "1",
    "tcp_syn_linear_timeouts": "4",
    "tcp_timestamps": "1",
    "tcp_window_scaling": "1",
}
# Without effect here: the simulator's hosts have no segmentation offload, no memory of other
# connections, no Fast Open, and no end to their patience.
_NO_EFFECT: Final = (
    *("tcp_fack", "tcp_fastopen", "tcp_fastopen_key", "tcp_frto", "tcp_limit_output_bytes"),
    *("tcp_min_tso_segs", "tcp_moderate_rcvbuf", "tcp_no_metrics_save", "tcp_syn_retries"),
    *("tcp_synack_retries", "tcp_syncookies", "tcp_tso_rtt_log", "tcp_tso_win_divisor"),
    *("tcp_wmem", "tcp_pacing_ss_ratio", "tcp_pacing_ca_ratio"),
    *("tcp_autocorking", "tcp_challenge_ack_limit", "tcp_invalid_ratelimit", "tcp_retries2"),
)
# The only values that are claimed.
_ONLY: Final = {
    "tcp_reordering": (("3",), "reordering"),
    "tcp_notsent_lowat": (("4294967295", "-1"), "poll"),
    "tcp_mtu_probing": (("0",), "path-mtu"),
    "tcp_early_retrans": (("3", "4"), "tlp-off"),
    "tcp_recovery": (("1",), "tlp-off"),
    "tcp_ecn_fallback": (("1",), "accecn-modes"),
    "tcp_ecn_option": (("0", "2", "3"), "accecn-modes"),
    "tcp_ecn_option_beacon": ((), "accecn-modes"),
    "tcp_rto_min_us": (("200000",), "socket-options"),
}
# Of other commands, what they need; "" if they have no effect here.
_COMMANDS: Final = (
    (r"ethtool -K ", ""),
    (r"ip tcp_metrics flush", ""),
    (r"ip ", "path-mtu"),
    (r"tc qdisc (add|replace) dev tun0 root pfifo$", ""),
    (r"tc qdisc (add|replace) dev tun0 root fq", "pacing-fq"),
    (r"tc ", "local-drops"),
    (r"echo .*hystart", "hystart"),
)
_METHODS: Final = {"reno": "newreno", "cubic": "cubic", "bbr": "bbr"}
# Linux: no limit of RFC 3465 in slow start, 717 / 1024 where RFC 9438 has 0.7, and a look at W_est
# each 1/32 s.
_PARAMS: Final = {
    "newreno": {"abc_limit": 1024},
    "cubic": {"abc_limit": 1024, "beta_q16": 717 * 64, "w_est_interval_ns": 10**9 // 32},
}
# Options that both halves of a host have.
_OF_BOTH: Final = ("sack", "timestamps", "window_scale", "ecn", "accecn", "accecn_option")
_DEEPEST: Final = 8  # files of settings within each other
_PRODUCT: Final = re.compile(r"\$\(\(([\d*\s]+)\)\)")


@dataclass
class Settings:
    """Of the host under test."""

    sysctls: dict[str, str] = field(default_factory=lambda: dict(_DEFAULTS))
    family: int = 4
    mtu_bytes: int = 1500
    _depth: int = 0  # of files of settings that name others

    def shell(self, text: str, line: int, folder: Path) -> None:
        """A script's command: nothing is run; what sets a sysctl is read."""
        for command in _commands(text):
            self._command(command, line, folder)

    def _command(self, command: str, line: int, folder: Path) -> None:
        try:
            words = shlex.split(_PRODUCT.sub(_multiply, command), comments=True)
        except ValueError as error:
            raise ScriptError(line, f"`{command}`: {error}") from None
        if not words or "sysctl_restore" in words[0]:
            return
        if words[0] == "sysctl" or words[0].endswith("set_sysctls.py"):
            for each in words[1:]:
                if "=" in each:
                    self._set(each.removeprefix("/proc/sys/"), line)
        elif file := _settings_file(words):
            self._source(file, line, folder)
        else:
            _ignore(" ".join(words), line)

    def _source(self, name: str, line: int, folder: Path) -> None:
        """A file of settings of the working directory, as for packetdrill's shell, or else one

        beside the script, which is where the suites' own runners start packetdrill.
        """
        for file in (Path(name), folder / name):
            try:
                text = decoded(file.read_bytes())
                break
            except OSError:
                continue
            except ValueError as error:
                raise UnclaimedError("settings-file", line, f"{name}: {error}") from None
        else:
            raise UnclaimedError("settings-file", line, name)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnclaimedError("settings-file", line, f"{name} calls itself")
        self.shell(text, line, folder)
        self._depth -= 1

    def _set(self, assignment: str, line: int) -> None:
        key, _, value = assignment.partition("=")
        name = re.split(r"[./]", key)[-1]
        value = " ".join(value.split())
        allowed, feature = _ONLY.get(name, ((), ""))
        if feature and value not in allowed:
            raise UnclaimedError(feature, line, f"{name}={value}")
        if name not in _DEFAULTS and name not in _NO_EFFECT and not feature:
            raise UnclaimedError("socket-options", line, name)
        if name == "tcp_rmem" and not re.fullmatch(r"\d{1,9}( \d{1,9}){2}", value):
            raise ScriptError(line, f"tcp_rmem has three sizes, not {value!r}")
        self.sysctls[name] = value

    def flag(self, name: str) -> bool:
        """A sysctl that is on or off."""
        return self.sysctls[name] != "0"

    @property
    def path_mss_bytes(self) -> int:
        """Of a segment without options."""
        return self.mtu_bytes - _HEADER_BYTES[self.family]

    def method(self, name: str, line: int) -> str:
        """The simulator's name of a congestion control."""
        if name not in _METHODS:
            raise UnclaimedError("socket-options", line, f"congestion control {name}")
        return _METHODS[name]

    def sender(
        self, opens: bool, timestamps: bool, mss_bytes: int, congestion: str = ""
    ) -> dict[str, Any]:
        """Of the half that sends; `timestamps`: offered by the peer, if that opens."""
        stamps = timestamps and self.flag("tcp_timestamps")
        method = self.method(congestion or self.sysctls["tcp_congestion_control"], 0)
        return {
            "method": method,
            "params": _PARAMS.get(method, {}),
            "mss_bytes": mss_bytes - (TIMESTAMPS_BYTES if stamps else 0),
            "sack": self.flag("tcp_sack"),
            "timestamps": stamps,
            "window_scale": self.flag("tcp_window_scaling"),
            "ecn": self.sysctls["tcp_ecn"] in (("1", "4") if opens else ("1", "2")),
            "accecn": self.sysctls["tcp_ecn"] in (("3",) if opens else ("3", "4", "5")),
            "accecn_option": self.flag("tcp_ecn_option"),
            "growth": "delivered",
            "nagle": True,
            "minshall": True,
            "linear_syns": int(self.sysctls["tcp_syn_linear_timeouts"]),
            "prr": True,
            "prr_safe_ack": True,
            "ssthresh_of_cwnd": True,
            "rack": True,
            "restart_after_idle": self.flag("tcp_slow_start_after_idle"),
        }

    def receiver(self, opens: bool, sender: dict[str, Any]) -> dict[str, Any]:
        """Of the half that receives. It acknowledges at once, as Linux does first."""
        _, first, most = (int(word) for word in self.sysctls["tcp_rmem"].split())
        return {
            "opens": opens,
            "repeat_syn_ack": False,
            "autotune": True,
            "buffer_bytes": first // 2,
            "max_buffer_bytes": most,
            "delayed_ack_segments": 1,
            "lazy_fin_ack": True,
            "mss_bytes": sender["mss_bytes"],
            "dsack": self.flag("tcp_dsack"),
            **{key: sender[key] for key in _OF_BOTH},
        }


def _settings_file(words: list[str]) -> str:
    """The file that a command runs or sources; "" if it does neither."""
    run = words[1:] if words[0] in (".", "source", "sh", "bash") else words
    return run[0] if len(run) == 1 and run[0].endswith(".sh") else ""


def _ignore(command: str, line: int) -> None:
    """A command that sets no sysctl: without effect here, or not claimed."""
    for pattern, feature in _COMMANDS:
        if re.match(pattern, command):
            if feature:
                raise UnclaimedError(feature, line)
            return
    raise UnclaimedError("shell", line, command[:40])


def _multiply(found: re.Match[str]) -> str:
    product = 1
    for factor in found[1].split("*"):
        product *= int(factor)
    return str(product)


def _commands(text: str) -> list[str]:
    """One a line, or between semicolons."""
    joined = text.replace("\\\n", " ").replace("2>&1", "").replace("> /dev/null", "")
    return [part for line in joined.splitlines() for part in re.split(r";|&&", line)]
