/* Faults within budgets: all outcomes of tiny programs, and how many choice sequences lead to each, derived by hand. */
#include "world/support/driver.h"

RH_MESSAGE(go);
RH_MESSAGE(told, char from;);
RH_MESSAGE(question);
RH_MESSAGE(reply_, int value;);

static uint32_t senders;

RH_ACTOR(ear, uint32_t count; char heard[16];);
RH_HANDLER(ear, told)
{
    state->heard[state->count++] = msg->from;
}
RH_BEHAVIOUR(ear, listening, told);

RH_TEST(many_senders)
{
    static const char *const names[] = { "a", "b", "c" };
    rh_ref e = rh_spawn(ear);
    for (uint32_t i = 0; i < senders; i++)
        rh_send_from(rh_external(names[i]), e, told, .from = names[i][0]);
}

RH_TEST(one_sender)
{
    rh_ref e = rh_spawn(ear);
    rh_send(e, told, .from = 'a');
    rh_send(e, told, .from = 'b');
}

static void note_heard(struct rh_world *w, void *arg)
{
    const struct ear *e = rh_world_actor_state(w, 1);
    tally_add(arg, e->heard);
    assert_false(rh_outcome_failed(rh_world_outcome(w)->kind));
}

static struct tally run_all(const char *test, struct rh_semantics s, void (*each)(struct rh_world *w, void *arg),
                            uint64_t want)
{
    struct tally t;
    t.count = 0;
    struct rh_world *w = open_test(test, &s);
    uint64_t made = every_run(w, 100000, each, &t);
    rh_world_free(w);
    if (made != want) {
        tally_print(&t);
        fail_msg("%llu sequences instead of %llu", (unsigned long long)made, (unsigned long long)want);
    }
    return t;
}

static void require(const struct tally *t, const char *text, uint64_t times)
{
    if (tally_of(t, text) == times)
        return;
    tally_print(t);
    fail_msg("\"%s\" came %llu times instead of %llu", text, (unsigned long long)tally_of(t, text),
             (unsigned long long)times);
}

/* ---- losses ---------------------------------------------------------------------------------------------------- */

/* Three senders, one message each.  A sequence is an order of the three messages with the lost ones marked: 3!
 * orders, times C(3, j) ways to lose j.  One loss: 6 + 6 * 3 = 24; two: 6 + 18 + 6 * 3 = 42; three: 42 + 6 = 48.  Of
 * what is heard: all three in 6 orders, each by one sequence; two in 6 orders, each by the 3 places at which the
 * third was lost. */
static void losses_take_every_subset(void **unused)
{
    (void)unused;
    senders = 3;
    struct tally t = run_all("many_senders", (struct rh_semantics){ .losses = 1 }, note_heard, 24);
    assert_int_equal(t.count, 6 + 6);
    require(&t, "abc", 1);
    require(&t, "ca", 3);
    t = run_all("many_senders", (struct rh_semantics){ .losses = 2 }, note_heard, 42);
    assert_int_equal(t.count, 6 + 6 + 3);
    require(&t, "b", 6); /* 3! orders in which the other two are marked */
    t = run_all("many_senders", (struct rh_semantics){ .losses = 3 }, note_heard, 48);
    assert_int_equal(t.count, 6 + 6 + 3 + 1);
    require(&t, "", 6);
}

/* Fifo: of two messages of one sender only the first can be lost or taken: order a b, marks 1 + 2 = 3 sequences.
 * Bag: 2 orders times 3. */
static void losses_follow_the_delivery_model(void **unused)
{
    (void)unused;
    struct tally t = run_all("one_sender", (struct rh_semantics){ .losses = 1 }, note_heard, 3);
    require(&t, "ab", 1);
    require(&t, "a", 1);
    require(&t, "b", 1);
    t = run_all("one_sender", (struct rh_semantics){ .model = RH_BAG, .losses = 1 }, note_heard, 6);
    require(&t, "ba", 1);
    require(&t, "a", 2);
}

/* ---- duplicates ------------------------------------------------------------------------------------------------ */

/* Two senders, a and b; D duplicates.  Without it: 2.  With Da: Da < a < a' (fifo: the copy comes behind), and b at
 * any of 4 places; the same for b: 2 + 4 + 4 = 10.  "baa" comes of b before and after Da.  Bag: copy and original in
 * either order: 2 + 8 + 8 = 18. */
static void duplicates_come_behind_or_in_any_order(void **unused)
{
    (void)unused;
    senders = 2;
    struct tally t = run_all("many_senders", (struct rh_semantics){ .duplicates = 1 }, note_heard, 10);
    assert_int_equal(t.count, 8);
    require(&t, "ab", 1);
    require(&t, "aab", 1);
    require(&t, "aba", 1);
    require(&t, "baa", 2);
    t = run_all("many_senders", (struct rh_semantics){ .model = RH_BAG, .duplicates = 1 }, note_heard, 18);
    assert_int_equal(t.count, 8);
    require(&t, "aab", 2);
    require(&t, "baa", 4);
}

/* ---- crashes and the mailbox ----------------------------------------------------------------------------------- */

/* Fifo, messages a and b of one sender, one crash, one restart with kept state.  The crash comes before a, between, or
 * after b; there the run may also end without it: 4 sequences.  What is under way at the crash comes after the
 * restart. */
static void messages_outlive_a_crash(void **unused)
{
    (void)unused;
    struct tally t = run_all("one_sender", (struct rh_semantics){ .crashes = 1, .kept_restarts = 1 }, note_heard, 4);
    require(&t, "ab", 4);
    /* The first state instead of the kept one: what came before the crash is forgotten. */
    t = run_all("one_sender", (struct rh_semantics){ .crashes = 1, .restarts = 1 }, note_heard, 4);
    require(&t, "ab", 2);
    require(&t, "b", 1);
    require(&t, "", 1);
    /* Either kind of restart: two for each of the three crashes. */
    t = run_all("one_sender", (struct rh_semantics){ .crashes = 1, .restarts = 1, .kept_restarts = 1 }, note_heard, 7);
    require(&t, "ab", 4 + 1);
    require(&t, "b", 1);
    require(&t, "", 1);
}

/* In a bag: 2 orders when the crash comes first, 2 when it comes between, 2 when after, and 2 runs
 * without a crash. */
static void in_a_bag_they_come_in_any_order(void **unused)
{
    (void)unused;
    struct tally t = run_all("one_sender", (struct rh_semantics){ .model = RH_BAG, .crashes = 1, .kept_restarts = 1 },
                             note_heard, 8);
    require(&t, "ab", 4);
    require(&t, "ba", 4);
}

/* ---- crashes and the store ------------------------------------------------------------------------------------- */

RH_ACTOR(writer, uint32_t restarts; int found; int read_back;);
RH_HANDLER(writer, rh_start)
{
    static const char *const keys[] = { "one", "two", "three" };
    char byte;
    state->restarts = msg->restarts;
    rh_store_open("three");
    for (int i = 0; i < 3; i++)
        state->found += rh_store_get(keys[i], &byte, 1) == 1;
}
RH_HANDLER(writer, go)
{
    char byte;
    rh_store_put("one", "1", 1);
    rh_store_put("two", "2", 1);
    rh_store_put("three", "3", 1);
    state->read_back = rh_store_get("three", &byte, 1) == 1 && byte == '3';
}
RH_BEHAVIOUR(writer, writing, rh_start, go);
RH_TEST(three_writes)
{
    rh_send(rh_spawn(writer), go);
}

RH_ACTOR(sure, uint32_t restarts; int found;);
RH_HANDLER(sure, rh_start)
{
    char byte;
    state->restarts = msg->restarts;
    rh_store_open("sure");
    state->found = (rh_store_get("one", &byte, 1) == 1) + (rh_store_get("two", &byte, 1) == 1);
}
RH_HANDLER(sure, go)
{
    rh_store_put("one", "1", 1);
    rh_store_put_sync("two", "2", 1);
}
RH_BEHAVIOUR(sure, writing, rh_start, go);
RH_TEST(sure_writes)
{
    rh_send(rh_spawn(sure), go);
}

static void note_sure(struct rh_world *w, void *arg)
{
    char text[64];
    const struct sure *x = rh_world_actor_state(w, 1);
    snprintf(text, sizeof text, "%s %d", x->restarts ? "again" : "once", x->found);
    tally_add(arg, text);
}

static void note_found(struct rh_world *w, void *arg)
{
    char text[64];
    const struct writer *x = rh_world_actor_state(w, 1);
    snprintf(text, sizeof text, "%s %d", x->restarts ? "again" : "once", x->found);
    tally_add(arg, text);
    if (!x->restarts)
        assert_true(x->read_back);
}

static void note_end(struct rh_world *w, void *arg)
{
    tally_add(arg, rh_world_actor_ended(w, 1) ? "ended" : "lives");
}

/* It crashes before its start, before go, after go, or never.  Within go it cannot: both writes are found. */
static void a_synchronous_put_is_durable_within_its_step(void **unused)
{
    (void)unused;
    struct tally t = run_all("sure_writes", (struct rh_semantics){ .crashes = 1, .restarts = 1 }, note_sure, 4);
    assert_int_equal(t.count, 3);
    require(&t, "once 0", 1);
    require(&t, "again 0", 2);
    require(&t, "again 2", 1);
}

/* With 0 or 1 writes durable the next may fail; or none does. */
static void a_synchronous_put_may_fail_before_it_returns(void **unused)
{
    (void)unused;
    struct tally t = run_all("sure_writes", (struct rh_semantics){ .failed_puts = 1 }, note_end, 3);
    require(&t, "ended", 2);
    require(&t, "lives", 1);
    static const struct rh_actor_type *const writers[] = { &rh_actor_writer, NULL };
    t = run_all("sure_writes", (struct rh_semantics){ .failed_puts = 1, .may_crash = writers }, note_end, 1);
    require(&t, "lives", 1);
}

/* Its start and its go, then with c = 0, 1, 2 writes durable the next may fail; or none does. */
static void a_put_may_fail_until_it_is_durable(void **unused)
{
    (void)unused;
    struct tally t = run_all("three_writes", (struct rh_semantics){ .failed_puts = 1 }, note_end, 4);
    require(&t, "ended", 3);
    require(&t, "lives", 1);
}

/* Each of both faults once, or none; then the writer's three writes become durable. */
static void a_store_may_fail_when_it_is_opened(void **unused)
{
    (void)unused;
    struct tally t =
        run_all("three_writes", (struct rh_semantics){ .failed_opens = 1, .damaged_stores = 1 }, note_end, 3);
    require(&t, "ended", 2);
    require(&t, "lives", 1);
}

/* The writer starts, takes go, and its three writes become durable one by one.  The crash may come
 *     before its start, before go                          1 + 1 sequences, nothing found after the restart
 *     with c = 0, 1, 2 writes durable: 0 .. 3 - c survive   4 + 3 + 2; c + s are found
 *     with all three durable                               1; or never: 1
 * Together 13.  Found j: the number of (c, s) with c + s = j, that is j + 1 (for 3: c = 0, 1, 2, 3). */
static void a_crash_keeps_a_prefix_of_the_writes_under_way(void **unused)
{
    (void)unused;
    struct tally t = run_all("three_writes", (struct rh_semantics){ .crashes = 1, .restarts = 1 }, note_found, 13);
    assert_int_equal(t.count, 5);
    require(&t, "once 0", 1);
    require(&t, "again 0", 2 + 1);
    require(&t, "again 1", 2);
    require(&t, "again 2", 3);
    require(&t, "again 3", 4);
}

/* ---- partitions ------------------------------------------------------------------------------------------------ */

RH_ACTOR(near_, rh_ref far;);
RH_HANDLER(near_, go)
{
    rh_send(state->far, told, .from = 'n');
}
RH_BEHAVIOUR(near_, ready, go);
RH_TEST(near_and_far)
{
    rh_ref e = rh_spawn(ear);
    rh_send(rh_spawn(near_, .far = e), go);
}

/* No message of one side is taken on the other between the split and the healing. */
static void note_events(struct rh_world *w, void *arg)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    char text[32] = "";
    for (uint32_t i = 1; i < n; i++)
        strcat(text, events[i].choice.kind == RH_CHOICE_PARTITION                        ? "P"
                     : events[i].choice.kind == RH_CHOICE_HEAL                           ? "H"
                     : rh_world_message(w, events[i].choice.what).type == &rh_message_go ? "g"
                                                                                         : "t");
    tally_add(arg, text);
}

/* Two nodes can be split in one way.  go comes from the test, which is on no side. */
static void a_partition_holds_messages_until_it_heals(void **unused)
{
    (void)unused;
    struct tally t = run_all("near_and_far", (struct rh_semantics){ .partitions = 1 }, note_events, 4);
    require(&t, "gt", 1);
    require(&t, "PgHt", 1);
    require(&t, "PHgt", 1);
    require(&t, "gPHt", 1);
}

/* ---- faults and asking ----------------------------------------------------------------------------------------- */

RH_ACTOR(oracle_, int asked;);
RH_HANDLER(oracle_, question)
{
    state->asked++;
    rh_reply(reply_, .value = 7);
}
RH_BEHAVIOUR(oracle_, ready, question);
RH_ACTOR(asker, rh_ref oracle; int got;);
RH_HANDLER(asker, go)
{
    const struct reply_ *r = rh_ask_within(10, state->oracle, question, reply_);
    state->got = r ? r->value : -1;
}
RH_BEHAVIOUR(asker, ready, go);
RH_TEST(asking)
{
    rh_ref o = rh_spawn(oracle_);
    rh_send(rh_spawn(asker, .oracle = o), go);
}

static void note_got(struct rh_world *w, void *arg)
{
    char text[64];
    snprintf(text, sizeof text, "asked %d got %d", ((const struct oracle_ *)rh_world_actor_state(w, 1))->asked,
             ((const struct asker *)rh_world_actor_state(w, 2))->got);
    tally_add(arg, text);
    if (rh_world_outcome(w)->kind != RH_OUTCOME_FINISHED)
        fail_msg("%s: %s", text, rh_world_outcome(w)->text);
}

/* go; then the question is taken (q), the answer is taken (a), or the time is over (t):
 *     q a;  q t (the answer is dropped);  t q (nobody waits for an answer any more). */
static void an_answer_after_the_timeout_is_dropped(void **unused)
{
    (void)unused;
    struct tally t = run_all("asking", (struct rh_semantics){ .model = RH_FIFO }, note_got, 3);
    require(&t, "asked 1 got 7", 1);
    require(&t, "asked 1 got -1", 2);
    /* Each send accepted by itself: A(go) g A(q) q A(a) a, with t behind A(q) or behind q; not before A(q), since the
     * asker's own send is not over then, and not behind A(a), since the answer is there.  Where t comes before q nobody
     * answers; where it comes between q and A(a) the answer is still accepted, and goes nowhere. */
    t = run_all("asking", (struct rh_semantics){ .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND }, note_got, 3);
    require(&t, "asked 1 got 7", 1);
    require(&t, "asked 1 got -1", 2);
}

/* One loss: of go, 1; of the question, then only the timeout is left, 1, or the timeout first and then the loss, 1;
 * of the answer, then the timeout: 1.  Without: 3. */
static void asking_survives_a_loss(void **unused)
{
    (void)unused;
    struct tally t = run_all("asking", (struct rh_semantics){ .losses = 1 }, note_got, 7);
    require(&t, "asked 0 got 0", 1);
    require(&t, "asked 0 got -1", 2);
    require(&t, "asked 1 got -1", 3);
    require(&t, "asked 1 got 7", 1);
}

/* ---- what a lost message teaches ------------------------------------------------------------------------------- */

RH_MESSAGE(go_on);
RH_ACTOR(relay, rh_ref to;);
RH_HANDLER(relay, go)
{
}
RH_HANDLER(relay, go_on)
{
    rh_send(state->to, told, .from = 'z');
}
RH_BEHAVIOUR(relay, ready, go, go_on);
RH_ACTOR(source, rh_ref to; rh_ref by;);
RH_HANDLER(source, go)
{
    rh_send(state->to, told, .from = 'x');
    rh_send(state->by, go);
}
RH_BEHAVIOUR(source, ready, go);
RH_TEST(told_of_x)
{
    rh_ref e = rh_spawn(ear), r = rh_spawn(relay, .to = e);
    rh_send_from(rh_external("one"), rh_spawn(source, .to = e, .by = r), go);
    rh_send_from(rh_external("two"), r, go_on);
}

/* Causal: had relay taken go, which source sent after x, its z would have to wait for x.  It never got it. */
static void a_lost_message_teaches_nothing(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("told_of_x", &(struct rh_semantics){ .model = RH_CAUSAL, .losses = 1 });
    step_by_text(w, "source#1 takes go");
    struct rh_snapshot *s = rh_world_save(w);
    step_by_text(w, "relay#1 takes go from");
    step_by_text(w, "relay#1 takes go_on");
    assert_true(is_open(w, "ear#1 takes told from source#1"));
    assert_false(is_open(w, "ear#1 takes told from relay#1"));
    rh_world_load(w, s);
    step_by_text(w, "relay#1 never gets go from");
    step_by_text(w, "relay#1 takes go_on");
    assert_true(is_open(w, "ear#1 takes told from source#1"));
    assert_true(is_open(w, "ear#1 takes told from relay#1"));
    rh_snapshot_free(s);
    rh_world_free(w);
}

/* ---- writers and servers that have ended ----------------------------------------------------------------------- */

RH_PROCESS(last_words, int unused;);
RH_BODY(last_words)
{
    rh_store_open("will");
    rh_store_put("will", "x", 1);
}
RH_TEST(a_last_write)
{
    rh_spawn(last_words);
}

/* Nobody can read it any more, and nobody is told. */
static void a_write_of_one_that_has_ended_is_no_event(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("a_last_write", NULL);
    step_by_text(w, "last_words#1 takes rh_start");
    assert_true(rh_world_actor_ended(w, 1));
    assert_false(is_open(w, ""));
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    rh_world_free(w);
}

RH_ACTOR(short_lived, int unused;);
RH_HANDLER(short_lived, go)
{
    rh_stop();
}
RH_BEHAVIOUR(short_lived, ready, go);
RH_ACTOR(patient, rh_ref other;);
RH_HANDLER(patient, go)
{
    rh_ask(state->other, question, reply_);
}
RH_BEHAVIOUR(patient, ready, go);
RH_TEST(asks_the_dead)
{
    rh_ref s = rh_spawn(short_lived), p = rh_spawn(patient, .other = s);
    rh_send(s, go);
    rh_send(p, go);
}

static void asking_one_that_has_ended_is_stuck_and_can_be_told(void **unused)
{
    (void)unused;
    char text[256];
    struct rh_world *w = open_test("asks_the_dead", NULL);
    step_by_text(w, "short_lived#1 takes go");
    step_by_text(w, "patient#1 takes go");
    const struct rh_outcome *o = rh_world_outcome(w);
    assert_int_equal(o->kind, RH_OUTCOME_STUCK);
    assert_int_equal(o->actor, 2);
    rh_world_actor_text(w, 2, text, sizeof text);
    assert_non_null(strstr(text, "waits for"));
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(losses_take_every_subset),
        WORLD_TEST(losses_follow_the_delivery_model),
        WORLD_TEST(duplicates_come_behind_or_in_any_order),
        WORLD_TEST(messages_outlive_a_crash),
        WORLD_TEST(in_a_bag_they_come_in_any_order),
        WORLD_TEST(a_crash_keeps_a_prefix_of_the_writes_under_way),
        WORLD_TEST(a_put_may_fail_until_it_is_durable),
        WORLD_TEST(a_store_may_fail_when_it_is_opened),
        WORLD_TEST(a_synchronous_put_is_durable_within_its_step),
        WORLD_TEST(a_synchronous_put_may_fail_before_it_returns),
        WORLD_TEST(a_partition_holds_messages_until_it_heals),
        WORLD_TEST(an_answer_after_the_timeout_is_dropped),
        WORLD_TEST(asking_survives_a_loss),
        WORLD_TEST(a_lost_message_teaches_nothing),
        WORLD_TEST(a_write_of_one_that_has_ended_is_no_event),
        WORLD_TEST(asking_one_that_has_ended_is_stuck_and_can_be_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
