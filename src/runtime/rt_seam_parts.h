/* What the parts of the runtime's seam share (rt_seam.c has the table): who may call, and the functions of each part.
 * Each checks the caller and the arguments, and calls the part of the runtime that does the work. */
/* Private to src/runtime. */
#ifndef RH_RUNTIME_SEAM_PARTS_H
#define RH_RUNTIME_SEAM_PARTS_H

#include <rehearse/seam.h>

#include "runtime/actor.h"
#include "runtime/failure.h"

/* An operation of a process is where an exit signal may end it, if the program wants that. */
static inline void rh__rt_hear(struct rh__worker *worker)
{
    if (__builtin_expect(rh__rt.options.kill_anywhere, 0) && worker->actor &&
        worker->actor->type->kind == RH_KIND_PROCESS)
        rh__rt_hear_signals(worker->actor);
}

/* The running actor; reports a misuse and returns NULL if there is none. */
static inline struct rh__actor *inside(const char *call, const char *here)
{
    struct rh__worker *worker = rh__worker();
    if (__builtin_expect(worker && worker->actor, 1)) {
        rh__rt_hear(worker);
        return worker->actor;
    }
    if (worker) {
        rh__misuse(here, "%s was called outside of an actor", call);
    } else if (rh__gate_enter()) {
        rh__misuse(here, "%s was called outside of an actor", call);
        rh__gate_leave();
    } else {
        rh__no_runtime(call, here);
    }
    return NULL;
}

/* For calls that any thread may make: every enter that returns true is followed by a leave. */
static inline bool enter(struct rh__worker *worker, const char *call, const char *here)
{
    if (worker)
        rh__rt_hear(worker);
    if (worker || rh__gate_enter())
        return true;
    if (call)
        rh__no_runtime(call, here);
    return false;
}

static inline void leave(struct rh__worker *worker)
{
    if (!worker)
        rh__gate_leave();
}

/* Whether the reference names an actor that lives or has lived. */
static inline bool check_actor(rh_ref who, const char *call, const char *here)
{
    if (rh_is_nobody(who))
        rh__misuse(here, "%s of nobody", call);
    else if (rh__ref_external(who))
        rh__misuse(here, "%s of an external sender", call);
    else if (!rh__ref_known(who))
        rh__misuse(here, "%s of an actor that never existed (reference %llx)", call, (unsigned long long)who.id);
    else
        return true;
    return false;
}

static inline bool check_name(const char *name, const char *call, const char *here)
{
    if (name && *name)
        return true;
    rh__misuse(here, "%s without a name", call);
    return false;
}

rh_ref rh__rt_seam_self(void);

/* Durable stores, tables, histories: rt_seam_data.c. */
void rh__rt_seam_store_open(const char *name, const char *here);
uint32_t rh__rt_seam_store_put(const char *key, const void *bytes, size_t size, const char *here);
void rh__rt_seam_store_put_sync(const char *key, const void *bytes, size_t size, const char *here);
int64_t rh__rt_seam_store_get(const char *key, void *buffer, size_t capacity, const char *here);
void rh__rt_seam_store_sync(const char *here);
bool rh__rt_seam_table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here);
int64_t rh__rt_seam_table_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                              const char *here);
int64_t rh__rt_seam_table_add(const struct rh_table *table, const char *key, int64_t delta, const char *here);
uint32_t rh__rt_seam_table_count(const struct rh_table *table, const char *here);
bool rh__rt_seam_table_next(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                            const char *here);
uint64_t rh__rt_seam_history_call(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                                  const void *value, const char *here);
void rh__rt_seam_history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                                const void *value, const char *here);

/* What must hold, and what is for tests only: rt_seam_checks.c. */
void rh__rt_seam_failed(const char *here, const char *condition, const char *text);
void rh__rt_seam_assume_failed(const char *here);
void rh__rt_seam_property(enum rh_property kind, const char *name, bool holds, const char *here);
void rh__rt_seam_announce(const struct rh_message_type *type, const void *value, const char *here);
void rh__rt_seam_abstract(const char *key, uint64_t value, const char *here);
rh_ref rh__rt_seam_observe(const struct rh_actor_type *type, const void *state, const char *here);
void rh__rt_seam_open_to_outside(rh_ref to, const struct rh_message_type *type, bool (*when)(const void *message),
                                 const char *here);
const void *rh__rt_seam_wanted(int kind, const struct rh_message_type *type, rh_ref from, rh_ref to, const char *here);
void rh__rt_seam_advance_time(int64_t ms, const char *here);
const void *rh__rt_seam_state_of(const struct rh_actor_type *type, rh_ref who, const char *here);
void rh__rt_seam_log_line(const char *text);
const char *rh__rt_seam_param(const char *name, bool number);

#endif
