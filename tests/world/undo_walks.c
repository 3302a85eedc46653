/* Going back: random walks of a program that uses all there is (rich.h), with undo, rollback, reset, save and load in
 * between.  Wherever the walk comes back to, the world is as it was when it was there first (a digest of every table,
 * every byte of memory, every open choice), and the same choices lead to the same states again.  So with fingerprints
 * asked for never, always and now and then; a fingerprint that was kept up piece by piece is the one computed
 * afresh. */
#include "world/support/driver.h"

#include "support/few.h"
#include "world/support/rich.h"

enum { DEEPEST = 60, SNAPSHOTS = 3, ACTIONS = 120 };

enum asking { NEVER, ALWAYS, SOMETIMES };

struct point {
    struct digest digest;
    uint64_t fingerprint;
    bool has_fingerprint;
    uint32_t meaning;       /* of the fingerprint */
    struct rh_choice taken; /* from here */
};

struct walk {
    struct rh_world *w;
    uint64_t random;
    enum asking asking;
    uint64_t seed;
    struct point path[DEEPEST + 1];
    uint32_t known;  /* points 0 .. known are recorded */
    uint32_t loaded; /* undo reaches back to here */
    struct {
        struct rh_snapshot *snapshot;
        struct point point;
        uint32_t depth;
    } kept[SNAPSHOTS];
    struct digest now;
    uint64_t compared, other_dead_words;
};

static uint32_t depth(struct walk *k)
{
    uint32_t count;
    rh_world_events(k->w, &count);
    return count - 1;
}

static void point_set(struct point *p, const struct digest *d)
{
    p->digest.length = 0;
    digest_add(&p->digest, "%s", d->text);
    p->has_fingerprint = false;
}

/* The world is where `p` was recorded. */
static void compare(struct walk *k, struct point *p, const char *after)
{
    digest_world(&k->now, k->w, rich_board, sizeof rich_board);
    k->compared++;
    if (strcmp(p->digest.text, k->now.text) != 0) {
        print_error("seed %llu, after %s, event %u:\n", (unsigned long long)k->seed, after, depth(k));
        digest_show(&p->digest, &k->now);
        fail();
    }
}

static void fingerprint(struct walk *k, struct point *p)
{
    if (k->asking == NEVER || (k->asking == SOMETIMES && generated_below(&k->random, 3)))
        return;
    uint64_t h = rh_world_fingerprint(k->w);
    if (p->has_fingerprint && p->meaning == rh_world_fingerprint_meaning(k->w) && p->fingerprint != h)
        fail_msg("seed %llu, event %u: the fingerprint was %llx, now it is %llx", (unsigned long long)k->seed, depth(k),
                 (unsigned long long)p->fingerprint, (unsigned long long)h);
    p->fingerprint = h;
    p->has_fingerprint = true;
    p->meaning = rh_world_fingerprint_meaning(k->w);
    if (generated_below(&k->random, 4) == 0) {
        k->w->hashing = false; /* computes it from nothing */
        uint64_t fresh = rh_world_fingerprint(k->w);
        if (fresh != h)
            fail_msg("seed %llu, event %u: the fingerprint kept up is %llx, computed afresh it is %llx",
                     (unsigned long long)k->seed, depth(k), (unsigned long long)h, (unsigned long long)fresh);
    }
}

static void came_back(struct walk *k, const char *by)
{
    struct point *p = &k->path[depth(k)];
    compare(k, p, by);
    fingerprint(k, p);
}

/* One step: the recorded one if there is one and chance has it so, else any. */
static void forward(struct walk *k)
{
    uint32_t at = depth(k), n;
    const struct rh_choice *open = rh_world_enabled(k->w, &n);
    if (!n || at == DEEPEST)
        return;
    bool again = at < k->known && generated_below(&k->random, 4);
    struct rh_choice c = again ? k->path[at].taken : open[generated_below(&k->random, n)];
    if (at < k->known && memcmp(&c, &k->path[at].taken, sizeof c) == 0)
        again = true;
    k->path[at].taken = c;
    assert_true(rh_world_step(k->w, &c));
    digest_world(&k->now, k->w, rich_board, sizeof rich_board);
    bool same = again && strcmp(k->now.text, k->path[at + 1].digest.text) == 0;
    if (same || (again && !digest_same_but_stacks(&k->now, &k->path[at + 1].digest))) {
        came_back(k, "the same step again");
        return;
    }
    if (again) { /* what follows may differ in the same way */
        k->other_dead_words++;
        point_set(&k->path[at + 1], &k->now);
        k->known = at + 1;
        return;
    }
    point_set(&k->path[at + 1], &k->now);
    k->known = at + 1;
    fingerprint(k, &k->path[at + 1]);
}

static void save(struct walk *k)
{
    uint32_t i = generated_below(&k->random, SNAPSHOTS);
    rh_snapshot_free(k->kept[i].snapshot);
    k->kept[i].snapshot = rh_world_save(k->w);
    k->kept[i].depth = depth(k);
    assert_non_null(k->kept[i].snapshot);
    point_set(&k->kept[i].point, &k->path[depth(k)].digest);
    k->kept[i].point.fingerprint = k->path[depth(k)].fingerprint;
    k->kept[i].point.has_fingerprint = k->path[depth(k)].has_fingerprint;
    k->kept[i].point.meaning = k->path[depth(k)].meaning;
    came_back(k, "save");
}

static void load(struct walk *k)
{
    uint32_t i = generated_below(&k->random, SNAPSHOTS);
    if (!k->kept[i].snapshot)
        return;
    rh_world_load(k->w, k->kept[i].snapshot);
    k->loaded = k->known = k->kept[i].depth;
    assert_int_equal(depth(k), k->loaded);
    struct point *p = &k->path[k->loaded];
    point_set(p, &k->kept[i].point.digest);
    p->fingerprint = k->kept[i].point.fingerprint;
    p->has_fingerprint = k->kept[i].point.has_fingerprint;
    p->meaning = k->kept[i].point.meaning;
    came_back(k, "load");
    if (k->loaded)
        assert_false(rh_world_undo(k->w));
}

static void back(struct walk *k)
{
    uint32_t at = depth(k);
    switch (generated_below(&k->random, 8)) {
    case 0:
        rh_world_reset(k->w);
        if (k->loaded)
            k->known = 0;
        k->loaded = 0;
        assert_int_equal(depth(k), 0);
        came_back(k, "reset");
        break;
    case 1:
    case 2: {
        uint32_t to = generated_below(&k->random, at + 1);
        rh_world_rollback(k->w, to + 1);
        if (to < k->loaded) {
            k->known = k->loaded = 0;
            to = 0;
        }
        assert_int_equal(depth(k), to);
        came_back(k, "rollback");
        break;
    }
    case 3:
        save(k);
        break;
    case 4:
        load(k);
        break;
    default:
        if (at > k->loaded) {
            assert_true(rh_world_undo(k->w));
            assert_int_equal(depth(k), at - 1);
            came_back(k, "undo");
        }
    }
}

static uint64_t dead_words;

static uint64_t walk(uint64_t seed, const struct rh_semantics *semantics, enum asking asking)
{
    static struct rh_semantics s;
    struct walk *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->seed = seed;
    k->random = seed * 3 + asking;
    k->asking = asking;
    s = *semantics;
    s.max_actors = 64;
    s.max_bytes_per_actor = 8 << 20;
    rich_seed = seed;
    rich_megabytes = seed % 8 == 0;
    k->w = open_test("rich_program", &s);
    digest_world(&k->now, k->w, rich_board, sizeof rich_board);
    point_set(&k->path[0], &k->now);
    fingerprint(k, &k->path[0]);
    for (int i = 0; i < ACTIONS; i++)
        if (generated_below(&k->random, 10) < 6)
            forward(k);
        else
            back(k);
    for (int i = 0; i < SNAPSHOTS; i++) {
        rh_snapshot_free(k->kept[i].snapshot);
        digest_free(&k->kept[i].point.digest);
    }
    rh_world_free(k->w);
    for (uint32_t i = 0; i <= DEEPEST; i++)
        digest_free(&k->path[i].digest);
    digest_free(&k->now);
    for (uint32_t i = 0; i < RICH_BOARD; i++) /* globals have what they had before the world */
        assert_int_equal(rich_board[i], 0);
    uint64_t compared = k->compared;
    dead_words += k->other_dead_words;
    free(k);
    return compared;
}

static void walks(const struct rh_semantics *semantics, uint64_t seeds)
{
    uint64_t compared = 0;
    const char *only = getenv("RH_TEST_SEED"); /* one seed, to look at a failure */
    for (uint64_t seed = 1; seed <= MANY_OR_FEW(seeds, (seeds + 7) / 8); seed++)
        for (enum asking asking = NEVER; asking <= SOMETIMES; asking++)
            if (!only || strtoull(only, NULL, 10) == seed)
                compared += walk(seed, semantics, asking);
    print_message("%llu states compared, %llu with other dead words on stacks\n", (unsigned long long)compared,
                  (unsigned long long)dead_words);
    assert_in_range(dead_words, 0, compared / 20);
    dead_words = 0;
}

static void going_back_restores_everything_under_fifo(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_FIFO }, 40);
}

static void going_back_restores_everything_under_bag_with_faults(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_BAG,
                                  .losses = 2,
                                  .duplicates = 2,
                                  .crashes = 2,
                                  .restarts = 1,
                                  .kept_restarts = 1,
                                  .partitions = 1,
                                  .splits = RH_SPLIT_ANY,
                                  .across = RH_ACROSS_DROPPED,
                                  .delays = 3,
                                  .delay_steps = 4 },
          40);
}

static void going_back_restores_everything_under_fifo_with_faults_and_ordered_time(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_FIFO,
                                  .time = RH_TIME_ORDERED,
                                  .losses = 1,
                                  .duplicates = 1,
                                  .crashes = 3,
                                  .restarts = 2,
                                  .kept_restarts = 2,
                                  .partitions = 2,
                                  .splits = RH_SPLIT_ANY,
                                  .delays = 2 },
          40);
}

static void going_back_restores_everything_with_faults_and_logical_time(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_FIFO,
                                  .time = RH_TIME_LOGICAL,
                                  .losses = 1,
                                  .duplicates = 1,
                                  .crashes = 2,
                                  .restarts = 1,
                                  .kept_restarts = 1 },
          40);
}

static void going_back_restores_everything_with_a_clock_that_all_share(void **unused)
{
    (void)unused;
    for (int model = RH_FIFO; model <= RH_MAILBOX; model++)
        walks(&(struct rh_semantics){ .model = (enum rh_model)model,
                                      .granularity = RH_GRAIN_OBJECT,
                                      .time = RH_TIME_ORDERED,
                                      .losses = 1,
                                      .crashes = 1,
                                      .restarts = 1 },
              15);
}

static void going_back_restores_everything_under_causal(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_CAUSAL, .losses = 1, .duplicates = 1 }, 25);
}

static void going_back_restores_everything_under_mailbox(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_MAILBOX, .crashes = 1, .restarts = 1 }, 25);
}

static void going_back_restores_everything_under_acceptance(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND, .crashes = 1, .restarts = 1 }, 25);
}

static void going_back_restores_everything_with_preemption(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_FIFO, .granularity = RH_GRAIN_OBJECT, .crashes = 1 }, 25);
}

static void going_back_restores_everything_with_granularity_object(void **unused)
{
    (void)unused;
    walks(&(struct rh_semantics){ .model = RH_FIFO, .granularity = RH_GRAIN_OBJECT, .crashes = 1, .restarts = 1 }, 25);
}

/* What a run of 40 random choices leaves behind. */
static void end_of_run(struct rh_world *w, uint64_t random, bool hashed, struct digest *end)
{
    uint32_t n;
    for (int i = 0; i < 40; i++) {
        const struct rh_choice *open = rh_world_enabled(w, &n);
        if (!n)
            break;
        assert_true(rh_world_step(w, &open[generated_below(&random, n)]));
        if (hashed)
            rh_world_fingerprint(w);
    }
    digest_world(end, w, rich_board, sizeof rich_board);
}

/* Two runs in turn, twice: in a world with undo, and in one that only resets.  Each world comes back to the same
 * beginning, and the same choices lead to the same bytes in both. */
static void a_world_without_undo_makes_the_same_runs(void **unused)
{
    (void)unused;
    struct rh_semantics s = {
        .model = RH_BAG, .crashes = 1, .restarts = 1, .max_actors = 64, .max_bytes_per_actor = 8 << 20
    };
    struct digest first = { 0 }, end[2] = { { 0 } }, now = { 0 };
    for (uint64_t seed = 1; seed <= MANY_OR_FEW(60, 8); seed++) {
        rich_seed = seed;
        rich_megabytes = seed % 8 == 0;
        for (int kind = 0; kind < 2; kind++) {
            struct rh_world_options o = {
                .test = find_test("rich_program"), .semantics = &s, .quiet = true, .no_undo = kind == 1
            };
            char error[256];
            struct rh_world *w = rh_world_new(&o, error, sizeof error);
            assert_non_null(w);
            rh_world_begin(w);
            digest_world(&first, w, rich_board, sizeof rich_board);
            for (int round = 0; round < 4; round++) {
                end_of_run(w, seed * 10 + (uint64_t)round % 2, seed % 3 == 0, &now);
                if (kind == 0 && round < 2) {
                    end[round].length = 0;
                    digest_add(&end[round], "%s", now.text);
                } else if (!digest_same_but_stacks(&now, &end[round % 2])) {
                    print_error("seed %llu, world %d, round %d:\n", (unsigned long long)seed, kind, round);
                    digest_show(&end[round % 2], &now);
                    fail();
                }
                if (kind == 1)
                    assert_false(rh_world_undo(w));
                rh_world_reset(w);
                digest_world(&now, w, rich_board, sizeof rich_board);
                assert_string_equal(now.text, first.text);
            }
            rh_world_free(w);
        }
    }
    digest_free(&first), digest_free(&end[0]), digest_free(&end[1]), digest_free(&now);
}

int main(void)
{
#ifdef RH_NO_GLOBALS_TRACKING
    return 77; /* the program keeps globals */
#endif
    const struct CMUnitTest tests[] = {
        WORLD_TEST(going_back_restores_everything_under_fifo),
        WORLD_TEST(going_back_restores_everything_under_bag_with_faults),
        WORLD_TEST(going_back_restores_everything_under_fifo_with_faults_and_ordered_time),
        WORLD_TEST(going_back_restores_everything_with_faults_and_logical_time),
        WORLD_TEST(going_back_restores_everything_with_a_clock_that_all_share),
        WORLD_TEST(going_back_restores_everything_under_causal),
        WORLD_TEST(going_back_restores_everything_under_mailbox),
        WORLD_TEST(going_back_restores_everything_under_acceptance),
        WORLD_TEST(going_back_restores_everything_with_preemption),
        WORLD_TEST(going_back_restores_everything_with_granularity_object),
        WORLD_TEST(a_world_without_undo_makes_the_same_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
