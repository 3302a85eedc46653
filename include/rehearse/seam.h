/* The seam between a program and the world in which it runs: the functions of rehearse.h, as a struct.
 *
 * A world (the production runtime, the controlled world, one of your own) fills a const struct rh_seam and passes it to
 * rh_seam_use.  The functions of rehearse.h only call through it.  `here` is the place of the call in the program,
 * "file.c:12", for messages.  Actors may call each function; those marked (any) may also be called from outside of
 * actors.  A world must report a misuse with its place and continue, or end the actor; it must never crash. */
#ifndef REHEARSE_SEAM_H
#define REHEARSE_SEAM_H

#include <rehearse.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A change of one key of a table, requested by rh_table_put, rh_table_insert_new, rh_table_remove or rh_table_swap. */
enum rh_table_when { RH_WHEN_ANY, RH_WHEN_ABSENT, RH_WHEN_EQUAL };
struct rh_table_change {
    const char *call; /* "rh_table_put", for messages */
    const char *key;
    enum rh_table_when when; /* always; if the key has no value; if its value equals `expected` */
    const void *expected;
    size_t expected_size;
    const void *bytes; /* NULL: no value */
    size_t size;
};

struct rh_seam {
    const char *name;
    rh_ref (*spawn)(const struct rh_actor_type *type, const void *state, enum rh_watch watch,
                    const char *here); /* (any), but only actors may watch; `state` NULL: all zero */
    void (*send)(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const void *tail,
                 size_t tail_size, const char *here); /* (any); `from` nobody: the running actor */
    /* (any); returns whether an actor has the name */
    bool (*send_to_name)(const char *name, const struct rh_message_type *type, const void *value, const char *here);
    struct rh_request (*request)(const char *here); /* the request of the message being handled, to answer it now */
    struct rh_request (*keep_request)(const char *here); /* the same, to answer it later */
    void (*reply)(struct rh_request request, const struct rh_message_type *type, const void *value, const void *tail,
                  size_t tail_size, const char *here); /* a request of nobody: no effect */
    void (*forward)(rh_ref to, const char *here);
    const void *(*ask)(rh_ref to, const struct rh_message_type *type, const void *value,
                       const struct rh_message_type *reply, int64_t timeout_ms, const char *here);
    /* With a count: an array of so many envelopes. */
    const struct rh_envelope *(*receive)(const struct rh_filter *filter, const char *here);
    void (*turn_to)(const struct rh_envelope *envelope, const char *here); /* one of the last set received */
    const void *(*tail)(size_t *size);
    rh_ref (*self)(void);                        /* (any): nobody outside */
    rh_ref (*sender)(void);                      /* (any): nobody outside */
    bool (*alive)(rh_ref who, const char *here); /* (any) */
    void (*yield)(const char *here);
    struct rh_actor_info (*info)(rh_ref who, const char *here);
    uint32_t (*restarts)(void);                             /* (any): 0 outside */
    const char *(*name_of)(rh_ref who);                     /* (any) */
    rh_ref (*external)(const char *name, const char *here); /* (any) */
    void (*become)(const struct rh_behaviour *behaviour, const char *here);
    void (*stop)(const char *here);
    /* Does not return; `type` NULL: without a result. */
    void (*exit)(const char *reason, const struct rh_message_type *type, const void *value, const char *here);
    void (*kill)(rh_ref who, const char *reason, const char *here);
    void (*link)(rh_ref who, bool on, const char *here);
    void (*monitor)(rh_ref who, bool on, const char *here);
    const struct rh_down *(*join)(rh_ref who, int64_t timeout_ms, const char *here);
    void (*trap_exits)(bool yes, const char *here);
    bool (*name_set)(const char *name, rh_ref who, const char *here); /* (any); who nobody: remove */
    rh_ref (*name_find)(const char *name, const char *here);          /* (any) */
    void (*timer)(const char *name, int64_t delay_ms, const struct rh_message_type *type, const void *value,
                  const char *here);
    bool (*timer_cancel)(const char *name, const char *here);
    int64_t (*now_ms)(void); /* (any) */
    void (*sleep)(int64_t ms, const char *here);
    uint32_t (*choose)(uint32_t n, const char *here);
    uint64_t (*random)(void); /* (any) */
    void (*store_open)(const char *name, const char *here);
    uint32_t (*store_put)(const char *key, const void *bytes, size_t size, const char *here);
    void (*store_put_sync)(const char *key, const void *bytes, size_t size, const char *here); /* durable on return */
    int64_t (*store_get)(const char *key, void *buffer, size_t capacity, const char *here);
    void (*store_sync)(const char *here);
    /* (any) in production.  table_change returns whether the condition held; for RH_WHEN_ANY whether the key had a
     * value. */
    bool (*table_change)(const struct rh_table *table, const struct rh_table_change *change, const char *here);
    int64_t (*table_get)(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                         const char *here);
    int64_t (*table_add)(const struct rh_table *table, const char *key, int64_t delta, const char *here);
    uint32_t (*table_count)(const struct rh_table *table, const char *here);
    bool (*table_next)(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                       const char *here);
    /* (any) in production.  A call and a return of a history; 0 is no call. */
    uint64_t (*history_call)(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                             const void *value, const char *here);
    void (*history_return)(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                           const void *value, const char *here);
    void (*failed)(const char *here, const char *condition, const char *text); /* (any) an assertion does not hold */
    void (*assume_failed)(const char *here);                                   /* (any) an assumption does not hold */
    void (*property)(enum rh_property kind, const char *name, bool holds, const char *here);
    void (*announce)(const struct rh_message_type *type, const void *value, const char *here);
    void (*abstract)(const char *key, uint64_t value, const char *here);
    rh_ref (*observe)(const struct rh_actor_type *monitor, const void *state, const char *here);
    /* `when` is a rh_when_fn of rehearse/test.h; NULL: any value. */
    void (*open)(rh_ref to, const struct rh_message_type *type, bool (*when)(const void *message), const char *here);
    /* Scenarios (rehearse/test.h): `wanted` is an enum rh_wanted, `from` and `to` may be nobody. */
    const void *(*wanted)(int wanted, const struct rh_message_type *type, rh_ref from, rh_ref to, const char *here);
    void (*advance_time)(int64_t ms, const char *here);
    const void *(*state_of)(const struct rh_actor_type *type, rh_ref who, const char *here);
    void (*log)(const char *text); /* (any) */
    /* (any) the value given on the command line, or NULL; with `number`, a value that is not a number refuses the
     * test */
    const char *(*param)(const char *name, bool number);
};

/* Makes the program run in this world; NULL for none.  Call it before the first actor starts; keep it until the last
 * has ended. */
void rh_seam_use(const struct rh_seam *seam);

#ifdef __cplusplus
}
#endif
#endif
