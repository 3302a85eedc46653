/* The explorer `optimal` against the second part of its executable specification (optimal_more.py): programs of
 * processes that send, receive, poll, and operate on the keys of a table.
 *
 * optimal_more.py prints programs with their numbers of behaviours, which its own oracle has confirmed.  Each process
 * is a tree: what it does, and by the result what comes next.  The same programs run here: same number of runs, and
 * no result that the specification does not have.
 *
 * In the environment: REHEARSE_FIRST, REHEARSE_LAST: which programs; REHEARSE_ONLY='mailbox*': which tests. */
#include "explore/support/runs.h"

#include <rehearse/test.h>

#ifdef RH_TEST_FEW
enum { PROGRAMS = 40, SETS = 20 };
#else
enum { PROGRAMS = 150, SETS = 60 };
#endif

/* ---- the program ------------------------------------------------------------------------------------------------- */

enum { PROCESSES = 6, OBJECTS = 4, NODES = 4096, EDGES = 8192 };

enum action { SENDS, RECEIVES, POLLS, TAKES_SET, POLLS_SET, GETS, PUTS, INSERTS, DELETES, SWAPS, ADDS };
static const char *const actions[] = { "send", "recv",       "poll",   "set", "set_poll", "get",
                                       "put",  "insert_new", "delete", "cas", "add" };
enum filter { ANY, TAG, TAGS, FROM, ODD };
static const char *const filters[] = { "any", "tag", "tags", "from", "odd" };

struct node {
    enum action action;
    int what;    /* object, receiver, filter */
    int args[2]; /* of an operation; tag and value; of the filter */
};

struct edge {
    int node, result, next;
};

/* Written only between worlds. */
static struct {
    int number, processes, objects, edges;
    int first[PROCESSES]; /* node; -1 for none */
    int initial[OBJECTS]; /* -1 for none */
    struct node node[NODES];
    struct edge edge[EDGES];
} program;

/* ---- as processes ------------------------------------------------------------------------------------------------ */

RH_MESSAGE_IGNORED(letter, int from; int tag; int value;);
RH_PROCESS(player, int me;);
RH_TABLE(objects);

/* Written by the test's body before anything else happens. */
static rh_ref everyone[PROCESSES];

static bool fits(const struct rh_envelope *e, const void *arg)
{
    const struct node *n = arg;
    const struct letter *l = e->value;
    switch ((enum filter)n->what) {
    case TAG:
        return l->tag == n->args[0];
    case TAGS:
        return n->args[0] >> l->tag & 1;
    case FROM:
        return l->from == n->args[0];
    case ODD:
        return l->value % 2 == n->args[0];
    default:
        return true;
    }
}

/* The messages of a set as one number, in the order of the numbers of its messages. */
static int receive_set(const struct node *n, struct rh_filter *f)
{
    int codes[8], h = 0;
    if (n->action == POLLS_SET)
        f->timeout_ms = RH_POLL;
    const struct rh_envelope *e = rh_receive_set_((size_t)n->args[1], f, RH_HERE);
    for (int i = 0; e && i < n->args[1]; i++) {
        const struct letter *l = e[i].value;
        int k = i, c = (l->from * 8 + l->tag) * 8 + l->value;
        for (; k && codes[k - 1] > c; k--)
            codes[k] = codes[k - 1];
        codes[k] = c;
    }
    for (int i = 0; e && i < n->args[1]; i++)
        h = (h * 1009 + codes[i] + 1) % 1000003;
    return e ? h : -1;
}

static int receive(const struct node *n)
{
    struct rh_filter f = { .type = &rh_message_letter, .idle = true };
    if (n->what != ANY) {
        f.match = fits;
        f.arg = n;
    }
    if (n->action == POLLS)
        f.timeout_ms = RH_POLL;
    if (n->action == TAKES_SET || n->action == POLLS_SET)
        return receive_set(n, &f);
    const struct rh_envelope *e = rh_receive_(&f, RH_HERE);
    const struct letter *l = e ? e->value : NULL;
    return l ? (l->from * 8 + l->tag) * 8 + l->value : -1;
}

/* Does it, and gives the result as the specification writes it. */
static int act(int me, const struct node *n)
{
    char key[2] = { (char)('a' + n->what), 0 };
    int64_t value = n->args[0], other = n->args[1], found = 0;
    switch (n->action) {
    case SENDS:
        rh_send(everyone[n->what], letter, .from = me, .tag = n->args[0], .value = n->args[1]);
        return -1;
    case GETS:
        return rh_table_get(objects, key, &found, sizeof found) < 0 ? -1 : (int)found;
    case PUTS:
        rh_table_put(objects, key, &value, sizeof value);
        return -1;
    case INSERTS:
        return rh_table_insert_new(objects, key, &value, sizeof value);
    case DELETES:
        return rh_table_remove(objects, key);
    case SWAPS:
        return rh_table_swap(objects, key, &value, sizeof value, &other, sizeof other);
    case ADDS:
        return (int)rh_table_add(objects, key, 1);
    default:
        return receive(n);
    }
}

/* The node after this result; -1 if the process is at its end. */
static int after(int node, int result)
{
    bool any = false;
    for (int i = 0; i < program.edges; i++) {
        if (program.edge[i].node != node)
            continue;
        any = true;
        if (program.edge[i].result == result)
            return program.edge[i].next;
    }
    rh_assert(!any, "program %d: node %d has no result %d", program.number, node, result);
    return -1;
}

RH_BODY(player)
{
    for (int node = program.first[state->me]; node >= 0;)
        node = after(node, act(state->me, &program.node[node]));
}

RH_TEST(trees)
{
    for (int i = 0; i < program.objects; i++) {
        int64_t value = program.initial[i];
        if (value >= 0)
            rh_table_put(objects, ((char[]){ (char)('a' + i), 0 }), &value, sizeof value);
    }
    for (int i = 0; i < program.processes; i++)
        everyone[i] = rh_spawn(player, .me = i);
}

/* ---- reading what the specification prints ----------------------------------------------------------------------- */

static FILE *specification;

static int number_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("optimal_more.py printed %s, which this test does not know", name);
    return 0;
}

static void read_node(const char *line)
{
    char action[16], what[16];
    int i, p, a = 0, b = 0;
    int n = sscanf(line, "node %d %d %15s %15s %d %d", &i, &p, action, what, &a, &b);
    assert_in_range(n, 4, 6);
    assert_true(i >= 0 && i < NODES && p < program.processes);
    struct node *to = &program.node[i];
    to->action = (enum action)number_of(action, actions, sizeof actions / sizeof *actions);
    bool receives = to->action >= RECEIVES && to->action <= POLLS_SET;
    to->what = receives ? number_of(what, filters, sizeof filters / sizeof *filters) : atoi(what);
    to->args[0] = a;
    to->args[1] = b;
    if (program.first[p] < 0)
        program.first[p] = i;
}

/* False where there are no more programs. */
static bool read_program(int *behaviours)
{
    char line[256];
    int o, value;
    if (!fgets(line, sizeof line, specification))
        return false;
    memset(&program, 0, sizeof program);
    memset(program.first, -1, sizeof program.first);
    memset(program.initial, -1, sizeof program.initial);
    assert_int_equal(sscanf(line, "program %d behaviours %d processes %d objects %d", &program.number, behaviours,
                            &program.processes, &program.objects),
                     4);
    assert_true(program.processes <= PROCESSES && program.objects <= OBJECTS);
    while (fgets(line, sizeof line, specification) && strcmp(line, "end\n") != 0) {
        struct edge *e = &program.edge[program.edges];
        if (sscanf(line, "initial %d %d", &o, &value) == 2) {
            program.initial[o] = value;
        } else if (sscanf(line, "edge %d %d %d", &e->node, &e->result, &e->next) == 3) {
            assert_true(++program.edges < EDGES);
        } else {
            read_node(line);
        }
    }
    return true;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void compare(enum rh_model model, const char *name, int behaviours)
{
    struct rh_semantics s = {
        .model = model, .granularity = RH_GRAIN_OBJECT, .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 500
    };
    struct rh_world *w = world_of("trees", &s, NULL, 0);
    struct rh_exploration *x = explored(w, "optimal(private-globals)", 1, 4 * (uint64_t)behaviours + 4);
    const struct rh__counts *c = &x->results->count;
    if (c->runs != (uint64_t)behaviours || x->results->distinct.count != c->runs || c->failed || !x->end.exhausted)
        fail_msg("%s program %d: %llu runs, %llu distinct, %llu failed; the specification has %d behaviours", name,
                 program.number, (unsigned long long)c->runs, (unsigned long long)x->results->distinct.count,
                 (unsigned long long)c->failed, behaviours);
    rh__exploration_free(x);
    rh_world_free(w);
}

static void compare_some(const char *name, enum rh_model model, const char *kind, int most)
{
    const char *source = getenv("SOURCE_DIR");
    char command[600];
    int compared = 0, behaviours, sum = 0;
    int first = getenv("REHEARSE_FIRST") ? atoi(getenv("REHEARSE_FIRST")) : 0;
    int last = getenv("REHEARSE_LAST") ? atoi(getenv("REHEARSE_LAST")) : most;
    snprintf(command, sizeof command, "python3 '%s/tests/reference/optimal_more.py' print %s %d %d %s",
             source ? source : ".", name, first, last, kind);
    specification = popen(command, "r");
    assert_non_null(specification);
    for (; read_program(&behaviours); compared++) {
        compare(model, name, behaviours);
        sum += behaviours;
    }
    if (pclose(specification) != 0)
        fail_msg("%s failed: python3 is missing, or the specification and its own oracle disagree", command);
    print_message("%s %s: %d programs, %d behaviours\n", name, kind, compared, sum);
    assert_in_range(compared, (last - first) / 10, last - first);
}

static void compare_all(const char *name, enum rh_model model, const char *kind)
{
    compare_some(name, model, kind, PROGRAMS);
}

static void objects_have_the_behaviours_of_the_specification(void **unused)
{
    (void)unused;
    compare_all("bag", RH_BAG, "objects");
}

static void bag_has_the_behaviours_of_the_specification(void **unused)
{
    (void)unused;
    compare_all("bag", RH_BAG, "mix");
}

static void fifo_has_the_behaviours_of_the_specification(void **unused)
{
    (void)unused;
    compare_all("fifo", RH_FIFO, "mix");
}

static void mailbox_has_the_behaviours_of_the_specification(void **unused)
{
    (void)unused;
    compare_all("mailbox", RH_MAILBOX, "mix");
    compare_all("mailbox", RH_MAILBOX, "messages");
    compare_all("mailbox", RH_MAILBOX, "dense");
    compare_all("mailbox", RH_MAILBOX, "wide");
}

static void causal_has_the_behaviours_of_the_specification(void **unused)
{
    (void)unused;
    compare_all("causal", RH_CAUSAL, "mix");
}

static void sets_have_the_behaviours_of_the_specification(void **unused)
{
    (void)unused;
    static const char *const names[] = { "bag", "fifo", "causal", "mailbox" };
    static const enum rh_model models[] = { RH_BAG, RH_FIFO, RH_CAUSAL, RH_MAILBOX };
    for (int i = 0; i < 4; i++) {
        compare_some(names[i], models[i], "sets", SETS);
        compare_some(names[i], models[i], "quorums", SETS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(objects_have_the_behaviours_of_the_specification),
        EXPLORE_TEST(bag_has_the_behaviours_of_the_specification),
        EXPLORE_TEST(fifo_has_the_behaviours_of_the_specification),
        EXPLORE_TEST(causal_has_the_behaviours_of_the_specification),
        EXPLORE_TEST(mailbox_has_the_behaviours_of_the_specification),
        EXPLORE_TEST(sets_have_the_behaviours_of_the_specification),
    };
    if (getenv("REHEARSE_ONLY"))
        cmocka_set_test_filter(getenv("REHEARSE_ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
