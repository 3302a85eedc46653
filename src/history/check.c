/* See history.h: one history is checked key by key, since a history is linearizable if and only if it is for each key
 * [Herlihy and Wing 1990, theorem 1].  Sequential consistency is not local: all keys are checked together. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "history/history.h"
#include "history/order.h"

enum {
    MOST_NODES = 1 << 20,      /* of a check */
    MOST_CORE_NODES = 1 << 14, /* of each check that makes the core smaller */
    MOST_CORE_TRIES = 1 << 24, /* applications of the model in all of these */
    BOTH_WAYS = 64,            /* up to so many operations, the core is made smaller from both sides */
};

struct rh__history_checker {
    struct rh__order *order;
    struct rh__history_op *part; /* the part of a history that has no order */
    bool *loose;                 /* by operation of it; twice, for two attempts */
    size_t room;
};

struct rh__history_checker *rh__history_checker_new(void)
{
    struct rh__history_checker *c = rh__alloc_array(1, sizeof *c);
    if (c)
        c->order = rh__order_new();
    if (c && !c->order) {
        rh__free(c);
        return NULL;
    }
    return c;
}

void rh__history_checker_free(struct rh__history_checker *c)
{
    if (!c)
        return;
    rh__order_free(c->order);
    rh__free(c->part);
    rh__free(c->loose);
    rh__free(c);
}

const char *rh__history_misuse(const struct rh_history *history, const char *key)
{
    if (!history->model.apply)
        return "RH_HISTORY needs .apply, the function of the sequential model";
    if (history->model.state_size > RH_HISTORY_STATE_SIZE)
        return "RH_HISTORY: .state_size is over the limit of 65536 bytes";
    if (history->model.consistency != RH_LINEARIZABLE && history->model.consistency != RH_SEQUENTIAL)
        return "RH_HISTORY: .consistency is RH_LINEARIZABLE or RH_SEQUENTIAL";
    if (key && strnlen(key, RH_HISTORY_KEY_SIZE) == RH_HISTORY_KEY_SIZE)
        return "rh_history_call: a key has at most 127 bytes";
    return NULL;
}

/* ---- a core ------------------------------------------------------------------------------------------------------ */

static bool has_no_order(struct rh__history_checker *c, struct rh__order_problem *p, const bool *loose)
{
    p->loose = loose;
    return rh__order_search(c->order, p, NULL) == RH__HISTORY_UNEXPLAINED;
}

/* Makes `size` operations from `first` on loose, if there is no order still. */
static bool loosen(struct rh__history_checker *c, struct rh__order_problem *p, bool *loose, uint32_t first,
                   uint32_t size)
{
    uint32_t end = first + size < p->count ? first + size : p->count, changed = 0;
    bool was[BOTH_WAYS], one = size == 1;
    for (uint32_t i = first; i < end; i++)
        changed += !loose[i];
    if (!changed)
        return false;
    /* Larger parts than `was` has room for are only tried where nothing of them is loose. */
    if (!one && size > BOTH_WAYS && changed < end - first)
        return false;
    if (!one && size <= BOTH_WAYS)
        memcpy(was, loose + first, (end - first) * sizeof *was);
    memset(loose + first, true, (end - first) * sizeof *loose);
    if (has_no_order(c, p, loose))
        return true;
    if (!one && size <= BOTH_WAYS)
        memcpy(loose + first, was, (end - first) * sizeof *was);
    else
        memset(loose + first, false, (end - first) * sizeof *loose);
    return false;
}

/* Makes all operations loose but the last ones that were called before `end`, as few of them as leave no order, in
 * powers of two: with few operations that are not loose, a search is short.  Returns the first of these. */
static uint32_t find_window(struct rh__history_checker *c, struct rh__order_problem *p, bool *loose, uint32_t end)
{
    uint32_t last = 0;
    while (last < p->count && p->ops[last].called < end)
        last++;
    for (uint32_t size = 1;; size *= 2) {
        uint32_t first = size < last ? last - size : 0;
        memset(loose, true, p->count * sizeof *loose);
        memset(loose + first, false, (last - first) * sizeof *loose);
        if (has_no_order(c, p, loose))
            return first;
        if (!first)
            break;
    }
    memset(loose, false, p->count * sizeof *loose); /* also what was called later matters, or the search is too long */
    return 0;
}

/* Makes as many operations from `from` on loose as it can, halves first; what is left is needed one by one [as by delta
 * debugging, Zeller and Hildebrandt 2002].  Returns how many are left. */
static uint32_t reduce(struct rh__history_checker *c, struct rh__order_problem *p, bool *loose, uint32_t from,
                       bool backwards)
{
    uint32_t left = 0;
    for (uint32_t size = (p->count - from + 1) / 2;; size = (size + 1) / 2) {
        uint32_t parts = (p->count - from + size - 1) / size;
        bool again = true;
        while (again) {
            again = false;
            for (uint32_t i = 0; i < parts; i++)
                again |= loosen(c, p, loose, from + (backwards ? parts - 1 - i : i) * size, size);
            again &= size == 1; /* until each that is left is needed */
        }
        if (size == 1)
            break;
    }
    for (uint32_t i = 0; i < p->count; i++)
        left += !loose[i];
    return left;
}

static void find_core(struct rh__history_checker *c, struct rh__order_problem *p, uint32_t end,
                      struct rh__history_core *core)
{
    uint64_t budget = MOST_CORE_TRIES;
    uint32_t kept = 0;
    bool *one = c->loose, *other = c->loose + c->room;
    memcpy(c->part, p->ops, p->count * sizeof *p->ops);
    p->ops = c->part;
    p->max_nodes = MOST_CORE_NODES;
    p->budget = &budget;
    uint32_t from = find_window(c, p, one, end);
    memcpy(other, one, p->count * sizeof *one);
    uint32_t left = reduce(c, p, one, from, true); /* what came first is easier to understand */
    if (p->count <= BOTH_WAYS && reduce(c, p, other, from, false) < left)
        one = other;
    for (uint32_t i = 0; i < p->count; i++)
        if (!one[i])
            c->part[kept++] = c->part[i];
    *core = (struct rh__history_core){ c->part, kept, p->count - kept };
}

/* ---- a history --------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const struct rh__history_op *x = a, *y = b;
    int order = strcmp(x->seen.key, y->seen.key);
    return order ? order : x->called < y->called ? -1 : x->called > y->called;
}

static int by_call(const void *a, const void *b)
{
    const struct rh__history_op *x = a, *y = b;
    return x->called < y->called ? -1 : x->called > y->called;
}

static bool reserve(struct rh__history_checker *c, size_t count)
{
    if (count <= c->room)
        return true;
    size_t n = count + count / 2 + 16;
    struct rh__history_op *part = rh__realloc(c->part, n * sizeof *part);
    c->part = part ? part : c->part;
    bool *loose = part ? rh__realloc(c->loose, 2 * n * sizeof *loose) : NULL;
    c->loose = loose ? loose : c->loose;
    if (!loose)
        return false;
    c->room = n;
    return true;
}

enum rh__history_verdict rh__history_check(struct rh__history_checker *c, const struct rh_history *history,
                                           struct rh__history_op *ops, uint32_t count, bool (*stopped)(void *arg),
                                           void *arg, struct rh__history_core *core)
{
    bool whole = history->model.consistency == RH_SEQUENTIAL;
    qsort(ops, count, sizeof *ops, whole ? by_call : by_key);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && (whole || strcmp(ops[end].seen.key, ops[first].seen.key) == 0);)
            end++;
        struct rh__order_problem p = {
            &history->model, ops + first, end - first, NULL, MOST_NODES, NULL, stopped, arg
        };
        uint32_t reached;
        enum rh__history_verdict v = rh__order_search(c->order, &p, &reached);
        if (v == RH__HISTORY_EXPLAINED)
            continue;
        if (v == RH__HISTORY_UNEXPLAINED && reserve(c, end - first))
            find_core(c, &p, whole ? RH__NOT_RETURNED : reached, core);
        else
            *core = (struct rh__history_core){ ops + first, 0, end - first };
        return v;
    }
    return RH__HISTORY_EXPLAINED;
}
