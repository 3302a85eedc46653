/* Production gives only what was explored: generated programs (generated_program.h), many of them.
 *
 * Compiled twice, as all of this folder.  With librehearse-rt it runs programs on several sizes of the pool and prints
 * each outcome, a line each: "seed outcome".  With librehearse it starts that one, and looks for each outcome among
 * those of all schedules with granularity object, in order per sender and receiver, with timers that fire at any
 * moment.
 *
 *     conformance_generated_rt   [first count runs]
 *     conformance_generated_world [first count runs]
 *
 * Schedules are searched depth first, and a state that was there before, with the same said so far, is not searched
 * again. */
#include "conformance/support/generated_program.h"

#include <stdlib.h>

#ifdef RH_TEST_FEW
#undef COUNT
#undef RUNS
#define COUNT 60
#define RUNS  9
#elif !defined(COUNT)
#define COUNT 200
#define RUNS  12
#endif

struct range {
    uint64_t first, count, runs;
};

static struct range range_of(int argc, char **argv)
{
    struct range r = { 1, COUNT, RUNS };
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
static bool failed;

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
    pthread_mutex_lock(&lock);
    failed = true;
    pthread_mutex_unlock(&lock);
}

static void run_once(uint32_t threads, char *outcome)
{
    struct rh_runtime_options o = { .threads = threads, .on_failure = on_failure, .on_log = on_log };
    said.count = 0;
    if (!rh_runtime_start(&o))
        abort();
    generated_start();
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    said_outcome(&said, outcome);
}

int main(int argc, char **argv)
{
    static const uint32_t threads[] = { 1, 2, 4 };
    static char outcome[OUTCOME_SIZE], seen[64][OUTCOME_SIZE];
    struct range range = range_of(argc, argv);
    for (generated_seed = range.first; generated_seed < range.first + range.count; generated_seed++) {
        uint32_t count = 0;
        for (uint64_t run = 0; run < range.runs; run++) {
            uint32_t i = 0;
            run_once(threads[run % 3], outcome);
            while (i < count && strcmp(seen[i], outcome) != 0)
                i++;
            if (i < count || i == 64)
                continue;
            memcpy(seen[count++], outcome, sizeof outcome);
            printf("%llu %s\n", (unsigned long long)generated_seed, outcome);
        }
    }
    return failed;
}

#else
/* ---- the controlled world ---------------------------------------------------------------------------------------- */
#include <rehearse/world.h>

enum { MOST_STATES = 1 << 20, MOST_SOUGHT = 64 };

/* On the heap: globals are taken back with each step. */
struct search {
    struct rh_world *world;
    uint64_t *visited; /* open addressing; 0 is free */
    uint32_t states;
    bool too_many, wrong;
    uint32_t sought, found;
    char outcome[MOST_SOUGHT][OUTCOME_SIZE];
    bool was_found[MOST_SOUGHT];
    struct said said;
    char text[OUTCOME_SIZE];
};

static void hear(struct search *s)
{
    s->said.count = 0;
    for (uint32_t i = 0; i < rh_world_log_count(s->world); i++) {
        struct rh_log_line line = rh_world_log_line(s->world, i);
        char name[SAID_SIZE];
        rh_world_actor_name(s->world, line.actor, name, sizeof name);
        said_add(&s->said, name, line.text);
    }
    said_outcome(&s->said, s->text);
}

/* Whether this state, with what was said on the way to it, is new. */
static bool is_new(struct search *s)
{
    uint64_t h = rh_world_fingerprint(s->world);
    for (const char *c = s->text; *c; c++)
        h = stirred(h, (unsigned char)*c);
    h |= 1;
    uint32_t i = (uint32_t)(h >> 20) % MOST_STATES;
    while (s->visited[i] && s->visited[i] != h)
        i = (i + 1) % MOST_STATES;
    if (s->visited[i])
        return false;
    s->visited[i] = h;
    s->too_many = ++s->states > MOST_STATES / 4;
    return true;
}

static void run_is_over(struct search *s)
{
    const struct rh_outcome *o = rh_world_outcome(s->world);
    if (o->kind != RH_OUTCOME_FINISHED && o->kind != RH_OUTCOME_STUCK) {
        fprintf(stderr, "program %llu ends as %s: %s: %s\n", (unsigned long long)generated_seed,
                rh_outcome_name(o->kind), o->place, o->text);
        s->wrong = true;
    }
    for (uint32_t i = 0; i < s->sought; i++)
        if (!s->was_found[i] && strcmp(s->outcome[i], s->text) == 0) {
            s->was_found[i] = true;
            s->found++;
        }
}

static void search(struct search *s)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(s->world, &n);
    hear(s);
    if (!n) {
        run_is_over(s);
        return;
    }
    if (!is_new(s))
        return;
    struct rh_choice *copy = malloc(n * sizeof *copy);
    memcpy(copy, open, n * sizeof *copy);
    for (uint32_t i = 0; i < n && s->found < s->sought && !s->too_many && !s->wrong; i++) {
        if (!rh_world_step(s->world, &copy[i]))
            abort();
        search(s);
        if (!rh_world_undo(s->world))
            abort();
    }
    free(copy);
}

static void body(rh_ref self, void *unused)
{
    (void)self, (void)unused;
    generated_start();
}

/* Looks for the outcomes of one program; the number of those that are in no schedule. */
static uint32_t check(struct search *s, uint64_t seed, uint32_t *skipped)
{
    static const struct rh_test test = {
        .name = "generated",
        .place = __FILE__,
        .body = body,
        .semantics = { .granularity = RH_GRAIN_OBJECT,
                       .dead_letters = RH_DEAD_LETTER_IGNORE,
                       .max_steps = 1000,
                       .max_actors = 32,
                       .max_bytes_per_actor = 65536 },
    };
    struct rh_world_options o = { .test = &test, .quiet = true };
    char error[256];
    generated_seed = seed;
    s->world = rh_world_new(&o, error, sizeof error);
    if (!s->world) {
        fprintf(stderr, "%s\n", error);
        abort();
    }
    memset(s->was_found, 0, sizeof s->was_found);
    s->found = 0;
    s->too_many = false;
    uint32_t meaning;
    rh_world_begin(s->world);
    do { /* what a fingerprint means may change with what the program turns out to use */
        meaning = rh_world_fingerprint_meaning(s->world);
        memset(s->visited, 0, MOST_STATES * sizeof *s->visited);
        s->states = 0;
        search(s);
        rh_world_reset(s->world);
    } while (meaning != rh_world_fingerprint_meaning(s->world) && !s->too_many && !s->wrong);
    rh_world_free(s->world);
    if (s->too_many) {
        ++*skipped;
        return 0;
    }
    uint32_t missing = 0;
    for (uint32_t i = 0; i < s->sought; i++)
        if (!s->was_found[i]) {
            fprintf(stderr, "program %llu: production gives what no schedule gives (%u states):\n  %s\n",
                    (unsigned long long)seed, s->states, s->outcome[i]);
            missing++;
        }
    return missing;
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

/* Whether all is well. */
static bool compare(struct search *s, const char *own, const struct range *range)
{
    FILE *lines = production(own, range);
    if (!lines) {
        fprintf(stderr, "%s: there is no production side beside it\n", own);
        return false;
    }
    static char line[OUTCOME_SIZE + 32];
    uint64_t seed = 0;
    uint32_t missing = 0, skipped = 0, programs = 0, outcomes = 0;
    s->sought = 0;
    for (;;) {
        bool more = fgets(line, sizeof line, lines);
        char *text = NULL;
        uint64_t next = more ? strtoull(line, &text, 10) : 0;
        if (s->sought && next != seed) {
            missing += check(s, seed, &skipped);
            programs++;
            s->sought = 0;
        }
        if (!more)
            break;
        seed = next;
        line[strcspn(line, "\n")] = '\0';
        if (s->sought < MOST_SOUGHT)
            snprintf(s->outcome[s->sought++], OUTCOME_SIZE, "%s", text + 1);
        outcomes++;
    }
    int status = pclose(lines);
    printf("%u programs, %u outcomes in production, %u of them never explored; %u programs too large\n", programs,
           outcomes, missing, skipped);
    bool enough = programs == range->count && skipped * 10 <= programs;
    return !missing && !s->wrong && enough && status == 0;
}

/* Programs that were once wrong. */
static const struct range wrong_once[] = {
    { 753, 1, 30 }, /* a message that was forwarded, in a set */
};

int main(int argc, char **argv)
{
    struct range range = range_of(argc, argv);
    struct search *s = calloc(1, sizeof *s);
    s->visited = calloc(MOST_STATES, sizeof *s->visited);
    bool well = compare(s, argv[0], &range);
    for (size_t i = 0; argc == 1 && i < sizeof wrong_once / sizeof *wrong_once; i++)
        well &= compare(s, argv[0], &wrong_once[i]);
    free(s->visited);
    free(s);
    return !well;
}
#endif
