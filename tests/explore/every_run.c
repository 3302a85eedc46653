/* No open choice is starved: a sampler that gives each of them a positive probability (docs/guarantees.md) makes every
 * run of a small program, if it makes enough of them.  The runs are those of brute force (support/runs.h), over the
 * generated programs of support/program.h with their timers, values, stores and faults.
 *
 * The test is tested with samplers that starve one kind of choice while another kind is open, and with pct(1). */
#include "explore/support/program.h"
#include "explore/support/runs.h"

#include "support/few.h"

/* Generated programs are of at most LARGEST runs, and a sampler makes at most MOST_DRAWN to come to the last of them.
 * The rarest runs have stray faults, to which weighted and its kin give a 512th of their weight. */
enum { LARGEST = 100, SMALLEST = 4, MOST_DRAWN = 400000, MOST_GOALS = 1000 };

static struct goal {
    uint32_t count, found;
    uint64_t drawn, unknown; /* unknown: no run of brute force */
    uint64_t sequence[MOST_GOALS];
    bool seen[MOST_GOALS];
    uint64_t kinds; /* of choices that were open beside one of another kind: a bit for each */
} * goal;

static uint32_t until_all_begin(void *state, const struct rh_world *w)
{
    if (goal->found == goal->count || goal->unknown)
        return 0;
    return rh_inner_begin(&((struct spy *)state)->inner, w);
}

static uint32_t until_all_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (open[i].kind != open[0].kind)
            goal->kinds |= (uint64_t)1 << open[i].kind | (uint64_t)1 << open[0].kind;
    return rh_inner_choose(&((struct spy *)state)->inner, w, open, count);
}

static void until_all_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint64_t made = sequence_of(w);
    const uint64_t *at = bsearch(&made, goal->sequence, goal->count, sizeof made, by_number);
    goal->drawn++;
    goal->unknown += !at;
    if (at && !goal->seen[at - goal->sequence]) {
        goal->seen[at - goal->sequence] = true;
        goal->found++;
    }
    rh_inner_end(&((struct spy *)state)->inner, w, run);
}

static const struct rh_explorer until_all = {
    .name = "until_all",
    .summary = "as EXPLORER wants, until all runs of the goal were made",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .begin = until_all_begin,
    .choose = until_all_choose,
    .end = until_all_end,
};
RH_EXPLORER(until_all)

/* ---- a sampler that starves one kind of choice ------------------------------------------------------------------- */

static enum rh_choice_kind starved;

static uint32_t starving_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t pick = rh_inner_choose(&((struct spy *)state)->inner, w, open, count);
    for (uint32_t i = 0; i < count && open[pick].kind == starved; i++)
        pick = (pick + 1) % count;
    return pick;
}

static const struct rh_explorer starving = {
    .name = "starving",
    .summary = "as EXPLORER wants, but another choice than one of the starved kind where there is one",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .choose = starving_choose,
};
RH_EXPLORER(starving)

/* ---- programs ---------------------------------------------------------------------------------------------------- */

RH_MESSAGE(grain, char who;);
RH_ACTOR(scale, char order[4]; int count;);
RH_HANDLER(scale, grain)
{
    state->order[state->count++ % 4] = msg->who;
    rh_abstract("weight", state->count);
    rh_assert(state->order[0] != 'b' || state->count < 3);
}
RH_BEHAVIOUR(scale, weighing, grain);

/* With abstract states, from which feedback goes on, and findings, from which onward does. */
RH_TEST(weighing_twice, .model = RH_BAG, .losses = 1, .crashes = 1, .restarts = 1)
{
    rh_ref s = rh_spawn(scale);
    rh_send(s, grain, .who = 'a');
    rh_send(s, grain, .who = 'b');
    rh_send(s, grain, .who = 'c');
}

/* The test, and the seed of a generated one. */
struct subject {
    const char *test;
    uint64_t seed;
};

static struct rh_world *world_for(const struct subject *of)
{
    struct rh_semantics s = program_semantics(of->seed);
    program_seed = of->seed;
    return world_of(of->test, of->seed ? &s : NULL, NULL, 0);
}

/* False where the program is too large, or has nothing to choose. */
static bool set_goal(const struct subject *of, uint32_t largest)
{
    struct record *all = record_new();
    struct rh_world *w = world_for(of);
    bool good = brute_force(w, all, largest) && all->count >= SMALLEST && all->count <= largest;
    memset(goal, 0, sizeof *goal);
    if (good) {
        goal->count = all->count;
        assert_int_equal(distinct(all->sequence, all->count), all->count); /* sorts them */
        memcpy(goal->sequence, all->sequence, all->count * sizeof *all->sequence);
    }
    rh_world_free(w);
    record_free(all);
    return good;
}

/* Whether all runs of the goal were made. */
static bool makes_all(const char *sampler, const struct subject *of, uint64_t most)
{
    char explorer[64];
    snprintf(explorer, sizeof explorer, "until_all:%s", sampler);
    memset(goal->seen, 0, sizeof goal->seen);
    goal->found = 0;
    goal->drawn = 0;
    struct rh_world *w = world_for(of);
    rh__exploration_free(explored(w, explorer, 1, most));
    rh_world_free(w);
    if (goal->unknown)
        fail_msg("%s %llu: %s makes a run that brute force does not make", of->test, (unsigned long long)of->seed,
                 sampler);
    return goal->found == goal->count;
}

static const char *const samplers[] = { "random",           "weighted",      "swarm",
                                        "phases",           "pos",           "urw",
                                        "onward(random)",   "onward(swarm)", "feedback(random)",
                                        "feedback(phases)", "feedback(pos)", "feedback(weighted)",
                                        "whole(random)",    "whole(phases)" };
enum { SAMPLERS = sizeof samplers / sizeof *samplers };
static uint64_t drawn_by[SAMPLERS], most_drawn_by[SAMPLERS];

static void check_samplers(const struct subject *of)
{
    for (uint32_t i = 0; i < SAMPLERS; i++) {
        if (!makes_all(samplers[i], of, MOST_DRAWN))
            fail_msg("%s %llu: %s makes %u of %u runs in %llu", of->test, (unsigned long long)of->seed, samplers[i],
                     goal->found, goal->count, (unsigned long long)goal->drawn);
        drawn_by[i] += goal->drawn;
        most_drawn_by[i] = goal->drawn > most_drawn_by[i] ? goal->drawn : most_drawn_by[i];
    }
}

/* Each kind that was open beside another one, starved by a sampler that else makes all runs.  Returns the kinds. */
static uint64_t check_starving(const struct subject *of)
{
    uint64_t kinds = goal->kinds;
    for (uint64_t left = kinds; left; left &= left - 1) {
        starved = (enum rh_choice_kind)__builtin_ctzll(left);
        if (makes_all("starving:random", of, 1000))
            fail_msg("%s %llu: nobody notices that choices of kind %u are starved", of->test,
                     (unsigned long long)of->seed, starved);
    }
    return kinds;
}

static void every_run_is_made(void **unused)
{
    (void)unused;
    enum { PROGRAMS = MANY_OR_FEW(40, 12) };
    static const enum rh_choice_kind wanted[] = { RH_CHOICE_DELIVER, RH_CHOICE_TIMER,     RH_CHOICE_VALUE,
                                                  RH_CHOICE_RESUME,  RH_CHOICE_ACCEPT,    RH_CHOICE_STORED,
                                                  RH_CHOICE_LOSE,    RH_CHOICE_DUPLICATE, RH_CHOICE_CRASH,
                                                  RH_CHOICE_RESTART, RH_CHOICE_PARTITION, RH_CHOICE_HEAL };
    uint64_t kinds = 0;
    uint32_t programs = 0, runs = 0, rigid = 0;
    for (struct subject of = { "program", 1 }; programs < PROGRAMS; of.seed++)
        if (set_goal(&of, LARGEST)) {
            programs++;
            runs += goal->count;
            check_samplers(&of);
            kinds |= check_starving(&of);
            rigid += !makes_all("pct(1)", &of, 2000);
        }
    print_message("%u programs of %u runs; kinds %llx; pct(1) does not make all runs of %u\n", programs, runs,
                  (unsigned long long)kinds, rigid);
    for (uint32_t i = 0; i < SAMPLERS; i++)
        print_message("%s: all of them in %llu runs, at most %llu for one program\n", samplers[i],
                      (unsigned long long)drawn_by[i], (unsigned long long)most_drawn_by[i]);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_true(kinds >> wanted[i] & 1 || programs < 40);
    assert_true(rigid > programs / 4);
}

static void every_run_is_made_that_goes_on_from_others(void **unused)
{
    (void)unused;
    struct subject of = { "weighing_twice", 0 };
    memset(drawn_by, 0, sizeof drawn_by);
    assert_true(set_goal(&of, MOST_GOALS));
    check_samplers(&of);
    print_message("%u runs: ", goal->count);
    for (uint32_t i = 0; i < SAMPLERS; i++)
        print_message("%s %llu%s", samplers[i], (unsigned long long)drawn_by[i], i + 1 < SAMPLERS ? ", " : "\n");
    check_starving(&of);
}

static int begin(void **unused)
{
    (void)unused;
    goal = rh_shared_new(sizeof *goal);
    return goal ? 0 : -1;
}

static int end(void **unused)
{
    (void)unused;
    rh_shared_free(goal, sizeof *goal);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(every_run_is_made),
        EXPLORE_TEST(every_run_is_made_that_goes_on_from_others),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
