/* The controlled side of harness.h: all schedules by depth-first search with undo, or, where there are more than
 * MAX_RUNS, random ones beyond.  What is found is kept on the heap: globals are taken back with each step. */
#ifndef RH_CONFORMANCE_RT
#include "conformance/support/harness_run.h"

#include <rehearse/world.h>

enum { MAX_RUNS = 60000, RANDOM_RUNS = 5000, SEED = 7 };

struct search {
    const struct program *program;
    struct rh_world *world;
    uint32_t runs;
    bool seen[MAX_ALLOWED];
    bool wrong;
    struct record record;
    char outcome[OUTCOME_SIZE];
};

/* Kinds of failure in production's words (rehearse/runtime.h). */
static const char *kind_name(enum rh_outcome_kind kind)
{
    switch (kind) {
    case RH_OUTCOME_PROPERTY:
        return "assertion";
    case RH_OUTCOME_UNHANDLED:
        return "unhandled";
    case RH_OUTCOME_ABNORMAL_EXIT:
        return "exit";
    default:
        return rh_outcome_name(kind);
    }
}

static void run_is_over(struct search *s)
{
    struct rh_world *w = s->world;
    char name[LINE_SIZE];
    s->record.count = 0;
    s->record.failures[0] = 0;
    for (uint32_t i = 0; i < rh_world_log_count(w); i++) {
        struct rh_log_line line = rh_world_log_line(w, i);
        rh_world_actor_name(w, line.actor, name, sizeof name);
        record_line(&s->record, name, line.text);
    }
    const struct rh_outcome *o = rh_world_outcome(w);
    if (o->kind != RH_OUTCOME_FINISHED) {
        rh_world_actor_name(w, o->actor, name, sizeof name);
        if (o->actor == RH_NONE)
            name[0] = 0;
        record_failure(&s->record, s->program, kind_name(o->kind), name, o->place, o->text);
    }
    record_outcome(&s->record, s->outcome, sizeof s->outcome);
    int index = allowed_index(s->program, s->outcome);
    if (index >= 0)
        s->seen[index] = true;
    else if (!s->wrong)
        print_error("%s: not allowed: %s\n", s->program->name, s->outcome);
    s->wrong |= index < 0;
    s->runs++;
}

static void search_all(struct search *s)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(s->world, &n);
    if (!n) {
        run_is_over(s);
        return;
    }
    struct rh_choice *copy = malloc(n * sizeof *copy);
    memcpy(copy, open, n * sizeof *copy);
    for (uint32_t i = 0; i < n && s->runs < MAX_RUNS; i++) {
        assert_true(rh_world_step(s->world, &copy[i]));
        search_all(s);
        assert_true(rh_world_undo(s->world));
    }
    free(copy);
}

static void search_random(struct search *s)
{
    uint64_t x = SEED;
    for (int run = 0; run < RANDOM_RUNS; run++) {
        uint32_t n;
        rh_world_reset(s->world);
        for (const struct rh_choice *open; (open = rh_world_enabled(s->world, &n)), n;) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            assert_true(rh_world_step(s->world, &open[(x >> 33) % n]));
        }
        run_is_over(s);
    }
}

static void body(rh_ref self, void *program)
{
    (void)self, (void)program;
    struct program *p = first_program;
    while (strcmp(p->name, rh_param_text("program", "")) != 0)
        p = p->next;
    p->start();
}

void run_program(const struct program *p)
{
    char error[256];
    struct rh_test test = { .name = p->name, .place = p->file, .body = body, .semantics = p->semantics };
    if (getenv("CONTEXTS_THREADS")) /* tests/cli/contexts.sh */
        test.semantics.contexts = RH_CONTEXT_THREADS;
    const struct rh_param param = { "program", p->name };
    struct rh_world_options o = { .test = &test, .params = &param, .param_count = 1, .quiet = true };
    struct search *s = calloc(1, sizeof *s);
    s->program = p;
    s->world = rh_world_new(&o, error, sizeof error);
    if (!s->world)
        fail_msg("%s", error);
    rh_world_begin(s->world);
    search_all(s);
    if (s->runs >= MAX_RUNS) {
        print_message("%s: more than %d schedules; %d random ones, seed %d\n", p->name, MAX_RUNS, RANDOM_RUNS, SEED);
        search_random(s);
    }
    rh_world_free(s->world);
    for (int i = 0; p->allowed[i]; i++)
        if (!s->seen[i]) {
            print_error("%s: in none of %u runs: %s\n", p->name, s->runs, p->allowed[i]);
            s->wrong = true;
        }
    bool wrong = s->wrong;
    free(s);
    if (wrong) {
        print_allowed(p);
        fail();
    }
}
#else
typedef int not_empty; /* the other side is harness_rt.c */
#endif
