/* dpor against all runs: the same outcomes (kind, place and text), and the same behaviours of the runs that come to
 * their end, for programs of every feature; for programs without any, those that brute force gives. */
#include "explore/support/palette.h"
#include "explore/support/program.h"
#include "explore/support/runs.h"

#include "support/generated.h"

#ifdef RH_TEST_FEW
enum { LARGEST = 2000, PROGRAMS = 20, FEATURES = 80, GENERATED = 40, MOST_SEQUENCES = 1000 };
#else
enum { LARGEST = 20000, PROGRAMS = 150, FEATURES = 700, GENERATED = 400, MOST_SEQUENCES = 3000 };
#endif

/* ---- ends: an explorer around another one that notes how runs end ------------------------------------------------ */

struct set {
    uint32_t count;
    uint64_t hash[MOST_RUNS];
};

static struct ends {
    uint32_t runs;
    struct set outcomes, behaviours, states; /* states: what the actors of `generated` have written down */
    double estimate;                         /* at the last run but one */
} * noted;

static struct generated_program program_made; /* read by the actors, written between worlds */
static uint64_t state_of_players(const struct rh_world *w);

static void set_add(struct set *s, uint64_t hash)
{
    if (s->count < MOST_RUNS)
        s->hash[s->count++] = hash;
}

static void set_settle(struct set *s)
{
    uint32_t n = 0;
    distinct(s->hash, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        if (!n || s->hash[n - 1] != s->hash[i])
            s->hash[n++] = s->hash[i];
    s->count = n;
}

/* How many of `left` are not in `right`; both are settled. */
static uint32_t set_missing(const struct set *left, const struct set *right)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < left->count; i++)
        count += !bsearch(&left->hash[i], right->hash, right->count, sizeof *right->hash, by_number);
    return count;
}

static void ends_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct rh_inner *inner = state;
    uint64_t hash = fnv(FNV_START, &run->outcome, sizeof run->outcome);
    if (rh_outcome_failed(run->outcome)) {
        hash = fnv(hash, w->outcome.place, strlen(w->outcome.place));
        hash = fnv(hash, w->outcome.text, strlen(w->outcome.text));
    }
    noted->runs++;
    set_add(&noted->outcomes, hash);
    if (!w->over || w->events[w->event_count - 1].choice.kind == RH_CHOICE_END)
        set_add(&noted->behaviours, run->distinct);
    if (program_made.actors)
        set_add(&noted->states, state_of_players(w));
    rh_inner_end(inner, w, run);
    noted->estimate = rh_inner_estimate(inner);
    if (inner->explorer->report && inner->explorer->report->estimate)
        assert_true(noted->estimate >= 1 && noted->estimate < 1e300);
}
static const struct rh_explorer ends = {
    .name = "ends",
    .state_size = sizeof(struct rh_inner),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .end = ends_end,
};
RH_EXPLORER(ends)

static struct ends *ends_new(void)
{
    struct ends *e = rh_shared_new(sizeof *e);
    assert_non_null(e);
    return e;
}

/* Fills in how the runs of this explorer end; false where they are too many. */
static bool explore(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t limit,
                    struct ends *into)
{
    struct rh_world *w = world_of(test, s, NULL, 0);
    noted = into;
    struct rh_exploration *x = explored(w, explorer, 1, limit);
    bool all = x->end.exhausted;
    if (all) {
        assert_true(rh__exploration_estimate(x) == (double)x->results->count.runs);
        assert_int_equal(x->results->count.runs, into->runs);
        if (!x->results->count.cut)
            assert_int_equal(rh__exploration_verdict(x), s->outside ? RH_VERDICT_BOUNDED : RH_VERDICT_EXHAUSTIVE);
        set_settle(&into->outcomes);
        set_settle(&into->behaviours);
        set_settle(&into->states);
    }
    rh__exploration_free(x);
    rh_world_free(w);
    return all;
}

/* ---- with every feature ------------------------------------------------------------------------------------------ */

struct totals {
    uint32_t programs, per_model[4], per_grain[RH_ROWS(RH_GRANULARITIES)], ordered, logical, with_faults, failing;
    uint64_t dfs, dpor, behaviours;
};

static bool compare(const char *test, const struct rh_semantics *s, uint64_t seed, struct totals *t)
{
    struct ends *all = ends_new(), *some = ends_new();
    bool small = explore(test, s, "ends:dfs", LARGEST, all);
    if (small) {
        if (!explore(test, s, "ends:dpor", all->runs + 1, some))
            fail_msg("%s %llu: dpor makes more runs than dfs (%u)", test, (unsigned long long)seed, all->runs);
        uint32_t outcomes = set_missing(&all->outcomes, &some->outcomes),
                 behaviours = set_missing(&all->behaviours, &some->behaviours);
        if (outcomes || behaviours)
            fail_msg(
                "%s %llu (model %d, granularity %d, time %d): of %u runs dpor makes %u; %u of %u outcomes and %u of "
                "%u behaviours are missing",
                test, (unsigned long long)seed, s->model, s->granularity, s->time, all->runs, some->runs, outcomes,
                all->outcomes.count, behaviours, all->behaviours.count);
        t->programs++;
        t->per_model[s->model]++;
        t->per_grain[s->granularity ? s->granularity : RH_GRAIN_HANDLER]++;
        t->ordered += s->time == RH_TIME_ORDERED;
        t->logical += s->time == RH_TIME_LOGICAL;
        t->with_faults += s->losses || s->duplicates || s->crashes || s->partitions;
        t->failing += all->outcomes.count > 1;
        t->dfs += all->runs;
        t->dpor += some->runs;
        t->behaviours += all->behaviours.count;
    }
    rh_shared_free(all, sizeof *all);
    rh_shared_free(some, sizeof *some);
    return small;
}

static void print_totals(const struct totals *t)
{
    print_message("%u programs (fifo %u, bag %u, causal %u, mailbox %u; handler %u, send %u, object %u; "
                  "%u with ordered time, %u with logical, %u with faults, %u with several outcomes): %llu runs by dfs, "
                  "%llu by dpor, "
                  "%llu behaviours\n",
                  t->programs, t->per_model[0], t->per_model[1], t->per_model[2], t->per_model[3], t->per_grain[1],
                  t->per_grain[2], t->per_grain[3], t->ordered, t->logical, t->with_faults, t->failing,
                  (unsigned long long)t->dfs, (unsigned long long)t->dpor, (unsigned long long)t->behaviours);
}

static bool compare_features(uint64_t seed, struct totals *t)
{
    struct rh_semantics s = palette_semantics(seed);
    palette_seed = seed;
    return compare("palette", &s, seed, t);
}

/* False where there are too few to say whether it was a test of something. */
static bool compare_seeds(uint64_t offset, uint64_t most, struct totals *t)
{
    uint64_t first = getenv("RH_FIRST_SEED") ? strtoull(getenv("RH_FIRST_SEED"), NULL, 10) : 1,
             count = getenv("RH_SEEDS") ? strtoull(getenv("RH_SEEDS"), NULL, 10) : most;
    for (uint64_t seed = first; seed < first + count; seed++)
        compare_features(offset + seed, t);
    print_totals(t);
    return count >= most;
}

static void programs_that_look_at_logical_clocks(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    if (!compare_seeds(PALETTE_LOGICAL, FEATURES / 2, &t))
        return;
    for (int i = 0; i < 4; i++)
        assert_in_range(t.per_model[i], FEATURES / 20, FEATURES);
    assert_in_range(t.logical, FEATURES / 3, FEATURES);
    assert_in_range(t.with_faults, FEATURES / 20, FEATURES);
}

static void programs_that_share_the_clock_of_ordered_time(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    if (!compare_seeds(PALETTE_CLOCK, FEATURES / 2, &t))
        return;
    for (int i = 0; i < 4; i++)
        assert_in_range(t.per_model[i], FEATURES / 20, FEATURES);
    assert_in_range(t.ordered, FEATURES / 4, FEATURES);
    assert_in_range(t.with_faults, FEATURES / 20, FEATURES);
}

static void programs_that_are_open_to_the_outside(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    if (!compare_seeds(PALETTE_OUTSIDE, FEATURES / 4, &t))
        return;
    for (int i = 0; i < 4; i++)
        assert_in_range(t.per_model[i], FEATURES / 60, FEATURES);
    assert_in_range(t.with_faults, FEATURES / 50, FEATURES);
}

static void programs_of_every_feature(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    if (!compare_seeds(0, FEATURES, &t))
        return;
    for (int i = 0; i < 4; i++) {
        assert_in_range(t.per_model[i], FEATURES / 10, FEATURES);
        if (i < 3)
            assert_in_range(t.per_grain[RH_GRAIN_HANDLER + i], FEATURES / 100, FEATURES);
    }
    assert_in_range(t.ordered, FEATURES / 10, FEATURES);
    assert_in_range(t.with_faults, FEATURES / 10, FEATURES);
    assert_in_range(t.failing, FEATURES / 10, FEATURES);
}

static void programs_of_nodes_and_readers(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct rh_semantics s = program_semantics(seed);
        program_seed = seed;
        compare("program", &s, seed, &t);
    }
    print_totals(&t);
    assert_in_range(t.with_faults, PROGRAMS / 10, PROGRAMS);
}

static void programs_that_crash(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    program_crashes = true;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct rh_semantics s = program_semantics(seed);
        struct ends *all = ends_new();
        program_seed = seed;
        bool few = explore("program", &s, "ends:dfs", 300, all); /* each crash costs a process */
        rh_shared_free(all, sizeof *all);
        if (few)
            compare("program", &s, seed, &t);
    }
    program_crashes = false;
    print_totals(&t);
    assert_in_range(t.failing, 1, PROGRAMS);
}

/* ---- what was once wrong ----------------------------------------------------------------------------------------- */

/* A process takes one message and ends.  The others come too late, but each could have been the first: under mailbox
 * because it was sent first, otherwise if all are sent in the name of one. */
RH_MESSAGE(letter, int from;);
RH_PROCESS(opener, int first;);
RH_BODY(opener)
{
    rh_log("%d", rh_receive(letter)->from);
}
RH_PROCESS(writer, int me; rh_ref to;);
RH_BODY(writer)
{
    if (rh_param("as_one", 0))
        rh_send_from(rh_external("u"), state->to, letter, .from = state->me);
    else
        rh_send(state->to, letter, .from = state->me);
}
RH_TEST(letters)
{
    rh_ref to = rh_spawn(opener);
    for (int i = 0; i < 3; i++)
        rh_spawn(writer, .me = i, .to = to);
}

static void a_message_that_comes_after_the_end_could_have_been_the_first(void **unused)
{
    (void)unused;
    static const struct rh_param params[] = { { "as_one", "1" } };
    static const enum rh_model models[] = { RH_FIFO, RH_CAUSAL, RH_MAILBOX };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int as_one = models[i] != RH_MAILBOX; as_one < 2; as_one++)
            for (int object = 0; object < 2; object++) {
                struct rh_semantics s = { .model = models[i],
                                          .granularity = object ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER };
                uint64_t distinct_runs[2];
                for (int k = 0; k < 2; k++) {
                    struct rh_world *w = world_of("letters", &s, params, (size_t)as_one);
                    struct rh_exploration *x = explored(w, k ? "dpor" : "random", 1, k ? 0 : 3000);
                    distinct_runs[k] = x->results->distinct.count;
                    rh__exploration_free(x);
                    rh_world_free(w);
                }
                if (distinct_runs[0] < 3 || distinct_runs[1] < distinct_runs[0])
                    fail_msg("model %d%s, %s: %llu distinct runs by dpor, %llu in a sample", models[i],
                             as_one ? ", sent as one" : "", object ? "object" : "handler",
                             (unsigned long long)distinct_runs[1], (unsigned long long)distinct_runs[0]);
            }
}

static void compare_seed(uint64_t seed)
{
    struct totals t = { 0 };
    assert_true(compare_features(seed, &t) || LARGEST < 20000);
}

static void a_dead_letter_that_fails_was_sent(void **unused)
{
    (void)unused;
    compare_seed(10972);
}
static void an_end_changes_the_links_of_others(void **unused)
{
    (void)unused;
    compare_seed(1183);
}
static void one_who_asks_the_dead_waits_like_one_who_asked_in_time(void **unused)
{
    (void)unused;
    compare_seed(1094);
}
static void a_good_sibling_must_be_able_to_come_first(void **unused)
{
    (void)unused;
    compare_seed(4384);
}
static void a_message_dropped_at_an_end_is_not_taken_by_it(void **unused)
{
    (void)unused;
    compare_seed(2315);
}
static void what_is_accepted_after_an_end_is_no_dead_letter(void **unused)
{
    (void)unused;
    compare_seed(7195);
}
static void where_a_run_ends_early_a_bystander_goes_on(void **unused)
{
    (void)unused;
    compare_seed(6454);
}
static void a_reply_can_come_too_late_to_be_accepted(void **unused)
{
    (void)unused;
    compare_seed(22791);
}
static void a_name_taken_away_is_not_freed_by_an_end(void **unused)
{
    (void)unused;
    compare_seed(21504);
}
static void a_name_is_set_in_the_step_that_touches_it(void **unused)
{
    (void)unused;
    compare_seed(1677);
}
static void the_order_of_two_linked_ends_counts(void **unused)
{
    (void)unused;
    compare_seed(33962);
}
static void news_of_an_end_come_among_the_messages_of_the_dead(void **unused)
{
    (void)unused;
    compare_seed(37684);
}

/* ---- pure actors against brute force ----------------------------------------------------------------------------- */

RH_MESSAGE(note, struct generated_message m;);
RH_ACTOR(player, uint8_t me; uint64_t number; uint32_t took; struct generated_id order[GENERATED_MESSAGES];
         rh_ref all[GENERATED_ACTORS];);
RH_MESSAGE(players, rh_ref all[GENERATED_ACTORS];);

RH_HANDLER(player, note)
{
    struct generated_message sends[GENERATED_FAN];
    uint32_t count;
    state->number =
        generated_handle(&program_made, state->me, state->number, (uint8_t)state->took, &msg->m, sends, &count);
    state->order[state->took++] = msg->m.id;
    for (uint32_t i = 0; i < count; i++)
        rh_send(state->all[sends[i].to], note, .m = sends[i]);
}
RH_BEHAVIOUR(player, playing, note);

RH_TEST(generated)
{
    static const char *const outside[] = { "w", "x", "y", "z" };
    struct player p = { 0 };
    rh_ref first = rh_self();
    for (uint8_t i = 0; i < program_made.actors; i++)
        p.all[i].id = first.id + 1 + i; /* what rh_spawn is about to give */
    for (uint8_t i = 0; i < program_made.actors; i++) {
        p.me = i;
        p.number = i;
        rh_assert(rh_same(rh_spawn_value(player, &p), p.all[i]));
    }
    for (uint32_t i = 0; i < program_made.starts; i++)
        rh_send_from(rh_external(outside[program_made.start[i].id.sender - GENERATED_OUTSIDE]),
                     p.all[program_made.start[i].to], note, .m = program_made.start[i]);
}

static uint64_t hash_of(const struct generated_behaviour *b)
{
    return fnv(FNV_START, b->bytes, sizeof b->bytes);
}

static uint64_t state_of_players(const struct rh_world *w)
{
    struct generated_id orders[GENERATED_ACTORS][GENERATED_MESSAGES];
    uint32_t counts[GENERATED_ACTORS] = { 0 };
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        if (rh_world_actor_type(w, i) != &rh_actor_player)
            continue;
        const struct player *a = rh_world_actor_state(w, i);
        counts[a->me] = a->took;
        memcpy(orders[a->me], a->order, sizeof a->order);
    }
    struct generated_behaviour b;
    generated_behaviour_from(&b, &program_made, (const struct generated_id(*)[GENERATED_MESSAGES])orders, counts);
    return hash_of(&b);
}

/* False where the program is too large. */
static bool compare_generated(uint64_t seed, enum generated_model model, const struct rh_semantics *s, struct totals *t)
{
    struct generated_behaviours want = { 0 };
    struct ends *some = ends_new(), *oracle = ends_new();
    generated_make(&program_made, seed);
    uint64_t sequences = generated_oracle(&program_made, model, MOST_SEQUENCES, &want);
    if (sequences) {
        for (size_t i = 0; i < want.count; i++)
            set_add(&oracle->states, hash_of(&want.list[i]));
        set_settle(&oracle->states);
        /* With granularity object each of the test's sends in somebody's name is a step, so there are more
         * sequences. */
        uint64_t most = s->granularity == RH_GRAIN_OBJECT ? 50 * sequences : sequences + 1;
        assert_true(explore("generated", s, "ends:dpor", most, some));
        uint32_t missing = set_missing(&oracle->states, &some->states),
                 impossible = set_missing(&some->states, &oracle->states);
        if (missing || impossible)
            fail_msg("program %llu, model %d: dpor makes %u of %llu runs; of %u behaviours %u are missing, %u are "
                     "impossible",
                     (unsigned long long)seed, model, some->runs, (unsigned long long)sequences, oracle->states.count,
                     missing, impossible);
        t->programs++;
        t->dfs += sequences;
        t->dpor += some->runs;
        t->behaviours += want.count;
    }
    program_made.actors = 0;
    generated_behaviours_free(&want);
    rh_shared_free(some, sizeof *some);
    rh_shared_free(oracle, sizeof *oracle);
    return sequences != 0;
}

static void compare_model(enum generated_model model, enum rh_model as, enum rh_granularity granularity)
{
    struct rh_semantics s = { .model = as, .granularity = granularity, .max_actors = 16, .max_bytes_per_actor = 65536 };
    struct totals t = { 0 };
    for (uint64_t seed = 0; seed < GENERATED; seed++)
        compare_generated(seed, model, &s, &t);
    print_message("%u programs: %llu sequences, %llu runs by dpor, %llu behaviours\n", t.programs,
                  (unsigned long long)t.dfs, (unsigned long long)t.dpor, (unsigned long long)t.behaviours);
    assert_in_range(t.programs, GENERATED / 4, GENERATED);
    if (granularity != RH_GRAIN_OBJECT)
        assert_in_range(t.dpor * 2, t.behaviours, t.dfs); /* there is a reduction */
}

static void fifo_has_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_model(GENERATED_FIFO, RH_FIFO, RH_GRAIN_HANDLER);
}
static void bag_has_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_model(GENERATED_BAG, RH_BAG, RH_GRAIN_HANDLER);
}
static void causal_has_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_model(GENERATED_CAUSAL, RH_CAUSAL, RH_GRAIN_HANDLER);
}
static void mailbox_has_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_model(GENERATED_MAILBOX, RH_MAILBOX, RH_GRAIN_HANDLER);
}
static void mailbox_by_acceptance_has_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_model(GENERATED_ACCEPT, RH_MAILBOX, RH_GRAIN_SEND);
}
static void object_has_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_model(GENERATED_FIFO, RH_FIFO, RH_GRAIN_OBJECT);
}

/* ---- inside others ----------------------------------------------------------------------------------------------- */

static void what_is_cut_is_not_exhaustive(void **unused)
{
    (void)unused;
    struct rh_semantics s = palette_semantics(4);
    palette_seed = 4;
    struct rh_world *w = world_of("palette", &s, NULL, 0);
    struct rh_exploration *x = explored(w, "bound:2,dpor", 1, 0);
    assert_true(x->end.exhausted);
    assert_int_equal(rh__exploration_verdict(x), RH_VERDICT_SAMPLED);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* A portfolio starts every run from the beginning, where dpor would keep most of it. */
static void runs_made_again_from_the_beginning_are_the_same(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct rh_semantics s = palette_semantics(seed);
        palette_seed = seed;
        uint64_t runs[2], behaviours[2];
        static const char *const explorers[] = { "dpor", "portfolio:dpor" };
        for (int i = 0; i < 2; i++) {
            struct rh_world *w = world_of("palette", &s, NULL, 0);
            struct rh_exploration *x = explored(w, explorers[i], 1, 2000);
            runs[i] = x->results->count.runs;
            behaviours[i] = x->results->distinct.count;
            rh__exploration_free(x);
            rh_world_free(w);
        }
        assert_int_equal(runs[0], runs[1]);
        assert_int_equal(behaviours[0], behaviours[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_dead_letter_that_fails_was_sent),
        EXPLORE_TEST(an_end_changes_the_links_of_others),
        EXPLORE_TEST(one_who_asks_the_dead_waits_like_one_who_asked_in_time),
        EXPLORE_TEST(a_good_sibling_must_be_able_to_come_first),
        EXPLORE_TEST(a_message_dropped_at_an_end_is_not_taken_by_it),
        EXPLORE_TEST(what_is_accepted_after_an_end_is_no_dead_letter),
        EXPLORE_TEST(where_a_run_ends_early_a_bystander_goes_on),
        EXPLORE_TEST(a_reply_can_come_too_late_to_be_accepted),
        EXPLORE_TEST(a_name_taken_away_is_not_freed_by_an_end),
        EXPLORE_TEST(a_name_is_set_in_the_step_that_touches_it),
        EXPLORE_TEST(the_order_of_two_linked_ends_counts),
        EXPLORE_TEST(news_of_an_end_come_among_the_messages_of_the_dead),
        EXPLORE_TEST(a_message_that_comes_after_the_end_could_have_been_the_first),
        EXPLORE_TEST(fifo_has_the_behaviours_of_brute_force),
        EXPLORE_TEST(bag_has_the_behaviours_of_brute_force),
        EXPLORE_TEST(causal_has_the_behaviours_of_brute_force),
        EXPLORE_TEST(mailbox_has_the_behaviours_of_brute_force),
        EXPLORE_TEST(mailbox_by_acceptance_has_the_behaviours_of_brute_force),
        EXPLORE_TEST(object_has_the_behaviours_of_brute_force),
        EXPLORE_TEST(programs_of_nodes_and_readers),
        EXPLORE_TEST(programs_that_crash),
        EXPLORE_TEST(programs_of_every_feature),
        EXPLORE_TEST(programs_that_look_at_logical_clocks),
        EXPLORE_TEST(programs_that_share_the_clock_of_ordered_time),
        EXPLORE_TEST(programs_that_are_open_to_the_outside),
        EXPLORE_TEST(what_is_cut_is_not_exhaustive),
        EXPLORE_TEST(runs_made_again_from_the_beginning_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
