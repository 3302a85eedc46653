/* See supervisor.h.
 *
 * Each life of a child gives one rh_exited, because the child is linked in the step in which it starts.  A
 * supervisor that stops a child takes this message out of the mailbox before it goes on, so that it never mistakes
 * the end of an earlier life for that of the present one, and a name is free before it is given again. */
#include "supervisor.h"

#include <string.h>

static bool is_from(const struct rh_envelope *e, const void *who)
{
    return rh_same(rh_as(e, rh_exited)->who, *(const rh_ref *)who);
}

/* Asks the child to end, and waits until it has. */
static void stop_child(struct supervisor *s, int i)
{
    rh_ref who = s->running[i];
    if (rh_is_nobody(who))
        return;
    rh_kill(who, "shutdown");
    if (!rh_receive(rh_exited, .match = is_from, .arg = &who, .timeout_ms = s->children[i].shutdown_ms)) {
        rh_kill(who, "kill");
        rh_receive(rh_exited, .match = is_from, .arg = &who);
    }
    s->running[i] = rh_nobody();
}

static void start_child(struct supervisor *s, int i)
{
    s->running[i] = s->children[i].start(s->children[i].argument);
    if (s->children[i].name)
        rh_register(s->children[i].name, s->running[i]); /* false: it has ended, and rh_exited is on its way */
}

static void stop_all(struct supervisor *s)
{
    for (int i = s->count; i-- > 0;)
        stop_child(s, i);
}

/* Whether one more restart is too many.  Forgets those that are older than the period. */
static bool too_often(struct supervisor *s)
{
    int64_t now = rh_now_ms();
    int kept = 0;
    for (int k = 0; k < s->restarted; k++)
        if (now - s->restarted_ms[k] <= s->period_ms)
            s->restarted_ms[kept++] = s->restarted_ms[k];
    s->restarted = kept;
    if (kept == s->intensity || kept == SUP_MOST_RESTARTS)
        return true;
    s->restarted_ms[s->restarted++] = now;
    return false;
}

static bool wants_restart(enum sup_restart restart, const char *reason)
{
    bool orderly = !strcmp(reason, "normal") || !strcmp(reason, "shutdown");
    return restart == SUP_PERMANENT || (restart == SUP_TRANSIENT && !orderly);
}

/* Which children stop and start again with this one: first, and one behind the last. */
static void affected(const struct supervisor *s, int i, int *first, int *end)
{
    *first = s->strategy == SUP_ONE_FOR_ALL ? 0 : i;
    *end = s->strategy == SUP_ONE_FOR_ONE ? i + 1 : s->count;
}

static void child_has_ended(struct supervisor *s, int i, const char *reason)
{
    int first, end;
    s->running[i] = rh_nobody();
    if (!wants_restart(s->children[i].restart, reason))
        return;
    if (too_often(s)) {
        stop_all(s);
        rh_exit("shutdown");
    }
    affected(s, i, &first, &end);
    bool starts[SUP_MOST_CHILDREN];
    for (int k = first; k < end; k++)
        starts[k] = k == i || !rh_is_nobody(s->running[k]);
    for (int k = end; k-- > first;)
        stop_child(s, k);
    for (int k = first; k < end; k++)
        if (starts[k] && (k == i || s->children[k].restart != SUP_TEMPORARY)) {
            start_child(s, k);
            s->restarts[k]++;
        }
}

/* A question about the successor of a child that has not ended yet, as far as is known, stays in the mailbox. */
static bool can_be_answered(const struct rh_envelope *e, const void *supervisor)
{
    const struct supervisor *s = supervisor;
    const struct sup_where *w = rh_as(e, sup_where);
    return !w || rh_is_nobody(w->gone) || w->child < 0 || w->child >= s->count ||
           !rh_same(w->gone, s->running[w->child]);
}

RH_BODY(supervisor)
{
    rh_assert(state->count >= 0 && state->count <= SUP_MOST_CHILDREN, "a supervisor has at most %d children",
              SUP_MOST_CHILDREN);
    rh_trap_exits(true);
    for (int i = 0; i < state->count; i++)
        start_child(state, i);
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(sup_where, sup_stop, rh_exited),
                                                     .match = can_be_answered, .arg = state, .idle = true);
        const struct rh_exited *gone = rh_as(e, rh_exited);
        const struct sup_where *where = rh_as(e, sup_where);
        if (where) {
            bool known = where->child >= 0 && where->child < state->count;
            rh_reply(sup_is, .who = known ? state->running[where->child] : rh_nobody(),
                     .restarts = known ? state->restarts[where->child] : 0);
            continue;
        }
        int i = 0;
        while (gone && i < state->count && !rh_same(state->running[i], gone->who))
            i++;
        if (gone && i < state->count) {
            child_has_ended(state, i, gone->reason);
        } else { /* it is asked to end, by sup_stop, by rh_kill, or by the end of a linked actor that is no child */
            struct rh_exited why = gone ? *gone : (struct rh_exited){ .reason = "normal" };
            stop_all(state);
            rh_exit(why.reason);
        }
    }
}
