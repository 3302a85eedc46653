/* phases: runs made of phases.  In each a random majority talks and the others rest.
 *
 * Bugs of replicated programs often need that some members act together while the others fall behind, that another
 * majority goes on from there, and that mail of an earlier time arrives late.  A fair choice at each step keeps all
 * members abreast, so it hardly ever makes such runs.  Here
 *
 *   - members are actors of one type that the same actor has spawned, if there are at least two: they are a group.
 *     An actor that is alone of its type belongs to its parent's member.  Other actors, such as the test and a single
 *     server, are no members: they always talk;
 *   - in a phase a random majority of each group talks: it takes fresh mail, which talking members or others have
 *     sent in this phase.  What a member sent before the phase, or while it rests, is late mail and leaks through
 *     rarely;
 *   - in each phase one member of a group is favoured.  The timer that most members have set at once is contested, an
 *     election timeout, say: the favoured member's is likely to fire, once a phase; those of the others are unlikely
 *     to.
 *
 * Length of phases, rates of leaking, groups in which all talk, a channel whose mail is always late, rivals (members
 * that can be favoured at all), speeds of channels and actors, the weight of timers and the faults (classes.h) are
 * drawn for each run.  Every open choice keeps a positive probability. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/classes.h"
#include "explore/samplers/stream.h"
#include "run/run.h"
#include "world/live.h"

enum { MOST_GROUPS = 16, MOST_TIMERS = 32, FULL = RH__FACTOR_FULL, FEW = FULL / 16, SPEED_ONE = 8 };

struct group {
    const struct rh_actor_type *type;
    uint32_t parent;
    uint32_t members, rivals, others;
    uint32_t favoured;  /* a member */
    uint64_t contested; /* the hash of a timer's name */
    uint32_t most;
    bool fired; /* the favoured member's timer fired in this phase */
};

struct phases {
    struct rh__stream stream; /* `learned` is the length of runs */
    struct rh__classes classes;
    uint8_t *group_of; /* of each actor: its group + 1; 0: it is no member, and belongs to none */
    uint32_t *member;  /* of each actor that belongs to a group: the member */
    bool *talks;       /* of each actor */
    /* of the run under way */
    const struct rh__run *run; /* at the choice that is being made */
    uint64_t seed;
    uint32_t length; /* of a phase, about */
    uint32_t leak;   /* late mail has 2^-leak of the chance of fresh mail */
    uint32_t rest;   /* the same for what a resting member does */
    uint32_t shy;    /* the same for a contested timer of members that are not favoured */
    uint32_t eager;  /* that of the favoured member has 2^eager of the chance of other timers, once a phase */
    bool contest, has_rivals, has_slow;
    enum rh__speeds speeds;
    /* of the phase */
    struct group group[MOST_GROUPS];
    uint32_t group_count, actor_count;
    uint32_t since; /* mail of an earlier event is late */
    uint32_t until;
};

static uint32_t draw(struct phases *p, uint32_t below)
{
    return rh__random_below(&p->classes.random, below);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */
static struct group *find_group(struct phases *p, const struct rh__run_actor *a)
{
    for (uint32_t i = 0; i < p->group_count; i++)
        if (p->group[i].type == a->type && p->group[i].parent == a->parent)
            return &p->group[i];
    if (p->group_count == MOST_GROUPS)
        return NULL;
    p->group[p->group_count] = (struct group){ .type = a->type, .parent = a->parent, .favoured = RH_NONE };
    return &p->group[p->group_count++];
}

static bool can_be_member(const struct rh__run_actor *a)
{
    return a->type && a->parent != RH_NONE && a->status != STATUS_ENDED && a->status != STATUS_OUTSIDE;
}

/* Actors are in the order of their creation: a parent comes before its children. */
static void find_groups(struct phases *p, const struct rh__run *r)
{
    p->group_count = 0;
    p->actor_count = r->actor_count;
    for (uint32_t i = 0; i < r->actor_count; i++) {
        const struct rh__run_actor *a = rh__run_actor(r, i);
        struct group *g = i && can_be_member(a) ? find_group(p, a) : NULL;
        p->group_of[i] = g ? (uint8_t)(g - p->group + 1) : 0;
        p->member[i] = i;
        if (g)
            g->members++;
    }
    for (uint32_t i = 0; i < r->actor_count; i++) {
        uint32_t parent = rh__run_actor(r, i)->parent;
        if (p->group_of[i] && p->group[p->group_of[i] - 1].members > 1)
            continue;
        bool belongs = i && parent < i;
        p->group_of[i] = belongs ? p->group_of[parent] : 0;
        p->member[i] = belongs ? p->member[parent] : i;
    }
}

static struct group *group_of(struct phases *p, uint32_t actor)
{
    return actor < p->actor_count && p->group_of[actor] ? &p->group[p->group_of[actor] - 1] : NULL;
}

static bool is_member(const struct phases *p, uint32_t actor)
{
    return p->group_of[actor] && p->member[actor] == actor;
}

/* With rivals: about two members of a group, the same ones for the whole run.  Which one they are does not depend on
 * who else is alive. */
static bool is_rival(const struct phases *p, uint32_t actor)
{
    return !p->has_rivals || rh__mix(p->seed ^ 1, actor) % p->group[p->group_of[actor] - 1].members < 2;
}

/* ---- a phase ----------------------------------------------------------------------------------------------------- */
/* One rival of each group; any member if there is no rival. */
static void draw_favoured(struct phases *p)
{
    for (uint32_t i = 0; i < p->actor_count; i++) {
        struct group *g = group_of(p, i);
        if (!g || !is_member(p, i))
            continue;
        bool rival = is_rival(p, i);
        if (rival ? draw(p, ++g->rivals) == 0 : !g->rivals && draw(p, ++g->others) == 0)
            g->favoured = i;
    }
}

/* More than half of the members of each group; of two members sometimes one.  The favoured member is among them. */
static void draw_talking(struct phases *p)
{
    uint32_t left[MOST_GROUPS], wanted[MOST_GROUPS];
    for (uint32_t i = 0; i < p->group_count; i++) {
        const struct group *g = &p->group[i];
        uint32_t size = g->members / 2 + (g->members > 2 || draw(p, 2)) + (draw(p, 4) == 0);
        bool all = rh__mix(p->seed ^ 2, i) % 4 == 0 || size > g->members;
        left[i] = g->members - 1;
        wanted[i] = (all ? g->members : size) - 1;
    }
    for (uint32_t i = 0; i < p->actor_count; i++) {
        const struct group *g = group_of(p, i);
        uint32_t n = g ? (uint32_t)(g - p->group) : 0;
        p->talks[i] = true;
        if (!g || i == g->favoured)
            continue;
        if (!is_member(p, i)) {
            p->talks[i] = p->talks[p->member[i]];
            continue;
        }
        p->talks[i] = draw(p, left[n]--) < wanted[n];
        wanted[n] -= p->talks[i];
    }
}

/* The timer that most members of a group have set at once, by its name: all want to be first. */
static void find_contested(struct phases *p, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct {
        uint64_t name;
        uint32_t group, members;
    } timer[MOST_TIMERS];
    uint32_t timers = 0;
    for (uint32_t i = 0; i < count && p->contest; i++) {
        if (open[i].kind != RH_CHOICE_TIMER)
            continue;
        struct group *g = group_of(p, rh__timer_actor(w, open[i].what));
        uint64_t name = rh__timer_name_hash(w, open[i].what);
        if (!g || !name)
            continue;
        uint32_t group = (uint32_t)(g - p->group), at = 0;
        while (at < timers && (timer[at].name != name || timer[at].group != group))
            at++;
        if (at == MOST_TIMERS)
            continue;
        if (at == timers) {
            timer[timers].name = name;
            timer[timers].group = group;
            timer[timers++].members = 0;
        }
        if (++timer[at].members > g->most) {
            g->most = timer[at].members;
            g->contested = name;
        }
    }
}

static void new_phase(struct phases *p, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    find_groups(p, p->run);
    draw_favoured(p);
    draw_talking(p);
    find_contested(p, w, open, count);
    p->since = rh__depth(w);
    p->until = p->since + p->length / 2 + draw(p, p->length + 1);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */
/* About one channel between two members of a group, the same one for the whole run. */
static bool is_slow(const struct phases *p, uint32_t from, uint32_t to)
{
    uint64_t n = p->group[p->group_of[from] - 1].members;
    return p->has_slow && p->group_of[from] == p->group_of[to] && p->member[from] != p->member[to] &&
           rh__mix(p->seed ^ 3, (uint64_t)p->member[from] << 32 | p->member[to]) % (n * (n - 1)) == 0;
}

static uint64_t factor_of_message(const struct phases *p, const struct rh_choice *c)
{
    const struct rh__run_message *m = rh__run_message(p->run, c->what);
    if (!p->talks[c->actor])
        return FULL >> p->rest;
    if (m->sender >= p->actor_count || !p->group_of[m->sender] || m->sender == c->actor)
        return FULL;
    return m->event >= p->since && p->talks[m->sender] && !is_slow(p, m->sender, c->actor) ? FULL : FULL >> p->leak;
}

static bool is_contested(const struct group *g, const struct rh_world *w, uint32_t timer)
{
    return g->contested && g->contested == rh__timer_name_hash(w, timer);
}

static uint64_t factor_of_timer(const struct phases *p, const struct rh_world *w, const struct rh_choice *c)
{
    uint32_t actor = rh__timer_actor(w, c->what);
    if (actor >= p->actor_count || !p->group_of[actor])
        return FULL;
    const struct group *g = &p->group[p->group_of[actor] - 1];
    if (!p->talks[actor])
        return FULL >> p->rest;
    if (!is_contested(g, w, c->what))
        return FULL;
    return g->fired || p->member[actor] != g->favoured ? FULL >> p->shy : FULL << p->eager;
}

/* Actors that were spawned in this phase talk. */
static uint64_t factor_of(const void *state, const struct rh_world *w, const struct rh_choice *c)
{
    const struct phases *p = state;
    if (c->kind == RH_CHOICE_TIMER)
        return factor_of_timer(p, w, c);
    if (c->kind != RH_CHOICE_DELIVER)
        return FULL;
    uint64_t factor = c->actor < p->actor_count ? factor_of_message(p, c) : FULL;
    return p->speeds == RH__SPEED_NONE ? factor : factor * rh__speed_of(p->speeds, p->seed, p->run, c) / SPEED_ONE;
}

/* Nothing that this phase is about is left to do. */
static bool is_over(const struct phases *p, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    if (rh__depth(w) >= p->until)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (!rh__is_fault(&open[i]) && factor_of(p, w, &open[i]) >= FEW)
            return false;
    return true;
}

static uint32_t phases_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct phases *p = state;
    p->run = rh__world_run(w);
    if (is_over(p, w, open, count))
        new_phase(p, w, open, count);
    uint32_t pick = rh__classes_choose(&p->classes, w, open, count, &(struct rh__factors){ factor_of, p, FULL, true });
    if (open[pick].kind == RH_CHOICE_TIMER) {
        uint32_t actor = rh__timer_actor(w, open[pick].what);
        struct group *g = group_of(p, actor);
        if (g && p->member[actor] == g->favoured && is_contested(g, w, open[pick].what))
            g->fired = true;
    }
    return pick;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */
static uint32_t phases_begin(void *state, const struct rh_world *w)
{
    struct phases *p = state;
    p->seed = rh__random_next(&p->stream.next);
    rh__classes_begin(&p->classes, rh_world_semantics(w), p->seed, p->stream.learned, false);
    uint64_t *timer = &p->classes.now[RH__CLASS_timer];
    *timer = (*timer << 1 >> draw(p, 5)) + 1;
    p->length = 8u << draw(p, 3);
    p->leak = draw(p, 5);
    p->rest = 2 + draw(p, 6);
    p->shy = 1 + draw(p, 8);
    p->eager = draw(p, 6);
    p->contest = draw(p, 4) > 0;
    p->has_rivals = draw(p, 3) > 0;
    p->has_slow = draw(p, 2);
    p->speeds = draw(p, 2) ? RH__SPEED_NONE : draw(p, RH__SPEED_KINDS);
    p->until = 0;
    return p->stream.active;
}

static void phases_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct phases *p = state;
    (void)w;
    p->stream.learned = rh__classes_learn(p->stream.learned, run);
}

static bool phases_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                        size_t error_size)
{
    struct phases *p = state;
    size_t actors = rh_world_semantics(rh__exploration_world(x))->max_actors;
    rh__stream_open(&p->stream, x, RH__STREAM_PHASES);
    rh__classes_open(&p->classes, a);
    p->group_of = rh_exploration_memory(x, actors * sizeof *p->group_of);
    p->member = rh_exploration_memory(x, actors * sizeof *p->member);
    p->talks = rh_exploration_memory(x, actors * sizeof *p->talks);
    bool good = p->group_of && p->member && p->talks;
    if (!good)
        snprintf(error, error_size, "no memory for explorer phases");
    return good;
}

const struct rh_explorer rh__explorer_phases = {
    .name = "phases",
    .summary = "swarm in phases: a majority of actors that are alike talks, the others rest, old mail is late",
    .state_size = sizeof(struct phases),
    .arguments = rh__class_arguments,
    .resets_only = true,
    .open = phases_open,
    .begin = phases_begin,
    .choose = phases_choose,
    .end = phases_end,
    .share = &rh__stream_share,
};
