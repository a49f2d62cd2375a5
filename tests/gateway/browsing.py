# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, driven by its DevTools protocol over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
SECONDS = 60.0


class Page:
    """One tab."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading, self.writing = reading, writing
        self.rest = b""
        self.number = 0
        self.session = ""
        self.complaints: list[str] = []  # of the console, and of the content security policy
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.reading], [], [], max(until - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            part = os.read(self.reading, 1 << 16)
            assert part, "the browser has ended"
            self.rest += part
        one, _, self.rest = self.rest.partition(b"\0")
        found: dict[str, Any] = json.loads(one)
        return found

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", str(details)))
        if event.get("method") == "Log.entryAdded":
            self.complaints.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command; its result."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.writing, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while (answer := self._message(until)).get("id") != self.number:
            self._note(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, url: str) -> None:
        """Loads a page."""
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """What JavaScript makes of it."""
        got = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in got, got
        return got["result"].get("value")

    def wait(self, expression: str, seconds: float = SECONDS) -> None:
        """Until it is true."""
        deadline = time.monotonic() + seconds
        while not self.value(expression):
            assert time.monotonic() < deadline, f"it did not come about: {expression}"
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """A key, for what has the focus."""
        code = {"Tab": 9, "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27}[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
            )

    def resize(
        self, width: int, height: int = 900, *, dark: bool = False, media: str = "screen"
    ) -> None:
        """The size of the window, the scheme that its user prefers, and whether it is printed."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, path: Path) -> None:
        """All of the page as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def printed(self, path: Path) -> None:
        """The page as PDF."""
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF")["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """A new browser with its profile in `folder`; skips where there is none."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed (Debian: chromium)")
    to_it, from_us = os.pipe()
    to_us, from_it = os.pipe()

    def take_pipes() -> None:
        os.dup2(to_it, 3)
        os.dup2(from_it, 4)

    # The pipes' own numbers may be 3 and 4: higher ones are free of that.
    to_it, from_it = (os.dup2(fd, fd + 40) for fd in (to_it, from_it))
    running = subprocess.Popen(
        [program, *OPTIONS, f"--user-data-dir={folder / 'profile'}"],
        pass_fds=(3, 4, to_it, from_it),
        preexec_fn=take_pipes,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Page(to_us, from_us)
    finally:
        running.terminate()
        running.wait(30)
        for fd in (to_it, from_it, to_us, from_us):
            os.close(fd)
