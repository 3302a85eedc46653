/* pctcp(DEPTH, racing): its probability where that can be computed by hand, and the kinds that race against their
 * definition.  The seeds are fixed, so the bounds (5.5 standard deviations) hold always or never. */
#include "explore/samplers/races.h"
#include "explore/support/runs.h"

static struct counts {
    uint64_t runs, hits, wrong, racing, others;
} * counts;

static void sample(const char *test, const char *explorer, uint64_t runs)
{
    memset(counts, 0, sizeof *counts);
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    rh__exploration_free(explored(w, explorer, 1, runs));
    rh_world_free(w);
    assert_int_equal(counts->runs, runs);
}

/* ---- two signatures, a third between them, and a long way home --------------------------------------------------- */

enum { WAY = 33 };
RH_MESSAGE(sign, char who; rh_ref guest;);
RH_MESSAGE(again);
RH_MESSAGE(walk, int left;);
RH_ACTOR(book, char order[4]; int count;);
RH_ACTOR(guest, rh_ref book; int visits;);
RH_ACTOR(walker);
RH_HANDLER(book, sign)
{
    state->order[state->count++ % 4] = msg->who;
    if (msg->who == 'a')
        rh_send(msg->guest, again);
}
RH_BEHAVIOUR(book, lying_open, sign);
RH_HANDLER(walker, walk)
{
    if (msg->left)
        rh_send(rh_spawn(walker), walk, .left = msg->left - 1);
}
RH_BEHAVIOUR(walker, walking, walk);
RH_HANDLER(guest, again)
{
    if (state->visits++ < 2)
        rh_send(state->book, sign, .who = 'a', .guest = rh_self());
    else
        rh_send(rh_spawn(walker), walk, .left = WAY - 1);
}
RH_BEHAVIOUR(guest, visiting, again);
RH_TEST(visits)
{
    rh_ref b = rh_spawn(book);
    rh_send(rh_spawn(guest, .book = b), again);
    rh_send(b, sign, .who = 'b');
}

static void aba_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    counts->runs++;
    rh_inner_end(&((struct spy *)state)->inner, w, run);
    counts->hits += memcmp(((const struct book *)rh_world_actor_state(w, 1))->order, "aba", 3) == 0;
}
SPY(aba, "counts runs in which b came between two of a", aba_end)

/* There are three chains: b, the first message of the guest, the rest.  b must be the lowest one (1/3), and the rest be
 * lowered after the first signature and before the second one: at 2 of the WAY + 7 events of a run; or at the second
 * of three signatures, for only these race. */
static void changes_come_where_steps_race(void **unused)
{
    (void)unused;
    sample("visits", "aba:pctcp(2)", 24000); /* 1/60: 400, deviation 20 */
    assert_in_range(counts->hits, 290, 510);
    sample("visits", "aba:pctcp(2, racing)", 24000); /* 1/9: 2,667, deviation 49 */
    assert_in_range(counts->hits, 2399, 2935);
    sample("visits", "aba:pctcp(1, racing)", 24000);
    assert_int_equal(counts->hits, 0);
}

/* ---- what races, by definition ----------------------------------------------------------------------------------- */

RH_MESSAGE(leaf, int left;);
RH_MESSAGE(bud, int left;);
RH_MESSAGE(root, int left;);
RH_ACTOR(tree);
RH_ACTOR(bush);
static void grow(int left)
{
    for (uint32_t n = left ? rh_choose(3) : 0; n; n--) {
        uint32_t where = rh_choose(3);
        rh_ref to = where == 0 ? rh_self() : where == 1 ? rh_spawn(tree) : rh_spawn(bush);
        switch (rh_choose(3)) {
        case 0:
            rh_send(to, leaf, .left = left - 1);
            break;
        case 1:
            rh_send(to, bud, .left = left - 1);
            break;
        default:
            rh_send(to, root, .left = left - 1);
        }
    }
}
RH_HANDLER(tree, leaf)
{
    grow(msg->left);
}
RH_HANDLER(tree, bud)
{
    grow(msg->left);
}
RH_HANDLER(tree, root)
{
    grow(msg->left);
}
RH_BEHAVIOUR(tree, growing, leaf, bud, root);
RH_HANDLER(bush, leaf)
{
    grow(msg->left);
}
RH_HANDLER(bush, bud)
{
    grow(msg->left);
}
RH_HANDLER(bush, root)
{
    grow(msg->left);
}
RH_BEHAVIOUR(bush, greening, leaf, bud, root);
RH_TEST(garden)
{
    rh_send(rh_spawn(tree), leaf, .left = 4);
    rh_send(rh_spawn(bush), root, .left = 3);
}

/* Learns from each run alone, and compares with all pairs of its events. */
struct learner {
    struct rh_inner inner;
    struct rh__chains *chains;
    struct rh__races *races;
};
static bool learner_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t size)
{
    struct learner *l = state;
    l->chains = rh__chains_new(x);
    l->races = rh__races_new(x);
    return l->chains && l->races && rh_only_open(state, x, a, error, size);
}
static uint32_t learner_begin(void *state, const struct rh_world *w)
{
    struct learner *l = state;
    rh__chains_begin(l->chains);
    return rh_inner_begin(&l->inner, w);
}

/* The event whose handler sent the message that the event took; the beginning for those of the test. */
static uint32_t sent_in(const struct rh_world *w, const struct rh_event *e, uint32_t at)
{
    at = rh_world_message(w, e[at].choice.what).event;
    for (uint32_t actor = e[at].choice.actor;
         at && (e[at].choice.kind != RH_CHOICE_DELIVER || e[at].choice.actor != actor);)
        at--; /* a value that the handler drew */
    return at;
}
static bool led_to(const struct rh_world *w, const struct rh_event *e, uint32_t a, uint32_t b)
{
    while (b > a)
        b = sent_in(w, e, b);
    return b == a;
}
static bool same_kind(const struct rh_world *w, const struct rh_choice *a, const struct rh_choice *b)
{
    return rh_world_message(w, a->what).type == rh_world_message(w, b->what).type &&
           rh_world_actor_type(w, a->actor) == rh_world_actor_type(w, b->actor);
}
static bool races(const struct rh_world *w, const struct rh_event *e, uint32_t n, uint32_t at)
{
    for (uint32_t i = 1; i < n; i++)
        if (e[i].choice.kind == RH_CHOICE_DELIVER && e[i].choice.actor == e[at].choice.actor &&
            !(i < at ? led_to(w, e, i, at) : led_to(w, e, at, i)))
            return true;
    return false;
}

static void learner_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct learner *l = state;
    struct rh__stream fresh = { 0 };
    uint32_t n;
    const struct rh_event *e = rh_world_events(w, &n);
    bool expected[512] = { 0 };
    assert_true(n < 512);
    rh__chains_follow(l->chains, w);
    rh__races_learn(l->races, &fresh, l->chains, w);
    for (uint32_t i = 1; i < n; i++)
        if (e[i].choice.kind == RH_CHOICE_DELIVER && races(w, e, n, i))
            for (uint32_t k = 1; k < n; k++)
                expected[k] |= e[k].choice.kind == RH_CHOICE_DELIVER && same_kind(w, &e[i].choice, &e[k].choice);
    for (uint32_t i = 1; i < n; i++)
        if (e[i].choice.kind == RH_CHOICE_DELIVER) {
            counts->wrong += rh__races_has(&fresh, w, &e[i].choice) != expected[i];
            *(expected[i] ? &counts->racing : &counts->others) += 1;
        }
    counts->runs++;
    rh_inner_end(&l->inner, w, run);
}
static const struct rh_explorer learner = {
    .name = "learner",
    .state_size = sizeof(struct learner),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = learner_open,
    .begin = learner_begin,
    .end = learner_end,
};
RH_EXPLORER(learner)

static void kinds_that_race_are_those_of_the_definition(void **unused)
{
    (void)unused;
    sample("garden", "learner:random", 2000);
    print_message("2000 gardens, %llu messages of racing kinds, %llu others\n", (unsigned long long)counts->racing,
                  (unsigned long long)counts->others);
    assert_int_equal(counts->wrong, 0);
    assert_true(counts->racing > 2000 && counts->others > 2000);
}

static int begin(void **unused)
{
    (void)unused;
    counts = rh_shared_new(sizeof *counts);
    return counts ? 0 : -1;
}

static int end(void **unused)
{
    (void)unused;
    rh_shared_free(counts, sizeof *counts);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(changes_come_where_steps_race),
        EXPLORE_TEST(kinds_that_race_are_those_of_the_definition),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
