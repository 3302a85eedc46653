/* The visited set against a plain one; and an explorer that prunes with it (support/seen.h), and filters, against
 * dfs. */
#include "explore/support/runs.h"

#include "explore/support/seen.h"
#include "support/few.h"

#include <rehearse/visited.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"

/* ---- a program whose states merge -------------------------------------------------------------------------------- */

RH_MESSAGE(drop, int by;);
RH_ACTOR(pot, int count, value;);
RH_HANDLER(pot, drop)
{
    state->count++;
    state->value = (state->value * 3 + msg->by) % 7;
    rh_assert(state->count < 5 || state->value != 2, "two");
}
RH_BEHAVIOUR(pot, open, drop);

RH_TEST(pots)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    rh_ref p = rh_spawn(pot);
    for (int i = 0; i < 5; i++)
        rh_send_from(rh_external(names[i]), p, drop, .by = i);
}

/* ---- the set ----------------------------------------------------------------------------------------------------- */

static struct rh_exploration *exploration(struct rh_world *w)
{
    char error[256];
    struct rh__limits limits = { .max_runs = 1 };
    struct rh_exploration *x = rh__exploration_new(w, "dfs", 1, &limits, error, sizeof error);
    assert_non_null(x);
    return x;
}

static struct rh_fingerprint nth(uint64_t i, uint32_t bits)
{
    uint64_t r = i * 0x9e3779b97f4a7c15u;
    struct rh_fingerprint f = { rh__random_next(&r), 0 };
    f.low = bits > 64 ? i : 0;
    return f;
}

static void the_set_is_a_set(void **unused)
{
    (void)unused;
    enum { MOST = 50000 };
    struct rh_world *w = world_of("pots", NULL, NULL, 0);
    for (uint32_t bits = 64; bits <= 128; bits += 64) {
        static bool plain[MOST];
        struct rh_exploration *x = exploration(w);
        struct rh_visited *v = rh_exploration_visited(x, &(struct rh_visited_options){ .bits = bits });
        uint64_t random = bits, states = 0, hits = 0;
        assert_non_null(v);
        for (int round = 0; round < 2; round++) {
            memset(plain, 0, sizeof plain);
            states = hits = 0;
            for (uint32_t i = 0; i < 4 * MOST; i++) {
                uint32_t k = rh__random_below(&random, MOST);
                assert_true(rh_visited_has(v, nth(k, bits)) == plain[k]);
                assert_true((rh_visited_add(v, nth(k, bits)) == RH_VISITED_BEFORE) == plain[k]);
                hits += plain[k];
                states += !plain[k];
                plain[k] = true;
            }
            struct rh_visited_counts c = rh_visited_count(v);
            assert_int_equal(c.states, states);
            assert_int_equal(c.hits, hits);
            assert_int_equal(c.replaced, 0);
            assert_true(c.load > 0.79 && c.load <= 0.9 && c.bytes_per_state <= (bits > 64 ? 16 : 10) &&
                        c.missed < 1e-6);
            rh_visited_clear(v);
            assert_int_equal(rh_visited_count(v).states, 0);
            assert_false(rh_visited_has(v, nth(1, bits)));
        }
        rh__exploration_free(x);
    }
    rh_world_free(w);
}

/* A set is nearly full at every size. */
static void a_state_takes_at_most_16_bytes(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("pots", NULL, NULL, 0);
    struct rh_exploration *x = exploration(w);
    struct rh_visited *v = rh_exploration_visited(x, &(struct rh_visited_options){ 0 });
    double most = 0;
    for (uint32_t i = 1; i <= MANY_OR_FEW(300000, 30000); i++) {
        rh_visited_add(v, nth(i, 128));
        double bytes = i >= 300 && (i < 3000 || i % 100 == 0) ? rh_visited_count(v).bytes_per_state : 0;
        most = bytes > most ? bytes : most;
    }
    print_message("at most %.2f bytes a state, at the end %.2f\n", most, rh_visited_count(v).bytes_per_state);
    assert_true(most > 14 && most <= 16);
    assert_int_equal(rh_visited_count(v).replaced, 0);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* A full set forgets, but invents nothing. */
static void a_full_set_replaces(void **unused)
{
    (void)unused;
    enum { BYTES = 1 << 17, MANY = 100000 };
    struct rh_world *w = world_of("pots", NULL, NULL, 0);
    struct rh_exploration *x = exploration(w);
    struct rh_visited *v = rh_exploration_visited(x, &(struct rh_visited_options){ .memory_bytes = BYTES });
    uint32_t kept = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(rh_visited_add(v, nth(i, 64)), RH_VISITED_FIRST);
        assert_true(rh_visited_has(v, nth(i, 64)));
    }
    for (uint32_t i = 0; i < MANY; i++)
        kept += rh_visited_has(v, nth(i, 64));
    struct rh_visited_counts c = rh_visited_count(v);
    assert_true(c.bytes <= BYTES && c.replaced > 0);
    assert_int_equal(kept, MANY - c.replaced);
    assert_true(kept > BYTES / 16 * 9 / 10);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void bit_state_misses_as_often_as_it_says(void **unused)
{
    (void)unused;
    enum { STATES = 40000 };
    struct rh_world *w = world_of("pots", NULL, NULL, 0);
    struct rh_exploration *x = exploration(w);
    struct rh_visited *v =
        rh_exploration_visited(x, &(struct rh_visited_options){ .memory_bytes = 1 << 15, .bit_state = true });
    uint32_t missed = 0, wrong = 0;
    for (uint32_t i = 0; i < STATES; i++)
        missed += rh_visited_add(v, nth(i, 64)) == RH_VISITED_BEFORE;
    for (uint32_t i = 0; i < STATES; i++) {
        assert_true(rh_visited_has(v, nth(i, 64)));
        wrong += rh_visited_has(v, nth(STATES + i, 64));
    }
    struct rh_visited_counts c = rh_visited_count(v);
    double rate = c.load * c.load * c.load;
    assert_true(missed > 0 && c.missed > 0.99);
    if (wrong < 0.8 * rate * STATES || wrong > 1.2 * rate * STATES)
        fail_msg("%u of %u, expected a rate of %g", wrong, STATES, rate);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* Each fingerprint is first for exactly one process; one that is killed in between holds nobody up. */
static void processes_add_at_the_same_time(void **unused)
{
    (void)unused;
    enum { PROCESSES = 4, MANY = 30000 };
    struct rh_world *w = world_of("pots", NULL, NULL, 0);
    struct rh_exploration *x = exploration(w);
    struct rh_visited *v = rh_exploration_visited(x, &(struct rh_visited_options){ .bits = 128 });
    uint64_t *first = rh_shared_new(PROCESSES * sizeof *first);
    pid_t pid[PROCESSES], killed = fork();
    if (killed == 0)
        for (uint64_t i = 0;; i++)
            rh_visited_add(v, nth(1000000 + i % MANY, 128));
    for (int p = 0; p < PROCESSES; p++)
        if ((pid[p] = fork()) == 0) {
            for (uint32_t i = 0; i < MANY; i++)
                first[p] += rh_visited_add(v, nth((i + (uint32_t)p * 7919) % MANY, 128)) == RH_VISITED_FIRST;
            _exit(0);
        }
    usleep(20000);
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);
    uint64_t sum = 0;
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        waitpid(pid[p], &status, 0);
        assert_int_equal(status, 0);
        sum += first[p];
    }
    assert_int_equal(sum, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(rh_visited_has(v, nth(i, 128)));
    rh_shared_free(first, PROCESSES * sizeof *first);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- pruning ----------------------------------------------------------------------------------------------------- */

/* ends(EXPLORER): which final states there are, as bits. */
static uint64_t *finals;
static void finals_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    for (uint32_t i = 0; i < rh_world_actor_count(w) && !run->pruned; i++)
        if (rh_world_actor_type(w, i) == &rh_actor_pot)
            *finals |= (uint64_t)1 << ((const struct pot *)rh_world_actor_state(w, i))->value;
    rh_inner_end(state, w, run);
}
SPY(ends_of, "notes final states", finals_end)

static struct rh_exploration *run(struct rh_world *w, const char *explorer, uint64_t *ends)
{
    finals = rh_shared_new(sizeof *finals);
    struct rh_exploration *x = explored(w, explorer, 1, 0);
    *ends = *finals;
    rh_shared_free(finals, sizeof *finals);
    return x;
}

static void pruning_loses_no_final_state_and_no_finding(void **unused)
{
    (void)unused;
    static const char *const around[] = { "ends_of(seen(dfs))",
                                          "ends_of(portfolio(seen(dfs)))",
                                          "ends_of(portfolio(roundrobin, seen(dfs)))",
                                          "ends_of(bound(50, seen(dfs)))",
                                          "ends_of(seen(bound(50, dfs)))",
                                          "ends_of(symmetry(seen(dfs)))" };
    struct rh_world *w = world_of("pots", NULL, NULL, 0);
    uint64_t all, some;
    struct rh_exploration *x = run(w, "ends_of(dfs)", &all);
    uint64_t runs = x->results->count.runs;
    assert_int_equal(runs, 120);
    assert_int_equal(x->results->finding_count, 1);
    rh__exploration_free(x);
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        x = run(w, around[i], &some);
        const struct rh__counts *c = &x->results->count;
        if (some != all || x->results->finding_count != 1 || !c->pruned || c->cut || c->runs >= runs ||
            rh__exploration_verdict(x) != RH_VERDICT_EXHAUSTIVE)
            fail_msg("%s: %llu runs, %llu pruned, %llu cut, ends %llx of %llx, %s", around[i],
                     (unsigned long long)c->runs, (unsigned long long)c->pruned, (unsigned long long)c->cut,
                     (unsigned long long)some, (unsigned long long)all, rh_verdict_name(rh__exploration_verdict(x)));
        assert_true(x->results->distinct.count <= c->runs - c->pruned);
        rh__exploration_free(x);
    }
    x = run(w, "bound(4, seen(dfs))", &some); /* pruned near the bound: no more than a sample */
    assert_true(x->results->count.cut && x->results->count.pruned);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

/* few(EXPLORER): a bound: at each step only the first two choices; odd(EXPLORER): all or nothing, as equivalent. */
static uint32_t few_hide(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                         bool *hidden)
{
    (void)state, (void)w, (void)open;
    for (uint32_t i = 2; i < count; i++)
        hidden[i] = true;
    return count > 2 ? count - 2 : 0;
}
static uint32_t odd_hide(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                         bool *hidden)
{
    (void)state, (void)w, (void)open;
    for (uint32_t i = 0; i < count && count == 3; i++)
        hidden[i] = true;
    return count == 3 ? count : 0;
}
#define FILTER(table, function, explored_elsewhere)                                                                    \
    static const struct rh_inner *table##_inner(const void *state, uint32_t *count, uint32_t *now)                     \
    {                                                                                                                  \
        *count = 1;                                                                                                    \
        *now = 0;                                                                                                      \
        return state;                                                                                                  \
    }                                                                                                                  \
    static const struct rh_explorer_decorator table##_decorator = { .inner = table##_inner,                            \
                                                                    .hide = function,                                  \
                                                                    .hides_explored = explored_elsewhere };            \
    static const struct rh_explorer table = { .name = #table,                                                          \
                                              .state_size = sizeof(struct rh_inner),                                   \
                                              .arguments = rh_only_arguments,                                          \
                                              .open = rh_only_open,                                                    \
                                              .decorator = &table##_decorator };                                       \
    RH_EXPLORER(table)
FILTER(few, few_hide, false)
FILTER(odd, odd_hide, true)
FILTER(odd_bound, odd_hide, false)

static void filtered(struct rh_world *w, const char *explorer, uint64_t runs, uint64_t cut, uint64_t pruned,
                     enum rh_verdict verdict)
{
    uint64_t unused;
    struct rh_exploration *x = run(w, explorer, &unused);
    const struct rh__counts *c = &x->results->count;
    if (c->runs != runs || c->cut != cut || c->pruned != pruned || rh__exploration_verdict(x) != verdict)
        fail_msg("%s: %llu runs, %llu cut, %llu pruned, %s", explorer, (unsigned long long)c->runs,
                 (unsigned long long)c->cut, (unsigned long long)c->pruned,
                 rh_verdict_name(rh__exploration_verdict(x)));
    rh__exploration_free(x);
}

/* Of 5, 4, 3, 2, 1 choices: two each, so 2 * 2 * 2 * 2 runs; with 3 open all is hidden: 5 * 4 runs. */
static void filters_hide_choices_and_say_so(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("pots", NULL, NULL, 0);
    char error[512];
    struct rh__limits limits = { .max_runs = 1 };
    filtered(w, "few(dfs)", 16, 0, 0, RH_VERDICT_BOUNDED);
    filtered(w, "portfolio(few(dfs))", 16, 0, 0, RH_VERDICT_BOUNDED);
    filtered(w, "bound(50, few(few(dfs)))", 16, 0, 0, RH_VERDICT_BOUNDED);
    filtered(w, "odd(dfs)", 20, 0, 20, RH_VERDICT_EXHAUSTIVE);
    filtered(w, "odd_bound(dfs)", 20, 20, 0, RH_VERDICT_BOUNDED);
    filtered(w, "few(odd(dfs))", 16, 0, 0, RH_VERDICT_BOUNDED); /* the inner one never sees three */
    filtered(w, "odd(few(dfs))", 4, 0, 4, RH_VERDICT_SAMPLED);
    assert_null(rh__exploration_new(w, "few(dpor)", 1, &limits, error, sizeof error));
    assert_non_null(strstr(error, "do not go together"));
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(the_set_is_a_set),
        EXPLORE_TEST(a_full_set_replaces),
        EXPLORE_TEST(a_state_takes_at_most_16_bytes),
        EXPLORE_TEST(bit_state_misses_as_often_as_it_says),
        EXPLORE_TEST(processes_add_at_the_same_time),
        EXPLORE_TEST(pruning_loses_no_final_state_and_no_finding),
        EXPLORE_TEST(filters_hide_choices_and_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
