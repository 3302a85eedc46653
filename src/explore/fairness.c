/* See fairness.h. */
#include "explore/fairness.h"

#include <string.h>

#include "base/hash.h"
#include "explore/explorers.h"
#include "run/run.h"
#include "world/live.h"

enum unit { ACTOR = 1, CHANNEL, MESSAGE, TIMER, GOING_ON, RECOVERY };

static uint64_t unit_of(enum unit kind, uint32_t one, uint32_t other, uint64_t more)
{
    return rh__mix(rh__mix((uint64_t)one << 32 | other, kind), more);
}

static uint64_t timer_unit(const struct rh_world *w, const struct rh_choice *c)
{
    const char *name = c->arg ? rh__run_text(rh__world_run(w), c->arg) : "";
    return unit_of(TIMER, c->actor, c->arg != 0, rh__hash(name, strlen(name), 0));
}

uint32_t rh__units_of_choice(const struct rh_world *w, const struct rh_choice *c, uint64_t units[RH__UNITS_OF_CHOICE])
{
    uint32_t n = 0;
    if (c->kind == RH_CHOICE_HEAL || c->kind == RH_CHOICE_RESTART) {
        units[n++] = unit_of(RECOVERY, c->kind, c->actor, 0);
        return n;
    }
    if (rh__is_fault(c) || c->actor == RH_NONE) /* the end of the run, too */
        return n;
    units[n++] = unit_of(ACTOR, c->actor, 0, 0);
    if (c->kind == RH_CHOICE_DELIVER) {
        const struct rh__run_message *m = rh__run_message(rh__world_run(w), c->what);
        units[n++] = unit_of(CHANNEL, m->sender, m->receiver, m->posted);
        units[n++] = unit_of(MESSAGE, m->sender, m->receiver, rh__choice_key(w, c));
    } else {
        units[n++] = c->kind == RH_CHOICE_TIMER ? timer_unit(w, c) : unit_of(GOING_ON, c->kind, c->actor, 0);
    }
    return n;
}

/* Insertion: the list is short, and mostly in order from the last state. */
static uint32_t insert(uint64_t *units, uint32_t count, uint64_t unit)
{
    uint32_t at = count;
    while (at && units[at - 1] > unit)
        at--;
    if (at && units[at - 1] == unit)
        return count;
    memmove(units + at + 1, units + at, (count - at) * sizeof *units);
    units[at] = unit;
    return count + 1;
}

uint32_t rh__units_of_state(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint64_t *units)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t of[RH__UNITS_OF_CHOICE];
        uint32_t found = rh__units_of_choice(w, &open[i], of);
        for (uint32_t k = 0; k < found; k++)
            n = insert(units, n, of[k]);
    }
    return n;
}

uint32_t rh__units_set(const struct rh_world *w, const struct rh_choice *open, uint32_t count, uint64_t *units)
{
    uint32_t n = 0, last = rh__depth(w) - 1;
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind == RH_CHOICE_TIMER && rh__timer_origin(w, open[i].what).event == last)
            units[n++] = timer_unit(w, &open[i]);
    return n;
}

uint32_t rh__units_keep(uint64_t *units, uint32_t count, const uint64_t *others, uint32_t other_count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, k = 0; i < count; i++) {
        while (k < other_count && others[k] < units[i])
            k++;
        if (k < other_count && others[k] == units[i])
            units[kept++] = units[i];
    }
    return kept;
}

uint32_t rh__units_remove(uint64_t *units, uint32_t count, uint64_t unit)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (units[i] != unit)
            units[kept++] = units[i];
    return kept;
}
