# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, driven by its DevTools protocol over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE_S = 240.0
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"),
    *("--force-device-scale-factor=1", "--remote-debugging-pipe"),
)
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowRight": 39}
TYPED = {"Enter": "\r", " ": " "}


def _complaint(event: dict[str, Any]) -> str:
    """An exception of the page, or an entry of the browser's log; empty for other events.

    What the browser says of rendering is advice on speed, as on a test that reads a canvas.
    """
    params = event.get("params", {})
    if event.get("method") == "Log.entryAdded" and params["entry"]["source"] != "rendering":
        return f"{params['entry']['text']} {params['entry'].get('url', '')}"
    if event.get("method") == "Runtime.exceptionThrown":
        details = params["exceptionDetails"]
        return str(details.get("exception", {}).get("description", details))
    return ""


class Chromium:
    """One browser with one page. Leaving it ends the browser.

    `complaints` holds exceptions and what the browser logged, as of the content security policy.
    """

    def __init__(self, profile: Path) -> None:
        browser = shutil.which("chromium")
        assert browser, "chromium is not installed (Debian: chromium)"
        # Chromium reads from 3 and writes to 4.
        their_input, self._to = os.pipe()
        self._from, their_output = os.pipe()
        command = [
            *("bash", "-c", f'exec "$@" 3<&{their_input} 4>&{their_output}', "bash", browser),
            *(*OPTIONS, f"--user-data-dir={profile}", "about:blank"),
        ]
        self._process = subprocess.Popen(
            command,
            pass_fds=(their_input, their_output),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_input)
        os.close(their_output)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        self._attach()

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)
        os.close(self._to)
        os.close(self._from)

    def _attach(self) -> None:
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        found = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = found["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Log.enable")

    def _read(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(end - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            chunk = os.read(self._from, 1 << 20)
            assert chunk, "the browser ended"
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while (found := self._read(end)).get("id") != self._number:
            if complaint := _complaint(found):
                self.complaints.append(complaint)
        assert "error" not in found, found
        result: dict[str, Any] = found["result"]
        return result

    def open(self, address: str) -> None:
        """Loads a page."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: Callable[[], Any], what: str = "the page") -> Any:
        """What the condition gives once it is true."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.05)
        raise TimeoutError(f"{what} did not come about")

    def wait(self, expression: str) -> Any:
        """What the expression gives in the page once it is true."""
        return self.until(lambda: self.ask(expression), expression)

    def press(self, key: str) -> None:
        """A key, down and up, for what has the focus."""
        pressed = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
        typed = {"text": TYPED[key]} if key in TYPED else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **pressed, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def screen(
        self, width: int, height: int = 900, *, dark: bool = False, media: str = "screen"
    ) -> None:
        """The size of the window, the colours that its user prefers, and whether it is printed."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, *, whole: bool = False) -> bytes:
        """What is seen, or all of the page, as PNG."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(found["data"])

    def printed(self) -> bytes:
        """The page as PDF, whatever screen() has set."""
        self.call("Emulation.setEmulatedMedia", media="print")
        return base64.b64decode(self.call("Page.printToPDF")["data"])
