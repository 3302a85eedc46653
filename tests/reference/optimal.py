#!/usr/bin/env python3
"""Executable specification of the explorer `optimal`.

It explores one run for each distinct run of a program: none is missed, none is explored twice, no run is cut short,
and nothing is remembered but the current execution graph.  The algorithm is [TruSt 2022] with receives in the place of
reads, as in [Must 2024].  docs/papers.md has the full citations, README.md the functions of the C version.

    ./optimal.py check MODEL FIRST LAST    compare with the oracle on the programs FIRST to LAST - 1
    ./optimal.py print MODEL FIRST LAST    print these programs, the number of runs and the histories, for optimal.c

Words
    graph      a list of nodes in the order in which they were added, which is not an order of execution
    node       ("take", a, i, m)   event (a, i) took message m
               ("send", m)         message m was sent
               The start of an actor, event (a, 0), is no node: it takes nothing and comes first.
    position   of a node among all that its actor does: (index, 0) for event (a, index), (index, 1 + ordinal) for a send
    past       of a node: what happens before it [Lamport 1978]; per actor the highest position in it

The search, visit(graph), adds the next node in a fixed order.
    A send is added as soon as its event is in the graph.  Each revisit of the send (below) gives a changed graph to
    visit.  If no send is left to add, some actor takes a message: one graph to visit for each message that it can take.

A revisit of send s: an event r of the receiver of s, which is not in the past of s, takes s instead of what it took.
The changed graph keeps what was added before r and what is in the past of s; all other nodes are deleted.  It is
visited only if r can take s there, and if r and every deleted node are canonical:
    - no event that was added before a deleted send takes this send;
    - an event took the greatest message (in one fixed order) of those that it could take if there were only the nodes
      added before it and the past of s.
Of all graphs that lead to the changed graph by this revisit exactly one is canonical, so it is visited once.
"""
import sys
from collections import Counter
from program import Program, generate, mailbox_oracle, oracle


class View:
    """What follows from a graph.  clock[event] is the past of the event with itself: actor -> highest position."""

    def __init__(self, program, graph):
        self.program, self.graph = program, graph
        self.took = {x[1:3]: x[3] for x in graph if x[0] == "take"}
        self.length = [1] * program.actors            # events of each actor, with its start
        for actor, _ in self.took:
            self.length[actor] += 1
        self.sent = [x[1] for x in graph if x[0] == "send"]
        self.state, self.sends, self.clock = {}, {}, {}
        todo = [(a, i) for a in range(program.actors) for i in range(self.length[a])]
        while todo:                                    # in any order that respects happens-before
            todo = [event for event in todo if not self.execute(event)]

    def execute(self, event):
        actor, index = event
        if index == 0:
            self.state[event], self.sends[event] = self.program.begin(actor)
            self.clock[event] = {actor: (0, 0)}
            return True
        message, before = self.took[event], (actor, index - 1)
        if before not in self.clock or message[:2] not in self.clock:
            return False
        self.state[event], self.sends[event] = self.program.step(actor, self.state[before], self.send(message)[1])
        self.clock[event] = {**self.join(self.clock[before], self.past(message), {message[0]: position(message)}),
                             actor: (index, 0)}
        return True

    @staticmethod
    def join(*clocks):
        return {a: max(c[a] for c in clocks if a in c) for c in clocks for a in c}

    def send(self, message):
        """(receiver, kind)"""
        return self.sends[message[:2]][message[2]]

    def past(self, message):
        """What happens before the send; the sender's own entry is the position right before it."""
        return {**self.clock[message[:2]], message[0]: (message[1], message[2])}

    def can_take(self, event, known, model):
        """The messages of `known` that the event could take, whatever it took."""
        actor, index = event
        before = {self.took[actor, i] for i in range(1, index)}
        state = self.state[actor, index - 1]
        wanted = [m for m in known if m not in before and self.send(m)[0] == actor
                  and self.program.step(actor, state, self.send(m)[1])]
        if model == "fifo":
            return [m for m in wanted if not any(x[0] == m[0] and x < m for x in wanted)]
        if model == "causal":
            return [m for m in wanted if not any(x != m and in_past(("send", x), self.past(m)) for x in wanted)]
        return wanted


def position(message):
    return message[1], 1 + message[2]


def in_past(node, past):
    """Whether the node happens before the message whose past this is."""
    if node[0] == "take":
        return past.get(node[1], (-1, 0)) >= (node[2], 0)
    return past.get(node[1][0], (-1, 0)) >= position(node[1])


def order(message):
    """Any fixed order of messages will do; in this one a mistake in canonical() shows early."""
    return -message[0], message[1:]


class Explorer:
    def __init__(self, program, model):
        self.program, self.model, self.runs = program, model, []

    def visit(self, graph):
        while True:
            view = View(self.program, graph)
            sent = set(view.sent)
            due = [(*event, k) for event in sorted(view.sends) for k in range(len(view.sends[event]))]
            send = next((m for m in due if m not in sent), None)
            if send is None:
                break
            for changed in self.revisits(view, send):
                self.visit(changed)
            graph = graph + [("send", send)]
        for actor in range(self.program.actors):
            event = (actor, view.length[actor])
            messages = view.can_take(event, view.sent, self.model)
            if messages:
                for m in messages:
                    self.visit(graph + [("take", *event, m)])
                return
        self.runs.append(tuple(tuple(view.took[a, i] for i in range(1, view.length[a]))
                               for a in range(self.program.actors)))

    def revisits(self, view, s):
        """The changed graphs in which an earlier event takes send s, which is about to be added."""
        graph, past, receiver = view.graph, view.past(s), view.send(s)[0]
        for at, r in enumerate(graph):
            if r[:2] != ("take", receiver) or in_past(r, past):
                continue
            deleted = [x for x in range(at + 1, len(graph)) if not in_past(graph[x], past)]
            kept = [x for i, x in enumerate(graph) if i not in deleted]
            known = [x[1] for x in kept if x[0] == "send"] + [s]
            if s in view.can_take(r[1:3], known, self.model) and \
                    all(self.canonical(view, x, past) for x in [at] + deleted):
                yield [(*x[:3], s) if x == r else x for x in kept] + [("send", s)]

    def canonical(self, view, at, past):
        node = view.graph[at]
        if node[0] == "send":
            return not any(x[0] == "take" and x[3] == node[1] for x in view.graph[:at])
        known = [x[1] for i, x in enumerate(view.graph) if x[0] == "send" and (i < at or in_past(x, past))]
        return node[3] == max(view.can_take(node[1:3], known, self.model), key=order, default=None)


class Mailboxes:
    """A program under model mailbox as a program under fifo: the mailbox of actor a is an actor, number `actors` + a.

    A send becomes a request to the mailbox, which accepts requests in any order.  The mailbox posts the message to its
    receiver and tells the sender, who waits for that.  Kinds of messages: ("ask", kind, message),
    ("post", kind, message), "accepted".  The state of an actor: (its own state, index of its event, the sends of that
    event if some are not accepted yet, how many were requested).
    """

    def __init__(self, program):
        self.program, self.actors = program, 2 * program.actors

    def next_send(self, actor, state, index, sends, ordinal):
        if ordinal == len(sends):
            return (state, index, (), 0), []
        to, kind = sends[ordinal]
        ask = (self.program.actors + to, ("ask", kind, (actor, index, ordinal)))
        return (state, index, tuple(sends), ordinal + 1), [ask]

    def begin(self, actor):
        if actor >= self.program.actors:
            return None, []
        return self.next_send(actor, self.program.begin(actor)[0], 0, self.program.begin(actor)[1], 0)

    def step(self, actor, state, kind):
        if actor >= self.program.actors:
            message = kind[2]
            return None, [(actor - self.program.actors, ("post", *kind[1:])), (message[0], "accepted")]
        inner, index, sends, ordinal = state
        if kind == "accepted":
            return self.next_send(actor, inner, index, sends, ordinal)
        then = None if sends else self.program.step(actor, inner, kind[1])
        return then and self.next_send(actor, then[0], index + 1, then[1], 0)


def mailbox_runs(program):
    """As mailbox_oracle has them: messages by the names that they have in the program itself."""
    boxed = Mailboxes(program)
    explorer, runs = Explorer(boxed, "fifo"), []
    explorer.visit([])
    n = program.actors
    for run in explorer.runs:
        view = View(boxed, [("take", a, i + 1, m) for a, history in enumerate(run) for i, m in enumerate(history)])
        kinds = [[view.send(m)[1] for m in history] for history in run]
        runs.append((tuple(tuple(k[2] for k in kinds[n + a]) for a in range(n)),
                     tuple(tuple(k[2] for k in kinds[a] if k != "accepted") for a in range(n))))
    return runs


def explore(program, model):
    """All runs, in the order in which they are made."""
    if model == "mailbox":
        return mailbox_runs(program)
    explorer = Explorer(program, model)
    explorer.visit([])
    return explorer.runs


def main(what, model, first, last):
    compared = total = wrong = 0
    for seed in range(int(first), int(last)):
        program = generate(seed)
        want = mailbox_oracle(program, 2000) if model == "mailbox" else oracle(program, model, 1000)
        if want is None or not 4 <= len(want) <= 100:
            continue
        runs = explore(program, model)
        compared, total = compared + 1, total + len(runs)
        if Counter(runs) != Counter(want):
            wrong += 1
            print(f"{model} program {seed}: {len(want)} distinct runs, {len(runs)} explored, "
                  f"{len(want - set(runs))} missed, {len(set(runs) - want)} impossible", file=sys.stderr)
        if what == "print":
            print(f"program {seed} runs {len(runs)}\n{program.text()}")
            for run in sorted(runs):
                histories = run[1] if model == "mailbox" else run
                print("history", *[word for h in histories for word in ["/"] + ["%d.%d.%d" % m for m in h]])
            print("end")
    print(f"{model}: {compared} programs, {total} runs, {wrong} wrong", file=sys.stderr)
    return wrong != 0


if __name__ == "__main__":
    models = ("bag", "fifo", "causal", "mailbox")
    if len(sys.argv) != 5 or sys.argv[1] not in ("check", "print") or sys.argv[2] not in models:
        sys.exit(__doc__)
    sys.setrecursionlimit(100_000)
    sys.exit(main(*sys.argv[1:]))
