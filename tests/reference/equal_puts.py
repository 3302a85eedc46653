#!/usr/bin/env python3
"""Why `optimal` tells runs apart by which of two equal puts came first, and by the order of puts that nobody reads.

No process sees a difference between two such runs: they are one class.  The obvious rule is to leave out a graph if
the two puts could have come the other way round, and that graph is the one to keep (the process with the smaller number
first).  It loses classes.  A graph that is left out is also one from which others are reached: in

    process 0: get q, put o 1        process 1: put o 1, put q 1

the get finds the put of q only by a revisit from a graph in which process 1 was the first to put o, since else the get is
in the past of the put of q.  That graph is one of those left out: 1 of 2 classes is found.  (And the other way round the
rule has the same gap.)  Without a graph for each order, "one of these two" would be the reason of what follows, and whether
a graph is possible would no longer be a matter of cycles: [Gibbons and Korach 1997].

    ./equal_puts.py [FIRST LAST]     the named programs, and random programs: what the rule finds and what it loses

The test fails if the rule loses nothing: then the runs that optimal makes for these orders can be saved."""
import sys

from known import Written, one, operation
from optimal_more import LIMIT, Explorer, View
from processes import Random, oracle


def is_put(view, e):
    return e in view.action and view.action[e][:1] == ("op",) and view.action[e][2] == "put"


def equal_the_other_way(ex, graph, view):
    """y found the value that it was to put, and x had put it."""
    for y, x in graph:
        if is_put(view, y) and y not in view.writes and is_put(view, x) and view.action[x][3] == view.action[y][3]:
            other = [(e, view.got[x] if e == y else y if x in (e, v) else v) for e, v in graph]
            if ex.consistent(other):
                yield x, y, other


def unread_the_other_way(ex, graph, view):
    """y replaced what x had put and z replaced that, and nobody had read either."""
    for y, x in graph:
        z = view.next_write.get(y)
        if not (is_put(view, y) and y in view.writes and is_put(view, x) and z and is_put(view, z)):
            continue
        if view.readers.get(x) or view.readers.get(y) or view.action[x][3] == view.action[z][3]:
            continue
        if view.value[view.got[x]] == view.value[y]:
            continue                                 # y would find the value that it is to put
        other = [(e, view.got[x] if e == y else y if e == x else x if e == z else v) for e, v in graph]
        if ex.consistent(other):
            yield x, y, other


class Leaving(Explorer):
    """Leaves out graphs whose puts are not in the order of their processes, but could be."""

    def __init__(self, prog, model, others):
        super().__init__(prog, model)
        self.others = others

    def visit(self, graph):
        if not any(y < x for x, y, _ in self.others(self, graph, View(self.prog, graph))):
            super().visit(graph)


def class_of(prog, ex, others, behaviour):
    """The least of all behaviours that differ by exchanges."""
    seen, todo = {behaviour}, [behaviour]
    while todo:
        b = todo.pop()
        graph = [((p, i), v) for p, got in enumerate(b) for i, v in enumerate(got)]
        for _, _, other in others(ex, graph, View(prog, graph)):
            got = dict(other)
            new = tuple(tuple(got[p, i] for i in range(len(b[p]))) for p in range(prog.n))
            if new not in seen:
                seen.add(new)
                todo.append(new)
    return min(seen, key=repr)


def compare(prog, model, others):
    """Behaviours, their classes, graphs that the rule ends with, classes that it loses; None if there are too many."""
    behaviours = oracle(prog, model, LIMIT)
    if behaviours is None or len(behaviours) > 300:
        return None
    ex, leaving = Explorer(prog, model), Leaving(prog, model, others)
    leaving.visit([])
    classes = {class_of(prog, ex, others, b) for b in behaviours}
    found = {class_of(prog, ex, others, b) for b in leaving.found}
    return len(behaviours), len(classes), len(leaving.found), len(classes - found)


def put(value, obj=0):
    return operation("put", value, obj=obj)


NAMED = [   # name, program, rule, behaviours, classes, of which the rule loses
    ("found by a revisit", Written(one(operation("get", obj=1), put(1)), one(put(1), put(1, obj=1)), objects=2),
     equal_the_other_way, 3, 2, 1),
    ("wakeup_many", Written(one(put(1)), one(put(0)), one(put(1)), objects=1), equal_the_other_way, 6, 4, 1),
    ("unread puts", Written(one(operation("get", obj=1), put(1)), one(operation("get", obj=1), put(2)), one(put(3), put(1, obj=1)),
                            objects=2), unread_the_other_way, 14, 9, 4),
]


def main():
    lo, hi = (int(x) for x in sys.argv[1:3]) if len(sys.argv) > 2 else (0, 120)
    wrong = 0
    for name, prog, others, behaviours, classes, lost in NAMED:
        got = compare(prog, "bag", others)
        bad = (got[0], got[1], got[3]) != (behaviours, classes, lost)
        wrong += bad
        print(f"{'WRONG' if bad else 'ok':5} {name}: {got[0]} behaviours, {got[1]} classes, {got[3]} lost")
    for others in equal_the_other_way, unread_the_other_way:
        programs = losing = classes = lost = 0
        for seed in range(lo, hi):
            got = compare(Random(seed, "objects", "fifo"), "fifo", others)
            if got and got[1] < got[0]:
                programs, losing = programs + 1, losing + (got[3] > 0)
                classes, lost = classes + got[1], lost + got[3]
        print(f"{others.__name__}: {programs} programs with such puts, {classes} classes; {lost} lost, in {losing} programs")
        wrong += programs and not losing
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
