/* The account is never overdrawn, and client and server agree in the end, even if messages overtake each other. */
#include <rehearse/test.h>

#include "bank.h"

RH_PARAM(deposits, "2", "how many deposits of 50");
RH_PARAM(withdrawals, "1", "how many withdrawals of 120");
RH_BUG(hasty, "the client passes on what comes before the last request is confirmed (TAP, Figure 1)");

/* What was promised and is not booked yet.  A run must not end while anything is owed. */
RH_MONITOR(books, int owed;);
RH_HANDLER(books, promised)
{
    state->owed += msg->amount;
    if (state->owed)
        rh_become(books, owing);
    else
        rh_become(books, even);
}
RH_HANDLER(books, booked)
{
    state->owed -= msg->amount;
    if (state->owed)
        rh_become(books, owing);
    else
        rh_become(books, even);
}
RH_BEHAVIOUR(books, even, promised, booked);
RH_HOT_BEHAVIOUR(books, owing, promised, booked);

RH_TEST(the_account_is_never_overdrawn, .model = RH_BAG)
{
    rh_ref user = rh_external("user");
    rh_ref s = rh_spawn(server, .balance = FIRST_BALANCE);
    rh_ref c = rh_spawn(client, .server = s, .balance = FIRST_BALANCE, .hasty = rh_bug("hasty"));
    rh_observe(books);
    for (int64_t i = 0; i < rh_param("deposits", 2); i++)
        rh_send_from(user, c, deposit, .amount = 50);
    for (int64_t i = 0; i < rh_param("withdrawals", 1); i++)
        rh_send_from(user, c, withdraw, .amount = 120);
}

RH_MAIN()
