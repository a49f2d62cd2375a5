# SPDX-License-Identifier: GPL-2.0-only
"""TCP counters of the hosts, and packets lost where none should be."""

import json
import os
import re
import signal
from collections.abc import Mapping
from typing import Final

from penstock.runs.live.network import Network
from penstock.runs.live.session import Process, inside, run

_FILES: Final = ("/proc/net/snmp", "/proc/net/netstat")
# Linux tcp_timer.c: the first until 6.7, the second since.
_SHRUNK: Final = re.compile(r"unexpectedly shrunk window|Probing zero-window on")
_TCP: Final = ("TcpRetransSegs", "TcpInCsumErrors", "TcpExtTCPTimeouts")
_RECORD_BYTES: Final = 8192
_REPORT_S: Final = 2.0

Counters = Mapping[str, int]


def _parse(text: str) -> dict[str, int]:
    """'Tcp: A B' over 'Tcp: 1 2' becomes {'TcpA': 1, 'TcpB': 2}."""
    counters = {}
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        group, *keys = names.split()
        for key, value in zip(keys, values.split()[1:], strict=True):
            counters[group.rstrip(":") + key] = int(value)
    return counters


def by_host(net: Network) -> dict[str, Counters]:
    """The TCP counters of each host."""
    found: dict[str, Counters] = {}
    for host, space in net.spaces.items():
        own = _parse(run(inside(space, "cat", *_FILES)))
        found[host] = {key: own[key] for key in _TCP}
    return found


def tcp(net: Network) -> Counters:
    """The TCP counters of all hosts together."""
    hosts = by_host(net).values()
    return {key: sum(own[key] for own in hosts) for key in _TCP}


class KernelLog:
    """The kernel's log messages from now on."""

    def __init__(self) -> None:
        self._file = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.lseek(self._file, 0, os.SEEK_END)

    def count_shrunk_windows(self) -> int:
        """Reads to the end, closes, and counts lines about shrunk windows."""
        count = 0
        try:
            while True:
                try:
                    record = os.read(self._file, _RECORD_BYTES)
                except BrokenPipeError:  # records were overwritten before we came
                    continue
                count += bool(_SHRUNK.search(record.decode(errors="replace")))
        except BlockingIOError:
            return count
        finally:
            os.close(self._file)


def stray_losses(net: Network) -> dict[str, int]:
    """Packets that devices lost outside of their queues, by device."""
    lost = {}
    for space in net.spaces.values():
        for device in json.loads(run(["ip", "-n", space, "-s", "-j", "link"])):
            stats = device.get("stats64", {})
            count = sum(stats.get(way, {}).get("dropped", 0) for way in ("rx", "tx"))
            if count and device["ifname"] != "lo":
                lost[device["ifname"]] = count
    return lost


def link_report(link: Process) -> dict[str, dict[str, float]]:
    """The current statistics of penstock-link."""
    line = link.answer(lambda: link.popen.send_signal(signal.SIGUSR1), _REPORT_S)
    found: dict[str, dict[str, float]] = json.loads(line)
    return found
