/* Decorators pass on what they do not change: every one of them around every explorer. */
#include "explore/support/runs.h"
#include "explore/support/senders.h"

#include <sys/mman.h>
#include <unistd.h>

#include "explore/explorers.h"

/* ---- a program that does not do again what it has done ----------------------------------------------------------- */

/* Memory that no world knows of: what is written there stays over a rollback. */
static uint64_t *outside;

RH_ACTOR(moody, int taken;);
RH_HANDLER(moody, hello)
{
    (void)state, (void)msg;
    ++*outside;
    if (msg->from == 0 && *outside > 20 && *outside % 3 == 0)
        rh_send(self, hello, .from = 9); /* a choice that was not there before */
}
RH_BEHAVIOUR(moody, listening, hello);

RH_TEST(moods)
{
    rh_ref m = rh_spawn(moody);
    rh_send_from(rh_external("a"), m, hello, .from = 0);
    rh_send_from(rh_external("b"), m, hello, .from = 1);
    rh_send_from(rh_external("c"), m, hello, .from = 2);
    rh_send_from(rh_external("d"), m, hello, .from = 3);
}

/* ---- around every explorer --------------------------------------------------------------------------------------- */

static char file[] = "/tmp/rehearse-nested-XXXXXX";
/* roundrobin makes one run, which is the one that is compared before all others. */
static const char *const explorers[] = { "dfs", "dpor", "optimal", "random", "delayed:10", "cover:pr", "sample" };
static const char *const decorators[] = { "%s",
                                          "bound:40,%s",
                                          "portfolio:%s",
                                          "replay:FILE,%s",
                                          "symmetry:%s",
                                          "portfolio:roundrobin+%s",
                                          "bound:40,portfolio:roundrobin+%s",
                                          "portfolio:random+%s",
                                          "portfolio:random+bound:40,%s",
                                          "bound:40,bound:30,portfolio:roundrobin+%s",
                                          "replay:FILE,portfolio:roundrobin+%s",
                                          "portfolio:replay:FILE,%s",
                                          "symmetry:portfolio:roundrobin+%s",
                                          "portfolio:roundrobin+symmetry:%s" };
enum { EXPLORERS = sizeof explorers / sizeof *explorers, DECORATORS = sizeof decorators / sizeof *decorators };

/* The explorer inside of the decorator; false where they do not go together. */
static bool nest(const char *decorator, const char *explorer, char *text, size_t size)
{
    char with_file[256];
    const char *at = strstr(decorator, "FILE");
    if (at)
        snprintf(with_file, sizeof with_file, "%.*s%s%s", (int)(at - decorator), decorator, file, at + 4);
    else
        snprintf(with_file, sizeof with_file, "%s", decorator);
    at = strstr(with_file, "%s");
    assert_non_null(at);
    snprintf(text, size, "%.*s%s%s", (int)(at - with_file), with_file, explorer, at + 2);
    return !strstr(decorator, "symmetry") ||
           (!rh__explorer_is_reduction(explorer) && !rh__explorer_needs_object_granularity(explorer));
}

static void a_nondeterministic_program_is_reported_under_every_decorator(void **unused)
{
    (void)unused;
    outside = rh_shared_new(sizeof *outside);
    assert_non_null(outside);
    for (size_t d = 0; d < DECORATORS; d++)
        for (size_t e = 0; e < EXPLORERS; e++) {
            char text[512];
            if (!nest(decorators[d], explorers[e], text, sizeof text))
                continue;
            struct rh_semantics s = { .granularity = rh__explorer_needs_object_granularity(text) ? RH_GRAIN_OBJECT
                                                                                                 : RH_GRAIN_HANDLER };
            struct rh_world *w = world_of("moods", &s, NULL, 0);
            *outside = 0;
            struct rh_exploration *x = explored(w, text, 1, 4000);
            bool found = x->results->diverged;
            for (uint32_t i = 0; i < x->results->finding_count; i++)
                found |= x->results->findings[i].outcome.kind == RH_OUTCOME_NONDETERMINISM;
            if (!found || rh__exploration_verdict(x) != RH_VERDICT_SAMPLED)
                fail_msg("%s: not reported after %llu runs, %s", text, (unsigned long long)x->results->count.runs,
                         rh_verdict_name(rh__exploration_verdict(x)));
            rh__exploration_free(x);
            rh_world_free(w);
        }
    rh_shared_free(outside, sizeof *outside);
}

/* ---- an explorer that answers every call ------------------------------------------------------------------------- */

static uint32_t talker_begin(void *state, const struct rh_world *w)
{
    (void)w;
    return (*(uint32_t *)state)++ < 3;
}
static uint32_t talker_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open;
    return count - 1;
}
static void talker_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    (void)w, (void)run;
    ((uint32_t *)state)[1] += run->is_new;
}
static enum rh_verdict talker_verdict(const void *state)
{
    (void)state;
    return RH_VERDICT_BOUNDED;
}
static double talker_estimate(const void *state)
{
    (void)state;
    return 77;
}
static void talker_notes(const void *state, char *buffer, size_t size)
{
    snprintf(buffer, size, "talker: %u runs, %u new", *(const uint32_t *)state - 1, ((const uint32_t *)state)[1]);
}
static size_t talker_pack(void *state, void *buffer, size_t room, bool half)
{
    (void)state, (void)half;
    return room ? (*(unsigned char *)buffer = 'T', 1) : 0;
}
static bool talker_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)state, (void)w;
    return rh_item_is_root(item, size) || (size == 1 && *(const unsigned char *)item == 'T');
}
static double talker_share(const void *state, uint64_t *runs)
{
    (void)state;
    *runs = 5;
    return 0.5;
}
static bool talker_diverged(const void *state)
{
    (void)state;
    return true;
}
static const struct rh_explorer_report talker_report = {
    .verdict = talker_verdict, .estimate = talker_estimate, .notes = talker_notes, .diverged = talker_diverged
};
static const struct rh_explorer_share talker_shares = { .pack = talker_pack,
                                                        .unpack = talker_unpack,
                                                        .share = talker_share };
static const struct rh_explorer talker = {
    .name = "talker",
    .summary = "has something to say to each question",
    .state_size = 8,
    .is_reduction = true,
    .needs_object_granularity = true,
    .uses_symmetry = true,
    .wants_new = true,
    .begin = talker_begin,
    .choose = talker_choose,
    .end = talker_end,
    .report = &talker_report,
    .share = &talker_shares,
};
RH_EXPLORER(talker)

static void every_answer_comes_through_every_decorator(void **unused)
{
    (void)unused;
    static const char *const around[] = { "talker",           "bound:40,talker",          "portfolio:talker",
                                          "replay:%s,talker", "portfolio:bound:9,talker", "bound:40,portfolio:talker" };
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        char text[128], notes[256];
        unsigned char item[64];
        uint64_t runs;
        struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
        struct rh_param two[] = { { "n", "2" } };
        const char *at = strstr(around[i], "%s");
        snprintf(text, sizeof text, "%.*s%s%s", at ? (int)(at - around[i]) : (int)strlen(around[i]), around[i],
                 at ? file : "", at ? at + 2 : "");
        struct rh_world *w = world_of("senders", &s, two, 1);
        struct rh_exploration *x = explored(w, text, 1, 0);
        const struct rh_inner *e = &x->explorer;
        rh_inner_notes(e, notes, sizeof notes);
        assert_string_equal(notes, "talker: 3 runs, 1 new");
        assert_int_equal(x->results->count.runs, 3);
        assert_true(rh__explorer_is_reduction(text) && rh__explorer_needs_object_granularity(text) &&
                    rh__explorer_uses_symmetry(text) && rh__explorer_wants_new(text));
        assert_int_equal(rh_inner_verdict(e), RH_VERDICT_BOUNDED);
        assert_true(rh_inner_estimate(e) == 77);
        assert_true(x->results->diverged && rh_inner_diverged(e));
        if (!at) { /* replay keeps its work, and says so */
            assert_true(rh_inner_share(e, &runs) == 0.5);
            size_t size = rh_inner_pack(e, item, sizeof item, false);
            assert_true(size > 0 && rh_inner_unpack(e, w, item, size));
        } else {
            assert_int_equal(rh_inner_pack(e, item, sizeof item, false), 0);
        }
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

/* ---- items of several inner explorers ---------------------------------------------------------------------------- */

/* One explorer, then the other.  It has no calls for items. */
struct both {
    struct rh_inner inner[2];
    uint32_t now;
};
static const struct rh_inner *both_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct both *b = state;
    *count = 2;
    *now = b->now;
    return b->inner;
}
static bool both_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t size)
{
    struct both *b = state;
    return rh_exploration_inner(x, a, 0, &b->inner[0], error, size) &&
           rh_exploration_inner(x, a, 0, &b->inner[1], error, size);
}
static uint32_t both_begin(void *state, const struct rh_world *w)
{
    struct both *b = state;
    uint32_t keep = rh_inner_begin(&b->inner[b->now], w);
    if (keep || b->now)
        return keep;
    b->now = 1;
    return rh_inner_begin(&b->inner[1], w) ? 1 : 0;
}
static const struct rh_explorer_decorator both_decorator = { .inner = both_inner };
static const struct rh_explorer both = { .name = "both",
                                         .state_size = sizeof(struct both),
                                         .arguments = rh_only_arguments,
                                         .open = both_open,
                                         .begin = both_begin,
                                         .decorator = &both_decorator };
RH_EXPLORER(both)

static void the_root_item_goes_to_every_inner_explorer(void **unused)
{
    (void)unused;
    static const char *const texts[] = { "dfs", "both(dfs)", "both(bound(40, dfs))", "both(both(portfolio(dfs)))" };
    uint64_t one = 0;
    for (uint32_t i = 0; i < 4; i++) {
        struct rh_world *w = world_of("senders", NULL, (struct rh_param[]){ { "n", "2" } }, 1);
        struct rh_exploration *x = explored(w, texts[i], 1, 0);
        uint64_t runs = x->results->count.runs;
        one = i ? one : runs;
        assert_int_equal(runs, one * (i == 0 ? 1 : i == 3 ? 4 : 2));
        assert_int_equal(rh_inner_can_share(&x->explorer), i == 0); /* its items would be those of one of them */
        rh__exploration_free(x);
        rh_world_free(w);
    }
    assert_in_range(one, 2, 100);
}

/* ---- explorers that break their contract ------------------------------------------------------------------------- */

static uint32_t once_begin(void *state, const struct rh_world *w)
{
    (void)w;
    return (*(uint32_t *)state)++ < 1;
}
static uint32_t first_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open, (void)count;
    return 0;
}
static bool refuse_all(void *state, const struct rh_world *w, const void *item, size_t size)
{
    (void)state, (void)w, (void)item, (void)size;
    return false;
}
static const struct rh_explorer_share picky_share = { .unpack = refuse_all };
static const struct rh_explorer picky = {
    .name = "picky", .state_size = 8, .begin = once_begin, .choose = first_choose, .share = &picky_share
};
RH_EXPLORER(picky)

static uint32_t hasty_begin(void *state, const struct rh_world *seen)
{
    struct rh_world *w = (struct rh_world *)seen;
    uint32_t count;
    const struct rh_choice *open = rh_world_enabled(w, &count);
    if (count)
        rh_world_step(w, open);
    return (*(uint32_t *)state)++ < 2;
}
static const struct rh_explorer hasty = {
    .name = "hasty", .state_size = 8, .begin = hasty_begin, .choose = first_choose
};
RH_EXPLORER(hasty)

static void explorers_that_break_their_contract_are_stopped(void **unused)
{
    (void)unused;
    static const char *const texts[] = { "picky", "bound(9, picky)", "hasty", "portfolio(hasty)" };
    for (uint32_t i = 0; i < 4; i++) {
        char error[256];
        struct rh__limits limits = { .max_runs = 5 };
        struct rh_world *w = world_of("senders", NULL, (struct rh_param[]){ { "n", "2" } }, 1);
        struct rh_exploration *x = rh__exploration_new(w, texts[i], 1, &limits, error, sizeof error);
        assert_non_null(x);
        assert_false(rh__explore(x));
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

/* ---- properties are those of explorers, not of words ------------------------------------------------------------- */

static void names_of_files_are_no_explorers(void **unused)
{
    (void)unused;
    assert_false(rh__explorer_needs_object_granularity("replay:optimal"));
    assert_false(rh__explorer_needs_object_granularity("replay:optimal,dfs"));
    assert_false(rh__explorer_needs_object_granularity("replay:a:optimal,random"));
    assert_false(rh__explorer_is_reduction("replay:dpor"));
    assert_false(rh__explorer_uses_symmetry("replay:symmetry:x"));
    assert_true(rh__explorer_needs_object_granularity("replay:dfs,optimal"));
    assert_true(rh__explorer_needs_object_granularity("portfolio:random+optimal"));
    assert_true(rh__explorer_needs_object_granularity("bound:20,optimal"));
    assert_true(rh__explorer_needs_object_granularity("bound:runs=20;steps=3,portfolio:dfs+optimal"));
    assert_true(rh__explorer_uses_symmetry("portfolio:random+symmetry:dfs"));
    assert_false(rh__explorer_needs_object_granularity("nosuch:optimal"));
    assert_false(rh__explorer_needs_object_granularity("bound:20,"));
    assert_false(rh__explorer_needs_object_granularity("replay(optimal)"));
    assert_true(rh__explorer_needs_object_granularity("replay(dfs, bound(3, optimal))"));
}

int main(void)
{
    int fd = mkstemp(file);
    if (fd < 0 || write(fd, "rehearse schedule 1\n", 20) != 20)
        return 1;
    close(fd);
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_nondeterministic_program_is_reported_under_every_decorator),
        EXPLORE_TEST(every_answer_comes_through_every_decorator),
        EXPLORE_TEST(the_root_item_goes_to_every_inner_explorer),
        EXPLORE_TEST(explorers_that_break_their_contract_are_stopped),
        EXPLORE_TEST(names_of_files_are_no_explorers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
