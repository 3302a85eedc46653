"""`rehearse serve --cluster`: jobs.py REHEARSE FIXTURES [SCREENSHOT].  Jobs of a real redis-server, also hostile ones, as
JSON and in a browser where there is one; the server ends and comes back."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import browser
from loopback import check, failures, request

rehearse, fixtures = map(os.path.abspath, sys.argv[1:3])
EVIL = '<img src=x onerror="window.hit=1"></script><script>window.hit=2</script>'


def wait(what, good):
    for _ in range(1200):
        if good():
            return
        time.sleep(0.05)
    check(what, False, "it did not happen")


class Redis:
    def __init__(self, folder):
        self.path = f"{folder}/s"
        self.process = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--dir", folder],
                                        stdout=subprocess.DEVNULL)
        wait("redis-server", lambda: self.say("PING") == "PONG")

    def say(self, *words):
        return subprocess.run(["redis-cli", "-s", self.path, *words], capture_output=True, text=True).stdout.strip()

    def end(self):
        self.process.kill()
        self.process.wait()


def jobs(port):
    status, text, _ = request(port, "/api/jobs")
    check("jobs", status == 200, status)
    return json.loads(text)


def work(port, url):
    """A job that runs is shown while it runs, and when it has ended."""
    program = subprocess.Popen([rehearse, "test", f"{fixtures}/slow", "--explorer", "dfs", "-p", "n=12", "--max-seconds", "100000",
                                "--cluster", f"{url}?long", "--save", ""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait("a job with runs", lambda: any(j["runs"] > 0 and j["state"] == "running" for j in jobs(port)["jobs"]))
    job = jobs(port)["jobs"][0]
    check("what is known", job["name"] == "long" and job["program"] == "slow" and job["workers"] == 1 and
          "explorer dfs" in job["settings"] and len(job["agents"]) == 1 and job["failing"] == 0, job)
    program.send_signal(signal.SIGINT)
    program.wait()
    wait("the job has ended", lambda: jobs(port)["jobs"][0]["state"] == "ended")


def in_browser(address, redis, picture):
    b = browser.Browser()
    try:
        b.open(address)
        wait("articles", lambda: b.js("return document.querySelectorAll('article').length") == 2)
        text = b.js("return document.body.innerText")
        check("markup of the server is text", EVIL in text and "long" in text, text)
        check("nothing was executed", b.js("return window.hit === undefined && !document.querySelector('img')"))
        if picture:
            b.screenshot(picture)
        redis.end()
        wait("the page says that the server is gone", lambda: b.js("return document.getElementById('note').className") == "bad")
        check("no error in the page", not b.errors(), b.errors())
        elsewhere = [r for r in b.requests() if not r.startswith((address, "chrome://", "data:"))]
        check("requests go nowhere else", not elsewhere, elsewhere)
    finally:
        b.close()


with tempfile.TemporaryDirectory() as folder:
    redis = Redis(folder)
    url = f"redis+unix://{folder}/s"
    server = subprocess.Popen([rehearse, "serve", "--cluster", url], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    port = int(address.rstrip("/").rsplit(":", 1)[1])
    check("no jobs", jobs(port) == {"jobs": []}, jobs(port))
    for host in ["", "evil.example", f"evil.example:{port}", "127.0.0.1"]:
        check(f"host {host!r}", request(port, "/api/jobs", host=host)[0] in (400, 403))
    check("another origin", request(port, "/api/jobs", Origin="http://evil.example")[0] == 403)
    check("POST", request(port, "/api/jobs", method="POST", Content_Length="0")[0] == 405)
    check("no such address", request(port, "/api/state")[0] == 404)
    work(port, url)
    redis.say("HSET", "{rh:evil}:spec", "state", EVIL, "program", EVIL, "owner", EVIL, "binding", EVIL)
    redis.say("ZADD", "{rh:evil}:agents", "1", EVIL)
    check("two jobs", len(jobs(port)["jobs"]) == 2)
    if browser.is_there():
        in_browser(address, redis, sys.argv[3] if len(sys.argv) > 3 else None)
    redis.end()
    check("a server that is gone", "error" in jobs(port), jobs(port))
    redis = Redis(folder)
    wait("a server that is back", lambda: "error" not in jobs(port))
    server.send_signal(signal.SIGTERM)
    check("ends well", server.wait() == 0)
    redis.end()
sys.exit(len(failures) > 0)
