/* Generated programs (support/generated.h) as real actors in the world: under every delivery model the set of
 * behaviours and the number of choice sequences are those of brute force.
 *
 * Behaviours are read from what the actors themselves have written down, so undo is part of what is tested. */
#include "world/support/driver.h"

#include "support/few.h"
#include "support/generated.h"

enum { SEEDS = MANY_OR_FEW(400, 60), MOST_SEQUENCES = 6000 };

static struct generated_program program; /* read by the actors, written between worlds */

RH_MESSAGE(note, struct generated_message m;);
RH_ACTOR(player, uint8_t me; uint64_t number; uint32_t took; struct generated_id order[GENERATED_MESSAGES];);

static rh_ref player_named(uint8_t number)
{
    const char name[] = { (char)('a' + number), 0 };
    return rh_whereis(name);
}

RH_HANDLER(player, note)
{
    struct generated_message sends[GENERATED_FAN];
    uint32_t count;
    state->number = generated_handle(&program, state->me, state->number, (uint8_t)state->took, &msg->m, sends, &count);
    state->order[state->took++] = msg->m.id;
    for (uint32_t i = 0; i < count; i++)
        rh_send(player_named(sends[i].to), note, .m = sends[i]);
}
RH_BEHAVIOUR(player, playing, note);

RH_TEST(generated)
{
    static const char *const outside[] = { "w", "x", "y", "z" };
    for (uint8_t i = 0; i < program.actors; i++) {
        const char name[] = { (char)('a' + i), 0 };
        rh_register(name, rh_spawn(player, .me = i, .number = i));
    }
    for (uint32_t i = 0; i < program.starts; i++)
        rh_send_from(rh_external(outside[program.start[i].id.sender - GENERATED_OUTSIDE]),
                     player_named(program.start[i].to), note, .m = program.start[i]);
}

static void note_behaviour(struct rh_world *w, void *arg)
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
    generated_behaviour_from(&b, &program, (const struct generated_id(*)[GENERATED_MESSAGES])orders, counts);
    generated_behaviours_add(arg, &b);
    assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_FINISHED);
}

/* Compares one program; false where it is too large. */
static bool compare(uint64_t seed, enum generated_model model, const struct rh_semantics *semantics)
{
    struct generated_behaviours want = { 0 }, got = { 0 };
    generated_make(&program, seed);
    uint64_t sequences = generated_oracle(&program, model, MOST_SEQUENCES, &want);
    if (sequences) {
        struct rh_world *w = open_test("generated", semantics);
        uint64_t made = every_run(w, 10 * MOST_SEQUENCES, note_behaviour, &got);
        rh_world_free(w);
        generated_behaviours_settle(&got);
        size_t missing = generated_behaviours_missing(&want, &got),
               impossible = generated_behaviours_missing(&got, &want);
        if (made != sequences || missing || impossible)
            fail_msg("program %llu: %llu sequences instead of %llu; %zu behaviours are missing, %zu are impossible",
                     (unsigned long long)seed, (unsigned long long)made, (unsigned long long)sequences, missing,
                     impossible);
    }
    generated_behaviours_free(&want);
    generated_behaviours_free(&got);
    return sequences != 0;
}

static void compare_all(enum generated_model model, enum rh_model as, enum rh_granularity granularity)
{
    struct rh_semantics s = { .model = as, .granularity = granularity, .max_actors = 16, .max_bytes_per_actor = 65536 };
    uint32_t compared = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        compared += compare(seed, model, &s);
    print_message("%u programs compared\n", compared);
    assert_in_range(compared, SEEDS / 3, SEEDS);
}

static void fifo_gives_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_all(GENERATED_FIFO, RH_FIFO, RH_GRAIN_HANDLER);
}

static void bag_gives_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_all(GENERATED_BAG, RH_BAG, RH_GRAIN_HANDLER);
}

static void causal_gives_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_all(GENERATED_CAUSAL, RH_CAUSAL, RH_GRAIN_HANDLER);
}

static void mailbox_gives_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_all(GENERATED_MAILBOX, RH_MAILBOX, RH_GRAIN_HANDLER);
}

static void mailbox_by_acceptance_gives_the_behaviours_of_brute_force(void **unused)
{
    (void)unused;
    compare_all(GENERATED_ACCEPT, RH_MAILBOX, RH_GRAIN_SEND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(fifo_gives_the_behaviours_of_brute_force),
        WORLD_TEST(bag_gives_the_behaviours_of_brute_force),
        WORLD_TEST(causal_gives_the_behaviours_of_brute_force),
        WORLD_TEST(mailbox_gives_the_behaviours_of_brute_force),
        WORLD_TEST(mailbox_by_acceptance_gives_the_behaviours_of_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
