/* See queue_work.h. */
#include "cluster/support/queue_work.h"
#include "cluster/support.h"

#include "base/random.h"

/* ---- the work ---------------------------------------------------------------------------------------------------- */

void queue_add_leaf(struct rh__results *r, uint32_t leaf)
{
    struct rh__property_result p = { .kind = RH_SOMETIMES, .name = "odd", .place = "leaf:1" };
    char call[16];
    r->count.runs++;
    r->count.steps += 1 + leaf % 5;
    r->count.cut += leaf % 11 == 3;
    r->share += 1.0 / QUEUE_LEAVES;
    r->share_runs++;
    rh__distinct_add(&r->distinct, leaf % 37 + 1);
    p.held = leaf % 2;
    p.failed = !p.held;
    rh__results_add_property(r, &p);
    snprintf(call, sizeof call, "call%u", leaf % 3);
    rh__results_add_escape(r, call, "leaf:2");
    if (leaf % 13 != 7)
        return;
    r->count.failed++;
    r->prefer_first_in_tree = true;
    struct rh__finding *f = rh__results_find(r, leaf % 4 + 1, &leaf, 1);
    if (f) {
        f->run = r->count.runs;
        f->outcome = (struct rh_outcome){ .kind = RH_OUTCOME_ASSERTION, .actor = RH_NONE };
        f->picks[0] = leaf;
        f->pick_count = 1;
        snprintf(f->actor, sizeof f->actor, "leaf %u", leaf);
    }
}

struct rh__results *queue_new_results(void)
{
    struct rh__results *r = rh__results_new(4);
    assert_non_null(r);
    return r;
}

static char *text_of(const void *results)
{
    struct rh__results *copy = queue_new_results();
    assert_true(rh__results_add(copy, results));
    rh__results_sort(copy);
    char *text = results_as_text(copy);
    rh__results_free(copy);
    return text;
}

static char *text_of_one_process(void)
{
    struct rh__results *r = queue_new_results();
    for (uint32_t i = 0; i < QUEUE_LEAVES; i++)
        queue_add_leaf(r, i);
    char *text = text_of(r);
    rh__results_free(r);
    return text;
}

struct queue_outcome queue_work_on(struct queue_range range, uint64_t *random)
{
    struct queue_outcome o = { rh__writer_new(), rh__writer_new(), 0 };
    struct rh__results *r = queue_new_results();
    uint32_t done = range.from + rh__random_below(random, range.to - range.from + 1);
    for (uint32_t i = range.from; i < done; i++)
        queue_add_leaf(r, i);
    while (done < range.to) {
        struct queue_range part = { done, done + 1 + rh__random_below(random, range.to - done) };
        rh__put_block(&o.rest, &part, sizeof part);
        o.rest_count++;
        done = part.to;
    }
    rh__results_encode(r, NULL, &o.results);
    assert_false(o.results.full || o.rest.full);
    rh__results_free(r);
    return o;
}

void queue_release(struct queue_outcome *o)
{
    rh__writer_release(&o->results);
    rh__writer_release(&o->rest);
}

struct rh__items queue_rest_of(const struct queue_outcome *o)
{
    return (struct rh__items){ o->rest.at, o->rest.len, o->rest_count };
}

/* ---- a queue with its totals ------------------------------------------------------------------------------------- */

struct tested_queue queue_opened(const struct rh__queue_table *t)
{
    char error[256];
    struct tested_queue k = { t, NULL, queue_new_results() };
    k.q = t->open(NULL, k.totals, error, sizeof error);
    assert_non_null(k.q);
    return k;
}

struct tested_queue queue_with_all_leaves(const struct rh__queue_table *t)
{
    struct tested_queue k = queue_opened(t);
    const struct queue_range all = { 0, QUEUE_LEAVES };
    assert_true(t->add(k.q, &all, sizeof all));
    return k;
}

void queue_close(struct tested_queue *k)
{
    k->t->close(k->q);
    rh__results_free(k->totals);
}

/* All that can be seen of a queue. */
bool queue_is_as(const struct tested_queue *k, uint32_t waiting, uint32_t leased, uint64_t runs)
{
    const struct rh__results *r = k->t->totals(k->q);
    return k->t->waiting(k->q) == waiting && k->t->leased(k->q) == leased && r->count.runs == runs;
}

struct queue_range queue_range_of(const struct rh__lease *l)
{
    struct queue_range r = { 0, 0 };
    assert_int_equal(l->size, sizeof r);
    memcpy(&r, l->item, sizeof r);
    return r;
}

/* Fetches, works and commits until nothing is left.  False if that takes too long or a commit is refused. */
bool queue_finish(struct tested_queue *k, uint64_t *random)
{
    struct rh__lease lease;
    for (int steps = 0; k->t->fetch(k->q, &lease); steps++) {
        struct queue_outcome o = queue_work_on(queue_range_of(&lease), random);
        struct rh__items rest = queue_rest_of(&o);
        enum rh__commit c = k->t->commit(k->q, lease.number, o.results.at, o.results.len, &rest);
        queue_release(&o);
        if (steps == QUEUE_MOST_STEPS || c != RH__COMMITTED)
            return false;
    }
    return true;
}

/* Whether the totals are those of one process, and nothing is left. */
bool queue_is_done(struct tested_queue *k)
{
    char *one = text_of_one_process(), *is = text_of(k->t->totals(k->q));
    bool same = strcmp(one, is) == 0 && !k->t->waiting(k->q) && !k->t->leased(k->q);
    free(one);
    free(is);
    return same;
}

struct rh__writer queue_snapshot_of(struct tested_queue *k)
{
    struct rh__writer w = rh__writer_new();
    k->t->snapshot(k->q, &w);
    assert_false(w.full);
    return w;
}

/* False if the queue does not take it. */
bool queue_restored(struct tested_queue *k, const void *bytes, size_t size)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    return k->t->restore(k->q, &r) && rh__reader_done(&r);
}
