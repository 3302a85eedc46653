/* See curve.h. */
#include "explore/engine/curve.h"

#include <string.h>

#include "base/hash.h"
#include "explore/engine/engine_parts.h"
#include "explore/engine/measure.h"

bool rh__curve_want(struct rh_exploration *x, bool sequences)
{
    x->curve.wanted = true;
    x->curve.counts_sequences = sequences && rh__distinct_init(&x->curve.sequences);
    return x->curve.counts_sequences == sequences;
}

void rh__curve_release(struct rh__curve *c)
{
    if (c->counts_sequences)
        rh__distinct_release(&c->sequences);
}

/* After the same choices the tables of a run are the same, so that numbers in them name the same things. */
static void count_sequence(struct rh_exploration *x)
{
    const struct rh__run *r = rh__world_run(x->world);
    uint64_t hash = r->event_count;
    for (uint32_t i = 0; i < r->event_count; i++) {
        const struct rh_choice *c = &rh__run_event(r, i)->choice;
        hash = rh__mix(hash, rh__mix((uint64_t)c->kind << 32 | c->actor, (uint64_t)c->what << 32 | c->arg));
    }
    rh__distinct_note(&x->curve.sequences, hash ? hash : 1);
}

void rh__curve_note(struct rh_exploration *x, bool last)
{
    struct rh__curve *c = &x->curve;
    uint64_t runs = x->results->count.runs;
    uint64_t before = c->count ? c->at[c->count - 1].runs : 0;
    if (!c->wanted || (c->count && runs == before) || (!last && c->count && runs < before + c->apart))
        return;
    if (c->count == RH__MOST_CURVE) {
        for (uint32_t i = 0; i < RH__MOST_CURVE / 2; i++)
            c->at[i] = c->at[2 * i];
        c->count = RH__MOST_CURVE / 2;
        c->apart = c->apart ? c->apart * 2 : 128;
    }
    rh__distinct_settle(&x->results->distinct);
    if (c->counts_sequences)
        rh__distinct_settle(&c->sequences);
    struct rh__curve_point *p = &c->at[c->count++];
    *p = (struct rh__curve_point){
        .runs = runs,
        .distinct = x->results->distinct.count,
        .pairs = x->measure ? x->results->coverage->counts[RH__PR].pairs : 0,
        .sequences = c->counts_sequences && !c->sequences.at_least ? c->sequences.count : 0,
        .seconds = rh__now_seconds() - x->clock.started,
        .estimate = rh__exploration_estimate(x),
    };
    memcpy(p->member, c->so_far, sizeof p->member);
}

void rh__curve_run(struct rh_exploration *x, bool is_new)
{
    struct rh__curve *c = &x->curve;
    const struct rh_inner *e = &x->explorer, *of = e;
    uint32_t count = 0, now = 0;
    if (c->counts_sequences)
        count_sequence(x);
    while (e->explorer->decorator && count < 2) {
        of = e;
        e = of->explorer->decorator->inner(of->state, &count, &now);
        if (!count)
            return;
        e += count > 1 ? now : 0;
    }
    if (count < 2 || now >= RH_MOST_INNER)
        return;
    c->members = count;
    const struct rh_explorer_decorator *d = of->explorer->decorator;
    c->name[now] = d->name_of ? d->name_of(of->state, now) : e->explorer->name;
    c->so_far[now].runs++;
    c->so_far[now].distinct += is_new;
}
