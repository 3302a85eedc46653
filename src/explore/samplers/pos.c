/* pos: partial order sampling [POS 2018].
 *
 * Each pending event has a random priority, and the event of the highest priority is next.  The events that race with
 * it then get new priorities.  The others keep theirs: so a message may stay behind a long chain of independent events,
 * which a fair choice at each step hardly ever does.
 *
 *     paper              here
 *     pending event      an open choice
 *     race               the choices are about the same actor: only one receiver can see their order
 *     new priority       the priority is a hash of the choice and of the number of events of its actor
 *
 * A fault belongs to the actor that it happens to; partitions and their ends belong together. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "explore/explorers.h"
#include "explore/samplers/stream.h"

struct pos {
    struct rh__stream stream;
    uint64_t run;     /* the seed of the run's priorities */
    uint32_t *steps;  /* of each actor: its events in this run; the first entry is for choices without an actor */
    uint32_t used;    /* entries of `steps` that may not be zero */
    uint32_t counted; /* the events of the run that are in `steps` */
};

static bool pos_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                     size_t error_size)
{
    struct pos *p = state;
    (void)a;
    rh__stream_open(&p->stream, x, RH__STREAM_POS);
    size_t actors = rh_world_semantics(rh__exploration_world(x))->max_actors;
    p->steps = rh_exploration_memory(x, (actors + 1) * sizeof *p->steps);
    if (!p->steps)
        snprintf(error, error_size, "no memory for explorer pos");
    return p->steps != NULL;
}

static uint32_t pos_begin(void *state, const struct rh_world *w)
{
    struct pos *p = state;
    (void)w;
    p->run = rh__random_next(&p->stream.next);
    p->counted = 0;
    return p->stream.active;
}

/* Counts the events of each actor, from the beginning if the run is a new one. */
static void count_steps(struct pos *p, const struct rh_world *w)
{
    uint32_t events;
    const struct rh_event *list = rh_world_events(w, &events);
    if (!p->counted || events < p->counted) {
        memset(p->steps, 0, p->used * sizeof *p->steps);
        p->used = p->counted = 0;
    }
    for (; p->counted < events; p->counted++) {
        uint32_t entry = list[p->counted].choice.actor + 1; /* RH_NONE + 1 is 0 */
        p->steps[entry]++;
        if (entry >= p->used)
            p->used = entry + 1;
    }
}

static uint32_t pos_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct pos *p = state;
    uint32_t best = 0;
    uint64_t highest = 0;
    count_steps(p, w);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t what = (uint64_t)open[i].kind << 32 | open[i].what, who = (uint64_t)open[i].actor << 32 | open[i].arg;
        uint64_t priority = rh__mix(rh__mix(p->run, what), rh__mix(who, p->steps[open[i].actor + 1]));
        if (i == 0 || priority > highest) {
            highest = priority;
            best = i;
        }
    }
    return best;
}

const struct rh_explorer rh__explorer_pos = {
    .name = "pos",
    .summary = "random priorities, drawn again for what races with the last step (partial order sampling)",
    .state_size = sizeof(struct pos),
    .resets_only = true,
    .open = pos_open,
    .begin = pos_begin,
    .choose = pos_choose,
    .share = &rh__stream_share,
};
