"""`rehearse serve`: serve.py REHEARSE PROGRAM [SCREENSHOT].  Hostile requests, and the page in a browser where there is one."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.parse

import browser
from loopback import check, failures, request

rehearse, fixtures = map(os.path.abspath, sys.argv[1:3])
folder = tempfile.TemporaryDirectory()  # for what explorers find


def state(port, path=""):
    status, text, _ = request(port, f"/api/state?path={path}")
    check(f"state of {path}", status == 200, status)
    return json.loads(text)


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([rehearse, "serve", *words], stdout=subprocess.PIPE, text=True, cwd=folder.name)
        self.url = self.process.stdout.readline().strip()
        self.port = urllib.parse.urlparse(self.url).port

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        check("ends well", self.process.wait() == 0)


def hostile(port):
    own = f"127.0.0.1:{port}"
    check("page", request(port)[0] == 200)
    check("localhost is own", request(port, host=f"localhost:{port}")[0] == 200)
    for host in ["", "evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1:{port}.evil.example",
                 f"localhost:{port}@evil.example", "[::1]"]:
        for path in ["/", "/api/state?path="]:
            status = request(port, path, host=host)[0]
            check(f"host {host!r}", status in (400, 403), status)
    for origin in ["http://evil.example", "null", f"https://{own}", "http://127.0.0.1", f"http://{own}.evil.example", "file://"]:
        check(f"origin {origin}", request(port, "/api/state?path=", Origin=origin)[0] == 403)
    check("own origin", request(port, "/api/state?path=", Origin=f"http://{own}")[0] == 200)
    for site in ["cross-site", "same-site"]:
        check(site, request(port, "/api/state?path=", Sec_Fetch_Site=site)[0] == 403)
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"]:
        check(method, request(port, method=method, Content_Length="0")[0] == 405, method)
    for path in ["x", "1%0Aquit", "0;quit", "-1", "%2e%2e/%2e%2e", "1%00"]:
        status = request(port, f"/api/state?path={path}")[0]
        check(f"path {path}", status in (200, 400) and (status == 400 or path == "%2e%2e/%2e%2e" or path == "1%00"), status)
    for path in ["/etc/passwd", "/../../etc/passwd", "/api", "/api/state/x", "//"]:
        check(path, request(port, path)[0] in (400, 404), request(port, path)[0])
    check("very long", request(port, "/api/state?path=" + "0." * 40000)[0] in (400, 414, 431))
    _, _, r = request(port)
    check("headers", r.getheader("X-Frame-Options") == "DENY" and r.getheader("Access-Control-Allow-Origin") is None)
    check("still there", len(state(port)["open"]) > 0)


def steps(port):
    begin = state(port)
    check("begin", begin["taken"] == 0 and begin["open"][0] == "client#1 takes rh_start from test", begin["open"])
    there = state(port, "0.1")
    check("values", "client#1 takes granted from server#1 (until=100)" in there["open"], there["open"])
    check("schedule", "client#1 takes rh_start from test" in there["schedule"])
    check("states", [2, 2, 3, "grants=1, owner=client#1"] in there["run"]["changes"], there["run"]["changes"])
    check("no such choice", state(port, "0.77.1")["taken"] == 1)
    check("far away", state(port, "0.99999999999999999999")["taken"] == 1)
    check("back", state(port)["open"] == begin["open"])
    check("path", there["path"] == [0, 1] and there["said"] == "", there["path"])


def until(port, path, text):
    status, answer, _ = request(port, f"/api/state?path={path}&until={urllib.parse.quote(text)}")
    check(f"until {text}", status == 200, status)
    return json.loads(answer)


def goes_on(port):
    found = until(port, "", "takes granted")
    check("until: found", found["said"] == "" and "takes granted" in found["schedule"].splitlines()[-1], found["schedule"])
    again = state(port, ".".join(map(str, found["path"])))
    check("until: its path leads there", again["schedule"] == found["schedule"] and again["open"] == found["open"])
    state(port, "1.1.1")
    check("until: does not depend on what was asked before", until(port, "", "takes granted")["path"] == found["path"])
    none = until(port, "0", "no such <b>event</b>")
    check("until: not found", none["said"] == 'no event has "no such <b>event</b>" before the run is over', none["said"])
    for text in ["", " ", "a\nquit", "a\rquit", "x" * 600, "\x7f"]:
        check(f"until {text!r}", request(port, f"/api/state?path=&until={urllib.parse.quote(text)}")[0] == 400)
    status, answer, _ = request(port, "/api/explore?path=0.1&explorer=dfs")
    answer = json.loads(answer)
    check("explorer", status == 200 and answer["code"] in (0, 1) and "lease" in answer["text"], answer)
    check("no such explorer", json.loads(request(port, "/api/explore?path=0&explorer=nobody")[1])["code"] == 2)
    for text in ["", "replay:x", "dfs;quit", "dfs\nquit", "../x", "$(touch x)", "a" * 600]:
        check(f"explorer {text!r}", request(port, f"/api/explore?path=&explorer={urllib.parse.quote(text)}")[0] == 400)
    check("explorer without name", request(port, "/api/explore?path=")[0] == 400)
    check("explorer of another origin", request(port, "/api/explore?path=&explorer=dfs", Origin="http://evil.example")[0] == 403)
    check("still there after all", state(port, "0.1")["path"] == [0, 1])


def in_browser(server, picture):
    b = browser.Browser()
    try:
        b.open(server.url)
        b.js("window.scrollTo(0, 0)")
        wait(b, "document.querySelectorAll('.choice').length === 3")
        b.keys("0")
        wait(b, "rehearsePage.state && rehearsePage.state.taken === 1")
        b.keys("1")
        wait(b, "location.hash === '#path=0.1' && document.querySelector('.inspector').innerText.includes('owner\\nclient#1')")
        if picture:
            b.screenshot(picture)
        b.keys("u")
        wait(b, "location.hash === '#path=0' && rehearsePage.state && rehearsePage.state.taken === 1")
        b.open(server.url + "#path=0.1.1")
        b.js("location.reload()")
        wait(b, "document.querySelectorAll('.chart').length === 1 && rehearsePage.view.run.events.length === 4")
        b.js("document.querySelector('.choice').click()")
        wait(b, "location.hash.startsWith('#path=0.1.1.')")
        b.open(server.url)
        wait(b, "document.querySelectorAll('.choice').length === 3")
        b.js("document.getElementById('until').value = 'takes granted'; document.getElementById('until').form.requestSubmit()")
        wait(b, "location.hash.startsWith('#path=') && document.getElementById('schedule').textContent.includes('takes granted')")
        b.js("document.getElementById('until').value = '<b>none</b>'; document.getElementById('until').form.requestSubmit()")
        wait(b, "document.getElementById('said-until') && document.getElementById('said-until').textContent.includes('<b>none</b>')")
        b.js("document.getElementById('explorer').value = 'dfs'; document.getElementById('explorer').form.requestSubmit()")
        wait(b, "document.getElementById('explored').textContent.includes('lease')")
        errors = b.errors()
        check("no error in the page", errors == [], errors)
        asked = [u for u in b.requests() if not u.startswith(("chrome://", "data:"))]
        check("asks its server only", all(u.startswith(server.url) for u in asked), asked)
    finally:
        b.close()


def wait(b, condition):
    for _ in range(600):
        if b.js(f"return !!({condition})"):
            return
        b.js("return 0")
    check(condition, False, b.js("return location.hash + ' ' + document.querySelector('main').innerText.slice(0, 300)"))


s = Server(f"{fixtures}/shown", "lease")
check("loopback", s.url.startswith("http://127.0.0.1:"), s.url)
hostile(s.port)
steps(s.port)
goes_on(s.port)
if browser.is_there():
    in_browser(s, sys.argv[3] if len(sys.argv) > 3 else None)
else:
    print("chromium is missing: the page was not opened")
s.close()
s = Server(f"{fixtures}/shown", "texts")  # which prints what looks like an answer
check("beside prints", state(s.port, "0.0")["taken"] == 2 and state(s.port)["taken"] == 0)
s.close()
s = Server(f"{fixtures}/kinds", "crash", "--granularity", "handler")
before = state(s.port)
ways = [p for p in ["0", "1", "1.0", "0.0", "0.1", "1.1"] if state(s.port, p)["crash"]]
check("a crash is told", len(ways) >= 1, before["open"])
check("and survived", state(s.port)["open"] == before["open"])
s.close()
print(f"{len(failures)} failed" if failures else "serve is right")
sys.exit(len(failures) > 0)
