/* Dining philosophers with an arbitrator: a hungry philosopher asks, and gets both forks or waits.
 *
 * Invariant: no two neighbours eat at the same time; everybody eats as often as asked.
 * Bug one_fork: when a philosopher has eaten, the arbitrator lets a waiting neighbour eat after a look at one fork. */
#include "../savina.h"

enum { MOST_PHILOSOPHERS = 16, MOST_MEALS = 10000 };

RH_MESSAGE(dine, int philosophers; int meals;);
RH_MESSAGE(dined, int meals; bool refused;);
RH_MESSAGE(hungry, int number;);
RH_MESSAGE(eat);
RH_MESSAGE(sated, int number; bool leaves;);

/* ---- philosopher ------------------------------------------------------------------------------------------------- */
RH_ACTOR(philosopher, rh_ref arbitrator; int number; int meals;);
RH_HANDLER(philosopher, rh_start)
{
    rh_send(state->arbitrator, hungry, .number = state->number);
}
RH_HANDLER(philosopher, eat)
{
    state->meals--;
    rh_send(state->arbitrator, sated, .number = state->number, .leaves = state->meals == 0);
    if (state->meals == 0)
        rh_stop();
    else
        rh_send(state->arbitrator, hungry, .number = state->number);
}
RH_BEHAVIOUR(philosopher, thinking, rh_start, eat);

/* ---- arbitrator -------------------------------------------------------------------------------------------------- */
RH_ACTOR(arbitrator, struct rh_request client; int n; int here; int meals; rh_ref at[MOST_PHILOSOPHERS];
         bool waits[MOST_PHILOSOPHERS]; bool eats[MOST_PHILOSOPHERS]; bool fork_taken[MOST_PHILOSOPHERS];
         bool one_fork;);

static int right_of(const struct arbitrator *state, int i)
{
    return (i + 1) % state->n;
}
static void let_eat(struct arbitrator *state, int i)
{
    int left = (i + state->n - 1) % state->n;
    rh_assert(!state->eats[left] && !state->eats[right_of(state, i)], "philosopher %d eats beside another one", i);
    state->eats[i] = state->fork_taken[i] = state->fork_taken[right_of(state, i)] = true;
    state->waits[i] = false;
    state->meals++;
    rh_send(state->at[i], eat);
}
RH_HANDLER(arbitrator, dine)
{
    if (msg->philosophers < 2 || msg->philosophers > MOST_PHILOSOPHERS || msg->meals < 1 || msg->meals > MOST_MEALS) {
        rh_reply(dined, .refused = true);
        return;
    }
    *state = (struct arbitrator){ .n = msg->philosophers, .here = msg->philosophers, .one_fork = state->one_fork };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->philosophers; i++)
        state->at[i] = rh_spawn(philosopher, .arbitrator = self, .number = i, .meals = msg->meals);
    rh_become(arbitrator, watching);
}
RH_HANDLER(arbitrator, hungry)
{
    rh_assert(!state->eats[msg->number], "philosopher %d is hungry while it eats", msg->number);
    if (state->fork_taken[msg->number] || state->fork_taken[right_of(state, msg->number)])
        state->waits[msg->number] = true;
    else
        let_eat(state, msg->number);
}
RH_HANDLER(arbitrator, sated)
{
    int i = msg->number, left = (i + state->n - 1) % state->n, right = right_of(state, i);
    rh_assert(state->eats[i], "philosopher %d has eaten without forks", i);
    state->eats[i] = state->fork_taken[i] = state->fork_taken[right] = false;
    if (state->waits[left] && (state->one_fork || !state->fork_taken[left]) && !state->fork_taken[i])
        let_eat(state, left);
    if (state->waits[right] && !state->fork_taken[right] && !state->fork_taken[right_of(state, right)])
        let_eat(state, right);
    if (msg->leaves && --state->here == 0) {
        rh_reply_to(state->client, dined, .meals = state->meals);
        rh_become(arbitrator, ready);
    }
}
RH_HANDLER(arbitrator, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(arbitrator, ready, dine, stop);
RH_BEHAVIOUR(arbitrator, watching, hungry, sated, RH_DEFER(dine), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int philosophers; int meals; bool one_fork;);
RH_BODY(driver)
{
    rh_ref a = rh_spawn(arbitrator, .one_fork = state->one_fork);
    const struct dined *r = rh_ask(a, dine, dined, .philosophers = state->philosophers, .meals = state->meals);
    rh_assert(!r->refused && r->meals == state->philosophers * state->meals, "%d meals", r->meals);
    rh_log("philosophers: %d meals", r->meals);
    rh_send(a, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .philosophers = MOST_PHILOSOPHERS, .meals = 500)
#else
RH_PARAM(philosophers, "4", "how many philosophers there are");
RH_PARAM(meals, "1", "how often each of them eats");
RH_BUG(one_fork, "the arbitrator looks at one fork only");

RH_TEST(neighbours_do_not_eat_together)
{
    rh_spawn(driver, .philosophers = (int)rh_param("philosophers", 4), .meals = (int)rh_param("meals", 1),
             .one_fork = rh_bug("one_fork"));
}

static bool is_small(const struct dine *m)
{
    return m->philosophers <= 5 && m->meals <= 3;
}
RH_TEST(anybody_may_invite, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(arbitrator, .one_fork = rh_bug("one_fork")), dine, .when = is_small);
}

RH_MAIN()
#endif
