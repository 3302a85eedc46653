/* See self_check.h.  What the checks remember is in tables of the world, like all else that must outlive a step. */
#include "world/self_check.h"

#include <string.h>

#include "base/fail.h"
#include "world/fingerprint.h"
#include "world/step.h"

void rh__check_step(struct rh_world *w)
{
    w->check_hashes[w->event_count] = rh__fingerprint_anew(w);
    w->check_meanings[w->event_count] = rh_world_fingerprint_meaning(w);
}

void rh__check_undo(struct rh_world *w)
{
    uint32_t at = w->event_count;
    /* A later run has asked for the time, or taken a set: from then on more is hashed. */
    if (w->check_meanings[at] != rh_world_fingerprint_meaning(w))
        return;
    uint64_t is = rh__fingerprint_anew(w);
    RH__CHECK(is == w->check_hashes[at], "back at event %u the state is %016llx, and was %016llx", at,
              (unsigned long long)is, (unsigned long long)w->check_hashes[at]);
}

void rh__check_kept_list(struct rh_world *w)
{
    if (!rh__choices_are_fresh(w))
        return;
    uint32_t kept = w->choice_count, count;
    uint64_t hash = rh__hash(w->choices, kept * sizeof *w->choices, 0);
    w->choices_log = NULL;
    const struct rh_choice *anew = rh_world_enabled(w, &count);
    RH__CHECK(count == kept && rh__hash(anew, count * sizeof *anew, 0) == hash,
              "back at event %u the list of choices is not the one that was kept", w->event_count);
}

static bool is_listed(const struct rh_world *w, const struct rh_choice *c)
{
    for (uint32_t i = 0; i < w->choice_count; i++)
        if (w->choices[i].kind == c->kind && w->choices[i].actor == c->actor && w->choices[i].what == c->what)
            return true;
    return false;
}

void rh__check_choices(struct rh_world *w)
{
    for (uint32_t i = 0; i < w->choice_count; i++) {
        const struct rh_choice *c = &w->choices[i];
        RH__CHECK(rh__choice_open(w, c), "event %u: choice %u (kind %u, actor %u, what %u) is listed, but not open",
                  w->event_count, i, c->kind, c->actor, c->what);
    }
    for (uint32_t i = 0; i < w->check_choice_count && w->choice_count; i++) {
        const struct rh_choice *c = &w->check_choices[i];
        RH__CHECK(is_listed(w, c) || !rh__choice_open(w, c),
                  "event %u: a choice of before (kind %u, actor %u, what %u) is open, but not listed", w->event_count,
                  c->kind, c->actor, c->what);
    }
    w->check_choice_count = w->choice_count;
    memcpy(w->check_choices, w->choices, w->choice_count * sizeof *w->choices);
}
