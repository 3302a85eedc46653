/* Long runs: what a schedule costs grows with the steps of the run and the square of the receives of one actor
 * (generate.h).  As ratios between two lengths, which machines and sanitizers leave alone. */
#include "coverage/support/covering.h"

#include "coverage/plan.h"

#include <time.h>

#ifdef RH_TEST_FEW
enum { STEPS = 10000, OF_ONE = 4000, RECEIVES = 4000 };
#else
enum { STEPS = 24000, OF_ONE = 10000, RECEIVES = 10000 };
#endif
static const size_t memory_size = (size_t)1 << 33; /* address space */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void no_name(void *arg, uint32_t step, bool receive, char *buffer, size_t size)
{
    (void)arg;
    snprintf(buffer, size, "%s %u", receive ? "receive" : "actor", step);
}

/* So many receives, of these many actors in turn; each caused by the beginning, or by one some way back. */
static void make_long(struct rh__steps *s, struct rh__coverage_step *list, uint64_t *ids, uint32_t count,
                      uint32_t actors, bool by_sends, bool mailbox)
{
    *s = (struct rh__steps){
        .list = list, .count = count, .actors = actors + 1, .by_sends = by_sends, .mailbox = mailbox
    };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cause = (i % 3 && !mailbox) || i <= 3 * actors + 8 ? 0 : i - 3 * actors - 1 - i % 7;
        list[i] = (struct rh__coverage_step){
            .id = i + 1,
            .actor = i ? 1 + i % actors : 0,
            .cause = i ? cause : RH_NONE,
            .born = i ? 0 : RH_NONE,
            .before = i > actors ? i - actors : RH_NONE,
            .after = RH_NONE,
            .earlier = RH_NONE,
            .elder = RH_NONE,
            .arrival = mailbox && i ? cause : i,
            .flags = i ? RH__STEP_RECEIVE | RH__STEP_QUEUED | (cause || mailbox ? 0 : RH__STEP_APART) : 0
        };
    }
    for (uint32_t i = 0; i <= actors; i++)
        ids[i] = i + 1;
}

struct cost {
    double make, schedule;
    uint32_t planned;
};

/* A generator, and ten schedules. */
static struct cost cost_of(uint32_t count, uint32_t actors, enum rh__criterion criterion, bool farthest, int model)
{
    enum { SCHEDULES = 10 };
    struct cost cost = { 0, 0, 0 };
    struct rh__steps s;
    struct rh__coverage_step *list = malloc(count * sizeof *list);
    uint64_t *ids = malloc((actors + 1) * sizeof *ids);
    void *memory = rh_shared_new(memory_size);
    struct rh__coverage *c = rh__coverage_new(ALL_CRITERIA, "long");
    assert_true(list && ids && memory && c);
    make_long(&s, list, ids, count, actors, model > 0, model > 1);
    rh__coverage_add(c, &s, ids, no_name, NULL);
    double begin = seconds();
    struct rh__plan_input *g = rh__plan_input_new(memory, memory_size, &s, criterion, farthest, c);
    assert_non_null(g);
    cost.make = seconds() - begin;
    for (int i = 0; i < SCHEDULES; i++) {
        struct rh__schedule_plan plan;
        begin = seconds();
        if (!rh__plan(g, c, &plan))
            break;
        cost.schedule += (seconds() - begin) / SCHEDULES;
        cost.planned++;
    }
    rh__coverage_free(c);
    rh_shared_free(memory, memory_size);
    free(ids);
    free(list);
    return cost;
}

/* `more` times as long may cost `most` times as much; what takes no time at all is of no interest. */
static void grows(const char *what, struct cost small, struct cost large, double most)
{
    static const double nothing = 0.002;
    double make = large.make / (small.make > nothing ? small.make : nothing);
    double schedule = large.schedule / (small.schedule > nothing ? small.schedule : nothing);
    print_message("%s: a generator %.3f s, %.1f times that of a quarter; a schedule %.4f s, %.1f times\n", what,
                  large.make, make, large.schedule, schedule);
    assert_int_not_equal(large.planned, 0);
    if (make > most || schedule > most)
        fail_msg("%s: a run that is four times as long costs too much", what);
}

static void many_actors(void **unused)
{
    (void)unused;
    static const char *const models[] = { "fifo", "causal", "mailbox" };
    for (int model = 0; model < 3; model++)
        for (int k = 0; k < RH__CRITERION_COUNT; k++) {
            char what[64];
            if (k == RH__PMR)
                continue; /* nothing becomes anything */
            snprintf(what, sizeof what, "%d receives of 100 actors, %s, %s", STEPS, models[model],
                     rh__criterion_name((enum rh__criterion)k));
            /* With as many actors, four times the receives of each: at most sixteen times the pairs. */
            grows(what, cost_of(STEPS / 4, 100, k, true, model), cost_of(STEPS, 100, k, true, model), 60);
        }
}

static void one_actor(void **unused)
{
    (void)unused;
    grows("one actor, fifo, pr", cost_of(OF_ONE / 4, 1, RH__PR, true, 0), cost_of(OF_ONE, 1, RH__PR, true, 0), 60);
    grows("one actor, fifo, pr, as in the paper", cost_of(OF_ONE / 4, 1, RH__PR, false, 0),
          cost_of(OF_ONE, 1, RH__PR, false, 0), 60);
    grows("one actor, fifo, pcr", cost_of(OF_ONE / 4, 1, RH__PCR, false, 0), cost_of(OF_ONE, 1, RH__PCR, false, 0), 60);
    grows("one actor, causal, pr", cost_of(OF_ONE / 4, 1, RH__PR, true, 1), cost_of(OF_ONE, 1, RH__PR, true, 1), 60);
}

/* ---- a real one -------------------------------------------------------------------------------------------------- */

RH_MESSAGE(drop, int from;);
RH_MESSAGE(pour, int drops;);
RH_ACTOR(basin, int drops;);
RH_ACTOR(tap, rh_ref basin;);
RH_HANDLER(basin, drop)
{
    (void)msg;
    state->drops++;
}
RH_BEHAVIOUR(basin, filling, drop);
RH_HANDLER(tap, pour)
{
    rh_send(state->basin, drop);
    if (msg->drops > 1)
        rh_send(self, pour, .drops = msg->drops - 1);
}
RH_BEHAVIOUR(tap, pouring, pour);
RH_TEST(basins)
{
    rh_ref b = rh_spawn(basin);
    for (int i = 0; i < 5; i++)
        rh_send(rh_spawn(tap, .basin = b), pour, .drops = (int)rh_param("n", 10) / 5);
}

static double cover_basins(const char *explorer, const char *n, uint32_t receives)
{
    struct rh_semantics s = { .model = RH_FIFO, .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 100000 };
    struct rh_param param = { "n", n };
    char error[256];
    struct rh_world_options o = { .test = test_named("basins"),
                                  .semantics = &s,
                                  .params = &param,
                                  .param_count = 1,
                                  .quiet = true,
                                  .no_undo = true };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    assert_non_null(w);
    struct rh_exploration *x = explored(w, explorer, 1, 4);
    double took = x->clock.processor_seconds;
    assert_in_range(x->results->count.runs, 2, 4); /* one schedule may be enough for all that there is */
    if (x->results->count.steps / x->results->count.runs < 2 * receives)
        fail_msg("%llu steps in %llu runs", (unsigned long long)x->results->count.steps,
                 (unsigned long long)x->results->count.runs);
    if (x->measure) {
        struct told t = { 0, 0, 0, 0 };
        told_by(x, &t);
        assert_in_range(t.schedules + 1, 2,
                        x->results->count.runs); /* the first run is left to chance, and now and then another one */
        assert_int_equal(t.infeasible + t.missed + t.nothing, 0);
    }
    rh__exploration_free(x);
    rh_world_free(w);
    return took;
}

static void a_run_of_many_thousand_receives(void **unused)
{
    (void)unused;
    char n[16], quarter[16];
    snprintf(n, sizeof n, "%d", RECEIVES);
    snprintf(quarter, sizeof quarter, "%d", RECEIVES / 4);
    double small = cover_basins("cover:pr", quarter, RECEIVES / 4), large = cover_basins("cover:pr", n, RECEIVES);
    double random = cover_basins("random", n, RECEIVES);
    print_message("%d receives of one actor: four runs with schedules %.2f s, %.1f times those of a quarter; random "
                  "%.2f s\n",
                  RECEIVES, large, large / small, random);
    assert_true(large < 60 * (small > 0.05 ? small : 0.05));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(many_actors),
        EXPLORE_TEST(one_actor),
        EXPLORE_TEST(a_run_of_many_thousand_receives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
