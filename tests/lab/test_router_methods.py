# SPDX-License-Identifier: GPL-2.0-only
"""Methods of routers and access points from scenario to columns: workers, and hosts that lie."""

from pathlib import Path

from lab_support import SMALL, Run, rows

METHODS = (
    *("fewa", "sap_law", "voap", "smart_red", "pink", "xcp", "fxcp", "etcp_1", "etcp_2", "etcp_3"),
    *("etcp_3b", "csfq", "fba_tcp", "quick_start", "antiecn"),
)
LIAR = """
[tcp.liar]
from = "senders"
to = "receivers"
count = 1
size = "4MB"
start = "0s..1s"
forge_feedback = {lies}
"""


def test_any_number_of_workers_gives_the_same(penstock: Run, small: Path) -> None:
    found = []
    for workers in (1, 3):
        wishes = ("-m", ",".join(METHODS), "--receivers", "auto", "--workers", workers, "-j")
        done = penstock("run", small, *wishes)
        assert done.returncode == 0, done.stderr
        found.append(rows(done.stdout))
    assert {row["method"] for row in found[0]} == set(METHODS)
    assert len(found[0]) == 2 * len(METHODS)
    assert found[0] == found[1]


def test_a_receiver_may_lie(penstock: Run, small: Path) -> None:
    """Four downloads over XCP, one of them to a receiver that forges what routers tell."""
    transfer_s = {}
    for lies in ("false", "true"):
        text = SMALL.replace("300kB", "4MB").replace("30kB", "100kB")
        small.write_text(text + LIAR.format(lies=lies))
        wishes = ("-m", "xcp", "--receivers", "auto", "--seeds", "1", "-j")
        done = penstock("run", small, *wishes)
        assert done.returncode == 0, done.stderr
        (row,) = rows(done.stdout)
        transfer_s[lies] = {group["group"]: group["transfer_s"] for group in row["groups"]}
    assert transfer_s["true"]["liar"] < 0.7 * transfer_s["false"]["liar"]
    assert transfer_s["true"]["bulk"] > transfer_s["false"]["bulk"]


def test_a_claim_above_the_request_of_quick_start_is_not_believed(
    penstock: Run, small: Path
) -> None:
    text = SMALL.replace("10mbit", "20mbit").replace("[3]", "[1]").replace("300kB", "100kB")
    transfer_s = []
    for lies in ("false", "true"):
        start = f'start = "0s"\nforge_feedback = {lies}'
        small.write_text(text.replace('start = "0s..1s"', start))
        wishes = ("-m", "quick_start", "--receivers", "auto", "--seeds", "1", "-j")
        done = penstock("run", small, *wishes)
        assert done.returncode == 0, done.stderr
        (row,) = rows(done.stdout)
        transfer_s.append(row["transfer_s"])
    assert transfer_s[1] > 1.2 * transfer_s[0]
