/* Schedules as text: what is written can be read, and replayed makes the same run; open choices never look alike; and
 * the reader refuses with a sentence what is no schedule. */
#include "explore/support/program.h"
#include "explore/support/runs.h"
#include "explore/support/scramble.h"

#include "base/fail.h"
#include "trace/schedule.h"

/* ---- round trips ------------------------------------------------------------------------------------------------- */

enum { TEXT = 1 << 20, LINE = 4096 };

/* In shared memory: the work is done in a child. */
static struct tally {
    uint64_t runs, events, kinds[RH_CHOICE_END + 1];
    char trouble[8192];
    uint64_t seed;
} * tally;

static uint64_t next_random(uint64_t *state)
{
    return *state = scrambled(*state, 1);
}

static void line_of(const struct rh_world *w, const struct rh_choice *c, char *line)
{
    struct rh__text t;
    rh__text_init(&t, line, LINE);
    rh__choice_line(rh__world_run(w), c, &t);
}

/* The open choice that a line means; all others must read otherwise. */
static uint32_t the_choice(const struct rh_world *w, const struct rh_choice *open, uint32_t n, const char *wanted)
{
    static char line[LINE];
    uint32_t found = RH_NONE;
    for (uint32_t i = 0; i < n; i++) {
        line_of(w, &open[i], line);
        if (strcmp(line, wanted) != 0)
            continue;
        if (found != RH_NONE) {
            snprintf(tally->trouble, sizeof tally->trouble, "two choices read `%s`", wanted);
            return RH_NONE;
        }
        found = i;
    }
    if (found == RH_NONE)
        snprintf(tally->trouble, sizeof tally->trouble, "no choice reads `%s`", wanted);
    return found;
}

static bool replay_text(struct rh_world *w, const struct rh__schedule *s)
{
    rh_world_reset(w);
    for (uint32_t i = 0; i < s->line_count; i++) {
        uint32_t n;
        const struct rh_choice *open = rh_world_enabled(w, &n);
        uint32_t pick = the_choice(w, open, n, s->lines[i].text);
        if (pick == RH_NONE)
            return false;
        rh_world_step(w, &open[pick]);
    }
    return true;
}

static bool same_semantics(const struct rh_world *w, const struct rh__schedule *s)
{
    struct rh_semantics read = w->test->semantics;
    const struct rh_semantics *is = rh_world_semantics(w);
    struct rh_param params[8];
    size_t param_count = 0;
    char error[256];
    if (!rh__schedule_settings(s, &read, params, &param_count, 8, error, sizeof error)) {
        snprintf(tally->trouble, sizeof tally->trouble, "%s", error);
        return false;
    }
    bool same = read.model == is->model && read.granularity == is->granularity && read.time == is->time &&
                read.dead_letters == is->dead_letters && read.losses == is->losses &&
                read.duplicates == is->duplicates && read.crashes == is->crashes && read.restarts == is->restarts &&
                read.kept_restarts == is->kept_restarts && read.partitions == is->partitions &&
                (read.max_steps ? read.max_steps : 100000) == is->max_steps &&
                (read.max_actors ? read.max_actors : 4096) == is->max_actors && read.seed == is->seed &&
                param_count == w->param_count;
    for (size_t i = 0; same && i < param_count; i++)
        same = strcmp(params[i].name, w->params[i].name) == 0 && strcmp(params[i].value, w->params[i].value) == 0;
    if (!same)
        snprintf(tally->trouble, sizeof tally->trouble, "the settings are not those that were written");
    return same;
}

static bool round_trip(struct rh_world *w, uint64_t *random)
{
    static char text[TEXT], again[TEXT];
    struct rh__text t;
    struct rh__schedule s;
    char error[256];
    uint32_t n;
    rh_world_reset(w);
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n;) {
        const struct rh_choice *c = &open[next_random(random) % n];
        tally->kinds[c->kind]++;
        tally->events++;
        rh_world_step(w, c);
    }
    uint64_t made = sequence_of(w);
    rh__text_init(&t, text, sizeof text);
    rh__schedule_write(rh__world_run(w), &t);
    if (!rh__schedule_parse(&s, text, strlen(text), error, sizeof error)) {
        snprintf(tally->trouble, sizeof tally->trouble, "%s", error);
        return false;
    }
    bool good = same_semantics(w, &s) && replay_text(w, &s);
    if (good && sequence_of(w) != made) {
        snprintf(tally->trouble, sizeof tally->trouble, "the replay made another run");
        good = false;
    }
    rh__text_init(&t, again, sizeof again);
    rh__schedule_write(rh__world_run(w), &t);
    if (good && strcmp(text, again) != 0) {
        snprintf(tally->trouble, sizeof tally->trouble, "written again it reads otherwise");
        good = false;
    }
    rh__schedule_release(&s);
    if (!good) {
        size_t used = strlen(tally->trouble);
        snprintf(tally->trouble + used, sizeof tally->trouble - used, " in\n%s", text);
    }
    tally->runs++;
    return good;
}

static void round_trips(struct rh_world *w, void *arg)
{
    uint64_t random = *(uint64_t *)arg;
    for (int i = 0; i < 25; i++)
        if (!round_trip(w, &random))
            return;
}

static void walk(const char *test, const struct rh_semantics *s, uint64_t seed, const struct rh_param *params,
                 size_t param_count)
{
    struct rh_world *w = world_of(test, s, params, param_count);
    if (rh_sandbox_run(w, round_trips, &seed) != RH_SANDBOX_DONE)
        fail_msg("seed %llu: the child ended otherwise", (unsigned long long)seed);
    if (*tally->trouble)
        fail_msg("seed %llu: %s", (unsigned long long)seed, tally->trouble);
    rh_world_free(w);
}

static struct tally *tally_new(void)
{
    tally = rh_shared_new(sizeof *tally);
    assert_non_null(tally);
    return tally;
}

static void every_kind_of_choice_goes_round(void **unused)
{
    (void)unused;
    tally_new();
    for (uint64_t seed = 1; seed <= 260; seed++) {
        struct rh_semantics s = program_semantics(seed);
        program_seed = seed;
        s.losses = 1;
        s.duplicates = 2;
        s.crashes = seed % 3;
        s.restarts = seed % 2;
        s.kept_restarts = seed % 2 ? 0 : 1;
        s.partitions = seed % 3 == 0 ? 2 : 0;
        s.delays = 2;
        s.delay_steps = 3;
        s.failed_opens = seed % 4 == 0;
        s.damaged_stores = seed % 4 == 1;
        s.failed_puts = seed % 2;
        s.outside = seed % 5 == 0;
        program_is_open = s.outside != 0;
        walk("program", &s, seed, NULL, 0);
    }
    program_is_open = false;
    for (int k = RH_CHOICE_DELIVER; k <= RH_CHOICE_END; k++)
        if (tally->kinds[k] < 20)
            fail_msg("%s came %llu times only", rh_choice_name((enum rh_choice_kind)k),
                     (unsigned long long)tally->kinds[k]);
    print_message("%llu runs, %llu events\n", (unsigned long long)tally->runs, (unsigned long long)tally->events);
    rh_shared_free(tally, sizeof *tally);
}

/* ---- names that look like something else ------------------------------------------------------------------------- */

RH_MESSAGE(poke, int n;);
RH_MESSAGE(bell);
RH_ACTOR(odd, int n;);
RH_HANDLER(odd, poke)
{
    static const char *const timers[] = { "a #b", "two\nlines", "back\\slash", "#", " edge ", "quote\" fires" };
    rh_timer(timers[state->n++ % 6], 10, bell);
    if (msg->n)
        rh_send(self, poke, .n = msg->n - 1);
}
RH_HANDLER(odd, bell)
{
}
RH_BEHAVIOUR(odd, on, poke, bell);

RH_TEST(odd_names)
{
    rh_ref o = rh_spawn(odd);
    static const char *const outside[] = {
        "the user", "# no comment", "x #y", "line\nbreak", "...", "set a=b", "tab\t"
    };
    for (int i = 0; i < 7; i++)
        rh_send_from(rh_external(outside[i]), o, poke, .n = 1);
}

static void names_of_the_program_may_hold_anything(void **unused)
{
    (void)unused;
    static const struct rh_param params[] = {
        { "plain", "1" },      { "empty", "" },        { "hash", "a # b" },      { "edge", " both sides " },
        { "equals", "a=b=c" }, { "lines", "a\nb\nc" }, { "backslash", "\\n\\" }, { "bytes", "\x01\x7f\xc3\xa9" },
    };
    struct rh_semantics s = { .model = RH_BAG, .duplicates = 2, .seed = 1 };
    tally_new();
    walk("odd_names", &s, 5, params, 8);
    assert_int_equal(tally->runs, 25);
    rh_shared_free(tally, sizeof *tally);
}

/* A duplicate that arrives before later messages of its kind are sent has the same name then and at the end. */
RH_ACTOR(source, rh_ref sink; int n;);
RH_ACTOR(sink, int n;);
RH_HANDLER(sink, poke)
{
    state->n++;
    if (msg->n)
        rh_reply(poke, .n = msg->n - 1);
}
RH_BEHAVIOUR(sink, on, poke);
RH_HANDLER(source, poke)
{
    rh_send(state->sink, poke, .n = msg->n);
}
RH_BEHAVIOUR(source, on, poke);
RH_TEST(echo)
{
    rh_send(rh_spawn(source, .sink = rh_spawn(sink)), poke, .n = 3);
}

static void duplicates_keep_their_names(void **unused)
{
    (void)unused;
    tally_new();
    for (int model = RH_FIFO; model <= RH_MAILBOX; model++) {
        struct rh_semantics s = { .model = (enum rh_model)model, .duplicates = 3, .losses = 1 };
        for (uint64_t seed = 1; seed <= 20; seed++)
            walk("echo", &s, seed, NULL, 0);
    }
    assert_in_range(tally->kinds[RH_CHOICE_DUPLICATE], 500, 1 << 20);
    rh_shared_free(tally, sizeof *tally);
}

/* A text that is too small holds whole lines, and says so. */
static void cut_short(struct rh_world *w, void *arg)
{
    char text[300];
    struct rh__text t;
    struct rh__schedule s;
    char error[256];
    uint32_t n;
    (void)arg;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n;)
        rh_world_step(w, &open[0]);
    rh__text_init(&t, text, sizeof text);
    rh__schedule_write(rh__world_run(w), &t);
    tally->runs = strlen(text) < sizeof text && strstr(text, "\n# the rest did not fit\n") != NULL &&
                  rh__schedule_parse(&s, text, strlen(text), error, sizeof error);
    if (!tally->runs)
        return;
    tally->events = s.line_count;
    replay_text(w, &s);
    rh__schedule_release(&s);
}

static void what_does_not_fit_is_left_out_by_lines(void **unused)
{
    (void)unused;
    tally_new();
    struct rh_world *w = world_of("echo", NULL, NULL, 0);
    assert_int_equal(rh_sandbox_run(w, cut_short, NULL), RH_SANDBOX_DONE);
    assert_int_equal(tally->runs, 1);
    assert_in_range(tally->events, 2, 7);
    assert_string_equal(tally->trouble, "");
    rh_world_free(w);
    rh_shared_free(tally, sizeof *tally);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* The table in settings.c repeats what a world makes of zeroes. */
static void defaults_are_not_written(void **unused)
{
    (void)unused;
    char text[2048];
    struct rh__text t;
    struct rh_world *w = world_of("echo", NULL, NULL, 0);
    rh__text_init(&t, text, sizeof text);
    rh__semantics_write(rh_world_semantics(w), &w->test->semantics, &t);
    assert_string_equal(text, "set model=fifo\nset granularity=handler\nset time=free\n");
    rh_world_free(w);
}

static void what_differs_from_the_test_is_written(void **unused)
{
    (void)unused;
    char text[2048];
    struct rh__text t;
    struct rh_semantics own = { .losses = 2, .max_steps = 500, .check_isolation = true };
    struct rh_semantics s = { .model = RH_BAG,
                              .granularity = RH_GRAIN_HANDLER,
                              .dead_letters = RH_DEAD_LETTER_FAIL,
                              .max_steps = 100000,
                              .fail_allocation = 3,
                              .seed = 18446744073709551615u };
    rh__text_init(&t, text, sizeof text);
    rh__semantics_write(&s, &own, &t);
    assert_string_equal(text, "set model=bag\nset granularity=handler\nset time=free\nset dead_letters=fail\n"
                              "set losses=0\nset max_steps=100000\nset fail_allocation=3\nset check_isolation=0\n"
                              "set seed=18446744073709551615\n");
}

/* ---- the reader -------------------------------------------------------------------------------------------------- */

static void read_text(struct rh__schedule *s, const char *text)
{
    char error[256];
    if (!rh__schedule_parse(s, text, strlen(text), error, sizeof error))
        fail_msg("%s", error);
}

static void comments_spaces_and_settings_are_read(void **unused)
{
    (void)unused;
    struct rh__schedule s;
    long live = rh__alloc_live();
    read_text(&s, "\n# a comment\n  rehearse schedule 1  # here too\r\n\ttest some_test\nset model=bag # why\n"
                  "set param.x=a=b\n  writer#1 takes flush from a#1/b#2  # not needed\n...\n\ntest stops waiting\n");
    assert_string_equal(s.test, "some_test");
    assert_int_equal(s.setting_count, 2);
    assert_string_equal(s.settings[0].name, "model");
    assert_string_equal(s.settings[0].value, "bag");
    assert_string_equal(s.settings[1].name, "param.x");
    assert_string_equal(s.settings[1].value, "a=b");
    assert_int_equal(s.line_count, 3);
    assert_string_equal(s.lines[0].text, "writer#1 takes flush from a#1/b#2");
    assert_int_equal(s.lines[0].number, 7);
    assert_string_equal(s.lines[1].text, "...");
    assert_string_equal(s.lines[2].text, "test stops waiting");
    assert_int_equal(s.lines[2].number, 10);
    rh__schedule_release(&s);
    read_text(&s, "rehearse schedule 1");
    assert_null(s.test);
    assert_int_equal(s.line_count, 0);
    rh__schedule_release(&s);
    rh__schedule_release(&s); /* twice does no harm */
    assert_int_equal(rh__alloc_live(), live);
}

static void what_is_no_schedule_is_refused_with_its_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *sentence;
        size_t size; /* 0: as a string */
    } wrong[] = {
        { "", "it is empty", 0 },
        { "\n\n# only a comment\n", "it is empty", 0 },
        { "hello\n", "line 1: a schedule begins with `rehearse schedule 1`", 0 },
        { "\n\nrehearse schedule\n", "line 3: a schedule begins with", 0 },
        { "rehearse schedule 1x\n", "line 1: a schedule begins with", 0 },
        { "rehearse schedule 1 2\n", "line 1: a schedule begins with", 0 },
        { "rehearse schedule 2\n", "line 1: version 2 of the schedule format is not known, only version 1", 0 },
        { "rehearse schedule 0\n", "line 1: version 0 of the schedule format is not known", 0 },
        { "rehearse schedule 1\nset model\n", "line 2: `set` needs name=value", 0 },
        { "rehearse schedule 1\n\nset =bag\n", "line 3: `set` needs name=value", 0 },
        { "rehearse schedule 1\na\0b\n", "line 2: a zero byte", 23 },
        { "\x7f"
          "ELF\0\0\0",
          "line 1: a zero byte", 7 },
    };
    long live = rh__alloc_live();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rh__schedule s;
        char error[256] = "";
        size_t size = wrong[i].size ? wrong[i].size : strlen(wrong[i].text);
        if (rh__schedule_parse(&s, wrong[i].text, size, error, sizeof error) || !strstr(error, wrong[i].sentence))
            fail_msg("%zu: \"%s\" should say \"%s\"", i, error, wrong[i].sentence);
    }
    assert_int_equal(rh__alloc_live(), live);
}

static void settings_that_make_no_sense_are_refused(void **unused)
{
    (void)unused;
    static const char *const wrong[][2] = {
        { "model=lifo", "model=lifo: it is one of fifo, bag, causal, mailbox" },
        { "granularity=", "granularity=: it is one of default, handler, send, object" },
        { "time=late", "time=late: it is one of free, ordered, logical" },
        { "dead_letters=no", "dead_letters=no: it is one of log, fail, ignore" },
        { "losses=-1", "losses=-1: a whole number is wanted, at most 4294967295" },
        { "losses=4294967296", "at most 4294967295" },
        { "losses= 1", "a whole number is wanted" },
        { "losses=0x10", "a whole number is wanted" },
        { "losses=", "a whole number is wanted" },
        { "check_isolation=2", "at most 1" },
        { "seed=18446744073709551616", "at most 18446744073709551615" },
        { "nothing=1", "nothing: there is no such setting" },
        { "param.a=1\nset param.b=2\nset param.c=3", "more than 2 parameters" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256], error[256] = "";
        struct rh__schedule s;
        struct rh_semantics semantics = { .model = RH_FIFO };
        struct rh_param params[2];
        size_t count = 0;
        snprintf(text, sizeof text, "rehearse schedule 1\nset %s\n", wrong[i][0]);
        read_text(&s, text);
        if (rh__schedule_settings(&s, &semantics, params, &count, 2, error, sizeof error) ||
            !strstr(error, wrong[i][1]))
            fail_msg("%s: \"%s\" should say \"%s\"", wrong[i][0], error, wrong[i][1]);
        rh__schedule_release(&s);
    }
}

/* The k-th allocation fails: a sentence, and nothing is lost. */
static void the_reader_survives_lack_of_memory(void **unused)
{
    (void)unused;
    char file[] = "/tmp/rehearse-schedule-XXXXXX";
    int fd = mkstemp(file);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fputs("rehearse schedule 1\n", f);
    for (int i = 0; i < 1000; i++)
        fprintf(f, "set param.p%d=1\nreceiver#1 takes hello from a (%d)\n", i, i);
    fclose(f);
    long live = rh__alloc_live();
    for (long k = 1;; k++) {
        struct rh__schedule s;
        char error[256] = "";
        rh__alloc_fail_after(k);
        bool good = rh__schedule_read(&s, file, error, sizeof error);
        bool failed = rh__alloc_has_failed();
        rh__alloc_fail_after(0);
        assert_int_equal(good, !failed);
        if (good)
            rh__schedule_release(&s);
        else
            assert_true(strlen(error) > 10);
        assert_int_equal(rh__alloc_live(), live);
        if (!failed)
            break;
        assert_in_range(k, 1, 100);
    }
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(every_kind_of_choice_goes_round),
        EXPLORE_TEST(names_of_the_program_may_hold_anything),
        EXPLORE_TEST(duplicates_keep_their_names),
        EXPLORE_TEST(what_does_not_fit_is_left_out_by_lines),
        EXPLORE_TEST(defaults_are_not_written),
        EXPLORE_TEST(what_differs_from_the_test_is_written),
        EXPLORE_TEST(comments_spaces_and_settings_are_read),
        EXPLORE_TEST(what_is_no_schedule_is_refused_with_its_line),
        EXPLORE_TEST(settings_that_make_no_sense_are_refused),
        EXPLORE_TEST(the_reader_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
