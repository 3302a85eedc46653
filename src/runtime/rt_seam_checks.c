/* The part of the seam about what must hold, lines of the log, and what only tests can ask for. */
#include "runtime/rt_seam_parts.h"

void rh__rt_seam_failed(const char *here, const char *condition, const char *text)
{
    struct rh__worker *worker = rh__worker();
    bool in = enter(worker, NULL, NULL);
    rh__rt_fail("assertion", here, "`%s` does not hold%s%s", condition, *text ? ": " : "", text);
    if (in)
        leave(worker);
    worker = rh__worker();
    if (worker && worker->actor)
        rh__actor_exit(worker->actor, "failed", NULL);
}

void rh__rt_seam_assume_failed(const char *here)
{
    (void)here; /* the assumptions of a test do not concern production */
}

void rh__rt_seam_property(enum rh_property kind, const char *name, bool holds, const char *here)
{
    if (!name)
        rh__misuse(here, "a property needs a name (rh_always, rh_sometimes, rh_eventually, rh_cover)");
    else if (kind == RH_ALWAYS && !holds)
        rh__rt_seam_failed(here, name, "");
}

void rh__rt_seam_announce(const struct rh_message_type *type, const void *value, const char *here)
{
    (void)type, (void)value, (void)here;
}

void rh__rt_seam_abstract(const char *key, uint64_t value, const char *here)
{
    (void)value;
    if (!key)
        rh__misuse(here, "rh_abstract needs a key");
}

rh_ref rh__rt_seam_observe(const struct rh_actor_type *type, const void *state, const char *here)
{
    (void)type, (void)state, (void)here;
    return rh_nobody();
}

/* In production the outside is there. */
void rh__rt_seam_open_to_outside(rh_ref to, const struct rh_message_type *type, bool (*when)(const void *message),
                                 const char *here)
{
    (void)to, (void)type, (void)when, (void)here;
}

/* In production nobody says what is taken next. */
const void *rh__rt_seam_wanted(int kind, const struct rh_message_type *type, rh_ref from, rh_ref to, const char *here)
{
    (void)kind, (void)type, (void)from, (void)to;
    rh__misuse(here, "rh_expect, rh_allow and rh_disallow are for scenarios under test (RH_SCENARIO)");
    return NULL;
}

void rh__rt_seam_advance_time(int64_t ms, const char *here)
{
    (void)ms;
    rh__misuse(here, "rh_advance_time is for scenarios under test (RH_SCENARIO)");
}

const void *rh__rt_seam_state_of(const struct rh_actor_type *type, rh_ref who, const char *here)
{
    (void)type, (void)who;
    rh__misuse(here, "rh_state_of is for scenarios under test (RH_SCENARIO)");
    return NULL;
}

void rh__rt_seam_log_line(const char *text)
{
    struct rh__worker *worker = rh__worker();
    bool in = enter(worker, NULL, NULL);
    rh__log(text);
    if (in)
        leave(worker);
}

const char *rh__rt_seam_param(const char *name, bool number)
{
    (void)name, (void)number;
    return NULL;
}
