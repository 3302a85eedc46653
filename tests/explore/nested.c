/* Decorators pass on what they do not change: every one of them around every explorer. */
#include "explore/senders.h"
#include "explore/support.h"

#include <sys/mman.h>
#include <unistd.h>

#include "explore/explorers.h"

/* ---- a program that does not do again what it has done --------------------------------------------------------------------- */

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

/* ---- around every explorer ------------------------------------------------------------------------------------------------- */

static char file[] = "/tmp/rehearse-nested-XXXXXX";
/* roundrobin makes one run, which is the one that is compared before all others. */
static const char *const explorers[] = { "dfs", "dpor", "optimal", "random", "delayed:10", "cover:pr", "descents" };
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
    return !strstr(decorator, "symmetry") || (!rh__explorer_reduces(explorer) && !rh__explorer_wants_objects(explorer));
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
            struct rh_semantics s = { .granularity =
                                          rh__explorer_wants_objects(text) ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER };
            struct rh_world *w = world_of("moods", &s, NULL, 0);
            *outside = 0;
            struct rh_exploration *x = explored(w, text, 1, 4000);
            bool found = x->diverged;
            for (uint32_t i = 0; i < x->finding_count; i++)
                found |= x->findings[i].outcome.kind == RH_OUTCOME_NONDETERMINISM;
            if (!found || rh__exploration_verdict(x) != RH_VERDICT_SAMPLED)
                fail_msg("%s: not reported after %llu runs, %s", text, (unsigned long long)x->runs,
                         rh_verdict_name(rh__exploration_verdict(x)));
            rh__exploration_free(x);
            rh_world_free(w);
        }
    rh_shared_free(outside, sizeof *outside);
}

/* ---- an explorer that answers every call ------------------------------------------------------------------------------------- */

static bool talker_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    (void)state, (void)x, (void)arg, (void)error, (void)error_size;
    return true;
}
static uint32_t talker_begin(void *state, struct rh_world *w)
{
    (void)w;
    return (*(uint32_t *)state)++ < 3;
}
static uint32_t talker_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open;
    return count - 1;
}
static void talker_end(void *state, struct rh_world *w, const struct rh_run *run)
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
static bool talker_unpack(void *state, struct rh_world *w, const void *item, size_t size)
{
    (void)state, (void)w;
    return size == 1 && *(const unsigned char *)item == 'T';
}
static double talker_share(const void *state, uint64_t *runs)
{
    (void)state;
    *runs = 5;
    return 0.5;
}
static bool talker_confused(const void *state)
{
    (void)state;
    return true;
}
static const struct rh_explorer talker = {
    .name = "talker",
    .summary = "has something to say to each question",
    .state_size = 8,
    .reduces = true,
    .objects = true,
    .folds = true,
    .wants_new = true,
    .open = talker_open,
    .begin = talker_begin,
    .choose = talker_choose,
    .end = talker_end,
    .verdict = talker_verdict,
    .estimate = talker_estimate,
    .notes = talker_notes,
    .pack = talker_pack,
    .unpack = talker_unpack,
    .share = talker_share,
    .confused = talker_confused,
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
        assert_int_equal(x->runs, 3);
        assert_true(rh__explorer_reduces(text) && rh__explorer_wants_objects(text) && rh__explorer_folds(text) &&
                    rh__explorer_wants_new(text));
        assert_int_equal(rh_inner_verdict(e), RH_VERDICT_BOUNDED);
        assert_true(rh_inner_estimate(e) == 77);
        assert_true(x->diverged && rh_inner_confused(e));
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

/* ---- properties are those of explorers, not of words ------------------------------------------------------------------------- */

static void names_of_files_are_no_explorers(void **unused)
{
    (void)unused;
    assert_false(rh__explorer_wants_objects("replay:optimal"));
    assert_false(rh__explorer_wants_objects("replay:optimal,dfs"));
    assert_false(rh__explorer_wants_objects("replay:a:optimal,random"));
    assert_false(rh__explorer_reduces("replay:dpor"));
    assert_false(rh__explorer_folds("replay:symmetry:x"));
    assert_true(rh__explorer_wants_objects("replay:dfs,optimal"));
    assert_true(rh__explorer_wants_objects("portfolio:random+optimal"));
    assert_true(rh__explorer_wants_objects("bound:20,optimal"));
    assert_true(rh__explorer_wants_objects("bound:runs=20;steps=3,portfolio:dfs+optimal"));
    assert_true(rh__explorer_folds("portfolio:random+symmetry:dfs"));
    assert_false(rh__explorer_wants_objects("nosuch:optimal"));
    assert_false(rh__explorer_wants_objects("bound:optimal"));
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
        EXPLORE_TEST(names_of_files_are_no_explorers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
