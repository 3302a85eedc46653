/* A result of rh_name stays as it was while others ask for names: also where an actor stops before the operation that
 * the name was given to, as with granularity object. */
#include <rehearse/test.h>

#include "explore/support/runs.h"

RH_PROCESS(member, int number;);
RH_BODY(member)
{
    char name[64];
    snprintf(name, sizeof name, "member#%d", state->number);
    rh_register(rh_name(self), self);
    rh_assert(rh_same(rh_whereis(name), self), "%s is registered under another name", name);
}

RH_TEST(each_has_its_own_name)
{
    for (int i = 1; i <= 3; i++)
        rh_spawn(member, .number = i);
}

static void a_name_is_registered_as_it_was_given(void **unused)
{
    static const char *const explorers[] = { "bound:100;runs=5000,dfs", "optimal", "dpor" };
    (void)unused;
    for (size_t i = 0; i < sizeof explorers / sizeof *explorers; i++) {
        const struct rh_semantics s = { .granularity = RH_GRAIN_OBJECT };
        struct rh_world *w = world_of("each_has_its_own_name", &s, NULL, 0);
        struct rh_exploration *x = explored(w, explorers[i], 1, 10000);
        if (x->results->finding_count)
            fail_msg("%s: %s", explorers[i], x->results->findings[0].outcome.text);
        assert_true(x->results->count.runs >= 1);
        rh__exploration_free(x);
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_name_is_registered_as_it_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
