/* phases: a majority of a group goes on while the others rest, and one member's timer is favoured; nothing is
 * starved. */
#include "explore/support/runs.h"

static struct counts {
    uint64_t runs, hits;
} * counts;

static void sample(const char *test, const char *explorer, uint64_t runs)
{
    memset(counts, 0, sizeof *counts);
    struct rh_world *w = world_of(test, NULL, NULL, 0);
    rh__exploration_free(explored(w, explorer, 1, runs));
    rh_world_free(w);
    assert_int_equal(counts->runs, runs);
}

/* ---- three members talk to each other ---------------------------------------------------------------------------- */

enum { TALKS = 8, LONELY = 10 };
RH_MESSAGE(meet, rh_ref others[2];);
RH_MESSAGE(word, int left;);
RH_ACTOR(speaker, int words;);
RH_HANDLER(speaker, meet)
{
    for (int i = 0; i < 2; i++)
        rh_send(msg->others[i], word, .left = TALKS);
}
RH_HANDLER(speaker, word)
{
    state->words++;
    if (msg->left)
        rh_reply(word, .left = msg->left - 1);
}
RH_BEHAVIOUR(speaker, speaking, meet, word);

RH_TEST(talks, .model = RH_BAG)
{
    rh_ref s[3];
    for (int i = 0; i < 3; i++)
        s[i] = rh_spawn(speaker);
    for (int i = 0; i < 3; i++)
        rh_send(s[i], meet, .others = { s[(i + 1) % 3], s[(i + 2) % 3] });
}

static bool is_word(const struct rh_world *w, const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_DELIVER && strcmp(rh_world_message(w, c->what).type->name, "word") == 0;
}

/* Two members exchange LONELY words before the third one takes its first word. */
static void lonely_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint32_t n, words = 0, of[4] = { 0 };
    const struct rh_event *e = rh_world_events(w, &n);
    rh_inner_end(&((struct spy *)state)->inner, w, run);
    counts->runs++;
    for (uint32_t i = 1; i < n; i++) {
        if (!is_word(w, &e[i].choice))
            continue;
        of[e[i].choice.actor]++;
        words++;
        if (of[1] && of[2] && of[3]) {
            counts->hits += words > LONELY;
            return;
        }
    }
}
SPY(lonely, "counts runs in which two talk for long before the third does", lonely_end)

static void two_of_three_talk_while_the_third_rests(void **unused)
{
    (void)unused;
    sample("talks", "lonely:random", 20000);
    uint64_t by_chance = counts->hits;
    sample("talks", "lonely:phases", 20000);
    print_message("two alone: random %llu, phases %llu of 20,000 runs\n", (unsigned long long)by_chance,
                  (unsigned long long)counts->hits);
    assert_true(counts->hits > 2000);
    assert_true(counts->hits > 10 * (by_chance + 1));
}

/* ---- a contested timer ------------------------------------------------------------------------------------------- */

RH_MESSAGE(timeout);
RH_MESSAGE(vote);
RH_ACTOR(voter, int number; int votes; bool leads;);
RH_HANDLER(voter, rh_start)
{
    char name[16];
    snprintf(name, sizeof name, "voter%d", state->number);
    rh_register(name, rh_self());
    rh_timer("election", 10, timeout);
}
RH_HANDLER(voter, timeout)
{
    for (int i = 0; i < 3; i++) {
        char name[24];
        snprintf(name, sizeof name, "voter%d", i);
        if (i != state->number)
            rh_send(rh_whereis(name), vote);
    }
}
RH_HANDLER(voter, vote)
{
    state->votes++;
}
RH_BEHAVIOUR(voter, voting, rh_start, timeout, vote);

RH_TEST(election, .dead_letters = RH_DEAD_LETTER_IGNORE)
{
    for (int i = 0; i < 3; i++)
        rh_spawn(voter, .number = i);
}

/* The first timeout reaches both others before there is a second one. */
static void peaceful_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint32_t n, timeouts = 0, votes = 0;
    const struct rh_event *e = rh_world_events(w, &n);
    rh_inner_end(&((struct spy *)state)->inner, w, run);
    counts->runs++;
    for (uint32_t i = 1; i < n; i++) {
        if (e[i].choice.kind == RH_CHOICE_TIMER && timeouts++)
            break;
        votes += e[i].choice.kind == RH_CHOICE_DELIVER &&
                 strcmp(rh_world_message(w, e[i].choice.what).type->name, "vote") == 0;
    }
    counts->hits += votes == 2;
}
SPY(peaceful, "counts runs in which the first timeout is over before the second", peaceful_end)

static void one_member_has_its_timer_before_the_others(void **unused)
{
    (void)unused;
    sample("election", "peaceful:random", 10000);
    uint64_t by_chance = counts->hits;
    sample("election", "peaceful:phases", 10000);
    print_message("one alone: random %llu, phases %llu of 10,000 runs\n", (unsigned long long)by_chance,
                  (unsigned long long)counts->hits);
    assert_true(counts->hits > 2 * by_chance);
}

/* ---- nothing is starved ------------------------------------------------------------------------------------------ */

RH_MESSAGE(alarm_);
RH_ACTOR(sleeper, int number;);
RH_HANDLER(sleeper, rh_start)
{
    rh_timer("alarm", 5, alarm_);
}
RH_HANDLER(sleeper, alarm_)
{
    rh_stop();
}
RH_BEHAVIOUR(sleeper, asleep, rh_start, alarm_);

RH_TEST(sleepers, .crashes = 1, .restarts = 1)
{
    for (int i = 0; i < 2; i++)
        rh_spawn(sleeper, .number = i);
}

static void every_run_can_be_drawn(void **unused)
{
    (void)unused;
    struct record *all = record_new(), *some = record_new();
    struct rh_world *w = world_of("sleepers", NULL, NULL, 0);
    assert_true(brute_force(w, all, MOST_RUNS));
    rh_world_free(w);
    uint32_t expected = distinct(all->sequence, all->count);
    spied = some;
    w = world_of("sleepers", NULL, NULL, 0);
    rh__exploration_free(explored(w, "spy:phases", 1, MOST_RUNS));
    rh_world_free(w);
    uint32_t found = distinct(some->sequence, some->count);
    print_message("%u of %u sequences of choices\n", found, expected);
    assert_true(expected > 50);
    assert_int_equal(found, expected);
    record_free(all);
    record_free(some);
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
        EXPLORE_TEST(two_of_three_talk_while_the_third_rests),
        EXPLORE_TEST(one_member_has_its_timer_before_the_others),
        EXPLORE_TEST(every_run_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
