/* weighted, swarm, pos, pct and pctcp against their distributions, where those can be computed by hand.  The seeds are
 * fixed, so the bounds (5.5 standard deviations) hold always or never. */
#include "explore/samplers/chains.h"
#include "explore/support/runs.h"

static struct counts {
    uint64_t runs, hits, of[8];
    uint64_t faults, fault_steps, steps; /* runs with a fault, and where it was; all steps */
} * counts;

/* Ends the run for the explorer inside, too: it may learn from it. */
static void pass_on(void *state, const struct rh_world *w, const struct rh_run *run)
{
    counts->runs++;
    rh_inner_end(&((struct spy *)state)->inner, w, run);
}

static void sample(const char *test, const char *explorer, uint64_t runs)
{
    memset(counts, 0, sizeof *counts);
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    rh__exploration_free(explored(w, explorer, 1, runs));
    rh_world_free(w);
    assert_int_equal(counts->runs, runs);
}

/* ---- pos: one letter beside a chain that ends in another --------------------------------------------------------- */

enum { CHAIN = 4 };
RH_MESSAGE(pass, int left;);
RH_MESSAGE(letter, bool late;);
RH_ACTOR(relay, rh_ref office;);
RH_ACTOR(office, bool late_first; int letters;);
RH_HANDLER(relay, pass)
{
    if (msg->left)
        rh_send(rh_spawn(relay, .office = state->office), pass, .left = msg->left - 1);
    else
        rh_send(state->office, letter, .late = true);
}
RH_BEHAVIOUR(relay, passing, pass);
RH_HANDLER(office, letter)
{
    if (state->letters++ == 0)
        state->late_first = msg->late;
}
RH_BEHAVIOUR(office, reading, letter);

RH_TEST(post)
{
    rh_ref o = rh_spawn(office);
    rh_send(o, letter);
    rh_send(rh_spawn(relay, .office = o), pass, .left = CHAIN - 1);
}

static void late_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    pass_on(state, w, run);
    counts->hits += ((const struct office *)rh_world_actor_state(w, 1))->late_first;
}
SPY(late, "counts runs in which the last letter came first", late_end)

/* The letter has one priority as long as the office has no event; each event of the chain, and the late letter, must
 * have a higher one: the lowest of CHAIN + 2 equal chances.  A fair choice at each step: 2^-(CHAIN + 1). */
static void pos_lets_a_message_stay_behind_a_chain(void **unused)
{
    (void)unused;
    sample("post", "late:pos", 24000); /* 4,000, deviation 58 */
    assert_in_range(counts->hits, 3682, 4318);
    sample("post", "late:random", 24000); /* 750, deviation 27 */
    assert_in_range(counts->hits, 602, 898);
}

/* ---- pct and pctcp ----------------------------------------------------------------------------------------------- */

/* The letter must be the lowest of n threads.  pct: n channels, one for each hop: test to office, test to relay,
 * CHAIN - 1 between relays, the last one to the office.  pctcp: w (w + 1) / 2 chains of width 2. */
static void a_bug_of_depth_one_has_its_probability(void **unused)
{
    (void)unused;
    sample("post", "late:pct(1)", 24000); /* 1/6: 4,000, deviation 58 */
    assert_in_range(counts->hits, 3682, 4318);
    sample("post", "late:pctcp(1)", 24000); /* 1/3: 8,000, deviation 73 */
    assert_in_range(counts->hits, 7598, 8402);
}

RH_MESSAGE(mark, char who;);
RH_ACTOR(scribe, char order[4]; int count;);
RH_HANDLER(scribe, mark)
{
    state->order[state->count++ % 4] = msg->who;
}
RH_BEHAVIOUR(scribe, noting, mark);
RH_TEST(between)
{
    rh_ref s = rh_spawn(scribe), a = rh_external("a"), b = rh_external("b");
    rh_send_from(a, s, mark, .who = 'a');
    rh_send_from(a, s, mark, .who = 'a');
    rh_send_from(b, s, mark, .who = 'b');
}

static void aba_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    pass_on(state, w, run);
    counts->hits += memcmp(((const struct scribe *)rh_world_actor_state(w, 1))->order, "aba", 3) == 0;
}
SPY(aba, "counts runs in which b came between two of a", aba_end)

/* Two threads.  Depth 1 never changes from one to the other and back.  Depth 2: a is first (1/2), and is lowered at
 * step 2 of the 4 events that a run has. */
static void a_bug_of_depth_two_needs_a_change_point(void **unused)
{
    (void)unused;
    sample("between", "aba:pct(1)", 24000);
    assert_int_equal(counts->hits, 0);
    sample("between", "aba:pct(2)", 24000); /* 1/8: 3,000, deviation 51 */
    assert_in_range(counts->hits, 2718, 3282);
}

RH_TEST(between_in_a_bag, .model = RH_BAG)
{
    rh_ref s = rh_spawn(scribe), a = rh_external("a");
    rh_send_from(a, s, mark, .who = 'a');
    rh_send_from(a, s, mark, .who = 'b');
    rh_send_from(a, s, mark, .who = 'a');
}

/* A channel without order is no thread: each message is one.  4 of 6 orders are aab or baa. */
static void messages_in_a_bag_are_threads(void **unused)
{
    (void)unused;
    sample("between_in_a_bag", "aba:pct(1)", 24000); /* 1/3: 8,000, deviation 73 */
    assert_in_range(counts->hits, 7598, 8402);
}

RH_MESSAGE(seed, int left;);
RH_ACTOR(plant, int seeds;);
RH_HANDLER(plant, seed)
{
    for (uint32_t n = msg->left ? rh_choose(4) : 0; n; n--)
        rh_send(rh_choose(2) ? rh_self() : rh_spawn(plant), seed, .left = msg->left - 1);
}
RH_BEHAVIOUR(plant, growing, seed);
RH_TEST(forest, .model = RH_BAG)
{
    for (int i = 0; i < 2; i++)
        rh_send(rh_spawn(plant), seed, .left = 4);
}

/* Follows the chains of the runs that the explorer inside makes, and compares them with their definition. */
struct chained {
    struct rh_inner inner;
    struct rh__chains *chains;
};
static bool chained_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t size)
{
    ((struct chained *)state)->chains = rh__chains_new(x);
    return ((struct chained *)state)->chains && rh_only_open(state, x, a, error, size);
}
static uint32_t chained_begin(void *state, const struct rh_world *w)
{
    struct chained *c = state;
    rh__chains_begin(c->chains);
    return rh_inner_begin(&c->inner, w);
}
static uint32_t chained_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct chained *c = state;
    rh__chains_follow(c->chains, w);
    return rh_inner_choose(&c->inner, w, open, count);
}

/* Whether `a` was taken on the way to `b`. */
static bool led_to(const struct rh_world *w, uint32_t a, uint32_t b)
{
    uint32_t n, at = rh_world_message(w, b).event;
    const struct rh_event *e = rh_world_events(w, &n);
    while (at) {
        uint32_t actor = e[at].choice.actor;
        while (e[at].choice.kind == RH_CHOICE_VALUE || e[at].choice.actor != actor)
            at--; /* within the handler: back to the message that it took */
        if (!at || e[at].choice.what == a)
            return at;
        at = rh_world_message(w, e[at].choice.what).event;
    }
    return false;
}

static void chained_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct chained *c = state;
    uint32_t messages = rh_world_message_count(w), leaves = 0;
    rh__chains_follow(c->chains, w);
    for (uint32_t b = 0; b < messages; b++) {
        bool leaf = true, first = true;
        for (uint32_t a = b; a--;)
            if (first && rh__chain_of(c->chains, a) == rh__chain_of(c->chains, b)) {
                counts->of[0] += !led_to(w, a, b); /* no chain */
                first = false;
            }
        for (uint32_t a = b + 1; a < messages && leaf; a++)
            leaf = !led_to(w, b, a);
        leaves += leaf; /* the leaves of a forest are its widest antichain */
    }
    counts->runs++;
    counts->of[1] += rh__chains_count(c->chains) > leaves * (leaves + 1) / 2;
    counts->of[2] += messages;
    counts->of[3] += leaves;
    rh_inner_end(&c->inner, w, run);
}
static const struct rh_explorer chained = {
    .name = "chained",
    .state_size = sizeof(struct chained),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = chained_open,
    .begin = chained_begin,
    .choose = chained_choose,
    .end = chained_end,
};
RH_EXPLORER(chained)

static void chains_are_chains_and_not_too_many(void **unused)
{
    (void)unused;
    sample("forest", "chained:random", 300);
    print_message("300 forests, %llu messages, %llu leaves\n", (unsigned long long)counts->of[2],
                  (unsigned long long)counts->of[3]);
    assert_int_equal(counts->of[0], 0);
    assert_int_equal(counts->of[1], 0);
    assert_true(counts->of[2] > 300 * 10 && counts->of[3] > 300 * 3);
}

/* ---- urw and surw ------------------------------------------------------------------------------------------------ */

/* Chi-square of counts->of[0 .. n - 1] against equal chances, without the first runs, which learn. */
static double chi_square(int n)
{
    double all = 0, chi = 0;
    for (int i = 0; i < n; i++)
        all += (double)counts->of[i];
    for (int i = 0; i < n; i++) {
        double off = (double)counts->of[i] - all / n;
        chi += off * off / (all / n);
    }
    print_message("%.0f runs, chi-square %.2f with %d degrees of freedom\n", all, chi, n - 1);
    return chi;
}

/* Where the letter is among the events of the chain. */
static void letter_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint32_t n, at = 1;
    const struct rh_event *e = rh_world_events(w, &n);
    pass_on(state, w, run);
    while (at < n && (e[at].choice.actor != 1 || rh_world_message(w, e[at].choice.what).sender != 0))
        at++;
    counts->of[(at - 1) % 8] += counts->runs > 100;
}
SPY(letter_at, "counts the place of the first letter", letter_end)

/* One event beside a chain of CHAIN + 1: six orders. */
static void urw_makes_orders_equally_likely(void **unused)
{
    (void)unused;
    sample("post", "letter_at:urw", 24000);
    assert_true(chi_square(CHAIN + 2) < 25.7); /* 5 degrees of freedom, 1 in 10,000 */
    sample("post", "letter_at:random", 24000);
    assert_true(chi_square(CHAIN + 2) > 1000); /* the test can fail */
}

static void marks_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    const char *order = ((const struct scribe *)rh_world_actor_state(w, 1))->order;
    pass_on(state, w, run);
    counts->of[order[0] == 'b' ? 0 : order[1] == 'b' ? 1 : 2] += counts->runs > 100;
}
SPY(marks, "counts where b came", marks_end)

/* The first message of a channel stands for those behind it: aab, aba, baa.  A fair choice gives b the first place in
 * half of the runs. */
static void a_channel_counts_with_what_is_behind(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "marks:urw", "marks:surw" };
    for (int i = 0; i < 2; i++) {
        sample("between", explorers[i], 24000);
        assert_true(chi_square(3) < 18.4); /* 2 degrees of freedom, 1 in 10,000 */
    }
    sample("between", "marks:random", 24000);
    assert_true(chi_square(3) > 1000);
}

RH_ACTOR(press, rh_ref office; int copies;);
RH_HANDLER(press, pass)
{
    if (msg->left)
        rh_send(rh_self(), pass, .left = msg->left - 1);
    else
        for (int i = 0; i < state->copies; i++)
            rh_send(state->office, letter, .late = true);
}
RH_BEHAVIOUR(press, printing, pass);
RH_TEST(presses, .model = RH_BAG)
{
    rh_ref o = rh_spawn(office);
    rh_send(o, letter);
    rh_send(rh_spawn(press, .office = o, .copies = 2), pass, .left = 5);
}

/* The place of the first letter at the office. */
static void place_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint32_t n, place = 0;
    const struct rh_event *e = rh_world_events(w, &n);
    pass_on(state, w, run);
    for (uint32_t i = 1; i < n; i++)
        if (e[i].choice.actor == 1) {
            if (rh_world_message(w, e[i].choice.what).sender == 0)
                counts->of[place] += counts->runs > 100 && place < 3;
            place++;
        }
}
SPY(place_of, "counts the place of the first letter among those of the office", place_end)

/* Three letters at the office, two of which come from a press that turns six times before.  surw, if the office is
 * drawn (a half of the runs; else the letter is free): each place of the first letter has the same chance.  urw: it
 * is uniform over all orders, in most of which the letter is before the last turn. */
static void surw_makes_orders_of_one_actor_equally_likely(void **unused)
{
    (void)unused;
    sample("presses", "place_of:surw", 24000);
    uint64_t last = counts->of[2];
    print_message("surw: %llu %llu %llu\n", (unsigned long long)counts->of[0], (unsigned long long)counts->of[1],
                  (unsigned long long)last);
    assert_true(last > 3600);                 /* a third of a half is 4,000 */
    sample("presses", "place_of:urw", 24000); /* 9 places among 6 turns and two letters: the last one, 1/9 */
    print_message("urw: %llu %llu %llu\n", (unsigned long long)counts->of[0], (unsigned long long)counts->of[1],
                  (unsigned long long)counts->of[2]);
    assert_in_range(counts->of[2], 2656 - 270, 2656 + 270);
    sample("presses", "place_of:random", 24000);
    assert_true(counts->of[2] < 1000);
}

/* ---- weighted: four messages and a timer ------------------------------------------------------------------------- */

RH_MESSAGE(ring);
RH_ACTOR(desk, int number;);
RH_HANDLER(desk, rh_start)
{
    if (state->number == 0)
        rh_timer("bell", 5, ring);
}
RH_HANDLER(desk, letter)
{
}
RH_HANDLER(desk, ring)
{
}
RH_BEHAVIOUR(desk, working, rh_start, letter, ring);

RH_TEST(desks)
{
    for (int i = 0; i < 4; i++)
        rh_send(rh_spawn(desk, .number = i), letter);
}

static void first_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint32_t n, starts = 0;
    const struct rh_event *e = rh_world_events(w, &n);
    pass_on(state, w, run);
    for (uint32_t i = 1; i < n; i++) {
        bool start = e[i].choice.kind == RH_CHOICE_DELIVER &&
                     strcmp(rh_world_message(w, e[i].choice.what).type->name, "rh_start") == 0;
        starts += start;
        if (!start && starts < 4)
            return; /* a letter came before the last start */
        if (!start) {
            counts->hits++;
            counts->of[e[i].choice.kind == RH_CHOICE_TIMER ? 4 : e[i].choice.actor - 1]++;
            return;
        }
    }
}
SPY(first, "counts what comes first after all starts", first_end)

/* A class has its weight, however many choices it has: the bell 1/2 to 1, so a third; each letter a quarter of the
 * rest.  (A letter comes after its actor's start, so in most runs one comes before all have started.) */
static void a_class_has_its_weight_however_many_choices_it_has(void **unused)
{
    (void)unused;
    sample("desks", "first:weighted(timer=0.5)", 200000);
    double all = (double)counts->hits, chi = 0;
    assert_true(counts->hits > 1000);
    for (int i = 0; i < 5; i++) {
        double expected = i == 4 ? all / 3 : all / 6, off = (double)counts->of[i] - expected;
        chi += off * off / expected;
    }
    print_message("%.0f runs, chi-square %.2f with 4 degrees of freedom\n", all, chi);
    assert_true(chi < 23.5); /* 1 in 10,000 */
}

/* ---- weighted: faults over the whole run ------------------------------------------------------------------------- */

enum { TICKS = 40 };
RH_MESSAGE(tick, int left;);
RH_MESSAGE(dust);
RH_ACTOR(sink, int grains;);
RH_HANDLER(sink, dust)
{
    state->grains++;
}
RH_BEHAVIOUR(sink, open_sink, dust);
RH_ACTOR(ticker, rh_ref sink;);
RH_HANDLER(ticker, tick)
{
    rh_send(state->sink, dust);
    if (msg->left)
        rh_send(rh_self(), tick, .left = msg->left - 1);
}
RH_BEHAVIOUR(ticker, ticking, tick);

RH_TEST(dusty, .model = RH_BAG, .losses = 1, .may_lose = RH_ACTORS(sink))
{
    rh_send(rh_spawn(ticker, .sink = rh_spawn(sink)), tick, .left = TICKS - 1);
}

static void spread_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint32_t n;
    const struct rh_event *e = rh_world_events(w, &n);
    pass_on(state, w, run);
    counts->steps += run->events;
    for (uint32_t i = 1; i < n; i++)
        if (e[i].choice.kind == RH_CHOICE_LOSE) {
            counts->faults++;
            counts->fault_steps += i;
        }
}
SPY(spread, "counts where faults are", spread_end)

static void faults_are_spread_over_the_run(void **unused)
{
    (void)unused;
    static const char *const explorers[] = { "spread:weighted", "spread:swarm", "spread:random" };
    for (int i = 0; i < 3; i++) {
        sample("dusty", explorers[i], 10000);
        double where = (double)counts->fault_steps / (double)counts->faults / ((double)counts->steps / 10000);
        print_message("%s: in %llu of 10,000 runs, at %.2f of the run\n", explorers[i],
                      (unsigned long long)counts->faults, where);
        if (i == 2) {
            assert_true(counts->faults == 10000 && where < 0.1);
        } else {
            assert_true(where > 0.3 && where < 0.7);
            assert_in_range(counts->faults, i ? 2000 : 4000, i ? 6000 : 7000); /* half draw one; some are strays */
        }
    }
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
        EXPLORE_TEST(pos_lets_a_message_stay_behind_a_chain),
        EXPLORE_TEST(a_bug_of_depth_one_has_its_probability),
        EXPLORE_TEST(a_bug_of_depth_two_needs_a_change_point),
        EXPLORE_TEST(messages_in_a_bag_are_threads),
        EXPLORE_TEST(chains_are_chains_and_not_too_many),
        EXPLORE_TEST(urw_makes_orders_equally_likely),
        EXPLORE_TEST(a_channel_counts_with_what_is_behind),
        EXPLORE_TEST(surw_makes_orders_of_one_actor_equally_likely),
        EXPLORE_TEST(a_class_has_its_weight_however_many_choices_it_has),
        EXPLORE_TEST(faults_are_spread_over_the_run),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
