/* The seam between a program and the world that it runs in: rehearse.h's functions, as a struct.
 *
 * A world (the production runtime, the controlled world, one of your own) fills a const struct rh_seam and hands it to
 * rh_seam_use.  The functions of rehearse.h do nothing but call through it; `here` is the place of the call in the
 * program, "file.c:12", for messages.  Each function may be called from inside an actor; those marked (any) also from
 * outside.  A world must report a misuse with the place and go on or end the actor: it must never crash. */
#ifndef REHEARSE_SEAM_H
#define REHEARSE_SEAM_H

#include <rehearse.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A change of one key of a table, as rh_table_put, rh_table_insert_new, rh_table_remove and rh_table_swap ask for it. */
enum rh_table_when { RH_WHEN_ANY, RH_WHEN_ABSENT, RH_WHEN_EQUAL };
struct rh_table_change {
    const char *call; /* "rh_table_put", for messages */
    const char *key;
    enum rh_table_when when; /* to be made whatever is there, if nothing is, if `expected` is */
    const void *expected;
    size_t expected_size;
    const void *bytes; /* NULL: no value */
    size_t size;
};

struct rh_seam {
    const char *name;
    rh_ref (*spawn)(const struct rh_actor_type *type, const void *state, enum rh_watch watch,
                    const char *here); /* (any), but only actors watch; state NULL: all zero */
    void (*send)(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const void *tail,
                 size_t tail_size, const char *here); /* (any); from nobody: whoever runs now */
    /* (any); whether somebody has the name */
    bool (*send_to_name)(const char *name, const struct rh_message_type *type, const void *value, const char *here);
    struct rh_request (*request)(const char *here); /* of the message being handled */
    void (*reply)(struct rh_request request, const struct rh_message_type *type, const void *value, const void *tail,
                  size_t tail_size, const char *here); /* to nobody: nothing */
    void (*forward)(rh_ref to, const char *here);
    const void *(*ask)(rh_ref to, const struct rh_message_type *type, const void *value,
                       const struct rh_message_type *reply, int64_t timeout_ms, const char *here);
    const struct rh_envelope *(*receive)(const struct rh_filter *filter, const char *here);
    const void *(*tail)(size_t *size);
    rh_ref (*self)(void);                                   /* (any): nobody outside */
    rh_ref (*sender)(void);                                 /* (any): nobody outside */
    bool (*alive)(rh_ref who);                              /* (any) */
    const char *(*name_of)(rh_ref who);                     /* (any) */
    rh_ref (*external)(const char *name, const char *here); /* (any) */
    void (*become)(const struct rh_behaviour *behaviour, const char *here);
    void (*stop)(const char *here);
    /* Does not return; type NULL: without a result. */
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
    int64_t (*store_get)(const char *key, void *buffer, size_t capacity, const char *here);
    void (*store_sync)(const char *here);
    /* (any) in production.  table_change says whether the condition held; where there was none, whether the key had a
     * value. */
    bool (*table_change)(const struct rh_table *table, const struct rh_table_change *change, const char *here);
    int64_t (*table_get)(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                         const char *here);
    int64_t (*table_add)(const struct rh_table *table, const char *key, int64_t delta, const char *here);
    uint32_t (*table_count)(const struct rh_table *table, const char *here);
    bool (*table_next)(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                       const char *here);
    void (*failed)(const char *here, const char *condition, const char *text); /* (any) an assertion does not hold */
    void (*assume_failed)(const char *here);                                   /* (any) an assumption does not hold */
    void (*property)(enum rh_property kind, const char *name, bool holds, const char *here);
    void (*announce)(const struct rh_message_type *type, const void *value, const char *here);
    rh_ref (*observe)(const struct rh_actor_type *monitor, const void *state, const char *here);
    void (*log)(const char *text); /* (any) */
    /* (any) the value given on the command line, or NULL; where a number is wanted it is one, or the test is refused */
    const char *(*param)(const char *name, bool number);
};

/* From now on the program runs in this world; NULL for none.  Set before the first actor and kept until the last. */
void rh_seam_use(const struct rh_seam *seam);

#ifdef __cplusplus
}
#endif
#endif
