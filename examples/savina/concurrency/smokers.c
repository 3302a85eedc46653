/* Cigarette smokers: each of three smokers has one ingredient without end.  An arbiter lays two ingredients on the
 * table; who has the third takes them and smokes for a while.
 *
 * Invariant: the table is clear when ingredients are laid on it; only one smokes at a time; every round is smoked.
 * Bug impatient: the arbiter begins the next round when a smoker has started, not when it has finished. */
#include "../savina.h"

enum { SMOKERS = 3, MOST_ROUNDS = 10000, MOST_PUFFS = 100 };

RH_MESSAGE(evening, int rounds; int puffs; uint32_t seed;);
RH_MESSAGE(evening_over, int smoked[SMOKERS]; bool refused;);
RH_MESSAGE(ingredients, int first; int second; int puffs;);
RH_MESSAGE(started);
RH_MESSAGE(puff, int left;);
RH_MESSAGE(finished, int owns; int puffs;);

/* ---- smoker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(smoker, int owns; rh_ref arbiter; int puffs;);
RH_HANDLER(smoker, ingredients)
{
    rh_assert(msg->first != state->owns && msg->second != state->owns && msg->first != msg->second,
              "smoker %d gets %d and %d", state->owns, msg->first, msg->second);
    state->arbiter = rh_sender();
    state->puffs = 0;
    rh_reply(started);
    rh_send(self, puff, .left = msg->puffs - 1);
    rh_become(smoker, smoking);
}
RH_HANDLER(smoker, puff)
{
    state->puffs++;
    if (msg->left > 0) {
        rh_send(self, puff, .left = msg->left - 1);
        return;
    }
    rh_send(state->arbiter, finished, .owns = state->owns, .puffs = state->puffs);
    rh_become(smoker, idle);
}
RH_HANDLER(smoker, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(smoker, idle, ingredients, stop);
RH_BEHAVIOUR(smoker, smoking, puff);

/* ---- arbiter ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(arbiter, struct rh_request client; rh_ref at[SMOKERS]; int rounds; int round; int puffs; uint32_t random;
         int smoking; int smoked[SMOKERS]; bool impatient;);

static void next_round(struct arbiter *state)
{
    if (state->round == state->rounds)
        return;
    state->round++;
    state->random = state->random * 1664525 + 1013904223;
    int who = (int)(state->random >> 16) % SMOKERS;
    rh_assert(state->smoking == 0, "ingredients for %d while %d smoke", who, state->smoking);
    rh_send(state->at[who], ingredients, .first = (who + 1) % SMOKERS, .second = (who + 2) % SMOKERS,
            .puffs = state->puffs);
}
RH_HANDLER(arbiter, evening)
{
    if (msg->rounds < 1 || msg->rounds > MOST_ROUNDS || msg->puffs < 1 || msg->puffs > MOST_PUFFS) {
        rh_reply(evening_over, .refused = true);
        return;
    }
    *state = (struct arbiter){
        .rounds = msg->rounds, .puffs = msg->puffs, .random = msg->seed, .impatient = state->impatient
    };
    state->client = rh_keep_request();
    for (int i = 0; i < SMOKERS; i++)
        state->at[i] = rh_spawn(smoker, .owns = i);
    rh_become(arbiter, busy);
    next_round(state);
}
RH_HANDLER(arbiter, started)
{
    if (state->impatient)
        next_round(state);
    else
        state->smoking++;
}
RH_HANDLER(arbiter, finished)
{
    rh_assert(msg->puffs == state->puffs, "%d puffs instead of %d", msg->puffs, state->puffs);
    state->smoked[msg->owns]++;
    if (!state->impatient) {
        state->smoking--;
        next_round(state);
    }
    int sum = 0;
    for (int i = 0; i < SMOKERS; i++)
        sum += state->smoked[i];
    if (sum < state->rounds)
        return;
    for (int i = 0; i < SMOKERS; i++)
        rh_send(state->at[i], stop);
    rh_reply_to(state->client, evening_over, .smoked = { state->smoked[0], state->smoked[1], state->smoked[2] });
    rh_become(arbiter, ready);
}
RH_HANDLER(arbiter, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(arbiter, ready, evening, stop);
RH_BEHAVIOUR(arbiter, busy, started, finished, RH_DEFER(evening), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int rounds; int puffs; bool impatient;);
RH_BODY(driver)
{
    rh_ref a = rh_spawn(arbiter, .impatient = state->impatient);
    const struct evening_over *r =
        rh_ask(a, evening, evening_over, .rounds = state->rounds, .puffs = state->puffs, .seed = 3);
    rh_assert(!r->refused && r->smoked[0] + r->smoked[1] + r->smoked[2] == state->rounds);
    rh_log("smokers: %d + %d + %d cigarettes", r->smoked[0], r->smoked[1], r->smoked[2]);
    rh_send(a, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .rounds = 2000, .puffs = 3)
#else
RH_PARAM(rounds, "4", "how often the arbiter lays ingredients on the table");
RH_PARAM(puffs, "2", "how long a smoker smokes");
RH_BUG(impatient, "the arbiter goes on while somebody smokes");

RH_TEST(one_smokes_at_a_time)
{
    rh_spawn(driver, .rounds = (int)rh_param("rounds", 4), .puffs = (int)rh_param("puffs", 2),
             .impatient = rh_bug("impatient"));
}

static bool is_small(const struct evening *m)
{
    return m->rounds <= 5 && m->puffs <= 3;
}
RH_TEST(anybody_may_invite, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(arbiter, .impatient = rh_bug("impatient")), evening, .when = is_small);
}

RH_MAIN()
#endif
