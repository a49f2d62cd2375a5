# SPDX-License-Identifier: GPL-2.0-only
"""`penstock run --backend live` with more flows than segments, whose ACKs wait in fq."""

import json
from pathlib import Path

import pytest
from live_support import ended

from penstock.errors import Exit

PACED = "gateway.left.beyond=pace-acks"
FLOWS = "60"  # path and queue hold 28 segments
SLOW = (
    *("--set", "link.bottleneck.rate=2mbit", "--set", "link.bottleneck.queue=37500B"),
    *("--set", "tcp.bulk.size=100MB", "--set", "time.limit=16s", "--set", "time.warm_up=8s"),
)


@pytest.fixture
def losses(scenario: Path) -> dict[str, float]:
    """Lost percent without and with delayed ACKs; skips where the kernel cannot hold them."""
    lost = {}
    for name, more in (("paced", ("--set", PACED)), ("plain", ())):
        done = ended(scenario, "-m", "penstock", "-n", FLOWS, *SLOW, *more)
        if done.returncode == Exit.SKIPPED:
            assert "this kernel has no queueing discipline fq" in done.stderr
            pytest.skip("the kernel has no fq (tests/live/guest has)")
        assert done.returncode == 0, done.stderr
        lost[name] = json.loads(done.stdout)["loss_percent"]
    return lost


@pytest.mark.usefixtures("gateway")
def test_with_fq_delayed_acks_save_losses(losses: dict[str, float]) -> None:
    assert losses["plain"] > 1
    assert losses["paced"] < losses["plain"] / 4
