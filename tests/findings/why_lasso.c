/* The decisive step of lassos, against a model that knows nothing of the world (explore/support/cells.h).
 *
 * The model decides by a fixpoint from which states the monitor can be kept from being hot for ever, without losses:
 * the run ends and it is cold, or the run is infinite and fair, and again and again a step is not hot all the time.
 * The lasso is followed through the model by what happens in its events. */
#include "explore/support/cells.h"
#include "findings/minimise.h"
#include "findings/why.h"
#include "run/encode.h"
#include "support/few.h"

enum { COLD = UNITS + 1 }; /* a unit of its own: steps in which the monitor is not hot at some time */

static bool in_z[MOST_STATES], reaches[MOST_STATES];

static bool is_good(uint32_t edge, uint32_t unit, uint32_t monitor)
{
    if (unit == COLD)
        return graph.edge[edge].cooled >> monitor & 1;
    return unit == UNITS || graph.edge[edge].serves & bit(unit) || !(graph.open[graph.edge[edge].from] & bit(unit));
}

static bool is_loss(uint32_t edge)
{
    return graph.edge[edge].label / (8 * 8 * 8 * 8) == LOSES;
}

/* Extends `reaches` backwards, within Z if wanted. */
static void go_back(bool within_z)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < graph.edges; i++) {
            uint32_t from = graph.edge[i].from, to = graph.edge[i].to;
            if (!reaches[from] && reaches[to] && !is_loss(i) && (!within_z || (in_z[from] && in_z[to])))
                more = reaches[from] = true;
        }
    }
}

static bool shrink(uint32_t monitor, uint32_t unit)
{
    bool changed = false;
    memset(reaches, 0, sizeof reaches);
    for (uint32_t i = 0; i < graph.edges; i++)
        if (in_z[graph.edge[i].from] && in_z[graph.edge[i].to] && !is_loss(i) && is_good(i, unit, monitor))
            reaches[graph.edge[i].from] = true;
    go_back(true);
    for (uint32_t i = 0; i < graph.states; i++) {
        changed |= in_z[i] && !reaches[i];
        in_z[i] = in_z[i] && reaches[i];
    }
    return changed;
}

/* Afterwards `reaches` has the states from which the monitor can be kept from being hot for ever. */
static void find_avoiding(uint32_t monitor)
{
    for (uint32_t i = 0; i < graph.states; i++)
        in_z[i] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t u = 0; u <= COLD; u++)
            changed |= shrink(monitor, u);
    }
    memcpy(reaches, in_z, sizeof reaches);
    bool goes_on[MOST_STATES] = { false };
    for (uint32_t i = 0; i < graph.edges; i++)
        goes_on[graph.edge[i].from] |= !is_loss(i);
    for (uint32_t i = 0; i < graph.states; i++)
        reaches[i] |= !goes_on[i] && !graph.state[i].hot[monitor];
    go_back(false);
}

/* ---- the run in the model ---------------------------------------------------------------------------------------- */

enum {
    CELLS = 3
}; /* the index of the first cell among the actors of the world: the test and the monitors precede it */

static uint32_t number_of(uint32_t actor)
{
    return actor < CELLS ? OUTSIDE : actor - CELLS;
}

/* The label of an event; the alternative is 0. */
static uint32_t label_of_event(const struct rh__run *r, const struct rh_choice *c)
{
    uint32_t kept;
    if (c->kind == RH_CHOICE_TIMER)
        return label_of(FIRES, number_of(c->actor), number_of(c->actor), RING, 0);
    const struct rh__run_message *m = rh__run_message(r, c->what);
    const char *value = rh__run_value(r, c->what, &kept);
    return label_of(c->kind == RH_CHOICE_LOSE ? LOSES : TAKES, number_of(m->sender), number_of(m->receiver),
                    (uint32_t)(unsigned char)value[0], 0);
}

static uint32_t follow(uint32_t state, uint32_t wanted)
{
    for (uint32_t i = 0; i < graph.edges; i++)
        if (graph.edge[i].from == state && graph.edge[i].label == wanted)
            return graph.edge[i].to;
    fail_msg("the model has no step %x from state %u", wanted, state);
    return 0;
}

/* Whether the failure can be avoided after so many events of the run. */
static bool is_avoidable(const struct rh__run *r, uint32_t events)
{
    uint32_t state = 0;
    for (uint32_t e = 1; e <= events; e++) {
        uint32_t wanted = label_of_event(r, rh__run_choice(r, e));
        const struct rh_choice *next = e + 1 < r->event_count ? rh__run_choice(r, e + 1) : NULL;
        bool chooses = next && next->kind == RH_CHOICE_VALUE;
        if (chooses && e == events) { /* in the middle of a handler */
            bool any = false;
            for (uint32_t i = 0; i < next->arg; i++)
                any |= reaches[follow(state, wanted + i)];
            return any;
        }
        state = follow(state, wanted + (chooses ? next->what : 0));
        e += chooses;
    }
    return reaches[state];
}

struct totals {
    uint32_t lassos, decided, leaves, at_once;
};

static void judge(struct rh_world *w, struct rh__finding *f, uint64_t seed, struct totals *t)
{
    char error[128];
    if (seed % 2)
        assert_true(rh__minimise(w, f, NULL));
    assert_true(rh__why(w, f));
    struct rh__run *r = rh__run_decode(f->encoded, f->encoded_size, error, sizeof error);
    const struct rh__why *y = &f->why;
    assert_non_null(r);
    assert_true(y->known != y->leaves_loop);
    assert_true(y->exhaustive);
    find_avoiding(strcmp(f->actor, "other#1") == 0);
    uint32_t decisive = r->loop;
    while (decisive && !is_avoidable(r, decisive - 1))
        decisive--;
    if (decisive == r->loop ? !y->leaves_loop : !y->known || y->decisive != decisive)
        fail_msg("seed %llu: decisive %d (event %u), but the model says event %u of %u before the loop",
                 (unsigned long long)seed, y->known, y->decisive, decisive, r->loop - 1);
    t->lassos++;
    t->leaves += y->leaves_loop;
    t->decided += y->known;
    t->at_once += y->known && !y->decisive;
    rh__run_free(r);
}

static void decisive_steps_are_those_of_the_model(void **unused)
{
    (void)unused;
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX };
    const char *count = getenv("REHEARSE_PROGRAMS");
    uint64_t programs = count ? strtoull(count, NULL, 10) : MANY_OR_FEW(60, 20);
    struct totals t = { 0 };
    for (uint64_t seed = 1; seed <= programs; seed++) {
        make_program(seed);
        if (!make_graph())
            continue;
        struct rh_semantics s = {
            .model = models[program.model], .losses = program.losses, .max_steps = 20000, .max_actors = 16
        };
        struct rh_world *w = world_of("cells", &s, NULL, 0);
        struct rh_exploration *x = explored(w, "stateful", 1, 0);
        for (uint32_t i = 0; i < x->results->finding_count; i++)
            if (x->results->findings[i].outcome.kind == RH_OUTCOME_LIVENESS)
                judge(w, &x->results->findings[i], seed, &t);
        rh__exploration_free(x);
        rh_world_free(w);
    }
    print_message("%u lassos: of %u an event decides, %u of them the beginning; %u can be left\n", t.lassos, t.decided,
                  t.at_once, t.leaves);
    if (!count) {
        assert_in_range(t.decided - t.at_once, programs / 40, programs * MONITORS);
        assert_in_range(t.leaves, programs / 40, programs * MONITORS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { EXPLORE_TEST(decisive_steps_are_those_of_the_model) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
