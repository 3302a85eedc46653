/* Durable stores. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(keep, int value;);
RH_MESSAGE(show);
RH_MESSAGE(done);

static void say_value(const char *key, size_t capacity)
{
    char buffer[64] = "................";
    int64_t size = rh_store_get(key, buffer, capacity);
    buffer[6] = 0;
    say("%s=%lld:%s", key, (long long)size, buffer);
}

RH_PROCESS(ledger);
RH_BODY(ledger)
{
    rh_store_open("ledger");
    say_value("a", 64);
    rh_store_put("a", "one", 3);
    say_value("a", 64);
    rh_store_put("b", "two", 3);
    rh_store_put("a", "three", 5);
    say_value("a", 64);
    say_value("a", 2); /* the size is told, no more than fits is copied */
    say_value("b", 64);
    rh_store_put("b", NULL, 0);
    say_value("b", 64);
    rh_store_put("b", "", 0);
    say_value("b", 64);
    rh_store_sync();
    say_value("a", 64);
    rh_store_put("a", "x\0y", 3);
    rh_store_sync();
    rh_store_sync();
    char bytes[3] = "";
    say("%lld", (long long)rh_store_get("a", bytes, sizeof bytes));
    say("%d", memcmp(bytes, "x\0y", 3));
    say("%lld", (long long)rh_store_get("a", NULL, 0));
}
PROGRAM(reads_see_the_latest_put,
        .allowed = { "ledger#1: a=-1:...... a=3:one... a=5:three. a=5:th.... b=3:two... b=-1:...... b=0:...... "
                     "a=5:three. 3 0 3" })
{
    rh_spawn(ledger);
}

RH_ACTOR(owner, int value;);
static void open_own(int value)
{
    char name[16];
    snprintf(name, sizeof name, "of %d", value);
    rh_store_open(name);
}
RH_HANDLER(owner, go)
{
    open_own(state->value);
    rh_store_put("k", &state->value, sizeof state->value);
}
RH_HANDLER(owner, show)
{
    int value = -1;
    open_own(state->value);
    int64_t size = rh_store_get("k", &value, sizeof value);
    say("%lld %d", (long long)size, value);
}
RH_BEHAVIOUR(owner, open, go, show); /* rh_stored is ignored where it is not listed */
PROGRAM(stores_of_different_names_have_nothing_in_common, .allowed = { "owner#1: 4 1 | owner#2: 4 2 | owner#3: -1 -1" })
{
    rh_ref a = rh_spawn(owner, .value = 1), b = rh_spawn(owner, .value = 2), c = rh_spawn(owner, .value = 3);
    rh_send(a, go);
    rh_send(b, go);
    rh_send(a, show);
    rh_send(b, show);
    rh_send(c, show);
}

/* ---- tickets ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(writer, uint32_t tickets[3]; int puts; int stored;);
RH_HANDLER(writer, keep)
{
    rh_store_open("tickets");
    state->tickets[state->puts] = rh_store_put("k", &msg->value, sizeof msg->value);
    say("put %d", msg->value);
    state->puts++;
}
RH_HANDLER(writer, rh_stored)
{
    for (int i = 0; i < state->puts; i++)
        if (state->tickets[i] == msg->ticket)
            say("stored %d", i + 1);
}
RH_BEHAVIOUR(writer, open, keep, rh_stored);
PROGRAM(puts_become_durable_in_order,
        .allowed = { "writer#1: put 1 stored 1 put 2 stored 2", "writer#1: put 1 put 2 stored 1 stored 2" })
{
    rh_ref w = rh_spawn(writer);
    rh_send(w, keep, .value = 1);
    rh_send(w, keep, .value = 2);
}

RH_PROCESS(careful);
RH_BODY(careful)
{
    rh_store_open("careful");
    uint32_t first = rh_store_put("a", "1", 1), second = rh_store_put("a", "2", 1);
    say(first != second ? "two tickets" : "one ticket");
    say(rh_receive(rh_stored)->ticket == first ? "first" : "wrong");
    say(rh_receive(rh_stored)->ticket == second ? "second" : "wrong");
    uint32_t third = rh_store_put("b", NULL, 0); /* a removal is a put as well, also of what is not there */
    say(rh_receive(rh_stored)->ticket == third ? "third" : "wrong");
    rh_store_sync();
    say("synced");
}
PROGRAM(a_process_waits_for_its_tickets, .allowed = { "careful#1: two tickets first second third synced" })
{
    rh_spawn(careful);
}

/* A synchronous put has no ticket, and what was put before it is durable, too: nothing is told any more. */
RH_ACTOR(voter, int told;);
RH_HANDLER(voter, go)
{
    rh_store_open("voter");
    rh_store_put("term", "1", 1);
    rh_store_put_sync("vote", "anna", 4);
    say("voted");
    say_value("term", 64);
    say_value("vote", 64);
    rh_store_put_sync("vote", NULL, 0);
    say_value("vote", 64);
    rh_send(self, show);
}
RH_HANDLER(voter, rh_stored)
{
    state->told++;
}
RH_HANDLER(voter, show)
{
    say("told %d", state->told);
}
RH_BEHAVIOUR(voter, open, go, rh_stored, show);
PROGRAM(a_synchronous_put_is_durable_when_it_returns,
        .allowed = { "voter#1: voted term=1:1..... vote=4:anna.. vote=-1:...... told 0" })
{
    rh_send(rh_spawn(voter), go);
}

RH_PROCESS(quick);
RH_BODY(quick)
{
    rh_store_open("quick");
    for (int i = 0; i < 3; i++)
        rh_store_put_sync("k", &i, sizeof i);
    say(rh_receive(rh_stored, .timeout_ms = RH_POLL) ? "told" : "not told");
    uint32_t ticket = rh_store_put("k", "x", 1);
    say(rh_receive(rh_stored)->ticket == ticket ? "its ticket" : "another ticket");
    say_value("k", 64);
}
PROGRAM(tickets_after_synchronous_puts, .allowed = { "quick#1: not told its ticket k=1:x....." })
{
    rh_spawn(quick);
}

RH_ACTOR(large);
RH_HANDLER(large, go)
{
    enum { SIZE = 100 * 1024 };
    unsigned char *bytes = malloc(SIZE);
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i % 253);
    rh_store_open("large");
    rh_store_put("large", bytes, SIZE);
    memset(bytes, 0, SIZE);
    rh_store_sync();
    int64_t size = rh_store_get("large", bytes, SIZE);
    int wrong = 0;
    for (int i = 0; i < SIZE; i++)
        wrong += bytes[i] != i % 253;
    say("%lld %d", (long long)size, wrong);
    free(bytes);
}
RH_BEHAVIOUR(large, open, go);
PROGRAM(a_large_value_is_kept, .allowed = { "large#1: 102400 0" })
{
    rh_send(rh_spawn(large), go);
}

/* A sync blocks this actor only, and it takes nothing meanwhile. */
RH_ACTOR(syncing);
RH_HANDLER(syncing, go)
{
    rh_store_open("k");
    rh_store_put("k", "v", 1);
    say("syncs");
    rh_store_sync();
    say("synced");
    rh_reply(done);
}
RH_HANDLER(syncing, show)
{
    say("shows");
}
RH_BEHAVIOUR(syncing, open, go, show);
PROGRAM(a_sync_takes_nothing_else_meanwhile, .allowed = { "syncing#1: syncs synced shows" })
{
    rh_ref s = rh_spawn(syncing);
    rh_send_from(rh_external("ann"), s, go);
    rh_send_from(rh_external("ann"), s, show);
}

/* ---- the next owner ---------------------------------------------------------------------------------------------- */
RH_PROCESS(heir, int value;);
RH_BODY(heir)
{
    int value = -1;
    rh_receive(go); /* until it is monitored */
    rh_store_open("estate");
    rh_store_get("k", &value, sizeof value);
    say("%d", value);
    rh_store_put("k", &state->value, sizeof state->value);
    if (state->value == 2)
        rh_store_sync();
    rh_exit(state->value == 1 ? "crash" : "normal");
}
RH_ACTOR(notary, int heirs;);
static void call_heir(struct notary *state)
{
    rh_ref heir = rh_spawn(heir, .value = ++state->heirs);
    rh_monitor(heir);
    rh_send(heir, go);
}
RH_HANDLER(notary, go)
{
    call_heir(state);
}
RH_HANDLER(notary, rh_down)
{
    say("%s", msg->reason);
    if (state->heirs < 3)
        call_heir(state);
}
RH_BEHAVIOUR(notary, open, go, rh_down);
PROGRAM(who_learns_of_an_end_may_hand_the_store_on,
        .allowed = { "notary#1: crash normal normal | notary#1/heir#1: -1 | notary#1/heir#2: 1 | notary#1/heir#3: 2" })
{
    rh_send(rh_spawn(notary), go);
}

RH_ACTOR(greedy);
RH_HANDLER(greedy, go)
{
    rh_store_open("one for all");
    say("has it");
}
RH_BEHAVIOUR(greedy, open, go);
PROGRAM(a_store_has_one_actor, .failure_text = { "another actor has it open" },
        .allowed = { "greedy#1: has it ! misuse greedy#2", "greedy#2: has it ! misuse greedy#1" })
{
    rh_ref a = rh_spawn(greedy), b = rh_spawn(greedy);
    rh_send(a, go);
    rh_send(b, go);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(customer);
RH_BODY(customer)
{
    rh_receive(go); /* until it is monitored */
    rh_store_open("balance");
    say("opened");
    rh_store_put("balance", "100", 4);
    rh_store_sync();
    say("durable");
}
RH_ACTOR(bank, int customers;);
static void call_customer(struct bank *state)
{
    rh_ref who = rh_spawn(customer);
    state->customers++;
    rh_monitor(who);
    rh_send(who, go);
}
RH_HANDLER(bank, go)
{
    call_customer(state);
}
RH_HANDLER(bank, rh_down)
{
    say("%s", msg->reason);
    if (state->customers < 2)
        call_customer(state);
}
RH_BEHAVIOUR(bank, open, go, rh_down);

#define FAILS_AT_ONCE "bank#1: store store | bank#1/customer#1: opened"
#define FAILS_LATER   "bank#1: normal store | bank#1/customer#1: opened durable | bank#1/customer#2: opened"
#define FAILS_NEVER   "bank#1: normal normal | bank#1/customer#1: opened durable | bank#1/customer#2: opened durable"
PROGRAM(a_put_that_fails_ends_the_actor_and_the_store, .semantics = { .failed_puts = 1 }, .full_disk = true,
        .allowed = { FAILS_AT_ONCE, FAILS_LATER, FAILS_NEVER }, .production = { FAILS_AT_ONCE })
{
    rh_send(rh_spawn(bank), go);
}

PROGRAM(a_store_that_cannot_be_opened_ends_the_actor, .semantics = { .failed_opens = 1 },
        .allowed = { "bank#1: store store", "bank#1: normal store | bank#1/customer#1: opened durable", FAILS_NEVER })
{
    rh_send(rh_spawn(bank), go);
}

PROGRAM(a_damaged_store_ends_the_actor, .semantics = { .damaged_stores = 1 },
        .allowed = { "bank#1: damaged damaged", "bank#1: normal damaged | bank#1/customer#1: opened durable",
                     FAILS_NEVER })
{
    rh_send(rh_spawn(bank), go);
}

MAIN()
