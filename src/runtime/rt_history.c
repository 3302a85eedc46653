/* See rt_history.h.
 *
 * One lock orders all calls and returns.  A call is recorded before the client asks and a return after it has the
 * answer, so what is recorded as one after the other was one after the other.  When there is no room any more nothing
 * is recorded, no return either: what is there is the history up to that moment. */
#include "runtime/rt_history.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/history.h"
#include "runtime/failure.h"
#include "runtime/rt_names.h"
#include "runtime/runtime.h"

struct operation {
    const struct rh_history *history;
    struct rh__history_op op;
    char *name; /* of the client */
};

static struct {
    pthread_mutex_t lock;
    struct operation *at;
    uint32_t count, room;
    uint32_t moments;
    bool full;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local char this_thread; /* its address is the name of a client that is no actor */

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = rh__need(size ? size : 1);
    memcpy(copy, bytes, size);
    return copy;
}

static void record(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                   const void *value, rh_ref client)
{
    const char *name = rh_is_nobody(client) ? "a thread" : rh__name_of(client);
    if (all.count == all.room) {
        all.room = all.room * 2 + 64;
        all.at = rh__need_more(all.at, all.room * sizeof *all.at);
    }
    all.at[all.count++] = (struct operation){
        .history = history,
        .op = { .seen = { .key = copy_of(key, strlen(key) + 1),
                          .call = { .type = type, .value = copy_of(value, type->size) } },
                .client = rh_is_nobody(client) ? (uintptr_t)&this_thread : client.id,
                .called = ++all.moments,
                .returned = RH__NOT_RETURNED },
        .name = copy_of(name, strlen(name) + 1),
    };
}

uint64_t rh__rt_history_call(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                             const void *value, rh_ref client)
{
    uint64_t call = 0;
    if (!rh__rt.options.history_operations)
        return 0;
    pthread_mutex_lock(&all.lock);
    all.full |= all.count >= rh__rt.options.history_operations;
    if (!all.full) {
        record(history, key ? key : "", type, value, client);
        call = all.count;
    }
    pthread_mutex_unlock(&all.lock);
    return call;
}

void rh__rt_history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                           const void *value, const char *here)
{
    const char *wrong = NULL;
    if (!rh__rt.options.history_operations)
        return;
    pthread_mutex_lock(&all.lock);
    struct operation *o = call && call <= all.count ? &all.at[call - 1] : NULL;
    if (!all.full && (!o || o->history != history)) {
        wrong = "this is not a call of history";
    } else if (o && o->op.seen.result.type) {
        wrong = "the operation has returned already, of history";
    } else if (o && !all.full) {
        o->op.seen.result = (struct rh_envelope){ .type = type, .value = copy_of(value, type->size) };
        o->op.returned = ++all.moments;
    }
    pthread_mutex_unlock(&all.lock);
    if (wrong)
        rh__misuse(here, "rh_history_return: %s %s", wrong, history->name);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void say_client(void *arg, uint64_t client, struct rh__text *to)
{
    (void)arg;
    uint32_t i = 0;
    while (i < all.count && all.at[i].op.client != client)
        i++;
    rh__text_add(to, "%s", i < all.count ? all.at[i].name : "?");
}

static void say_value(void *arg, const struct rh_message_type *type, const void *value, struct rh__text *to)
{
    (void)arg, (void)value;
    rh__text_add(to, "%s", type->name);
}

static void check(struct rh__history_checker *c, const struct rh_history *h, struct rh__history_op *ops)
{
    const struct rh__history_words words = { say_client, say_value, NULL };
    struct rh__history_core core;
    char text[2048];
    struct rh__text t;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.at[i].history == h)
            ops[count++] = all.at[i].op;
    enum rh__history_verdict v = rh__history_check(c, h, ops, count, NULL, NULL, &core);
    rh__text_init(&t, text, sizeof text);
    if (v == RH__HISTORY_UNEXPLAINED)
        rh__history_draw(h, &core, &words, &t);
    else if (v == RH__HISTORY_UNDECIDED)
        rh__text_add(&t, "history %s has too many orders to check: %u operations", h->name, core.others);
    if (v != RH__HISTORY_EXPLAINED)
        rh__rt_fail("history", h->place, "%s", text);
}

void rh__rt_histories_end(void)
{
    struct rh__history_op *ops = rh__need((all.count + (size_t)1) * sizeof *ops);
    struct rh__history_checker *c = all.count ? rh__history_checker_new() : NULL;
    if (all.full)
        fprintf(stderr, "rehearse: histories: only the first %u operations were recorded (history_operations)\n",
                all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t first = 0;
        while (all.at[first].history != all.at[i].history)
            first++;
        if (c && first == i)
            check(c, all.at[i].history, ops);
    }
    for (uint32_t i = 0; i < all.count; i++) {
        free((void *)(uintptr_t)all.at[i].op.seen.key);
        free((void *)(uintptr_t)all.at[i].op.seen.call.value);
        free((void *)(uintptr_t)all.at[i].op.seen.result.value);
        free(all.at[i].name);
    }
    rh__history_checker_free(c);
    free(ops);
    free(all.at);
    all.at = NULL;
    all.count = all.room = all.moments = 0;
    all.full = false;
}
