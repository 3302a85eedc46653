/* Exit signals that end a process between two operations (RH_KILL_ANYWHERE), under dpor: over generated programs the
 * same behaviours and findings as in every sequence of choices (dfs).
 *
 * The programs are processes with short scripts.  What a process does depends on what it has seen.  So it depends on
 * how far the receiver of a signal has come whether the signal is sent at all, and what the receiver no longer does is
 * seen by others: that is what a reduction could miss.  (Without study_message at stops, or without study_own for
 * signals there, races.c does.)
 *   RH_FIRST_SEED, RH_SEEDS   from which seed, how many */
#include "explore/explorers.h"
#include "explore/support/runs.h"
#include "explore/support/scramble.h"

#include "support/few.h"

enum { PROGRAMS = MANY_OR_FEW(300, 60), LARGEST = 20000, MOST_PROCESSES = 3, MOST_OPERATIONS = 5 };

/* ---- programs ---------------------------------------------------------------------------------------------------- */

enum operation {
    PUT,
    LOOK,
    ADD,
    KILL,
    KILL_IF,
    STOP_IF,
    SEND,
    TAKE,
    POLL,
    TRAP,
    LINK,
    MONITOR,
    ALIVE,
    NAME,
    WHEREIS,
    YIELD,
    LEAVE,
    OPERATION_COUNT
};

struct script {
    uint32_t count;
    struct {
        enum operation what;
        uint32_t whom, cell;
    } list[MOST_OPERATIONS];
};
static struct {
    uint32_t processes;
    struct script of[MOST_PROCESSES];
} program; /* written between worlds */

static void make_program(uint64_t seed)
{
    uint64_t random = scrambled(seed, 14);
    program.processes = 2 + below(&random, 2);
    for (uint32_t i = 0; i < program.processes; i++) {
        struct script *s = &program.of[i];
        s->count = program.processes == 2 ? 2 + below(&random, 4) : 1 + below(&random, 2);
        for (uint32_t k = 0; k < s->count; k++) {
            s->list[k].what = (enum operation)below(&random, OPERATION_COUNT);
            s->list[k].whom = below(&random, program.processes);
            s->list[k].cell = below(&random, 2);
        }
    }
    /* The first one sends a signal, mostly after it has looked at what the second one does. */
    static const enum operation looks[] = { LOOK, ADD, WHEREIS, POLL }, shows[] = { PUT, ADD, NAME, SEND };
    struct script *killer = &program.of[0], *victim = &program.of[1];
    uint32_t way = below(&random, 4), cell = below(&random, 2);
    killer->count += killer->count < MOST_OPERATIONS;
    killer->list[killer->count - 2].what = looks[way];
    killer->list[killer->count - 2].cell = cell;
    killer->list[killer->count - 1].what = below(&random, 4) ? KILL_IF : KILL;
    killer->list[killer->count - 1].whom = 1;
    victim->list[0].what = shows[way];
    victim->list[0].cell = cell;
    victim->list[0].whom = 0;
}

RH_TABLE(cells);
RH_MESSAGE(word, uint32_t from;);
RH_PROCESS(actor, uint32_t me; uint64_t seen; rh_ref all[MOST_PROCESSES];);

static void learn(struct actor *state, uint64_t what)
{
    state->seen = state->seen * 5 + what + 1;
}

static void receive(struct actor *state, int64_t timeout_ms)
{
    const struct rh_envelope *e = rh_receive_any(.timeout_ms = timeout_ms, .idle = true);
    learn(state, !e ? 0 : rh_as(e, word) ? 1 + rh_as(e, word)->from : 9);
}

static void do_one(struct actor *state, enum operation what, rh_ref whom, const char *cell)
{
    uint32_t value = 0;
    switch (what) {
    case PUT:
        rh_table_put(cells, cell, &state->me, sizeof state->me);
        break;
    case LOOK:
        learn(state, rh_table_get(cells, cell, &value, sizeof value) < 0 ? 0 : 1 + value);
        break;
    case ADD:
        learn(state, (uint64_t)rh_table_add(cells, "sum", 1));
        break;
    case KILL:
    case KILL_IF:
        if (what == KILL || state->seen % 2)
            rh_kill(whom, "kill");
        break;
    case STOP_IF:
        if (state->seen % 3)
            rh_kill(whom, "shutdown");
        break;
    case SEND:
        rh_send(whom, word, .from = state->me);
        break;
    case TAKE:
        receive(state, 0);
        break;
    case POLL:
        receive(state, RH_POLL);
        break;
    case TRAP:
        rh_trap_exits(true);
        break;
    case LINK:
        rh_link(whom);
        break;
    case MONITOR:
        rh_monitor(whom);
        break;
    case ALIVE:
        learn(state, rh_alive(whom));
        break;
    case NAME:
        learn(state, rh_register(cell, whom));
        break;
    case WHEREIS:
        learn(state, !rh_is_nobody(rh_whereis(cell)));
        break;
    case YIELD:
        rh_yield();
        break;
    case LEAVE:
        if (state->seen % 4 == 1)
            rh_exit("tired");
        break;
    case OPERATION_COUNT:
        break;
    }
}

RH_BODY(actor)
{
    static const char *const names[] = { "a", "b" };
    const struct script *s = &program.of[state->me];
    for (uint32_t i = 0; i < s->count; i++)
        do_one(state, s->list[i].what, state->all[s->list[i].whom], names[s->list[i].cell]);
}

/* The spawns are no steps, so all are there before the first one begins. */
#define PREPARATION "kills.c:0"
static const char *const no_steps[] = { PREPARATION, NULL };
RH_TEST(scripts, .granularity = RH_GRAIN_OBJECT, .kills = RH_KILL_ANYWHERE, .atomic = no_steps,
        .dead_letters = RH_DEAD_LETTER_IGNORE, .max_steps = 200)
{
    struct actor a = { 0 };
    rh_ref first = rh_self();
    for (uint32_t i = 0; i < program.processes; i++)
        a.all[i].id = first.id + 1 + i; /* what rh_spawn is about to give */
    for (a.me = 0; a.me < program.processes; a.me++)
        rh_assert(rh_same(rh_spawn_(&rh_actor_actor, &a, PREPARATION), a.all[a.me]));
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

struct ends {
    uint32_t count, different;
    uint64_t hash[MOST_RUNS]; /* one for each run */
};
static struct ends *noted; /* shared memory */

/* A behaviour, or the finding of a run that ends early. */
static void noting_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    bool early = w->over && w->events[w->event_count - 1].choice.kind != RH_CHOICE_END;
    uint64_t hash = fnv(early ? FNV_START : fnv(FNV_START, &run->distinct, sizeof run->distinct), &run->outcome,
                        sizeof run->outcome);
    if (rh_outcome_failed(run->outcome))
        hash = fnv(hash, w->outcome.text, strlen(w->outcome.text));
    if (noted->count < MOST_RUNS)
        noted->hash[noted->count++] = hash;
    rh_inner_end(&((struct spy *)state)->inner, w, run);
}
SPY(noting, "notes how runs end", noting_end)

/* False where there are too many runs. */
static bool explore(enum rh_model model, const char *explorer, struct ends *to)
{
    struct rh_semantics s = test_named("scripts")->semantics;
    s.model = model;
    struct rh_world *w = world_of("scripts", &s, NULL, 0);
    noted = to;
    struct rh_exploration *x = explored(w, explorer, 1, LARGEST);
    bool all = x->end.exhausted;
    if (all)
        assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
    to->different = distinct(to->hash, to->count);
    return all;
}

struct sums {
    uint64_t programs, dfs, dpor, ends;
};

static void compare(uint64_t seed, struct sums *sums)
{
    enum rh_model model = (enum rh_model)(seed % 4);
    struct ends *all = rh_shared_new(sizeof *all), *some = rh_shared_new(sizeof *some);
    assert_true(all && some);
    make_program(seed);
    if (explore(model, "noting(dfs)", all)) {
        uint32_t missing = 0;
        assert_true(explore(model, "noting(dpor)", some));
        for (uint32_t i = 0; i < all->count; i++)
            missing += !bsearch(&all->hash[i], some->hash, some->count, sizeof *some->hash, by_number);
        if (missing || some->different != all->different)
            fail_msg("seed %llu: %u of the %u runs of dfs are unlike all %u of dpor; %u and %u different ends",
                     (unsigned long long)seed, missing, all->count, some->count, all->different, some->different);
        sums->programs++;
        sums->dfs += all->count;
        sums->dpor += some->count;
        sums->ends += all->different;
    }
    rh_shared_free(all, sizeof *all);
    rh_shared_free(some, sizeof *some);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void dpor_misses_nothing(void **unused)
{
    (void)unused;
    uint64_t first = number_from("RH_FIRST_SEED", 1), count = number_from("RH_SEEDS", PROGRAMS);
    struct sums sums = { 0 };
    for (uint64_t seed = first; seed < first + count; seed++)
        compare(seed, &sums);
    print_message("%llu programs: %llu runs by dfs, %llu by dpor, %llu ends\n", (unsigned long long)sums.programs,
                  (unsigned long long)sums.dfs, (unsigned long long)sums.dpor, (unsigned long long)sums.ends);
    if (count < PROGRAMS)
        return;
    assert_in_range(sums.programs, count * 2 / 3, count);
    assert_in_range(sums.ends, 4 * sums.programs, sums.dpor);
    assert_in_range(sums.dpor, sums.ends, sums.dfs / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(dpor_misses_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
