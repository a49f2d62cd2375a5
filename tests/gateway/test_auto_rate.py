# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw --rate auto: where it can be, and that it follows a link's rate."""

import json
import time
from pathlib import Path
from statistics import fmean

import pytest
from gateway_lab import Lab
from loads import connections, streaming, until

AUTO = ("--rate", "auto", "--queue", "existing", "--buffer", "97kB")


def shape(lab: Lab, rate: str, how: str = "add") -> None:
    """A shaper of somebody else on the device."""
    lab.tc(f"qdisc {how} dev {lab.device} root tbf rate {rate} burst 5k limit 97000")


def departures(lab: Lab) -> dict[str, float]:
    """What `status` says of them."""
    found = lab.status()["departures"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "rate: auto measures a queue that is there already"),
        (("--queue", "install", "--buffer", "97kB"), "give one, or use --queue existing"),
        (("--queue", "existing"), "buffer: is missing"),
        ((*AUTO[2:], "--source", "virtual"), "a virtual one needs a rate"),
        ((*AUTO[2:], "--class", "1:10"), "give the rate of class 1:10"),
        ((*AUTO[2:], "--overhead", "docsis"), "overhead: is that of a given rate"),
    ],
)
def test_what_needs_a_rate_is_refused(lab: Lab, options: tuple[str, ...], message: str) -> None:
    assert message in lab.tool("attach", lab.device, "--rate", "auto", *options, expect=2)
    assert lab.leftovers() == []


def test_it_is_a_setting_like_others(lab: Lab, tmp_path: Path) -> None:
    shape(lab, "20mbit")
    lab.tool("attach", lab.device, *AUTO)
    shown = lab.tool("show", lab.device)
    assert 'rate = "auto"' in shown
    assert "assumed until packets wait" in lab.tool("status", lab.device)
    assert departures(lab)["known"] is False
    lab.tool("set", lab.device, "--rate", "10mbit")
    assert lab.status()["rate_bps"] == 10_000_000
    assert "departures" not in lab.status()
    file = tmp_path / "penstock.toml"
    file.write_text(shown)
    lab.tool("reload", lab.device, "-c", str(file))
    assert departures(lab)["bytes_per_s"] > 0
    assert "(auto)" in lab.tool("explain", lab.device)


def left_bytes(lab: Lab) -> int:
    """What has left the shaper, as it counts itself."""
    (shown,) = json.loads(lab.tc(f"-s -j qdisc show dev {lab.device} root"))
    return int(shown["bytes"])


def test_status_follows_a_link_whose_rate_changes(lab: Lab) -> None:
    """The shaper of a busy machine delivers less than it is told, and that is the link's rate."""
    shape(lab, "20mbit")
    lab.tool("attach", lab.device, *AUTO)

    def is_followed(mbit: int) -> bool:
        """For half a second no less than what left, no more than the shaper lets out."""
        begun_s, before = time.monotonic(), left_bytes(lab)
        found = []
        for _ in range(5):
            time.sleep(0.1)
            found.append(departures(lab)["bytes_per_s"] * 8e-6)
        left_mbps = (left_bytes(lab) - before) * 8e-6 / (time.monotonic() - begun_s)
        return 0.9 * left_mbps < fmean(found) < 1.1 * mbit

    with connections(lab, 4) as pairs, streaming(*pairs):
        for mbit in (20, 8, 30):
            shape(lab, f"{mbit}mbit", "change")
            until(lambda mbit=mbit: is_followed(mbit))
        status = lab.status()
        assert isinstance(status["departures"], dict)
        assert status["rate_bps"] == 8 * status["departures"]["bytes_per_s"]
        assert "measured from what leaves the queue" in lab.tool("status", lab.device)
