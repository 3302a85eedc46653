#!/usr/bin/env python3
"""Executable specification of the optimal explorer, second part: objects that are read and written, and mailboxes by what
was taken.  (optimal.py is the first part; this one contains it, with processes in place of handlers.)  processes.py has the
programs and the oracle.  The explorer in C has the objects; its mailboxes are those of the first part.

    ./optimal_more.py mailbox 0 300 mix      compare with brute force on random programs 0..299
                      fifo bag causal        mix, messages, objects, lives, dense, wide, sets, quorums, gathers: which
                                             kind of programs
    ./optimal_more.py mailbox 0 300 mix check=1 order=hash pick=fewest
                                             also compare the rules with the definition in every use; other orders
    ./optimal_more.py print fifo 0 300 mix   programs with their numbers of behaviours, for operations.c

PROCESSES do, one action at a time:
    send(to, payload)   spawn(child)
    recv(filter)        waits for a message that the filter fits; poll(filter) takes one or nothing.  A wait with a time
                        limit is a poll: both may happen at any moment and find or not find something.
    set(filter, n)      waits for n messages and takes them at once, as a set; set_poll(filter, n) takes n or nothing.
    gather(filter, n, other)
                        waits for n messages that the filter fits and takes them as a set, or takes one of the others, which
                        `other` fits, alone.
    op(object, ...)     get, put, insert_new, delete, cas, add: whether it writes depends on what it finds (operate()).
                        Names and keys of a table are objects.  The life of a process is one: `end` writes it, `get` asks
                        whether it has ended, `watch` (monitor, link) reads it, too, and a notice comes to whoever watches when
                        there are both a watch and an end, in whichever order these two came.
What a process does next is a function of the results it got.

BEHAVIOUR.  An event is (process, how many events it had before).  Each event gets something:
    a receive   the send that it took, or None (a poll that found nothing); of a set: the set of sends
    an op       the write whose value it found, (-1, object) for the value at the start
    others      (), nothing
Two runs are the same behaviour if the same events got the same.  So: which receive took which send; which operation found
which write; and, since an op that writes also finds one, the order of the writes of each object.  Not: in which order a
mailbox got messages that nobody compared; in which order reads between the same two writes came.

GRAPH.  A list of (event, what it got) in the order in which they were added; that is not an order of execution.
    reasons of an event: the one before it in its process (of the first: its spawn), and what it got; past: transitively.
    A put has the write before it among its reasons, though it does not look.
    A notice is a send with two reasons, the end and the watch (and the notice before it for the same process of the same
    end, so that it is not overtaken by being added late); it is named by both, and is added as soon as both are there.  So
    watching is reading: it neither orders those who watch nor is changed by a later end.
    version: a write of an object, or its start.  next_write[v]: the one that found v.  A version has at most one.

WHEN IS A GRAPH POSSIBLE?  (consistent(); exact, see below.)  If there is no cycle in "comes before":
    reasons come before what they are reasons of;
    an op that found v and did not write comes before next_write[v];
  mailbox (one queue per process, a send is in it at once, a receive takes the first that fits):
    if receive r took m: m comes before every other message that r wants;
    if poll r found nothing: r comes before every message that r wants;
    r wants a message if it was sent to its process, r's filter fits, and no earlier receive of the process took it (whether
    a later one takes it does not matter);
  bag, fifo, causal: no cycle, and each receive by itself could take what it took (front()), a poll of nothing could miss
    what there was (must_take(): its own messages, and those a later one of the same sender has overtaken).  When such a
    message comes is nobody's matter, so these say nothing about "before".
  Exact for mailbox: if there is no cycle, put all events in any order that agrees with "before" and let the machine run: when
  r takes m, m was sent and not taken, and whatever else fits r and is in the queue was sent after m, so m is the first that
  fits; a poll of nothing has nothing in the queue that fits.  Conversely a run has its order as a witness.  There is no
  disjunction in it, hence no search: filters may be any predicate of the message and the process's own state.  Whoever waits
  at the end waits rightly if the graph holds no message that it wants.

TWO PROPERTIES carry the search.
    P1  What is left of a possible graph is possible if with each event its reasons are left.  (Dropping events drops orders,
        and makes none: a message that a dropped receive took is wanted by the receives before it, which wanted it anyway.)
    P2  A possible graph stays possible if the next event of a process is added with what is called canonical below: a send is
        put last; an op finds the last version; a receive takes what is first of all that it wants in some order of the
        whole.  So no graph is a dead end, and nothing is ever wasted: there are no blocked runs.

THE SEARCH, visit(graph): the next event e (any function of what the graph says; here sends first) is added
    (1) with each v that it may get:
          recv, mailbox   v is wanted, and no other wanted message is `earlier` than v
          poll of None    no wanted message is earlier than the event before it in its process
          op that would not write, finding v     next_write[v] is not earlier than the event before it in its process
          op that would write, finding v         v has no next_write
        earlier(x) is all that comes before x, as above: one walk backwards.  e is the last of its process and nobody got it,
        so these are the only cycles there can be.
    (2) if it is a send or an op that would write: for each v (an op: also those that have a next_write), and each event r that
        could get e (receives of the one it is sent to; ops on the same object, whether they wrote or not) and is not in the
        past of (e, v), also from the TARGET: what was added before r, the past of (e, v), r with e, and (e, v) as the newest.
        Everything else is thrown away.  Only if
          (a) nothing thrown away, nor r, was got by an event that was added before it;
          (b) everything thrown away, and r itself, is canonical: it got what it would get if only what was added before it
              and the past of (e, v) were known (`known`):
                send, spawn   always
                op            the last version there: what it got has no next_write in `known`
                receive       the greatest, in one fixed order of messages, nothing being the least, of what it may get there
          (c) the target is possible:
                send          r may get e by the rule of (1), r's process ending before r
                op            v has no next_write in what is kept (r itself not counted).  Then it is: no walk needed.
    r with e may do other things than before: a cas that succeeded may fail now, and the other way round.

SETS.  A set can be taken if nothing that must come first is left behind: fifo, causal: of those that the receive wants;
mailbox: its members come before all other messages that it wants, and have no order among themselves.  A send e makes the sets
possible that contain e.  The others of such a set are known to r or were added behind r; those behind r that are not in the past
of e stay, with their pasts (revisit_set).
    canonical     the greatest message that can be taken, then the greatest that can be taken with it, and so on.
    `known`       has the pasts of all messages of the new set, but not these messages themselves, unless they were added
                  before or are in the past of one of them.  Otherwise r, or a receive after it, could take one of them early,
                  and there would be a canonical graph for each order in which these messages come: random programs sets 76
                  (r), 347 (one after it).  If those in the past of another one are left out as well, r may have nothing to
                  take: mailbox, sets 695, pick=first.
    set_poll of nothing under mailbox says that fewer than n are there: one of several orders, not a matter of cycles.  It is
    left out here, and refused in C.

GATHERS.  A message joins if the filter of sets fits it; others are taken alone.
    alone         a message can be taken alone if it can be taken from among those that can be taken alone: what joins waits
                  for others meanwhile, and says nothing about their order.  So a gather that took a message alone orders it
                  before those that it would take alone, and not before those that join.
    a set         can be taken if nothing that the gather wants, to join or alone, must come first and is left behind.
    canonical     the greatest that can be taken alone; a set, as above, if there is nothing to take alone.

EXACTLY ONCE.  Take a target T.  What it was made from is determined: before r was added there was what stands before r in T;
then the search goes on as it always does, but for events of the past of (e, v), which are as they are in T; all others must be
canonical, r too; until e is next.  By P1 what is kept is possible, by P2 each canonical event can be added, so that graph
exists and is possible; by (a) and (b) no other graph leads to T.  Going back like this from any possible graph ends at the
empty one, so every possible graph in which nobody has more to do is reached, and once.  (A sketch, after TruSt and Must; what
is sure is the comparison with brute force.)
  For this, what is canonical must be a function of what the graph says.  For receives any order of messages will do
  (order=hash, order=down).  For ops it must be the last version, because an op is a reader and a writer in one: were r to find
  an older one, e could be next before v exists, get v only by being changed itself, and then nobody would look which events
  could get e.  With the last version r finds v (v must be the last, (c)), so v exists when e is next.
  Example: get, put 1, put 2 by three processes have 6 behaviours; with the first version as canonical 5 are found.
  (The other way out is to split an op into a read and a write, each an event, as TruSt does.)

WHAT SIMPLER RULES GET WRONG (programs of known.py):
    causal order in place of `earlier`                test_mailbox: 9 for 8, one of them impossible; sends of processes
                                                      that never met are ordered by what others took
    reads not before the next write                   store buffering: 4 for 3; read orders sends: 4 for 3 (mailboxes and
                                                      objects need one common "before")
    m before all other messages to r's process,
      whether r wants them or not                     messages_1: 2 for 3, one is missed
    without (a)                                       got by an earlier one: 5 visits for 4
    past of (e, v) left out of `known`                get, put, put: 7 visits for 6
    canonical version the first, not the last         get, put, put: 5 of 6
    "it was the greatest it could take when it was    ordered by a later take: 5 of 6 (rare: 1 of 1,470 wide programs, no. 734).
      added" as a condition of canonical              The past of e can put messages in an order that they did not have then, so
                                                      what a receive may take must be asked again in `known`.  Under bag, fifo
                                                      and causal that cannot happen and the short cut is right.

COST.  n events, k of them receives of one process: earlier() visits each event once and for each send the receives of its
receiver: O(n + sends * k) calls of `matches`, each of which can be kept as a bit.  (1) costs one walk per wanted message, or
one for an op; (2) (a) is a comparison of stamps; (b) does not depend on r: one pass from the newest event down, as long as all
are canonical, serves every r; for an op it is a look at next_write, for a receive nothing if it took the greatest of all it
wants in `known` (it may get that, since the graph is possible), else one walk per greater wanted message; (c) one walk for a
send, none for an op.  Memory: the graphs from the root to the current one.

NOT DONE.  An operation on two objects at once (a name and the life of its owner): here these are two operations.  A notice
is a send by itself, some time after the end.  Puts of different values that nobody reads are ordered: n!.  n equal ones have n
behaviours, not 1, since who came first is part of it.  To leave that out, a version would have "one of these" as reason, and
possibility would not be a matter of cycles any more.  To leave out the graphs with one of the orders loses others
(equal_puts.py).
"""
import itertools
import sys
import time

from processes import Random, matches, mix, operate, oracle

sys.setrecursionlimit(100_000)

SETS = ("set", "set_poll")
RECEIVES = ("recv", "poll", "gather", *SETS)


def parts(v):
    """The events that an event got: one, none, or the messages of a set."""
    return sorted(v) if isinstance(v, frozenset) else [v] if v else []


# ---- the explorer --------------------------------------------------------------------------------------------------

class View:
    """What a graph says: the actions of its events, found by running the processes again, and what follows from them."""

    def __init__(self, prog, graph):
        self.got = got = dict(graph)
        self.count = [0] * prog.n                    # events of each process
        for e, _ in graph:
            if len(e) == 2:
                self.count[e[0]] += 1
        self.action, self.results = {}, [()] * prog.n
        self.payload, self.spawned = {}, {}          # of sends; of processes: by which event
        self.value = {(-1, o): prog.initial.get(o) for o in range(prog.objects)}     # by the write
        self.writes = {}                             # which operations write: their objects
        self.next_write, self.readers = {}, {}       # by write: the next one; operations that read it and do not write
        self.messages = [[] for _ in range(prog.n)]  # sends to each process
        self.receives = [[] for _ in range(prog.n)]  # of each process, in its order
        self.operations = [[] for _ in range(prog.objects)]
        self.watches = []                            # operations that wait for an end: (object, event)
        self.ends = {}                               # by object
        moved = True
        while moved:
            moved = False
            for p in range(prog.n):
                while len(self.results[p]) < self.count[p]:
                    e = (p, len(self.results[p]))
                    a, v = prog.next(p, self.results[p]), got[e]
                    if any(x[0] >= 0 and x not in self.action for x in parts(v)):
                        break                        # it waits for what another process did
                    self.results[p] += (self.make(e, a, v),)
                    self.action[e] = a
                    moved = True
            for e in self.notices():
                if e in got and e not in self.action:
                    self.action[e] = self.notice(e)
                    self.make(e, self.action[e], ())
                    moved = True
        self.complete = len(self.action) == len(graph)

    def make(self, e, a, v):
        if a[0] == "send":
            self.payload[e] = a[2]
            self.messages[a[1]].append(e)
        elif a[0] == "spawn":
            self.spawned[a[1]] = e
        elif a[0] == "op":
            self.operations[a[1]].append(e)
            result, writes, new = operate(a[2], a[3], self.value[v])
            if a[2] == "watch":
                self.watches.append((a[1], e))
            if a[2] == "end":
                self.ends[a[1]] = e
            if writes:
                self.writes[e], self.value[e], self.next_write[v] = a[1], new, e
            else:
                self.readers.setdefault(v, []).append(e)
            return result
        else:
            self.receives[e[0]].append(e)
            if isinstance(v, frozenset):
                return tuple(sorted((m[0], self.payload[m]) for m in v))
            return v and (v[0], self.payload[v])

    def notices(self):
        return sorted(self.ends[o] + x for o, x in self.watches if o in self.ends)

    def notice(self, e):
        """A send that nobody makes alone: its reasons are an end and the operation that watches for it."""
        x = self.action[e[2:]]
        return "send", e[2], (x[3][0], int(self.got[e[2:]] == e[:2]))

    def reasons(self, e, v):
        """Direct reasons of an event: what its process did before, its spawn, and what it gets.  Of a notice: the end, the
        watching, and the notice before it for the same process of the same end."""
        if len(e) == 4:
            before = [y for y in self.notices() if y[:3] == e[:3] and y < e]
            return [e[:2], e[2:]] + before[-1:]
        p, i = e
        out = [(p, i - 1)] if i else [self.spawned[p]] if p in self.spawned else []
        return out + [x for x in parts(v) if x[0] >= 0]

    def past(self, e, v):
        out, todo = set(), self.reasons(e, v)
        while todo:
            x = todo.pop()
            if x not in out:
                out.add(x)
                todo += self.reasons(x, self.got[x])
        return out

    def heard(self, m):
        """What is before m by messages, spawns and the order of each process: causal delivery knows nothing of objects."""
        out, todo = set(), [m]
        while todo:
            x = todo.pop()
            for y in self.reasons(x, None if self.action[x][0] == "op" else self.got[x]):
                if y not in out:
                    out.add(y)
                    todo.append(y)
        return out

    def taken_before(self, e):
        return {m for r in self.receives[e[0]] if r < e for m in parts(self.got[r])}

    def wanted(self, e, a):
        """The messages that a receive of e's process would take, had it its way: sent to it, fitting, not yet taken."""
        taken = self.taken_before(e)
        return [m for m in self.messages[e[0]] if m not in taken and self.fits(a, m)]

    def joins(self, a, m):
        """Whether a receive takes the message together with others, if it takes it."""
        return a[0] in SETS + ("gather",) and matches(a[1], m[0], self.payload[m])

    def fits(self, a, m):
        return matches(a[1], m[0], self.payload[m]) or (a[0] == "gather" and matches(a[3], m[0], self.payload[m]))

    def beside(self, e, a, v):
        """The messages that have to do with it that a receive gets v: all that it wants; if a gather takes one alone, those
        that it would take alone."""
        one = a[0] == "gather" and not isinstance(v, frozenset)
        return [m for m in self.wanted(e, a) if not (one and self.joins(a, m))]

    def versions(self, o):
        out = [(-1, o)]
        while out[-1] in self.next_write:
            out.append(self.next_write[out[-1]])
        return out

    def would_write(self, a, v):
        return operate(a[2], a[3], self.value[v])[1]


class Explorer:
    def __init__(self, prog, model, order="key", pick="sends first", check=False, rule=None):
        # Under mailbox a set that was not there when the time was over says that fewer than n were there: one of several
        # orders, which is not a matter of cycles.
        assert model != "mailbox" or not any(w and k == "set_poll" for k, w in getattr(prog, "weights", {}).items())
        self.prog, self.model, self.order, self.pick, self.check = prog, model, order, pick, check
        self.rule = rule                             # "all": what joins comes after what was taken alone, which is wrong
        self.found, self.wasted = [], 0

    # ---- the definition ----
    def consistent(self, graph):
        """Some run of the machine makes this graph: the definition, used only to check the rules below."""
        view = View(self.prog, graph)
        if not view.complete:
            return False
        after = {e: [] for e in view.got}           # x comes before each of after[x]
        next_write = {}
        for e, v in graph:
            for x in view.reasons(e, v):
                after[x].append(e)
            if e in view.writes:
                if v in next_write:
                    return False                    # two writes right after the same one
                next_write[v] = e
        for e, v in graph:
            a = view.action[e]
            if a[0] == "op" and e not in view.writes and v in next_write:
                after[e].append(next_write[v])
            if a[0] in RECEIVES:
                want, took = view.beside(e, a, v), parts(v)
                if not set(took) <= set(want):
                    return False
                if self.model == "mailbox":
                    for x in took or [e]:
                        after[x] += [m for m in want if m not in took]
                elif a[0] in SETS or isinstance(v, frozenset):
                    if not self.may_take_set(view, want, v) if v else self.must_take(view, e, want, a[2]):
                        return False
                elif v not in self.front(view, want) if v else self.must_take(view, e, want):
                    return False
        into = dict.fromkeys(after, 0)
        for x in after:
            for y in after[x]:
                into[y] += 1
        todo, done = [x for x in into if not into[x]], 0
        while todo:
            done += 1
            for y in after[todo.pop()]:
                into[y] -= 1
                if not into[y]:
                    todo.append(y)
        return done == len(into)

    # ---- the rules ----
    def front(self, view, want):
        """bag, fifo, causal: which of the messages that a receive wants can come now."""
        if self.model == "bag" or len(want) < 2:
            return want
        if self.model == "fifo":
            return [m for m in want if not any(x[0] == m[0] and x[1:] < m[1:] for x in want)]
        return [m for m in want if not any(x in view.heard(m) for x in want if x != m)]

    def must_take(self, view, e, want, n=1):
        """bag, fifo, causal: whether a poll cannot miss something: its own message, or one that a later one has overtaken.
        Of a set: n of these, with nothing that must come first."""
        taken = view.taken_before(e)
        there = {m for m in want if (m[0] == e[0] and m[1] < e[1]) or
                 (self.model != "bag" and any(t[0] == m[0] and t[1:] > m[1:] for t in taken))}
        picked = []
        while len(picked) < n:
            more = [m for m in self.front(view, [m for m in want if m not in picked]) if m in there]
            if not more:
                return False
            picked.append(more[0])
        return True

    def may_take_set(self, view, want, v):
        """bag, fifo, causal: whether these messages can be taken at once: nothing is left behind that must come first."""
        picked = set()
        while True:
            more = set(self.front(view, [m for m in want if m not in picked])) & v - picked
            if not more:
                return picked == v
            picked |= more

    def earlier(self, view, start):
        """All that must come before the events `start`, with them: over reasons, reads before the write that replaced
        what they read, and (mailbox) over what receives say about the order of sends."""
        out, todo = set(), list(start)
        while todo:
            x = todo.pop()
            if x in out:
                continue
            out.add(x)
            todo += view.reasons(x, view.got[x])
            if x in view.writes:
                todo += view.readers.get(view.got[x], [])
            elif self.model == "mailbox" and view.action[x][0] == "send":
                to = view.action[x][1]
                for r in view.receives[to]:
                    if x in parts(view.got[r]):
                        break
                    if x in (view.beside(r, view.action[r], view.got[r]) if self.rule != "all" else
                             view.wanted(r, view.action[r])):
                        todo += parts(view.got[r]) or [r]
        return out

    def may_get(self, view, e, a, v):
        """Whether the graph, which is consistent, stays so when e, which is new and the last of its process, gets v."""
        if a[0] == "op":
            if v not in view.next_write:
                return True
            return not view.would_write(a, v) and view.next_write[v] not in self.earlier(view, view.reasons(e, None))
        if isinstance(v, frozenset):
            want = set(view.wanted(e, a))
            if not v <= want:
                return False
            if self.model != "mailbox":
                return self.may_take_set(view, want, v)
            return not (want - v) & self.earlier(view, v)
        if a[0] in RECEIVES:
            want = view.beside(e, a, v)
            if a[0] in SETS and self.model != "mailbox":
                return not self.must_take(view, e, want, a[2])
            if self.model != "mailbox":
                return v in self.front(view, want) if v else not self.must_take(view, e, want)
            if v is None:
                return not set(want) & self.earlier(view, view.reasons(e, None))
            return v in want and not (set(want) - {v}) & self.earlier(view, [v])
        return True

    def candidates(self, view, e, a):
        """What e could get if order did not matter, least first."""
        if a[0] in ("send", "spawn"):
            return [()]
        if a[0] == "op":
            return view.versions(a[1])
        out = sorted(view.wanted(e, a))
        if self.order == "hash":
            out.sort(key=lambda v: mix(e, v))
        elif self.order == "down":
            out.reverse()
        if a[0] == "gather":
            alone = [m for m in out if not view.joins(a, m)]
            return [frozenset(x) for x in itertools.combinations([m for m in out if m not in alone], a[2])] + alone
        if a[0] in SETS:
            return [None] * (a[0] == "set_poll") + [frozenset(x) for x in itertools.combinations(out, a[2])]
        return [None] * (a[0] == "poll") + out

    def greatest(self, view, e, a):
        """What a receive gets if it is canonical.  Of a set: the greatest message that can be taken, then the greatest that
        can be taken with it, and so on."""
        want = view.wanted(e, a)
        if a[0] not in SETS and not (a[0] == "gather" and want and all(view.joins(a, m) for m in want)):
            return [c for c in self.candidates(view, e, a) if self.may_get(view, e, a, c)][-1]
        picked = set()
        while len(picked) < a[2]:
            left = [m for m in self.candidates(view, e, ("recv", a[1])) if m not in picked]
            if self.model == "mailbox":
                front = [m for m in left if not (set(left) - {m}) & self.earlier(view, [m])]
            else:
                front = self.front(view, [m for m in want if m not in picked])
            left = [m for m in left if m in front]
            if not left:
                return None
            picked.add(left[-1])
        return frozenset(picked)

    def next_event(self, view):
        """Any function of what the graph says (not of the order of its list) will do; sends first keeps graphs small."""
        for e in view.notices():
            if e not in view.got:
                return e, view.notice(e)
        ready = []
        for p in range(self.prog.n):
            if p not in self.prog.parent or p in view.spawned:
                a = self.prog.next(p, view.results[p])
                if a is not None:
                    ready.append(((p, view.count[p]), a))
        if self.pick == "last":
            ready.reverse()
        if self.pick != "first":
            for e, a in ready:
                if a[0] in ("send", "spawn"):
                    return e, a
        if self.pick == "fewest":
            ready.sort(key=lambda x: (sum(self.may_get(view, *x, v) for v in self.candidates(view, *x)), x[0]))
        for e, a in ready:
            want = view.wanted(e, a) if a[0] in RECEIVES else []
            if a[0] == "gather" and not all(view.joins(a, m) for m in want):
                return e, a
            if a[0] not in ("recv", "set", "gather") or len(want) >= (1 if a[0] == "recv" else a[2]):
                return e, a
        return None

    # ---- the search ----
    def visit(self, graph):
        before = len(self.found)
        view = View(self.prog, graph)
        step = self.next_event(view)
        if step is None:
            self.found.append(tuple(tuple(view.got[p, i] for i in range(view.count[p])) for p in range(self.prog.n)))
            return
        e, a = step
        for v in self.candidates(view, e, a):
            good = self.may_get(view, e, a, v)
            assert not self.check or good == self.consistent(graph + [(e, v)])
            if good:
                self.visit(graph + [(e, v)])
            if a[0] == "send":
                self.revisit(graph, view, e, a, v, view.receives[a[1]])
            elif a[0] == "op" and view.would_write(a, v):
                self.revisit(graph, view, e, a, v, view.operations[a[1]])
        self.wasted += len(self.found) == before

    def revisit(self, graph, view, e, a, v, events):
        """e is new and gets v.  Each event r that could get e instead of what it got is changed, if this is the graph to
        do so from."""
        for r in events:
            if self.takes_together(view, r, e, a):
                self.revisit_set(graph, view, e, v, r)
        past = view.past(e, v)
        for r in events:
            if r in past or self.takes_together(view, r, e, a):
                continue
            at = next(i for i, x in enumerate(graph) if x[0] == r)
            gone = [i for i, x in enumerate(graph) if i >= at and x[0] not in past]
            if any(self.got_early(graph, i) for i in gone):
                continue
            if not all(self.canonical(graph, view, i, past) for i in gone):
                continue
            kept = [x for i, x in enumerate(graph) if i < at or x[0] in past]
            if a[0] == "op":
                good = v not in View(self.prog, kept).next_write
            else:
                good = self.may_get(View(self.prog, kept + [(e, v)]), r, view.action[r], e)
            target = kept[:at] + [(r, e)] + kept[at:] + [(e, v)]
            assert not self.check or good == self.consistent(target)
            if good:
                self.visit(target)

    def takes_together(self, view, r, e, a):
        """Whether r can take what is sent here, if at all, only in a set."""
        kind = view.action[r]
        return kind[0] in SETS or (kind[0] == "gather" and matches(kind[1], e[0], a[2]))

    def revisit_set(self, graph, view, e, v, r):
        """r takes a set with e instead of what it took.  The others of the set are known before r, or they stay, with their
        pasts, though they were added after r."""
        at, a = next(i for i, x in enumerate(graph) if x[0] == r), view.action[r]
        whole = View(self.prog, graph + [(e, v)])
        for s in itertools.combinations([m for m in whole.wanted(r, a) if m != e and whole.joins(a, m)], a[2] - 1):
            members = frozenset(s) | {e}
            past = view.past(e, v).union(*(view.past(m, ()) for m in s))
            if r in past or e not in whole.wanted(r, a):
                continue
            gone = [i for i, x in enumerate(graph) if i >= at and x[0] not in past | members]
            if any(self.got_early(graph, i) for i in gone):
                continue
            if not all(self.canonical(graph, view, i, past) for i in gone):
                continue
            kept = [x for i, x in enumerate(graph) if i < at or x[0] in past | members]
            target = kept[:at] + [(r, members)] + kept[at:] + [(e, v)]
            good = self.may_get(View(self.prog, kept + [(e, v)]), r, a, members)
            assert not self.check or good == self.consistent(target)
            if good:
                self.visit(target)

    def got_early(self, graph, i):
        """Whether an event that was added before the i-th one got it."""
        return any(graph[i][0] in parts(v) for _, v in graph[:i])

    def canonical(self, graph, view, i, past):
        """Whether the i-th event got what it would get if nothing were known but what was added before it and `past`."""
        e, v = graph[i]
        a = view.action[e]
        if a[0] in ("send", "spawn"):
            return True
        known = View(self.prog, [x for j, x in enumerate(graph) if j < i or x[0] in past])
        if a[0] == "op":
            return v not in known.next_write        # the last version, no other: see the head
        return v == self.greatest(known, e, a)


LIMIT = 20000


def compare(name, prog, model, limit, most=400, **how):
    want = oracle(prog, model, limit)
    if want is None or len(want) > most:
        return None
    ex = Explorer(prog, model, **how)
    ex.visit([])
    got = set(ex.found)
    bad = len(ex.found) != len(got) or got != want or ex.wasted
    if bad:
        print(f"{model} {name}: {len(want)} behaviours, visited {len(ex.found)}, twice {len(ex.found) - len(got)}, "
              f"missing {len(want - got)}, impossible {len(got - want)}, wasted {ex.wasted}")
    return len(want), bad


def code(result):
    """A result as one number, as operations.c has it."""
    if result is None:
        return -1
    if isinstance(result, tuple) and isinstance(result[0], tuple):     # a set, sorted
        h = 0
        for r in result:
            h = (h * 1009 + code(r) + 1) % 1000003
        return h
    if isinstance(result, tuple):
        return (result[0] * 8 + result[1][0]) * 8 + result[1][1]
    return int(result)


def print_program(seed, prog, behaviours):
    """As a tree for each process: what it does, and by the result what comes next."""
    nodes = {k: i for i, k in enumerate(sorted((k for k, a in prog.memo.items() if a is not None), key=lambda k: (len(k[1]), k[0])))}
    print(f"program {seed} behaviours {behaviours} processes {prog.n} objects {prog.objects}")
    for o, value in prog.initial.items():
        print(f"initial {o} {value}")
    for (p, results), i in nodes.items():
        a = prog.memo[p, results]
        if a[0] == "send":
            print(f"node {i} {p} send {a[1]} {a[2][0]} {a[2][1]}")
        elif a[0] == "op":
            print(f"node {i} {p} {a[2]} {a[1]}", *a[3])
        elif a[0] in SETS:
            print(f"node {i} {p} {a[0]} {a[1][0]} {a[1][1] if len(a[1]) > 1 else 0} {a[2]}")
        else:
            print(f"node {i} {p} {a[0]} {a[1][0]}", *a[1][1:])
    for (p, results) in prog.memo:
        if results and prog.memo[p, results] is not None:
            print(f"edge {nodes[p, results[:-1]]} {code(results[-1])} {nodes[p, results]}")
    print("end")


def print_programs(model, lo, hi, what):
    """Programs that operations.c can make: all processes run from the start; under causal none polls, because there the
    library knows more about what must have come."""
    for seed in range(lo, hi):
        prog = Random(seed, what, model)
        if prog.parent:
            continue
        want = oracle(prog, model, LIMIT)
        if want is None or len(want) > 150:
            continue
        if model == "causal" and any(a and a[0] in ("poll", "set_poll") for a in prog.memo.values()):
            continue
        ex = Explorer(prog, model)
        ex.visit([])
        assert set(ex.found) == want and len(ex.found) == len(want) and not ex.wasted, (seed, model)
        print_program(seed, prog, len(want))


def main():
    if sys.argv[1] == "print":
        print_programs(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
        return 0
    model, lo, hi = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    what = sys.argv[4] if len(sys.argv) > 4 else "mix"
    how = dict(x.split("=") for x in sys.argv[5:])
    tested = wrong = behaviours = 0
    began = time.time()
    for seed in range(lo, hi):
        r = compare(f"{what} {seed}", Random(seed, what, model), model, LIMIT, 300, **how)
        if r is None:
            continue
        tested += 1
        behaviours += r[0]
        wrong += bool(r[1])
    print(f"{model} {what} {how or ''}: {tested} programs of {hi - lo}, {behaviours} behaviours, {wrong} wrong, "
          f"{time.time() - began:.1f} s")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
