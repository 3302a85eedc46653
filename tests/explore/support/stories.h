/* What happens in runs of generated programs up to exchange of alike actors: for tests of symmetry. */
#ifndef RH_TESTS_EXPLORE_STORIES_H
#define RH_TESTS_EXPLORE_STORIES_H

#include "explore/support/nodes.h"

#include "support/few.h"

/* What happened in a run, without who is who.  An event is known by the type of its actor, the event of the actor
 * before it and the message that it took; a message by its type, the event that sent it, and how many that event had
 * sent to the same actor before.  Of a run that fails only the past of the last event counts: others may or may not
 * have gone on before.  The order of operations on shared objects is left out. */
static uint64_t story_of(const struct rh_world *w, enum rh_outcome_kind outcome)
{
    const struct rh__run *r = rh__world_run(w);
    static uint64_t of_event[256], last[32], each[32];
    uint64_t hash = fnv(FNV_START, &outcome, sizeof outcome), fates = 0;
    assert_true(r->event_count <= 256 && r->actor_count <= 32);
    for (uint32_t i = 0; i < r->actor_count; i++)
        last[i] = fnv(FNV_START, &rh__run_actor(r, i)->type, sizeof rh__run_actor(r, i)->type);
    for (uint32_t i = 0; i < r->event_count; i++) {
        const struct rh_choice *c = rh__run_choice(r, i);
        bool own = !rh__befalls(c) && c->actor < r->actor_count && !rh__run_is_clock(r, c);
        uint64_t what[5] = { c->kind, own ? last[c->actor] : 0, 0, 0, 0 };
        if (c->kind == RH_CHOICE_VALUE)
            what[2] = c->what;
        if (rh__run_is_clock(r, c) &&
            r->events[i].set_by != RH_NONE) /* equal deadlines have no order that anybody sees */
            what[2] = of_event[r->events[i].set_by];
        if (rh__is_about_message(c)) {
            const struct rh__run_message *m = rh__run_message(r, c->what);
            what[3] = of_event[m->event] ^ (uint64_t)(uintptr_t)m->type;
            for (uint32_t k = r->events[m->event].first_message; k < c->what; k++)
                what[4] += rh__run_message(r, k)->receiver == m->receiver;
        }
        of_event[i] = fnv(FNV_START, what, sizeof what);
        if (own)
            last[c->actor] = of_event[i];
        else
            fates += of_event[i];
    }
    if (rh_outcome_failed(outcome) && r->over)
        return fnv(hash, &of_event[r->event_count - 1], sizeof *of_event);
    memcpy(each, last, r->actor_count * sizeof *each);
    qsort(each, r->actor_count, sizeof *each, by_number);
    return fnv(hash, each, r->actor_count * sizeof *each) + fates;
}

static void tell_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    if (spied->count < MOST_RUNS && !run->pruned)
        spied->behaviour[spied->count++] = story_of(w, run->outcome);
    spied->failed += rh_outcome_failed(run->outcome);
    rh_inner_end(&s->inner, w, run);
}
SPY(tell, "notes what happened in runs", tell_end)

static uint32_t stories(const char *test, const struct rh_semantics *s, const struct rh_param *param,
                        const char *explorer, uint64_t most, bool *all, struct record **found)
{
    struct rh_world *w = world_of(test, s, param, param != NULL);
    *found = spied = record_new();
    struct rh_exploration *x = explored(w, explorer, 1, most);
    *all = x->end.exhausted;
    rh__exploration_free(x);
    uint32_t runs = (*found)->count;
    rh_world_free(w);
    return runs;
}

/* Both are sorted already: `distinct` does that. */
static bool has_all(const struct record *these, const struct record *of)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (!bsearch(&of->behaviour[i], these->behaviour, these->count, sizeof *of->behaviour, by_number))
            return false;
    return true;
}

static void expect_same(const char *what, struct record *expected, struct record *found)
{
    uint32_t n = distinct(expected->behaviour, expected->count), m = distinct(found->behaviour, found->count);
    if (n != m || !has_all(found, expected))
        fail_msg("program %llu: %u stories in %u runs, of %u in %u of %s", (unsigned long long)seed, m, found->count, n,
                 expected->count, what);
}

#endif
