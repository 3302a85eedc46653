/* Programs after the litmus tests of TraceForge, with the numbers of executions that those tests assert.  Each program
 * has the name of the test that it follows.  In names, s is a send and r a receive; `_` separates processes. */
#include "peers/support/peers.h"

FN(r1n)
{
    POLL();
}
FN(r1b)
{
    TAKE();
}
FN(r2n)
{
    POLL();
    POLL();
}
/* waits (or not) for a reference, then sends it n values from m on */
FN(relay_n)
{
    const struct val *r = POLL();
    if (r) {
        rh_ref to = r->ref;
        for (int i = 0; i < p->n; i++)
            SEND(to, p->m + i);
    }
}
FN(relay_b)
{
    rh_ref to = TAKE()->ref;
    for (int i = 0; i < p->n; i++)
        SEND(to, p->m + i);
}

RH_TEST(r_nondet)
{
    rh_ref h = GO(r1n);
    if (rh_choose(2))
        SEND(h, 42);
    else
        SEND(h, 17);
}
RH_TEST(r_choice_rangeinclusive)
{
    rh_ref h = GO(r1n);
    uint32_t v = rh_choose(5);
    SEND(h, v == 0 ? 42 : v == 1 ? 17 : 33);
}
RH_TEST(r_choice_range)
{
    rh_ref h = GO(r1n);
    uint32_t v = rh_choose(4);
    SEND(h, v == 0 ? 42 : v == 1 ? 17 : 33);
}
FN(named3)
{
    rh_ref t = TAKE()->ref;
    SEND(t, 42);
}
RH_TEST(named_thread)
{
    rh_ref h1 = GO(r1n), h2 = GO(r1n), h3 = GO(named3);
    SEND_REF(h3, h1);
    SEND_REF(h2, h1);
}
RH_TEST(s_s_rr)
{
    rh_ref s1 = GO(relay_n, .n = 1, .m = 1), s2 = GO(relay_n, .n = 1, .m = 2), r = GO(r2n);
    SEND_REF(s1, r);
    SEND_REF(s2, r);
}
FN(r2n_wrong)
{
    const struct val *m = POLL();
    int a = m ? m->v : 0;
    m = POLL();
    int b = m ? m->v : 0;
    if (a && b)
        rh_assert(a == 2 && b == 1);
}
RH_TEST(s_s_rr_wrong)
{
    rh_ref s1 = GO(relay_n, .n = 1, .m = 1), s2 = GO(relay_n, .n = 1, .m = 2), r = GO(r2n_wrong);
    SEND_REF(s1, r);
    SEND_REF(s2, r);
}
RH_TEST(s_r_s)
{
    rh_ref s1 = GO(relay_n, .n = 1, .m = 1), r = GO(r1n), s2 = GO(relay_n, .n = 1, .m = 2);
    SEND_REF(s1, r);
    SEND_REF(s2, r);
}
RH_TEST(r_ss)
{
    rh_ref r = GO(r1n), s = GO(relay_n, .n = 2, .m = 1);
    SEND_REF(s, r);
}
FN(r1_assm)
{
    ASSUME(POLL());
}
FN(relay_assm)
{
    const struct val *r = POLL();
    ASSUME(r);
    rh_ref to = r->ref;
    for (int i = 0; i < p->n; i++)
        SEND(to, p->m + i);
}
RH_TEST(r_ss_assm)
{
    rh_ref r = GO(r1_assm), s = GO(relay_assm, .n = 2, .m = 1);
    SEND_REF(s, r);
}
RH_TEST(r_s_blk)
{
    rh_ref r = GO(r1b), s = GO(relay_b, .n = 1, .m = 1);
    SEND_REF(s, r);
}
FN(relay_start)
{
    rh_ref to = TAKE()->ref;
    if (!rh_is_nobody(to))
        SEND(to, 42);
}
RH_TEST(r_rs_s_blk)
{
    rh_ref r = GO(r1b), s1 = GO(relay_start), s2 = GO(relay_start);
    SEND_REF(s1, r);
    SEND_REF(s2, s1);
}
RH_TEST(s_s_s)
{
    rh_ref s[3];
    for (int i = 0; i < 3; i++)
        s[i] = GO(relay_b, .n = 1, .m = 42);
    for (int i = 0; i < 3; i++)
        SEND_REF(s[i], self);
}
FN(rj_child)
{
    rh_ref to = TAKE()->ref;
    SEND(to, 1);
}
FN(rj_s_main) /* join: monitor and wait for rh_down */
{
    rh_ref s = GO(rj_child);
    SEND_REF(s, self);
    rh_monitor(s);
    rh_receive(rh_down);
    TAKE();
}
RH_TEST(rj_s)
{
    GO(rj_s_main);
}
FN(rj_child_done)
{
    rh_ref to = TAKE()->ref;
    SEND(to, 1);
    rh_send(p->a, done);
}
RH_TEST(rj_s_done) /* the same, join by a message */
{
    rh_ref s = GO(rj_child_done, .a = self);
    SEND_REF(s, self);
    rh_receive(done, .from = s);
    TAKE();
}
FN(ssrrr)
{
    SEND(self, 42);
    SEND(self, 43);
    TAKE();
    TAKE();
    TAKE();
}
RH_TEST(ssrrr_s)
{
    rh_ref h1 = GO(ssrrr), h2 = GO(relay_b, .n = 1, .m = 17);
    SEND_REF(h2, h1);
}
FN(nd2)
{
    rh_ref t1 = TAKE()->ref;
    ASSUME(!rh_is_nobody(t1));
    POLL();
    SEND(t1, 42);
}
RH_TEST(srs_s_rs_nodangling)
{
    rh_ref h1 = GO(r1n), h2 = GO(nd2), h3 = GO(relay_b, .n = 1, .m = 42);
    SEND_REF(h3, h2);
    SEND_REF(h2, h1);
}
FN(rsss_sh2)
{
    rh_ref r = TAKE()->ref;
    ASSUME(!rh_is_nobody(r));
    SEND(self, 2);
    SEND(r, 42);
}
RH_TEST(r_s_ss)
{
    rh_ref r = GO(r1n), s1 = GO(relay_b, .n = 1, .m = 1), s2 = GO(rsss_sh2);
    SEND_REF(s1, s2);
    SEND_REF(s2, r);
}
FN(sr_srh)
{
    SEND(self, 0);
    SEND(self, 1);
    TAKE();
}
RH_TEST(sr_s)
{
    rh_ref h = GO(sr_srh), s = GO(relay_b, .n = 1, .m = 2);
    SEND_REF(s, h);
}
FN(h1_42)
{
    const struct val *m = POLL();
    ASSUME(m && m->v == 42);
}
FN(h4_ss)
{
    rh_ref r3 = TAKE()->ref, r1 = TAKE()->ref;
    SEND(r3, 2);
    SEND(r1, 42);
}
static void r_s_r_ss_common(rh_ref h3)
{
    rh_ref h1 = GO(h1_42), h2 = GO(relay_b, .n = 1, .m = 1), h4 = GO(h4_ss);
    SEND_REF(h2, h3);
    SEND_REF(h4, h3);
    SEND_REF(h4, h1);
}
RH_TEST(r_s_r_ss)
{
    r_s_r_ss_common(GO(r1b));
}
RH_TEST(r_s_r_ss_nonblocking)
{
    r_s_r_ss_common(GO(r1n));
}
FN(co_h1)
{
    SEND(self, 100);
    TAKE();
    TAKE();
    TAKE();
}
RH_TEST(s_rsrr_sss_coplacing)
{
    rh_ref h1 = GO(co_h1), h2 = GO(relay_b, .n = 1, .m = 42), h3 = GO(relay_b, .n = 2, .m = 1);
    SEND_REF(h2, h1);
    SEND_REF(h3, h1);
}
FN(wb_h1)
{
    SEND(self, 1);
}
RH_TEST(s_s_s_wb)
{
    rh_ref h1 = GO(wb_h1), h2 = GO(relay_b, .n = 1, .m = 2), h3 = GO(relay_b, .n = 1, .m = 42);
    SEND_REF(h2, h1);
    SEND_REF(h3, h1);
}
RH_PARAM(n, "4", "how many");
RH_TEST(ns_r_wb)
{
    rh_ref s[128];
    int n = (int)rh_param("n", 4);
    for (int i = 0; i < n; i++)
        s[i] = GO(relay_b, .n = 1, .m = n);
    rh_ref r = GO(r1b);
    for (int i = 0; i < n; i++)
        SEND_REF(s[i], r);
}
FN(r_is)
{
    const struct val *m = POLL();
    ASSUME(m && m->v == p->n);
}
FN(send_ab)
{
    SEND(p->a, p->n);
    SEND(p->b, p->n);
}
RH_TEST(test_mailbox)
{
    rh_ref t3 = GO(r_is, .n = 1), t4 = GO(r_is, .n = 2);
    GO(send_ab, .a = t4, .b = t3, .n = 1);
    GO(send_ab, .a = t3, .b = t4, .n = 2);
}
FN(tag_s)
{
    rh_ref t = TAKE()->ref;
    SEND_TAGGED(t, 1, 1);
    SEND_TAGGED(t, 2, 2);
}
FN(tag_r21)
{
    rh_assert(TAKE_TAGGED(2)->v == 2);
    rh_assert(TAKE_TAGGED(1)->v == 1);
}
FN(tag_r12)
{
    rh_assert(TAKE_TAGGED(1)->v == 1);
    rh_assert(TAKE_TAGGED(2)->v == 2);
}
FN(tag_r12n)
{
    POLL_TAGGED(1);
    POLL_TAGGED(2);
}
static void tag_common(rh_ref r)
{
    rh_ref s = GO(tag_s);
    SEND_REF(s, r);
}
RH_TEST(ss_rr_tag)
{
    tag_common(GO(tag_r21));
}
RH_TEST(ss_rr_tag2)
{
    tag_common(GO(tag_r12));
}
RH_TEST(ss_rr_tag_nb)
{
    tag_common(GO(tag_r12n));
}
FN(tag_prev)
{
    rh_ref t = TAKE()->ref;
    SEND_TAGGED(t, 2, 2);
    SEND_TAGGED(t, 1, 1);
}
FN(tag_hs)
{
    rh_ref t = TAKE()->ref;
    SEND_TAGGED(t, 1, 1);
    SEND_TAGGED(t, 0, 2);
}
RH_TEST(ss_rr_ss_tag)
{
    rh_ref hp = GO(tag_prev), hr = GO(tag_r21), hs = GO(tag_hs);
    SEND_REF(hp, hr);
    SEND_REF(hs, hr);
}
FN(from_b)
{
    rh_receive(val, .from = p->a);
}
FN(from_n)
{
    rh_receive(val, .from = p->a, .timeout_ms = RH_POLL);
}
static void ns_r_tag(void (*fn)(rh_ref, struct proc *))
{
    rh_ref s[4];
    for (int i = 0; i < 4; i++)
        s[i] = GO(relay_b, .n = 1, .m = 101 + i);
    rh_ref r = rh_spawn(proc, .fn = fn, .a = s[0]);
    for (int i = 0; i < 4; i++)
        SEND_REF(s[i], r);
}
RH_TEST(ns_r_tag_blocking)
{
    ns_r_tag(from_b);
}
RH_TEST(ns_r_tag_nonblocking)
{
    ns_r_tag(from_n);
}
FN(nothing)
{
}
FN(nested_t1)
{
    bool zero = TAKE()->v == 0;
    if (zero)
        TAKE();
    GO(nothing);
    if (zero)
        TAKE();
}
FN(send1)
{
    SEND(p->a, p->n);
}
RH_TEST(nested_spawn)
{
    rh_ref t1 = GO(nested_t1);
    GO(send1, .a = t1, .n = 0);
    GO(send1, .a = t1, .n = 1);
}
FN(spawns_nothing)
{
    GO(nothing);
}
RH_TEST(nested_spawn2)
{
    GO(spawns_nothing);
    rh_ref t2 = GO(relay_b, .n = 1, .m = 1);
    SEND_REF(t2, self);
    SEND(self, 0);
    TAKE();
}
FN(nested3_t1)
{
    rh_ref m = TAKE()->ref;
    rh_ref t2 = GO(relay_b, .n = 1, .m = 1);
    SEND_REF(t2, m);
}
RH_TEST(nested_spawn3)
{
    rh_ref t1 = GO(nested3_t1);
    SEND_REF(t1, self);
    SEND(self, 0);
    if (TAKE()->v == 0)
        GO(nothing);
}
FN(weird_t2)
{
    SEND(p->a, 2);
    const struct val *b = POLL();
    if (b && b->v == 1)
        SEND(p->a, 3);
}
RH_TEST(weird_stamp_tiebreak)
{
    SEND(self, 0);
    rh_ref t2 = GO(weird_t2, .a = self);
    GO(send_ab, .a = self, .b = t2, .n = 1);
    ASSUME(TAKE()->v == 3);
}
RH_TEST(revisit_opt)
{
    rh_ref t1 = GO(r2n);
    GO(send1, .a = t1, .n = 1);
    GO(send1, .a = t1, .n = 2);
}
FN(ro2_t1)
{
    POLL_TAGGED(2);
    TAKE();
}
FN(ro2_t2)
{
    SEND_TAGGED(p->a, 1, 1);
    SEND_TAGGED(p->a, 2, 2);
}
RH_TEST(revisit_opt_2)
{
    rh_ref t1 = GO(ro2_t1);
    GO(ro2_t2, .a = t1);
}
FN(sp_t1)
{
    SEND(p->a, 2);
    ASSUME(!POLL());
}
RH_TEST(spurious_timeout_mailbox)
{
    rh_ref t1 = GO(sp_t1, .a = self);
    GO(send_ab, .a = t1, .b = self, .n = 1);
    ASSUME(TAKE()->v == 1);
    ASSUME(TAKE()->v == 2);
}

/* Reasons. */
#define MONITOR "spawn and monitor are two steps; the child may end in between"
#define POLLS   "a poll takes what is in the mailbox; there it may time out"

/* source, program, n, model, theirs: completed and blocked, ours before, ours, reason of a difference, all runs */
static const struct peer_row rows[] = {
    { "litmus: r_nondet", "r_nondet", 0, RH_FIFO, 4, 0, 4, 0, 4, 0, NULL, false },
    { "litmus_cd: r_ctoss", "r_nondet", 0, RH_CAUSAL, 4, 0, 4, 0, 4, 0, NULL, false },
    { "litmus: r_choice_rangeinclusive", "r_choice_rangeinclusive", 0, RH_FIFO, 10, 0, 10, 0, 10, 0, NULL, false },
    { "litmus: r_choice_range", "r_choice_range", 0, RH_FIFO, 8, 0, 8, 0, 8, 0, NULL, false },
    { "litmus: test_named_thread", "named_thread", 0, RH_FIFO, 4, 0, 4, 0, 4, 0, NULL, false },
    { "litmus: s_s_rr", "s_s_rr", 0, RH_FIFO, 14, 0, 14, 0, 14, 0, NULL, false },
    { "litmus: s_s_rr (MO)", "s_s_rr", 0, RH_MAILBOX, 14, 0, 15, 0, 14, 0, NULL, false },
    { "litmus_cd: s_s_rr", "s_s_rr", 0, RH_CAUSAL, 14, 0, 14, 0, 14, 0, NULL, false },
    { "litmus: s_s_rr_wrong", "s_s_rr_wrong", 0, RH_FIFO, PEER_BUG, PEER_ANY, 14, 0, 14, 0, NULL, false },
    { "litmus_cd: s_s_rr_wrong", "s_s_rr_wrong", 0, RH_CAUSAL, PEER_BUG, PEER_ANY, 14, 0, 14, 0, NULL, false },
    { "litmus: s_r_s (MO)", "s_r_s", 0, RH_MAILBOX, 8, 0, 9, 0, 8, 0, NULL, false },
    { "litmus_cd: s_r_s", "s_r_s", 0, RH_CAUSAL, 8, 0, 8, 0, 8, 0, NULL, false },
    { "litmus: r_ss", "r_ss", 0, RH_FIFO, 3, 0, 3, 0, 3, 0, NULL, false },
    { "litmus_cd: r_ss", "r_ss", 0, RH_CAUSAL, 3, 0, 3, 0, 3, 0, NULL, false },
    { "litmus: r_ss_assm", "r_ss_assm", 0, RH_FIFO, 1, 2, 1, 2, 1, 2, NULL, false },
    { "litmus_cd: r_ss_assm", "r_ss_assm", 0, RH_CAUSAL, 1, 2, 1, 2, 1, 2, NULL, false },
    { "litmus: r_s_blk", "r_s_blk", 0, RH_FIFO, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: r_rs_s_blk", "r_rs_s_blk", 0, RH_FIFO, 1, 1, 1, 1, 1, 1, NULL, false },
    { "litmus_cd: r_rs_s_blk", "r_rs_s_blk", 0, RH_CAUSAL, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: s_s_s (MO)", "s_s_s", 0, RH_MAILBOX, 1, 0, 6, 0, 1, 0, NULL, false },
    { "litmus_cd: s_s_s", "s_s_s", 0, RH_CAUSAL, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: rj_s (join by monitor)", "rj_s", 0, RH_FIFO, 1, 0, 2, 0, 2, 0, MONITOR, false },
    { "litmus: rj_s (join by message)", "rj_s_done", 0, RH_FIFO, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: ssrrr_s", "ssrrr_s", 0, RH_FIFO, 3, 0, 3, 0, 3, 0, NULL, false },
    { "litmus_cd: ssrrr_s", "ssrrr_s", 0, RH_CAUSAL, 3, 0, 3, 0, 3, 0, NULL, false },
    { "litmus: srs_s_rs_nodangling", "srs_s_rs_nodangling", 0, RH_FIFO, 4, 1, 4, 1, 4, 1, NULL, false },
    { "litmus_cd: srs_s_rs_nodangling", "srs_s_rs_nodangling", 0, RH_CAUSAL, 4, 1, 4, 1, 4, 1, NULL, false },
    { "litmus: r_s_ss", "r_s_ss", 0, RH_FIFO, 2, 1, 2, 1, 2, 1, NULL, false },
    { "litmus_cd: r_s_ss", "r_s_ss", 0, RH_CAUSAL, 2, 1, 2, 1, 2, 1, NULL, false },
    { "litmus: sr_s", "sr_s", 0, RH_FIFO, 2, 0, 2, 0, 2, 0, NULL, false },
    { "litmus_cd: sr_s", "sr_s", 0, RH_CAUSAL, 2, 0, 2, 0, 2, 0, NULL, false },
    { "litmus: r_s_r_ss", "r_s_r_ss", 0, RH_FIFO, 2, PEER_ANY, 2, 2, 2, 2, NULL, false },
    { "litmus_cd: r_s_r_ss", "r_s_r_ss", 0, RH_CAUSAL, 2, PEER_ANY, 2, 2, 2, 2, NULL, false },
    { "litmus: r_s_r_ss_nonblocking", "r_s_r_ss_nonblocking", 0, RH_FIFO, 3, PEER_ANY, 3, 3, 3, 3, NULL, false },
    { "litmus_cd: r_s_r_ss_nonblocking (MO)", "r_s_r_ss_nonblocking", 0, RH_MAILBOX, 3, PEER_ANY, 4, 4, 3, 3, NULL,
      false },
    { "litmus: s_rsrr_sss_coplacing", "s_rsrr_sss_coplacing", 0, RH_FIFO, 12, 0, 12, 0, 12, 0, NULL, false },
    { "litmus: s_s_s_wb", "s_s_s_wb", 0, RH_FIFO, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: ns_r_wb", "ns_r_wb", 0, RH_FIFO, 4, 0, 4, 0, 4, 0, NULL, false },
    { "microbenchmarks: ns_r (n=100)", "ns_r_wb", 100, RH_CAUSAL, 100, 0, 100, 0, 100, 0, NULL, false },
    { "litmus: test_mailbox", "test_mailbox", 0, RH_MAILBOX, 0, PEER_ANY, 0, 12, 0, 8, NULL, false },
    { "litmus: test_mailbox (no assertion: reachable)", "test_mailbox", 0, RH_CAUSAL, 1, PEER_ANY, 1, 8, 1, 8, NULL,
      false },
    { "litmus: ss_rr_tag", "ss_rr_tag", 0, RH_FIFO, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: ss_rr_tag (MO)", "ss_rr_tag", 0, RH_MAILBOX, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus_cd: ss_rr_tag", "ss_rr_tag", 0, RH_CAUSAL, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: ss_rr_tag2", "ss_rr_tag2", 0, RH_FIFO, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: ss_rr_tag_nb", "ss_rr_tag_nb", 0, RH_FIFO, 4, 0, 4, 0, 4, 0, NULL, false },
    { "litmus: ss_rr_ss_tag", "ss_rr_ss_tag", 0, RH_FIFO, 2, PEER_ANY, 2, 0, 2, 0, NULL, false },
    { "litmus: ss_rr_ss_tag (MO)", "ss_rr_ss_tag", 0, RH_MAILBOX, 2, PEER_ANY, 6, 0, 2, 0, NULL, false },
    { "litmus_cd: ss_rr_ss_tag", "ss_rr_ss_tag", 0, RH_CAUSAL, 2, PEER_ANY, 2, 0, 2, 0, NULL, false },
    { "litmus: ns_r_tag (blocking)", "ns_r_tag_blocking", 0, RH_FIFO, 1, 0, 1, 0, 1, 0, NULL, false },
    { "litmus: ns_r_tag (nonblocking)", "ns_r_tag_nonblocking", 0, RH_FIFO, 2, 0, 2, 0, 2, 0, NULL, false },
    { "litmus: nested_spawn", "nested_spawn", 0, RH_FIFO, 1, 1, 1, 1, 1, 1, NULL, false },
    { "litmus: nested_spawn2", "nested_spawn2", 0, RH_FIFO, 2, 0, 2, 0, 2, 0, NULL, false },
    { "litmus: nested_spawn3", "nested_spawn3", 0, RH_FIFO, 2, 0, 2, 0, 2, 0, NULL, false },
    { "litmus: weird_stamp_tiebreak", "weird_stamp_tiebreak", 0, RH_BAG, 1, PEER_ANY, 1, 6, 1, 6, NULL, false },
    { "litmus: revisit_opt", "revisit_opt", 0, RH_BAG, 7, 0, 7, 0, 7, 0, NULL, false },
    { "litmus: revisit_opt_2", "revisit_opt_2", 0, RH_FIFO, 2, 0, 2, 0, 2, 0, NULL, false },
    { "litmus: spurious_timeout_mailbox", "spurious_timeout_mailbox", 0, RH_MAILBOX, 1, PEER_ANY, 0, 3, 0, 3, POLLS,
      false },
};

static void programs_have_the_runs_of_their_rows(void **unused)
{
    (void)unused;
    peer_check_all(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(programs_have_the_runs_of_their_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
