#include "peers/support/peers.h"

RH_BODY(proc)
{
    state->fn(self, state);
}

bool has_tag(const struct rh_envelope *m, const void *tag)
{
    return rh_as(m, val) && rh_as(m, val)->tag == *(const int *)tag;
}

bool has_tag_in(const struct rh_envelope *m, const void *tags)
{
    return rh_as(m, val) && (*(const int *)tags >> rh_as(m, val)->tag & 1);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

enum { MOST_EXPLORED = 30000 }; /* more runs are not counted */

struct counted {
    int completed, blocked;
    bool fails; /* some run fails otherwise than by being stuck */
};

static struct counted explore_row(const struct peer_row *r)
{
    struct rh_semantics s = { .model = r->model,
                              .granularity = RH_GRAIN_OBJECT,
                              .max_actors = 256,
                              .max_bytes_per_actor = 65536,
                              .max_steps = 2000 };
    char n[16];
    snprintf(n, sizeof n, "%d", r->n);
    struct rh_param param = { "n", n };
    struct rh_world *w = world_of(r->program, &s, &param, r->n > 0);
    struct rh_exploration *x = explored(w, "optimal", 1, MOST_EXPLORED);
    const struct rh__counts *c = &x->results->count;
    struct counted counted = { PEER_MANY, 0, false };
    if (x->end.exhausted)
        counted = (struct counted){ (int)(c->runs - c->blocked), (int)c->blocked, c->failed > c->blocked };
    if (c->cut || (x->end.exhausted && x->results->distinct.count != c->runs))
        fail_msg("%s: %llu runs, %llu cut, %llu distinct", r->program, (unsigned long long)c->runs,
                 (unsigned long long)c->cut, (unsigned long long)x->results->distinct.count);
    rh__exploration_free(x);
    rh_world_free(w);
    return counted;
}

static bool same_as_theirs(const struct peer_row *r)
{
    int ours = r->total ? r->ours + r->our_blocked : r->ours;
    return (r->theirs == PEER_ANY || r->theirs == PEER_BUG || r->theirs == ours) &&
           (r->their_blocked == PEER_ANY || r->their_blocked == r->our_blocked);
}

static void number_text(char *to, size_t size, int completed, int blocked)
{
    if (completed == PEER_MANY)
        snprintf(to, size, "> %d", MOST_EXPLORED);
    else if (completed == PEER_BUG)
        snprintf(to, size, "fails");
    else if (blocked > 0)
        snprintf(to, size, "%d + %d", completed, blocked);
    else
        snprintf(to, size, "%d", completed);
}

static void print_row(const struct peer_row *r, struct counted c)
{
    char theirs[32], before[32], now[32], n[16] = "";
    if (r->n)
        snprintf(n, sizeof n, " n=%d", r->n);
    number_text(theirs, sizeof theirs, r->theirs, r->their_blocked);
    number_text(before, sizeof before, r->before, r->blocked_before);
    number_text(now, sizeof now, c.completed, c.blocked);
    printf("| %s | `%s%s` | %s | %s | %s | %s | %s |\n", r->source, r->program, n, rh__delivery(r->model)->name, theirs,
           before, now, r->reason ? r->reason : "");
}

static bool check_row(const struct peer_row *r, bool table)
{
    struct counted c = explore_row(r);
    if (table) {
        print_row(r, c);
        return true;
    }
    bool good = c.completed == r->ours && c.blocked == r->our_blocked;
    if (!good)
        print_error("%s (%s): %d runs complete and %d are blocked; the row has %d and %d\n", r->program,
                    rh__delivery(r->model)->name, c.completed, c.blocked, r->ours, r->our_blocked);
    if (!r->total && c.fails != (r->theirs == PEER_BUG)) {
        print_error("%s (%s): a run %s\n", r->program, rh__delivery(r->model)->name, c.fails ? "fails" : "should fail");
        good = false;
    }
    if (same_as_theirs(r) != !r->reason) {
        print_error("%s (%s): the row must have a reason if, and only if, the numbers of the tools differ\n",
                    r->program, rh__delivery(r->model)->name);
        good = false;
    }
    return good;
}

void peer_check_all(const struct peer_row *rows, size_t count)
{
    const char *only = getenv("REHEARSE_ROW");
    bool table = getenv("REHEARSE_TABLE");
    uint32_t wrong = 0, checked = 0, equal = 0;
    for (size_t i = 0; i < count; i++) {
        if (only && strcmp(only, rows[i].program) != 0)
            continue;
        wrong += !check_row(&rows[i], table);
        equal += same_as_theirs(&rows[i]);
        checked++;
    }
    print_message("%u rows, %u with the same number as the other tool\n", checked, equal);
    assert_int_equal(wrong, 0);
}
