/* News of an end come behind what the one who has ended had sent before, and a child knows what its parent knew: under
 * every model that keeps messages in order, by every explorer that says `exhaustive`. */
#include "base/random.h"
#include "explore/support/runs.h"

RH_MESSAGE(hi);
RH_MESSAGE(bye);
RH_MESSAGE(go);

/* ---- news -------------------------------------------------------------------------------------------------------- */

RH_ACTOR(mortal, rh_ref to;);
RH_HANDLER(mortal, go)
{
    rh_send(state->to, hi);
    rh_stop();
}
RH_BEHAVIOUR(mortal, living, go);

RH_ACTOR(heir, bool links; bool greeted;);
RH_HANDLER(heir, rh_start)
{
    rh_trap_exits(true);
    rh_ref m = state->links ? rh_spawn_link(mortal, .to = self) : rh_spawn_monitor(mortal, .to = self);
    rh_send(m, go);
}
RH_HANDLER(heir, hi)
{
    state->greeted = true;
}
RH_HANDLER(heir, rh_exited)
{
    rh_assert(state->greeted, "the news came first");
}
RH_HANDLER(heir, rh_down)
{
    rh_assert(state->greeted, "the news came first");
}
RH_BEHAVIOUR(heir, watching, rh_start, hi, rh_exited, rh_down);
RH_TEST(exited)
{
    rh_spawn(heir, .links = true);
}
RH_TEST(down)
{
    rh_spawn(heir);
}

/* One that links or monitors late is told by its own doing. */
RH_PROCESS(greeter, rh_ref to;);
RH_BODY(greeter)
{
    rh_send(state->to, hi);
}

enum way { LINKS, MONITORS, TAKES_THE_NEWS, POLLS, POLLS_FOR_ANY };
RH_PROCESS(late, enum way how;);
RH_BODY(late)
{
    rh_ref who = rh_spawn(greeter, .to = self);
    rh_trap_exits(true);
    if (state->how >= POLLS && rh_alive(who))
        return;
    if (state->how == LINKS)
        rh_link(who);
    else
        rh_monitor(who);
    switch (state->how) {
    case TAKES_THE_NEWS:
        rh_receive(rh_down);
        rh_assert(rh_receive(hi, .timeout_ms = RH_POLL), "a poll misses what came before the news");
        break;
    case POLLS:
        rh_assert(rh_receive(hi, .timeout_ms = RH_POLL), "a poll misses what came before the news");
        break;
    case POLLS_FOR_ANY:
        rh_assert(rh_receive_any(.timeout_ms = RH_POLL), "a poll misses what came before the news, and the news");
        break;
    default:
        rh_assert(rh_receive_next()->type == &rh_message_hi, "the news came first");
        rh_receive_next();
    }
}
RH_TEST(late_link)
{
    rh_spawn(late, .how = LINKS);
}
RH_TEST(late_monitor)
{
    rh_spawn(late, .how = MONITORS);
}
RH_TEST(poll_after_the_news)
{
    rh_spawn(late, .how = TAKES_THE_NEWS);
}
RH_TEST(poll_with_news_under_way)
{
    rh_spawn(late, .how = POLLS);
}
RH_TEST(poll_for_any)
{
    rh_spawn(late, .how = POLLS_FOR_ANY);
}

/* What the test's body has sent in the name of another comes from that one: news of the body's end may overtake it. */
RH_ACTOR(mourner, bool greeted;);
RH_HANDLER(mourner, hi)
{
    state->greeted = true;
}
RH_HANDLER(mourner, bye)
{
}
RH_HANDLER(mourner, rh_down)
{
    rh_assert(state->greeted, "the news came first");
}
RH_HANDLER(mourner, go)
{
    rh_monitor(rh_sender());
}
RH_BEHAVIOUR(mourner, mourning, hi, bye, go, rh_down);
RH_TEST(in_the_name_of_another)
{
    rh_ref m = rh_spawn(mourner);
    rh_send_from(rh_external("user"), m, hi);
    rh_send(m, go);
}

/* ---- births ------------------------------------------------------------------------------------------------------ */

RH_ACTOR(judge, bool greeted;);
RH_HANDLER(judge, hi)
{
    state->greeted = true;
}
RH_HANDLER(judge, bye)
{
    rh_assert(state->greeted, "bye came first");
}
RH_BEHAVIOUR(judge, sitting, hi, bye);

/* Without rh_start: its first message is none of its parent's. */
RH_ACTOR(lazy, rh_ref to;);
RH_HANDLER(lazy, go)
{
    rh_send(state->to, bye);
}
RH_BEHAVIOUR(lazy, waiting, go);

RH_PROCESS(parent, rh_ref to; bool first;);
RH_BODY(parent)
{
    if (state->first)
        rh_send(state->to, hi);
    rh_ref child = rh_spawn(lazy, .to = state->to);
    if (!state->first)
        rh_send(state->to, hi);
    rh_register("lazy", child);
}
RH_PROCESS(third);
RH_BODY(third)
{
    if (!rh_is_nobody(rh_whereis("lazy")))
        rh_send_to_name("lazy", go);
}
RH_TEST(birth)
{
    rh_spawn(parent, .to = rh_spawn(judge), .first = true);
    rh_spawn(third);
}
RH_TEST(birth_before_the_send)
{
    rh_spawn(parent, .to = rh_spawn(judge));
    rh_spawn(third);
}

/* ---- explored ---------------------------------------------------------------------------------------------------- */

static const char *const explorers[] = { "dfs", "dpor", "optimal" };

static uint64_t failed_runs(const char *test, enum rh_model model, enum rh_granularity granularity,
                            const char *explorer)
{
    struct rh_semantics s = test_named(test)->semantics;
    s.model = model;
    s.granularity = granularity;
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    uint64_t failed = x->results->count.failed;
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
    return failed;
}

/* Of all explorers the same. */
static void never_or_sometimes(const char *test, enum rh_model model, enum rh_granularity granularity, bool sometimes)
{
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        if (granularity != RH_GRAIN_OBJECT && strcmp(explorers[i], "optimal") == 0)
            continue; /* it has a granularity of its own */
        uint64_t failed = failed_runs(test, model, granularity, explorers[i]);
        if ((failed != 0) != sometimes)
            fail_msg("%s, model %d, granularity %d, %s: %llu runs failed", test, model, granularity, explorers[i],
                     (unsigned long long)failed);
    }
}

static void never(const char *test, enum rh_model model)
{
    never_or_sometimes(test, model, RH_GRAIN_HANDLER, false);
    never_or_sometimes(test, model, RH_GRAIN_OBJECT, false);
}

static void news_come_behind_what_was_sent_before(void **unused)
{
    (void)unused;
    static const char *const tests[] = {
        "exited", "down", "late_link", "late_monitor", "poll_for_any", "poll_after_the_news", "poll_with_news_under_way"
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        never(tests[i], RH_FIFO);
        never(tests[i], RH_CAUSAL);
        never(tests[i], RH_MAILBOX);
    }
    never_or_sometimes("in_the_name_of_another", RH_FIFO, RH_GRAIN_OBJECT, true);
    for (size_t i = 0; i < 4; i++) /* without order they may overtake it */
        never_or_sometimes(tests[i], RH_BAG, RH_GRAIN_OBJECT, true);
}

static void a_child_knows_what_its_parent_had_sent(void **unused)
{
    (void)unused;
    never("birth", RH_CAUSAL);
    never("birth", RH_MAILBOX);
    never_or_sometimes("birth", RH_FIFO, RH_GRAIN_OBJECT, true);
    never_or_sometimes("birth_before_the_send", RH_CAUSAL, RH_GRAIN_OBJECT, true);
}

/* ---- generated --------------------------------------------------------------------------------------------------- */

/* Two or three who send to each other, watch each other, take what comes or only the news, and end. */
static uint64_t plan;

static uint32_t below(uint64_t *random, uint32_t n)
{
    return (uint32_t)(rh__random_next(random) >> 32) % n;
}

static void watch(rh_ref who, uint32_t how)
{
    if (how == 0)
        rh_monitor(who);
    else
        rh_link(who);
}

static void act(rh_ref who, uint32_t how)
{
    switch (how) {
    case 0:
        rh_receive_any(.types = RH_TYPES(rh_down, rh_exited), .idle = true);
        break;
    case 1:
        rh_receive_any(.timeout_ms = RH_POLL);
        break;
    case 2:
        rh_receive_any(.idle = true);
        break;
    default:
        rh_send(who, hi);
    }
}

RH_PROCESS(party, rh_ref others[2]; uint32_t known, me;);
RH_BODY(party)
{
    uint64_t random = rh__random_seed(plan, state->me + 1);
    rh_trap_exits(true);
    if (!state->me) {
        state->others[0] = rh_spawn(party, .others = { self }, .known = 1, .me = 1);
        if (state->known > 1)
            state->others[1] = rh_spawn(party, .others = { self, state->others[0] }, .known = 2, .me = 2);
    }
    for (uint32_t i = 0; i < state->known; i++)
        if (!state->me || below(&random, 4) == 0)
            watch(state->others[i], below(&random, 3));
    for (uint32_t n = 2 + below(&random, 2); n; n--)
        act(state->others[below(&random, state->known)], below(&random, 4) + (state->me ? 2 : 0));
}
RH_TEST(parties)
{
    rh_spawn(party, .known = plan % 7 ? 1 : 2);
}

/* The different behaviours, in order; false where there are too many runs. */
static bool note_distincts(struct record *r, const struct rh_semantics *s, const char *explorer, uint32_t most)
{
    struct rh_world *w = world_of("parties", s, NULL, 0);
    spied = r;
    r->count = 0;
    struct rh_exploration *x = explored(w, explorer, 1, most);
    bool all = x->results->count.runs < most;
    if (all)
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
    uint32_t kept = 0;
    distinct(r->behaviour, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        if (!kept || r->behaviour[kept - 1] != r->behaviour[i])
            r->behaviour[kept++] = r->behaviour[i];
    r->count = kept;
    return all;
}

static void generated_programs_agree(void **unused)
{
    (void)unused;
#ifdef RH_TEST_FEW
    enum { PROGRAMS = 60, LARGEST = 3000 };
#else
    enum { PROGRAMS = 240, LARGEST = 3000 };
#endif
    static const enum rh_model in_order[] = { RH_FIFO, RH_CAUSAL, RH_MAILBOX };
    struct record *all = record_new(), *some = record_new();
    uint32_t compared = 0, different = 0;
    uint64_t behaviours = 0, first = getenv("REHEARSE_FIRST") ? strtoull(getenv("REHEARSE_FIRST"), NULL, 10) : 0;
    for (plan = first; plan < first + PROGRAMS; plan++) {
        struct rh_semantics s = { .model = in_order[plan % 3], .granularity = RH_GRAIN_OBJECT };
        s.losses = plan % 5 == 0;
        s.crashes = s.restarts = plan % 4 == 0;
        if (!note_distincts(all, &s, "spy:dfs", LARGEST))
            continue;
        compared++;
        behaviours += all->count;
        for (size_t i = 1; i < sizeof explorers / sizeof *explorers; i++) {
            char spying[32];
            snprintf(spying, sizeof spying, "spy:%s", explorers[i]);
            note_distincts(some, &s, spying, LARGEST);
            if (some->count == all->count && !memcmp(some->behaviour, all->behaviour, all->count * sizeof(uint64_t)))
                continue;
            different++;
            fprintf(stderr, "program %llu, model %d: %u behaviours, %u by %s\n", (unsigned long long)plan, s.model,
                    all->count, some->count, explorers[i]);
        }
    }
    print_message("%u programs compared, %llu behaviours, %u differ\n", compared, (unsigned long long)behaviours,
                  different);
    record_free(all);
    record_free(some);
    assert_int_equal(different, 0);
    assert_in_range(compared, PROGRAMS / 3, PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(news_come_behind_what_was_sent_before),
        EXPLORE_TEST(a_child_knows_what_its_parent_had_sent),
        EXPLORE_TEST(generated_programs_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
