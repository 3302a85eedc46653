/* A part of rehearse.h: what clients of a service asked and were told, held against a sequential model.  Programs
 * include rehearse.h. */
#ifndef REHEARSE_HISTORIES_H
#define REHEARSE_HISTORIES_H

#include <rehearse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- histories --------------------------------------------------------------------------------------------------- */

/* A history is what clients asked of a service, and what they were told.  A client records each call before it asks,
 * and the return when it has the answer.  At the end of each run, the history must agree with a sequential model of the
 * service: there must be an order of the operations in which the model gives each its result, and in which an operation
 * that returned before another was called comes first (linearizability [Herlihy and Wing 1990]).
 *
 *     RH_MESSAGE(write, int value;);  RH_MESSAGE(written);  RH_MESSAGE(read);  RH_MESSAGE(value, int value;);
 *
 *     static bool apply(void *state, const struct rh_operation *o)
 *     {
 *         int *cell = state;
 *         const struct write *w = rh_as(&o->call, write);
 *         if (w)
 *             *cell = w->value;
 *         const struct value *v = rh_as(&o->result, value);
 *         return !v || v->value == *cell;
 *     }
 *     RH_HISTORY(cells, .state_size = sizeof(int), .apply = apply);
 *
 *     struct rh_call c = rh_history_call(cells, "x", write, .value = 5);
 *     rh_ask(server, write, written, .value = 5);
 *     rh_history_return(cells, c, written);
 *
 * Calls and results are messages, of any types.  The key (NULL for none) says which object the operation is about: each
 * key has a state of its own.  An operation that has not returned at the end may have happened, at any time after its
 * call, or not: so a client that gives up, or crashes, just does not record a return.  Do not record a call that was
 * certainly not made.  docs/linearizability.md has more.
 *
 * In production, histories are recorded if the runtime's option history_operations says so, and checked when the
 * runtime stops; any thread may record.  Otherwise these calls have no effect there. */
struct rh_operation {
    const char *key;                 /* "" for none */
    struct rh_envelope call, result; /* rh_as reads them; the type of the result is NULL if there is none */
};

enum rh_consistency {
    RH_LINEARIZABLE, /* the default */
    RH_SEQUENTIAL,   /* only the operations of one client keep their order; states of all keys are checked together */
};

/* The model of a service.  Its functions must be pure, and must not call functions of rehearse.h but rh_as, rh_assert
 * and rh_same. */
struct rh_sequential_model {
    uint32_t state_size; /* of one key, in bytes: plain data without pointers to itself; at most 65,536 */
    enum rh_consistency consistency;
    void (*init)(void *state); /* NULL: a new state is all zero */
    /* Makes the operation in this state, and returns whether it can have this result.  Without a result: whether it
     * can happen at all, with any result. */
    bool (*apply)(void *state, const struct rh_operation *operation);
    bool (*equal)(const void *a, const void *b); /* NULL: states are equal if their bytes are */
    uint64_t (*hash)(const void *state);         /* equal states have equal hashes; only makes the check faster */
    /* Writes the operation for a finding; NULL: the types and, under test, the fields. */
    void (*print)(const struct rh_operation *operation, char *text, size_t size);
};

/* RH_HISTORY(name, .apply = f, ...) declares a history; in a header, where several files use it. */
struct rh_history {
    const char *name;
    const char *place;
    struct rh_sequential_model model;
};
enum { RH_HISTORY_KEY_SIZE = 128, RH_HISTORY_STATE_SIZE = 65536 };
#define RH_HISTORY(name, ...) RH_HISTORY_(name, __VA_ARGS__)

/* An operation that was called.  Plain data: keep it in state until the operation returns. */
struct rh_call {
    uint64_t id;
};
/* struct rh_call rh_history_call(history, key, message, fields...) records a call of the running actor. */
#define rh_history_call(history, ...) RH_CAT(RH_HCALL_, RH_MORE2(__VA_ARGS__))(history, __VA_ARGS__)
#define RH_HCALL_0(history, key, type)                                                                                 \
    rh_history_call_(&rh_history_of_##history, key, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_HCALL_M(history, key, type, ...)                                                                            \
    rh_history_call_(&rh_history_of_##history, key, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
#define rh_history_call_value(history, key, type, pointer)                                                             \
    rh_history_call_(&rh_history_of_##history, key, &rh_message_##type, RH_POINTER_(type, pointer), RH_HERE)
struct rh_call rh_history_call_(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                                const void *value, const char *here);
/* rh_history_return(history, call, message, fields...) records that it returned, with this result. */
#define rh_history_return(history, ...) RH_CAT(RH_HRETURN_, RH_MORE2(__VA_ARGS__))(history, __VA_ARGS__)
#define RH_HRETURN_0(history, call, type)                                                                              \
    rh_history_return_(&rh_history_of_##history, call, &rh_message_##type, RH_ZERO_(type), RH_HERE)
#define RH_HRETURN_M(history, call, type, ...)                                                                         \
    rh_history_return_(&rh_history_of_##history, call, &rh_message_##type, RH_VALUE_(type, __VA_ARGS__), RH_HERE)
#define rh_history_return_value(history, call, type, pointer)                                                          \
    rh_history_return_(&rh_history_of_##history, call, &rh_message_##type, RH_POINTER_(type, pointer), RH_HERE)
void rh_history_return_(const struct rh_history *history, struct rh_call call, const struct rh_message_type *type,
                        const void *value, const char *here);

#ifdef __cplusplus
}
#endif
#endif
