# SPDX-License-Identifier: GPL-2.0-only
"""The page as its reader meets it."""

import re
from pathlib import Path

import pytest
from chromium import Chromium

from penstock.scenario.read import read

MOST_BYTES = 1_500_000
ASKED = "#rate=4mbit&rtt=540ms&buffer=97kB&flows=24&size=300kB&window=65535"
REST = "&congestion=newreno&seed=3&methods=droptail,ewt"
# Pixels of a canvas that have the colour of the panel's line.
_COLOURED = """(() => {
  const canvas = document.querySelectorAll("canvas")[%d];
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const [r, g, b] = %s;
  let found = 0;
  for (let i = 0; i < data.length; i += 4)
    if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) found += 1;
  return found;
})()"""
ORANGE, DROP = [0xD5, 0x5E, 0x00], [0xB3, 0x26, 0x1E]


@pytest.fixture
def opened(browser: Chromium, page: Path) -> Chromium:
    browser.screen(1280, 900)
    browser.open(page.as_uri() + ASKED + REST)
    browser.until(lambda: browser.ask("penstock.rows()"))
    return browser


DOCS = Path(__file__).parents[2] / "docs"
SETTING = re.compile(r"^\[In a browser\]\(\.\./browser\.md\): `(#.*)`$", re.MULTILINE)
WITHOUT = {  # what the page has no counterpart of: sharing between connections, mobility
    *("README", "congestion-manager", "efcm", "ensemble-tcp", "freeze-tcp", "fs-tcbi", "spand"),
    *("linux-efcm-1", "linux-efcm-3", "sender-options", "tcbi-ensemble", "tcbi-temporal"),
    *("window-option", "window-rules"),
}


def test_every_page_of_a_method_has_a_setting_that_shows_it(browser: Chromium) -> None:
    for page in sorted((DOCS / "methods").glob("*.md")):
        found = SETTING.findall(page.read_text())
        assert len(found) == (page.stem not in WITHOUT), page.stem
        for fragment in found:
            assert browser.ask(f"penstock.link({fragment!r})") == fragment
            name = page.stem.replace("-", "_")
            names = re.split("[=&,]", fragment)
            parts = {name, name.removesuffix("_sender"), name.replace("fba_sender", "fba_tcp")}
            assert parts & set(names) or name == "red_band", page.stem


def _end(browser: Chromium) -> None:
    browser.until(lambda: browser.ask("document.getElementById('play').textContent") == "Play")


def test_it_is_one_file_that_asks_for_nothing(page: Path) -> None:
    text = page.read_text()
    assert len(text.encode()) < MOST_BYTES
    assert not re.search(r"""(?:src|href)=["']|@import|fetch\(|https?:""", text)


def test_a_link_carries_the_settings(opened: Chromium, tmp_path: Path) -> None:
    assert opened.ask("document.getElementById('flows').nextSibling") is None
    assert opened.ask("document.querySelector('output[for=buffer]').textContent") == "97 kB"
    opened.ask("document.getElementById('window').dispatchEvent(new Event('change'))")
    assert opened.ask("location.hash") == ASKED + REST
    file = tmp_path / "link.toml"
    file.write_text(opened.ask("penstock.scenario()"))
    found = read(str(file)).scenario
    link = found.link["bottleneck"]
    assert (link.rate, link.queue) == (4_000_000, 97_000)
    assert link.delay is not None
    assert link.delay.first_ns == 270_000_000
    assert (found.sweep.flows, found.sweep.receivers) == ([24], ["65535"])
    assert (found.tcp["bulk"].size, found.tcp["bulk"].congestion) == (300_000, "newreno")
    assert found.sweep.methods == ["droptail", "ewt"]


@pytest.mark.parametrize(
    "fragment",
    [
        "#rate=fast&rtt=-1ms&flows=0&buffer=3&methods=nobody",
        *("#window=__proto__", "#window=toString", "#methods=toString", "#%"),
    ],
)
def test_a_wrong_link_shows_the_usual_settings(
    browser: Chromium, page: Path, fragment: str
) -> None:
    browser.open(page.as_uri() + fragment)
    browser.until(lambda: browser.ask("penstock.rows()"))
    assert browser.ask("document.querySelector('output[for=rate]').textContent") == "10 Mbit/s"
    assert browser.ask("document.querySelectorAll('canvas').length") == 3


def test_queue_and_drops_are_drawn_as_they_happen(browser: Chromium, page: Path) -> None:
    browser.open(page.as_uri() + "#methods=droptail,penstock")
    browser.until(lambda: browser.ask("penstock.rows()"))
    browser.ask("document.getElementById('play').click()")
    clock = browser.ask("document.getElementById('clock').textContent")
    part = browser.ask(_COLOURED % (1, ORANGE))
    browser.ask("document.getElementById('play').click()")
    _end(browser)
    assert float(clock.split()[0]) < float(
        browser.ask("document.getElementById('clock').textContent").split()[0]
    )
    whole = browser.ask(_COLOURED % (1, ORANGE))
    assert whole > part
    assert whole > 300
    assert browser.ask(_COLOURED % (0, DROP)) > 100
    assert browser.ask(_COLOURED % (1, DROP)) == 0


def test_all_of_it_works_by_keyboard(opened: Chromium) -> None:
    opened.ask("document.activeElement.blur()")
    opened.press("Tab")
    assert opened.ask("document.activeElement.id") == "rate"
    opened.press("ArrowRight")
    assert "rate=5mbit&" in opened.ask("location.hash")
    opened.ask("document.getElementById('add').focus()")
    opened.press("Enter")
    assert opened.ask("location.hash").endswith("methods=droptail,ewt,red")
    opened.ask("document.getElementById('play').focus()")
    before = opened.ask("document.getElementById('play').textContent")
    opened.press(" ")
    assert opened.ask("document.getElementById('play').textContent") != before
    reached = opened.ask(
        "[...document.querySelectorAll('input, select, button, summary')]"
        ".filter((each) => !each.hidden && each.tabIndex < 0).length"
    )
    assert reached == 0


def test_every_control_has_a_name(opened: Chromium) -> None:
    unnamed = opened.ask(
        "[...document.querySelectorAll('input, select, button, canvas')].filter((each) =>"
        " !(each.ariaLabel || each.closest('label') || each.textContent.trim())).length"
    )
    assert unnamed == 0


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_the_screen(opened: Chromium, width: int, dark: bool) -> None:
    opened.screen(width, 800, dark=dark)
    wide = opened.ask("document.documentElement.scrollWidth")
    assert wide <= width
    cut = opened.ask(
        "[...document.querySelectorAll('button, output, label span, h1, p')].filter((each) =>"
        " !each.hidden && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)"
        ".map((each) => each.textContent)"
    )
    assert cut == []


def test_what_the_engine_refuses_is_said(opened: Chromium) -> None:
    said = opened.ask("penstock.refused('network seed=1\\nlink src=0')")
    assert said == "link has no dst"
    said = opened.ask("penstock.refused('network seed=1\\nnode name=a\\nnode name=a')")
    assert "a" in said


# Of each canvas, texts that do not lie within it; elements beyond the page's edge; boxes that
# scroll sideways; choices whose text is wider than their box.
_FOUR = ASKED + "&congestion=cubic&seed=1&methods=droptail,fq_codel,ewt,penstock"
_CUT = """(() => {
  const edge = document.documentElement.clientWidth + 1;
  const beyond = [...document.querySelectorAll("body *")].filter(
    (one) => !one.closest(".wide") && one.getBoundingClientRect().right > edge);
  const scrolls = [...document.querySelectorAll(".wide")].filter(
    (one) => one.scrollWidth > one.clientWidth + 1);
  const pen = document.createElement("canvas").getContext("2d");
  const narrow = [...document.querySelectorAll("select")].filter((one) => {
    pen.font = getComputedStyle(one).font;
    return pen.measureText(one.selectedOptions[0].textContent).width > one.clientWidth - 24;
  });
  return [...beyond, ...scrolls, ...narrow].map((one) => one.outerHTML.slice(0, 80));
})()"""


@pytest.mark.parametrize("width", [360, 420, 1280])
def test_nothing_is_cut_with_four_methods(browser: Chromium, page: Path, width: int) -> None:
    browser.screen(width, 900)
    browser.open("about:blank")
    browser.open(page.as_uri() + _FOUR)
    browser.until(lambda: browser.ask("penstock.rows()"))
    _end(browser)
    assert browser.ask("penstock.cut()") == []
    assert browser.ask(_CUT) == []
    assert browser.ask("document.getElementById('told').hidden")


@pytest.mark.parametrize(
    ("fragment", "told"),
    [
        ("#rate=4mbits", "rate=4mbits: write 1kbit to 1gbit, such as 10mbit"),
        ("#rate=2gbit", "rate=2gbit: write 1kbit to 1gbit"),
        ("#flows=many", "flows=many: write 1 to 500, such as 12"),
        ("#methods=droptail,nope", "methods: there is no nope in this page"),
        ("#methods=droptail,red,ared,ewt,penstock", "methods: 4 at most; penstock left out"),
        ("#window=12", "window=12: write 65535 or auto"),
        ("#delay=4ms", "delay: no setting; there are rate, rtt,"),
    ],
)
def test_bad_values_of_a_link_are_told(
    browser: Chromium, page: Path, fragment: str, told: str
) -> None:
    browser.open("about:blank")
    browser.open(page.as_uri() + fragment)
    browser.until(lambda: browser.ask("document.getElementById('told').hidden") is False)
    assert told in browser.ask("document.getElementById('wrong').textContent")
    browser.ask("document.getElementById('window').dispatchEvent(new Event('change'))")
    assert browser.ask("document.getElementById('told').hidden"), "after a change by hand"
