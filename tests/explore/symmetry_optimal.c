/* symmetry(optimal) loses nothing: what happens in runs, up to exchange of alike actors, is the same as with
 * optimal, and as with dfs or dpor, which have nothing to do with its search. */
#include "explore/support/stories.h"

RH_MESSAGE(go, int unused;);

/* A member that chose to wait tells the helper, and answers the decider only after the decider has taken `late`, which
 * the helper hears of.  The decider takes two messages.  In a run in which it takes the answer of the younger member
 * while the older one waits, that is all it can take then; `late` comes only afterwards, because its sender has two
 * messages to choose from.  By a revisit the decider takes `late` instead, and after that the answer of the older one:
 * a run in order, whose image is not.  So the search may not leave out an event that a revisit can delete. */
RH_MESSAGE(answer, int unused;);
RH_MESSAGE(late, int unused;);
RH_MESSAGE(waits, int unused;);
RH_MESSAGE(release, int unused;);
RH_ACTOR(member, rh_ref decider; rh_ref helper;);
RH_ACTOR(decider, uint32_t taken; rh_ref helper;);
RH_ACTOR(helper, rh_ref waiting[4]; uint32_t count; uint32_t released;);
RH_ACTOR(slow, rh_ref decider; uint32_t taken;);

RH_HANDLER(member, go)
{
    if (rh_choose(2)) /* in the first run, so the decider is the one that it hears first */
        rh_send(state->decider, answer);
    else
        rh_send(state->helper, waits);
}
RH_HANDLER(member, release)
{
    rh_send(state->decider, answer);
}
RH_BEHAVIOUR(member, membering, go, release);

RH_HANDLER(decider, answer)
{
    if (++state->taken == 2)
        rh_stop();
}
RH_HANDLER(decider, late)
{
    rh_send(state->helper, release);
    if (++state->taken == 2)
        rh_stop();
}
RH_BEHAVIOUR(decider, deciding, answer, late);

RH_HANDLER(helper, waits)
{
    if (state->released)
        rh_send(rh_sender(), release);
    else
        state->waiting[state->count++] = rh_sender();
}
RH_HANDLER(helper, release)
{
    state->released = 1;
    for (uint32_t i = 0; i < state->count; i++)
        rh_send(state->waiting[i], release);
}
RH_BEHAVIOUR(helper, helping, waits, release);

RH_HANDLER(slow, go)
{
    if (++state->taken == 1)
        rh_send(state->decider, late);
}
RH_BEHAVIOUR(slow, being_slow, go);

RH_TEST(released_by_a_late_message)
{
    rh_ref h = rh_spawn(helper);
    rh_ref d = rh_spawn(decider, .helper = h);
    rh_ref s = rh_spawn(slow, .decider = d);
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(member, .decider = d, .helper = h), go);
    rh_send(s, go);
    rh_send(s, go);
}

/* The same with a revisit that takes a message too early.  The taker takes the message of the crier first.  A member
 * answers and says `done`, whereupon the helper releases the one that waits, which answers, too.  So the taker,
 * which decides, is revisited by the answer of the younger member, and from there by that of the older one, which is
 * in order.  The image of that run is not.  Whether the crier's message is greater than the answers depends on
 * identities; so there are members of several, after some that are idle. */
RH_MESSAGE(done_so, int unused;);
RH_ACTOR(hasty, rh_ref decider; rh_ref helper; uint32_t taken;);
RH_ACTOR(taker, uint32_t answers;);
RH_ACTOR(releaser, rh_ref waiting; uint32_t done;);
RH_ACTOR(crier, rh_ref to;);

RH_HANDLER(hasty, go)
{
    if (state->taken++)
        return;
    if (rh_choose(2)) {
        rh_send(state->decider, answer);
        rh_send(state->helper, done_so);
    } else {
        rh_send(state->helper, waits);
    }
}
RH_HANDLER(hasty, release)
{
    rh_send(state->decider, answer);
}
RH_BEHAVIOUR(hasty, being_hasty, go, release);

RH_HANDLER(taker, answer)
{
    state->answers++;
}
RH_HANDLER(taker, late)
{
    state->answers += 10;
}
RH_BEHAVIOUR(taker, taking, answer, late);

static void release_if_due(struct releaser *state)
{
    if (state->done && !rh_is_nobody(state->waiting))
        rh_send(state->waiting, release);
}
RH_HANDLER(releaser, waits)
{
    state->waiting = rh_sender();
    release_if_due(state);
}
RH_HANDLER(releaser, done_so)
{
    state->done = 1;
    release_if_due(state);
}
RH_BEHAVIOUR(releaser, releasing, waits, done_so);

RH_HANDLER(crier, go)
{
    rh_send(state->to, late);
}
RH_BEHAVIOUR(crier, crying, go);

RH_TEST(released_by_the_other)
{
    rh_ref d = rh_spawn(taker), h = rh_spawn(releaser);
    rh_ref c = { 0 };
    for (uint32_t i = 0; i <= (uint32_t)rh_param("idle", 0); i++)
        c = rh_spawn(crier, .to = d);
    rh_send(c, go);
    for (uint32_t i = 0, idle = (uint32_t)rh_param("idle", 0); i < idle + 2; i++) {
        rh_ref m = rh_spawn(hasty, .decider = d, .helper = h);
        if (i < idle)
            continue;
        rh_send(m, go);
        rh_send(m, go);
    }
}

/* Under causal the job of the younger one knows of the job of the older one, which was sent before.  So only the
 * younger one can hear of the other's job before it has its own. */
RH_MESSAGE(hello, int unused;);
RH_MESSAGE(note, int unused;);
RH_MESSAGE(relay, int unused;);
RH_ACTOR(heir, rh_ref to; uint32_t has_job;);
RH_ACTOR(switchboard, rh_ref first;);

RH_HANDLER(heir, rh_start)
{
    (void)msg;
    rh_send(state->to, hello);
}
RH_HANDLER(heir, go)
{
    state->has_job = 1;
    rh_send(state->to, note);
}
RH_HANDLER(heir, relay)
{
    rh_assert(state->has_job, "it hears of the other's job first");
}
RH_BEHAVIOUR(heir, heiring, rh_start, go, relay);

RH_HANDLER(switchboard, hello)
{
    if (rh_is_nobody(state->first))
        state->first = rh_sender();
}
RH_HANDLER(switchboard, note)
{
    if (!rh_is_nobody(state->first) && !rh_same(state->first, rh_sender()))
        rh_send(state->first, relay);
}
RH_BEHAVIOUR(switchboard, switching, hello, note);

RH_TEST(knows_of_the_older)
{
    rh_ref s = rh_spawn(switchboard), all[2];
    for (int i = 0; i < 2; i++)
        all[i] = rh_spawn(heir, .to = s);
    for (int i = 0; i < 2; i++)
        rh_send(all[i], go);
}

static void messages_know_of_each_other_under_causal(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "dpor", "optimal", "symmetry:optimal", "symmetry:dpor" };
    struct rh_semantics s = { .model = RH_CAUSAL, .dead_letters = RH_DEAD_LETTER_IGNORE };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        s.granularity = strstr(explorers[i], "optimal") ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
        struct rh_world *w = world_of("knows_of_the_older", &s, NULL, 0);
        struct rh_exploration *x = explored(w, explorers[i], 1, 0);
        assert_true(x->end.exhausted);
        if (!x->results->count.failed)
            fail_msg("%s finds no failure in %llu runs", explorers[i], (unsigned long long)x->results->count.runs);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

static void compare_stories(const char *test, const struct rh_param *param)
{
    struct rh_semantics s = {
        .model = RH_BAG, .granularity = RH_GRAIN_OBJECT, .max_actors = 32, .dead_letters = RH_DEAD_LETTER_IGNORE
    };
    bool all;
    struct record *brute, *whole, *found;
    uint32_t traces = stories(test, &s, param, "tell:dpor", 0, &all, &brute);
    assert_true(all && traces < MOST_RUNS);
    uint32_t runs = stories(test, &s, param, "tell:optimal", 0, &all, &whole);
    uint32_t fewer = stories(test, &s, param, "tell:symmetry:optimal", 0, &all, &found);
    printf("%s: dpor %u runs, %u stories; optimal %u, with symmetry %u\n", test, traces,
           distinct(brute->behaviour, brute->count), runs, fewer);
    assert_true(all && fewer < runs);
    expect_same("optimal", whole, found);
    expect_same("dpor", brute, found);
    record_free(brute);
    record_free(whole);
    record_free(found);
}

static void what_a_revisit_can_delete_is_not_left_out(void **unused)
{
    (void)unused;
    compare_stories("released_by_a_late_message", NULL);
    static const char *const idle[] = { "0", "1", "2", "3", "4", "5" };
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        compare_stories("released_by_the_other", &(struct rh_param){ "idle", idle[i] });
}

static void optimal_loses_no_story(void **unused)
{
    (void)unused;
    uint32_t programs = 0, by_force = 0, reduced = 0, again = 0, failing = 0;
    uint64_t all_runs = 0, fewer_runs = 0;
    const char *asked = getenv("RH_TEST_PROGRAMS");
    uint64_t most = asked ? strtoull(asked, NULL, 10) : MANY_OR_FEW(300, 60);
    for (seed = 1; seed <= most; seed++) {
        struct rh_semantics s = semantics_of(seed);
        s.granularity = RH_GRAIN_OBJECT;
        s.partitions = 0;
        *s.timer_budgets = 0;
        s.pauses = true;
        s.model = seed % 3 == 0 ? RH_CAUSAL : seed % 2 ? RH_FIFO : RH_BAG;
        bool all, forced, all_too;
        struct record *expected, *brute, *found;
        uint32_t runs = stories("nodes", &s, NULL, "tell:optimal", 2000, &all, &expected);
        if (all && runs > 1) {
            uint32_t found_runs = stories("nodes", &s, NULL, "tell:symmetry:optimal", 0, &all_too, &found);
            assert_true(all_too);
            expect_same("optimal", expected, found);
            stories("nodes", &s, NULL, "tell:dfs", 4000, &forced, &brute);
            if (forced)
                expect_same("dfs", brute, found);
            programs++;
            by_force += forced;
            reduced += found_runs < runs;
            again += found_runs > runs;
            failing += expected->failed > 0;
            all_runs += runs;
            fewer_runs += found_runs;
            record_free(found);
            record_free(brute);
        }
        record_free(expected);
    }
    printf(
        "%u programs, %u by force, %u with failures: %llu runs, with symmetry %llu; fewer in %u, begun again in %u\n",
        programs, by_force, failing, (unsigned long long)all_runs, (unsigned long long)fewer_runs, reduced, again);
    assert_true(programs > most / 5 && reduced > programs / 4 && again && failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(messages_know_of_each_other_under_causal),
        EXPLORE_TEST(what_a_revisit_can_delete_is_not_left_out),
        EXPLORE_TEST(optimal_loses_no_story),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
