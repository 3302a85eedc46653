/* symmetry(optimal) loses nothing: what happens in runs, up to exchange of alike actors, is the same as with
 * optimal, and as with dfs or dpor, which have nothing to do with its search. */
#include "explore/support/nodes.h"

#include "support/few.h"

RH_MESSAGE(go, int unused;);

/* What happened in a run, without who is who.  An event is known by the type of its actor, the event of the actor
 * before it and the message that it took; a message by its type, the event that sent it, and how many that event had
 * sent to the same actor before.  Of a run that fails only the past of the last event counts: others may or may not
 * have gone on before.  The order of operations on shared objects is left out. */
static uint64_t story_of(const struct rh_world *w, enum rh_outcome_kind outcome)
{
    const struct rh__run *r = rh__world_run(w);
    static uint64_t of_event[256], last[32], each[32];
    uint64_t hash = fnv(FNV_START, &outcome, sizeof outcome), fates = 0;
    assert_true(r->event_count <= 256 && r->actor_count <= 32);
    for (uint32_t i = 0; i < r->actor_count; i++)
        last[i] = fnv(FNV_START, &rh__run_actor(r, i)->type, sizeof rh__run_actor(r, i)->type);
    for (uint32_t i = 0; i < r->event_count; i++) {
        const struct rh_choice *c = rh__run_choice(r, i);
        bool own = !rh__befalls(c) && c->actor < r->actor_count;
        uint64_t what[5] = { c->kind, own ? last[c->actor] : 0, 0, 0, 0 };
        if (c->kind == RH_CHOICE_VALUE)
            what[2] = c->what;
        if (rh__is_about_message(c)) {
            const struct rh__run_message *m = rh__run_message(r, c->what);
            what[3] = of_event[m->event] ^ (uint64_t)(uintptr_t)m->type;
            for (uint32_t k = r->events[m->event].first_message; k < c->what; k++)
                what[4] += rh__run_message(r, k)->receiver == m->receiver;
        }
        of_event[i] = fnv(FNV_START, what, sizeof what);
        if (own)
            last[c->actor] = of_event[i];
        else
            fates += of_event[i];
    }
    if (rh_outcome_failed(outcome) && r->over)
        return fnv(hash, &of_event[r->event_count - 1], sizeof *of_event);
    memcpy(each, last, r->actor_count * sizeof *each);
    qsort(each, r->actor_count, sizeof *each, by_number);
    return fnv(hash, each, r->actor_count * sizeof *each) + fates;
}

static void tell_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    if (spied->count < MOST_RUNS && !run->pruned)
        spied->behaviour[spied->count++] = story_of(w, run->outcome);
    spied->failed += rh_outcome_failed(run->outcome);
    rh_inner_end(&s->inner, w, run);
}
SPY(tell, "notes what happened in runs", tell_end)

static uint32_t stories(const char *test, const struct rh_semantics *s, const struct rh_param *param,
                        const char *explorer, uint64_t most, bool *all, struct record **found)
{
    struct rh_world *w = world_of(test, s, param, param != NULL);
    *found = spied = record_new();
    struct rh_exploration *x = explored(w, explorer, 1, most);
    *all = x->end.exhausted;
    rh__exploration_free(x);
    uint32_t runs = (*found)->count;
    rh_world_free(w);
    return runs;
}

/* Both are sorted already: `distinct` does that. */
static bool has_all(const struct record *these, const struct record *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (!bsearch(&of->behaviour[i], these->behaviour, these->count, sizeof *of->behaviour, by_number))
            return false;
    return true;
}

static void expect_same(const char *what, struct record *expected, struct record *found)
{
    uint32_t n = distinct(expected->behaviour, expected->count), m = distinct(found->behaviour, found->count);
    if (n != m || !has_all(found, expected))
        fail_msg("program %llu: %u stories in %u runs, of %u in %u of %s", (unsigned long long)seed, m, found->count, n,
                 expected->count, what);
}

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
        EXPLORE_TEST(what_a_revisit_can_delete_is_not_left_out),
        EXPLORE_TEST(optimal_loses_no_story),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
