# SPDX-License-Identifier: GPL-2.0-only
"""--source passive on modems whose rate steps by four, beside a rate that is told and no gateway.

For the night, as each lasts more than a minute: pytest tests/gateway/nightly_modem.py. A modem of
constant rate sends whenever it is free. One as on DOCSIS sends once in 2 or 6 ms, what its rate
allows in that time, and a packet's grant comes no sooner than as long after the packet.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median

import pytest
from gateway_lab import Lab, linked, sh
from hidden import AUTO, found_after_s, passive, probed_ms
from loads import acked_bytes, connections, streaming, until
from patience import timed

from conftest import Record

TOLD = ("--rate", "20mbit", "--source", "virtual", "--buffer", "200kB")
FOUND_S = 2.0
PROBED_S = 4.0
STEPS = (20, 5, 20)  # Mbit/s


class Modem:
    """penstock-link between gateway and client, with a rate that changes."""

    def __init__(self, link: subprocess.Popen[str]) -> None:
        self.link = link

    def send(self, mbit: int) -> None:
        """Sends so much to the client from now on."""
        assert self.link.stdin is not None
        assert self.link.stdout is not None
        self.link.stdin.write(f"rate {mbit}mbit\n")
        self.link.stdin.flush()
        assert self.link.stdout.readline() == "changed\n"


@contextmanager
def modem(lab: Lab, grant_ms: int) -> Iterator[Modem]:
    """Of 20 Mbit/s and 200 kB, behind the gateway and 40 ms of round trip; 0: without grants."""
    sh(f"ip -n {lab.gateway} link del {lab.device}")
    grants = [f"--grant={grant_ms}ms", f"--request={grant_ms}ms"]
    back = ["--rate-back=1gbit", "--grant-back=0ms", "--request-back=0ms"]
    ends = [f"{lab.gateway}:{lab.device}", f"{lab.client}:c0"]
    shape = ["--rate=20mbit", "--queue=200kB", *grants, *back]
    with linked(*ends, *shape, "--commands") as link:
        sh(f"ip -n {lab.gateway} addr add 10.9.1.1/24 dev {lab.device}")
        sh(f"ip -n {lab.client} addr add 10.9.1.2/24 dev c0")
        sh(f"ip -n {lab.client} route add default via 10.9.1.1")
        with lab.far_server("20ms"):
            sh(f"ip -n {lab.server} link set s0 gso_max_segs 1")
            yield Modem(link)


@dataclass(frozen=True)
class Held:
    """What was measured at one rate."""

    found_s: float
    median_ms: float
    p99_ms: float
    mbps: float


def stepped(lab: Lab, flows: int, grant_ms: int, options: tuple[str, ...]) -> list[Held]:
    """At each rate, from two seconds after it began, or after the rate is known."""
    held = []
    lab.down()  # its devices are gone with the links of the last time
    lab.up()
    with ExitStack() as stack:
        line = stack.enter_context(modem(lab, grant_ms))
        if options:
            lab.tool("attach", lab.device, *options)
        pairs = stack.enter_context(connections(lab, flows))
        stack.enter_context(streaming(*pairs))
        time.sleep(2)
        if options == AUTO:
            until(lambda: passive(lab)["known"] is True)
        for mbit in STEPS:
            begun_s = time.monotonic()
            line.send(mbit)
            if options == TOLD:
                lab.tool("set", lab.device, "--rate", f"{mbit}mbit")
            found_s = found_after_s(lab, mbit, begun_s) if options == AUTO else 0
            time.sleep(max(0, begun_s + FOUND_S - time.monotonic()))
            acked, since_s = sum(acked_bytes(near) for near, _ in pairs), time.monotonic()
            delays = probed_ms(lab, PROBED_S)
            acked = sum(acked_bytes(near) for near, _ in pairs) - acked
            sent = acked * 8e-6 / (time.monotonic() - since_s)
            held.append(Held(found_s, median(delays), delays[len(delays) * 99 // 100], sent))
        lab.tool("detach", lab.device, expect=None)
    return held


@pytest.mark.parametrize(("grant_ms", "flows"), [(0, 1), (2, 1), (2, 4), (6, 1), (6, 4)])
def test_a_step_is_found_and_the_delay_is_as_with_a_told_rate(
    lab: Lab, record: Record, grant_ms: int, flows: int
) -> None:
    with timed():
        found = {
            name: stepped(lab, flows, grant_ms, options)
            for name, options in (("passive", AUTO), ("told", TOLD), ("droptail", ()))
        }
        for name, steps in found.items():
            for mbit, held in zip(STEPS, steps, strict=True):
                print(grant_ms, flows, name, mbit, held)
                record(**{f"{name}_{mbit}_{key}": value for key, value in vars(held).items()})
        # At 5 Mbit/s a packet takes 2.4 ms, and more of them wait than with a rate that is told.
        for mbit, passed, told, dropping in zip(STEPS, *found.values(), strict=True):
            assert passed.found_s < FOUND_S
            assert passed.p99_ms < dropping.p99_ms
            assert passed.p99_ms <= (1.5 if mbit > 5 else 3) * told.p99_ms
