/* The queue in memory with a defect in front of it, one of each kind that the checks are for. */
#include <rehearse/explorer.h>

#include "cluster/support.h"
#include "cluster/support/queue_checks.h"

#define DEFECTS(X)                                                                                                     \
    X(HANDS_OUT_TWICE, each_item_is_fetched_once)                                                                      \
    X(USES_NUMBERS_AGAIN, an_item_that_is_given_back_waits_again)                                                      \
    X(TAKES_LATE_COMMITS_OF_REUSED_NUMBERS, a_late_commit_does_not_count)                                              \
    X(LOSES_WHAT_IS_GIVEN_BACK, an_item_that_is_given_back_waits_again)                                                \
    X(FORGETS_DEATHS, deaths_are_counted)                                                                              \
    X(RENEWS_ANYTHING, a_lease_is_renewed_until_it_ends)                                                               \
    X(COUNTS_TWICE, the_first_commit_of_a_lease_counts)                                                                \
    X(LOSES_REST, the_first_commit_of_a_lease_counts)                                                                  \
    X(TAKES_INVALID_RESULTS, invalid_bytes_change_nothing)                                                             \
    X(IS_NOT_ATOMIC, invalid_bytes_change_nothing)                                                                     \
    X(LOSES_ITEMS_WITHOUT_MEMORY, a_commit_without_memory_changes_nothing)                                             \
    X(ADDS_KEYS_AGAIN, of_items_with_one_key_the_first_counts)                                                         \
    X(FORGETS_KEYS, of_items_with_one_key_the_first_counts)                                                            \
    X(ADDS_HALF_OF_THE_RUNS, totals_are_those_of_one_process)                                                          \
    X(SNAPSHOT_WITHOUT_LEASED, a_snapshot_holds_totals_and_all_items)                                                  \
    X(SNAPSHOT_WITHOUT_TOTALS, a_snapshot_holds_totals_and_all_items)                                                  \
    X(TAKES_DAMAGED_SNAPSHOTS, a_damaged_snapshot_is_refused)                                                          \
    X(LOSES_ITEMS_OF_DEAD_WORKERS, a_worker_may_die_at_every_step)                                                     \
    X(SNAPSHOT_WITHOUT_LEASED_FOR_AGENTS, an_agent_may_die_at_every_step)
enum defect {
#define X(name, check) name,
    DEFECTS(X)
#undef X
        DEFECT_COUNT
};
static const struct {
    const char *name;
    enum queue_check found_by;
} defects[] = {
#define X(name, check) { #name, CHECK_##check },
    DEFECTS(X)
#undef X
};
uint32_t queue_planted = UINT32_MAX;

enum queue_check queue_defect_found_by(uint32_t defect)
{
    return defects[defect].found_by;
}

const char *queue_defect_name(uint32_t defect)
{
    return defect < DEFECT_COUNT ? defects[defect].name : NULL;
}

/* The queue in memory, with the queue_planted defect in front of it. */
struct broken {
    void *q;
    struct rh__results *totals;
    uint64_t number[1 << 12]; /* of the lease in memory, by the number that is shown */
    uint64_t last, reuse;
};
#define INNER rh__queue_local

static bool reuses_numbers(void)
{
    return queue_planted == USES_NUMBERS_AGAIN || queue_planted == TAKES_LATE_COMMITS_OF_REUSED_NUMBERS;
}

static uint64_t inner_number(const struct broken *b, uint64_t shown)
{
    return shown < sizeof b->number / sizeof *b->number ? b->number[shown] : shown;
}

static void *broken_open(const char *where, struct rh__results *totals_kept, char *error, size_t error_size)
{
    struct broken *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->totals = totals_kept;
    b->q = INNER.open(where, totals_kept, error, error_size);
    return b;
}

static void broken_close(void *state)
{
    struct broken *b = state;
    INNER.close(b->q);
    free(b);
}

static bool broken_add(void *state, const void *item, size_t size)
{
    if (queue_planted == ADDS_KEYS_AGAIN && rh_item_key(item, size))
        return INNER.add(((struct broken *)state)->q, (const char *)item + RH_ITEM_KEY, size - RH_ITEM_KEY);
    return INNER.add(((struct broken *)state)->q, item, size);
}

static bool broken_fetch(void *state, struct rh__lease *lease)
{
    struct broken *b = state;
    if (!INNER.fetch(b->q, lease))
        return false;
    uint64_t shown = reuses_numbers() && b->reuse ? b->reuse : ++b->last;
    b->reuse = 0;
    assert_in_range(shown, 1, sizeof b->number / sizeof *b->number - 1);
    b->number[shown] = lease->number;
    lease->number = shown;
    if (queue_planted == HANDS_OUT_TWICE)
        INNER.add(b->q, lease->item, lease->size);
    return true;
}

static bool broken_renew(void *state, uint64_t lease)
{
    const struct broken *b = state;
    return queue_planted == RENEWS_ANYTHING || INNER.renew(b->q, inner_number(b, lease));
}

/* Ends a lease as if nothing had come of it. */
static void end_lease(struct broken *b, uint64_t inner)
{
    struct rh__items none = { NULL, 0, 0 };
    struct rh__results *r = queue_new_results();
    struct rh__writer w = rh__writer_new();
    rh__results_encode(r, NULL, &w);
    INNER.commit(b->q, inner, w.at, w.len, &none);
    rh__writer_release(&w);
    rh__results_free(r);
}

static enum rh__commit broken_commit(void *state, uint64_t lease, const void *results, size_t size,
                                     const struct rh__items *rest)
{
    struct broken *b = state;
    struct rh__items fewer = *rest;
    uint64_t inner = inner_number(b, lease), runs = b->totals->count.runs;
    if (queue_planted == LOSES_REST && rest->count && rh__items_check(rest)) {
        struct rh__reader r = rh__reader_of(rest->bytes, rest->size);
        size_t last;
        for (uint32_t i = 0; i + 1 < rest->count; i++)
            rh__get_block(&r, &last);
        fewer = (struct rh__items){ rest->bytes, rest->size - r.left, rest->count - 1 };
    }
    if (queue_planted == IS_NOT_ATOMIC && !rh__items_check(rest) && INNER.renew(b->q, inner))
        rh__results_add_encoded(b->totals, results, size);
    enum rh__commit c = INNER.commit(b->q, inner, results, size, &fewer);
    if (queue_planted == COUNTS_TWICE && c == RH__COMMIT_LATE && lease <= b->last)
        return rh__results_add_encoded(b->totals, results, size) ? RH__COMMITTED : c;
    if ((queue_planted == TAKES_INVALID_RESULTS ||
         (queue_planted == LOSES_ITEMS_WITHOUT_MEMORY && rh__alloc_has_failed())) &&
        c == RH__COMMIT_REFUSED) {
        end_lease(b, inner);
        return RH__COMMITTED;
    }
    if (queue_planted == ADDS_HALF_OF_THE_RUNS && c == RH__COMMITTED)
        b->totals->count.runs -= (b->totals->count.runs - runs) / 2;
    return c;
}

static void broken_give_back(void *state, uint64_t lease, bool died)
{
    struct broken *b = state;
    uint64_t inner = inner_number(b, lease);
    bool loses = queue_planted == LOSES_WHAT_IS_GIVEN_BACK || (queue_planted == LOSES_ITEMS_OF_DEAD_WORKERS && died);
    if (!INNER.renew(b->q, inner))
        return;
    b->reuse = lease;
    if (loses)
        end_lease(b, inner);
    else
        INNER.give_back(b->q, inner, died && queue_planted != FORGETS_DEATHS);
}

static const struct rh__results *broken_totals(const void *state)
{
    return INNER.totals(((const struct broken *)state)->q);
}

static uint32_t broken_waiting(const void *state)
{
    return INNER.waiting(((const struct broken *)state)->q);
}

static uint32_t broken_leased(const void *state)
{
    return INNER.leased(((const struct broken *)state)->q);
}

/* The queue in memory writes its totals, then the items that wait, then the leased ones. */
static void broken_snapshot(void *state, struct rh__writer *to)
{
    struct broken *b = state;
    struct rh__writer whole = rh__writer_new(), empty = rh__writer_new();
    struct rh__results *nothing = queue_new_results();
    size_t size;
    bool waiting_only = queue_planted == SNAPSHOT_WITHOUT_LEASED || queue_planted == SNAPSHOT_WITHOUT_LEASED_FOR_AGENTS;
    INNER.snapshot(b->q, &whole);
    rh__results_encode(nothing, NULL, &empty);
    struct rh__reader r = rh__reader_of(whole.at, whole.len);
    const void *totals = rh__get_block(&r, &size);
    if (queue_planted == SNAPSHOT_WITHOUT_TOTALS)
        rh__put_block(to, empty.at, empty.len);
    else
        rh__put_block(to, totals, size);
    uint64_t count = rh__get_small(&r) - (waiting_only ? INNER.leased(b->q) : 0);
    if (queue_planted == FORGETS_KEYS) /* which are behind the items */
        count = INNER.leased(b->q) + INNER.waiting(b->q);
    rh__put_small(to, count);
    for (; count; count--) {
        const void *item = rh__get_block(&r, &size);
        rh__put_block(to, item, size);
    }
    rh__results_free(nothing);
    rh__writer_release(&whole);
    rh__writer_release(&empty);
}

static bool broken_restore(void *state, struct rh__reader *from)
{
    struct broken *b = state;
    bool good = INNER.restore(b->q, from);
    if (queue_planted != TAKES_DAMAGED_SNAPSHOTS)
        return good;
    from->bad = false;
    from->left = 0;
    return true;
}

const struct rh__queue_table queue_broken = { "broken",      broken_open,    broken_close,  broken_add,
                                              broken_fetch,  broken_renew,   broken_commit, broken_give_back,
                                              broken_totals, broken_waiting, broken_leased, broken_snapshot,
                                              broken_restore };
