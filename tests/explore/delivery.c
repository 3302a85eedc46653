/* The questions of world/delivery.h have one answer each, whoever asks: on random runs of generated programs, under
 * every delivery model and granularity, with faults.
 *
 *   - What rh_world_enabled offers is what the definition says: a receiver that would take the message, and no other
 *     message that it would take and that precedes this one. (The world walks queues, and never compares all pairs.)
 *   - A stance that was kept gives the same answers at the end of the run as the world gave at the time, but for a
 *     predicate: dpor and optimal remember stances, the world asks about its present state. */
#include "base/random.h"
#include "explore/support/oracle_make.h"
#include "explore/support/runs.h"
#include "world/network.h"
#include "world/receive.h"

enum { MOST_STEPS = 40, MOST_ACTORS = 24, MOST_MESSAGES = 200, ROOM = 8 };

/* What the world said before an event. */
struct moment {
    struct rh__stance stance[MOST_ACTORS];
    const struct rh_message_type *types[MOST_ACTORS][ROOM];
    uint32_t actors, messages;
    bool asked[MOST_MESSAGES], taken[MOST_MESSAGES];
};

static struct moment moments[MOST_STEPS];
static uint32_t compared, offered, held_back;

static bool takes_now(struct rh_world *w, uint32_t message)
{
    struct rh__stance s = rh__stance_of(w, w->messages[message].receiver);
    struct rh__mail m = rh__mail_of(w, message);
    enum rh__taking takes = rh__takes(&s, &m);
    if (takes == RH__ASK_PREDICATE)
        return rh__filter_fits(w, w->actors[w->messages[message].receiver].filter, message);
    return takes == RH__TAKES;
}

static bool is_under_way(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    return m->taken_by == RH_NONE && m->channel != RH_NONE && w->channels[m->channel].receiver != RH_NONE;
}

static bool sends_are_over(const struct rh_world *w, uint32_t actor)
{
    uint32_t outbox = w->actors[actor].outbox;
    return outbox == RH_NONE || w->channels[outbox].first == RH_NONE;
}

/* With granularity send the order in a mailbox is that of acceptance: the queue itself says it. */
static bool comes_first(const struct rh_world *w, uint32_t x, uint32_t m)
{
    struct rh__stance s = rh__stance_of(w, w->messages[m].receiver);
    bool hears = rh__hears_signals(&s);
    if (w->semantics.granularity != RH_GRAIN_SEND || !rh__in_queue(w, x, m, hears))
        return rh__precedes(w, x, m, hears);
    for (uint32_t i = w->channels[w->messages[x].channel].first; i != RH_NONE; i = w->messages[i].next)
        if (i == x || i == m)
            return i == x;
    return false;
}

/* A wait is not over while the mailbox has a message for it. */
static bool is_found_instead(const struct rh_world *w, uint32_t x, uint32_t m)
{
    return w->semantics.model == RH_MAILBOX && w->messages[m].wake && w->messages[x].posted;
}

/* By definition. Partitions are not part of it. */
static bool may_arrive(struct rh_world *w, uint32_t m)
{
    if (!is_under_way(w, m) || !sends_are_over(w, w->messages[m].receiver) || !takes_now(w, m))
        return false;
    for (uint32_t x = 0; x < w->message_count; x++)
        if (x != m && is_under_way(w, x) && w->messages[x].receiver == w->messages[m].receiver &&
            (comes_first(w, x, m) || is_found_instead(w, x, m)) && takes_now(w, x)) {
            held_back++;
            return false;
        }
    return true;
}

static bool is_offered(const struct rh_choice *open, uint32_t count, uint32_t message)
{
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind == RH_CHOICE_DELIVER && open[i].what == message)
            return true;
    return false;
}

static void compare_with_definition(struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct rh_choice *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, open, count * sizeof *copy);
    for (uint32_t m = 0; m < w->message_count && w->chooser == RH_NONE; m++) {
        bool is = is_offered(copy, count, m);
        offered += is;
        if (is != may_arrive(w, m))
            fail_msg("seed %llu, model %d, granularity %d, event %u: message %u (%s) is %s",
                     (unsigned long long)program.seed, w->semantics.model, w->semantics.granularity, w->event_count, m,
                     w->messages[m].type->name, is ? "offered, though another comes first" : "not offered");
    }
    free(copy);
}

static void remember(struct rh_world *w, struct moment *now)
{
    now->actors = w->actor_count;
    now->messages = w->message_count;
    for (uint32_t a = 0; a < now->actors; a++) {
        now->stance[a] = rh__stance_of(w, a);
        rh__stance_keep(&now->stance[a], now->types[a], ROOM);
    }
    for (uint32_t m = 0; m < now->messages; m++) {
        now->asked[m] = is_under_way(w, m);
        now->taken[m] = now->asked[m] && takes_now(w, m);
    }
}

static void compare_with_memory(const struct rh_world *w, const struct moment *then)
{
    for (uint32_t m = 0; m < then->messages; m++) {
        struct rh__mail mail = rh__mail_of(w, m);
        enum rh__taking takes =
            then->asked[m] ? rh__takes(&then->stance[w->messages[m].receiver], &mail) : RH__ASK_PREDICATE;
        if (takes == RH__ASK_PREDICATE)
            continue;
        compared++;
        if ((takes == RH__TAKES) != then->taken[m])
            fail_msg("seed %llu, model %d: the world took message %u (%s): %d; the stance that was kept: %d",
                     (unsigned long long)program.seed, w->semantics.model, m, w->messages[m].type->name, then->taken[m],
                     takes);
    }
}

static void one_run(struct rh_world *w, uint64_t *random)
{
    uint32_t steps = 0, count;
    const struct rh_choice *open;
    rh_world_reset(w);
    while ((open = rh_world_enabled(w, &count)), count && steps < MOST_STEPS) {
        struct rh_choice next = open[(uint32_t)(rh__random_next(random) >> 32) % count];
        if (w->actor_count > MOST_ACTORS || w->message_count > MOST_MESSAGES)
            break;
        if (!w->cut)
            compare_with_definition(w, open, count);
        remember(w, &moments[steps++]);
        assert_true(rh_world_step(w, &next));
    }
    while (steps)
        compare_with_memory(w, &moments[--steps]);
}

static void drive(struct rh_world *w, void *random)
{
    rh_world_begin(w);
    for (int i = 0; i < 12; i++)
        one_run(w, random);
}

static void everyone_gets_the_same_answer(void **unused)
{
    (void)unused;
    enum { PROGRAMS = 120 };
    uint64_t random = rh__random_seed(7, 1);
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        for (uint32_t model = 0; model < RH_ROWS(RH_MODELS); model++) {
            features_make(&program, seed);
            struct rh_semantics s = features_semantics(&program);
            s.model = (enum rh_model)model;
            s.granularity = seed % 3 == 2 ? RH_GRAIN_HANDLER : RH_GRAIN_OBJECT;
            if (model == RH_MAILBOX && seed % 6 == 1)
                s.granularity = RH_GRAIN_SEND;
            struct rh_world *w = world_of("features", &s, NULL, 0);
            drive(w, &random);
            rh_world_free(w);
        }
    print_message("%u deliveries offered, %u held back by another, %u answers compared\n", offered, held_back,
                  compared);
    assert_true(offered > 10000 && held_back > 1000 && compared > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(everyone_gets_the_same_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
