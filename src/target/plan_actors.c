/* The actors of a search and their paths: see plan.h.  They are made when they are first needed, within the time that
 * all summaries share. */
#include <string.h>

#include "target/plan.h"

static double begin_summaries(struct plan_search *s)
{
    double now = sym__processor_seconds(), most = *s->left / 2;
    s->models->until = now + (s->each < most ? s->each : most);
    return now;
}

static void end_summaries(struct plan_search *s, double began)
{
    double took = sym__processor_seconds() - began;
    s->summaries += took;
    *s->left -= took < *s->left ? took : *s->left;
}

/* The summaries of the same actor in another snapshot, if they hold here.  Places where code waits are numbered as they
 * are found, so an actor that has found some keeps its own. */
static struct sum_actor *find_actor(struct plan_search *s, uint32_t index)
{
    const struct rh__snap_actor *x = &s->snapshot->actors[index];
    for (uint32_t i = 0; i < s->other_count && !s->actors[index]->wait_count; i++) {
        const struct plan_search *o = &s->others[i];
        if (o == s || index >= o->snapshot->actor_count || o->made[index] != PLAN_ALL || !o->actors[index] ||
            o->actors[index]->type != x->type || strcmp(o->snapshot->actors[index].name, x->name) != 0)
            continue;
        if (sum__holds(s->models, o->actors[index], s->snapshot, index))
            return o->actors[index];
    }
    return NULL;
}

/* The actor with its paths from the state of the snapshot. */
struct sum_actor *plan__exact_actor(struct plan_search *s, uint32_t index)
{
    if (s->made[index] != PLAN_NOT_MADE)
        return s->actors[index];
    double began = begin_summaries(s);
    struct sum_actor *a = s->actors[index] = sum__actor_of_snapshot(s->models, s->snapshot, index);
    if (a)
        s->exact_counts[index] = sum__exact_paths(s->models, a, s->snapshot, index, &s->exact[index]);
    s->made[index] = PLAN_EXACT;
    end_summaries(s, began);
    return a;
}

struct sum_actor *plan__actor(struct plan_search *s, uint32_t index)
{
    if (!plan__exact_actor(s, index) || s->made[index] == PLAN_ALL)
        return s->actors[index];
    double began = begin_summaries(s);
    struct sum_actor *a = find_actor(s, index);
    if (a)
        s->actors[index] = a;
    else
        sum__make_paths(s->models, s->actors[index]);
    s->made[index] = PLAN_ALL;
    end_summaries(s, began);
    return s->actors[index];
}

/* The paths of an actor: those from its state in the snapshot, then those from any state. */
const struct sum_path *plan__path(const struct plan_search *s, const struct plan_actor *a, uint32_t i)
{
    uint32_t exact = a->index == RH__NO_INDEX ? 0 : s->exact_counts[a->index];
    if (i < exact)
        return &s->exact[a->index][i];
    return a->model && i - exact < a->model->path_count ? &a->model->paths[i - exact] : NULL;
}

/* The model of an actor that a step spawns; made once for each place of the code. */
struct sum_actor *plan__spawned(struct plan_search *s, const struct sym_effect *e)
{
    for (uint32_t i = 0; i < s->models->actor_count; i++)
        if (Z3_is_eq_ast(s->models->run.z, s->models->actors[i]->self, e->result))
            return s->models->actors[i];
    double began = begin_summaries(s);
    struct sum_actor *a = sum__actor_of_spawn(s->models, e->type, e->bytes, e->size, e->result);
    end_summaries(s, began);
    return a;
}
