# SPDX-License-Identifier: GPL-2.0-only
"""The live page in a browser: its values, its pace, and that it can be used by all."""

import itertools
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsing import browser
from chromium import Chromium
from gateway_lab import TOOL, Lab
from loads import connections, streaming, until
from patience import timed
from serving import serving
from spaces import inside

WIDTHS = (1280, 390)
# Elements that reach beyond the page's width, except in boxes that scroll.
WIDE = """(() => [...document.querySelectorAll("body *")].filter((one) =>
  !one.closest(".scroll") && !one.closest("svg")
  && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 80)))()"""
VALUES = """Object.fromEntries([...document.querySelectorAll("#values tr")].map((row) =>
  [row.cells[0].textContent, row.cells[1].textContent]))"""


@contextmanager
def headless(lab: Lab, folder: Path) -> Iterator[Chromium]:
    """A browser on the gateway."""
    with ExitStack() as stack:
        with inside(lab.gateway):
            page = stack.enter_context(browser(folder))
        yield page


@contextmanager
def opened(lab: Lab, folder: Path, *options: str) -> Iterator[Chromium]:
    """The page, in a browser on the gateway."""
    with headless(lab, folder) as page, serving(lab, *options) as served:
        page.open(served.address)
        yield page


def shown(value: object) -> str:
    """As JavaScript prints it."""
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def flat(value: dict[str, Any], name: str = "") -> dict[str, str]:
    """The same with the names of inner values after those of outer ones."""
    found = {}
    for key, inner in value.items():
        path = f"{name}.{key}" if name else key
        found.update(flat(inner, path) if isinstance(inner, dict) else {path: shown(inner)})
    return found


def quiet(lab: Lab) -> dict[str, str]:
    """`status -j` without what time alone changes."""
    status = lab.status()
    return {
        key: value
        for key, value in flat(status).items()
        if key != "ticks" and not key.startswith("method_state")
    }


@pytest.mark.parametrize(
    "attachment", [("pgc", "--rate", "auto", "--source", "passive"), ("pgc.down",)]
)
def test_the_page_says_that_a_rate_is_not_known(
    lab: Lab, tmp_path: Path, attachment: tuple[str, ...]
) -> None:
    lab.device = attachment[0]
    lab.tool("attach", *attachment)
    with opened(lab, tmp_path) as page:
        page.wait("+document.body.dataset.drawn > 5")
        text = "document.getElementById('{}').textContent"
        assert page.ask(text.format("queue")) == "unknown"
        assert page.ask(text.format("queue_note")).startswith("too little traffic")
        assert page.ask(text.format("rate_note")).startswith("of an unknown rate")


def test_the_path_is_drawn_while_auto_watches(lab: Lab, tmp_path: Path) -> None:
    command = [str(TOOL), "--netns", lab.gateway, "auto", "pgc"]
    hidden = "document.getElementById('path').hidden"
    lab.device = "pgc.down"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as auto:
        try:
            until(lambda: "auto since" in lab.tool("auto", "status", "pgc", expect=None))
            with connections(lab, 2) as pairs, opened(lab, tmp_path) as page:
                page.wait(f"!{hidden}")
                with streaming(*pairs):
                    label = "document.getElementById('path_drawing').getAttribute('aria-label')"
                    page.wait(f"/^downloads: not seen; .*uploads: .* ms behind pgc/.test({label})")
                assert page.ask("document.querySelectorAll('#path_drawing .way').length") == 8
                said = page.ask("document.getElementById('path_said').textContent")
                assert "down: observing. " in said
                assert page.ask(WIDE) == []
                auto.terminate()
                assert auto.wait(20) == 0
                page.wait(hidden)
                assert page.complaints == []
        finally:
            auto.kill()


def test_the_page_shows_the_values_of_status(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "60kB")
    with connections(lab, 3) as pairs, opened(lab, tmp_path) as page:
        with streaming(*pairs):
            page.wait("document.querySelectorAll('#flows tbody tr').length === 3")
            page.wait("+document.body.dataset.drawn > 30")
            assert page.ask("document.querySelectorAll('.one')[0].getAttribute('d').length") > 200
            page.wait("document.getElementById('rate').textContent.includes('Mbit/s')")
            page.wait("/^\\d+ a minute$/.test(document.getElementById('rpm').textContent)")
        # Without traffic nothing but the clock goes on, after the last ACKs and packets.
        until(lambda: quiet(lab) == quiet(lab) and lab.status()["flows_active"] == 0)
        own = quiet(lab)
        page.wait(f"{VALUES}['acks_seen'] === '{own['acks_seen']}'")
        page.wait(f"{VALUES}['flows_active'] === '0'")
        values = page.ask(VALUES)
        assert own == {key: values.get(key) for key in own}
        assert values.keys() == flat(lab.status()).keys()
        assert page.ask("document.getElementById('state').textContent") == "● live"
        note = page.ask("document.getElementById('flows_note').textContent")
        assert note == f"{own['acks_rewritten']} of {own['acks_seen']} ACKs rewritten"
        limits = page.ask(
            "[...document.querySelectorAll('#flows tbody tr')].map(r => r.cells[6].textContent)"
        )
        passed = page.ask(
            "[...document.querySelectorAll('#bypassed tbody tr')].map(r => r.cells[1].textContent)"
        )
        counted = ("bypassed.", "early_drops", "early_marks")
        some = {key for key, value in own.items() if key.startswith(counted) and value != "0"}
        assert set(passed) == {key.removeprefix("bypassed.") for key in some}
        assert all(": R" in text or text.startswith("method: ") for text in limits)
        assert page.complaints == []


def times_drawn(page: Chromium) -> list[float]:
    """In ms, of the next fifty drawings."""
    times = page.ask(
        """new Promise((done) => {
          const times = [];
          const seen = new MutationObserver(() => {
            times.push(performance.now());
            if (times.length < 50) return;
            seen.disconnect();
            done(times);
          });
          seen.observe(document.body, { attributeFilter: ["data-drawn"] });
        })"""
    )
    assert isinstance(times, list)
    return times


def are_tenths(times_ms: list[float]) -> bool:
    """Whether they are a tenth of a second apart, none but a few twice that."""
    gaps = [after - before for before, after in itertools.pairwise(times_ms)]
    return 95 < sum(gaps) / len(gaps) < 115 and sorted(gaps)[-3] < 200


def test_ten_looks_a_second_are_drawn_without_gaps(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with opened(lab, tmp_path) as page:
        page.wait("+document.body.dataset.drawn > 10")
        with timed():
            until(lambda: are_tenths(times_drawn(page)), 30)


def test_nothing_is_wider_than_the_page(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "60kB", "--observe")
    with (
        connections(lab, 3) as pairs,
        streaming(*pairs),
        opened(lab, tmp_path) as page,
    ):
        page.wait("+document.body.dataset.drawn > 5")
        lab.tool("set", lab.device, "--live")
        page.wait("document.querySelectorAll('#flows tbody tr').length === 3")
        page.wait("document.querySelectorAll('#events li').length >= 1")
        page.wait("+document.body.dataset.drawn > 20")
        for width, dark in itertools.product(WIDTHS, (False, True)):
            page.screen(width, dark=dark)
            chart = "document.getElementById('queue_chart')"
            page.wait(f"{chart}.viewBox.baseVal.width === {chart}.clientWidth")
            assert page.ask(WIDE) == []
            # The queue was replaced, which counts from zero.
            assert int(page.ask("document.getElementById('drops').textContent")) >= 0
            name = f"page-{width}{'-dark' if dark else ''}"
            (tmp_path / f"{name}.png").write_bytes(page.picture(whole=True))
            (tmp_path / f"{name}.pdf").write_bytes(page.printed())
            assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert page.complaints == []


def test_the_keyboard_reads_a_chart(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "60kB")
    with opened(lab, tmp_path) as page:
        page.wait("+document.body.dataset.drawn > 20")
        page.press("Tab")
        assert page.ask("document.activeElement.id") == "queue_chart"
        page.press("ArrowLeft")
        said = page.ask("document.querySelector('.readout').textContent")
        assert "queue 0 ms, target 5 ms" in said
        page.press("Escape")
        assert page.ask("document.querySelector('.readout').textContent") == ""
        page.press("Tab")
        assert page.ask("document.activeElement.id") == "rate_chart"
        page.press("Tab")
        assert page.ask("document.activeElement.tagName") == "SUMMARY"


def test_the_page_asks_for_the_token(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    secret = tmp_path / "token"
    secret.write_text("0123456789abcdef\n")
    options = ("--listen", "10.9.1.1:7471", "--token-file", str(secret))
    with opened(lab, tmp_path, *options) as page:
        page.wait("!document.getElementById('access').hidden")
        assert page.ask("document.getElementById('content').hidden")
        page.ask("document.getElementById('token').value = 'wrong'")
        page.ask("document.querySelector('#access button').click()")
        page.wait("document.getElementById('link').textContent === 'this token is wrong'")
        page.ask("document.getElementById('token').value = '0123456789abcdef'")
        page.ask("document.querySelector('#access button').click()")
        page.wait("+document.body.dataset.drawn > 5")


def test_the_page_finds_a_server_that_comes_back(lab: Lab, tmp_path: Path) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit")
    with headless(lab, tmp_path) as page:
        with serving(lab) as served:
            page.open(served.address)
            page.wait("+document.body.dataset.drawn > 5")
        page.wait("document.getElementById('link').textContent.startsWith('no connection')")
        with serving(lab):
            page.wait("document.getElementById('link').textContent.startsWith('live')")
