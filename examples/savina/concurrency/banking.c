/* Bank transactions: a teller orders transfers between accounts.  The account that pays asks the other one to confirm.
 *
 * Invariant: no account is overdrawn, and the balances add up to what they were.  An empty account can be closed; what
 * it gets then goes back.
 * Bug deferring: an account that waits for a confirmation takes no credits either.  Two accounts that pay each other
 * wait for ever. */
#include "../savina.h"

enum { MOST_ACCOUNTS = 8, MOST_TRANSFERS = 10000, FIRST_BALANCE = 100 };

RH_MESSAGE(transfers, int accounts; int transfers; int at_once; uint32_t seed;);
RH_MESSAGE(transferred, int made; int turned_down; bool refused;);
RH_MESSAGE(peers, int count; rh_ref at[MOST_ACCOUNTS];); /* to an account: whom it may pay */
RH_MESSAGE(pay, int amount; int to;);
RH_MESSAGE(credit, int amount;);
RH_MESSAGE(credited, bool refused; int amount;);
RH_MESSAGE(close_account);
RH_MESSAGE(closed, bool refused;);
RH_MESSAGE(paid, bool turned_down;);
RH_MESSAGE(get_balance);
RH_MESSAGE(balance, int balance;);

/* ---- account ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(account, int balance; rh_ref teller; int count; rh_ref at[MOST_ACCOUNTS]; bool closed; bool deferring;);
RH_HANDLER(account, peers)
{
    state->count = msg->count;
    for (int i = 0; i < msg->count; i++)
        state->at[i] = msg->at[i];
}
RH_HANDLER(account, pay)
{
    if (state->closed || msg->amount <= 0 || msg->amount > state->balance || msg->to < 0 || msg->to >= state->count) {
        rh_reply(paid, .turned_down = true);
        return;
    }
    state->balance -= msg->amount;
    rh_assert(state->balance >= 0, "the balance is %d", state->balance);
    state->teller = rh_sender();
    rh_send(state->at[msg->to], credit, .amount = msg->amount);
    if (state->deferring)
        rh_become(account, stubborn);
    else
        rh_become(account, paying);
}
RH_HANDLER(account, credit)
{
    rh_assert(msg->amount > 0, "a credit of %d", msg->amount);
    if (!state->closed)
        state->balance += msg->amount;
    rh_reply(credited, .refused = state->closed, .amount = msg->amount);
}
RH_HANDLER(account, credited)
{
    if (msg->refused)
        state->balance += msg->amount;
    rh_send(state->teller, paid, .turned_down = msg->refused);
    rh_become(account, open);
}
RH_HANDLER(account, close_account)
{
    if (state->balance == 0)
        state->closed = true;
    rh_reply(closed, .refused = !state->closed);
}
RH_HANDLER(account, get_balance)
{
    rh_reply(balance, .balance = state->balance);
}
RH_HANDLER(account, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(account, open, peers, pay, credit, close_account, get_balance, stop);
RH_BEHAVIOUR(account, paying, credit, credited, RH_DEFER(pay), RH_DEFER(close_account), RH_DEFER(get_balance),
             RH_DEFER(stop));
RH_BEHAVIOUR(account, stubborn, credited, RH_DEFER(credit), RH_DEFER(pay), RH_DEFER(close_account),
             RH_DEFER(get_balance), RH_DEFER(stop));

/* ---- teller ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(teller, struct rh_request client; int accounts; rh_ref at[MOST_ACCOUNTS]; int left; int under_way;
         uint32_t random; int made; int turned_down; int heard; int sum; bool deferring;);

static int random_below(struct teller *state, int n)
{
    state->random = state->random * 1664525 + 1013904223;
    return (int)(state->random >> 16) % n;
}
static void order_one(struct teller *state)
{
    int from = random_below(state, state->accounts);
    int to = (from + 1 + random_below(state, state->accounts - 1)) % state->accounts;
    state->left--;
    state->under_way++;
    rh_send(state->at[from], pay, .amount = 1 + random_below(state, FIRST_BALANCE), .to = to);
}
RH_HANDLER(teller, transfers)
{
    if (msg->accounts < 2 || msg->accounts > MOST_ACCOUNTS || msg->transfers < 1 || msg->transfers > MOST_TRANSFERS ||
        msg->at_once < 1 || msg->at_once > 16) {
        rh_reply(transferred, .refused = true);
        return;
    }
    *state = (struct teller){
        .accounts = msg->accounts, .left = msg->transfers, .random = msg->seed, .deferring = state->deferring
    };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->accounts; i++)
        state->at[i] = rh_spawn(account, .balance = FIRST_BALANCE, .deferring = state->deferring);
    struct peers all = { .count = msg->accounts };
    for (int i = 0; i < msg->accounts; i++)
        all.at[i] = state->at[i];
    for (int i = 0; i < msg->accounts; i++)
        rh_send_value(state->at[i], peers, &all);
    for (int i = 0; i < msg->at_once && state->left > 0; i++)
        order_one(state);
    rh_become(teller, busy);
}
RH_HANDLER(teller, paid)
{
    state->under_way--;
    if (msg->turned_down)
        state->turned_down++;
    else
        state->made++;
    if (state->left > 0)
        order_one(state);
    else if (state->under_way == 0)
        for (int i = 0; i < state->accounts; i++)
            rh_send(state->at[i], get_balance);
}
RH_HANDLER(teller, balance)
{
    rh_assert(msg->balance >= 0, "an account is overdrawn: %d", msg->balance);
    state->sum += msg->balance;
    rh_reply(stop);
    if (++state->heard < state->accounts)
        return;
    rh_assert(state->sum == state->accounts * FIRST_BALANCE, "the balances add up to %d", state->sum);
    rh_reply_to(state->client, transferred, .made = state->made, .turned_down = state->turned_down);
    rh_become(teller, ready);
}
RH_HANDLER(teller, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(teller, ready, transfers, stop);
RH_BEHAVIOUR(teller, busy, paid, balance, RH_DEFER(transfers), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int accounts; int transfers; int at_once; bool deferring;);
RH_BODY(driver)
{
    rh_ref t = rh_spawn(teller, .deferring = state->deferring);
    const struct transferred *r = rh_ask(t, transfers, transferred, .accounts = state->accounts,
                                         .transfers = state->transfers, .at_once = state->at_once, .seed = 5);
    rh_assert(!r->refused && r->made + r->turned_down == state->transfers);
    rh_log("banking: %d transfers", r->made + r->turned_down);
    rh_send(t, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .accounts = MOST_ACCOUNTS, .transfers = 5000, .at_once = 8)
#else
RH_PARAM(accounts, "2", "how many accounts there are");
RH_PARAM(transfers, "3", "how many transfers are ordered");
RH_PARAM(at_once, "2", "how many transfers are under way at once");
RH_BUG(deferring, "an account that pays takes no credits meanwhile");

RH_TEST(no_money_is_lost)
{
    rh_spawn(driver, .accounts = (int)rh_param("accounts", 2), .transfers = (int)rh_param("transfers", 3),
             .at_once = (int)rh_param("at_once", 2), .deferring = rh_bug("deferring"));
}

static bool is_small(const struct transfers *m)
{
    return m->accounts <= 3 && m->transfers <= 5;
}
RH_TEST(anybody_may_order, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(teller, .deferring = rh_bug("deferring")), transfers, .when = is_small);
}
RH_TEST(anybody_may_pay, .outside = 5)
{
    rh_ref a = rh_spawn(account, .balance = FIRST_BALANCE, .deferring = rh_bug("deferring"));
    rh_ref b = rh_spawn(account, .balance = FIRST_BALANCE, .deferring = rh_bug("deferring"));
    rh_send(a, peers, .count = 2, .at = { a, b });
    rh_send(b, peers, .count = 2, .at = { a, b });
    rh_open(a, pay);
    rh_open(b, pay);
    rh_open(a, close_account);
    rh_open(a, get_balance);
}

RH_MAIN()
#endif
