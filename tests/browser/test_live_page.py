# SPDX-License-Identifier: GPL-2.0-only
"""The live page of a gateway on a phone: what one looks for first, and nothing beyond the edge."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium

from penstock.view.report import player

BEGIN = 1_800_000_000 * 10**9
STATUS: dict[str, Any] = {
    "device": "wan0", "state": "live", "method": "penstock", "mode": "safe", "observe": False,
    "rate_bps": 20_000_000, "buffer_bytes": 97_000, "target_bytes": 12_500, "target_ns": 5_000_000,
    "queue_bytes": 12_000, "queue_drops": 0, "flows_active": 3,
    "acks_seen": 30, "acks_rewritten": 29,
    "forward_bytes": 9_000, "forward_controlled_bytes": 8_000, "forward_tcp_bytes": 8_500,
    "controllable_ratio": 0.9, "bypassed": {}, "discipline": "fair",
}  # fmt: skip
RATES = [0, 5_000_000, 0, 7_000_000, 3_000_000, 0]
WIDE = """[...document.querySelectorAll("body *")].filter((one) =>
  !one.closest(".scroll") && !one.closest("svg")
  && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 80))"""
TO_THE_END = """(() => { const seek = document.getElementById("seek"); seek.value = seek.max;
  seek.dispatchEvent(new Event("input")); return true; })()"""
TOPS = """["#numbers", "#sending", ".charts"].map((name) =>
  document.querySelector(name).getBoundingClientRect().top)"""
SHOWN = """[...document.querySelectorAll("#flows tbody tr")].map((row) =>
  row.cells[2].textContent)"""


NOTE = """document.getElementById("drops_note").textContent"""


def recording(*, rates: Sequence[int | None] = RATES, **status: Any) -> list[dict[str, Any]]:
    flows = [
        {
            "sender": f"[2001:db8:0:12::{index}]:44131", "receiver": "[2001:db8:ffff:12::9]:443",
            "rate_bps": rate, "rtt_ns": 42_000_000, "controlled": True, "limited_by": "method",
            "window_offered_bytes": 262_144, "window_sent_bytes": 26_000,
        }
        for index, rate in enumerate(rates)
    ]  # fmt: skip
    found: list[dict[str, Any]] = [
        {"kind": "head", "schema_version": 1, "device": "wan0", "rules": {}, "bypasses": {}},
        {"kind": "status", "status": {**STATUS, **status}},
    ]
    for number in range(20):
        sent = 1_250_000 * number
        found.append(
            {
                "kind": "sample", "state": "live", "queue_bytes": 12_000, "flows_active": 3,
                "queue_drops": 795,
                "forward_bytes": sent, "forward_controlled_bytes": sent,
            }
        )  # fmt: skip
    found.append({"kind": "flows", "known": len(flows), "flows": flows})
    return [{"time_ns": BEGIN + 5 * 10**8 * at, **line} for at, line in enumerate(found)]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    path = tmp_path_factory.mktemp("live") / "page.html"
    path.write_text(player.page(recording()), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "charts_last"), [(390, True), (420, True), (1280, False)])
def test_flows_that_send_come_first(
    page: Path, tmp_path: Path, width: int, charts_last: bool
) -> None:
    with Chromium(tmp_path) as browser:
        browser.screen(width, 844)
        browser.open(page.as_uri())
        browser.until(lambda: browser.ask(TO_THE_END) and len(browser.ask(SHOWN)) == len(RATES))
        assert browser.ask(SHOWN)[:3] == ["7.00 Mbit/s", "5.00 Mbit/s", "3.00 Mbit/s"]
        numbers, sending, charts = browser.ask(TOPS)
        assert numbers < sending
        assert (sending < charts) == charts_last
        if charts_last:
            assert sending < 844, "on the first screen"
        assert browser.ask(WIDE) == []
        assert browser.complaints == []


def test_what_the_page_did_not_see_is_not_called_none(page: Path, tmp_path: Path) -> None:
    """Drops before it was opened, rates of its first second, and drops that a model would do."""
    told = tmp_path / "page.html"
    lines = recording(
        rates=[None, None],
        queue_drops=800,
        observed_drops=795,
        observe=True,
        queue_source="virtual",
        not_held="5.1 GB that came in by wan0: penstock-gw attach wan0 --down holds what comes in",
    )
    told.write_text(player.page(lines), encoding="utf-8")
    assert page.exists()
    with Chromium(tmp_path) as browser:
        browser.screen(390, 844)
        browser.open(told.as_uri())
        browser.until(lambda: browser.ask(TO_THE_END) and len(browser.ask(SHOWN)) == 2)
        assert browser.ask(SHOWN) == ["…", "…"]
        browser.until(lambda: browser.ask(NOTE))  # it is written at the next frame
        assert browser.ask(NOTE) == "would have been: in the last 10 s, seen here; 795 in all"
        assert "Not held: 5.1 GB" in browser.ask("document.body.innerText")
        assert browser.ask(WIDE) == []
        assert browser.complaints == []
