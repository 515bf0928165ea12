"""Headless Chromium for the tests of the pages, by the WebDriver protocol. Wants chromium and chromedriver (Debian: chromium,
chromium-driver)."""

import base64
import json
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

PATIENCE = 90
NAME = pathlib.Path(sys.argv[0]).stem
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
]


def await_that(what, check):
    """Waits until `check` gives something; its last result otherwise ends the program."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.1)
    sys.exit(f"{NAME}: waited {PATIENCE} s in vain: {what}")


def expect(condition, what):
    if not condition:
        sys.exit(f"{NAME}: {what}")


class Browser:
    """A window of Chromium, by the WebDriver protocol."""

    def __init__(self, folder):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                port = int("".join(letter for letter in line.rsplit("port", 1)[1] if letter.isdigit()))
                self.base = f"http://127.0.0.1:{port}"
                break
        options = {"args": FLAGS + [f"--user-data-dir={folder}"], "binary": "/usr/bin/chromium"}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{NAME}: {path}: {error.read().decode()[:600]}")

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def press(self, *keys):
        presses = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def look(self, width, height, scheme):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=True):
        shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def close(self):
        self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


class Server:
    """A command of the program that serves a page, in a folder. Its first line is the address."""

    def __init__(self, folder, *command):
        self.command = [*command, "--listen"]
        self.folder = folder
        self.base = self.begin("0")

    def begin(self, port):
        self.process = subprocess.Popen(
            [*self.command, port], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.terminate()
        self.process.wait()
