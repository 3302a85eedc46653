/* The explorer `optimal` against its executable specification (optimal.py), on generated programs.
 *
 * optimal.py prints programs, each with the number of runs that the specification explores and with the histories of
 * all actors in each run.  The same programs run here as actors: same number of runs, same histories, each as often
 * as the specification has it.  (Under mailbox this specification also distinguishes the orders in which mailboxes
 * accept, which the explorer does not: there each history comes once.)
 *
 * Actors wait in three ways, which the specification does not tell apart: handlers; receives that list types;
 * receives with a predicate. */
#include "explore/support/runs.h"

#include <rehearse/test.h>

#ifdef REFERENCE_LONG
enum { PROGRAMS = 12000, MAILBOX_PROGRAMS = 3000 };
#elif defined RH_TEST_FEW
enum { PROGRAMS = 150, MAILBOX_PROGRAMS = 60 };
#else
enum { PROGRAMS = 600, MAILBOX_PROGRAMS = 200 };
#endif

/* ---- the program ------------------------------------------------------------------------------------------------- */

enum { ACTORS = 4, STATES = 3, KINDS = 5, FAN = 2, MOST_TAKEN = 64 };

struct sends {
    uint32_t count;
    struct {
        uint32_t to, kind;
    } list[FAN];
};

struct rule {
    bool exists;
    uint32_t next;
    struct sends sends;
};

/* Written only between worlds. */
static struct {
    uint32_t number, actors, states, kinds;
    struct sends start[ACTORS];
    struct rule rule[ACTORS][STATES][KINDS];
} program;

/* ---- as actors --------------------------------------------------------------------------------------------------- */

struct send_name {
    uint32_t actor, index, ordinal;
};

struct automaton {
    uint32_t me, state, took;
    struct send_name history[MOST_TAKEN];
};

#define EACH_KIND(X)    X(kind0) X(kind1) X(kind2) X(kind3) X(kind4)
#define MESSAGE_X(type) RH_MESSAGE(type, struct send_name name;);
EACH_KIND(MESSAGE_X)
RH_ACTOR(handling, struct automaton a;);
RH_PROCESS(listing, struct automaton a;);
RH_PROCESS(testing, struct automaton a;);

static const struct rh_message_type *const kinds[] = {
#define TYPE_X(type) &rh_message_##type,
    EACH_KIND(TYPE_X)
};

/* Written by the test's body before anything else happens. */
static rh_ref everyone[ACTORS];

static void send_all(const struct automaton *a, const struct sends *sends)
{
    for (uint32_t i = 0; i < sends->count; i++) {
        rh_ref to = everyone[sends->list[i].to];
        struct send_name name = { a->me, a->took, i };
        switch (sends->list[i].kind) {
        case 0:
            rh_send(to, kind0, .name = name);
            break;
        case 1:
            rh_send(to, kind1, .name = name);
            break;
        case 2:
            rh_send(to, kind2, .name = name);
            break;
        case 3:
            rh_send(to, kind3, .name = name);
            break;
        default:
            rh_send(to, kind4, .name = name);
        }
    }
}

static void take(struct automaton *a, uint32_t kind, const struct send_name *name)
{
    const struct rule *r = &program.rule[a->me][a->state][kind];
    rh_assert(r->exists && a->took < MOST_TAKEN);
    a->history[a->took++] = *name;
    a->state = r->next;
    send_all(a, &r->sends);
}

RH_HANDLER(handling, rh_start)
{
    (void)msg;
    send_all(&state->a, &program.start[state->a.me]);
}
#define HANDLER_X(type)                                                                                                \
    RH_HANDLER(handling, type)                                                                                         \
    {                                                                                                                  \
        take(&state->a, (uint32_t)(#type[4] - '0'), &msg->name);                                                       \
    }
EACH_KIND(HANDLER_X)
RH_BEHAVIOUR(handling, ready, rh_start, kind0, kind1, kind2, kind3, kind4);

static uint32_t kind_of(const struct rh_message_type *type)
{
    uint32_t kind = 0;
    while (kind < KINDS && kinds[kind] != type)
        kind++;
    return kind;
}

static void receive_all(struct automaton *a, struct rh_filter *f, const struct rh_message_type **types)
{
    send_all(a, &program.start[a->me]);
    for (;;) {
        uint32_t n = 0;
        for (uint32_t k = 0; types && k < KINDS; k++)
            if (program.rule[a->me][a->state][k].exists)
                types[n++] = kinds[k];
        if (types) {
            if (!n)
                return;
            types[n] = NULL;
        }
        const struct rh_envelope *e = rh_receive_(f, RH_HERE);
        take(a, kind_of(e->type), e->value); /* each type is a name and nothing else */
    }
}

RH_BODY(listing)
{
    const struct rh_message_type *types[KINDS + 1];
    struct rh_filter f = { .types = types, .idle = true };
    receive_all(&state->a, &f, types);
}

static bool has_rule(const struct rh_envelope *e, const void *arg)
{
    const struct automaton *a = arg;
    uint32_t kind = kind_of(e->type);
    return kind < KINDS && program.rule[a->me][a->state][kind].exists;
}
RH_BODY(testing)
{
    struct rh_filter f = { .match = has_rule, .arg = &state->a, .idle = true };
    receive_all(&state->a, &f, NULL);
}

static bool takes_everything(uint32_t actor)
{
    for (uint32_t s = 0; s < program.states; s++)
        for (uint32_t k = 0; k < program.kinds; k++)
            if (!program.rule[actor][s][k].exists)
                return false;
    return true;
}

RH_TEST(tables)
{
    for (uint32_t i = 0; i < program.actors; i++) {
        struct automaton a = { .me = i };
        switch ((program.number + i) % 3) {
        case 0:
            everyone[i] = rh_spawn(listing, .a = a);
            break;
        case 1:
            everyone[i] = rh_spawn(testing, .a = a);
            break;
        default:
            everyone[i] = takes_everything(i) ? rh_spawn(handling, .a = a) : rh_spawn(listing, .a = a);
        }
    }
}

/* ---- what was taken ---------------------------------------------------------------------------------------------- */

enum { LINE = 1024, MOST_LINES = 1 << 10 };

struct lines {
    uint32_t count;
    char line[MOST_LINES][LINE];
};
static struct lines *seen; /* shared memory */

static const struct automaton *automaton_of(const struct rh_world *w, uint32_t actor)
{
    const struct rh_actor_type *type = rh_world_actor_type(w, actor);
    bool plays = type == &rh_actor_handling || type == &rh_actor_listing || type == &rh_actor_testing;
    return plays ? rh_world_actor_state(w, actor) : NULL; /* each state is an automaton and nothing else */
}

/* As optimal.py writes it. */
static void write_histories(const struct rh_world *w, char *to)
{
    size_t at = (size_t)snprintf(to, LINE, "history");
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        const struct automaton *a = automaton_of(w, i);
        if (!a)
            continue;
        at += (size_t)snprintf(to + at, LINE - at, " /");
        for (uint32_t k = 0; k < a->took && at < LINE; k++)
            at += (size_t)snprintf(to + at, LINE - at, " %u.%u.%u", a->history[k].actor, a->history[k].index,
                                   a->history[k].ordinal);
    }
    assert_true(at < LINE);
}

static void taking_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    if (seen->count < MOST_LINES)
        write_histories(w, seen->line[seen->count++]);
    rh_inner_end(&s->inner, w, run);
}
SPY(taking, "notes what actors took in the runs that another explorer makes", taking_end)

/* ---- reading what the specification prints ----------------------------------------------------------------------- */

static FILE *specification;
static char text[1 << 14]; /* of the program, to be shown */

static const char *next_line(void)
{
    static char line[LINE];
    if (!fgets(line, sizeof line, specification))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line;
}

static void read_sends(const char *from, struct sends *to)
{
    int n;
    assert_int_equal(sscanf(from, "%u%n", &to->count, &n), 1);
    assert_in_range(to->count, 0, FAN);
    for (uint32_t i = 0; i < to->count; i++) {
        from += n;
        assert_int_equal(sscanf(from, "%u %u%n", &to->list[i].to, &to->list[i].kind, &n), 2);
        assert_in_range(to->list[i].to, 0, program.actors - 1);
        assert_in_range(to->list[i].kind, 0, KINDS - 1);
    }
}

static void read_line_of_program(const char *line)
{
    uint32_t actor, state, kind, next;
    int n;
    if (sscanf(line, "actors %u states %u kinds %u", &program.actors, &program.states, &program.kinds) == 3) {
        assert_true(program.actors <= ACTORS && program.states <= STATES && program.kinds <= KINDS);
    } else if (sscanf(line, "start %u%n", &actor, &n) == 1) {
        assert_in_range(actor, 0, program.actors - 1);
        read_sends(line + n, &program.start[actor]);
    } else if (sscanf(line, "rule %u %u %u %u%n", &actor, &state, &kind, &next, &n) == 4) {
        assert_true(actor < program.actors && state < STATES && kind < KINDS && next < STATES);
        struct rule *r = &program.rule[actor][state][kind];
        r->exists = true;
        r->next = next;
        read_sends(line + n, &r->sends);
    } else {
        fail_msg("optimal.py printed what this test does not know: %s", line);
    }
}

/* False where there are no more programs. */
static bool read_program(uint32_t *runs, struct lines *want)
{
    const char *line = next_line();
    if (!line)
        return false;
    memset(&program, 0, sizeof program);
    want->count = 0;
    text[0] = '\0';
    assert_int_equal(sscanf(line, "program %u runs %u", &program.number, runs), 2);
    while ((line = next_line()) && strcmp(line, "end") != 0) {
        if (strncmp(line, "history", 7) == 0) {
            assert_true(want->count < MOST_LINES);
            snprintf(want->line[want->count++], LINE, "%s", line);
            continue;
        }
        read_line_of_program(line);
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "    %s\n", line);
    }
    assert_non_null(line);
    return true;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* Leaves each line once; they are sorted.  Returns how many there are. */
static uint32_t without_doubles(struct lines *l)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (!kept || strcmp(l->line[kept - 1], l->line[i]) != 0)
            memmove(l->line[kept++], l->line[i], LINE);
    return l->count = kept;
}

static void compare(enum rh_model model, uint32_t runs, struct lines *want)
{
    struct rh_semantics s = {
        .model = model, .granularity = RH_GRAIN_OBJECT, .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 500
    };
    struct rh_world *w = world_of("tables", &s, NULL, 0);
    seen->count = 0;
    struct rh_exploration *x = explored(w, "taking:optimal", 1, 4 * runs + 4);
    qsort(seen->line, seen->count, LINE, by_text);
    qsort(want->line, want->count, LINE, by_text);
    if (model == RH_MAILBOX)
        runs = without_doubles(want);
    uint32_t i = 0;
    while (i < seen->count && i < want->count && strcmp(seen->line[i], want->line[i]) == 0)
        i++;
    if (x->results->count.runs != runs || i != seen->count || i != want->count || !x->end.exhausted) {
        fprintf(stderr, "program %u\n%s", program.number, text);
        fail_msg("program %u: %llu runs, the specification has %u; the first difference:\n    optimal        %s\n"
                 "    specification  %s",
                 program.number, (unsigned long long)x->results->count.runs, runs,
                 i < seen->count ? seen->line[i] : "no more runs", i < want->count ? want->line[i] : "no more runs");
    }
    rh__exploration_free(x);
    rh_world_free(w);
}

static void compare_all(const char *name, enum rh_model model, uint32_t programs)
{
    const char *source = getenv("SOURCE_DIR");
    char command[600];
    struct lines *want = calloc(1, sizeof *want);
    uint32_t compared = 0, runs;
    seen = rh_shared_new(sizeof *seen);
    assert_true(want && seen);
    snprintf(command, sizeof command, "python3 '%s/tests/reference/optimal.py' print %s 0 %u", source ? source : ".",
             name, programs);
    specification = popen(command, "r");
    assert_non_null(specification);
    while (read_program(&runs, want)) {
        compare(model, runs, want);
        compared++;
    }
    if (pclose(specification) != 0)
        fail_msg("%s failed: python3 is missing, or the specification and its own oracle disagree", command);
    assert_in_range(compared, programs / 8, programs);
    rh_shared_free(seen, sizeof *seen);
    free(want);
}

static void bag_explores_what_the_specification_explores(void **unused)
{
    (void)unused;
    compare_all("bag", RH_BAG, PROGRAMS);
}

static void fifo_explores_what_the_specification_explores(void **unused)
{
    (void)unused;
    compare_all("fifo", RH_FIFO, PROGRAMS);
}

static void causal_explores_what_the_specification_explores(void **unused)
{
    (void)unused;
    compare_all("causal", RH_CAUSAL, PROGRAMS);
}

static void mailbox_explores_what_the_specification_explores(void **unused)
{
    (void)unused;
    compare_all("mailbox", RH_MAILBOX, MAILBOX_PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(bag_explores_what_the_specification_explores),
        EXPLORE_TEST(fifo_explores_what_the_specification_explores),
        EXPLORE_TEST(causal_explores_what_the_specification_explores),
        EXPLORE_TEST(mailbox_explores_what_the_specification_explores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
