/* Fields that a macro was given arrive as they are, whatever else the struct holds: also behind padding, and in long
 * arrays of structs, of which a compiler's way to clear padding has once cleared parts. */
#include <rehearse/test.h>

#include "explore/support/runs.h"

struct team {
    int count, span;
    rh_ref at[16];
};
struct mixed_bag {
    bool a;
    double b[3];
    char c;
    struct {
        short s;
        long l;
    } d[12];
};
RH_MESSAGE(brief, char first; struct team team; bool flag; int number; struct mixed_bag bag; rh_ref last;);
RH_ACTOR(keeper, char first; struct team team; bool flag; int number; struct mixed_bag bag; rh_ref last;);

static struct team team_of(uint64_t base)
{
    struct team t = { .count = 16, .span = 13 };
    for (uint64_t i = 0; i < 16; i++)
        t.at[i].id = base + i * 0x0101010101010101u;
    return t;
}

static struct mixed_bag bag_of(int base)
{
    struct mixed_bag b = { .a = true, .b = { 1.5, 2.5, base }, .c = 'c' };
    for (int i = 0; i < 12; i++) {
        b.d[i].s = (short)(0x7171 + i);
        b.d[i].l = 0x7272727272727272 + i + base;
    }
    return b;
}

static void check(char first, const struct team *team, bool flag, int number, const struct mixed_bag *bag, rh_ref last)
{
    struct team t = team_of(0x7777777777777777u);
    struct mixed_bag b = bag_of(5);
    rh_assert(first == 'f' && flag && number == 0x7a7a7a7a && last.id == 0x7b7b7b7b7b7b7b7bu);
    rh_assert(team->count == 16 && team->span == 13);
    for (int i = 0; i < 16; i++)
        rh_assert(team->at[i].id == t.at[i].id, "reference %d is %llx", i, (unsigned long long)team->at[i].id);
    rh_assert(bag->a && bag->b[0] == 1.5 && bag->b[1] == 2.5 && bag->b[2] == 5 && bag->c == 'c');
    for (int i = 0; i < 12; i++)
        rh_assert(bag->d[i].s == b.d[i].s && bag->d[i].l == b.d[i].l, "part %d of the bag", i);
}

#define ALL                                                                                                            \
    .first = 'f', .team = team_of(0x7777777777777777u), .flag = true, .number = 0x7a7a7a7a, .bag = bag_of(5),          \
    .last = { 0x7b7b7b7b7b7b7b7bu }

RH_HANDLER(keeper, brief)
{
    check(msg->first, &msg->team, msg->flag, msg->number, &msg->bag, msg->last);
    check(state->first, &state->team, state->flag, state->number, &state->bag, state->last);
    if (rh_sender().id != self.id)
        rh_send(self, brief, ALL);
}
RH_BEHAVIOUR(keeper, keeping, brief);

RH_TEST(whole_values)
{
    rh_send(rh_spawn(keeper, ALL), brief, ALL);
}

static void fields_arrive_as_they_were_given(void **unused)
{
    (void)unused;
    struct rh_world *w = world_of("whole_values", NULL, NULL, 0);
    struct rh_exploration *x = explored(w, "dfs", 1, 10);
    if (x->results->finding_count)
        fail_msg("%s", x->results->findings[0].outcome.text);
    assert_int_equal(x->results->count.runs, 1);
    assert_int_equal(x->results->count.steps, 2);
    rh__exploration_free(x);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(fields_arrive_as_they_were_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
