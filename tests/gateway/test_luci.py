# SPDX-License-Identifier: GPL-2.0-only
"""LuCI's page in a browser, with stand-ins for LuCI's modules and for rpcd."""

import fnmatch
import functools
import http.server
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from browsing import browser
from feeds import Feed
from gateway_lab import OPENWRT, TOOL, Lab
from loads import connections, streaming

INSTALLED_TOOL = "/usr/sbin/penstock-gw"
STAND_IN = Path(__file__).with_name("luci.html")


def is_allowed(acl: dict[str, Any], words: list[str]) -> bool:
    """What rpcd says of a command: the list has it, or the command line matches a pattern."""
    files: dict[str, list[str]] = acl["luci-app-penstock"]["read"]["file"]
    line = " ".join(words)
    return any(
        "exec" in rights and (pattern == words[0] or fnmatch.fnmatchcase(line, pattern))
        for pattern, rights in files.items()
    )


class Router(http.server.SimpleHTTPRequestHandler):
    """Serves what the package installs, and runs the commands that it allows."""

    def __init__(self, lab: Lab, root: Path, *rest: Any) -> None:
        self.lab, self.root = lab, root
        super().__init__(*rest, directory=str(root / "www"))

    def do_POST(self) -> None:
        """As rpcd's `file exec`."""
        words = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        acl = json.loads((self.root / "usr/share/rpcd/acl.d/luci-app-penstock.json").read_text())
        assert words[0] == INSTALLED_TOOL
        assert is_allowed(acl, words), words
        command = ["ip", "netns", "exec", self.lab.gateway, str(TOOL), *words[1:]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        answer = {"code": done.returncode, "stdout": done.stdout, "stderr": done.stderr}
        self.send_response(HTTPStatus.OK)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def root(feed: Feed, tmp_path: Path) -> Path:
    """The package's files."""
    feed.make("prepare", "install-luci-app-penstock", package="luci-app-penstock")
    (tmp_path / "luci-app-penstock/www/index.html").write_text(STAND_IN.read_text())
    (tmp_path / "luci-app-penstock/www/favicon.ico").write_text("")
    return tmp_path / "luci-app-penstock"


@contextmanager
def serving_luci(lab: Lab, root: Path) -> Iterator[str]:
    """The address of the page."""
    handler = functools.partial(Router, lab, root)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_the_page_shows_queue_rate_flows_and_what_is_held(
    lab: Lab, root: Path, tmp_path: Path
) -> None:
    lab.tool("attach", lab.device, "--rate", "20mbit", "--buffer", "60kB")
    with (
        serving_luci(lab, root) as address,
        browser(tmp_path) as page,
        connections(lab, 2) as pairs,
        streaming(*pairs),
    ):
        page.open(address)
        section = f"document.querySelector('[data-device={lab.device}]')"
        rows = f"[...{section}.querySelectorAll('table')].map((one) => [...one.rows].slice(1).map("
        rows += "(row) => [...row.cells].map((cell) => cell.textContent)))"
        page.wait(f"{section} && ({rows})[0].length === 2")
        page.wait(f"{section}.querySelector('svg .one, .one[data-key=sent_mbps]') !== null")
        page.wait(
            f"({section}.querySelector('[data-key=sent_mbps]').getAttribute('d') ?? '').length > 20"
        )
        page.wait(
            f"({section}.querySelector('[data-key=target_ms]').getAttribute('d') ?? '').length > 20"
        )
        page.wait(f"parseFloat(({rows})[0][0][2]) > 0")
        text = page.ask(f"{section}.querySelector('.state').textContent")
        flows, _ = page.ask(rows)
        (tmp_path / "luci.png").write_bytes(page.picture(whole=True))
        assert text.startswith("live; penstock, 20.00 Mbit/s; queue ")
        known = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
        assert {(row[0], row[1]) for row in flows} == {
            (flow["sender"], flow["receiver"]) for flow in known
        }
        rules = set(lab.status()["acks_by"])  # type: ignore[call-overload]
        assert all(row[6] in rules for row in flows)
        assert page.complaints == []


def test_a_device_comes_and_goes_on_the_page(lab: Lab, root: Path, tmp_path: Path) -> None:
    with serving_luci(lab, root) as address, browser(tmp_path) as page:
        page.open(address)
        page.wait("document.querySelector('.none')?.hidden === false")
        lab.tool("attach", lab.device, "--rate", "20mbit", "--observe")
        page.wait("document.querySelector('.state')?.textContent.startsWith('observe; ')")
        assert page.ask("document.querySelector('.none').hidden")
        lab.tool("detach", lab.device)
        page.wait("document.querySelector('.state') === null")
        assert page.complaints == []


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("status -j", True),
        ("flows -j pppoe-wan", True),
        ("status -j --netns x", False),
        ("detach --all", False),
        ("set wan --observe", False),
        ("", False),
    ],
)
def test_the_page_may_only_look(line: str, allowed: bool) -> None:
    acl = json.loads((OPENWRT.parents[1] / "luci-app-penstock/files/acl.json").read_text())
    assert is_allowed(acl, [INSTALLED_TOOL, *line.split()]) == allowed
    assert "write" not in acl["luci-app-penstock"]


def test_the_form_may_change_settings_alone() -> None:
    acl = json.loads((OPENWRT.parents[1] / "luci-app-penstock/files/acl.json").read_text())
    assert acl["luci-app-penstock-settings"]["write"] == {"uci": ["penstock"]}


def test_the_form_has_a_field_for_each_option_of_the_file(root: Path, tmp_path: Path) -> None:
    """Those of the example are penstock-gw's, and the init script's own."""
    config = (OPENWRT / "penstock.config").read_text()
    options = set(re.findall(r"^\t#?(?:option|list) (\w+) ", config, re.MULTILINE))
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(root / "www"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            with browser(tmp_path) as page:
                page.open(f"http://127.0.0.1:{server.server_port}/?view=services.penstock")
                page.wait("document.querySelector('[data-option]') !== null")
                fields = "[...document.querySelectorAll('[data-option]')]"
                shown = page.ask(f"{fields}.map((one) => one.dataset.option)")
                words = page.ask(
                    f"{fields}.find((one) => one.dataset.option === 'mode').textContent"
                )
                assert page.complaints == []
        finally:
            server.shutdown()
    assert set(shown) | {"metrics_port", "log"} == options
    assert words.startswith("mode: safe strict literal")


def test_the_menu_leads_to_the_views(root: Path) -> None:
    menu = json.loads((root / "usr/share/luci/menu.d/luci-app-penstock.json").read_text())
    acl = json.loads((root / "usr/share/rpcd/acl.d/luci-app-penstock.json").read_text())
    for entry in menu.values():
        assert (root / f"www/luci-static/resources/view/{entry['action']['path']}.js").is_file()
    assert [group for entry in menu.values() for group in entry["depends"]["acl"]] == list(acl)
