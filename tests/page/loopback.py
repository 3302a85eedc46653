"""For tests of servers on 127.0.0.1: requests as a browser or an enemy sends them, and checks that are counted."""
import http.client

failures = []


def check(what, good, shown=""):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}", shown)


def request(port, path="/", method="GET", host=None, **headers):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    c.putrequest(method, path, skip_host=True)
    if host != "":
        c.putheader("Host", host or f"127.0.0.1:{port}")
    for name, value in headers.items():
        c.putheader(name.replace("_", "-"), value)
    c.endheaders()
    r = c.getresponse()
    return r.status, r.read().decode(), r
