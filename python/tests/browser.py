# SPDX-License-Identifier: Apache-2.0
"""A Chromium of this machine, driven through a pipe by its DevTools protocol: no port, no other library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ABSENT = f"no browser here: one of {', '.join(NAMES)} on the PATH, or STOPLOG_BROWSER, would run this test"
PATIENCE_SECONDS = 120  # a bound against hanging

Json = dict[str, Any]
Scheme = Literal["light", "dark"]

FLAGS = (
    "--headless=new",
    "--no-sandbox",  # a container's root has no other choice
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find() -> str | None:
    """Where a browser is, if there is one."""
    named = os.environ.get("STOPLOG_BROWSER")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one tab, until the end of the `with`.

    Attributes:
        complaints: errors and warnings of the console, and exceptions, since the last page was opened.
        requests: what the page asked for besides itself.
    """

    def __init__(self, command: str, profile: Path) -> None:
        requested, self._commands = os.pipe()
        self._events, answered = os.pipe()
        self._received = b""
        self._last = 0
        self._session: str | None = None
        self._seen: list[Json] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._process = subprocess.Popen(
            # The protocol has its place at 3 and 4, which a shell can say and Popen cannot.
            [
                "bash",
                "-c",
                'exec "$@" 3<&"$IN" 4>&"$OUT"',
                "browser",
                command,
                *FLAGS,
                f"--user-data-dir={profile}",
            ],
            env=os.environ | {"IN": str(requested), "OUT": str(answered)},
            pass_fds=(requested, answered),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(requested)
        os.close(answered)

    def __enter__(self) -> Browser:
        tab = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call("Page.setLifecycleEventsEnabled", enabled=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._commands)  # the browser ends itself when its pipe does
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._events)

    def open(self, page: Path | str, width: int, scheme: Scheme = "light") -> None:
        """Shows a page, as wide as that, on a light or dark system."""
        address = page.absolute().as_uri() if isinstance(page, Path) else page
        self.complaints.clear()
        self.requests.clear()
        self.show(width, scheme)
        self._seen.clear()
        loader = self._call("Page.navigate", url=address)["loaderId"]
        while not self._has_loaded(loader):
            self._note(self._receive())
        self.requests = [
            requested
            for requested in self.requests
            if requested != address and not requested.startswith("data:")
        ]

    def show(self, width: int, scheme: Scheme) -> None:
        """Shows the open page in a window of another width, or with other colours."""
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key: str, text: str = "") -> None:
        """Presses and releases a key, by its name in JavaScript; a key with a text types the text."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text)

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is on the page."""
        found = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def picture(self, to: Path, **clip: float) -> None:
        """Writes a PNG of the whole page, or of a rectangle: `x`, `y`, `width`, `height` in pixels."""
        part = {"clip": {**clip, "scale": 1}} if clip else {}
        taken = self._call("Page.captureScreenshot", captureBeyondViewport=True, **part)
        to.write_bytes(base64.b64decode(taken["data"]))

    def _has_loaded(self, loader: str) -> bool:
        """Whether this page has, and not the one before, whose load may be told of late."""
        reported = (event["params"] for event in self._seen if event["method"] == "Page.lifecycleEvent")
        return any(params["name"] == "load" and params["loaderId"] == loader for params in reported)

    def _call(self, method: str, **parameters: Any) -> Any:
        self._last += 1
        requested: Json = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            requested["sessionId"] = self._session
        os.write(self._commands, json.dumps(requested).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _receive(self) -> Json:
        while b"\0" not in self._received:
            if not select.select([self._events], [], [], PATIENCE_SECONDS)[0]:
                raise AssertionError(f"the browser said nothing for {PATIENCE_SECONDS} s")
            more = os.read(self._events, 1 << 16)
            if not more:
                raise AssertionError(f"the browser ended, with exit code {self._process.wait()}")
            self._received += more
        one, _, self._received = self._received.partition(b"\0")
        message: Json = json.loads(one)
        return message

    def _note(self, event: Json) -> None:
        if "method" not in event:
            return
        self._seen.append(event)
        reported = event["params"]
        match event["method"]:
            case "Network.requestWillBeSent":
                self.requests.append(reported["request"]["url"])
            case "Runtime.exceptionThrown":
                self.complaints.append(reported["exceptionDetails"]["text"])
            case "Runtime.consoleAPICalled" if reported["type"] in {"error", "warning", "assert"}:
                self.complaints.append(str(reported["args"]))
            case "Log.entryAdded" if reported["entry"]["level"] in {"error", "warning"}:
                self.complaints.append(reported["entry"]["text"])
