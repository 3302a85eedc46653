#!/usr/bin/env python3
"""Programs whose numbers of behaviours are known, and named counterexamples, for the specification (optimal_more.py).
Exits 1 if one has another number."""
import sys
import time

from optimal_more import Explorer, View
from processes import Written

ANY = ("any",)
NEVER = ("never",)


def send(to, value=0, tag=0):
    return "send", to, (tag, value)


def one(*actions):
    """A process that does this, whatever comes of it."""
    def body(p):
        for a in actions:
            yield a
    return body


def by_tag(n):
    return Written(one(*[("recv", ("tag", i)) for i in range(n)]), *[one(send(0, tag=i)) for i in range(n)])


def senders(n):
    return Written(one(*[("recv", ANY)] * n), *[one(send(0, i)) for i in range(n)])


def ping_pong(n):
    next_, sent, ack, ping, bye = range(5)

    def pinger(p):
        behaviour, pings = 1 << next_ | 1 << sent | 1 << ack, 0
        while True:
            tag = (yield "recv", ("tags", behaviour))[1][0]
            if tag == next_:
                if pings == n:
                    yield send(1, tag=bye)
                    behaviour = 1 << sent
                else:
                    pings += 1
                    yield send(1, tag=ping)
                    behaviour = 1 << ack | 1 << sent
                yield send(0, tag=sent)
            elif behaviour == 1 << sent:
                return
            elif tag == sent:
                yield send(0, tag=next_)
            else:
                behaviour = 1 << next_ | 1 << sent | 1 << ack

    def ponger(p):
        while (yield "recv", ANY)[1][0] != bye:
            yield send(0, tag=ack)

    return Written(pinger, ponger, one(send(0, tag=next_)))


def readers(n, writers=1):
    return Written(*[one(("op", 0, "put", (i + 1,))) for i in range(writers)], *[one(("op", 0, "get", ()))] * n, objects=1)


def insert_new(n):
    return Written(*[one(("op", 0, "insert_new", (1,)))] * n, objects=1)


def equal_puts(n):
    return Written(*[one(("op", 0, "put", (1,)))] * n, objects=1)


def watchers(n):
    return Written(one(("op", 0, "end", ())), *[one(("op", 0, "watch", (0,)), ("recv", ANY))] * n, objects=1)


def self_send_and_poll():
    return Written(one(send(0), ("poll", ANY)))


def relay(n, value, blocking=False):
    def body(p):
        got = yield ("recv" if blocking else "poll"), ANY
        for i in range(n if got else 0):
            yield send(got[1][1], value + i)
    return body


def assume(wanted, kind="poll", times=1):
    """Receives; goes on for ever if it did not get what it wanted: such a run does not count as complete."""
    def body(p):
        for _ in range(times):
            got = yield kind, ANY
            if not (got and wanted(got[1][1])):
                yield "recv", NEVER
    return body


def two_refs(p):                                   # after TraceForge's h4 of r_s_r_ss
    a = (yield "recv", ANY)[1][1]
    b = (yield "recv", ANY)[1][1]
    yield send(a, 2)
    yield send(b, 42)


def sem_main(m, a, b, then):
    def body(p):
        for to, what in ((m, 0), (a, 0), (a, m), (a, b), (b, 0), (b, m), (b, a)):
            yield send(to, what)
            yield "recv", ANY
        for x in then:
            yield x
    return body


def sem_m(n, report):
    def body(p):
        yield "recv", ANY
        yield send(0)
        got = []
        for _ in range(n):
            got.append((yield "recv", ANY)[1][1])
        if report and got[0] > got[1]:
            yield send(0, 5)
    return body


def sem_a(n, report=False):
    def body(p):
        for _ in range(3):
            yield "recv", ANY
            yield send(0)
        if n == 4:
            x = (yield "recv", ANY)[1][1]
            y = (yield "recv", ANY)[1][1]
            if report and x < y:
                yield send(0, 5)
            return
        yield "recv", ANY
        yield send(1, 3)
        if n == 1:
            yield send(3, 5)
    return body


def sem_b(n):
    def body(p):
        for _ in range(3):
            yield "recv", ANY
            yield send(0)
        if n == 4:
            yield send(2, 3)
        if n == 1:
            yield "recv", ANY
        yield send(1, 4)
    return body


def semantics(k):
    if k in (1, 2):
        return Written(sem_main(1, 2, 3, [send(2), send(1, 1), send(1, 2)]), sem_m(3, False), sem_a(k), sem_b(k))
    then = [send(1, 1), send(2, 2)] + ([("recv", ANY), ("recv", ANY)] if k == 5 else [])
    return Written(sem_main(1, 2, 3, then), sem_m(2, k == 5), sem_a(4, k == 5), sem_b(4))


def tagged(*tags):
    return one(*[("recv", ("tag", t)) for t in tags])


def refs_to(*pairs):
    return one(*[send(a, b) for a, b in pairs])


def after_spawns():                                # Concuerror's test_after_spawns
    def main(p):
        for _ in range(3):
            if not (yield "poll", ANY):
                while (yield "poll", ANY):
                    pass
    return Written(main, one(send(0, 1)), one(send(0, 2)), one(send(0, 1)))


def diff_obs():
    def main(p):
        yield ("recv", ("tag", 1)) if (yield "poll", ("tag", 3)) else ("recv", ("tags", 1 << 1 | 1 << 2))
    return Written(main, one(send(0, 0, 1)), one(send(0, 0, 2)), one(send(0, 1, 1)), one(send(0, 0, 3)))


def dep_obs():
    def main(p):
        if (yield "recv", ("tags", 1 << 3 | 1 << 4))[1][0] == 3:
            if (yield "recv", ("tag", 2))[1][1] == 1:
                yield "recv", ("tag", 1)
        else:
            yield "recv", ("tag", 1)
    return Written(main, one(send(0, 1, 1), send(0, 1, 2)), one(send(0, 2, 2), send(0, 2, 1)), one(send(0, 0, 3)),
                   one(send(0, 0, 4)))


def messages_1():
    def b(p):
        if (yield "poll", ("tag", 3)):
            yield "recv", ("tag", 1)
            yield "recv", ("tag", 2)
        else:
            yield "recv", ("tag", 3)
            yield "recv", ANY
            yield "recv", ANY
    return Written(one(send(1, 0, 1), send(1, 0, 3)), b, one(send(1, 0, 2)))


def operation(name, *args, obj=0):
    return "op", obj, name, args


def get_put_put():
    return Written(one(operation("get")), one(operation("put", 1)), one(operation("put", 2)), objects=1)


def store_buffering():
    return Written(one(operation("put", 1), operation("get", obj=1)), one(operation("put", 1, obj=1), operation("get")),
                   objects=2)


def write_orders_sends():
    return Written(one(("recv", ANY), ("recv", ANY)), one(send(0, 1), operation("put", 1)),
                   one(operation("get"), send(0, 2)), objects=1)


def read_orders_sends():
    return Written(one(send(2, 1), operation("get")), one(operation("put", 1), send(2, 2)),
                   one(("recv", ANY), ("recv", ANY)), objects=1)


def ordered_by_a_later_take():
    return Written(one(("poll", ANY)), one(("recv", ANY)), one(send(1, 1), send(4, 1)), one(send(4, 2), send(1, 2)),
                   one(("recv", ANY), send(0, 3)))


def got_by_an_earlier_one():
    return Written(one(("recv", ANY)), one(("poll", ANY), send(0, 7)), one(("poll", ANY), send(1, 8)), one(send(0, 1)))


def relays(*polls):                                # TraceForge's s_s_rr and s_r_s
    return Written(refs_to((1, 3), (2, 3)), relay(1, 1), relay(1, 2), one(*polls))


def r_s_r_ss():
    return Written(refs_to((2, 3), (4, 3), (4, 1)), assume(lambda v: v == 42), relay(1, 1, True), one(("poll", ANY)), two_refs)


def crossing():                                    # TraceForge's test_mailbox
    return Written(assume(lambda v: v == 1), assume(lambda v: v == 2), one(send(1, 1), send(0, 1)), one(send(0, 2), send(1, 2)))


def ss_rr_tag():
    return Written(refs_to((1, 2)), one(("recv", ANY), send(2, 1, 1), send(2, 2, 2)), tagged(2, 1))


def ss_rr_ss_tag():
    return Written(refs_to((1, 2), (3, 2)), one(("recv", ANY), send(2, 2, 2), send(2, 1, 1)), tagged(2, 1),
                   one(("recv", ANY), send(2, 1, 1), send(2, 2, 0)))


def workers_2():                                   # Concuerror's
    work, res, exit_, no_work = 1, 2, 3, 4

    def worker(p):
        while True:
            yield send(1, p, work)
            tag, job = (yield "recv", ("tags", 1 << work | 1 << no_work))[1]
            if tag == no_work:
                break
            yield send(1, job + 10, res)
        yield send(1, 0, exit_)

    def server(p):
        workers, retries, jobs, left = 2, 2, [1, 2], 2
        while workers or retries or left:
            tag, who = (yield "recv", ("tags", 1 << work | 1 << exit_))[1]
            if tag == exit_:
                workers -= 1
            elif not left and not retries:
                yield send(who, 0, no_work)
            else:
                if not left:
                    jobs = []
                    for _ in range(2):
                        jobs.append((yield "recv", ("tag", res))[1][1])
                    left, retries = 2, retries - 1
                left -= 1
                yield send(who, jobs[left], work)
        yield "recv", ("tag", res)
        yield "recv", ("tag", res)
        yield send(0)

    return Written(one(("recv", ANY)), server, worker, worker)


# name, program, model, behaviours, of these complete (None: all; nobody waits for ever), who says so
KNOWN = [
    ("by tag 6", by_tag(6), "mailbox", 1, None, "required"),
    ("senders 5, any order", senders(5), "mailbox", 120, None, "required"),
    ("ping-pong 3", ping_pong(3), "mailbox", 8, None, "required"),
    ("ping-pong 5", ping_pong(5), "mailbox", 32, None, "required"),
    ("ping-pong 5", ping_pong(5), "fifo", 32, None, "required"),
    ("6 readers and a writer", readers(6), "bag", 64, None, "required; Concuerror"),
    ("2 readers and 2 writers", readers(2, 2), "bag", 18, None, "Concuerror difficult_readers"),
    ("insert_new 4", insert_new(4), "bag", 4, None, "who is first"),
    ("puts of an equal value 5", equal_puts(5), "bag", 5, None, "who is first"),
    ("5 watch one that ends", watchers(5), "mailbox", 32, None, "each before or after the end"),
    ("self_send_and_poll", self_send_and_poll(), "mailbox", 1, None, "Concuerror send_self test1"),
    ("get, put, put", get_put_put(), "bag", 6, None, "canonical version must be the last: else 5"),
    ("store buffering", store_buffering(), "bag", 3, None, "reads come before the next write: else 4"),
    ("write orders sends", write_orders_sends(), "mailbox", 3, None, "who found a write sends later"),
    ("write orders sends", write_orders_sends(), "causal", 4, None, "causal delivery knows nothing of objects"),
    ("read orders sends", read_orders_sends(), "mailbox", 3, None, "who did not find a write sent before"),
    ("read orders sends", read_orders_sends(), "fifo", 4, None, "by hand"),
    ("ordered by a later take", ordered_by_a_later_take(), "mailbox", 6, None, "what was greatest when added is not enough"),
    ("got by an earlier one", got_by_an_earlier_one(), "mailbox", 4, None, "rule (a)"),
    ("s_s_rr", relays(("poll", ANY), ("poll", ANY)), "mailbox", 14, None, "TraceForge (MO)"),
    ("s_s_rr", relays(("poll", ANY), ("poll", ANY)), "fifo", 14, None, "TraceForge"),
    ("s_r_s", relays(("poll", ANY)), "mailbox", 8, None, "TraceForge (MO)"),
    ("s_s_s", Written(refs_to((1, 0), (2, 0), (3, 0)), *[relay(1, 42, True)] * 3), "mailbox", 1, None, "TraceForge (MO)"),
    ("r_s_r_ss_nonblocking", r_s_r_ss(), "mailbox", None, 3, "TraceForge (MO)"),
    ("test_mailbox", crossing(), "mailbox", 8, 0, "TraceForge: none complete"),
    ("test_mailbox", crossing(), "causal", 9, 1, "TraceForge: one complete"),
    ("ss_rr_tag", ss_rr_tag(), "mailbox", 1, None, "TraceForge (MO)"),
    ("ss_rr_ss_tag", ss_rr_ss_tag(), "mailbox", 2, None, "TraceForge (MO)"),
    ("semantics 1", semantics(1), "bag", 24, None, "TraceForge"),
    ("semantics 1", semantics(1), "fifo", 12, None, "TraceForge"),
    ("semantics 1", semantics(1), "causal", 6, None, "TraceForge"),
    ("semantics 1", semantics(1), "mailbox", 6, None, "TraceForge"),
    ("semantics 2", semantics(2), "bag", 24, None, "TraceForge"),
    ("semantics 2", semantics(2), "fifo", 12, None, "TraceForge"),
    ("semantics 2", semantics(2), "causal", 12, None, "TraceForge"),
    ("semantics 2", semantics(2), "mailbox", 12, None, "TraceForge"),
    ("semantics 4", semantics(4), "mailbox", 3, None, "TraceForge"),
    ("semantics 4", semantics(4), "causal", 4, None, "TraceForge"),
    ("semantics 5", semantics(5), "mailbox", 3, 0, "TraceForge"),
    ("diff_obs", diff_obs(), "mailbox", 5, None, "Concuerror"),
    ("dep_obs", dep_obs(), "mailbox", 4, None, "Concuerror (one run fails there)"),
    ("messages_1", messages_1(), "mailbox", 3, None, "Concuerror"),
    ("test_after_spawns", after_spawns(), "mailbox", 247, None, "Concuerror (total)"),
    ("workers_2", workers_2(), "mailbox", 1296, None, "Concuerror"),
]


def complete(prog, behaviour):
    """No process waits for ever."""
    view = View(prog, [((p, i), v) for p, got in enumerate(behaviour) for i, v in enumerate(got)])
    return all(prog.next(p, view.results[p]) is None for p in range(prog.n))


def known():
    wrong = 0
    for name, prog, model, behaviours, whole, source in KNOWN:
        began = time.time()
        ex = Explorer(prog, model)
        ex.visit([])
        done = sum(complete(prog, b) for b in ex.found)
        bad = (behaviours not in (None, len(ex.found)) or whole not in (None, done) or ex.wasted
               or len(set(ex.found)) != len(ex.found))
        wrong += bool(bad)
        print(f"{'WRONG' if bad else 'ok':5} {name} ({model}): {len(ex.found)} behaviours, {done} complete; "
              f"wanted {behaviours}, {whole}: {source}; {time.time() - began:.1f} s")
    return wrong


if __name__ == "__main__":
    sys.exit(known() != 0)
