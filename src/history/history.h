/* Histories of operations, checked against a sequential model (RH_HISTORY): in both libraries. */
#ifndef RH_HISTORY_HISTORY_H
#define RH_HISTORY_HISTORY_H

#include <rehearse.h>

#include "base/text.h"

enum { RH__NOT_RETURNED = 0xffffffffu };

struct rh__history_op {
    struct rh_operation seen;  /* what the model is given */
    uint64_t client;           /* who called */
    uint32_t called, returned; /* moments: each call and each return has one of its own, from 1 on */
    uint32_t index;            /* for the caller */
};

enum rh__history_verdict {
    RH__HISTORY_EXPLAINED,
    RH__HISTORY_UNEXPLAINED,
    RH__HISTORY_UNDECIDED, /* too many orders, or no memory; or the caller has stopped it */
};

/* A part of a history that has no order.  Without any of its operations as they are (each may have happened at any
 * time, or not), there is an order; the others of the history do not matter in this sense. */
struct rh__history_core {
    const struct rh__history_op *ops; /* sorted by their calls; valid until the next check */
    uint32_t count;
    uint32_t others; /* operations of the same key (with sequential consistency: of all keys) that do not matter */
};

/* Memory of the checks, used again and again. */
struct rh__history_checker;
struct rh__history_checker *rh__history_checker_new(void); /* NULL: no memory */
void rh__history_checker_free(struct rh__history_checker *c);

/* Checks the operations of one history; their order in the array changes.  `stopped` (NULL: never) is asked after each
 * application of the model. */
enum rh__history_verdict rh__history_check(struct rh__history_checker *c, const struct rh_history *history,
                                           struct rh__history_op *ops, uint32_t count, bool (*stopped)(void *arg),
                                           void *arg, struct rh__history_core *core);

/* How a core is shown. */
struct rh__history_words {
    void (*client)(void *arg, uint64_t client, struct rh__text *to);
    void (*value)(void *arg, const struct rh_message_type *type, const void *value, struct rh__text *to);
    void *arg;
};
/* A sentence, then a line for each operation with a bar from its call to its return; no line is longer than
 * RH__HISTORY_COLUMNS. */
enum { RH__HISTORY_COLUMNS = 74 }; /* reports indent the lines */
void rh__history_draw(const struct rh_history *history, const struct rh__history_core *core,
                      const struct rh__history_words *words, struct rh__text *to);

/* A sentence about an invalid declaration, or NULL. */
const char *rh__history_misuse(const struct rh_history *history, const char *key);

#endif
