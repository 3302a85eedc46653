/* Stratified sampling [Desai 2015, 4].  A sample with d delays is a walk over whole runs: the run without delays,
 * then runs that each have one delay more.  The new delay is at a step that is drawn from those after the last
 * delay.  So each run with d delays is drawn with a probability of at least 1 / L^d, if no run has more than L
 * steps.
 *
 * The strata follow each other, d = 0, 1, 2, ..., with c1 * c2^d samples each.  Every run of a walk is made, and a
 * bug in it is found; the first one is the same for all walks and is made once. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "base/text.h"
#include "explore/delaying/delaying.h"
#include "explore/explorers.h"

struct rh__ss {
    struct rh__delay_options o;
    uint64_t random;
    uint32_t *walk; /* steps between the delays */
    uint32_t room, length;
    uint32_t first_steps; /* of the run without delays; 0: it was not made */
    uint32_t delays;      /* of the stratum */
    uint64_t sample;      /* of the stratum */
    uint64_t samples;     /* of all strata */
    /* The run under way. */
    uint32_t at, steps;    /* delays that were made; steps since the last one */
    uint32_t actors, last; /* before the last step; events when choose was asked last, 0: not yet */
    bool begun;
    unsigned char *state;
};

struct rh__ss *rh__ss_open(struct rh_exploration *x, const struct rh__delay_options *o)
{
    struct rh__ss *s = rh_exploration_memory(x, sizeof *s);
    if (!s)
        return NULL;
    s->o = *o;
    s->random = rh__random_seed(o->seed, 5);
    s->room = rh_exploration_max_steps(x) + 2;
    s->walk = rh_exploration_memory(x, (size_t)s->room * sizeof *s->walk);
    s->state = rh_exploration_memory(x, o->delaying->state_size);
    return s->walk && s->state ? s : NULL;
}

static double samples_of(const struct rh__ss *s)
{
    double n = ceil(s->o.c1 * pow(s->o.c2, s->delays));
    return n > 1 ? n : 1;
}

/* Adds a delay to the walk, after one of the `steps` steps since the last delay. */
static void add_delay(struct rh__ss *s, uint32_t steps)
{
    s->walk[s->length++] = rh__random_below(&s->random, steps);
}

/* The walk has all of its delays: the next one begins. */
static bool next_walk(struct rh__ss *s)
{
    s->samples++;
    s->length = 0;
    if (!s->delays || ++s->sample >= samples_of(s)) {
        s->delays++;
        s->sample = 0;
    }
    if (!s->first_steps || s->delays >= s->room || (s->o.bounded && s->delays > s->o.most))
        return false; /* there is no step at all, or nothing is left */
    add_delay(s, s->first_steps);
    return true;
}

uint32_t rh__ss_begin(struct rh__ss *s, const struct rh_world *w)
{
    (void)w;
    if (s->last) { /* a run was made */
        uint32_t steps = s->steps;
        if (!s->length)
            s->first_steps = steps;
        s->last = 0;
        if (s->length < s->delays && steps)
            add_delay(s, steps);
        else if (!next_walk(s))
            return 0;
    } else if (s->begun) {
        return 0; /* the test has no choices */
    }
    s->begun = true;
    s->at = s->steps = 0;
    return 1;
}

uint32_t rh__ss_choose(struct rh__ss *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    const struct rh_delaying *d = s->o.delaying;
    uint32_t events = rh__depth(w);
    if (!s->last)
        rh__delaying_begin(d, s->state, w, s->o.seed);
    else
        rh__delaying_step(d, s->state, w, s->actors, s->o.seed);
    for (; s->at < s->length && s->walk[s->at] == s->steps; s->at++, s->steps = 0)
        d->delay(s->state, w, open, count);
    uint32_t pick = d->next(s->state, w, open, count);
    RH__ASSERT(pick < count, "delaying explorer %s chose number %u of %u choices", d->name, pick, count);
    s->steps++;
    s->actors = rh_world_actor_count(w);
    s->last = events;
    return pick;
}

void rh__ss_end(struct rh__ss *s, const struct rh_world *w, const struct rh_run *run)
{
    (void)s, (void)w, (void)run;
}

void rh__ss_notes(const struct rh__ss *s, char *buffer, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "%llu samples, with up to %u delays", (unsigned long long)s->samples,
                 s->delays ? s->delays - (s->sample == 0) : 0);
}
