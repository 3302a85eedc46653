#!/usr/bin/env python3
"""Executable specification of symmetry(optimal): the search of optimal_more.py, without runs that differ only by an exchange
of alike processes.  With its oracle.

    ./symmetry.py plain fifo 0 300       random programs 0..299, against all behaviours by brute force, up to exchange
                  bag causal             plain: processes hear of alike ones only from themselves
                                         broadcast: they also send to all of a class at once (bag and fifo only)
    ./symmetry.py plain fifo 0 300 rule=events
                                         with a rule that is too simple: events, revisits (see below)
    ./symmetry.py known                  programs whose numbers are known, and named counterexamples

SYMMETRY.  The processes of a class are alike: a permutation of the class turns each behaviour into a behaviour.  So one
behaviour of each orbit is enough.

RULE.  One process is the decider of a class.  A behaviour is *in order* if the decider first hears the processes of the class
in the order of their age: it takes a message of a younger one only after one of each older one.  In each orbit there is one:
give the processes the ages in which the decider hears them.  If it hears all but one of the class, there is no other one.
    Any process may be the decider.  Here it is the one that heard most of the class in the first run.  If it is of the class
    itself, the others of the class are permuted.  Deciders of several classes must not go round in a circle.
    Only classes in which any two can be exchanged are treated.  A ring has rotations alone, so it has no class.

LEAVING OUT.  The search is a tree of graphs (optimal_more.py).  A subtree may be left out if nothing in it is in order.  The
rest of the tree stays as it is.  So symmetry never adds a visit, and what is in order is found for the same reason as before.
An event by which the decider hears a process too early does not settle this: a later revisit may delete the event.  But a
revisit deletes canonical events only.  Under bag, fifo and causal an event that could have got something greater than what
it got is not canonical, nor does it become so, because what is known for it only grows.  So it stays, with its past:
    (1) an event with v is left out if v is not the greatest that it may get, and the event or its past hears too early;
    (2) a revisit of r by e is left out if r may get something greater than e in the target, and likewise.
The messages of older processes are made greater, and older processes go first, so that the greatest is rarely too early.

WHAT SIMPLER RULES GET WRONG (programs of `known`):
    (1) without "not the greatest" (rule=events)     released by a late message: 12 of 14 orbits
    (2) without "something greater" (rule=revisits)  random program 18 of broadcast, bag: 14 of 17
    this rule under mailbox                          ordered by a later take: 37 of 38.  There the messages that an event may
                                                     get can become fewer when more is known, so it may become canonical.
After [SPORE 2024], which has the same problem for threads with shared memory: it
keeps a graph only if a younger thread with an equal past does not come before the older one in coherence order, and puts the
events of the older one into the past of the younger one so that no revisit separates them.
"""
import itertools, random, sys

from known import ANY, one, send
from optimal_more import Explorer, View
from processes import Program, Written, mix, oracle


# ---- programs ------------------------------------------------------------------------------------------------------

class Symmetric(Program):
    def __init__(self, n, classes, objects=0):
        super().__init__(n, objects=objects)
        self.classes = classes
        self.class_of = {p: c for c, members in enumerate(classes) for p in members}

    def block(self, p, results):
        """Sends to all of a class are one broadcast, whatever their order: the index of its first send."""
        return len(results)


class Handwritten(Symmetric):
    def __init__(self, bodies, classes, objects=0, initial=None, broadcasts=False):
        super().__init__(len(bodies), classes, objects)
        self.bodies, self.broadcasts = bodies, broadcasts
        self.initial = initial or {}

    action = Written.action

    def block(self, p, results):
        at = len(results)
        while self.broadcasts and at and results[at - 1] is None:
            at -= 1
        return at


class Random(Symmetric):
    """What a process does is a function of its role and what it got, with processes of a class numbered as it met them."""

    def __init__(self, seed, what):
        rnd = random.Random(mix(seed, what, "sym"))
        k = rnd.choice([2, 2, 3, 3, 4])
        self.fixed = rnd.choice([1, 1, 2]) if k < 4 else 1
        two = k == 2 and rnd.random() < 0.4
        n = self.fixed + k + (2 if two else 0)
        super().__init__(n, [list(range(self.fixed, self.fixed + k))] + ([[n - 2, n - 1]] if two else []))
        self.seed, self.broadcasts = seed, what == "broadcast"
        self.tags = rnd.choice([1, 1, 2])
        most = 2 if two else {2: 4, 3: 3, 4: 2}[k]
        roles = [("fixed", i) for i in range(self.fixed)] + list(range(len(self.classes)))
        self.steps = {r: rnd.randrange(2, 5 if isinstance(r, tuple) else most + 1) for r in roles}
        self.begin = [rnd.choice(["send", "send", "recv", "recv", "any"]) for _ in self.classes]
        self.bias = {r: rnd.choice(["takes", "both"]) if isinstance(r, tuple) else rnd.choice(["both", "gives", "both"])
                     for r in roles}
        self.polls = rnd.choice([0, 0, 0.5])

    def plan(self, p, results):
        """The next action, and where the broadcast that it is part of began."""
        names = {}

        def named(q):
            if q in self.class_of and q not in names:
                names[q] = ("me" if q == p else "other", self.class_of[q], len(names))
            return names.get(q, q)
        named(p)
        seen, pending, began, made = (), [], 0, 0
        for i, r in enumerate(results):
            if not pending:
                pending, began = self.decide(p, seen, names, made), i
                made += 1
            a = pending.pop(0)
            if a[0] == "send":
                seen += () if pending else ("sent",)
            else:
                seen += (r and (named(r[0]), r[1][:2], named(r[1][2])),)
        if not pending:
            pending, began = self.decide(p, seen, names, made), len(results)
        return pending[0], began

    def decide(self, p, seen, names, made):
        role = self.class_of.get(p, ("fixed", p))
        if made >= self.steps[role]:
            return [None]
        rnd = random.Random(mix(self.seed, role, seen))
        kind = {"both": rnd.choice(["send", "recv"]), "gives": "send",
                "takes": rnd.choice(["recv", "recv", "send"])}[self.bias[role]]
        if made == 0 and role in range(len(self.classes)) and self.begin[role] != "any":
            kind = self.begin[role]
        met = sorted(names, key=lambda q: names[q][2])
        if kind == "send":
            often = 3 if isinstance(role, int) else 1
            to = rnd.choice(list(range(self.fixed)) * often + met * (4 - often))
            payload = (rnd.randrange(self.tags), rnd.randrange(2), rnd.choice([None, None] + met))
            if self.broadcasts and rnd.random() < 0.5:
                return [("send", q, payload) for q in rnd.choice(self.classes) if q != p]
            return [("send", to, payload)]
        who = rnd.choice(met + [p])
        filter_ = rnd.choice([ANY, ANY, ("tag", rnd.randrange(self.tags)), ANY if who == p else ("from", who)])
        return [("poll" if rnd.random() < self.polls else "recv", filter_)]

    def action(self, p, results):
        return self.plan(p, results)[0]

    def block(self, p, results):
        return self.plan(p, results)[1]


# ---- orbits --------------------------------------------------------------------------------------------------------

def group(prog):
    for images in itertools.product(*[itertools.permutations(c) for c in prog.classes]):
        m = list(range(prog.n))
        for members, image in zip(prog.classes, images):
            for a, b in zip(members, image):
                m[a] = b
        yield m


def named(prog, behaviour):
    """What each event but sends got; a message is (sender, where its broadcast began, receiver)."""
    view = View(prog, [((p, i), v) for p, got in enumerate(behaviour) for i, v in enumerate(got)])
    name = {e: (e[0], prog.block(e[0], view.results[e[0]][:e[1]]), a[1]) for e, a in view.action.items() if a[0] == "send"}
    return [[name.get(v, v) for i, v in enumerate(got) if view.action[p, i][0] != "send"] for p, got in enumerate(behaviour)]


def image(behaviour, m):
    def of(v):
        return v if not v or v[0] < 0 else (m[v[0]], v[1]) + tuple(m[x] for x in v[2:])
    out = [None] * len(m)
    for p, got in enumerate(behaviour):
        out[m[p]] = [of(v) for v in got]
    return repr(out)


def orbit(prog, behaviour, perms):
    b = named(prog, behaviour)
    return min(image(b, m) for m in perms)


# ---- the search ----------------------------------------------------------------------------------------------------

class Symmetry(Explorer):
    def __init__(self, prog, model, deciders=None, rule="sound"):
        super().__init__(prog, model)
        self.rule = rule
        self.deciders = [None] * len(prog.classes)
        self.deciders = deciders or self.choose_deciders()

    def first_run(self):
        graph = []
        while step := self.next_event(View(self.prog, graph)):
            view = View(self.prog, graph)
            graph.append((step[0], self.gettable(view, *step)[-1]))
        return View(self.prog, graph)

    def choose_deciders(self):
        view, out = self.first_run(), []
        for c, members in enumerate(self.prog.classes):
            def heard(r):
                d = self.prog.class_of.get(r, c)
                circle = d != c and d < len(out) and self.prog.class_of.get(out[d]) == c
                return 0 if circle else len({view.got[x][0] for x in view.receives[r] if view.got[x]} & set(members) - {r})
            out.append(max(range(self.prog.n), key=lambda r: (heard(r), -r)))
        return out

    def candidates(self, view, e, a):
        if a[0] not in ("recv", "poll"):
            return super().candidates(view, e, a)
        return [None] * (a[0] == "poll") + sorted(view.wanted(e, a), key=lambda m: [-x for x in m])   # older is greater

    def gettable(self, view, e, a):
        return [v for v in self.candidates(view, e, a) if self.may_get(view, e, a, v)]

    def too_early(self, view, r, v):
        """Whether r, getting v, hears a process before an older one."""
        for members, decider in zip(self.prog.classes, self.deciders):
            if r[0] == decider and v and v[0] in members:
                heard = {view.got[x][0] for x in view.receives[decider] if x < r and view.got[x]} | {decider}
                if v[0] not in heard and any(q not in heard for q in members if q < v[0]):
                    return True
        return False

    def out_of_order(self, view, e, v):
        """Whether e, getting v, or its past hears too early."""
        return self.too_early(view, e, v) or any(
            x[0] in self.deciders and view.action[x][0] in ("recv", "poll") and self.too_early(view, x, view.got[x])
            for x in view.past(e, v))

    def visit(self, graph):
        view = View(self.prog, graph)
        step = self.next_event(view)
        if step is None:
            self.found.append(tuple(tuple(view.got[p, i] for i in range(view.count[p])) for p in range(self.prog.n)))
            return
        e, a = step
        can = self.gettable(view, e, a)
        for v in can:
            settled = a[0] in ("recv", "poll") and (v != can[-1] or self.rule == "events")
            if not (settled and self.rule != "none" and self.out_of_order(view, e, v)):
                self.visit(graph + [(e, v)])
        for v in self.candidates(view, e, a):
            if a[0] == "send":
                self.revisit(graph, view, e, a, v, view.receives[a[1]])
            elif a[0] == "op" and view.would_write(a, v):
                self.revisit(graph, view, e, a, v, view.operations[a[1]])

    def revisit(self, graph, view, e, a, v, events):
        """As in optimal_more.py, and not to where nothing is in order."""
        past = view.past(e, v)
        for r in events:
            if r in past:
                continue
            at = next(i for i, x in enumerate(graph) if x[0] == r)
            gone = [i for i, x in enumerate(graph) if i >= at and x[0] not in past]
            if any(self.got_early(graph, i) for i in gone) or not all(self.canonical(graph, view, i, past) for i in gone):
                continue
            kept = [x for i, x in enumerate(graph) if i < at or x[0] in past]
            known, action = View(self.prog, kept + [(e, v)]), view.action[r]
            if a[0] == "op":
                good = v not in View(self.prog, kept).next_write
            else:
                good = self.may_get(known, r, action, e)
                settled = good and (self.gettable(known, r, action)[-1] != e or self.rule == "revisits")
                good = good and not (settled and self.rule != "none" and self.out_of_order(known, r, e))
            if good:
                self.visit(kept[:at] + [(r, e)] + kept[at:] + [(e, v)])


# ---- comparison ----------------------------------------------------------------------------------------------------

def compare(prog, model, limit=20000, most=400, **how):
    """Behaviours, orbits, orbits found, visits; None if there are too many."""
    want = oracle(prog, model, limit)
    if want is None or not 2 <= len(want) <= most:
        return None
    perms = list(group(prog))
    all_named = [named(prog, b) for b in want]
    names = {repr(b) for b in all_named}
    assert all(image(b, m) in names for b in all_named for m in perms), "the program is not symmetric"
    orbits = {orbit(prog, b, perms) for b in want}
    ex = Symmetry(prog, model, **how)
    ex.visit([])
    assert len(set(ex.found)) == len(ex.found) and set(ex.found) <= want
    return len(want), len(orbits), len({orbit(prog, b, perms) for b in ex.found}), len(ex.found)


# ---- programs whose numbers are known ------------------------------------------------------------------------------

def clients(n, rounds):
    """Each client asks `rounds` times; the server answers whoever asks."""
    def server(p):
        for _ in range(n * rounds):
            yield send((yield "recv", ANY)[0])

    def client(p):
        for _ in range(rounds):
            yield send(0)
            yield "recv", ANY
    return Handwritten([server] + [client] * n, [list(range(1, n + 1))])


def votes(n, quorum):
    """One asks all for a vote, and is done when it has a quorum."""
    voters = list(range(1, n + 1))
    candidate = one(*[send(v) for v in voters], *[("recv", ANY)] * quorum)
    return Handwritten([candidate] + [one(("recv", ANY), send(0))] * n, [voters], broadcasts=True)


def lock(n):
    """Who wants the lock asks for it, gets it and gives it back; who waits waits in the order of asking.  Up to exchange these
    are the words with n of each where no prefix gives back more often than it asks: Catalan's numbers."""
    def holder(p):
        queue, held = [], None
        for _ in range(2 * n):
            who, payload = yield "recv", ANY
            if payload[0] == 0:
                queue.append(who)
            else:
                held = None
            if queue and held is None:
                held = queue.pop(0)
                yield send(held)
    return Handwritten([holder] + [one(send(0, tag=0), ("recv", ANY), send(0, tag=1))] * n, [list(range(1, n + 1))])


def peers(n):
    """Each sends to all others and takes what they send: nobody is outside, so one of them decides."""
    def peer(p):
        for q in range(n):
            if q != p:
                yield send(q)
        for _ in range(n - 1):
            yield "recv", ANY
    return Handwritten([peer] * n, [list(range(n))], broadcasts=True)


def released_by_a_late_message():
    """See the test of this name in tests/explore/symmetry.c."""
    job, wait, go, late, answer = range(5)
    members = [1, 2]

    def decider(p):
        for _ in range(2):
            if (yield "recv", ANY)[1][0] == late:
                for m in members:
                    yield send(m, tag=go)

    def member(p):
        if (yield "recv", ("tags", 1 << job | 1 << wait))[1][0] == wait:
            yield "recv", ("tag", go)
        yield send(0, tag=answer)

    def to_all(tag):
        return one(*[send(m, tag=tag) for m in members], send(5))
    return Handwritten([decider, member, member, to_all(job), to_all(wait), one(("recv", ANY), send(0, tag=late))], [members],
                       broadcasts=True)


def ordered_by_a_later_take_of_members():
    """Under mailbox.  What the process 6 takes puts the answers of the two members in an order, after the decider, 5, has
    taken one.  So its event, which had taken less than the greatest, becomes canonical, and is deleted by a revisit of 4."""
    def member(p):
        if (yield "op", 0, "get", ()) == 0:
            yield send(6)
            yield send(5, tag=1)
        else:
            yield send(5, tag=2)
            yield send(6)
    wants = [("recv", ("tags", 1 | 2 | 4)), ("recv", ("tags", 2 | 8))]
    return Handwritten([one(send(5, tag=3)), member, member, one(("op", 0, "put", (1,))), one(("poll", ANY)), one(*wants),
                        one(("recv", ANY), send(4)), one(send(5, tag=0))], [[1, 2]], objects=1, initial={0: 0})


# name, program, model, how; behaviours, orbits, orbits found, visits
KNOWN = [
    ("2 clients, 2 rounds", clients(2, 2), "fifo", {}, (6, 3, 3, 3)),
    ("3 clients, 1 round", clients(3, 1), "bag", {}, (6, 1, 1, 1)),
    ("3 clients, 2 rounds", clients(3, 2), "fifo", {}, (90, 15, 15, 15)),
    ("4 clients, 1 round", clients(4, 1), "causal", {}, (24, 1, 1, 1)),
    ("2 votes of 3", votes(3, 2), "fifo", {}, (6, 1, 1, 1)),
    ("4 votes of 4", votes(4, 4), "bag", {}, (24, 1, 1, 1)),
    ("a lock for 3", lock(3), "fifo", {}, (30, 5, 5, 5)),
    ("3 peers", peers(3), "fifo", {}, (8, 2, 2, 4)),
    ("released by a late message", released_by_a_late_message(), "fifo", {"deciders": [0]}, (28, 14, 14, 18)),
    ("released by a late message", released_by_a_late_message(), "fifo", {"deciders": [0], "rule": "events"}, (28, 14, 12, 12)),
    ("random program 18", Random(18, "broadcast"), "bag", {}, (96, 17, 17, 31)),
    ("random program 18", Random(18, "broadcast"), "bag", {"rule": "revisits"}, (96, 17, 14, 18)),
    ("ordered by a later take", ordered_by_a_later_take_of_members(), "mailbox", {"deciders": [5]}, (76, 38, 37, 44)),
]


def known():
    wrong = 0
    for name, prog, model, how, want in KNOWN:
        got = compare(prog, model, limit=400000, most=5000, **how)
        wrong += got != want
        print(f"{'ok' if got == want else 'WRONG':5} {name} ({model}{', rule=' + how['rule'] if 'rule' in how else ''}): "
              f"{got[0]} behaviours, {got[1]} orbits, {got[2]} found in {got[3]} visits; wanted {want}")
    return wrong


def main():
    if sys.argv[1] == "known":
        return known() != 0
    what, model, lo, hi = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    how = dict(x.split("=") for x in sys.argv[5:])
    total, programs, wrong = [0, 0, 0, 0], 0, 0
    for seed in range(lo, hi):
        if got := compare(Random(seed, what), model, **how):
            programs += 1
            total = [x + y for x, y in zip(total, got)]
            if got[1] != got[2]:
                wrong += 1
                print(f"{what} {seed} ({model}): {got[2]} of {got[1]} orbits")
    print(f"{what} {model}: {programs} programs, {total[0]} behaviours, {total[1]} orbits, {total[3]} visits, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
