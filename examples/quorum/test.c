/* At most one candidate leads. */
#include <rehearse/test.h>

#include "quorum.h"

RH_PARAM(voters, "4", "how many voters there are");
RH_PARAM(candidates, "2", "how many candidates there are");
RH_BUG(half, "half of the votes count as a majority");
RH_BUG(first_vote, "the candidate names the voter whose vote was the first one");

RH_TEST(at_most_one_leads)
{
    uint32_t voters = (uint32_t)rh_param("voters", 4), candidates = (uint32_t)rh_param("candidates", 2);
    struct campaign c = { .count = voters };
    rh_assert(voters >= 1 && voters <= MOST_VOTERS, "1 to %d voters, not %u", MOST_VOTERS, voters);
    rh_ref registrar = rh_spawn(registrar);
    for (uint32_t i = 0; i < voters; i++)
        c.voters[i] = rh_spawn(voter);
    for (uint32_t i = 0; i < candidates; i++) {
        rh_ref who = rh_spawn(candidate, .quorum = rh_bug("half") ? voters / 2 : voters / 2 + 1,
                              .names_first = rh_bug("first_vote"), .registrar = registrar);
        rh_send_value(who, campaign, &c);
    }
}

RH_MAIN()
