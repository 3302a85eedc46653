/* States that were once taken for one another, and states that were once split for nothing.  Futures are computed by
 * brute force (support/futures.h). */
#include "world/support/driver.h"

#include "world/support/futures.h"

RH_MESSAGE(go);
RH_MESSAGE(bell);
RH_MESSAGE(value_is, uint32_t value;);
RH_MESSAGE(question);
RH_MESSAGE(answered);

/* ---- taken for one another --------------------------------------------------------------------------------------- */

/* A server replies, or sends a message of the same type: only the reply ends the ask. */
RH_ACTOR(server_, int unused;);
RH_HANDLER(server_, question)
{
    if (rh_choose(2))
        rh_reply(answered);
    else
        rh_send(rh_sender(), answered);
}
RH_BEHAVIOUR(server_, serving, question);
RH_ACTOR(asker_, rh_ref server;);
RH_HANDLER(asker_, go)
{
    rh_ask(state->server, question, answered);
}
RH_HANDLER(asker_, answered)
{
}
RH_BEHAVIOUR(asker_, ready, go, answered);
RH_TEST(reply_or_not)
{
    rh_send(rh_spawn(asker_, .server = rh_spawn(server_)), go);
}

static void a_reply_is_not_a_message_of_the_same_type(void **unused)
{
    (void)unused;
    require_no_clash("reply_or_not", NULL);
}

/* Granularity object: a message to an actor that has ended can still be lost or doubled, which spends the budget. */
RH_ACTOR(mortal_, int unused;);
RH_HANDLER(mortal_, go)
{
    rh_stop();
}
RH_BEHAVIOUR(mortal_, ready, go);
RH_ACTOR(late_, rh_ref to;);
RH_HANDLER(late_, go)
{
    if (rh_choose(2))
        rh_send(state->to, go);
}
RH_BEHAVIOUR(late_, ready, go);
RH_TEST(to_the_dead)
{
    rh_ref d = rh_spawn(mortal_);
    rh_send(d, go);
    rh_send(rh_spawn(late_, .to = d), go);
}

static void a_message_to_an_ended_actor_can_still_be_lost(void **unused)
{
    (void)unused;
    require_no_clash("to_the_dead", &(struct rh_semantics){ .granularity = RH_GRAIN_OBJECT, .losses = 1 });
    require_no_clash("to_the_dead", &(struct rh_semantics){ .granularity = RH_GRAIN_OBJECT, .duplicates = 1 });
}

/* A restart gives an actor its first state again, which it has overwritten since. */
RH_MESSAGE(up_again, uint32_t value;);
RH_ACTOR(child_, uint32_t value; rh_ref parent;);
RH_HANDLER(child_, rh_start)
{
    if (msg->restarts)
        rh_send(state->parent, up_again, .value = state->value);
    state->value = 0;
}
RH_BEHAVIOUR(child_, living, rh_start);
RH_ACTOR(parent_, uint32_t heard;);
RH_HANDLER(parent_, go)
{
    rh_spawn(child_, .value = rh_choose(2) + 1, .parent = rh_self());
}
RH_HANDLER(parent_, up_again)
{
    state->heard = msg->value;
}
RH_BEHAVIOUR(parent_, raising, go, up_again);
RH_TEST(first_states, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(child_))
{
    rh_send(rh_spawn(parent_), go);
}

static void the_first_state_of_an_actor_that_may_restart_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("first_states", NULL);
}

/* Dead letters fail at the end of the run. */
RH_TEST(dead_at_the_end)
{
    rh_ref d = rh_spawn(mortal_), l = rh_spawn(late_, .to = d);
    rh_send(d, go);
    rh_join(d);
    rh_send(l, go);
}

static void a_dead_letter_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("dead_at_the_end",
                     &(struct rh_semantics){ .granularity = RH_GRAIN_OBJECT, .dead_letters = RH_DEAD_LETTER_FAIL });
}

/* Causal: who monitors an actor that has ended learns what it knew; later messages come after what that one knew of. */
RH_ACTOR(knows_, int unused;);
RH_HANDLER(knows_, value_is)
{
}
RH_HANDLER(knows_, go)
{
    rh_stop();
}
RH_BEHAVIOUR(knows_, ready, value_is, go);
RH_ACTOR(sees_, uint32_t first;);
RH_HANDLER(sees_, bell)
{
    state->first = state->first ? state->first : 1;
}
RH_HANDLER(sees_, answered)
{
    state->first = state->first ? state->first : 2;
}
RH_BEHAVIOUR(sees_, ready, bell, answered);
RH_ACTOR(asks_, rh_ref dead; rh_ref to;);
RH_HANDLER(asks_, go)
{
    if (!rh_alive(state->dead))
        rh_monitor(state->dead);
}
RH_HANDLER(asks_, rh_down)
{
    rh_send(state->to, answered);
}
RH_BEHAVIOUR(asks_, ready, go, rh_down);
RH_TEST(what_the_dead_knew, .model = RH_CAUSAL)
{
    rh_ref dead = rh_spawn(knows_), to = rh_spawn(sees_), asks = rh_spawn(asks_, .dead = dead, .to = to);
    rh_send(to, bell);
    rh_send(dead, value_is);
    rh_send_from(rh_external("one"), dead, go);
    rh_send_from(rh_external("two"), asks, go);
}

static void what_an_ended_actor_knew_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("what_the_dead_knew", NULL);
}

/* A timer that has fired into the mailbox of a process can still be cancelled, by its name. */
RH_PROCESS(forgetful_, bool heard;);
__attribute__((noinline)) static void set_one(void)
{
    rh_timer(rh_choose(2) ? "one" : "two", 5, bell);
}
RH_BODY(forgetful_)
{
    set_one();
    rh_receive(go);
    rh_timer_cancel("one");
    state->heard = rh_receive(bell, .timeout_ms = RH_POLL) != NULL;
}
RH_TEST(cancelled_by_name)
{
    rh_send(rh_spawn(forgetful_), go);
}

static void the_name_of_a_timer_that_has_fired_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("cancelled_by_name", &(struct rh_semantics){ .model = RH_FIFO });
    require_no_clash("cancelled_by_name", &(struct rh_semantics){ .model = RH_MAILBOX });
}

/* Granularity object: an actor that is about to end has its reason. */
RH_ACTOR(leaver_, int unused;);
RH_HANDLER(leaver_, go)
{
    rh_exit(rh_choose(2) ? "one" : "two");
}
RH_BEHAVIOUR(leaver_, ready, go);
RH_ACTOR(watcher_, rh_ref who; char reason[8];);
RH_HANDLER(watcher_, rh_start)
{
    rh_monitor(state->who);
}
RH_HANDLER(watcher_, rh_down)
{
    memcpy(state->reason, msg->reason, sizeof state->reason - 1);
}
RH_BEHAVIOUR(watcher_, ready, rh_start, rh_down);
RH_TEST(two_reasons)
{
    rh_ref who = rh_spawn(leaver_);
    rh_spawn(watcher_, .who = who);
    rh_send(who, go);
}

static void the_reason_of_an_end_to_come_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("two_reasons", &(struct rh_semantics){ .granularity = RH_GRAIN_OBJECT });
    require_no_clash("two_reasons", NULL);
}

/* Which actor is open to messages from outside, and for which messages. */
RH_ACTOR(clerk_, uint32_t heard;);
RH_HANDLER(clerk_, go)
{
    state->heard = 1;
}
RH_HANDLER(clerk_, bell)
{
    state->heard = 2;
}
RH_BEHAVIOUR(clerk_, ready, go, bell);
RH_TEST(opened_one, .outside = 1)
{
    rh_ref one = rh_spawn(clerk_), two = rh_spawn(clerk_);
    switch (rh_choose(3)) {
    case 0:
        rh_open(one, go);
        break;
    case 1:
        rh_open(two, go);
        break;
    default:
        rh_open(one, bell);
    }
}

static void what_is_open_to_the_outside_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("opened_one", &(struct rh_semantics){ .outside = 1 });
}

/* A set has the messages of one sender in the order of their sends, also where they arrive in any order. */
RH_PROCESS(pair_, uint32_t heard;);
RH_BODY(pair_)
{
    const struct rh_envelope *e = rh_receive_set(2, value_is);
    state->heard = rh_as(&e[0], value_is)->value * 10 + rh_as(&e[1], value_is)->value;
    rh_receive(go);
}
RH_ACTOR(turns_, rh_ref to;);
RH_HANDLER(turns_, go)
{
    uint32_t first = rh_choose(2);
    rh_send(state->to, value_is, .value = 1 + first);
    rh_send(state->to, value_is, .value = 2 - first);
}
RH_BEHAVIOUR(turns_, ready, go);
RH_TEST(set_of_a_bag)
{
    rh_send(rh_spawn(turns_, .to = rh_spawn(pair_)), go);
}

static void the_order_of_sends_is_part_of_the_state_of_a_bag_with_sets(void **unused)
{
    (void)unused;
    require_no_clash("set_of_a_bag", &(struct rh_semantics){ .model = RH_BAG });
    require_no_clash("set_of_a_bag", &(struct rh_semantics){ .model = RH_BAG, .delays = 1, .delay_steps = 2 });
    require_no_clash("set_of_a_bag", &(struct rh_semantics){ .model = RH_BAG, .losses = 1, .duplicates = 1 });
}

/* Granularity send: a reply that nobody has accepted yet may have come too late.  The asker asks twice, the router
 * forwards one question to the server and the other to one that is silent. */
RH_ACTOR(silent_, int unused;);
RH_HANDLER(silent_, question)
{
}
RH_BEHAVIOUR(silent_, ready, question);
RH_ACTOR(replies_, int unused;);
RH_HANDLER(replies_, question)
{
    rh_reply(answered);
}
RH_BEHAVIOUR(replies_, ready, question);
RH_ACTOR(router_, rh_ref one; rh_ref other;);
RH_HANDLER(router_, question)
{
    rh_forward(rh_choose(2) ? state->one : state->other);
}
RH_BEHAVIOUR(router_, ready, question);
RH_PROCESS(asks_twice_, rh_ref router; bool heard;);
RH_BODY(asks_twice_)
{
    bool heard = rh_ask_within(10, state->router, question, answered);
    heard = rh_ask_within(10, state->router, question, answered);
    state->heard = heard;
    rh_receive(go, .idle = true);
}
RH_TEST(late_replies)
{
    rh_spawn(asks_twice_, .router = rh_spawn(router_, .one = rh_spawn(silent_), .other = rh_spawn(replies_)));
}

static void a_reply_that_comes_too_late_is_not_a_reply(void **unused)
{
    (void)unused;
    require_no_clash("late_replies", &(struct rh_semantics){ .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND });
    require_no_clash("late_replies", &(struct rh_semantics){ .model = RH_MAILBOX });
}

/* A message under way is a dead letter when its receiver ends, unless its copy was taken.  Of several, the report has
 * the first. */
RH_TEST(twins)
{
    rh_send(rh_spawn(late_, .to = rh_spawn(mortal_)), go);
}
RH_ACTOR(either_first_, rh_ref one; rh_ref two;);
RH_HANDLER(either_first_, go)
{
    uint32_t first = rh_choose(2);
    for (uint32_t i = 0; i < 4; i++)
        rh_send(i / 2 == first ? state->one : state->two, go);
}
RH_BEHAVIOUR(either_first_, ready, go);
RH_TEST(first_dead_letter)
{
    rh_send(rh_spawn(either_first_, .one = rh_spawn(mortal_), .two = rh_spawn(mortal_)), go);
}

static void what_may_become_a_dead_letter_is_part_of_the_state(void **unused)
{
    (void)unused;
    static const enum rh_model models[] = { RH_FIFO, RH_BAG };
    for (int i = 0; i < 2; i++) {
        struct rh_semantics s = { .model = models[i],
                                  .granularity = RH_GRAIN_OBJECT,
                                  .dead_letters = RH_DEAD_LETTER_FAIL };
        require_no_clash("first_dead_letter", &s);
        s.duplicates = 1;
        require_no_clash("twins", &s);
    }
}

/* Of two like messages, sent at two places, one is lost, doubled or held back: which one decides what place the report
 * of a dead letter has. */
RH_ACTOR(frail_, int unused;);
RH_HANDLER(frail_, bell)
{
}
RH_HANDLER(frail_, go)
{
    rh_stop();
}
RH_BEHAVIOUR(frail_, ready, bell, go);
RH_TEST(like_letters)
{
    rh_ref to = rh_spawn(frail_);
    rh_send(to, go);
    rh_send(to, bell);
    rh_send(to, bell);
}
RH_TEST(end_after_letters)
{
    rh_ref to = rh_spawn(frail_);
    rh_send(to, bell);
    rh_send(to, bell);
    rh_send(to, go);
}

/* Two actors write, in either order. */
RH_ACTOR(writer_, rh_ref to;);
RH_HANDLER(writer_, go)
{
    rh_send(state->to, bell);
}
RH_BEHAVIOUR(writer_, ready, go);
RH_ACTOR(scribe_, rh_ref to;);
RH_HANDLER(scribe_, go)
{
    rh_send(state->to, bell);
}
RH_BEHAVIOUR(scribe_, ready, go);
RH_TEST(letters_of_two)
{
    rh_ref to = rh_spawn(frail_);
    rh_send(to, go);
    rh_send(rh_spawn(writer_, .to = to), go);
    rh_send(rh_spawn(scribe_, .to = to), go);
}

static void the_order_of_dead_letters_of_two_senders_is_no_state(void **unused)
{
    (void)unused;
    for (uint32_t model = 0; model < RH_ROWS(RH_MODELS); model++)
        require_no_clash("letters_of_two", &(struct rh_semantics){ .model = (enum rh_model)model,
                                                                   .granularity = RH_GRAIN_HANDLER,
                                                                   .dead_letters = RH_DEAD_LETTER_FAIL });
}

static void which_of_two_like_dead_letters_a_fault_befell_is_part_of_the_state(void **unused)
{
    (void)unused;
    static const struct rh_semantics faults[] = {
        { .losses = 1 },
        { .duplicates = 1 },
        { .losses = 1, .duplicates = 1 },
        { .delays = 1, .delay_steps = 2 },
        { .duplicates = 1, .crashes = 1, .restarts = 1 },
    };
    struct rh_semantics s;
    for (size_t fault = 0; fault < sizeof faults / sizeof *faults; fault++)
        for (uint32_t model = 0; model < RH_ROWS(RH_MODELS); model++)
            for (uint32_t way = 0; way < RH_ROWS(RH_GRANULARITIES) * RH_ROWS(RH_DEAD_LETTERS); way++) {
                s = faults[fault];
                s.model = (enum rh_model)model;
                s.granularity = (enum rh_granularity)(way / RH_ROWS(RH_DEAD_LETTERS));
                s.dead_letters = (enum rh_dead_letter)(way % RH_ROWS(RH_DEAD_LETTERS));
                if (s.granularity == RH_GRAIN_SEND && s.model != RH_MAILBOX)
                    continue;
                require_no_clash("like_letters", &s);
                require_no_clash("end_after_letters", &s);
            }
}

/* Granularity object: once an actor has looked at the life of the test, the end of the test is a step. */
RH_ACTOR(curious_, rh_ref test;);
RH_HANDLER(curious_, go)
{
    if (rh_choose(2))
        rh_alive(state->test);
}
RH_BEHAVIOUR(curious_, ready, go);
RH_TEST(looked_at)
{
    rh_send(rh_spawn(curious_, .test = rh_self()), go);
}

static void who_has_looked_at_the_test_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("looked_at", &(struct rh_semantics){ .granularity = RH_GRAIN_OBJECT });
}

/* Granularity send: an actor crashes before its rh_start is accepted, and starts again.  That rh_start came after the
 * next one, or never, depending on whether the actor had ever sent anything. */
RH_ACTOR(starter_, rh_ref to; uint32_t lives;);
RH_HANDLER(starter_, rh_start)
{
    rh_assert(msg->restarts >= state->lives, "rh_start of an earlier life");
    state->lives = msg->restarts + 1;
}
RH_HANDLER(starter_, go)
{
    if (rh_choose(2))
        rh_send(state->to, go);
}
RH_BEHAVIOUR(starter_, ready, rh_start, go);
RH_TEST(started_twice)
{
    rh_send(rh_spawn(starter_, .to = rh_spawn(mortal_)), go);
}

static void a_crash_takes_the_start_of_its_life_with_it(void **unused)
{
    (void)unused;
    static const struct rh_actor_type *const starters[] = { &rh_actor_starter_, NULL };
    struct rh_semantics s = {
        .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND, .crashes = 1, .kept_restarts = 1, .may_crash = starters
    };
    require_no_clash("started_twice", &s);
    assert_int_equal(failures, 0);
}

/* Two properties, of which each comes first in some run.  Workers share fingerprints, and each has made other runs: a
 * property must count by its name, not by its place among those that were met. */
RH_ACTOR(promiser_, uint32_t number;);
RH_HANDLER(promiser_, value_is)
{
    if (state->number)
        rh_eventually("one", msg->value);
    else
        rh_eventually("two", msg->value);
}
RH_BEHAVIOUR(promiser_, ready, value_is);
RH_TEST(two_promises)
{
    rh_send(rh_spawn(promiser_, .number = 0), value_is, .value = 0);
    rh_send(rh_spawn(promiser_, .number = 1), value_is, .value = 1);
}

static uint64_t fingerprint_after(uint32_t first)
{
    uint32_t n;
    struct rh_world *w = open_test("two_promises", NULL);
    rh_world_step(w, &rh_world_enabled(w, &n)[first]);
    rh_world_step(w, rh_world_enabled(w, &n));
    uint64_t fingerprint = rh_world_fingerprint(w);
    rh_world_free(w);
    return fingerprint;
}

static void a_property_counts_by_its_name_in_every_process(void **unused)
{
    (void)unused;
    assert_true(fingerprint_after(0) == fingerprint_after(1));
}

/* ---- split for nothing ------------------------------------------------------------------------------------------- */

/* How many fingerprints the test has; every sequence of choices is made. */
static uint32_t fingerprints(const char *test, const struct rh_semantics *semantics)
{
    require_no_clash(test, semantics);
    return seen_count;
}

/* AddressSanitizer writes shadow addresses into the frames of a process, which tell one stack from another. */
static void require_fingerprints_of_processes(const char *test, enum rh_model model, uint32_t expected)
{
    uint32_t count = fingerprints(test, &(struct rh_semantics){ .model = model });
#if defined(__SANITIZE_ADDRESS__)
    assert_true(count >= expected);
#else
    assert_int_equal(count, expected);
#endif
}

/* Three messages in one channel of a bag, sent in either order: what counts is which are there. */
RH_ACTOR(sink_, uint32_t sum;);
RH_HANDLER(sink_, value_is)
{
    state->sum += msg->value;
}
RH_BEHAVIOUR(sink_, ready, value_is);
RH_ACTOR(either_, rh_ref to;);
RH_HANDLER(either_, go)
{
    uint32_t first = rh_choose(2);
    rh_send(state->to, value_is, .value = 1 + first);
    rh_send(state->to, value_is, .value = 2 - first);
}
RH_BEHAVIOUR(either_, ready, go);
RH_TEST(bag_in_either_order)
{
    rh_send(rh_spawn(either_, .to = rh_spawn(sink_)), go);
}

/* At first; in rh_choose; then one of four subsets of two messages. */
static void the_order_in_a_bag_is_no_state(void **unused)
{
    (void)unused;
    assert_int_equal(fingerprints("bag_in_either_order", &(struct rh_semantics){ .model = RH_BAG }), 6);
    /* Under fifo, two orders of two messages, then 1 or 2 is left, then none. */
    assert_int_equal(fingerprints("bag_in_either_order", &(struct rh_semantics){ .model = RH_FIFO }), 7);
}

/* Two keys, put in either order: when both are durable, the store is the same. */
RH_ACTOR(keeper_, int unused;);
RH_HANDLER(keeper_, go)
{
    uint32_t first = rh_choose(2);
    rh_store_open("keeper");
    rh_store_put(first ? "a" : "b", "x", 1);
    rh_store_put(first ? "b" : "a", "x", 1);
}
RH_BEHAVIOUR(keeper_, ready, go);
RH_TEST(two_keys)
{
    rh_send(rh_spawn(keeper_), go);
}

/* At first; in rh_choose; for each order two puts under way, one, and none: the last state is the same. */
static void the_order_of_durable_puts_is_no_state(void **unused)
{
    (void)unused;
    assert_int_equal(fingerprints("two_keys", NULL), 2 + 2 + 2 + 1);
}

/* A mailbox in which a timer's message is taken out of turn: what was passed over has arrived in any case. */
RH_PROCESS(picky_, uint32_t heard;);
RH_BODY(picky_)
{
    rh_timer("t", 5, bell);
    rh_receive(bell);
    for (int i = 0; i < 2; i++)
        state->heard += rh_receive(value_is)->value;
}
RH_ACTOR(poker_, rh_ref to;);
RH_HANDLER(poker_, go)
{
    rh_send(state->to, value_is, .value = 1);
    rh_send(state->to, value_is, .value = 1);
}
RH_BEHAVIOUR(poker_, ready, go);
RH_TEST(out_of_turn)
{
    rh_send(rh_spawn(poker_, .to = rh_spawn(picky_)), go);
}

/* Not started, or the timer is set, and the poker has sent or not: 2 and 2.  The bell is in the mailbox, alone, before
 * or behind the values: 3.  The bell was taken: no value was sent yet, or two, one, none are left: 4. */
static void what_a_timer_overtakes_in_a_mailbox_is_no_state(void **unused)
{
    (void)unused;
    require_fingerprints_of_processes("out_of_turn", RH_MAILBOX, 2 + 2 + 3 + 4);
}

/* Which of two processes blocks first decides which stack it gets, and which messages come before. */
RH_PROCESS(waiter_, uint32_t heard;);
RH_BODY(waiter_)
{
    for (int i = 0; i < 2; i++)
        state->heard += rh_receive(value_is)->value;
}
RH_TEST(two_waiters)
{
    for (int i = 0; i < 2; i++) {
        rh_ref p = rh_spawn(waiter_);
        rh_send(p, value_is, .value = 1);
        rh_send(p, value_is, .value = 1);
    }
}

/* Each process is not yet started, or has taken none, one, or both of its messages and ended: 4 by 4. */
static void which_stack_a_process_has_is_no_state(void **unused)
{
    (void)unused;
    require_fingerprints_of_processes("two_waiters", RH_FIFO, 16);
}

/* After a message a process waits for the next: which message it was is past. */
RH_PROCESS(counter_, uint32_t heard;);
RH_BODY(counter_)
{
    for (;;) {
        rh_receive(value_is);
        state->heard++;
    }
}
RH_TEST(last_message)
{
    static const char *const names[] = { "x", "y", "z" };
    rh_ref p = rh_spawn(counter_);
    for (uint32_t i = 0; i < 3; i++)
        rh_send_from(rh_external(names[i]), p, value_is, .value = i);
}

/* Not yet started; then which of the three messages are left. */
static void the_last_message_of_a_waiting_process_is_no_state(void **unused)
{
    (void)unused;
    require_fingerprints_of_processes("last_message", RH_FIFO, 1 + 8);
}

/* A set shows messages of one external sender by the names of the actors that sent them: who sent which is past to
 * those two, and not to the receiver of the set. */
RH_ACTOR(voice_, rh_ref to;);
RH_HANDLER(voice_, value_is)
{
    rh_send_from(rh_external("crowd"), state->to, value_is, .value = msg->value);
}
RH_BEHAVIOUR(voice_, speaking, value_is);
RH_ACTOR(dealer_, rh_ref one, other;);
RH_HANDLER(dealer_, go)
{
    uint32_t first = rh_choose(2);
    rh_send(state->one, value_is, .value = first);
    rh_send(state->other, value_is, .value = 1 - first);
}
RH_BEHAVIOUR(dealer_, dealing, go);
RH_PROCESS(audience_, uint32_t first;);
RH_BODY(audience_)
{
    const struct rh_envelope *e = rh_receive_set(2, value_is);
    state->first = rh_as(&e[0], value_is)->value;
    rh_log("first %u", state->first);
}
RH_TEST(voices_of_one)
{
    rh_ref a = rh_spawn(audience_), one = rh_spawn(voice_, .to = a), other = rh_spawn(voice_, .to = a);
    rh_send(rh_spawn(dealer_, .one = one, .other = other), go);
}

static void who_has_spoken_for_an_external_sender_is_part_of_the_state(void **unused)
{
    (void)unused;
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_CAUSAL, RH_MAILBOX };
    for (int i = 0; i < 4; i++) {
        require_no_clash("voices_of_one", &(struct rh_semantics){ .model = models[i] });
        require_no_clash("voices_of_one", &(struct rh_semantics){ .model = models[i], .granularity = RH_GRAIN_OBJECT });
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(who_has_spoken_for_an_external_sender_is_part_of_the_state),
        WORLD_TEST(a_reply_is_not_a_message_of_the_same_type),
        WORLD_TEST(a_message_to_an_ended_actor_can_still_be_lost),
        WORLD_TEST(the_first_state_of_an_actor_that_may_restart_is_part_of_the_state),
        WORLD_TEST(a_dead_letter_is_part_of_the_state),
        WORLD_TEST(what_an_ended_actor_knew_is_part_of_the_state),
        WORLD_TEST(the_name_of_a_timer_that_has_fired_is_part_of_the_state),
        WORLD_TEST(the_reason_of_an_end_to_come_is_part_of_the_state),
        WORLD_TEST(what_is_open_to_the_outside_is_part_of_the_state),
        WORLD_TEST(the_order_of_sends_is_part_of_the_state_of_a_bag_with_sets),
        WORLD_TEST(a_reply_that_comes_too_late_is_not_a_reply),
        WORLD_TEST(what_may_become_a_dead_letter_is_part_of_the_state),
        WORLD_TEST(the_order_of_dead_letters_of_two_senders_is_no_state),
        WORLD_TEST(which_of_two_like_dead_letters_a_fault_befell_is_part_of_the_state),
        WORLD_TEST(who_has_looked_at_the_test_is_part_of_the_state),
        WORLD_TEST(a_crash_takes_the_start_of_its_life_with_it),
        WORLD_TEST(a_property_counts_by_its_name_in_every_process),
        WORLD_TEST(the_order_in_a_bag_is_no_state),
        WORLD_TEST(the_order_of_durable_puts_is_no_state),
        WORLD_TEST(what_a_timer_overtakes_in_a_mailbox_is_no_state),
        WORLD_TEST(which_stack_a_process_has_is_no_state),
        WORLD_TEST(the_last_message_of_a_waiting_process_is_no_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
