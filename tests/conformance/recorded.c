/* A recorded run of production (rh_runtime_options.record) is replayed: generated programs (generated_program.h).
 *
 * Compiled twice, as all of this folder.  With librehearse-rt it records runs of programs on several sizes of the pool,
 * and prints for each "run SEED OUTCOME", the schedule, and "end".  With librehearse it starts that one, and makes the
 * choices of each schedule.  A schedule that does not say that it is not exact must fit in every line, leave nothing to
 * do, and lead to the same outcome: each actor has seen the same, in the same order.  A schedule that is not exact may
 * be stale; if it fits in every line, it is counted.
 *
 *     conformance_recorded_rt    [first count runs]
 *     conformance_recorded_world [first count runs] */
#include "conformance/support/generated_program.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/few.h"

struct range {
    uint64_t first, count, runs;
};

static struct range range_of(int argc, char **argv)
{
    struct range r = { 1, MANY_OR_FEW(300, 60), 3 };
    if (argc > 1)
        r.first = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        r.count = strtoull(argv[2], NULL, 0);
    if (argc > 3)
        r.runs = strtoull(argv[3], NULL, 0);
    return r;
}

#ifdef RH_CONFORMANCE_RT
/* ---- production -------------------------------------------------------------------------------------------------- */
#include <pthread.h>
#include <rehearse/runtime.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct said said;

static void on_log(const char *actor, const char *text, void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    said_add(&said, actor, text);
    pthread_mutex_unlock(&lock);
}

static void on_failure(const struct rh_failure *f, void *arg)
{
    (void)arg;
    fprintf(stderr, "program %llu: %s: %s: %s\n", (unsigned long long)generated_seed, f->actor, f->kind, f->text);
    abort();
}

static void run_once(uint32_t threads, const char *path)
{
    static char outcome[OUTCOME_SIZE];
    char line[1024];
    struct rh_runtime_options o = { .threads = threads, .on_failure = on_failure, .on_log = on_log, .record = path };
    said.count = 0;
    if (!rh_runtime_start(&o))
        abort();
    generated_start();
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    said_outcome(&said, outcome);
    printf("run %llu %s\n", (unsigned long long)generated_seed, outcome);
    FILE *f = fopen(path, "r");
    if (!f)
        abort();
    while (fgets(line, sizeof line, f))
        fputs(line, stdout);
    fclose(f);
    puts("end");
}

int main(int argc, char **argv)
{
    static const uint32_t threads[] = { 1, 2, 4 };
    struct range range = range_of(argc, argv);
    char path[] = "/tmp/rehearse-recorded-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    for (generated_seed = range.first; generated_seed < range.first + range.count; generated_seed++)
        for (uint64_t run = 0; run < range.runs; run++)
            run_once(threads[run % 3], path);
    unlink(path);
    return 0;
}

#else
/* ---- the controlled world ---------------------------------------------------------------------------------------- */
#include <rehearse/world.h>

#include "trace/schedule.h"
#include "world/run_record.h"

struct replayed {
    uint32_t exact, inexact, fit, wrong;
    uint64_t lines;
};

static void outcome_of(struct rh_world *w, char *outcome)
{
    static struct said said;
    said.count = 0;
    for (uint32_t i = 0; i < rh_world_log_count(w); i++) {
        struct rh_log_line line = rh_world_log_line(w, i);
        char name[SAID_SIZE];
        rh_world_actor_name(w, line.actor, name, sizeof name);
        said_add(&said, name, line.text);
    }
    said_outcome(&said, outcome);
}

static void body(rh_ref self, void *unused)
{
    (void)self, (void)unused;
    generated_start();
}

/* Makes the choice of a line; false if it is not open. */
static bool make(struct rh_world *w, const char *line)
{
    char buffer[1024];
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    for (uint32_t i = 0; i < n; i++)
        if (rh__schedule_fits(rh__world_run(w), &open[i], line, buffer, sizeof buffer)) {
            struct rh_choice c = open[i];
            return rh_world_step(w, &c);
        }
    return false;
}

static void show_open(struct rh_world *w)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    for (uint32_t i = 0; i < n; i++) {
        char text[256];
        rh_world_choice_text(w, &open[i], text, sizeof text);
        fprintf(stderr, "    open: %s\n", text);
    }
}

static void replay(struct rh_world *w, const struct rh__schedule *s, const char *expected, bool exact,
                   struct replayed *r)
{
    static char outcome[OUTCOME_SIZE];
    uint32_t i = 0, left, count = s->line_count;
    bool rests = count && strcmp(s->lines[count - 1].text, "... without timers") == 0; /* for those who never rest */
    count -= rests;
    rh_world_begin(w);
    while (i < count && make(w, s->lines[i].text))
        i++;
    rh_world_enabled(w, &left);
    outcome_of(w, outcome);
    bool same = rests && i == count && !left && strcmp(outcome, expected) == 0;
    r->lines += i;
    *(exact ? &r->exact : &r->inexact) += 1;
    r->fit += !exact && same;
    if (!exact || same)
        return;
    r->wrong++;
    fprintf(stderr, "program %llu: the schedule is said to be exact, but %s\n", (unsigned long long)generated_seed,
            !rests      ? "its last line is no gap"
            : i < count ? "a line does not fit"
            : left      ? "something is left to do"
                        : "the outcome is another");
    fprintf(stderr, "    production: %s\n    replayed:   %s\n", expected, outcome);
    for (uint32_t k = 0; k < s->line_count; k++)
        fprintf(stderr, "    %s %s\n", k < i ? " " : k == i ? ">" : "-", s->lines[k].text);
    show_open(w);
}

static void check(const char *bytes, size_t size, const char *expected, struct replayed *r)
{
    static const struct rh_test test = {
        .name = "generated",
        .place = __FILE__,
        .body = body,
        .semantics = { .dead_letters = RH_DEAD_LETTER_IGNORE,
                       .max_steps = 1000,
                       .max_actors = 32,
                       .max_bytes_per_actor = 65536 },
    };
    struct rh_world_options o = { .test = &test, .quiet = true };
    struct rh__schedule s;
    char error[256];
    if (!rh__schedule_parse(&s, bytes, size, error, sizeof error)) {
        fprintf(stderr, "program %llu: %s\n", (unsigned long long)generated_seed, error);
        r->wrong++;
        return;
    }
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w)
        abort();
    replay(w, &s, expected, !strstr(bytes, "# not exact") && !strstr(bytes, "# incomplete"), r);
    rh_world_free(w);
    rh__schedule_release(&s);
}

/* The other half, beside this program. */
static FILE *production(const char *own, const struct range *range)
{
    char command[4096];
    size_t stem = strlen(own) - strlen("_world");
    if (strlen(own) < strlen("_world") || strcmp(own + stem, "_world") != 0 || stem > 3000)
        return NULL;
    const char *emulator = getenv("EMULATOR"); /* from ctest, where this is another processor's program */
    snprintf(command, sizeof command, "%s '%.*s_rt' %llu %llu %llu", emulator ? emulator : "", (int)stem, own,
             (unsigned long long)range->first, (unsigned long long)range->count, (unsigned long long)range->runs);
    return popen(command, "r");
}

/* Records these programs in production and replays them; false if production fails. */
static bool play(const char *own, const struct range *range, struct replayed *r)
{
    enum { MOST = 1 << 20 };
    static char line[OUTCOME_SIZE + 64], expected[OUTCOME_SIZE];
    FILE *lines = production(own, range);
    char *bytes = malloc(MOST), *text;
    size_t size = 0;
    if (!lines || !bytes)
        return false;
    while (fgets(line, sizeof line, lines)) {
        if (strncmp(line, "run ", 4) == 0) {
            generated_seed = strtoull(line + 4, &text, 10);
            line[strcspn(line, "\n")] = '\0';
            snprintf(expected, sizeof expected, "%s", text + 1);
            size = 0;
        } else if (strcmp(line, "end\n") == 0) {
            check(bytes, size, expected, r);
        } else if (size + strlen(line) < MOST) {
            memcpy(bytes + size, line, strlen(line) + 1);
            size += strlen(line);
        }
    }
    free(bytes);
    return pclose(lines) == 0;
}

/* Programs that were once replayed wrongly, if threads were slow in a certain way: many runs of each. */
static const struct range known[] = {
    { 190, 1, 60 }, /* a forwarded message that came too late for its receiver still has a number */
    { 41, 1, 20 },  /* the value of rh_choose follows its event at once */
};

int main(int argc, char **argv)
{
    struct range range = range_of(argc, argv);
    struct replayed r = { 0 };
    bool played = play(argv[0], &range, &r);
    bool enough = r.exact + r.inexact == range.count * range.runs && r.exact * 10 >= r.inexact;
    for (size_t i = 0; argc == 1 && i < sizeof known / sizeof *known; i++)
        played &= play(argv[0], &known[i], &r);
    printf("%u exact recordings, %u of them wrong; %u that are not exact, %u of them fit; %llu lines\n", r.exact,
           r.wrong, r.inexact, r.fit, (unsigned long long)r.lines);
    return r.wrong || (argc == 1 && !enough) || !played;
}
#endif
