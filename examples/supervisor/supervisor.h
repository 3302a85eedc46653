/* supervisor: a process that starts other processes or actors, and starts them again when they break.  Copy
 * supervisor.h and supervisor.c into a program; they need nothing but rehearse.h.
 *
 *     static rh_ref start_cache(const void *argument)  { return rh_spawn_link(cache, .size = 10); }
 *     static rh_ref start_front(const void *argument)  { return rh_spawn_link(front); }
 *     static const struct sup_child children[] = {
 *         { "cache", start_cache, NULL, SUP_PERMANENT }, { "front", start_front, NULL, SUP_PERMANENT },
 *     };
 *     rh_ref s = rh_spawn(supervisor, .strategy = SUP_REST_FOR_ONE, .children = children, .count = 2, .intensity = 3,
 *                         .period_ms = 5000);
 *
 * The rules are those of Erlang's supervisor.  Children start in the order of the list and are stopped in the
 * opposite order. A child's name is registered (rh_register) before the next child starts.  If more than `intensity`
 * restarts happen within `period_ms`, the supervisor stops its children and ends with reason "shutdown"; so a
 * supervisor may be the child of another one.  A supervisor that is asked to end (rh_kill, sup_stop) stops its
 * children first. */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <rehearse.h>

enum sup_strategy {
    SUP_ONE_FOR_ONE,  /* the child that has ended */
    SUP_ONE_FOR_ALL,  /* all children: the others are stopped first */
    SUP_REST_FOR_ONE, /* the child that has ended, and those after it in the list */
};

enum sup_restart {
    SUP_PERMANENT, /* always */
    SUP_TRANSIENT, /* if its end was abnormal: neither "normal" nor "shutdown" */
    SUP_TEMPORARY, /* never */
};

struct sup_child {
    const char *name;                      /* registered for the child; NULL for none */
    rh_ref (*start)(const void *argument); /* calls rh_spawn_link in the supervisor, and returns what it gives */
    const void *argument;
    enum sup_restart restart;
    int64_t shutdown_ms; /* how long a child that traps exits has to end by itself; 0: for ever */
};

enum { SUP_MOST_CHILDREN = 16, SUP_MOST_RESTARTS = 16 };

/* Where a child is now: nobody if it is not running.  rh_ask(s, sup_where, sup_is, .child = 0).  With .gone = who
 * the answer comes when the supervisor has dealt with the end of that life: a user who saw it end asks for its
 * successor. */
RH_MESSAGE(sup_where, int child; rh_ref gone;);
RH_MESSAGE(sup_is, rh_ref who; uint32_t restarts;);
RH_MESSAGE(sup_stop); /* stops the children, and ends with reason "normal" */

/* The fields above the line are for rh_spawn. */
RH_PROCESS(supervisor, enum sup_strategy strategy; const struct sup_child *children; int count; int intensity;
           int64_t period_ms;
           /* ---- */
           rh_ref running[SUP_MOST_CHILDREN]; uint32_t restarts[SUP_MOST_CHILDREN];
           int64_t restarted_ms[SUP_MOST_RESTARTS]; int restarted;);

#endif
