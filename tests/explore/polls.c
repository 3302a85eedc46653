/* A wait ends in vain only if nothing is there that it waits for, as far as the actor can know.  Judged by definitions
 * that share nothing with the world:
 *
 *   causal    when m2 was taken, and m1 was sent to the same receiver before m2 was, then m1 has come
 *   mailbox   a message is there when it has been sent
 *
 * and for mailbox by brute force: waits that never end in vain while something is there, in all orders, have the same
 * outcomes. */
#include "explore/support/histories.h"

#include "world/network.h"
#include "world/objects.h"

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

RH_MESSAGE_IGNORED(val);
RH_MESSAGE_IGNORED(done);
RH_TABLE(board);

static bool is_there(int64_t timeout_ms)
{
    return rh_receive(val, .timeout_ms = timeout_ms) != NULL;
}

/* What one has sent to oneself. */
RH_PROCESS(alone, int64_t timeout_ms;);
RH_BODY(alone)
{
    rh_send(rh_self(), val);
    rh_assert(is_there(state->timeout_ms), "my own message is not there");
}
RH_TEST(to_oneself)
{
    rh_spawn(alone, .timeout_ms = rh_choose(2) ? RH_POLL : 5);
}

/* done comes from one who was told by the one who had sent val. */
RH_PROCESS(poller, int64_t timeout_ms; bool reads;);
RH_BODY(poller)
{
    char c;
    if (!state->reads)
        rh_receive(done);
    else if (rh_table_get(board, "sent", &c, 1) < 0)
        return;
    rh_assert(is_there(state->timeout_ms), "val comes after what tells of it");
}
RH_PROCESS(teller, rh_ref to;);
RH_BODY(teller)
{
    rh_receive(val);
    rh_send(state->to, done);
}
RH_PROCESS(sender, rh_ref to; rh_ref next; bool writes;);
RH_BODY(sender)
{
    rh_send(state->to, val);
    if (state->writes)
        rh_table_put(board, "sent", "1", 1);
    else
        rh_send(state->next, val);
}
RH_TEST(through_another)
{
    rh_ref p = rh_spawn(poller, .timeout_ms = rh_choose(2) ? RH_POLL : 5), t = rh_spawn(teller, .to = p);
    rh_spawn(sender, .to = p, .next = t);
}
RH_TEST(through_a_table)
{
    rh_ref p = rh_spawn(poller, .timeout_ms = rh_choose(2) ? RH_POLL : 5, .reads = true);
    rh_spawn(sender, .to = p, .writes = true);
}

static void finds(const char *test, enum rh_model model, enum rh_granularity granularity, const char *explorer,
                  bool all)
{
    for (int time = RH_TIME_FREE; time <= RH_TIME_ORDERED; time++) {
        struct rh_semantics s = { .model = model, .granularity = granularity, .time = (enum rh_time)time };
        s.pauses = strcmp(explorer, "optimal") == 0;
        struct rh_world *w = world_of(test, &s, NULL, 0);
        struct rh_exploration *x = explored(w, explorer, 1, 0);
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
        if (all != (x->results->count.failed == 0))
            fail_msg("%s, model %d, granularity %d, time %d, %s: %llu of %llu runs fail", test, model, granularity,
                     time, explorer, (unsigned long long)x->results->count.failed,
                     (unsigned long long)x->results->count.runs);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

static void what_is_known_to_have_come_is_found(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "dfs", "dpor", "optimal" };
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++)
        for (int model = RH_FIFO; model <= RH_MAILBOX; model++)
            for (int g = RH_GRAIN_HANDLER; g <= RH_GRAIN_OBJECT; g += RH_GRAIN_OBJECT - RH_GRAIN_HANDLER) {
                enum rh_granularity grain = (enum rh_granularity)g;
                if (grain == RH_GRAIN_HANDLER && strcmp(explorers[i], "optimal") == 0)
                    continue;
                bool ordered = model == RH_CAUSAL || model == RH_MAILBOX;
                finds("to_oneself", (enum rh_model)model, grain, explorers[i], true);
                finds("through_another", (enum rh_model)model, grain, explorers[i], ordered);
                finds("through_a_table", (enum rh_model)model, grain, explorers[i], model == RH_MAILBOX);
            }
}

/* ---- judged by definition ---------------------------------------------------------------------------------------- */

enum { EVENTS = 320, WORDS = EVENTS / 64 }; /* and as many messages */

/* Of each event: the messages whose sends came before it, as far as messages tell. */
struct past {
    uint64_t sends[EVENTS][WORDS];
};

static bool is_before(const struct past *p, uint32_t message, uint32_t event)
{
    return p->sends[event][message / 64] >> message % 64 & 1;
}

static void add_sends(struct past *p, uint32_t event, uint32_t from, uint32_t to)
{
    for (uint32_t m = from; m < to; m++)
        p->sends[event][m / 64] |= (uint64_t)1 << m % 64;
}

static void add_past(struct past *p, uint32_t event, uint32_t of)
{
    for (int i = 0; i < WORDS; i++)
        p->sends[event][i] |= p->sends[of][i];
}

/* With what it sent itself. */
static void add_whole(const struct rh_world *w, struct past *p, uint32_t event, uint32_t of)
{
    add_past(p, event, of);
    add_sends(p, event, w->events[of].first_message, w->events[of + 1].first_message);
}

static void find_pasts(const struct rh_world *w, struct past *p)
{
    memset(p, 0, sizeof *p);
    for (uint32_t e = 1; e < w->event_count; e++) {
        const struct rh_choice *c = &w->events[e].choice;
        if (c->kind == RH_CHOICE_DELIVER) {
            const struct world_message *m = &w->messages[c->what];
            add_past(p, e, m->event);
            add_sends(p, e, w->events[m->event].first_message, c->what + 1);
        }
        for (uint32_t i = 0; i < e; i++)
            if (w->events[i].choice.actor == c->actor)
                add_whole(w, p, e, i);
    }
}

static bool sent_before(const struct rh_world *w, const struct past *p, uint32_t one, uint32_t other)
{
    uint32_t event = w->messages[other].event;
    return w->messages[one].event == event ? one < other : is_before(p, one, event);
}

static bool was_taken_by(const struct rh_world *w, uint32_t message, uint32_t actor)
{
    uint32_t by = w->messages[message].taken_by;
    return by != RH_NONE && w->events[by].choice.kind == RH_CHOICE_DELIVER && w->events[by].choice.what == message &&
           w->events[by].choice.actor == actor;
}

/* Must it have come, as far as its receiver can know? */
static bool must_have_come(const struct rh_world *w, const struct past *p, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    enum rh_model model = w->semantics.model;
    if (m->sender == m->receiver || model == RH_MAILBOX)
        return true;
    for (uint32_t y = 0; y < w->message_count && model != RH_BAG; y++)
        if (was_taken_by(w, y, m->receiver) && sent_before(w, p, message, y) &&
            (model != RH_FIFO || w->messages[y].sender == m->sender))
            return true;
    return false;
}

static uint64_t *judged; /* in shared memory: how many waits could end, how many could not */

static uint32_t judging_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    static struct past past;
    bool found = false;
    bool choosing = w->chooser != RH_NONE; /* then nobody else moves */
    for (uint32_t i = 0; i < w->actor_count && !choosing; i++) {
        const struct world_actor *a = &w->actors[i];
        if (a->status != STATUS_WAITING || a->wake == RH_NONE)
            continue;
        if (!found)
            find_pasts(w, &past);
        found = true;
        bool may_end = false, must_take = false;
        for (uint32_t k = 0; k < count; k++)
            may_end |= open[k].kind == RH_CHOICE_TIMER && open[k].actor == i && open[k].what == a->wake;
        for (uint32_t k = 0; k < count; k++)
            must_take |=
                open[k].kind == RH_CHOICE_DELIVER && open[k].actor == i && must_have_come(w, &past, open[k].what);
        judged[must_take]++;
        if (may_end == must_take) {
            char text[2048];
            features_write(&program, text, sizeof text);
            fprintf(stderr, "%s\ngranularity %d: a wait may%s end in vain at event %u\n", text,
                    w->semantics.granularity, may_end ? "" : " not", w->event_count);
            abort();
        }
    }
    return rh_inner_choose(&((struct spy *)state)->inner, w, open, count);
}

static const struct rh_explorer judging = {
    .name = "judging",
    .summary = "looks at the waits in the runs that another explorer makes",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .choose = judging_choose,
};
RH_EXPLORER(judging)

/* A program of waits, messages and shared objects: nothing that the world itself tells, and nobody who speaks for
 * others. */
static void make_waits(uint64_t seed, enum rh_model model)
{
    static const enum feature some[] = { F_FAN,   F_REPLY, F_FORWARD, F_SPAWN,   F_CHOOSE,   F_ASK,  F_WITHIN,
                                         F_NAME,  F_ALIVE, F_TABLE,   F_ORDERED, F_ANNOUNCE, F_TYPE, F_FROM,
                                         F_MATCH, F_TEST,  F_BODY,    F_START,   F_BECOME };
    uint64_t random = scrambled(seed, 33);
    program = (struct features){ .seed = seed, .model = model, .walkers = 2, .actors = 1, .starts = 2, .ttl = 2 };
    program.has =
        (uint64_t)1 << F_WALKER | (uint64_t)1 << F_RECEIVE | (uint64_t)1 << (below(&random, 2) ? F_POLL : F_TIMEOUT);
    for (int n = 0; n < 3; n++)
        program.has |= (uint64_t)1 << some[below(&random, sizeof some / sizeof *some)];
}

static void waits_end_in_vain_by_definition(void **unused)
{
    (void)unused;
#ifdef RH_TEST_FEW
    enum { SEEDS = 60 };
#else
    enum { SEEDS = 400 };
#endif
    judged = rh_shared_new(2 * sizeof *judged);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int g = RH_GRAIN_HANDLER; g <= RH_GRAIN_OBJECT; g += RH_GRAIN_OBJECT - RH_GRAIN_HANDLER) {
            make_waits(seed, (enum rh_model)(seed % 4));
            struct rh_semantics s = features_semantics(&program);
            s.granularity = (enum rh_granularity)g;
            s.max_steps = EVENTS - 2;
            struct rh_world *w = world_of("features", &s, NULL, 0);
            rh__exploration_free(explored(w, "judging:random", seed + 1, 20)); /* it is wrong where the judge aborts */
            rh_world_free(w);
        }
    print_message("%llu waits could end in vain, %llu could not\n", (unsigned long long)judged[0],
                  (unsigned long long)judged[1]);
    assert_in_range(judged[0], 10 * SEEDS, UINT64_MAX / 2);
    assert_in_range(judged[1], SEEDS, UINT64_MAX / 2);
    rh_shared_free(judged, 2 * sizeof *judged);
}

/* ---- by brute force ---------------------------------------------------------------------------------------------- */

/* Under mailbox a wait does not end while something is there. */
static bool would_end_too_early(const struct rh_choice *open, uint32_t count, const struct rh_choice *c)
{
    for (uint32_t i = 0; i < count && c->kind == RH_CHOICE_TIMER && !c->arg; i++)
        if (open[i].kind == RH_CHOICE_DELIVER && open[i].actor == c->actor)
            return true;
    return false;
}

enum { STRICT_RUNS = 6000 };

static void strict_drive(struct rh_world *w, void *arg)
{
    static uint32_t pick[EVENTS], size[EVENTS];
    uint32_t top = 0, runs = 0;
    bool *all = arg;
    do {
        uint32_t open, d = 0;
        const struct rh_choice *choices;
        rh_world_reset(w);
        for (; (choices = rh_world_enabled(w, &open)), open; d++) {
            uint32_t kept[256], n = 0;
            for (uint32_t i = 0; i < open; i++)
                if (!would_end_too_early(choices, open, &choices[i]))
                    kept[n++] = i;
            if (d == top) {
                pick[d] = 0;
                size[d] = n;
                top++;
            }
            rh_world_step(w, &choices[kept[pick[d]]]);
        }
        add_history(w, rh_world_outcome(w)->kind);
        while (top && pick[top - 1] + 1 == size[top - 1])
            top--;
        if (top)
            pick[top - 1]++;
    } while (top && ++runs < STRICT_RUNS);
    *all = !top;
}

static void strict_waits_have_the_same_outcomes(void **unused)
{
    (void)unused;
#ifdef RH_TEST_FEW
    enum { SEEDS = 40 };
#else
    enum { SEEDS = 300 };
#endif
    struct ends *some = rh_shared_new(sizeof *some), *strict = rh_shared_new(sizeof *strict);
    bool *all = rh_shared_new(sizeof *all);
    uint32_t compared = 0, vain = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        make_waits(1000 + seed, RH_MAILBOX);
        program.starts = 1 + seed % 2;
        program.ttl = 1 + seed / 2 % 2;
        struct rh_semantics s = features_semantics(&program);
        s.max_steps = EVENTS - 2;
        if (!note_ends(some, "features", &s))
            continue;
        struct rh_world *w = world_of("features", &s, NULL, 0);
        ends = strict;
        ends->count = 0;
        assert_int_equal(rh_sandbox_run(w, strict_drive, all), RH_SANDBOX_DONE);
        rh_world_free(w);
        settle_ends();
        if (!*all)
            continue;
        compared++;
        vain += some->count > 1;
        if (!same_ends(some, strict)) {
            char text[2048];
            features_write(&program, text, sizeof text);
            fail_msg("%u outcomes with optimal, %u by brute force with strict waits: %s", some->count, strict->count,
                     text);
        }
    }
    print_message("%u programs compared, %u with several outcomes\n", compared, vain);
    assert_in_range(compared, SEEDS / 4, SEEDS);
    assert_in_range(vain, SEEDS / 8, SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(what_is_known_to_have_come_is_found),
        EXPLORE_TEST(waits_end_in_vain_by_definition),
        EXPLORE_TEST(strict_waits_have_the_same_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
