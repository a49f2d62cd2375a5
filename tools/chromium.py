# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, driven by its DevTools protocol over a pair of pipes."""

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE_S = 240


def _is_complaint(event: dict[str, Any]) -> bool:
    """True for an exception of the page, and for what the browser calls an error."""
    if event.get("method") == "Log.entryAdded":
        return bool(event["params"]["entry"]["level"] == "error")
    return event.get("method") == "Runtime.exceptionThrown"


class Chromium:
    """One browser with one page. Leaving it ends the browser."""

    def __init__(self, profile: Path) -> None:
        browser = shutil.which("chromium")
        assert browser, "chromium is not installed (Debian: chromium)"
        # Chromium reads from 3 and writes to 4.
        their_input, self._to = os.pipe()
        self._from, their_output = os.pipe()
        command = [
            *("bash", "-c", f'exec "$@" 3<&{their_input} 4>&{their_output}', "bash", browser),
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
            *("--hide-scrollbars", "--force-device-scale-factor=1"),
            *("--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"),
        ]
        self._process = subprocess.Popen(
            command, pass_fds=(their_input, their_output), stderr=subprocess.DEVNULL
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
        self._process.kill()
        self._process.wait()
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

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._from, 1 << 20)
            assert chunk, "the browser ended"
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command; exceptions of the page are kept in `complaints`."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            found = self._read()
            if _is_complaint(found):
                self.complaints.append(json.dumps(found["params"]))
            if found.get("id") == self._number:
                assert "error" not in found, found
                result: dict[str, Any] = found["result"]
                return result

    def open(self, address: str) -> None:
        """Loads a page."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.until(lambda: self.ask("document.readyState") == "complete")

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: Callable[[], Any]) -> Any:
        """What the condition gives once it is true."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.05)
        raise TimeoutError("the page did not get there")

    def press(self, key: str, code: int = 0) -> None:
        """A key, down and up."""
        text = {"Enter": "\r", " ": " "}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                **{"type": kind, "key": key, "windowsVirtualKeyCode": code},
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def screen(self, width: int, height: int, dark: bool = False) -> None:
        """The size of the window, and the colours that its user prefers."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, whole: bool = False) -> bytes:
        """What is seen, as PNG."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(found["data"])
