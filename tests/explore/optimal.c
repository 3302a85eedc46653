/* optimal makes one run for each behaviour: the behaviours of brute force, none twice, none missing, none impossible;
 * and it finds what brute force finds.
 *
 * Programs come from seeds (oracle_program.h); how they are compared is in oracle.h.  In the environment:
 *   REHEARSE_PROGRAM='seed=...'   just this program, with the runs that differ; exits 1 if it differs
 *   REHEARSE_MINIMISE=1           made smaller first
 *   REHEARSE_ALL=1                with all runs of optimal
 *   REHEARSE_FIRST, REHEARSE_PROGRAMS   from which seed, how many
 *   REHEARSE_TIME                 all with this time: 0 free, 1 ordered, 2 logical
 *   REHEARSE_LARGEST              programs with more runs of dfs are made smaller, or left out
 *   REHEARSE_MOST                 how many differences are told
 *   REHEARSE_BRIEF=1              without their runs
 *   REHEARSE_ONLY='*crowd*'       only the tests with such names */
#include "explore/support/oracle.h"

#ifdef RH_TEST_FEW
enum {
    PROGRAMS = 60,
    FAILING = 60,
    CROWDS = 30,
    SCARCE = 20,
    MORTAL = 30,
    LINKED = 30,
    SETS = 60,
    GATHERING = 60,
    LARGEST = 6000
};
#elif defined(OPTIMAL_LONG)
enum {
    PROGRAMS = 60000,
    FAILING = 20000,
    CROWDS = 20000,
    SCARCE = 10000,
    MORTAL = 10000,
    LINKED = 20000,
    SETS = 20000,
    GATHERING = 20000,
    LARGEST = 20000
};
#else
enum {
    PROGRAMS = 900,
    FAILING = 300,
    CROWDS = 200,
    SCARCE = 100,
    MORTAL = 150,
    LINKED = 200,
    SETS = 400,
    GATHERING = 250,
    LARGEST = 6000
};
#endif

/* ---- programs that once differed --------------------------------------------------------------------------------- */

struct case_ {
    const char *name;
    bool open; /* it still does */
    const char *program;
};
static const struct case_ cases[] = {
    { "a_set_or_the_end_of_the_wait", false,
      "seed=3122 actors=1 walkers=1 starts=1 ttl=2 model=2 time=1 may=2 -now -receive timeout set cut=1464 cut=140139 "
      "cut=320541" },
    { "a_set_or_an_exit_signal_from_a_mailbox", false,
      "seed=3559 actors=3 walkers=1 starts=2 ttl=1 model=3 may=2 untimed=1 -become link -late body set cut=404060 "
      "cut=520844" },
    { "a_set_or_a_kill", false,
      "seed=3688 actors=2 walkers=1 starts=2 ttl=1 fan forward -within kill set cut=582072 cut=703587 cut=720543 "
      "cut=934869 cut=608579 cut=653441 cut=140528" },
    { "a_message_is_lost", false, "seed=11 actors=1 starts=1 ttl=1 model=3 losses=1" },
    { "a_message_comes_twice", false, "seed=10 actors=1 starts=1 ttl=1 model=2 duplicates=1" },
    { "an_actor_crashes", false, "seed=0 actors=1 ttl=1 model=1 crashes=1" },
    { "a_message_is_lost_or_comes_twice", false,
      "seed=28 actors=1 starts=1 ttl=1 losses=1 duplicates=1 cut=944189 cut=257233 cut=412239 "
      "cut=248860" },
    { "a_message_to_one_that_ends_is_lost", false,
      "seed=167 actors=1 walkers=1 starts=1 ttl=3 model=3 losses=1 cut=750884 cut=205629" },
    { "a_message_to_one_that_ends_comes_twice", false,
      "seed=4 actors=1 walkers=1 starts=1 ttl=1 duplicates=1 ask -keep -receive cut=133968 cut=429054 "
      "cut=659005" },
    { "an_answer_that_is_too_late_is_lost", false,
      "seed=10006 actors=2 starts=1 ttl=1 model=2 losses=1 duplicates=1 within cut=41123 cut=391772" },
    { "an_answer_after_the_time_was_over", false,
      "seed=101 actors=3 starts=2 ttl=2 model=1 ask within -store -sync cut=265757 cut=780762 "
      "cut=648768 cut=141059 cut=745580 cut=552686 cut=384230 cut=281344" },
    { "a_copy_behind_its_original_under_causal", false,
      "seed=38 actors=2 starts=2 ttl=1 model=2 duplicates=1 -monitor -alive -table cut=813311 "
      "cut=864816 cut=260078 cut=795072 cut=147453 cut=173488 cut=630990 cut=991916 cut=470880 "
      "cut=398697 cut=873382 cut=826968 cut=723199 cut=20081 cut=697086 cut=604395 cut=99808" },
    { "two_linked_actors_end", false,
      "seed=97 actors=3 starts=3 ttl=3 model=1 exit link -trap -now cut=195972 cut=481225 cut=625816 "
      "cut=484256 cut=739966 cut=829616 cut=622375 cut=27796 cut=588290 cut=82160" },
    { "a_linked_process_ends_before_it_has_begun", false,
      "seed=2199 actors=2 walkers=2 starts=2 ttl=1 model=3 link timeout cut=28919 cut=752615 "
      "cut=748407 cut=758614 cut=276055 cut=445319" },
    { "a_link_against_an_unlink", false, "seed=492 actors=2 starts=1 ttl=2 model=1 crashes=1 link" },
    { "a_link_against_an_unlink_that_both_want", false,
      "seed=21174 actors=1 walkers=2 starts=2 ttl=2 model=2 link -eventually cut=879271" },
    { "a_look_at_one_that_starts_again", false,
      "seed=133 actors=2 starts=1 ttl=1 model=1 crashes=1 restarts=1 alive -user cut=811965" },
    { "a_link_to_one_that_starts_again", false, "seed=253 actors=2 starts=1 ttl=1 model=1 crashes=1 restarts=1 link" },
    { "a_name_of_one_that_starts_again", false,
      "seed=333 actors=2 starts=2 ttl=2 model=1 crashes=1 restarts=1 -forward name -now cut=446499 "
      "cut=45738 cut=418621 cut=536229 cut=478341 cut=715339" },
    { "a_monitor_of_one_that_starts_again", false,
      "seed=432 actors=3 starts=2 ttl=2 model=1 crashes=1 restarts=1 -ask -keep monitor cut=153229 "
      "cut=272910 cut=357613 cut=256449" },
    { "a_kill_of_one_that_starts_again", false,
      "seed=199 actors=2 starts=2 ttl=2 model=3 crashes=1 restarts=1 kill random cut=933650" },
    { "two_send_as_one_user_under_causal", false,
      "seed=1738 actors=3 starts=2 ttl=2 model=2 -stop user cut=651166 cut=553216 cut=149106 "
      "cut=773917 cut=386368 cut=665196" },
    { "two_send_as_one_user_under_fifo", false,
      "seed=2716 actors=2 walkers=1 starts=2 ttl=2 -within -receive user poll cut=69537 cut=893743 "
      "cut=900772 cut=407241 cut=370026 cut=959862 cut=250828 cut=223481 cut=656536 cut=221654 "
      "cut=121711 cut=802540" },
    { "an_actor_sends_as_a_user_who_has_sent", false,
      "seed=20516 actors=3 starts=2 ttl=1 user outside cut=634791 cut=24245 cut=38216" },
    { "a_down_to_one_that_starts_again", false,
      "seed=101613 actors=1 walkers=1 starts=2 ttl=2 model=1 crashes=1 kept=1 monitor cut=182535 "
      "cut=251299 cut=757767 cut=993592 cut=167796 cut=366742" },
    { "a_copy_is_as_old_as_its_original", false,
      "seed=103326 actors=2 starts=2 ttl=1 model=2 duplicates=1 within now outside cut=173040 "
      "cut=553934 cut=992951 cut=417851 cut=645779 cut=481057 cut=898957 cut=677543 cut=944157 "
      "cut=286556 cut=790668 cut=535385 cut=582541 cut=719980 cut=67823 cut=832674 cut=468737 "
      "cut=871931 cut=418355 cut=214631" },
    { "a_name_is_given_in_one_step", false,
      "seed=138 actors=3 starts=3 ttl=2 model=2 name -receive cut=559343 cut=540477 cut=518099 "
      "cut=941974 cut=2637 cut=630991" },
    { "a_copy_knows_the_time_of_its_original", false,
      "seed=2317 actors=3 starts=2 ttl=2 model=1 duplicates=1 stop timer now" },
    { "a_second_start_is_not_in_order_with_the_parent", false,
      "seed=2394 actors=2 starts=2 ttl=1 model=2 crashes=1 kept=1 spawn -random cut=157091 cut=982427 cut=941688" },
    { "a_monitor_of_one_that_has_crashed", false,
      "seed=1180 actors=2 starts=2 ttl=3 crashes=1 restarts=1 monitor cut=957432 cut=999969" },
    { "a_wait_while_a_signal_is_seen_to", false,
      "seed=1168 actors=1 walkers=1 starts=2 ttl=1 model=1 link -trap receive timeout cut=667643" },
    { "a_link_of_an_earlier_life", false,
      "seed=266 actors=2 starts=2 ttl=2 model=2 crashes=1 restarts=1 -forward link -now cut=963507" },
    { "a_link_to_one_that_has_crashed", false, "seed=492 actors=2 starts=2 ttl=1 model=1 crashes=1 restarts=1 link" },
    { "what_a_trap_makes_of_a_signal", false,
      "seed=734 actors=2 starts=1 ttl=1 model=2 crashes=1 restarts=1 link trap start cut=171825" },
    { "a_copy_has_come_when_its_original_has", false,
      "seed=300795 actors=2 starts=2 ttl=1 model=3 duplicates=1 within -late receive timeout cut=901486 cut=305961 "
      "cut=598313 cut=344052 cut=782915 cut=170177 cut=918984 cut=157459 cut=549990 cut=707306 cut=211295 cut=535527 "
      "cut=433750 cut=478922" },
    { "the_clock_reaches_the_end_of_a_wait_of_one_that_is_killed", false,
      "seed=99 actors=1 starts=1 ttl=1 model=3 time=1 duplicates=1 kill sleep cut=601688" },
    { "an_ask_has_to_do_with_the_clock_before_it_waits", false,
      "seed=294 actors=3 starts=1 ttl=1 model=2 time=1 -stop within -alive cut=121830 cut=871288" },
    { "what_has_come_cannot_be_lost", false,
      "seed=307451 actors=2 starts=2 ttl=1 model=3 time=1 losses=2 -timer ask receive -user timeout start cut=625371 "
      "cut=338615 cut=88786 cut=976269" },
    { "dpor_passes_over_those_that_look", false,
      "seed=736 actors=2 starts=2 ttl=3 time=1 crashes=1 restarts=1 may=2 ordered receive timeout" },
    { "linked_again_to_one_that_begins_another_life", false,
      "seed=5225 actors=1 walkers=1 starts=1 ttl=1 model=1 crashes=1 restarts=1 crowd=1 link birth cut=500862 "
      "cut=988426 "
      "cut=31165" },
    { "the_test_fails_before_there_is_a_choice", false, "seed=114 actors=1 ttl=1 model=2 fails=15 test" },
};

static void programs_that_once_differed(void **unused)
{
    (void)unused;
    uint32_t wrong = 0, open = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct features p;
        struct difference d;
        if (!features_read(&p, cases[i].program))
            fail_msg("%s is no program", cases[i].name);
        differ(&d, &p, 1 << 17);
        assert_false(d.too_large);
        open += cases[i].open;
        if (d.any == cases[i].open)
            continue;
        wrong++;
        fprintf(stderr, "%s %s\n", cases[i].name, d.any ? "differs" : "is the same now: it is not open any more");
        tell(&p, &d);
        if (d.any)
            tell_runs(&p, &d);
    }
    print_message("%zu cases, %u open\n", sizeof cases / sizeof *cases, open);
    assert_int_equal(wrong, 0);
}

/* Too large for brute force, but the way must not be lost: predicates were once asked on memory that was not theirs. */
static void large_programs_keep_to_their_way(void **unused)
{
    (void)unused;
    static const char *const large[] = {
        "seed=93 actors=2 walkers=1 starts=2 ttl=2 model=1 duplicates=1 now match walker",
    };
    struct notes *got = notes_new();
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        if (!features_read(&program, large[i]))
            fail_msg("%s is no program", large[i]);
        take_notes(got, "noting:optimal:private-globals", 20000);
        if (got->tool_failed || got->cut)
            fail_msg("%s: the way was lost after %llu runs", large[i], (unsigned long long)got->runs);
    }
}

/* ---- programs from seeds ----------------------------------------------------------------------------------------- */

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

struct totals {
    uint32_t programs, too_large, different, per_model[4], per_feature[F_COUNT], with_faults, with_findings, logical,
        ordered;
    uint64_t runs, behaviours, findings;
};

/* As large as can be compared. */
static void compare(struct features *p, struct difference *d, uint32_t largest)
{
    do
        differ(d, p, largest);
    while (d->too_large && features_shrink(p));
}

static void add_up(struct totals *t, const struct features *p, const struct difference *d)
{
    t->too_large += d->too_large;
    if (d->too_large)
        return;
    t->programs++;
    t->different += d->any;
    t->runs += d->all_runs;
    t->behaviours += d->behaviours;
    t->findings += d->findings;
    t->with_findings += d->findings > 0;
    t->with_faults += p->losses || p->duplicates || p->crashes;
    t->per_model[p->model]++;
    t->logical += p->time == RH_TIME_LOGICAL;
    t->ordered += p->time == RH_TIME_ORDERED;
    for (uint32_t f = 0; f < F_COUNT; f++)
        t->per_feature[f] += (p->has & ~p->off) >> f & 1;
}

static void print_totals(const struct totals *t)
{
    print_message("%u programs (fifo %u, bag %u, causal %u, mailbox %u; %u with logical time, %u with ordered, %u with "
                  "faults, %u with findings), "
                  "%llu runs of dfs, %llu behaviours, %llu findings; %u were too large, %u differ\n",
                  t->programs, t->per_model[0], t->per_model[1], t->per_model[2], t->per_model[3], t->logical,
                  t->ordered, t->with_faults, t->with_findings, (unsigned long long)t->runs,
                  (unsigned long long)t->behaviours, (unsigned long long)t->findings, t->too_large, t->different);
}

static void compare_seeds(struct totals *t, uint64_t count, uint32_t fails,
                          void (*make)(struct features *p, uint64_t seed))
{
    uint64_t first = number_from("REHEARSE_FIRST", 0), most = number_from("REHEARSE_MOST", 3);
    uint32_t largest = (uint32_t)number_from("REHEARSE_LARGEST", LARGEST);
    count = number_from("REHEARSE_PROGRAMS", count);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct features p;
        struct difference d;
        make(&p, seed);
        if (getenv("REHEARSE_TIME"))
            features_with_time(&p, (enum rh_time)number_from("REHEARSE_TIME", 0));
        p.fails = fails;
        if (fails)
            features_share(&p);
        compare(&p, &d, largest);
        add_up(t, &p, &d);
        if (!d.any || t->different > most)
            continue;
        fprintf(stderr, "program %llu:\n", (unsigned long long)seed);
        tell(&p, &d);
        minimise(&p, &d, largest);
        fprintf(stderr, " smaller:\n");
        tell(&p, &d);
        if (!getenv("REHEARSE_BRIEF"))
            tell_runs(&p, &d);
    }
    print_totals(t);
    assert_int_equal(t->different, 0);
    if (getenv("REHEARSE_PROGRAMS") || make != features_make)
        return;
    /* That it was a test of something. A share of few programs says little, so the shares are wide: on average a model
     * has a quarter of the programs. */
    assert_in_range(t->too_large, 0, count / 20);
    assert_in_range(t->logical, count / 8, count);
    assert_in_range(t->ordered, count / 8, count);
    assert_in_range(t->with_faults, count / 10, count);
    assert_in_range(t->behaviours, 8 * count, UINT64_MAX / 2);
    for (int i = 0; i < 4; i++)
        assert_in_range(t->per_model[i], count / 8, count);
    for (uint32_t f = 0; f < F_COUNT; f++)
        if (f < F_SET && t->per_feature[f] < count / 200) /* others are below */
            fail_msg("only %u programs have %s", t->per_feature[f], feature_names[f]);
}

static void every_behaviour_comes_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, PROGRAMS, 0, features_make);
    assert_int_equal(t.findings, 0);
}

static void what_brute_force_finds_is_found(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, FAILING, 15, features_make);
    assert_in_range(t.with_findings, t.programs / 4, t.programs);
}

static void every_behaviour_of_a_crowd_comes_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, CROWDS, 0, features_make_crowd);
    assert_in_range(t.too_large, 0, CROWDS / 10);
    assert_in_range(t.behaviours, 2 * CROWDS, UINT64_MAX / 2);
}

static void what_brute_force_finds_in_a_crowd_is_found(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, CROWDS, 5, features_make_crowd);
    assert_in_range(t.with_findings, t.programs / 10, t.programs);
}

static void every_behaviour_with_few_restarts_comes_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, SCARCE, 0, features_make_scarce);
    assert_in_range(t.programs, t.too_large, UINT32_MAX);
    assert_in_range(t.behaviours, 8 * t.programs, UINT64_MAX / 2);
}

static void every_behaviour_with_actors_that_gather_comes_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, GATHERING, 0, features_make_gathering);
    assert_in_range(t.too_large, 0, GATHERING / 3);
    assert_in_range(t.behaviours, 4 * t.programs, UINT64_MAX / 2);
}

static void every_behaviour_with_dead_letters_comes_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, MORTAL, 0, features_make_mortal);
    assert_in_range(t.behaviours, 4 * t.programs, UINT64_MAX / 2);
}

static void every_behaviour_of_the_linked_comes_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, LINKED, 0, features_make_linked);
    assert_in_range(t.programs, t.too_large, UINT32_MAX);
    assert_in_range(t.behaviours, 2 * t.programs, UINT64_MAX / 2);
}

/* Under mailbox optimal refuses sets with a time limit. */
static void make_with_sets(struct features *p, uint64_t seed)
{
    features_make(p, seed);
    features_with_sets(p);
    p->untimed = p->model == RH_MAILBOX;
}

static void every_behaviour_with_sets_comes_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, SETS, 0, make_with_sets);
    assert_in_range(t.behaviours, 2 * SETS, UINT64_MAX / 2);
}

static void what_brute_force_finds_with_sets_is_found(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    compare_seeds(&t, SETS / 2, 15, make_with_sets);
    assert_in_range(t.with_findings, t.programs / 10, t.programs);
}

static int one_program(const char *text)
{
    struct features p;
    struct difference d;
    if (!features_read(&p, text)) {
        fprintf(stderr, "not a program: %s\n", text);
        return 2;
    }
    differ(&d, &p, 1 << 17);
    if (getenv("REHEARSE_MINIMISE") && d.any)
        minimise(&p, &d, 1 << 17);
    tell(&p, &d);
    tell_runs(&p, &d);
    return d.any;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(programs_that_once_differed),
        EXPLORE_TEST(large_programs_keep_to_their_way),
        EXPLORE_TEST(every_behaviour_comes_once),
        EXPLORE_TEST(what_brute_force_finds_is_found),
        EXPLORE_TEST(every_behaviour_of_a_crowd_comes_once),
        EXPLORE_TEST(what_brute_force_finds_in_a_crowd_is_found),
        EXPLORE_TEST(every_behaviour_with_few_restarts_comes_once),
        EXPLORE_TEST(every_behaviour_with_dead_letters_comes_once),
        EXPLORE_TEST(every_behaviour_with_actors_that_gather_comes_once),
        EXPLORE_TEST(every_behaviour_of_the_linked_comes_once),
        EXPLORE_TEST(every_behaviour_with_sets_comes_once),
        EXPLORE_TEST(what_brute_force_finds_with_sets_is_found),
    };
    if (getenv("REHEARSE_PROGRAM"))
        return one_program(getenv("REHEARSE_PROGRAM"));
    if (getenv("REHEARSE_ONLY"))
        cmocka_set_test_filter(getenv("REHEARSE_ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
