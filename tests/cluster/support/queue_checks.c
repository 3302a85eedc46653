/* The checks of queue_checks.h that need one process. */
#include "cluster/support/queue_checks.h"

#include <rehearse/explorer.h>

#include "base/random.h"
#include "cluster/support.h"

/* ---- the checks: fetch, give back, renew ------------------------------------------------------------------------- */

const char *each_item_is_fetched_once(struct tested_queue *k, uint64_t *random)
{
    enum { ITEMS = 20 };
    static unsigned char large[1 << 20];
    bool seen[ITEMS + 2] = { false };
    uint64_t numbers[ITEMS + 2] = { 0 };
    struct rh__lease l;
    (void)random;
    REQUIRE(!k->t->fetch(k->q, &l) && queue_is_as(k, 0, 0, 0), "a new queue is not empty");
    large[sizeof large - 1] = 7;
    REQUIRE(k->t->add(k->q, NULL, 0) && k->t->add(k->q, large, sizeof large), "an item is not taken");
    for (unsigned char i = 0; i < ITEMS; i++)
        REQUIRE(k->t->add(k->q, &i, 1), "an item is not taken");
    for (uint32_t n = 0; n < ITEMS + 2; n++) {
        REQUIRE(queue_is_as(k, ITEMS + 2 - n, n, 0), "items that wait and leases are not counted");
        REQUIRE(k->t->fetch(k->q, &l), "an item is lost");
        REQUIRE(l.number && !l.deaths, "a lease has no number, or deaths");
        for (uint32_t i = 0; i < n; i++)
            REQUIRE(numbers[i] != l.number, "two leases have one number");
        numbers[n] = l.number;
        REQUIRE(l.size == 0 || (l.size == 1 && *(const unsigned char *)l.item < ITEMS) ||
                    (l.size == sizeof large && memcmp(l.item, large, sizeof large) == 0),
                "an item has changed");
        uint32_t which = l.size == 0 ? ITEMS : l.size == 1 ? *(const unsigned char *)l.item : ITEMS + 1;
        REQUIRE(!seen[which], "an item is fetched twice");
        seen[which] = true;
    }
    REQUIRE(!k->t->fetch(k->q, &l), "an item is fetched twice");
    return NULL;
}

const char *an_item_that_is_given_back_waits_again(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease first, l;
    (void)random;
    REQUIRE(k->t->add(k->q, "a", 1) && k->t->fetch(k->q, &first), "an item is lost");
    k->t->give_back(k->q, first.number, false);
    REQUIRE(queue_is_as(k, 1, 0, 0) && k->t->fetch(k->q, &l), "an item that was given back is lost");
    REQUIRE(l.size == 1 && memcmp(l.item, "a", 1) == 0, "an item that was given back has changed");
    REQUIRE(l.number != first.number, "the number of a lease is used again");
    k->t->give_back(k->q, first.number, true);
    REQUIRE(queue_is_as(k, 0, 1, 0), "a lease that has ended can be given back");
    k->t->give_back(k->q, 12345, true);
    REQUIRE(queue_is_as(k, 0, 1, 0), "a lease that never was can be given back");
    return NULL;
}

const char *deaths_are_counted(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease l;
    (void)random;
    REQUIRE(k->t->add(k->q, "a", 1), "an item is not taken");
    for (uint32_t deaths = 0; deaths < 4; deaths++) {
        REQUIRE(k->t->fetch(k->q, &l) && l.deaths == deaths, "deaths over an item are not counted");
        k->t->give_back(k->q, l.number, false);
        REQUIRE(k->t->fetch(k->q, &l) && l.deaths == deaths, "a lease that was given back alive counts as a death");
        k->t->give_back(k->q, l.number, true);
    }
    return NULL;
}

const char *a_lease_is_renewed_until_it_ends(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease l, other;
    struct queue_outcome o = queue_work_on((struct queue_range){ 0, 3 }, random);
    struct rh__items none = { NULL, 0, 0 };
    REQUIRE(k->t->add(k->q, "a", 1) && k->t->add(k->q, "b", 1), "an item is not taken");
    REQUIRE(!k->t->renew(k->q, 1), "a lease that never was is renewed");
    REQUIRE(k->t->fetch(k->q, &l) && k->t->fetch(k->q, &other), "an item is lost");
    REQUIRE(k->t->renew(k->q, l.number) && k->t->renew(k->q, l.number), "a lease is not renewed");
    k->t->give_back(k->q, l.number, true);
    REQUIRE(!k->t->renew(k->q, l.number), "a lease that was given back is renewed");
    REQUIRE(k->t->commit(k->q, other.number, o.results.at, o.results.len, &none) == RH__COMMITTED, "a commit fails");
    REQUIRE(!k->t->renew(k->q, other.number), "a lease that was committed is renewed");
    queue_release(&o);
    return NULL;
}

/* ---- the checks: commit ------------------------------------------------------------------------------------------ */

const char *the_first_commit_of_a_lease_counts(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease l;
    struct queue_outcome o = queue_work_on((struct queue_range){ 0, QUEUE_LEAVES }, random);
    struct rh__items rest = queue_rest_of(&o);
    REQUIRE(k->t->add(k->q, "a", 1) && k->t->fetch(k->q, &l), "an item is lost");
    REQUIRE(k->t->commit(k->q, 777, o.results.at, o.results.len, &rest) == RH__COMMIT_LATE,
            "a lease that never was is committed");
    REQUIRE(k->t->commit(k->q, l.number, o.results.at, o.results.len, &rest) == RH__COMMITTED, "a commit fails");
    uint64_t runs = k->t->totals(k->q)->count.runs;
    uint32_t waiting = k->t->waiting(k->q);
    REQUIRE(waiting == o.rest_count && !k->t->leased(k->q), "the items that are left of a lease do not all wait");
    REQUIRE(k->t->commit(k->q, l.number, o.results.at, o.results.len, &rest) == RH__COMMIT_LATE &&
                queue_is_as(k, waiting, 0, runs),
            "a second commit of a lease counts");
    queue_release(&o);
    return NULL;
}

/* A worker that seemed dead, and commits after another worker has its item. */
const char *a_late_commit_does_not_count(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease late, l;
    struct queue_outcome o = queue_work_on((struct queue_range){ 0, QUEUE_LEAVES }, random);
    struct rh__items none = { NULL, 0, 0 };
    REQUIRE(k->t->add(k->q, "a", 1) && k->t->fetch(k->q, &late), "an item is lost");
    k->t->give_back(k->q, late.number, true);
    REQUIRE(k->t->commit(k->q, late.number, o.results.at, o.results.len, &none) == RH__COMMIT_LATE &&
                queue_is_as(k, 1, 0, 0),
            "a commit of a lease that was given back counts");
    REQUIRE(k->t->fetch(k->q, &l), "an item that was given back is lost");
    REQUIRE(k->t->commit(k->q, late.number, o.results.at, o.results.len, &none) == RH__COMMIT_LATE &&
                queue_is_as(k, 0, 1, 0),
            "a late commit counts while another worker has the item");
    REQUIRE(k->t->commit(k->q, l.number, o.results.at, o.results.len, &none) == RH__COMMITTED, "a commit fails");
    queue_release(&o);
    return NULL;
}

const char *invalid_bytes_change_nothing(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease l;
    static const unsigned char blocks[] = { 1, 'x', 200, 'y' };
    struct queue_outcome o = queue_work_on((struct queue_range){ 0, 60 }, random);
    struct rh__items none = { NULL, 0, 0 }, cut = { blocks, 3, 2 }, more = { blocks, 2, 2 }, fewer = { blocks, 2, 0 },
                     many = { blocks, 2, RH__MOST_PARTS + 1 };
    const struct rh__items *bad[] = { &cut, &more, &fewer, &many };
    REQUIRE(k->t->add(k->q, "a", 1) && k->t->fetch(k->q, &l), "an item is lost");
    for (size_t size = 0; size < o.results.len; size += 1 + size / 20)
        REQUIRE(k->t->commit(k->q, l.number, o.results.at, size, &none) == RH__COMMIT_REFUSED &&
                    queue_is_as(k, 0, 1, 0),
                "results that are cut off are committed, or change something");
    struct rh__items rest = queue_rest_of(&o);
    REQUIRE(k->t->commit(k->q, l.number, o.results.at, o.results.len - 1, &rest) == RH__COMMIT_REFUSED &&
                queue_is_as(k, 0, 1, 0),
            "a commit whose results are invalid adds its items");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REQUIRE(k->t->commit(k->q, l.number, o.results.at, o.results.len, bad[i]) == RH__COMMIT_REFUSED &&
                    queue_is_as(k, 0, 1, 0),
                "a commit whose items are invalid adds its results");
    REQUIRE(k->t->commit(k->q, l.number, o.results.at, o.results.len, &none) == RH__COMMITTED,
            "a lease is lost with a refused commit");
    queue_release(&o);
    return NULL;
}

/* The k-th allocation fails, for every k. */
const char *a_commit_without_memory_changes_nothing(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease l;
    struct queue_outcome o = queue_work_on((struct queue_range){ 0, QUEUE_LEAVES }, random);
    struct rh__items rest = queue_rest_of(&o);
    REQUIRE(k->t->add(k->q, "a", 1) && k->t->fetch(k->q, &l), "an item is lost");
    for (long failures = 0;; failures++) {
        rh__alloc_fail_after(failures + 1);
        enum rh__commit c = k->t->commit(k->q, l.number, o.results.at, o.results.len, &rest);
        bool failed = rh__alloc_has_failed();
        rh__alloc_fail_after(0);
        if (!failed)
            break;
        REQUIRE(c == RH__COMMIT_REFUSED && queue_is_as(k, 0, 1, 0), "a commit without memory changes something");
    }
    REQUIRE(k->t->waiting(k->q) == o.rest_count && !k->t->leased(k->q), "items are lost");
    queue_release(&o);
    return NULL;
}

/* ---- the checks: totals and snapshots ---------------------------------------------------------------------------- */

const char *totals_are_those_of_one_process(struct tested_queue *k, uint64_t *random)
{
    const struct queue_range all = { 0, QUEUE_LEAVES };
    REQUIRE(k->t->add(k->q, &all, sizeof all), "an item is not taken");
    REQUIRE(queue_finish(k, random), "the work does not end");
    REQUIRE(queue_is_done(k), "the totals are not those of one process");
    return NULL;
}

/* Of three items one is done, one is leased and one waits.  Leases of the old queue mean nothing in the new one: their
 * items wait there. */
const char *a_snapshot_holds_totals_and_all_items(struct tested_queue *k, uint64_t *random)
{
    enum { THIRD = QUEUE_LEAVES / 3 };
    struct rh__lease l;
    struct rh__items none = { NULL, 0, 0 };
    struct rh__results *r = queue_new_results();
    struct rh__writer w = rh__writer_new();
    for (uint32_t i = 0; i < 3; i++) {
        struct queue_range range = { i * THIRD, (i + 1) * THIRD };
        REQUIRE(k->t->add(k->q, &range, sizeof range), "an item is not taken");
    }
    REQUIRE(k->t->fetch(k->q, &l), "an item is lost");
    struct queue_range range = queue_range_of(&l);
    for (uint32_t i = range.from; i < range.to; i++)
        queue_add_leaf(r, i);
    rh__results_encode(r, NULL, &w);
    REQUIRE(k->t->commit(k->q, l.number, w.at, w.len, &none) == RH__COMMITTED, "a commit fails");
    REQUIRE(k->t->fetch(k->q, &l), "an item is lost");
    rh__writer_release(&w);
    rh__results_free(r);

    w = queue_snapshot_of(k);
    REQUIRE(queue_is_as(k, 1, 1, THIRD), "a snapshot changes the queue");
    struct tested_queue other = queue_opened(k->t);
    const char *wrong = !queue_restored(&other, w.at, w.len) ? "a snapshot is not taken"
                        : other.totals->count.runs != THIRD  ? "a snapshot is without totals"
                        : !queue_is_as(&other, 2, 0, THIRD)  ? "a snapshot is without some items"
                        : !queue_finish(&other, random) || !queue_is_done(&other)
                            ? "after a snapshot the totals are not those of one process"
                            : NULL;
    queue_close(&other);
    rh__writer_release(&w);
    return wrong;
}

/* An item with a key: `number` is a part of the key, and all of the item. */
static size_t keyed_item(unsigned char number, unsigned char item[RH_ITEM_KEY + 1])
{
    static const unsigned char key[RH_ITEM_KEY] = { 0xff, 'r', 'h', 'o', 'n', 'c', 'e', 0xff };
    memcpy(item, key, sizeof key);
    item[RH_ITEM_KEY - 1] = item[RH_ITEM_KEY] = number;
    return RH_ITEM_KEY + 1;
}

/* Adds items with the keys 0 .. count - 1, each twice, as what is left of a lease. */
static bool commit_keyed(struct tested_queue *k, uint64_t lease, unsigned char count)
{
    unsigned char item[RH_ITEM_KEY + 1];
    struct rh__results *r = queue_new_results();
    struct rh__writer results = rh__writer_new(), rest = rh__writer_new();
    rh__results_encode(r, NULL, &results);
    for (unsigned char i = 0; i < 2 * count; i++)
        rh__put_block(&rest, item, keyed_item(i % count, item));
    struct rh__items items = { rest.at, rest.len, 2 * (uint32_t)count };
    bool good = k->t->commit(k->q, lease, results.at, results.len, &items) == RH__COMMITTED;
    rh__writer_release(&results);
    rh__writer_release(&rest);
    rh__results_free(r);
    return good;
}

const char *of_items_with_one_key_the_first_counts(struct tested_queue *k, uint64_t *random)
{
    enum { KEYS = 100 };
    unsigned char item[RH_ITEM_KEY + 1];
    bool seen[KEYS] = { false };
    struct rh__lease l;
    (void)random;
    REQUIRE(k->t->add(k->q, "a", 1) && k->t->fetch(k->q, &l), "an item is lost");
    REQUIRE(k->t->add(k->q, item, keyed_item(7, item)), "an item with a key is not taken");
    REQUIRE(commit_keyed(k, l.number, KEYS), "a commit fails");
    REQUIRE(queue_is_as(k, KEYS, 0, 0), "items with the same key are added, or others are not");
    REQUIRE(k->t->fetch(k->q, &l) && l.size == sizeof item && rh_item_key(l.item, l.size), "an item has changed");
    k->t->give_back(k->q, l.number, true);
    REQUIRE(queue_is_as(k, KEYS, 0, 0), "an item with a key that is given back is lost");
    for (uint32_t n = 0; n + 1 < KEYS; n++) {
        REQUIRE(k->t->fetch(k->q, &l), "an item is lost");
        unsigned char number = ((const unsigned char *)l.item)[RH_ITEM_KEY];
        REQUIRE(number < KEYS && !seen[number], "an item with a key is fetched twice");
        seen[number] = true;
        REQUIRE(commit_keyed(k, l.number, KEYS), "a commit fails");
    }
    REQUIRE(queue_is_as(k, 1, 0, 0), "a key is forgotten when its item is done");
    struct rh__writer w = queue_snapshot_of(k);
    struct tested_queue other = queue_opened(k->t);
    const char *wrong = queue_restored(&other, w.at, w.len) && other.t->fetch(other.q, &l) ? NULL : "an item is lost";
    if (!wrong && (!commit_keyed(&other, l.number, KEYS) || !queue_is_as(&other, 0, 0, 0)))
        wrong = "a snapshot is without keys";
    queue_close(&other);
    rh__writer_release(&w);
    return wrong;
}

const char *a_damaged_snapshot_is_refused(struct tested_queue *k, uint64_t *random)
{
    const struct queue_range all = { 0, QUEUE_LEAVES };
    struct rh__lease l;
    REQUIRE(k->t->add(k->q, &all, sizeof all) && k->t->fetch(k->q, &l), "an item is lost");
    struct queue_outcome o = queue_work_on(all, random);
    struct rh__items rest = queue_rest_of(&o);
    REQUIRE(k->t->commit(k->q, l.number, o.results.at, o.results.len, &rest) == RH__COMMITTED, "a commit fails");
    queue_release(&o);
    struct rh__writer w = queue_snapshot_of(k);
    const char *wrong = NULL;
    for (size_t size = 0; size < w.len && !wrong; size += 1 + size / 10) {
        struct tested_queue other = queue_opened(k->t);
        if (queue_restored(&other, w.at, size))
            wrong = "a snapshot that is cut off is taken";
        queue_close(&other);
    }
    for (int i = 0; i < 100 && !wrong; i++) { /* any bytes do no harm */
        struct tested_queue other = queue_opened(k->t);
        w.at[rh__random_below(random, (uint32_t)w.len)] ^= (unsigned char)(1u << rh__random_below(random, 8));
        queue_restored(&other, w.at, w.len);
        queue_close(&other);
    }
    rh__writer_release(&w);
    return wrong;
}
