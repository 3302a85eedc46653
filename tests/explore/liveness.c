/* Loops in which a monitor stays hot: what `stateful` finds in generated programs, against a model that knows nothing
 * of the world.
 *
 * A generated program is a table: what an actor in a state does with a message or a timer.  Each step uses up one
 * token, a message or a timer, and makes one at most, so there are finitely many states.  The model has its own
 * states, channels and steps, and decides by a fixpoint [Emerson and Lei 1986] whether there is a fair infinite run
 * in which a monitor is hot from some time on: the largest set Z of states such that from each of them, within Z, for
 * each unit a step can be reached that serves the unit or leaves a state in which the unit is not open. */
#include <stdio.h>
#include <unistd.h>

#include "explore/support/runs.h"

#include "findings/story.h"
#include "support/few.h"
#include "support/generated.h"

enum {
    ACTORS = 3,
    STATES = 3,
    KINDS = 2,
    TOKENS = 3,
    RING = KINDS,
    MONITORS = 2,
    MOST_STATES = 4000,
    MOST_EDGES = 60000
};
enum { NOTHING, SENDS, SETS };

struct outcome {
    uint8_t next, token, to, kind;
    bool cancels, resets;
    uint8_t announces[2]; /* 0: nothing; 1 + monitor * 2 + (0: heat, 1: cool) */
};

struct program {
    uint32_t model, losses, starts;
    struct {
        uint8_t to, kind;
    } start[TOKENS];
    struct {
        uint32_t alternatives;
        struct outcome does[2];
    } table[ACTORS][STATES][KINDS + 1];
};
static struct program program; /* the world's actors read it */

static uint64_t next_number;
static uint32_t below(uint32_t n)
{
    return generated_below(&next_number, n);
}

static void make_program(uint64_t seed)
{
    next_number = seed * 0x9e3779b97f4a7c15u + 1;
    program = (struct program){ .model = below(3), .losses = below(4) == 0, .starts = 1 + below(TOKENS) };
    for (uint32_t i = 0; i < program.starts; i++) {
        program.start[i].to = (uint8_t)below(ACTORS);
        program.start[i].kind = (uint8_t)below(KINDS);
    }
    for (uint32_t a = 0; a < ACTORS; a++)
        for (uint32_t s = 0; s < STATES; s++)
            for (uint32_t k = 0; k <= KINDS; k++) {
                program.table[a][s][k].alternatives = below(5) ? 1 : 2;
                for (uint32_t i = 0; i < 2; i++)
                    program.table[a][s][k].does[i] =
                        (struct outcome){ .next = (uint8_t)below(STATES),
                                          .token = below(12) ? (below(4) ? SENDS : SETS) : NOTHING,
                                          .to = (uint8_t)below(ACTORS),
                                          .kind = (uint8_t)below(KINDS),
                                          .cancels = below(8) == 0,
                                          .resets = below(5) == 0,
                                          .announces = { (uint8_t)(below(3) ? 0 : 1 + below(2 * MONITORS)),
                                                         (uint8_t)(below(6) ? 0 : 1 + below(2 * MONITORS)) } };
            }
}

/* ---- the program as actors --------------------------------------------------------------------------------------- */

RH_MESSAGE(token, uint8_t kind;);
RH_MESSAGE(ring);
RH_MESSAGE(heat_one);
RH_MESSAGE(cool_one);
RH_MESSAGE(heat_other);
RH_MESSAGE(cool_other);
RH_ACTOR(cell, rh_ref others[ACTORS]; uint8_t number, at;);

static void announce(uint8_t what)
{
    if (what == 1)
        rh_announce(heat_one);
    else if (what == 2)
        rh_announce(cool_one);
    else if (what == 3)
        rh_announce(heat_other);
    else if (what == 4)
        rh_announce(cool_other);
}

static void act(struct cell *state, uint32_t kind)
{
    uint32_t alternatives = program.table[state->number][state->at][kind].alternatives;
    uint32_t which = alternatives > 1 ? rh_choose(alternatives) : 0;
    const struct outcome *o = &program.table[state->number][state->at][kind].does[which];
    announce(o->announces[0]);
    state->at = o->next;
    if (o->cancels)
        rh_timer_cancel("ring");
    if (o->resets && rh_timer_cancel("ring"))
        rh_timer("ring", 10, ring);
    if (o->token == SENDS)
        rh_send(state->others[o->to], token, .kind = o->kind);
    else if (o->token == SETS)
        rh_timer("ring", 10, ring);
    announce(o->announces[1]);
}

RH_HANDLER(cell, token)
{
    act(state, msg->kind);
}
RH_HANDLER(cell, ring)
{
    act(state, RING);
}
RH_BEHAVIOUR(cell, living, token, ring);

RH_MONITOR(one);
RH_HANDLER(one, heat_one)
{
    rh_become(one, one_hot);
}
RH_HANDLER(one, cool_one)
{
    rh_become(one, one_cold);
}
RH_BEHAVIOUR(one, one_cold, heat_one, RH_IGNORE(cool_one));
RH_HOT_BEHAVIOUR(one, one_hot, RH_IGNORE(heat_one), cool_one);

RH_MONITOR(other); /* hot from the beginning */
RH_HANDLER(other, heat_other)
{
    rh_become(other, other_hot);
}
RH_HANDLER(other, cool_other)
{
    rh_become(other, other_cold);
}
RH_HOT_BEHAVIOUR(other, other_hot, RH_IGNORE(heat_other), cool_other);
RH_BEHAVIOUR(other, other_cold, heat_other, RH_IGNORE(cool_other));

RH_TEST(cells)
{
    rh_ref refs[ACTORS];
    rh_observe(one);
    rh_observe(other);
    for (uint8_t i = 0; i < ACTORS; i++)
        refs[i] = (rh_ref){ self.id + 3 + i }; /* the two monitors are actors, too */
    for (uint8_t i = 0; i < ACTORS; i++) {
        rh_ref is = rh_spawn(cell, .others = { refs[0], refs[1], refs[2] }, .number = i);
        rh_assert(rh_same(is, refs[i]), "references are not in a row");
    }
    for (uint32_t i = 0; i < program.starts; i++)
        rh_send(refs[program.start[i].to], token, .kind = program.start[i].kind);
}

/* ---- the program as a model -------------------------------------------------------------------------------------- */

enum { OUTSIDE = ACTORS }; /* the sender of the first messages */

/* Messages under way are in the order of their sends. */
struct model_state {
    uint8_t at[ACTORS], timer[ACTORS], hot[MONITORS], losses, count;
    struct {
        uint8_t from, to, kind;
    } message[TOKENS];
};

enum { UNITS = ACTORS + (ACTORS + 1) * ACTORS * (1 + KINDS) + ACTORS };
static uint32_t actor_unit(uint32_t a)
{
    return a;
}
static uint32_t channel_unit(uint32_t from, uint32_t to)
{
    return ACTORS + from * ACTORS + to;
}
static uint32_t message_unit(uint32_t from, uint32_t to, uint32_t kind)
{
    return ACTORS + (ACTORS + 1) * ACTORS + (from * ACTORS + to) * KINDS + kind;
}
static uint32_t timer_unit(uint32_t a)
{
    return ACTORS + (ACTORS + 1) * ACTORS * (1 + KINDS) + a;
}
_Static_assert(UNITS <= 64, "a set of units is a word");
static uint64_t bit(uint32_t unit)
{
    return (uint64_t)1 << unit;
}

static struct {
    struct model_state state[MOST_STATES];
    uint64_t open[MOST_STATES];
    struct {
        uint32_t from, to;
        uint64_t serves;
        uint8_t cooled; /* bits of monitors that were not hot at some time in the step */
    } edge[MOST_EDGES];
    uint32_t states, edges;
    bool too_large;
} graph;

/* Among equal bags of messages, one order: where order does not matter. */
static void settle(struct model_state *s)
{
    for (uint32_t i = s->count; i < TOKENS; i++)
        memset(&s->message[i], 0, sizeof s->message[i]);
    if (program.model == 2)
        return; /* a mailbox: the order of sends to one receiver matters; others are sorted apart below */
    for (uint32_t i = 1; i < s->count; i++)
        for (uint32_t k = i; k; k--) {
            bool same = s->message[k].from == s->message[k - 1].from && s->message[k].to == s->message[k - 1].to;
            int order = memcmp(&s->message[k], &s->message[k - 1], program.model == 0 ? 2 : 3);
            if (order >= 0 || (same && program.model == 0))
                break;
            __typeof__(s->message[0]) t = s->message[k];
            s->message[k] = s->message[k - 1];
            s->message[k - 1] = t;
        }
}

static uint32_t state_number(struct model_state *s)
{
    settle(s);
    for (uint32_t i = 0; i < graph.states; i++)
        if (memcmp(&graph.state[i], s, sizeof *s) == 0)
            return i;
    if (graph.states == MOST_STATES) {
        graph.too_large = true;
        return 0;
    }
    graph.state[graph.states] = *s;
    return graph.states++;
}

static void add_edge(uint32_t from, struct model_state *to, uint64_t serves, uint8_t cooled)
{
    if (graph.edges == MOST_EDGES) {
        graph.too_large = true;
        return;
    }
    graph.edge[graph.edges].from = from;
    graph.edge[graph.edges].to = state_number(to);
    graph.edge[graph.edges].serves = serves;
    graph.edge[graph.edges++].cooled = cooled;
}

static void model_announce(struct model_state *s, uint8_t what, uint8_t *cooled)
{
    if (!what)
        return;
    uint8_t m = (uint8_t)((what - 1) / 2);
    s->hot[m] = (what - 1) % 2 == 0;
    *cooled |= (uint8_t)(!s->hot[m] << m);
}

/* Actor `a` handles; the token is used up already. */
static void model_act(uint32_t from, const struct model_state *before, uint32_t a, uint32_t kind, uint64_t serves)
{
    for (uint32_t i = 0; i < program.table[a][before->at[a]][kind].alternatives; i++) {
        struct model_state s = *before;
        uint64_t served = serves | bit(actor_unit(a));
        uint8_t cooled = 0;
        const struct outcome *o = &program.table[a][before->at[a]][kind].does[i];
        for (uint32_t m = 0; m < MONITORS; m++)
            cooled |= (uint8_t)(!s.hot[m] << m);
        model_announce(&s, o->announces[0], &cooled);
        s.at[a] = o->next;
        if (o->cancels)
            s.timer[a] = 0;
        if (o->resets && s.timer[a])
            served |= bit(timer_unit(a)); /* another timer than before */
        if (o->token == SENDS) {
            s.message[s.count].from = (uint8_t)a;
            s.message[s.count].to = o->to;
            s.message[s.count++].kind = o->kind;
        } else if (o->token == SETS) {
            s.timer[a] = 1;
            served |= bit(timer_unit(a));
        }
        model_announce(&s, o->announces[1], &cooled);
        add_edge(from, &s, served, cooled);
    }
}

static bool is_first(const struct model_state *s, uint32_t message)
{
    for (uint32_t i = 0; i < message; i++)
        if (s->message[i].to == s->message[message].to &&
            (program.model == 2 || (program.model == 0 && s->message[i].from == s->message[message].from)))
            return false;
    return true;
}

static void remove_message(struct model_state *s, uint32_t message)
{
    s->count--;
    for (uint32_t i = message; i < s->count; i++)
        s->message[i] = s->message[i + 1];
}

static void expand(uint32_t number)
{
    struct model_state s = graph.state[number];
    uint64_t open = 0;
    for (uint32_t i = 0; i < s.count; i++) {
        uint32_t from = s.message[i].from, to = s.message[i].to, kind = s.message[i].kind;
        if (!is_first(&s, i))
            continue;
        uint64_t units = bit(channel_unit(from, to)) | bit(message_unit(from, to, kind));
        open |= units | bit(actor_unit(to));
        struct model_state next = s;
        remove_message(&next, i);
        model_act(number, &next, to, kind, units);
        if (s.losses && from != to) {
            next.losses--;
            uint8_t cooled = (uint8_t)((s.hot[0] ? 0 : 1) + (s.hot[1] ? 0 : 2));
            add_edge(number, &next, 0, cooled);
        }
    }
    for (uint32_t a = 0; a < ACTORS; a++)
        if (s.timer[a]) {
            open |= bit(timer_unit(a)) | bit(actor_unit(a));
            struct model_state next = s;
            next.timer[a] = 0;
            model_act(number, &next, a, RING, bit(timer_unit(a)));
        }
    graph.open[number] = open;
}

static bool make_graph(void)
{
    struct model_state s;
    memset(&s, 0, sizeof s);
    memset(&graph, 0, sizeof graph);
    s.hot[1] = 1;
    s.losses = (uint8_t)program.losses;
    for (uint32_t i = 0; i < program.starts; i++) {
        s.message[s.count].from = OUTSIDE;
        s.message[s.count].to = program.start[i].to;
        s.message[s.count++].kind = program.start[i].kind;
    }
    state_number(&s);
    for (uint32_t i = 0; i < graph.states && !graph.too_large; i++)
        expand(i);
    return !graph.too_large;
}

static bool in_z[MOST_STATES], reaches[MOST_STATES];

/* Keeps in Z what reaches, within Z, a step that is good for the unit (UNITS: any step).  Whether Z has changed. */
static bool shrink(uint32_t monitor, uint32_t unit)
{
    bool more = true, changed = false;
    memset(reaches, 0, sizeof reaches);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < graph.edges; i++) {
            uint32_t from = graph.edge[i].from, to = graph.edge[i].to;
            if (reaches[from] || !in_z[from] || !in_z[to] || graph.edge[i].cooled >> monitor & 1)
                continue;
            bool good = unit == UNITS || graph.edge[i].serves & bit(unit) || !(graph.open[from] & bit(unit));
            if (good || reaches[to])
                more = reaches[from] = true;
        }
    }
    for (uint32_t i = 0; i < graph.states; i++) {
        changed |= in_z[i] && !reaches[i];
        in_z[i] = in_z[i] && reaches[i];
    }
    return changed;
}

static bool stays_hot(uint32_t monitor)
{
    bool any = false, changed = true;
    for (uint32_t i = 0; i < graph.states; i++)
        in_z[i] = graph.state[i].hot[monitor];
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u <= UNITS; u++)
            changed |= shrink(monitor, u);
    }
    for (uint32_t i = 0; i < graph.states; i++)
        any |= in_z[i];
    return any;
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

static const char file[] = "/tmp/rehearse-liveness-test";

/* The schedule of the finding shows it again. */
static bool replays(const struct rh_semantics *semantics, const struct rh__finding *f)
{
    char path[64], explorer[96];
    snprintf(path, sizeof path, "%s-%d", file, (int)getpid());
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(f->schedule, to);
    fclose(to);
    snprintf(explorer, sizeof explorer, "replay(\"%s\")", path);
    struct rh_world *w = world_of("cells", semantics, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, 1);
    bool same = x->results->finding_count == 1 && x->results->findings[0].outcome.kind == RH_OUTCOME_LIVENESS &&
                strcmp(x->results->findings[0].outcome.text, f->outcome.text) == 0;
    rh__exploration_free(x);
    rh_world_free(w);
    unlink(path);
    return same;
}

struct sums {
    uint32_t programs, loops, none, states;
};

static void compare(uint64_t seed, struct sums *sums)
{
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX };
    make_program(seed);
    if (!make_graph())
        return;
    struct rh_semantics s = {
        .model = models[program.model], .losses = program.losses, .max_steps = 20000, .max_actors = 16
    };
    struct rh_world *w = world_of("cells", &s, NULL, 0);
    struct rh_exploration *x = explored(w, "stateful", 1, 0);
    bool found[MONITORS] = { false };
    rh__findings_describe(x->results, NULL, false);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_EXHAUSTIVE);
    for (uint32_t i = 0; i < x->results->finding_count; i++) {
        const struct rh__finding *f = &x->results->findings[i];
        if (f->outcome.kind != RH_OUTCOME_LIVENESS) {
            assert_int_equal(f->outcome.kind, RH_OUTCOME_MONITOR); /* a run that ends while it is hot */
            continue;
        }
        found[strcmp(f->actor, "other#1") == 0] = true;
    }
    for (uint32_t m = 0; m < MONITORS; m++) {
        bool expected = stays_hot(m);
        if (expected != found[m])
            fail_msg("seed %llu: monitor %u: %s, but the model says %s (%u states)", (unsigned long long)seed, m,
                     found[m] ? "a loop" : "no loop", expected ? "a loop" : "no loop", graph.states);
        sums->loops += expected;
        sums->none += !expected;
    }
    sums->programs++;
    sums->states += graph.states;
    struct rh__results *r = x->results;
    for (uint32_t i = 0; i < r->finding_count && seed % 4 == 0; i++)
        if (r->findings[i].outcome.kind == RH_OUTCOME_LIVENESS) {
            struct rh__finding copy = r->findings[i];
            char *schedule = strdup(copy.schedule);
            copy.schedule = schedule;
            rh__exploration_free(x);
            rh_world_free(w);
            x = NULL;
            if (!replays(&s, &copy))
                fail_msg("seed %llu: the schedule does not show the loop:\n%s", (unsigned long long)seed, schedule);
            free(schedule);
            break;
        }
    if (x) {
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

static void loops_are_those_of_the_model(void **unused)
{
    (void)unused;
    struct sums sums = { 0 };
    const char *first = getenv("REHEARSE_FIRST"), *count = getenv("REHEARSE_PROGRAMS");
    uint64_t from = first ? strtoull(first, NULL, 10) : 1;
    uint64_t programs = count ? strtoull(count, NULL, 10) : MANY_OR_FEW(300, 60);
    for (uint64_t seed = from; seed < from + programs; seed++)
        compare(seed, &sums);
    print_message("%u programs with %u states; %u monitors stay hot in a fair loop, %u do not\n", sums.programs,
                  sums.states, sums.loops, sums.none);
    if (!count) {
        assert_true(sums.programs > programs / 2);
        assert_true(sums.loops > programs / 8 && sums.none > programs / 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(loops_are_those_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
