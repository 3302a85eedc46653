/* The same comparison on the programs that optimal is compared on, which have processes that select and more that is
 * shared; and on larger ones of plain handlers.  And what names must not depend on. */
#include "coverage/support/measuring.h"

#include "explore/support/generated_actors.h"
#include "explore/support/oracle_make.h"

#ifdef RH_TEST_FEW
enum { SEEDS = 100, HANDLERS = 10 };
#else
enum { SEEDS = 1200, HANDLERS = 60 };
#endif

static void programs_with_everything(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        features_make(&program, seed);
        program.ttl += 1;
        struct rh_semantics s = features_semantics(&program);
        s.max_steps = SLOW_EVENTS - 2;
        if (seed / 4 % 2) {
            s.granularity = seed % 4 == RH_MAILBOX && seed / 8 % 2 ? RH_GRAIN_SEND : RH_GRAIN_HANDLER;
            s.time = seed / 16 % 2 ? RH_TIME_ORDERED : RH_TIME_FREE;
        } else if (s.time == RH_TIME_ORDERED) {
            s.time = RH_TIME_FREE; /* the clock is an actor there, which the slow implementation does not know */
        }
        measure_program("features", &s, 8, seed);
    }
    tell_compared();
}

static const struct rh_semantics plain = { .max_actors = 16, .max_bytes_per_actor = 65536, .max_steps = 300 };

static void handlers_with_many_receives(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < HANDLERS; seed++) {
        struct rh_semantics s = plain;
        generated_make(&generated, seed);
        s.model = (enum rh_model)(seed % 4);
        for (uint32_t i = 0; i < generated.starts; i++)
            generated.start[i].ttl = 6;
        generated.fan = 2;
        measure_program("generated_program", &s, 6, seed);
    }
    tell_compared();
}

/* Whatever came before it at its actor: a receive that takes the same message is the same.  Messages of these programs
 * say which event of which actor sent them, but not which receive that event was. */
static void names_do_not_depend_on_the_granularity(void **unused)
{
    (void)unused;
    uint64_t same = 0;
    for (uint64_t seed = 0; seed < HANDLERS * 4; seed++) {
        struct rh_semantics s = plain;
        generated_make(&generated, seed);
        s.model = (enum rh_model)(seed % 3); /* under mailbox a send is an operation on something shared */
        uint64_t hash[2] = { 0, 0 };
        for (int fine = 0; fine < 2; fine++) {
            s.granularity = fine ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
            struct rh_world *w = world_of("generated_program", &s, NULL, 0);
            struct rh_exploration *x = measuring_of(w);
            uint64_t random = rh__random_seed(seed, 3);
            rh_world_begin(w);
            for (int i = 0; i < 4; i++) {
                random_run(w, &random);
                rh__measure_run(x);
                for (uint32_t k = 0; k < x->measure->steps.count; k++, same += (uint32_t)fine)
                    hash[fine] = hash[fine] * 31 + x->measure->list[k].id;
            }
            measuring_free(x);
            rh_world_free(w);
        }
        if (hash[0] != hash[1])
            fail_msg("program %llu: other names with granularity object", (unsigned long long)seed);
    }
    print_message("%llu events have the same names\n", (unsigned long long)same);
}

RH_MESSAGE(paint, int colour;);
RH_MESSAGE(again);
RH_ACTOR(painter, int painted; rh_ref other;);
RH_ACTOR(helper);
RH_HANDLER(helper, paint)
{
    (void)state;
    (void)msg;
}
RH_BEHAVIOUR(helper, helping, paint);
/* Sends the same whatever came before, but for the colour. */
RH_HANDLER(painter, paint)
{
    if (rh_is_nobody(state->other))
        state->other = rh_spawn(helper);
    rh_send(state->other, paint, .colour = msg->colour + state->painted++);
    rh_send(self, again);
}
RH_HANDLER(painter, again)
{
    (void)msg;
    state->painted++;
}
RH_BEHAVIOUR(painter, painting, paint, again);
RH_TEST(painters)
{
    static const char *const users[] = { "a", "b", "c" };
    rh_ref p = rh_spawn(painter);
    for (int i = 0; i < 3; i++)
        rh_send_from(rh_external(users[i]), p, paint, .colour = i);
}

/* In all 3! orders of the painter's first receives and whatever is between them there are the same few receives; only
 * the helper is another one, for it is made by whichever came first. */
static void a_receive_is_the_same_whatever_came_before_it(void **unused)
{
    (void)unused;
    struct rh_semantics s = plain;
    struct rh_world *w = world_of("painters", &s, NULL, 0);
    struct rh_exploration *x = measuring_of(w);
    uint64_t random = 5;
    rh_world_begin(w);
    for (int i = 0; i < 300; i++) {
        random_run(w, &random);
        rh__measure_run(x);
    }
    const struct rh__coverage *c = x->results->coverage;
    uint32_t painters = 0, helpers = 0, of_painter = 0, of_helpers = 0;
    for (uint32_t i = 0; i < c->actor_count; i++) {
        const struct rh__covered_actor *a = rh__covered_actor(c, i);
        bool is_painter = strncmp(rh__coverage_text(c, a->name), "painter#1", 10) == 0;
        painters += is_painter;
        helpers += !is_painter;
        of_painter += is_painter ? a->count : 0;
        of_helpers += is_painter ? 0 : a->count;
    }
    assert_int_equal(painters, 1);
    assert_int_equal(of_painter, 6); /* three paint, three again */
    assert_int_equal(helpers, 3);
    assert_int_equal(of_helpers, 9);
    /* Of the painter's all but each paint and its own again; of each helper the two that were not first. */
    assert_int_equal(c->counts[RH__PR].pairs, 15 - 3 + 3);
    measuring_free(x);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(programs_with_everything),
        EXPLORE_TEST(handlers_with_many_receives),
        EXPLORE_TEST(names_do_not_depend_on_the_granularity),
        EXPLORE_TEST(a_receive_is_the_same_whatever_came_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
