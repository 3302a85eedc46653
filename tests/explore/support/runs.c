#include "explore/support/runs.h"

/* ---- records ----------------------------------------------------------------------------------------------------- */

uint64_t fnv(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *c = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ c[i]) * 0x100000001b3u;
    return hash;
}

uint64_t sequence_of(const struct rh_world *w)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    uint64_t hash = FNV_START;
    for (uint32_t i = 1; i < n; i++)
        hash = fnv(hash, &events[i].choice, sizeof events[i].choice);
    return hash;
}

/* Which event of which actor sent it, and as what, in names. */
static void message_text(const struct rh_world *w, uint32_t message, char *to, size_t size)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    struct rh_message_info m = rh_world_message(w, message);
    char by[128], sender[128];
    rh_world_actor_name(w, events[m.event].choice.actor, by, sizeof by);
    rh_world_actor_name(w, m.sender, sender, sizeof sender);
    snprintf(to, size, "%s.%u.%u as %s", by, events[m.event].number, m.ordinal, sender);
}

int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

uint64_t behaviour_of(const struct rh_world *w)
{
    enum { LINE = 512 };
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    char(*lines)[LINE] = calloc(n, LINE);
    assert_non_null(lines);
    for (uint32_t i = 0; i < n; i++) {
        const struct rh_choice *c = &events[i].choice;
        char actor[128], what[300] = "";
        if (c->actor == RH_NONE)
            continue;
        rh_world_actor_name(w, c->actor, actor, sizeof actor);
        if (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_ACCEPT || c->kind == RH_CHOICE_LOSE ||
            c->kind == RH_CHOICE_DUPLICATE)
            message_text(w, c->what, what, sizeof what);
        else if (c->kind == RH_CHOICE_TIMER)
            rh_world_choice_text(w, c, what, sizeof what);
        else
            snprintf(what, sizeof what, "%u", c->what);
        snprintf(lines[i], LINE, "%s %u %u %s", actor, events[i].number, c->kind, what);
    }
    qsort(lines, n, LINE, by_text);
    uint64_t hash = FNV_START;
    for (uint32_t i = 0; i < n; i++)
        if (*lines[i]) /* not the network's */
            hash = fnv(hash, lines[i], strlen(lines[i]) + 1);
    free(lines);
    return hash;
}

static void note_run(struct record *r, const struct rh_world *w, bool failed)
{
    if (r->count == MOST_RUNS)
        return;
    r->sequence[r->count] = sequence_of(w);
    r->behaviour[r->count] = behaviour_of(w);
    rh_world_events(w, &r->events[r->count]);
    r->failed += failed;
    r->count++;
}

int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint32_t distinct(uint64_t *list, uint32_t count)
{
    uint32_t n = 0;
    qsort(list, count, sizeof *list, by_number);
    for (uint32_t i = 0; i < count; i++)
        n += !i || list[i] != list[i - 1];
    return n;
}

/* ---- spy --------------------------------------------------------------------------------------------------------- */

struct record *spied;

static void spy_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    if (spied->count < MOST_RUNS)
        spied->engine_behaviour[spied->count] = run->distinct;
    note_run(spied, w, rh_outcome_failed(run->outcome));
    rh_inner_end(&s->inner, w, run);
}
SPY(spy, "notes the runs that another explorer makes", spy_end)

/* ---- brute force ------------------------------------------------------------------------------------------------- */

enum { DEEPEST = 1 << 12 };

struct brute {
    uint32_t limit; /* stop when there are more runs than this */
    uint32_t top;
    bool done, too_many;
    uint32_t pick[DEEPEST], size[DEEPEST];
    struct record *record;
};

static void brute_next(struct brute *b)
{
    while (b->top && b->pick[b->top - 1] + 1 == b->size[b->top - 1])
        b->top--;
    if (b->top)
        b->pick[b->top - 1]++;
    b->too_many = b->record->count > b->limit;
    b->done = !b->top || b->too_many;
}

static void brute_drive(struct rh_world *w, void *arg)
{
    struct brute *b = arg;
    while (!b->done) {
        uint32_t open;
        const struct rh_choice *choices;
        rh_world_reset(w);
        for (uint32_t d = 0; (choices = rh_world_enabled(w, &open)), open; d++) {
            assert_true(d < DEEPEST);
            if (d == b->top) {
                b->pick[d] = 0;
                b->size[d] = open;
                b->top++;
            }
            assert_int_equal(b->size[d], open);
            assert_true(rh_world_step(w, &choices[b->pick[d]]));
        }
        note_run(b->record, w, rh_outcome_failed(rh_world_outcome(w)->kind));
        brute_next(b);
    }
}

bool brute_force(struct rh_world *w, struct record *record, uint32_t limit)
{
    struct brute *b = rh_shared_new(sizeof *b);
    assert_non_null(b);
    b->limit = limit;
    b->record = record;
    enum rh_sandbox_end end;
    while ((end = rh_sandbox_run(w, brute_drive, b)) == RH_SANDBOX_FINDING && !b->done) {
        note_run(record, w, true);
        brute_next(b);
        if (b->done)
            break;
    }
    assert_int_not_equal(end, RH_SANDBOX_FAILED);
    bool all = !b->too_many;
    rh_shared_free(b, sizeof *b);
    return all;
}

/* ---- worlds and explorations ------------------------------------------------------------------------------------- */

const struct rh_test *test_named(const char *name)
{
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    if (!t)
        fail_msg("there is no test %s", name);
    return t;
}

struct rh_world *world_of(const char *test, const struct rh_semantics *semantics, const struct rh_param *params,
                          size_t param_count)
{
    char error[256];
    struct rh_world_options o = {
        .test = test_named(test), .semantics = semantics, .params = params, .param_count = param_count, .quiet = true
    };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w)
        fail_msg("%s", error);
    return w;
}

struct rh_exploration *explored(struct rh_world *w, const char *explorer, uint64_t seed, uint64_t max_runs)
{
    char error[512];
    struct rh__limits limits = { .max_runs = max_runs, .keep_going = true };
    struct rh_exploration *x = rh__exploration_new(w, explorer, seed, &limits, error, sizeof error);
    if (!x)
        fail_msg("%s", error);
    assert_true(rh__explore(x));
    return x;
}

int close_world(void **unused)
{
    (void)unused;
    rh_world_free(rh__world);
    return 0;
}

struct record *record_new(void)
{
    struct record *r = rh_shared_new(sizeof *r);
    assert_non_null(r);
    return r;
}

void record_free(struct record *r)
{
    rh_shared_free(r, sizeof *r);
}
