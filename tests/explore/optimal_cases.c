/* Programs written by hand that optimal once got wrong, with all their behaviours counted by hand. */
#include "explore/support/runs.h"

/* Two sends into one mailbox against a wait with a time limit: the wait takes the one or the other, or is over before
 * anything has come: 3.  In which order the mailbox accepts the two afterwards, nobody can tell. */
RH_MESSAGE(go);
RH_MESSAGE(parcel);
RH_PROCESS(taker, int unused;);
RH_BODY(taker)
{
    rh_receive(parcel, .timeout_ms = 3);
}
RH_ACTOR(source, rh_ref to;);
RH_HANDLER(source, go)
{
    rh_send(state->to, parcel);
}
RH_BEHAVIOUR(source, ready, go);

RH_TEST(two_sends_and_a_timeout, .model = RH_MAILBOX, .granularity = RH_GRAIN_OBJECT)
{
    rh_ref t = rh_spawn(taker);
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(source, .to = t), go);
}

/* A monitor that begins to observe, and an announcement: either comes first.  Only one order leaves the monitor hot. */
RH_MESSAGE(happened);
RH_MONITOR(watcher, int unused;);
RH_HANDLER(watcher, happened)
{
    rh_become(watcher, alarmed);
}
RH_BEHAVIOUR(watcher, calm, happened);
RH_HOT_BEHAVIOUR(watcher, alarmed, happened);
RH_ACTOR(installer, int unused;);
RH_HANDLER(installer, go)
{
    rh_observe(watcher);
}
RH_BEHAVIOUR(installer, ready, go);
RH_ACTOR(announcer, int unused;);
RH_HANDLER(announcer, go)
{
    rh_announce(happened);
}
RH_BEHAVIOUR(announcer, ready, go);

RH_TEST(a_monitor_that_comes_late, .granularity = RH_GRAIN_OBJECT)
{
    rh_send(rh_spawn(installer), go);
    rh_send(rh_spawn(announcer), go);
}

/* ---- a predicate of an actor with much memory -------------------------------------------------------------------- */

/* No image of the memory is kept for the predicate (explore/optimal/waiting.c), so the world goes back to ask it. */
RH_MESSAGE(labelled, int label;);
RH_PROCESS(hoarder, char much[1 << 16]; int wanted;);
static bool is_wanted(const struct rh_envelope *m, const void *wanted)
{
    return rh_as(m, labelled)->label == *(const int *)wanted;
}
RH_BODY(hoarder)
{
    for (state->wanted = 0; state->wanted < 3; state->wanted++)
        rh_receive(labelled, .match = is_wanted, .arg = &state->wanted);
}
RH_ACTOR(labeller, rh_ref to; int label;);
RH_HANDLER(labeller, go)
{
    rh_send(state->to, labelled, .label = state->label);
}
RH_BEHAVIOUR(labeller, ready, go);

/* By label 0 the process takes one of two messages, by labels 1 and 2 the only ones: 2. */
RH_TEST(labels_in_a_mailbox, .model = RH_MAILBOX, .granularity = RH_GRAIN_OBJECT)
{
    rh_ref to = rh_spawn(hoarder);
    for (int i = 0; i < 4; i++)
        rh_send(rh_spawn(labeller, .to = to, .label = i % 3), go);
}

/* ---- operations that only look ----------------------------------------------------------------------------------- */

RH_TABLE(board);
enum job { GETS, PUTS, INSERTS, SWAPS, GETS_OTHER, PUTS_AND_GETS, FINDS_NAME, REGISTERS, ASKS_LIFE, STOPS };
RH_ACTOR(clerk, enum job job; uint32_t value; rh_ref about;);
RH_HANDLER(clerk, go)
{
    uint32_t found, expected = 7;
    const char *key = state->value % 2 ? "x" : "y", *other = state->value % 2 ? "y" : "x";
    switch (state->job) {
    case GETS:
        rh_table_get(board, "x", &found, sizeof found);
        break;
    case PUTS:
        rh_table_put(board, "x", &state->value, sizeof state->value);
        break;
    case INSERTS:
        rh_table_insert_new(board, "x", &state->value, sizeof state->value);
        break;
    case SWAPS:
        rh_table_swap(board, "x", &expected, sizeof expected, &state->value, sizeof state->value);
        break;
    case PUTS_AND_GETS:
        rh_table_put(board, key, &state->value, sizeof state->value);
        /* fall through */
    case GETS_OTHER:
        rh_table_get(board, other, &found, sizeof found);
        break;
    case FINDS_NAME:
        rh_whereis("boss");
        break;
    case REGISTERS:
        rh_register("boss", self);
        break;
    case ASKS_LIFE:
        rh_alive(state->about);
        break;
    case STOPS:
        rh_stop();
        break;
    }
}
RH_BEHAVIOUR(clerk, ready, go);

static rh_ref clerks(uint32_t count, enum job job, rh_ref about)
{
    rh_ref last = rh_nobody();
    for (uint32_t i = 0; i < count; i++) {
        last = rh_spawn(clerk, .job = job, .value = i + 1, .about = about);
        rh_send(last, go);
    }
    return last;
}

/* Which of the three versions the get finds, times the orders of the puts: 6.  Were an older version the canonical one,
 * 5 would be found. */
RH_TEST(get_put_put, .granularity = RH_GRAIN_OBJECT)
{
    clerks(1, GETS, rh_nobody());
    clerks(2, PUTS, rh_nobody());
}

/* Each reader finds one of two versions: 2 to the 6th. */
RH_TEST(six_readers, .granularity = RH_GRAIN_OBJECT)
{
    clerks(1, PUTS, rh_nobody());
    clerks(6, GETS, rh_nobody());
}

/* Both gets find nothing only if each comes before the other's put: 3 of 4. */
RH_TEST(store_buffering, .granularity = RH_GRAIN_OBJECT)
{
    clerks(2, PUTS_AND_GETS, rh_nobody());
}

/* Who is first; the others change nothing, and none of them can tell: 4. */
RH_TEST(four_inserts, .granularity = RH_GRAIN_OBJECT)
{
    clerks(4, INSERTS, rh_nobody());
}

/* Swaps that find another value than they expect change nothing: before or after the put, 2 to the 3rd. */
RH_TEST(failed_swaps, .granularity = RH_GRAIN_OBJECT)
{
    clerks(1, PUTS, rh_nobody());
    clerks(3, SWAPS, rh_nobody());
}

/* Who is first: 5. */
RH_TEST(equal_puts, .granularity = RH_GRAIN_OBJECT)
{
    for (int i = 0; i < 5; i++)
        clerks(1, PUTS, rh_nobody());
}

RH_TEST(lookups, .granularity = RH_GRAIN_OBJECT)
{
    rh_register("boss", rh_spawn(clerk));
    clerks(5, FINDS_NAME, rh_nobody());
}

/* Each lookup comes before or after it: 2 to the 4th. */
RH_TEST(lookups_and_a_register, .granularity = RH_GRAIN_OBJECT)
{
    clerks(1, REGISTERS, rh_nobody());
    clerks(4, FINDS_NAME, rh_nobody());
}

/* Each looks before or after the end: 2 to the 5th. */
RH_TEST(looks_at_a_life, .granularity = RH_GRAIN_OBJECT)
{
    clerks(5, ASKS_LIFE, clerks(1, STOPS, rh_nobody()));
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* A parent that does not trap takes three parcels of strangers, while three linked children end normally.  It never
 * hears of these ends: 3! orders of parcels. */
RH_PROCESS(child);
RH_BODY(child)
{
    rh_receive(go);
}
RH_PROCESS(stranger, rh_ref to;);
RH_BODY(stranger)
{
    rh_send(state->to, parcel);
}
RH_PROCESS(parent);
RH_BODY(parent)
{
    rh_ref children[3];
    for (int i = 0; i < 3; i++)
        children[i] = rh_spawn_link(child);
    for (int i = 0; i < 3; i++)
        rh_send(children[i], go);
    for (int i = 0; i < 3; i++)
        rh_receive(parcel);
}
RH_TEST(normal_ends_of_children, .granularity = RH_GRAIN_OBJECT)
{
    rh_ref p = rh_spawn(parent);
    for (int i = 0; i < 3; i++)
        rh_spawn(stranger, .to = p);
}

/* The signal of a child's end comes before the parent begins to trap, and nobody hears of it; or after that, and the
 * parent takes it in time or not: 3. */
RH_PROCESS(later_trapper);
RH_BODY(later_trapper)
{
    rh_ref c = rh_spawn_link(child);
    rh_send(c, go);
    rh_sleep(1);
    rh_trap_exits(true);
    rh_receive(rh_exited, .timeout_ms = 1);
}
RH_TEST(a_normal_end_before_or_after_the_trap, .granularity = RH_GRAIN_OBJECT)
{
    rh_spawn(later_trapper);
}

/* Each of three that monitor one that ends does so in time or too late, in no order: 2^3.  Where actors restart, to
 * monitor is a change, and those in time have an order: 1 + 3 * 1 + 3 * 2 + 1 * 6 = 16. */
RH_PROCESS(short_life);
RH_BODY(short_life)
{
}
RH_PROCESS(mourner, rh_ref who;);
RH_BODY(mourner)
{
    rh_monitor(state->who);
    rh_receive(rh_down);
}
RH_TEST(monitors_of_an_end, .granularity = RH_GRAIN_OBJECT)
{
    rh_ref who = rh_spawn(short_life);
    for (int i = 0; i < 3; i++)
        rh_spawn(mourner, .who = who);
}
RH_TEST(monitors_of_an_end_with_restarts, .granularity = RH_GRAIN_OBJECT, .crashes = 1, .restarts = 1,
        .may_crash = RH_ACTORS(child))
{
    rh_ref who = rh_spawn(short_life);
    for (int i = 0; i < 3; i++)
        rh_spawn(mourner, .who = who);
}

static void has(const char *test, uint64_t seed, uint64_t behaviours, uint64_t failed)
{
    struct rh_semantics s = test_named(test)->semantics;
    s.seed = seed; /* the order of identities depends on it */
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, "optimal", 1, 0);
    if (x->results->count.runs != behaviours || x->results->distinct.count != behaviours ||
        x->results->count.failed != failed || x->results->count.cut)
        fail_msg("%s, seed %llu: %llu runs, %llu behaviours, %llu failed", test, (unsigned long long)seed,
                 (unsigned long long)x->results->count.runs, (unsigned long long)x->results->distinct.count,
                 (unsigned long long)x->results->count.failed);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void a_wait_takes_one_of_two_messages_or_nothing(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++)
        has("two_sends_and_a_timeout", seed, 3, 0);
}

static void to_observe_is_in_order_with_announcements(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++)
        has("a_monitor_that_comes_late", seed, 2, 1);
}

static void operations_that_only_look_have_no_order(void **unused)
{
    (void)unused;
    static const struct {
        const char *test;
        uint64_t behaviours;
    } rows[] = { { "get_put_put", 6 },     { "six_readers", 64 },
                 { "store_buffering", 3 }, { "four_inserts", 4 },
                 { "failed_swaps", 8 },    { "equal_puts", 5 },
                 { "lookups", 1 },         { "lookups_and_a_register", 16 },
                 { "looks_at_a_life", 32 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t seed = 1; seed <= 10; seed++)
            has(rows[i].test, seed, rows[i].behaviours, 0);
}

static void signals_without_effect_cost_nothing(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        has("normal_ends_of_children", seed, 6, 0);
        has("a_normal_end_before_or_after_the_trap", seed, 3, 0);
        has("monitors_of_an_end", seed, 8, 0);
        has("monitors_of_an_end_with_restarts", seed, 16, 0);
    }
}

static void predicates_of_large_actors_are_asked(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++)
        has("labels_in_a_mailbox", seed, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_wait_takes_one_of_two_messages_or_nothing),
        EXPLORE_TEST(to_observe_is_in_order_with_announcements),
        EXPLORE_TEST(operations_that_only_look_have_no_order),
        EXPLORE_TEST(signals_without_effect_cost_nothing),
        EXPLORE_TEST(predicates_of_large_actors_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
