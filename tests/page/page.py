"""The page in a browser: page.py FOLDER, which has the pages that tests/cli/page.sh made.  Exit 1 if something is wrong."""
import os
import sys

from browser import Browser

folder = os.path.abspath(sys.argv[1])
failures = 0


def check(what, good, shown=""):
    global failures
    if not good:
        failures += 1
        print(f"FAILED: {what}", shown)


def address(name):
    return "file://" + os.path.join(folder, name)


def text(b, selector):
    return b.js("const e = document.querySelector(arguments[0]); return e ? e.innerText : ''", selector)


def count(b, selector):
    return b.js("return document.querySelectorAll(arguments[0]).length", selector)


def now(b):
    return b.js("const v = rehearsePage.view; return v.run.rows[v.now].event")


def no_trouble(b, name):
    errors = b.errors()
    check(f"{name}: no error", errors == [], errors)
    asked = [u for u in b.requests() if not u.startswith(("chrome://", "data:"))]
    check(f"{name}: asks for itself only", all(u.split("#")[0] == address(name) for u in asked), asked)


def lease(b):
    b.open(address("lease.html"))
    check("verdict", "FAILED lease" in text(b, ".verdict"), text(b, ".verdict"))
    check("semantics", "time ordered" in text(b, ".verdict"))
    check("failure", "hold the lease" in text(b, ".finding-message"))
    check("begins at the failure", "granted(until=" in text(b, ".inspector .event"), text(b, ".inspector .event"))
    # keyboard alone: up to the event before the crash, and what the server had there
    b.keys("Home")
    check("home", now(b) == 0, now(b))
    b.keys("Down", "j", "Down")
    check("three steps", now(b) == 3, now(b))
    server = '[data-actor="server#1"]'
    check("state", "owner\nclient#1" in text(b, server), text(b, server))
    check("changes are marked", count(b, server + " .values .changed") == 2, count(b, server + " .values .changed"))
    check("behaviour", "taken" in text(b, server + " h3"))
    check("mailbox", "acquire(client=2, colour=GREEN) < client#2" in text(b, server + " .mail"), text(b, server))
    check("log", "lease 1 goes to client 1" in text(b, server + " .log .new"))
    check("spoken", "event 3" in b.js("return document.getElementById('said').textContent"))
    b.keys("k")
    check("back", now(b) == 2)
    check("mailbox before", "client#1" in text(b, server + " .mail") and "client#2" in text(b, server + " .mail"))
    check("address", "event=2" in b.js("return location.hash"))
    # search
    b.keys("/", "becomes taken", "Enter")
    check("found", text(b, ".tools [role=status]") == "2 hits", text(b, ".tools [role=status]"))
    first = now(b)
    b.keys("Enter")
    check("next hit", now(b) > first)
    b.keys("Escape", "N")
    check("previous hit", now(b) == first)
    b.keys("/")
    b.js("document.querySelector('input[type=search]').value = ''; rehearsePage.view.search()")
    b.keys("Escape")
    # what leads to the failure
    rows = b.js("return rehearsePage.view.chart.shown.length")
    b.keys("r")
    fewer = b.js("return rehearsePage.view.chart.shown.length")
    check("only what leads there", 0 < fewer <= rows, (fewer, rows))
    b.keys("r", "End")
    check("end", now(b) == b.js("return rehearsePage.view.run.events.length - 1"))
    # filters
    b.js("const s = document.querySelector('select'); s.value = 'acquire'; s.dispatchEvent(new Event('change'))")
    check("of one type", b.js("return rehearsePage.view.chart.shown.length") == 2)
    b.js("const s = document.querySelector('select'); s.value = ''; s.dispatchEvent(new Event('change'))")
    b.js("document.querySelector('.filters').open = true; document.querySelector('.filters input').click()")
    check("without an actor", b.js("return rehearsePage.view.chart.columns.length") == 2)
    # orders, curves
    check("matrix", count(b, "#orders .matrix td.both") > 0 and "●" in text(b, "#orders"))
    check("curves", count(b, "#curves svg .curve") >= 1)
    result = b.js("return JSON.parse(document.getElementById('data').textContent).results[0]")
    for i, point in enumerate(result["curve"]):
        runs, distinct = (sum(m["curve"][i][k] for m in result["members"]) for k in (0, 1))
        check(f"the members of auto have made all runs, at point {i}", (runs, distinct) == (point[0], point[2]), (runs, distinct, point))
    labels = b.js("return [...document.querySelectorAll('#curves svg')].map(e => e.getAttribute('aria-label'))")
    check("sequences of choices", any(f"sequences of choices: {result['curve'][-1][5]} " in x for x in labels), labels)
    busy = [m["name"] for m in result["members"] if m["curve"][-1][0]]
    check("members have curves", len(busy) > 1 and count(b, "#curves svg .name") == len(busy), busy)
    check("the estimate over time, if there is one", count(b, "#curves svg") >= 1 + (sum(p[3] is not None for p in result["curve"]) > 1))
    b.keys("t")
    check("dark", b.js("return document.documentElement.classList.contains('dark')"))
    b.keys("?")
    check("keys", b.js("return document.getElementById('help').open"))
    b.keys("Escape")
    # everything can be reached with the keyboard
    b.js("document.body.focus()")
    seen = set()
    for _ in range(40):
        b.keys("Tab")
        seen.add(b.js("const e = document.activeElement; return e.className || e.type || e.tagName"))
    check("tab reaches all", {"chart", "inspector", "search", "select-one"} <= seen, seen)
    no_trouble(b, "lease.html")


def texts(b):
    b.open(address("texts.html"))
    check("nothing ran", b.js("return window.hacked === undefined"))
    check("no element came", count(b, "img, b[onclick], main script, i") == 0)
    b.keys("Home", "Down", "Down", "Down", "Down", "Down")
    check("shown as text", "<script>window.hacked=1</script>" in b.js("return document.body.textContent"))
    check("the sender too", "<i>sender</i>" in b.js("return document.querySelector('.heads').textContent"))
    check("printed", b.js("return rehearsePage.view.run.data.lines.some(l => l[2].startsWith('(printed) {'))"))
    check("data is whole", b.js("return JSON.parse(document.getElementById('data').textContent).results.length") == 1)
    b.keys("End")
    check("still nothing ran", b.js("return window.hacked === undefined"))
    no_trouble(b, "texts.html")


def long_run(b):
    b.open(address("long.html"))
    check("all rows", b.js("return rehearsePage.view.run.rows.length") == 10000)
    check("few elements", count(b, ".chart *") < 1500, count(b, ".chart *"))
    b.keys("Home", *["PageDown"] * 20)
    check("ten at a time", now(b) == 200, now(b))
    b.js("rehearsePage.view.chart.element.scrollTop = 5000 * 44; rehearsePage.view.chart.draw()")
    check("the middle is drawn", "5000" in b.js("return rehearsePage.view.chart.picture.textContent"))
    check("few elements there", count(b, ".chart *") < 1500)
    b.keys("/", "left=4321)", "Enter", "Escape")
    check("found in it", "left=4321" in text(b, ".inspector .event"), text(b, ".inspector .event"))
    check("drawn where it is", "left=4321" in b.js("return rehearsePage.view.chart.picture.textContent"))
    b.keys("r")
    check("all lead to it", b.js("return rehearsePage.view.chart.shown.length") >= 9999)
    no_trouble(b, "long.html")


def beside(b):
    b.open(address("beside.html"))
    check("two charts", count(b, ".chart") == 2)
    check("named", "passes" in text(b, ".second h3"))
    differs = b.js("return rehearsePage.view.chart.differs")
    check("where they differ", 0 < differs < b.js("return rehearsePage.view.run.rows.length"), differs)
    b.keys("Home", "Down", "Down")
    check("both step", b.js("return rehearsePage.view.beside.chart.now") == 2)
    # printable: both charts are drawn whole, and what only a screen needs is left out
    for draw in ("beforeprint", "afterprint"):
        b.js(f"dispatchEvent(new Event('{draw}'))")
        rows = b.js("return [rehearsePage.view, rehearsePage.view.beside].map(v => [v.run.rows.length, "
                    "Number(v.chart.picture.getAttribute('height'))])")
        check(f"{draw}: rows", draw == "afterprint" or all(height >= 30 * count for count, height in rows), rows)
    check("a PDF", b.printed().startswith(b"%PDF"))
    rules = b.js("return [...document.styleSheets].flatMap(s => [...s.cssRules]).filter(r => r.media && r.media.mediaText === 'print')"
                 ".map(r => r.cssText).join()")
    check("no tools on paper", ".tools" in rules and "display: none" in rules, rules)
    b.keys("b")
    check("one of them", not b.js("return document.querySelector('.second').checkVisibility()"))
    no_trouble(b, "beside.html")


def why(b):
    b.open(address("why.html"))
    check("reason", "other order passes" in text(b, ".reason"), text(b, ".view"))
    check("the nearest run that passes", count(b, ".chart") == 2 and "nearest run" in text(b, ".second h3"))
    decisive = b.js("return rehearsePage.view.run.data.decisive")
    check("decisive", decisive > 0, decisive)
    b.keys("Home", "d")
    check("to the decisive event", b.js("const v = rehearsePage.view; return v.run.rowOf[arguments[0]] === v.now", decisive), now(b))
    check("its band", count(b, ".chart .band.decides") == 1)
    check("chances", count(b, "#chances .curve") == 1)
    no_trouble(b, "why.html")


# 12 senders have 12! orders, which dfs knows from any part of its tree; pages keep six digits.
def estimate(b):
    b.open(address("estimate.html"))
    curve = b.js("return JSON.parse(document.getElementById('data').textContent).results[0].curve")
    known = [p[3] for p in curve if p[3] is not None]
    check("estimates", len(known) > 10 and all(abs(v - 479001600) < 1000 for v in known), known[:3])
    titles = b.js("return [...document.querySelectorAll('#curves svg')].map(s => s.querySelector('text').textContent)")
    check("the estimate over time", "estimated number of runs" in titles, titles)
    at = titles.index("estimated number of runs") if "estimated number of runs" in titles else 0
    label = b.js("return document.querySelectorAll('#curves svg')[arguments[0]].getAttribute('aria-label')", at)
    check("its last value", "479.0M at the end" in label, label)
    path = b.js("return document.querySelectorAll('#curves svg')[arguments[0]].querySelector('path').getAttribute('d')", at)
    points = [tuple(map(float, p[1:].split())) for p in path.replace("L", "\nL").split("\n")]
    check("a point for each estimate", len(points) == len(known), (len(points), len(known)))
    check("time goes on", all(p[0] <= q[0] for p, q in zip(points, points[1:])), points[:3])
    check("the estimate does not change", max(p[1] for p in points) - min(p[1] for p in points) < 1, points[:3])
    no_trouble(b, "estimate.html")


browser = Browser()
try:
    estimate(browser)
    lease(browser)
    texts(browser)
    long_run(browser)
    beside(browser)
    why(browser)
finally:
    if len(sys.argv) > 2:
        browser.open(address("why.html"))
        browser.screenshot(sys.argv[2])
    browser.close()
print(f"{failures} failed" if failures else "the page is right")
sys.exit(failures > 0)
