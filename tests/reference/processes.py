"""Programs of processes that send, receive, and operate on shared objects; a generator; and the oracle: every behaviour by
brute force over states.  optimal_more.py has the algorithm."""
import hashlib
import itertools
import random


def mix(*xs):
    return int.from_bytes(hashlib.blake2b(repr(xs).encode(), digest_size=8).digest(), "big")


# ---- programs ------------------------------------------------------------------------------------------------------

def matches(filter_, sender, payload):
    kind = filter_[0]
    if kind == "any":
        return True
    if kind == "tag":
        return payload[0] == filter_[1]
    if kind == "tags":
        return filter_[1] >> payload[0] & 1 == 1
    if kind == "from":
        return sender == filter_[1]
    if kind == "odd":
        return payload[1] % 2 == filter_[1]
    if kind == "never":
        return False
    raise ValueError(kind)


def operate(name, args, old):
    """What an operation does to an object that holds `old`: (result, writes, new value)."""
    if name == "get":
        return old, False, old
    if name == "put":                        # of what is there already it is a read
        return None, old != args[0], args[0]
    if name == "insert_new":
        return (old is None), (old is None), (args[0] if old is None else old)
    if name == "delete":
        return (old is not None), old is not None, None
    if name == "cas":
        return (old == args[0]), (old == args[0] != args[1]), (args[1] if old == args[0] else old)
    if name == "add":
        return (old or 0) + 1, True, (old or 0) + 1
    if name == "end":
        return None, True, "ended"
    if name == "watch":                      # changes nothing; a notice comes when the object is (or was) ended
        return None, False, old
    raise ValueError(name)


class Program:
    """What a process does next is a function of the results of what it did before."""

    def __init__(self, n, parent=None, initial=None, objects=0):
        self.n, self.objects = n, objects
        self.parent = parent or {}           # child: the process that spawns it; the others run from the start
        self.initial = initial or {}         # object: its value at the start
        self.memo = {}

    def next(self, p, results):
        k = (p, results)
        if k not in self.memo:
            self.memo[k] = self.action(p, results)
        return self.memo[k]


class Written(Program):
    """Each process is a generator function that yields actions and is sent their results."""

    def __init__(self, *bodies, parent=None, initial=None, objects=0):
        super().__init__(len(bodies), parent, initial, objects)
        self.bodies = bodies

    def action(self, p, results):
        g = self.bodies[p](p)
        try:
            a = next(g)
            for r in results:
                a = g.send(r)
            return a
        except StopIteration:
            return None


class Random(Program):
    """What comes next depends on all results so far, by a hash."""

    def __init__(self, seed, what="mix", model=None):
        rnd = random.Random(mix(seed, what))
        n = rnd.choice([2, 3, 3, 4, 4, 5])
        super().__init__(n, objects=rnd.randrange(1, 3))
        self.seed = seed
        self.tags = rnd.randrange(1, 4)
        self.late = rnd.randrange(3)
        # some processes mostly give, some mostly take
        self.role = [rnd.choice(["both", "both", "takes", "gives"]) for _ in range(n)]
        if "gives" not in self.role:
            self.role[rnd.randrange(n)] = "gives"
        if all(r == "gives" for r in self.role):
            self.role[rnd.randrange(n)] = "takes"
        most = {2: 7, 3: 6, 4: 5, 5: 4}[n]
        self.steps = [rnd.randrange(3, most + 1) if r == "takes" else rnd.randrange(1, most) for r in self.role]
        if n > 2 and rnd.random() < 0.3:
            self.parent[n - 1] = rnd.randrange(n - 1)
        for o in range(self.objects):
            if rnd.random() < 0.4:
                self.initial[o] = rnd.randrange(3)
        self.weights = {"send": rnd.choice([2, 3, 4]), "recv": rnd.choice([1, 2, 3]), "poll": rnd.choice([0, 0, 1, 2]),
                        "op": rnd.choice([1, 2, 4])}
        if what == "messages":
            self.weights["op"] = 0
        elif what == "objects":
            self.weights = {"op": 1}
            self.steps = [min(k, 4 if n < 4 else 2) for k in self.steps]
        if what == "dense":                          # two that take and several that give to both: orders that cross
            givers = rnd.choice([2, 2, 3])
            self.n, self.parent = 2 + givers, {}
            self.role = ["takes", "takes"] + ["gives"] * givers
            self.steps = [rnd.choice([3, 4]), rnd.choice([3, 4])] + [rnd.choice([2, 3]) for _ in range(givers)]
            self.weights = {"send": 3, "recv": rnd.choice([2, 4]), "poll": rnd.choice([0, 1]), "op": rnd.choice([0, 0, 0.5])}
            self.tags = rnd.choice([1, 2, 2])
        self.shape = None
        if what == "wide":                           # many short processes of fixed shape, which cross a lot
            self.n, self.parent = rnd.choice([4, 5, 5, 6]), {}
            self.role = [rnd.choice(["takes", "both", "gives", "gives"]) for _ in range(self.n)]
            self.role[0], self.role[-1] = "takes", "both"
            takes = ["recv", "recv", "poll"]
            self.shape = [{"takes": [rnd.choice(takes)] * rnd.choice([1, 1, 2]), "both": [rnd.choice(takes), "send"],
                           "gives": ["send", "send"]}[r] for r in self.role]
            self.steps = [len(x) for x in self.shape]
        self.tables = self.objects
        if what == "lives":                          # each process ends, others look at that and watch for it
            self.objects += self.n
            self.steps = [min(k, 4 if self.n < 4 else 3) for k in self.steps]
            self.weights = {"send": rnd.choice([0.5, 1, 2]), "recv": 3, "poll": rnd.choice([0, 1]), "op": 4}
        self.ops = rnd.choice([["get", "put"], ["get", "put", "add"], ["get", "insert_new", "delete"], ["get", "cas"],
                               ["get", "put", "insert_new", "delete", "cas", "add"]])
        self.filters = rnd.choice([["any"], ["any", "tag"], ["tag"], ["any", "tag", "tags", "from", "odd"]])
        if what in ("dense", "lives", "wide"):
            self.filters = rnd.choice([["any"], ["any", "any", "tag"], ["any", "any", "tag", "odd"]])
        if what == "quorums":                        # those that take a set go on to send to others who take sets
            takers, givers = 3, rnd.choice([2, 3, 3])
            self.n, self.parent = takers + givers, {}
            self.role = ["takes"] * takers + ["gives"] * givers
            first = rnd.randrange(takers)            # takes a set of what the others send, but could do without them
            self.shape = [["set", rnd.choice(["set", "recv"])][:rnd.choice([1, 2])] if p == first else
                          [rnd.choice(["set", "set", "recv"]), "send", "send"][:rnd.choice([2, 2, 3])] for p in range(takers)]
            self.shape += [["send"] * rnd.choice([2, 2, 3]) for _ in range(givers)]
            self.steps = [len(x) for x in self.shape]
            self.aims, self.first = rnd.choice([0.4, 0.6]), first
            self.sizes = rnd.choice([[2], [1, 2], [1, 2, 2, 3]])
            self.weights = {"send": 1, "recv": 1, "poll": 0, "set": 1, "set_poll": 0}
            self.tags, self.filters = 1, rnd.choice([["any"], ["any", "any", "odd"]])
        if what == "sets":                           # some that take sets, and many that give, late and early
            givers = rnd.choice([2, 3, 3, 4])
            takers = rnd.choice([1, 1, 2])
            self.n, self.parent = takers + givers, {}
            self.role = ["takes"] * takers + ["gives"] * givers
            self.steps = [rnd.choice([2, 3]) for _ in range(takers)] + [rnd.choice([1, 2, 2, 3]) for _ in range(givers)]
            self.weights = {"send": 3, "recv": rnd.choice([0, 1]), "poll": rnd.choice([0, 1]), "set": rnd.choice([2, 4]),
                            "set_poll": rnd.choice([0, 1, 3]) * (model != "mailbox"), "op": rnd.choice([0, 0, 0.5])}
            self.tags = rnd.choice([1, 1, 2])
            self.filters = rnd.choice([["any"], ["any", "any", "tag"], ["any", "tag", "odd", "from"]])

        if what == "gathers":                        # some that take a set of one kind or another message alone
            takers, givers = rnd.choice([1, 1, 2]), rnd.choice([2, 3, 3])
            self.n, self.parent = takers + givers, {}
            self.role = ["takes"] * takers + ["gives"] * givers
            self.steps = [rnd.choice([2, 3, 3]) for _ in range(takers)] + [rnd.choice([1, 2, 2, 3]) for _ in range(givers)]
            self.weights = {"send": 3, "recv": rnd.choice([0, 0, 1]), "poll": rnd.choice([0, 0, 1]), "gather": 4,
                            "op": rnd.choice([0, 0, 0.5])}
            self.tags = rnd.choice([2, 2, 3])
            self.filters = rnd.choice([["any"], ["any", "tag"]])

    def action(self, p, results):
        if len(results) >= self.steps[p]:
            last = self.objects > self.tables and len(results) == self.steps[p]
            return ("op", self.tables + p, "end", ()) if last else None
        rnd = random.Random(mix(self.seed, p, results))
        if len(results) == min(self.steps[p] - 1, self.late):
            for child, parent in self.parent.items():
                if parent == p:
                    return "spawn", child
        w = dict(self.weights)
        if self.role[p] == "takes" and "send" in w:
            w["send"], w["recv"], w["poll"] = w["send"] * 0.3, w["recv"] * 2, w["poll"] * 2
        elif self.role[p] == "gives" and "send" in w:
            w["send"], w["recv"] = w["send"] * 2, 0 if self.objects > self.tables else w["recv"] * 0.2
            if "gather" in w:
                w["gather"] *= 0.05
            if "set" in w:
                w["set"], w["set_poll"] = w["set"] * 0.05, w["set_poll"] * 0.05
        kind = self.shape[p][len(results)] if self.shape else rnd.choices(list(w), list(w.values()))[0]
        if kind == "send":
            to = rnd.choice([q for q in range(self.n) if self.role[q] != "gives"])
            if hasattr(self, "aims") and rnd.random() < self.aims:
                to = self.first
            return "send", to, (rnd.randrange(self.tags), rnd.randrange(4))
        if kind == "op":
            if self.objects > self.tables and rnd.random() < 0.75:
                life = self.tables + rnd.choice([q for q in range(self.n) if self.role[q] == "gives"] * 3 + list(range(self.n)))
                return ("op", life, "get", ()) if rnd.random() < 0.3 else ("op", life, "watch", (rnd.randrange(self.tags),))
            name = rnd.choice(self.ops)
            args = {"put": 1, "insert_new": 1, "cas": 2}.get(name, 0)
            return "op", rnd.randrange(self.tables), name, tuple(rnd.randrange(3) for _ in range(args))
        if kind == "gather":                         # what else it takes: everything, or one more kind
            other = ("any",) if rnd.random() < 0.7 else ("tag", rnd.randrange(self.tags))
            return kind, ("tag", rnd.randrange(2)) if rnd.random() < 0.8 else ("odd", 1), rnd.choice([1, 2, 2, 2, 3]), other
        f = rnd.choice(self.filters)
        how = (rnd.choice(getattr(self, "sizes", [1, 2, 2, 2, 3])),) if kind in ("set", "set_poll") else ()
        return kind, {"any": ("any",), "tag": ("tag", rnd.randrange(self.tags)), "tags": ("tags", rnd.randrange(1, 8)),
                      "from": ("from", rnd.randrange(self.n)), "odd": ("odd", rnd.randrange(2))}[f], *how


# ---- the oracle ----------------------------------------------------------------------------------------------------

def oracle(prog, model, limit):
    """All behaviours by brute force over the steps of a machine, or None past `limit` states.

    The machine has for each process what was sent to it and not yet taken (mailbox: a queue; else a set), and for each
    object its value.  Nothing here knows about graphs, orders or consistency.  To name what happened, an event is
    (process, how many events the process had before); a message is named by its send, a value of an object by the
    operation that wrote it, (-1, object) at the start.  The behaviour is, per process, what each of its events got."""
    new_born = ((), (), frozenset(), ())     # what its events got, their results, messages it has heard of, those it took
    # objects: value, who wrote it, who watches (event, tag, what it had heard), what the end had heard
    procs = tuple(None if p in prog.parent else new_born for p in range(prog.n))
    objs = tuple((prog.initial.get(o), (-1, o), (), None) for o in range(prog.objects))
    first = (procs, ((),) * prog.n + ((),), objs)     # the last box: notices under way to mailboxes
    seen, stack, ends = set(), [first], set()

    def put(t, i, x):
        return t[:i] + (x,) + t[i + 1:]

    def must_have_come(p, taken, m):
        return m[0][0] == p or (model in ("fifo", "causal") and any(t[0] == m[0][0] and t[1:] > m[0][1:] for t in taken))

    def first(x, m, want):
        """Whether x must be taken before m, or with it."""
        if model == "mailbox":
            return want.index(x) < want.index(m)
        if model == "fifo":
            return x[0][0] == m[0][0] and x[0][1:] < m[0][1:]
        return model == "causal" and x[0] in m[2]

    def sets(of, n, want):
        """All sets of n messages that can be taken at once: no message that must come first is left behind."""
        for s in itertools.combinations(of, n):
            if not any(first(x, m, want) for m in s for x in want if x not in s):
                yield s

    def gathers(a, box):
        """What can be taken at once, all or one: n that join, with nothing left behind that must come first; or one of the
        others alone, whatever joins may wait meanwhile."""
        join = [m for m in box if matches(a[1], m[0][0], m[1])]
        alone = [m for m in box if m not in join and matches(a[3], m[0][0], m[1])]
        yield from sets(join, a[2], [m for m in box if m in join or m in alone])
        for m in alone:
            if not any(first(x, m, alone) for x in alone if x is not m):
                yield m

    def steps_of(p, procs, boxes, objs):
        got, results, heard, taken = procs[p]
        a = prog.next(p, results)
        me = (p, len(results))
        if a is None:
            return
        if a[0] == "send":
            m = (me, a[2], heard)
            now = put(procs, p, (got + ((),), results + (None,), heard | {me}, taken))
            yield now, put(boxes, a[1], boxes[a[1]] + (m,)), objs
        elif a[0] == "spawn":
            now = put(procs, p, (got + ((),), results + (None,), heard, taken))
            yield put(now, a[1], ((), (), heard, ())), boxes, objs
        elif a[0] == "op":
            value, writer, watchers, end_heard = objs[a[1]]
            result, writes, new = operate(a[2], a[3], value)
            due = []
            if a[2] == "watch":
                watchers += ((me, a[3][0], heard, writer[0] >= 0),)
                due = [watchers[-1]] if writer[0] >= 0 else []
            if a[2] == "end":
                due, end_heard = watchers, heard
            after = (new, me, watchers, end_heard) if writes else (value, writer, watchers, end_heard)
            for x, tag, knew, late in due:
                ids = [after[1] + y for y, _, _, _ in watchers if y[0] == x[0] and y <= x]
                m = (ids[-1], (tag, int(late)), knew | end_heard | set(ids[:-1]), x[0])
                to = prog.n if model == "mailbox" else x[0]
                boxes = put(boxes, to, boxes[to] + (m,))
            yield (put(procs, p, (got + (writer,), results + (result,), heard, taken)), boxes, put(objs, a[1], after))
        elif a[0] == "gather":
            for s in gathers(a, boxes[p]):
                one = isinstance(s[0], tuple) and not isinstance(s[0][0], tuple)      # a message, else a set of them
                s = (s,) if one else s
                names = frozenset(m[0] for m in s)
                results_of = tuple(sorted((m[0][0], m[1]) for m in s))
                now = (got + (s[0][0] if one else names,), results + (results_of[0] if one else results_of,),
                       heard.union(names, *(m[2] for m in s)), taken + tuple(names))
                yield put(procs, p, now), put(boxes, p, tuple(x for x in boxes[p] if x not in s)), objs
        else:
            want = [m for m in boxes[p] if matches(a[1], m[0][0], m[1])]
            if a[0] in ("set", "set_poll"):
                for s in sets(want, a[2], want):
                    names = frozenset(m[0] for m in s)
                    now = (got + (names,), results + (tuple(sorted((m[0][0], m[1]) for m in s)),),
                           heard.union(names, *(m[2] for m in s)), taken + tuple(names))
                    yield put(procs, p, now), put(boxes, p, tuple(x for x in boxes[p] if x not in s)), objs
                there = want if model == "mailbox" else [m for m in want if must_have_come(p, taken, m)]
                if a[0] == "set_poll" and not any(True for _ in sets(there, a[2], want)):
                    yield put(procs, p, (got + (None,), results + (None,), heard, taken)), boxes, objs
                return
            if model == "mailbox":
                can = want[:1]
            elif model == "bag":
                can = want
            elif model == "fifo":
                can = [m for m in want if not any(x[0][0] == m[0][0] and x[0][1:] < m[0][1:] for x in want)]
            else:
                can = [m for m in want if not any(x[0] in m[2] for x in want if x is not m)]
            for m in can:
                yield (put(procs, p, (got + (m[0],), results + ((m[0][0], m[1]),), heard | m[2] | {m[0]}, taken + (m[0],))),
                       put(boxes, p, tuple(x for x in boxes[p] if x is not m)), objs)
            if a[0] == "poll" and not (can if model == "mailbox" else [m for m in can if must_have_come(p, taken, m)]):
                yield put(procs, p, (got + (None,), results + (None,), heard, taken)), boxes, objs

    def notice_comes(procs, boxes, objs):
        for m in boxes[-1]:
            if not any(x[0][:3] == m[0][:3] and x[0] < m[0] for x in boxes[-1]):
                yield procs, put(put(boxes, prog.n, tuple(x for x in boxes[-1] if x is not m)), m[3], boxes[m[3]] + (m,)), objs

    while stack:
        procs, boxes, objs = stack.pop()
        moved = False
        for p in range(prog.n + 1):
            if p < prog.n and procs[p] is None:
                continue
            for state in steps_of(p, procs, boxes, objs) if p < prog.n else notice_comes(procs, boxes, objs):
                moved = True
                k = (tuple(x and x[0] for x in state[0]),
                     tuple(tuple(m[0] for m in b) for b in state[1]) if model == "mailbox" else None)
                if k not in seen:
                    seen.add(k)
                    stack.append(state)
                    if len(seen) > limit:
                        return None
        if not moved:
            ends.add(tuple(x[0] if x else () for x in procs))
    return ends
