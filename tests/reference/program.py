"""Small actor programs, as tables, and the brute-force oracle that enumerates their distinct runs.

A program has a few actors.  Each actor is a finite automaton:

    start[actor]                 what the actor sends when it starts, a list of (receiver, kind)
    rule[actor, state, kind]     (next state, what the actor sends); no rule: the actor does not take messages of this
                                 kind in this state (selective receive), and they stay pending

Every actor starts in state 0.  A handler sends only kinds smaller than the kind it received, so every run ends.

    event     (actor, index)             the index-th step of the actor; index 0 is its start, the others take a message
    message   (actor, index, ordinal)    the ordinal-th send of that event
    history   of an actor                the messages that it took, in order

The oracle shares no code with the explorer (optimal.py); it only executes the tables.
"""
import random


class Program:
    def __init__(self, actors, states, kinds, start, rule):
        self.actors, self.states, self.kinds, self.start, self.rule = actors, states, kinds, start, rule

    def begin(self, actor):
        return 0, self.start[actor]

    def step(self, actor, state, kind):
        """(next state, sends), or None where the actor does not take this kind in this state."""
        return self.rule.get((actor, state, kind))

    def text(self):
        """The program as tests/reference/optimal.c reads it."""
        def sends(list_):
            return " ".join([str(len(list_))] + [f"{to} {kind}" for to, kind in list_])
        lines = [f"actors {self.actors} states {self.states} kinds {self.kinds}"]
        lines += [f"start {a} {sends(self.start[a])}" for a in range(self.actors)]
        lines += [f"rule {a} {s} {k} {then} {sends(out)}" for (a, s, k), (then, out) in sorted(self.rule.items())]
        return "\n".join(lines)


def generate(seed):
    """A random program.  Two of three have rules for everything, the third leaves gaps."""
    rnd = random.Random(seed)
    actors, states, kinds, fan = rnd.randint(2, 4), rnd.randint(1, 3), rnd.randint(3, 5), rnd.randint(1, 2)
    gaps = rnd.random() < 0.33

    def sends(below, least, most):
        count = rnd.randint(least, most) if below else 0
        return [(rnd.randrange(actors), rnd.randrange(below // 2, below)) for _ in range(count)]

    start = [sends(kinds, 0, fan) for _ in range(actors)]
    rule = {(a, s, k): (rnd.randrange(states), sends(k, rnd.randint(0, 1), fan))
            for a in range(actors) for s in range(states) for k in range(kinds)
            if not gaps or rnd.random() < 0.7}
    return Program(actors, states, kinds, start, rule)


def put(list_, i, value):
    return list_[:i] + (value,) + list_[i + 1:]


def oracle(program, model, limit):
    """The set of all distinct runs, by brute force over states; None past `limit` states.

    Model bag delivers any pending message; fifo keeps the order of one sender to one receiver; causal delivers no
    message before another one to the same receiver whose send happened before its own.  A message that the receiver
    does not take in its present state holds back nothing.  A distinct run is the tuple of histories.
    """
    def after(event, out, past):
        """The messages of an event, each as (message, receiver, kind, sends in its past), and the past after it."""
        messages = []
        for ordinal, (to, kind) in enumerate(out):
            messages.append(((*event, ordinal), to, kind, past))
            past = past | {(*event, ordinal)}
        return messages, past

    states, pasts, pending = (), (), frozenset()
    for a in range(program.actors):
        state, out = program.begin(a)
        messages, past = after((a, 0), out, frozenset())
        states, pasts, pending = states + (state,), pasts + (past,), pending | set(messages)
    histories = ((),) * program.actors
    seen, todo, ends = {histories}, [(histories, states, pasts, pending)], set()
    while todo:
        histories, states, pasts, pending = todo.pop()
        taken = [x for x in pending if program.step(x[1], states[x[1]], x[2])]
        if not taken:
            ends.add(histories)
        for x in taken:
            message, to, kind, past = x
            rivals = [y for y in taken if y[1] == to]
            if model == "fifo" and any(y[0][0] == message[0] and y[0] < message for y in rivals):
                continue
            if model == "causal" and any(y[0] in past for y in rivals):
                continue
            state, out = program.step(to, states[to], kind)
            messages, now = after((to, len(histories[to]) + 1), out, pasts[to] | past | {message})
            longer = put(histories, to, histories[to] + (message,))
            if longer not in seen:
                seen.add(longer)
                todo.append((longer, put(states, to, state), put(pasts, to, now), pending - {x} | set(messages)))
                if len(seen) > limit:
                    return None
    return ends


def mailbox_oracle(program, limit):
    """The same under model mailbox: a send appends the message to the receiver's mailbox at once, and an actor takes
    the first message in its mailbox that has a rule.  A distinct run is (order in which each mailbox accepted, histories).
    """
    n = program.actors
    begun = [program.begin(a) for a in range(n)]
    first = (((),) * n, ((),) * n, tuple(state for state, _ in begun),
             tuple(tuple(((a, 0, k), *send) for k, send in enumerate(out)) for a, (_, out) in enumerate(begun)))
    seen, todo, ends = {first}, [first], set()
    while todo:
        boxes, histories, states, unsent = todo.pop()
        steps = []
        for a in range(n):
            if unsent[a]:
                message, to, kind = unsent[a][0]
                steps.append((put(boxes, to, boxes[to] + ((message, kind),)), histories, states,
                              put(unsent, a, unsent[a][1:])))
                continue
            for message, kind in boxes[a]:
                if message not in histories[a] and program.step(a, states[a], kind):
                    state, out = program.step(a, states[a], kind)
                    index = len(histories[a]) + 1
                    steps.append((boxes, put(histories, a, histories[a] + (message,)), put(states, a, state),
                                  put(unsent, a, tuple(((a, index, k), *send) for k, send in enumerate(out)))))
                    break
        if not steps:
            ends.add((tuple(tuple(message for message, _ in box) for box in boxes), histories))
        for step in steps:
            if step not in seen:
                seen.add(step)
                todo.append(step)
                if len(seen) > limit:
                    return None
    return ends
