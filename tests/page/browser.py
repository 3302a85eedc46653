"""A browser for tests of pages: Debian's chromium, by the WebDriver protocol of chromium-driver; nothing else is needed."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
KEYS = {"Down": "\ue015", "Up": "\ue013", "Home": "\ue011", "End": "\ue010", "PageDown": "\ue00f", "PageUp": "\ue00e",
        "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Space": " "}


def is_there():
    return shutil.which("chromium") and shutil.which("chromedriver")


class Browser:
    def __init__(self, width=1400, height=1000):
        self.folder = tempfile.mkdtemp()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        for _ in range(400):
            try:
                self.call("GET", "/status")
                break
            except OSError:
                time.sleep(0.05)
        options = {"args": FLAGS + [f"--user-data-dir={self.folder}/profile", f"--window-size={width},{height}"],
                   "binary": shutil.which("chromium")}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = f"/session/{answer['sessionId']}"

    def call(self, method, path, data=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                         data=None if data is None else json.dumps(data).encode())
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        self.call("POST", f"{self.session}/url", {"url": url})

    def js(self, script, *args):
        return self.call("POST", f"{self.session}/execute/sync", {"script": script, "args": list(args)})

    def keys(self, *names):
        """Presses keys one after the other: names of KEYS, or texts."""
        actions = []
        for name in names:
            for key in [KEYS[name]] if name in KEYS else name:
                actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", f"{self.session}/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def size(self, width, height):
        self.call("POST", f"{self.session}/window/rect", {"width": width, "height": height})

    def screenshot(self, path):
        import base64
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", f"{self.session}/screenshot")))

    def printed(self):
        """The page as a PDF."""
        import base64
        return base64.b64decode(self.call("POST", f"{self.session}/print", {}))

    def errors(self):
        """Messages of the console."""
        return [e["message"] for e in self.call("POST", f"{self.session}/se/log", {"type": "browser"})]

    def requests(self):
        """Addresses that pages asked for."""
        found = []
        for entry in self.call("POST", f"{self.session}/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def close(self):
        try:
            self.call("DELETE", self.session)
        except OSError:
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
