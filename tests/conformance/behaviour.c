/* Behaviours: what an actor handles, defers, ignores; the first message; what is an error. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(flip);
RH_MESSAGE(number, int value;);
RH_MESSAGE_DEFERRED(later, int value;);
RH_MESSAGE_IGNORED(chatter, int value;);

/* ---- become ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(lamp, int flips;);
RH_HANDLER_AS(lamp, flip, on)
{
    rh_become(lamp, light);
    say("on %d", ++state->flips); /* this handler goes on */
}
RH_HANDLER_AS(lamp, flip, off)
{
    say("off %d", ++state->flips);
    rh_become(lamp, dark);
}
RH_BEHAVIOUR(lamp, dark, RH_ON(flip, on));
RH_BEHAVIOUR(lamp, light, RH_ON(flip, off));
PROGRAM(a_behaviour_lasts_until_the_next, .allowed = { "lamp#1: on 1 off 2 on 3" })
{
    rh_ref l = rh_spawn(lamp);
    for (int i = 0; i < 3; i++)
        rh_send(l, flip);
}

/* ---- defer ------------------------------------------------------------------------------------------------------- */
RH_ACTOR(shop);
RH_HANDLER(shop, number)
{
    say("%d", msg->value);
}
RH_HANDLER(shop, later)
{
    say("late %d", msg->value);
}
RH_HANDLER(shop, flip)
{
    say("opens");
    rh_become(shop, opened);
}
RH_HANDLER(shop, go)
{
    say("waits");
    rh_become(shop, waiting);
}
RH_BEHAVIOUR(shop, closed, RH_DEFER(number), go);
RH_BEHAVIOUR(shop, waiting, RH_DEFER(number), flip);
RH_BEHAVIOUR(shop, opened, number, later);
PROGRAM(deferred_messages_wait_in_order_for_a_behaviour_that_lists_them,
        .allowed = { "shop#1: waits opens 1 late 2 3 late 4 5" })
{
    rh_ref s = rh_spawn(shop);
    rh_send(s, number, .value = 1);
    rh_send(s, later, .value = 2);
    rh_send(s, go);
    rh_send(s, number, .value = 3);
    rh_send(s, later, .value = 4);
    rh_send(s, flip);
    rh_send(s, number, .value = 5);
}

RH_ACTOR(opener, rh_ref to;);
RH_HANDLER(opener, go)
{
    rh_send(state->to, go);
    rh_send(state->to, flip);
}
RH_BEHAVIOUR(opener, open, go);
PROGRAM(a_deferred_message_waits_for_one_of_another_sender, .allowed = { "shop#1: waits opens 1 2" })
{
    rh_ref s = rh_spawn(shop);
    rh_send(s, number, .value = 1);
    rh_send(s, number, .value = 2);
    rh_send(rh_spawn(opener, .to = s), go);
}

/* ---- ignore ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(deaf);
RH_HANDLER(deaf, go)
{
    say("go");
}
RH_BEHAVIOUR(deaf, open, go, RH_IGNORE(number));
PROGRAM(ignored_messages_are_taken_and_dropped, .allowed = { "deaf#1: go go" })
{
    rh_ref d = rh_spawn(deaf);
    rh_send(d, number, .value = 1);
    rh_send(d, go);
    rh_send(d, chatter, .value = 2);
    rh_send(d, number, .value = 3);
    rh_send(d, go);
}

/* An entry of the behaviour comes before the policy of the type. */
RH_ACTOR(picky);
RH_HANDLER(picky, chatter)
{
    say("chatter %d", msg->value);
}
RH_HANDLER(picky, flip)
{
    rh_become(picky, curt);
    say("flips");
}
RH_HANDLER(picky, later)
{
    say("later %d", msg->value);
}
RH_BEHAVIOUR(picky, chatty, chatter, flip, RH_IGNORE(later));
RH_BEHAVIOUR(picky, curt, later, RH_DEFER(flip));
PROGRAM(an_entry_comes_before_the_policy_of_the_type, .allowed = { "picky#1: chatter 1 flips later 4" })
{
    rh_ref p = rh_spawn(picky);
    rh_send(p, chatter, .value = 1);
    rh_send(p, later, .value = 2);
    rh_send(p, flip);
    rh_send(p, chatter, .value = 3);
    rh_send(p, later, .value = 4);
}

/* ---- an error ---------------------------------------------------------------------------------------------------- */
PROGRAM(a_message_that_nobody_lists_is_an_error, .failure_text = { "flip" },
        .allowed = { "deaf#1: go ! unhandled deaf#1" })
{
    rh_ref d = rh_spawn(deaf);
    rh_send(d, go);
    rh_send(d, flip);
}

/* ---- the first message ------------------------------------------------------------------------------------------- */
RH_ACTOR(starter, int begun; rh_ref child;);
RH_HANDLER(starter, rh_start)
{
    state->begun++;
    say("starts %u", msg->restarts);
}
RH_HANDLER(starter, number)
{
    say("%d %s", msg->value, state->begun ? "after" : "before");
}
RH_BEHAVIOUR(starter, open, rh_start, number);
RH_ACTOR(pusher, rh_ref to; int value;);
RH_HANDLER(pusher, go)
{
    rh_send(state->to, number, .value = state->value);
}
RH_BEHAVIOUR(pusher, open, go);
PROGRAM(rh_start_comes_before_all_others,
        .allowed = { "starter#1: starts 0 1 after 2 after", "starter#1: starts 0 2 after 1 after" })
{
    rh_ref s = rh_spawn(starter);
    rh_send(rh_spawn(pusher, .to = s, .value = 1), go);
    rh_send(s, number, .value = 2);
}

RH_ACTOR(late_listener);
RH_HANDLER(late_listener, go)
{
    say("go");
    rh_become(late_listener, second);
}
RH_HANDLER(late_listener, rh_start)
{
    say("starts");
}
RH_BEHAVIOUR(late_listener, first, go);
RH_BEHAVIOUR(late_listener, second, go, rh_start);
PROGRAM(rh_start_is_only_for_a_first_behaviour_that_lists_it, .allowed = { "late_listener#1: go go" })
{
    rh_ref l = rh_spawn(late_listener);
    rh_send(l, go);
    rh_send(l, go);
}

RH_ACTOR(quick);
RH_HANDLER(quick, rh_start)
{
    rh_become(quick, ready);
    rh_send(self, number, .value = 1);
}
RH_HANDLER(quick, number)
{
    say("%d", msg->value);
}
RH_BEHAVIOUR(quick, starting, rh_start);
RH_BEHAVIOUR(quick, ready, number);
PROGRAM(rh_start_may_change_the_behaviour, .allowed = { "quick#1: 1 2", "quick#1: 2 1" })
{
    rh_send(rh_spawn(quick), number, .value = 2);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */
RH_MESSAGE(ballot, int value;);
RH_MESSAGE(ballots_needed, int count;);
RH_ACTOR(elector, rh_ref to; int value;);
RH_HANDLER(elector, go)
{
    rh_send(state->to, ballot, .value = state->value);
}
RH_BEHAVIOUR(elector, ready, go); /* it stays: one that has ended may have lost its name */
RH_ACTOR(counts_ballots, int needed; int sum, seen;);
RH_HANDLER(counts_ballots, ballot)
{
    state->sum += msg->value;
    say("%d%s", msg->value, msg->value < 10 ? "" : rh_name(rh_sender()));
    if (++state->seen == 4)
        rh_become(counts_ballots, done);
}
RH_HANDLER(counts_ballots, number)
{
    say("n%d", msg->value);
}
RH_HANDLER(counts_ballots, ballots_needed)
{
    state->needed = msg->count;
}
RH_HANDLER(counts_ballots, flip)
{
    rh_become(counts_ballots, counting);
}
RH_BEHAVIOUR(counts_ballots, closed, RH_DEFER(ballot), number, flip);
RH_BEHAVIOUR(counts_ballots, counting, RH_SETS_OF(ballot, needed), number, ballots_needed);
RH_BEHAVIOUR(counts_ballots, done, RH_IGNORE(ballot), number, ballots_needed);

/* By the names of the senders, in both worlds; a message of another type does not come in between. */
PROGRAM(an_actor_takes_messages_in_sets, .production_runs = 50,
        .allowed = { "counts_ballots#1: 11elector#1 12elector#2 n7", "counts_ballots#1: n7 11elector#1 12elector#2" })
{
    rh_ref c = rh_spawn(counts_ballots, .needed = 2);
    rh_send(c, flip);
    rh_ref one = rh_spawn(elector, .to = c, .value = 11), two = rh_spawn(elector, .to = c, .value = 12);
    rh_send(two, go);
    rh_send(one, go);
    rh_send(c, number, .value = 7);
}
PROGRAM(what_is_too_few_for_a_set_waits, .allowed = { "counts_ballots#1: n7 n8" })
{
    rh_ref c = rh_spawn(counts_ballots, .needed = 3);
    rh_send(c, flip);
    rh_send(c, ballot, .value = 1);
    rh_send(c, number, .value = 7);
    rh_send(c, ballot, .value = 2);
    rh_send(c, number, .value = 8);
}
/* `number` must arrive before the second ballot, so it is taken before the set. */
PROGRAM(what_comes_before_one_of_a_set_comes_before_the_set,
        .allowed = { "counts_ballots#1: n7 1 2 n8", "counts_ballots#1: n7 n8 1 2" })
{
    rh_ref c = rh_spawn(counts_ballots, .needed = 2);
    rh_send(c, ballot, .value = 1);
    rh_send(c, flip);
    rh_send(c, number, .value = 7);
    rh_send(c, ballot, .value = 2);
    rh_send(c, number, .value = 8);
}
PROGRAM(the_number_of_a_set_is_that_of_the_state_now, .allowed = { "counts_ballots#1: 1 2" })
{
    rh_ref c = rh_spawn(counts_ballots, .needed = 5);
    rh_send(c, flip);
    rh_send(c, ballot, .value = 1);
    rh_send(c, ballot, .value = 2);
    rh_send(c, ballots_needed, .count = 2);
}
PROGRAM(a_number_below_two_is_one_by_one, .allowed = { "counts_ballots#1: 1 n7 2" })
{
    rh_ref c = rh_spawn(counts_ballots, .needed = 1);
    rh_send(c, flip);
    rh_send(c, ballot, .value = 1);
    rh_send(c, number, .value = 7);
    rh_send(c, ballot, .value = 2);
}

/* The handler of a set may wait for a reply, answer each message, and stop. */
RH_MESSAGE(doubled, int value;);
RH_ACTOR(doubler);
RH_HANDLER(doubler, ballot)
{
    rh_reply(doubled, .value = 2 * msg->value);
}
RH_BEHAVIOUR(doubler, ready, ballot);
RH_ACTOR(asks_for_each, rh_ref doubler; int seen;);
RH_HANDLER(asks_for_each, ballot)
{
    const struct doubled *d = rh_ask(state->doubler, ballot, doubled, .value = msg->value);
    say("%d", d->value);
    rh_reply(doubled, .value = d->value);
    if (++state->seen == 2)
        rh_stop();
}
RH_BEHAVIOUR(asks_for_each, ready, RH_SETS(ballot, 2));
RH_PROCESS(asks_with_ballot, rh_ref whom; int value;);
RH_BODY(asks_with_ballot)
{
    say("%d", rh_ask(state->whom, ballot, doubled, .value = state->value)->value);
}
PROGRAM(a_handler_of_a_set_asks_and_answers, .production_runs = 50,
        .allowed = { "asks_for_each#1: 2 4 | asks_with_ballot#1: 2 | asks_with_ballot#2: 4" })
{
    rh_ref a = rh_spawn(asks_for_each, .doubler = rh_spawn(doubler));
    rh_spawn(asks_with_ballot, .whom = a, .value = 1);
    rh_spawn(asks_with_ballot, .whom = a, .value = 2);
}

/* ---- state ------------------------------------------------------------------------------------------------------- */
RH_ACTOR(account, int balance; char owner[8]; int64_t untouched; char *heap;);
RH_HANDLER(account, number)
{
    state->balance += msg->value;
    if (!state->heap)
        state->heap = calloc(1, 8);
    strcat(state->heap, "x");
    say("%s %d %lld %s", state->owner, state->balance, (long long)state->untouched, state->heap);
    if (state->heap[1]) {
        free(state->heap);
        rh_stop();
    }
}
RH_BEHAVIOUR(account, open, number);
PROGRAM(state_begins_as_given_and_is_each_actors_own,
        .allowed = { "account#1: ann 15 0 x ann 12 0 xx | account#2:  1 0 x  3 0 xx" })
{
    rh_ref a = rh_spawn(account, .balance = 10, .owner = "ann");
    rh_ref b = rh_spawn(account);
    rh_send(a, number, .value = 5);
    rh_send(b, number, .value = 1);
    rh_send(a, number, .value = -3);
    rh_send(b, number, .value = 2);
}

MAIN()
