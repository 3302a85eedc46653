/* rh_receive_set: which sets there are, each taken once, in an order that does not depend on the run; dpor finds all
 * that dfs finds.
 *
 * In the environment: REHEARSE_PROGRAM='seed=... set', REHEARSE_FIRST, REHEARSE_PROGRAMS as in explore/optimal.c. */
#include "explore/support/oracle.h"

#ifdef RH_TEST_FEW
enum { PROGRAMS = 60, LARGEST = 3000 };
#else
enum { PROGRAMS = 300, LARGEST = 4000 };
#endif

/* ---- what a collector took --------------------------------------------------------------------------------------- */

/* `voters` send `each` votes; a collector takes sets of `quorum` as long as there are enough votes for one.  With
 * `relay`, a voter sends only when the one before it has. */
RH_MESSAGE(ballot, int voter, number;);
RH_MESSAGE(your_turn);
RH_PROCESS(voter, int me, each; rh_ref to, next;);
RH_BODY(voter)
{
    if (state->me && rh_param("relay", 0))
        rh_receive(your_turn);
    for (int i = 0; i < state->each; i++)
        rh_send(state->to, ballot, .voter = state->me, .number = i);
    if (rh_param("relay", 0) && !rh_is_nobody(state->next))
        rh_send(state->next, your_turn);
}

RH_PROCESS(collector, int votes;);
RH_BODY(collector)
{
    int quorum = (int)rh_param("quorum", 2);
    for (int left = state->votes; left >= quorum; left -= quorum) {
        char text[256];
        size_t n = 0;
        const struct rh_envelope *e = rh_receive_set(quorum, ballot);
        for (int i = 0; i < quorum; i++) { /* the last voter was spawned first, so it has the first name */
            const struct ballot *b = rh_as(&e[i], ballot), *before = i ? rh_as(&e[i - 1], ballot) : NULL;
            rh_assert(!before || before->voter > b->voter || (before->voter == b->voter && before->number <= b->number),
                      "the order of a set is by sender");
        }
        for (int voter = 0, i; n < sizeof text && voter < 8; voter++)
            for (i = 0; i < quorum; i++)
                if (rh_as(&e[i], ballot)->voter == voter)
                    n += (size_t)snprintf(text + n, sizeof text - n, " %d.%d", voter, rh_as(&e[i], ballot)->number);
        rh_log("%s", text);
    }
}

RH_TEST(ballots)
{
    int voters = (int)rh_param("voters", 3), each = (int)rh_param("each", 1);
    rh_ref c = rh_spawn(collector, .votes = voters * each), next = rh_nobody();
    for (int i = voters; i-- > 0;)
        next = rh_spawn(voter, .me = i, .each = each, .to = c, .next = next);
}

/* ---- the runs ---------------------------------------------------------------------------------------------------- */

enum { MOST_TEXTS = 1 << 14, TEXT = 160 };
struct texts {
    uint32_t count;
    char list[MOST_TEXTS][TEXT];
};
static struct texts *texts; /* shared memory: what the runs of an exploration have logged, sorted, each once */

static void sets_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    char *text = texts->list[texts->count];
    size_t n = 0;
    for (uint32_t i = 0; i < rh_world_log_count(w) && n < TEXT; i++)
        if (rh_world_log_line(w, i).text[0] == ' ') /* the others are about dead letters */
            n += (size_t)snprintf(text + n, TEXT - n, "{%s }", rh_world_log_line(w, i).text);
    if (run->outcome != RH_OUTCOME_FINISHED)
        snprintf(text + n, TEXT - n, "%s", rh_outcome_name(run->outcome));
    if (texts->count < MOST_TEXTS - 1)
        texts->count++;
    rh_inner_end(&s->inner, w, run);
}
SPY(sets, "notes the sets that were taken", sets_end)

static uint32_t settle(struct texts *t)
{
    uint32_t n = 0;
    qsort(t->list, t->count, sizeof *t->list, by_text);
    for (uint32_t i = 0; i < t->count; i++)
        if (!n || strcmp(t->list[n - 1], t->list[i]) != 0)
            memmove(t->list[n++], t->list[i], TEXT);
    return t->count = n;
}

struct election {
    uint32_t voters, each, quorum;
    bool relay;
    enum rh_model model;
    enum rh_granularity grain;
};

/* The number of runs; what was taken is in `texts`. */
static uint64_t explore(const struct election *e, const char *explorer)
{
    char numbers[4][16], name[64];
    const struct rh_param params[] = {
        { "voters", numbers[0] }, { "each", numbers[1] }, { "quorum", numbers[2] }, { "relay", numbers[3] }
    };
    struct rh_semantics s = { .model = e->model, .granularity = e->grain };
    snprintf(numbers[0], 16, "%u", e->voters);
    snprintf(numbers[1], 16, "%u", e->each);
    snprintf(numbers[2], 16, "%u", e->quorum);
    snprintf(numbers[3], 16, "%u", (unsigned)e->relay);
    snprintf(name, sizeof name, "sets:%s", explorer);
    struct rh_world *w = world_of("ballots", &s, params, 4);
    texts->count = 0;
    struct rh_exploration *x = explored(w, name, 1, MOST_TEXTS);
    uint64_t runs = x->results->count.runs;
    if (!x->end.exhausted || rh__exploration_verdict(x) != RH_VERDICT_EXHAUSTIVE)
        runs = 0;
    rh__exploration_free(x);
    rh_world_free(w);
    settle(texts);
    return runs;
}

/* ---- by hand: all sequences of sets ------------------------------------------------------------------------------ */

/* `taken` has a bit for each vote, voter by voter.  Without a queue, votes of one voter come in any order. */
static bool may_take(const struct election *e, uint32_t before, uint32_t set)
{
    for (uint32_t i = 0; i < e->voters * e->each; i++) {
        bool in_order = e->model != RH_BAG && i % e->each;
        bool after_others = e->model != RH_BAG && e->relay && e->model != RH_FIFO && i >= e->each && i % e->each == 0;
        if ((set >> i & 1) && (in_order || after_others) && !((before | set) >> (i - 1) & 1))
            return false; /* a vote before it is left out */
    }
    return true;
}

static void enumerate(const struct election *e, uint32_t taken, const char *text, struct texts *to)
{
    uint32_t votes = e->voters * e->each, all = (1u << votes) - 1;
    if (votes - (uint32_t)__builtin_popcount(taken) < e->quorum) {
        snprintf(to->list[to->count++], TEXT, "%s", text);
        return;
    }
    for (uint32_t set = 1; set <= all; set++) {
        char more[TEXT];
        if (set & taken || (uint32_t)__builtin_popcount(set) != e->quorum || !may_take(e, taken, set))
            continue;
        size_t n = (size_t)snprintf(more, sizeof more, "%s{", text);
        for (uint32_t i = 0; i < votes; i++)
            if (set >> i & 1)
                n += (size_t)snprintf(more + n, sizeof more - n, " %u.%u", i / e->each, i % e->each);
        snprintf(more + n, sizeof more - n, " }");
        enumerate(e, taken | set, more, to);
    }
}

static void compare_texts(const struct election *e, const char *explorer, const struct texts *want)
{
    for (uint32_t i = 0; i < want->count || i < texts->count; i++)
        if (i >= want->count || i >= texts->count || strcmp(want->list[i], texts->list[i]) != 0)
            fail_msg(
                "%s, model %d, %u voters with %u votes, sets of %u%s: %u sequences of sets, not %u; number %u is %s, "
                "not %s",
                explorer, e->model, e->voters, e->each, e->quorum, e->relay ? ", relayed" : "", texts->count,
                want->count, i, i < texts->count ? texts->list[i] : "missing",
                i < want->count ? want->list[i] : "missing");
}

static void each_sequence_of_sets_is_taken(void **unused)
{
    (void)unused;
    static const struct election elections[] = {
        { 3, 1, 2, false, RH_FIFO, RH_GRAIN_HANDLER }, { 4, 1, 2, false, RH_FIFO, RH_GRAIN_HANDLER },
        { 2, 2, 2, false, RH_FIFO, RH_GRAIN_HANDLER }, { 2, 3, 3, false, RH_FIFO, RH_GRAIN_HANDLER },
        { 3, 2, 4, false, RH_FIFO, RH_GRAIN_HANDLER }, { 3, 1, 3, false, RH_FIFO, RH_GRAIN_HANDLER },
        { 3, 1, 1, false, RH_FIFO, RH_GRAIN_HANDLER }, { 3, 1, 2, true, RH_FIFO, RH_GRAIN_HANDLER },
    };
    struct texts *want = rh_shared_new(sizeof *want);
    assert_non_null(want);
    for (size_t i = 0; i < sizeof elections / sizeof *elections; i++)
        for (int model = RH_FIFO; model <= RH_MAILBOX; model++)
            for (int grain = 0; grain < 2; grain++) {
                struct election e = elections[i];
                e.model = (enum rh_model)model;
                e.grain = grain ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
                if (model == RH_MAILBOX && !grain && e.each > 1)
                    continue; /* a voter sends all its votes in one step */
                want->count = 0;
                enumerate(&e, 0, "", want);
                settle(want);
                static const char *const explorers[] = { "dfs", "dpor", "optimal" };
                for (int k = 0; k < (grain ? 3 : 2); k++) {
                    uint64_t runs = explore(&e, explorers[k]);
                    if (!runs && k == 0)
                        continue; /* too many for dfs */
                    if (!runs)
                        fail_msg("%s does not come to an end", explorers[k]);
                    compare_texts(&e, explorers[k], want);
                    if (k == 2)
                        assert_int_equal(runs, want->count);
                }
            }
    rh_shared_free(want, sizeof *want);
}

/* n voters, a quorum of k: as many runs as there are sets, n over k.  Votes one by one are n! / (n - k)! runs. */
static void reductions_make_a_run_for_each_set(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t n, k;
        uint64_t runs;
    } rows[] = { { 3, 2, 3 }, { 4, 2, 6 }, { 5, 3, 10 }, { 6, 6, 1 }, { 7, 4, 35 }, { 9, 5, 126 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int model = RH_FIFO; model <= RH_MAILBOX; model++) {
            uint32_t left = rows[i].n - rows[i].k; /* the collector takes one set only if there is no second one */
            if (left >= rows[i].k)
                continue;
            struct election e = { rows[i].n, 1, rows[i].k, false, (enum rh_model)model, RH_GRAIN_OBJECT };
            for (int k = 0; k < 2; k++) {
                if (!k && model == RH_MAILBOX)
                    continue; /* dpor tells the orders in a mailbox apart */
                assert_int_equal(explore(&e, k ? "optimal" : "dpor"), rows[i].runs);
                assert_int_equal(texts->count, rows[i].runs);
            }
        }
}

/* Under mailbox the order of a set is that of the mailbox; nobody can tell it: not by the number of distinct runs, and
 * not by a clock. */
RH_PROCESS(slow_voter, int ticks; rh_ref to;);
RH_BODY(slow_voter)
{
    for (int i = 0; i < state->ticks; i++) {
        rh_send(self, your_turn);
        rh_receive(your_turn);
    }
    rh_send(state->to, ballot, .voter = state->ticks);
}
RH_PROCESS(clock_watcher);
RH_BODY(clock_watcher)
{
    rh_receive_set(3, ballot);
    rh_log(" %d", (int)rh_now_ms());
}
RH_TEST(slow_ballots)
{
    rh_ref c = rh_spawn(clock_watcher);
    for (int i = 0; i < 3; i++)
        rh_spawn(slow_voter, .ticks = i * 2, .to = c);
}

static void nobody_can_tell_the_order_of_a_set(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .model = RH_MAILBOX, .granularity = RH_GRAIN_HANDLER, .time = RH_TIME_LOGICAL };
    struct rh_world *w = world_of("slow_ballots", &s, NULL, 0);
    texts->count = 0;
    struct rh_exploration *x = explored(w, "sets:dfs", 1, 10000);
    assert_in_range(x->results->count.runs, 6, 10000); /* at least the orders of three votes */
    assert_int_equal(x->results->distinct.count, 1);
    assert_int_equal(settle(texts), 1);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* A message of a set can be lost or doubled, also one behind others in its queue. */
static void each_message_of_a_set_may_fail(void **unused)
{
    (void)unused;
    static const struct {
        const char *voters, *each;
        uint32_t losses, duplicates;
        uint64_t distinct;
    } rows[] = {
        { "2", "1", 1, 0, 3 }, /* both are taken; the first is lost; the second is lost */
        { "1", "2", 1, 0, 3 },
        { "3", "1", 1, 0, 6 }, /* three sets with nothing lost, three with the third vote lost */
        { "2", "1", 0, 1, 5 }, /* a b; a a' or a b with a doubled; b b' or a b with b doubled */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 6; k++) {
            const struct rh_param params[] = { { "voters", rows[i].voters }, { "each", rows[i].each } };
            struct rh_semantics s = { .losses = rows[i].losses,
                                      .duplicates = rows[i].duplicates,
                                      .granularity = k & 1 ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER };
            struct rh_world *w = world_of("ballots", &s, params, 2);
            const char *explorer = k < 2 ? "dfs" : k < 4 ? "dpor" : "optimal";
            if (k == 4) { /* it needs granularity object */
                rh_world_free(w);
                continue;
            }
            struct rh_exploration *x = explored(w, explorer, 1, 100000);
            if (k == 5)
                assert_int_equal(x->results->count.runs, rows[i].distinct);
            bool all = x->end.exhausted || k < 2; /* dfs may have too many; all distinct runs are there all the same */
            if (!all || x->results->distinct.count != rows[i].distinct)
                fail_msg("%s x %s votes, %u lost, %u doubled, %s, %s: %llu distinct runs, not %llu", rows[i].voters,
                         rows[i].each, rows[i].losses, rows[i].duplicates, k & 1 ? "object" : "handler", explorer,
                         (unsigned long long)x->results->distinct.count, (unsigned long long)rows[i].distinct);
            rh__exploration_free(x);
            rh_world_free(w);
        }
}

/* ---- against all runs -------------------------------------------------------------------------------------------- */

static void make(struct features *p, uint64_t seed)
{
    features_make(p, seed);
    features_with_sets(p);
    if (seed % 5 == 1)
        p->grain = RH_GRAIN_HANDLER;
    if (seed % 5 == 2 && p->model == RH_MAILBOX)
        p->grain = RH_GRAIN_SEND;
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void dpor_finds_what_dfs_finds(void **unused)
{
    (void)unused;
    uint64_t first = number_from("REHEARSE_FIRST", 0), count = number_from("REHEARSE_PROGRAMS", PROGRAMS);
    uint32_t compared = 0, wrong = 0, per_model[4] = { 0 };
    uint64_t runs = 0, reduced = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct features p;
        struct difference d;
        make(&p, seed);
        do
            differ_with_dpor(&d, &p, LARGEST);
        while (d.too_large && features_shrink(&p));
        if (d.too_large)
            continue;
        compared++;
        per_model[p.model]++;
        runs += d.all_runs;
        reduced += d.runs;
        /* With other granularities actors share more than is counted. */
        if (d.count[D_DPOR] + (p.grain ? 0 : d.count[D_SPLIT]) && ++wrong <= 3)
            tell(&p, &d), tell_runs(&p, &d);
    }
    print_message("%u programs compared: %llu runs by dfs, %llu by dpor\n", compared, (unsigned long long)runs,
                  (unsigned long long)reduced);
    assert_int_equal(wrong, 0);
    if (count == PROGRAMS)
        for (int i = 0; i < 4; i++)
            assert_in_range(per_model[i], PROGRAMS / 8, PROGRAMS);
}

static void only_this_program(const char *text)
{
    struct features p;
    struct difference d;
    if (!features_read(&p, text))
        fail_msg("%s is no program", text);
    differ_with_dpor(&d, &p, 1 << 17);
    tell(&p, &d);
    tell_runs(&p, &d);
    exit(d.any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(each_sequence_of_sets_is_taken),     EXPLORE_TEST(reductions_make_a_run_for_each_set),
        EXPLORE_TEST(nobody_can_tell_the_order_of_a_set), EXPLORE_TEST(each_message_of_a_set_may_fail),
        EXPLORE_TEST(dpor_finds_what_dfs_finds),
    };
    texts = rh_shared_new(sizeof *texts);
    if (getenv("REHEARSE_PROGRAM"))
        only_this_program(getenv("REHEARSE_PROGRAM"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
