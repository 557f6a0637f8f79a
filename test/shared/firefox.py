"""Drives Debian's firefox-esr by its built-in protocol, Marionette, so no separate driver is needed."""
import json
import pathlib
import shutil
import socket
import subprocess
import time
import unittest

from support import scratch_folder

NAMES = ("firefox-esr", "firefox")
START_SECONDS = 60
# Makes no network requests, not even at the start.
PREFERENCES = {
    "marionette.port": 0, "app.update.auto": False, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "browser.startup.homepage_override.mstone": "ignore", "browser.newtabpage.enabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "extensions.getAddons.cache.enabled": False, "services.settings.server": "data:,",
    "browser.aboutwelcome.enabled": False, "toolkit.telemetry.enabled": False,
}


def firefox():
    for name in NAMES:
        if shutil.which(name):
            return shutil.which(name)
    raise unittest.SkipTest("firefox-esr is not installed")


class Firefox:
    """A browser, to be used in a with statement."""

    def __init__(self, **preferences):
        program = firefox()
        self.profile = scratch_folder()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in {**PREFERENCES, **preferences}.items()]
        (self.profile / "user.js").write_text("\n".join(lines))
        self.process = subprocess.Popen([program, "--headless", "--no-remote", "--marionette", "--profile", self.profile, "--window-size", "1400,900"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**_environment(), "HOME": str(self.profile)})

    def __enter__(self):
        try:
            self.socket = socket.create_connection(("127.0.0.1", self._port()), timeout=60)
            self.bytes = b""
            self.number = 0
            self._receive()  # its greeting
            self.command("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _port(self):
        file = self.profile / "MarionetteActivePort"
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if file.exists() and file.read_text().strip():
                return int(file.read_text())
            if self.process.poll() is not None:
                raise AssertionError(f"firefox ended with {self.process.returncode}")
            time.sleep(0.05)
        raise AssertionError("firefox does not listen")

    def _receive(self):
        """A message: its length in decimal, a colon, JSON."""
        while True:
            head, colon, rest = self.bytes.partition(b":")
            if colon and len(rest) >= int(head):
                self.bytes = rest[int(head):]
                return json.loads(rest[:int(head)])
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise AssertionError("firefox has closed the connection")
            self.bytes += piece

    def command(self, name, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self._receive()
        if number != self.number or error:
            raise AssertionError(f"{name}: {error}")
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def evaluate(self, script):
        """The return value of a function body; may be a promise."""
        return self.command("WebDriver:ExecuteScript", script=script, args=[])

    def open(self, page, address=""):
        self.command("WebDriver:Navigate", url="about:blank")
        self.command("WebDriver:Navigate", url=pathlib.Path(page).resolve().as_uri() + address)
        end = time.monotonic() + 60
        while not self.evaluate('return document.querySelector("[data-view], [role=alert]") !== null'):
            if time.monotonic() > end:
                raise AssertionError(f"{page} shows nothing")
            time.sleep(0.05)

    def press(self, selector, key):
        self.command("WebDriver:ElementSendKeys", id=self._element(selector), text=KEYS.get(key, key))

    def click(self, selector):
        self.command("WebDriver:ElementClick", id=self._element(selector))

    def _element(self, selector):
        return next(iter(self.command("WebDriver:FindElement", using="css selector", value=selector).values()))


KEYS = {"ArrowDown": "\ue015", "ArrowRight": "\ue014", "Enter": "\ue007", "Escape": "\ue00c"}


def _environment():
    import os
    return {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR")}
