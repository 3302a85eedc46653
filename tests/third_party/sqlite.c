/* A library that we did not write, unchanged, inside actors: SQLite allocates all the time and keeps globals (its
 * configuration, statistics of memory in use, page cache, random state, functions that it registers at the first use).
 *
 * Two actors hold a database in memory each.  Every schedule is taken three ways: stepping and undoing, running and
 * resetting (in one process), and in a fresh process each.  All must give the same rows and the same figures out of
 * SQLite's globals; the first two also the same fingerprint (SQLite keeps the process's id in a global). */
#if !defined(RH_WITH_SQLITE) /* see CMakeLists.txt here */ || defined(RH_NO_GLOBALS_TRACKING) /* a coverage build */

int main(void)
{
    return 77;
}

#else

#include "sandbox/drive.h"

#include <sqlite3.h>

RH_MESSAGE(put, char name[16]; int value;);

RH_ACTOR(database, sqlite3 *db; char rows[160]; int64_t total; int64_t memory; int changes;);

static void must(struct database *state, int result, int wanted)
{
    rh_assert(result == wanted, "SQLite says %d: %s", result, state->db ? sqlite3_errmsg(state->db) : "no database");
}

static void open_database(struct database *state)
{
    if (state->db)
        return;
    must(state, sqlite3_open(":memory:", &state->db), SQLITE_OK);
    const char *create = "create table t(id integer primary key, name text unique, value int)";
    must(state, sqlite3_exec(state->db, create, NULL, NULL, NULL), SQLITE_OK);
}

RH_HANDLER(database, put)
{
    sqlite3_stmt *s;
    open_database(state);
    must(state,
         sqlite3_prepare_v2(state->db,
                            "insert into t(name, value) values(?1, ?2) "
                            "on conflict(name) do update set value = value * 3 + ?2",
                            -1, &s, NULL),
         SQLITE_OK);
    must(state, sqlite3_bind_text(s, 1, msg->name, -1, SQLITE_STATIC), SQLITE_OK);
    must(state, sqlite3_bind_int(s, 2, msg->value), SQLITE_OK);
    must(state, sqlite3_step(s), SQLITE_DONE);
    must(state, sqlite3_finalize(s), SQLITE_OK);

    /* What the table holds now, in the order of insertion: it depends on the schedule. */
    sqlite3_stmt *q;
    size_t at = 0;
    must(state, sqlite3_prepare_v2(state->db, "select name, value from t order by id", -1, &q, NULL), SQLITE_OK);
    while (sqlite3_step(q) == SQLITE_ROW)
        at += (size_t)snprintf(state->rows + at, sizeof state->rows - at, "%s=%d ", sqlite3_column_text(q, 0),
                               sqlite3_column_int(q, 1));
    must(state, sqlite3_finalize(q), SQLITE_OK);
    state->memory = sqlite3_memory_used(); /* a global of the library: over all actors */
    state->changes = sqlite3_total_changes(state->db);
}
RH_BEHAVIOUR(database, open, put);

RH_TEST(two_databases)
{
    rh_ref a = rh_spawn(database), b = rh_spawn(database);
    rh_send_from(rh_external("x"), a, put, .name = "one", .value = 1);
    rh_send_from(rh_external("y"), a, put, .name = "two", .value = 2);
    rh_send_from(rh_external("z"), a, put, .name = "one", .value = 5);
    rh_send_from(rh_external("x"), b, put, .name = "three", .value = 3);
    rh_send_from(rh_external("y"), b, put, .name = "four", .value = 4);
}

/* ---- what a schedule comes to ------------------------------------------------------------------------------------ */

enum { SCHEDULES = 120, DEPTH = 5 }; /* five messages, none ordered with another: 5! */

struct result {
    char rows[2][160];
    int64_t memory[2], library_memory;
    int changes[2];
    uint64_t fingerprint;
};

/* Results by number of schedule. */
struct results {
    struct result of[SCHEDULES];
    uint32_t count;
};

static void note_result(struct rh_world *w, struct results *r)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    if (o->kind != RH_OUTCOME_FINISHED || r->count == SCHEDULES) {
        fprintf(stderr, "%s: %s (%s)\n", rh_outcome_name(o->kind), o->text, o->place);
        abort();
    }
    struct result *x = &r->of[r->count++];
    for (uint32_t i = 0; i < 2; i++) {
        const struct database *d = rh_world_actor_state(w, 1 + i);
        memcpy(x->rows[i], d->rows, sizeof d->rows);
        x->memory[i] = d->memory;
        x->changes[i] = d->changes;
    }
    x->library_memory = sqlite3_memory_used();
    x->fingerprint = rh_world_fingerprint(w);
}

static void all_by_undo(struct rh_world *w, void *arg)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    if (!n) {
        note_result(w, arg);
        return;
    }
    struct rh_choice copy[DEPTH];
    memcpy(copy, open, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) {
        rh_world_step(w, &copy[i]);
        all_by_undo(w, arg);
        rh_world_undo(w);
    }
}

/* The k-th schedule, in the same order: at depth d there are 5 - d choices. */
static void run_schedule(struct rh_world *w, uint32_t k)
{
    uint32_t below = SCHEDULES, n;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n;) {
        below /= n;
        struct rh_choice c = open[k / below];
        k %= below;
        rh_world_step(w, &c);
    }
}

static void all_by_reset(struct rh_world *w, void *arg)
{
    for (uint32_t k = 0; k < SCHEDULES; k++) {
        rh_world_reset(w);
        run_schedule(w, k);
        note_result(w, arg);
    }
}

/* In shared memory. */
struct record {
    struct results fresh, undone, reset;
};

static void one(struct rh_world *w, void *arg)
{
    struct record *r = arg;
    run_schedule(w, r->fresh.count);
    note_result(w, &r->fresh);
}

static void both(struct rh_world *w, void *arg)
{
    struct record *r = arg;
    all_by_undo(w, &r->undone);
    all_by_reset(w, &r->reset);
}

static void run_in_child(struct rh_world *w, void (*drive)(struct rh_world *w, void *arg), struct record *r)
{
    enum rh_sandbox_end end = rh_sandbox_run(w, drive, r);
    if (end != RH_SANDBOX_DONE)
        fail_msg("%d: %s (%s)", end, rh_world_outcome(w)->text, rh_world_outcome(w)->place);
}

static void check_same(const struct results *is, const struct results *want)
{
    assert_int_equal(is->count, SCHEDULES);
    for (uint32_t k = 0; k < SCHEDULES; k++) {
        const struct result *x = &is->of[k], *y = &want->of[k];
        for (int i = 0; i < 2; i++) {
            if (strcmp(x->rows[i], y->rows[i]) != 0)
                fail_msg("schedule %u: \"%s\", in a fresh process \"%s\"", k, x->rows[i], y->rows[i]);
            assert_int_equal(x->memory[i], y->memory[i]);
            assert_int_equal(x->changes[i], y->changes[i]);
        }
        assert_int_equal(x->library_memory, y->library_memory);
    }
}

static void undo_and_reset_give_what_fresh_processes_give(void **unused)
{
    (void)unused;
    struct record *r = rh_shared_new(sizeof *r);
    assert_non_null(r);
    struct rh_world *w = world_of("two_databases");
    for (int i = 0; i < SCHEDULES; i++)
        run_in_child(w, one, r);
    run_in_child(w, both, r);
    assert_int_equal(rh_world_escape_count(w), 0);
    close_world(w);
    check_same(&r->undone, &r->fresh);
    check_same(&r->reset, &r->fresh);
    for (uint32_t k = 0; k < SCHEDULES; k++)
        assert_int_equal(r->undone.of[k].fingerprint, r->reset.of[k].fingerprint);

    /* The schedules do differ.  Of the first database: one then one or the other way round (two values), and two before
     * or behind the first of them (two orders of rows). */
    uint32_t different = 0;
    for (uint32_t k = 0; k < SCHEDULES; k++) {
        bool seen = false;
        for (uint32_t j = 0; j < k && !seen; j++)
            seen = strcmp(r->fresh.of[k].rows[0], r->fresh.of[j].rows[0]) == 0;
        different += !seen;
    }
    assert_int_equal(different, 4);
    rh_shared_free(r, sizeof *r);
}

/* In this process: SQLite's own counter is back where it was, and the library still works outside. */
static void its_globals_are_restored(void **unused)
{
    (void)unused;
    int64_t before = sqlite3_memory_used();
    struct rh_world *w = world_of("two_databases");
    rh_world_begin(w);
    for (int i = 0; i < 20; i++) {
        run_first(w, NULL);
        check_outcome(w, RH_OUTCOME_FINISHED);
        assert_true(sqlite3_memory_used() > before);
        rh_world_reset(w);
        assert_int_equal(sqlite3_memory_used(), before);
    }
    struct rh_outcome same = rh_world_check_determinism(w, 1);
    if (same.kind != RH_OUTCOME_FINISHED)
        fail_msg("%s", same.text);
    close_world(w);
    assert_int_equal(sqlite3_memory_used(), before);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "select 1", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

#define TEST(f) cmocka_unit_test_teardown(f, free_world_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(its_globals_are_restored),
        TEST(undo_and_reset_give_what_fresh_processes_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
