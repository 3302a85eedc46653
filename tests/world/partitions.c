/* Partitions: every shape, held and dropped, against a model of the network that has matrices of who hears whom instead
 * of cuts.  The world must have exactly the sequences of the model, and exactly its outcomes. */
#include "world/support/driver.h"

#include "trace/schedule.h"

enum { MOST_NODES = 4 };

RH_MESSAGE(meet, rh_ref others[MOST_NODES];);
RH_MESSAGE(told, char from;);

/* Tells others who it is, and what it has heard. */
RH_ACTOR(crier, char name; uint32_t heard; char names[8];);
RH_HANDLER(crier, meet)
{
    for (uint32_t i = 0; i < MOST_NODES; i++)
        if (!rh_is_nobody(msg->others[i]))
            rh_send(msg->others[i], told, .from = state->name);
}
RH_HANDLER(crier, told)
{
    state->names[state->heard++] = msg->from;
}
RH_BEHAVIOUR(crier, ready, meet, told);

/* Node i tells node k where bit i * MOST_NODES + k is set. */
static uint32_t node_count, links;

static bool tells(uint32_t i, uint32_t k)
{
    return links >> (i * MOST_NODES + k) & 1;
}

static bool tells_any(uint32_t i)
{
    return links >> i * MOST_NODES & ((1u << MOST_NODES) - 1);
}

RH_TEST(criers)
{
    rh_ref all[MOST_NODES];
    for (uint32_t i = 0; i < node_count; i++)
        all[i] = rh_spawn(crier, .name = (char)('a' + (int)i));
    for (uint32_t i = 0; i < node_count; i++) {
        struct meet m;
        for (uint32_t k = 0; k < MOST_NODES; k++)
            m.others[k] = k < node_count && tells(i, k) ? all[k] : rh_nobody();
        if (tells_any(i))
            rh_send_value(all[i], meet, &m);
    }
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

struct matrix {
    bool deaf[MOST_NODES][MOST_NODES]; /* [from][to] */
};

static struct matrix matrices[256];
static uint32_t matrix_count;

static void add_matrix(const struct matrix *m)
{
    static const struct matrix none;
    bool known = memcmp(m, &none, sizeof none) == 0;
    for (uint32_t i = 0; i < matrix_count; i++)
        known |= memcmp(m, &matrices[i], sizeof *m) == 0;
    if (!known)
        matrices[matrix_count++] = *m;
}

/* All equivalences of nodes: relations that are symmetric and transitive. */
static void add_equivalences(uint32_t classes)
{
    uint32_t pairs = node_count * (node_count - 1) / 2;
    for (uint32_t bits = 0; bits < 1u << pairs; bits++) {
        bool same[MOST_NODES][MOST_NODES] = { { 0 } }, good = true;
        uint32_t at = 0, heads = 0;
        for (uint32_t i = 0; i < node_count; i++)
            same[i][i] = true;
        for (uint32_t i = 0; i < node_count; i++)
            for (uint32_t k = i + 1; k < node_count; k++, at++)
                same[i][k] = same[k][i] = bits >> at & 1;
        for (uint32_t i = 0; i < node_count; i++)
            for (uint32_t k = 0; k < node_count; k++)
                for (uint32_t j = 0; j < node_count; j++)
                    good &= !(same[i][k] && same[k][j]) || same[i][j];
        for (uint32_t i = 0; i < node_count; i++) {
            bool first = true;
            for (uint32_t k = 0; k < i; k++)
                first &= !same[i][k];
            heads += first;
        }
        struct matrix m = { { { 0 } } };
        for (uint32_t i = 0; i < node_count; i++)
            for (uint32_t k = 0; k < node_count; k++)
                m.deaf[i][k] = !same[i][k];
        if (good && heads <= classes)
            add_matrix(&m);
    }
}

static void add_one_way(void)
{
    for (uint32_t side = 0; side < 1u << node_count; side++) {
        struct matrix m = { { { 0 } } };
        for (uint32_t i = 0; i < node_count; i++)
            for (uint32_t k = 0; k < node_count; k++)
                m.deaf[i][k] = (side >> i & 1) && !(side >> k & 1);
        add_matrix(&m);
    }
}

static void add_pairs(void)
{
    for (uint32_t i = 0; i < node_count && node_count > 2; i++)
        for (uint32_t k = i + 1; k < node_count; k++) {
            struct matrix m = { { { 0 } } };
            m.deaf[i][k] = m.deaf[k][i] = true;
            add_matrix(&m);
        }
}

static void make_matrices(enum rh_splits splits)
{
    matrix_count = 0;
    if (splits == RH_SPLIT_HALVES)
        add_equivalences(2);
    if (splits == RH_SPLIT_GROUPS || splits == RH_SPLIT_ANY)
        add_equivalences(MOST_NODES);
    if (splits == RH_SPLIT_ONE_WAY || splits == RH_SPLIT_ANY)
        add_one_way();
    if (splits == RH_SPLIT_PAIRS || splits == RH_SPLIT_ANY)
        add_pairs();
}

struct model {
    bool waits[MOST_NODES];                 /* to meet the others */
    bool under_way[MOST_NODES][MOST_NODES]; /* what the first tells the second */
    char names[MOST_NODES][8];
    const struct matrix *cut;
    uint32_t budget;
};

static bool drops;

static bool is_deaf(const struct model *m, uint32_t from, uint32_t to)
{
    return m->cut && m->cut->deaf[from][to];
}

static uint64_t walk(const struct model *m, struct tally *t);

static uint64_t walk_deliveries(const struct model *m, struct tally *t, uint32_t *ordinary, uint32_t *under_way)
{
    uint64_t runs = 0;
    for (uint32_t i = 0; i < node_count; i++) {
        struct model next = *m;
        if (m->waits[i]) {
            next.waits[i] = false;
            for (uint32_t k = 0; k < node_count; k++)
                next.under_way[i][k] |= tells(i, k) && !(drops && is_deaf(m, i, k));
            runs += walk(&next, t);
            ++*ordinary;
            ++*under_way;
        }
        for (uint32_t k = 0; k < node_count; k++) {
            if (!m->under_way[i][k])
                continue;
            ++*under_way;
            if (is_deaf(m, i, k))
                continue;
            next = *m;
            next.under_way[i][k] = false;
            next.names[k][strlen(next.names[k])] = (char)('a' + (int)i);
            runs += walk(&next, t);
            ++*ordinary;
        }
    }
    return runs;
}

static uint64_t walk(const struct model *m, struct tally *t)
{
    uint32_t ordinary = 0, under_way = 0;
    uint64_t runs = walk_deliveries(m, t, &ordinary, &under_way);
    for (uint32_t i = 0; i < matrix_count && !m->cut && m->budget && ordinary; i++) {
        struct model next = *m;
        next.cut = &matrices[i];
        next.budget--;
        for (uint32_t a = 0; a < node_count; a++)
            for (uint32_t b = 0; b < node_count; b++)
                next.under_way[a][b] &= !(drops && matrices[i].deaf[a][b]);
        runs += walk(&next, t);
    }
    if (m->cut && (ordinary || under_way)) {
        struct model next = *m;
        next.cut = NULL;
        runs += walk(&next, t);
    } else if (!ordinary) {
        char text[64] = "";
        for (uint32_t i = 0; i < node_count; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s|", m->names[i]);
        tally_add(t, text);
        runs++;
    }
    return runs;
}

/* ---- the world against the model --------------------------------------------------------------------------------- */

static void note_names(struct rh_world *w, void *arg)
{
    char text[64] = "";
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
    for (uint32_t i = 0; i < node_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s|",
                 ((const struct crier *)rh_world_actor_state(w, 1 + i))->names);
    tally_add(arg, text);
}

static uint64_t compare(const struct rh_semantics *s)
{
    static struct tally is, should;
    struct model m = { .budget = s->partitions };
    is.count = should.count = 0;
    make_matrices(s->splits);
    drops = s->across == RH_ACROSS_DROPPED;
    for (uint32_t i = 0; i < node_count; i++)
        m.waits[i] = tells_any(i);
    uint64_t want = walk(&m, &should);
    struct rh_world *w = open_test("criers", s);
    uint64_t made = every_run(w, 1000000, note_names, &is);
    rh_world_free(w);
    bool same = made == want && is.count == should.count;
    for (uint32_t i = 0; i < should.count && same; i++)
        same = tally_of(&is, should.text[i]) == should.times[i];
    if (!same) {
        tally_print(&is);
        tally_print(&should);
        fail_msg("splits %u across %u links %x: %llu sequences, the model has %llu", s->splits, s->across, links,
                 (unsigned long long)made, (unsigned long long)want);
    }
    return made;
}

#define LINK(i, k) (1u << ((i)*MOST_NODES + (k)))

static void the_world_has_the_sequences_of_the_model(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t nodes, links;
    } nets[] = {
        { 2, LINK(0, 1) },
        { 2, LINK(0, 1) | LINK(1, 0) },
        { 3, LINK(0, 1) | LINK(0, 2) },
        { 3, LINK(0, 1) | LINK(2, 1) },
        { 3, LINK(0, 1) | LINK(1, 2) },
        { 4, LINK(0, 3) | LINK(1, 2) },
    };
    uint64_t sequences = 0;
    for (uint32_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (int splits = 0; splits <= RH_SPLIT_ANY; splits++)
            for (int across = 0; across <= RH_ACROSS_DROPPED; across++) {
                struct rh_semantics s = { .partitions = 1 + (nets[i].nodes == 2),
                                          .splits = (enum rh_splits)splits,
                                          .across = (enum rh_across)across };
                node_count = nets[i].nodes;
                links = nets[i].links;
                sequences += compare(&s);
            }
    printf("%llu sequences\n", (unsigned long long)sequences);
    assert_true(sequences > 10000);
}

/* ---- how many there are ------------------------------------------------------------------------------------------ */

static uint32_t offered(uint32_t nodes, enum rh_splits splits)
{
    uint32_t n, count = 0;
    struct rh_semantics s = { .partitions = 1, .splits = splits };
    node_count = nodes;
    struct rh_world *w = open_test("crowd", &s);
    const struct rh_choice *open = rh_world_enabled(w, &n);
    for (uint32_t i = 0; i < n; i++)
        count += open[i].kind == RH_CHOICE_PARTITION;
    rh_world_free(w);
    return count;
}

RH_TEST(crowd)
{
    struct meet m;
    for (uint32_t k = 0; k < MOST_NODES; k++)
        m.others[k] = rh_nobody();
    rh_ref first = rh_spawn(crier);
    for (uint32_t i = 1; i < node_count; i++)
        rh_spawn(crier);
    rh_send_value(first, meet, &m);
}

/* Halves: 2^(n-1) - 1 up to seven nodes, then n.  Groups: the Bell number less one up to five nodes, then halves and
 * all alone.  One way: 2^n - 2, then 2 n.  Pairs: n (n - 1) / 2, but of two nodes they are halves. */
static void the_number_of_splits_is_as_stated(void **unused)
{
    (void)unused;
    static const uint32_t bell[] = { 1, 1, 2, 5, 15, 52 };
    for (uint32_t n = 1; n <= 20; n++) {
        uint32_t nodes = n < 16 ? n : 16;
        uint32_t halves = nodes <= 7 ? (1u << (nodes - 1)) - 1 : nodes;
        uint32_t groups = nodes <= 5 ? bell[nodes] - 1 : halves + 1;
        uint32_t one_way = nodes < 2 ? 0 : nodes <= 7 ? (1u << nodes) - 2 : 2 * nodes;
        uint32_t pairs = nodes > 2 ? nodes * (nodes - 1) / 2 : 0;
        assert_int_equal(offered(n, RH_SPLIT_HALVES), halves);
        assert_int_equal(offered(n, RH_SPLIT_GROUPS), groups);
        assert_int_equal(offered(n, RH_SPLIT_ONE_WAY), one_way);
        assert_int_equal(offered(n, RH_SPLIT_PAIRS), pairs);
        assert_int_equal(offered(n, RH_SPLIT_ANY), groups + one_way + pairs);
    }
}

/* ---- names and schedules ----------------------------------------------------------------------------------------- */

static bool offers(const char *line)
{
    char text[256];
    uint32_t n, found = 0;
    struct rh_semantics s = { .partitions = 1, .splits = RH_SPLIT_ANY };
    node_count = 4;
    links = LINK(0, 1);
    struct rh_world *w = open_test("criers", &s);
    struct rh_choice *open = copy_choices(w, &n);
    for (uint32_t i = 0; i < n; i++)
        found += rh__schedule_fits(rh__world_run(w), &open[i], line, text, sizeof text);
    for (uint32_t i = 0; i < n; i++) /* no line fits two choices */
        for (uint32_t k = 0; k < n; k++) {
            struct rh__text t;
            char mine[256];
            rh__text_init(&t, mine, sizeof mine);
            rh__choice_line(rh__world_run(w), &open[i], &t);
            assert_int_equal(rh__schedule_fits(rh__world_run(w), &open[k], mine, text, sizeof text), i == k);
        }
    free(open);
    rh_world_free(w);
    return found == 1;
}

static void each_shape_has_a_line(void **unused)
{
    (void)unused;
    assert_true(offers("the network splits: crier#2"));
    assert_true(offers("the network splits: crier#2 crier#4"));
    assert_true(offers("the network splits: crier#1 crier#3 not heard by the rest"));
    assert_true(offers("the network splits: crier#1 crier#3 not heard by each other"));
    assert_true(offers("the network splits: crier#2 | crier#3 crier#4 | the rest"));
    assert_true(offers("the network splits: crier#2 | crier#3 | crier#4 | the rest"));
    assert_false(offers("the network splits: crier#1"));
}

/* ---- whom a partition concerns ----------------------------------------------------------------------------------- */

RH_ACTOR(clerk, rh_ref crier; uint32_t replies;);
RH_HANDLER(clerk, rh_start)
{
    rh_ref mine = rh_spawn(crier, .name = 'x');
    struct meet m = { .others = { state->crier, mine, self, rh_nobody() } };
    rh_send_value(state->crier, meet, &m);
}
RH_HANDLER(clerk, told)
{
    state->replies++;
}
RH_BEHAVIOUR(clerk, ready, rh_start, told);

RH_TEST(clerk_and_criers, .partitions = 1, .across = RH_ACROSS_DROPPED, .may_split = RH_ACTORS(crier))
{
    rh_ref c = rh_spawn(crier, .name = 'a');
    rh_spawn(clerk, .crier = c);
}

/* The clerk hears and is heard; the crier that it has spawned is a node of its own. */
static void note_clerk(struct rh_world *w, void *arg)
{
    char text[64];
    const struct clerk *c = rh_world_actor_state(w, 2);
    snprintf(text, sizeof text, "clerk %u mine %u", c->replies,
             ((const struct crier *)rh_world_actor_state(w, 3))->heard);
    tally_add(arg, text);
}

static void only_nodes_are_split(void **unused)
{
    (void)unused;
    static struct tally t;
    struct rh_world *w = open_test("clerk_and_criers", NULL);
    every_run(w, 100000, note_clerk, &t);
    rh_world_free(w);
    assert_int_equal(t.count, 2);
    assert_true(tally_of(&t, "clerk 1 mine 1") > 0);
    assert_true(tally_of(&t, "clerk 1 mine 0") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_world_has_the_sequences_of_the_model),
        WORLD_TEST(the_number_of_splits_is_as_stated),
        WORLD_TEST(each_shape_has_a_line),
        WORLD_TEST(only_nodes_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
