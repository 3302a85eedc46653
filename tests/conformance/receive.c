/* Blocking receive: by type, sender, predicate; timeouts; what is not wanted stays. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(number, int value;);
RH_MESSAGE(word, char text[8];);
RH_MESSAGE(chunk, int label;);
RH_MESSAGE(done);

static bool is_even(const struct rh_envelope *m, const void *arg)
{
    (void)arg;
    return m->type == &rh_message_number && rh_as(m, number)->value % 2 == 0;
}

static bool is_value(const struct rh_envelope *m, const void *arg)
{
    return rh_as(m, number) && rh_as(m, number)->value == *(const int *)arg;
}

static void say_number(const struct number *n)
{
    if (n)
        say("%d", n->value);
    else
        say("none");
}

/* ---- what is taken ----------------------------------------------------------------------------------------------- */
RH_PROCESS(by_type);
RH_BODY(by_type)
{
    say("%s", rh_receive(word)->text);
    say_number(rh_receive(number));
    say("%s", rh_receive(word)->text);
    say_number(rh_receive(number));
}
PROGRAM(receive_takes_by_type_and_the_rest_stays_in_order, .allowed = { "by_type#1: a 1 b 2" })
{
    rh_ref p = rh_spawn(by_type);
    rh_send(p, number, .value = 1);
    rh_send(p, number, .value = 2);
    rh_send(p, word, .text = "a");
    rh_send(p, word, .text = "b");
}

RH_ACTOR(sender, rh_ref to; int value;);
RH_HANDLER(sender, go)
{
    rh_send(state->to, number, .value = state->value);
    rh_send(state->to, number, .value = state->value + 1);
}
RH_BEHAVIOUR(sender, open, go);
RH_PROCESS(by_sender);
RH_BODY(by_sender)
{
    rh_ref a = rh_spawn(sender, .to = self, .value = 10), b = rh_spawn(sender, .to = self, .value = 20);
    rh_send(a, go);
    rh_send(b, go);
    for (int i = 0; i < 4; i++) {
        const struct number *n = rh_receive(number, .from = i < 2 ? b : a);
        say("%d %s", n->value, rh_same(rh_sender(), a) ? "a" : rh_same(rh_sender(), b) ? "b" : "?");
    }
}
PROGRAM(receive_takes_by_sender, .allowed = { "by_sender#1: 20 b 21 b 10 a 11 a" })
{
    rh_spawn(by_sender);
}

RH_PROCESS(by_predicate);
RH_BODY(by_predicate)
{
    int wanted = 5;
    say_number(rh_receive(number, .match = is_even));
    say_number(rh_receive(number, .match = is_value, .arg = &wanted));
    say_number(rh_receive(number, .match = is_even));
    say_number(rh_receive(number));
    say_number(rh_receive(number));
}
PROGRAM(receive_takes_by_predicate, .allowed = { "by_predicate#1: 2 5 4 1 3" })
{
    rh_ref p = rh_spawn(by_predicate);
    for (int i = 1; i <= 5; i++)
        rh_send(p, number, .value = i);
}

RH_PROCESS(by_types);
RH_BODY(by_types)
{
    for (int i = 0; i < 3; i++) {
        const struct rh_envelope *m = rh_receive_any(.types = RH_TYPES(word, number));
        if (rh_as(m, word))
            say("word %s", rh_as(m, word)->text);
        else if (rh_as(m, number))
            say("number %d", rh_as(m, number)->value);
        else
            say("another");
    }
    const struct rh_envelope *m = rh_receive_next();
    say("%s %d", m->type->name, rh_is_nobody(m->sender));
    m = rh_receive_any(.match = is_even);
    say("%d", rh_as(m, number)->value);
    m = rh_receive_next();
    say("%s %.*s", m->type->name, (int)m->tail_size, (const char *)m->tail);
    size_t size;
    const char *bytes = rh_tail(&size);
    say("%.*s", (int)size, bytes);
}
RH_PROCESS(mixed, rh_ref to;);
RH_BODY(mixed)
{
    rh_send(state->to, done);
    rh_send(state->to, number, .value = 1);
    rh_send_with(state->to, "tail", 4, chunk, .label = 1);
    rh_send(state->to, word, .text = "w");
    rh_send(state->to, number, .value = 3);
    rh_send(state->to, number, .value = 4);
}
PROGRAM(receive_takes_any_of_some_types_or_the_next,
        .allowed = { "by_types#1: number 1 word w number 3 done 0 4 chunk tail tail" })
{
    rh_spawn(mixed, .to = rh_spawn(by_types));
}

/* ---- time -------------------------------------------------------------------------------------------------------- */
RH_PROCESS(poller);
RH_BODY(poller)
{
    say_number(rh_receive(number, .timeout_ms = RH_POLL));
    rh_receive(go);
    say_number(rh_receive(number, .timeout_ms = RH_POLL));
    say("end");
}
PROGRAM(a_poll_does_not_wait, .allowed = { "poller#1: none none end", "poller#1: none 1 end", "poller#1: 1 none end" })
{
    rh_ref p = rh_spawn(poller);
    rh_send_from(rh_external("ann"), p, number, .value = 1);
    rh_send(p, go);
}

/* What is known to be there is taken: its own message is first in the mailbox. */
RH_PROCESS(own_mail);
RH_BODY(own_mail)
{
    rh_send(self, number, .value = 7);
    rh_send(self, go);
    rh_receive(go);
    say_number(rh_receive(number, .timeout_ms = 60000));
    say_number(rh_receive(number, .timeout_ms = RH_POLL));
}
PROGRAM(a_process_sends_to_itself, .semantics.model = RH_MAILBOX, .semantics.time = RH_TIME_ORDERED,
        .allowed = { "own_mail#1: 7 none" })
{
    rh_spawn(own_mail);
}

RH_PROCESS(waiting, int64_t ms;);
RH_BODY(waiting)
{
    int64_t before = rh_now_ms();
    say_number(rh_receive(number, .timeout_ms = state->ms));
    say(rh_now_ms() - before >= state->ms ? "in time" : "too early");
    say("%d", rh_receive(go) != NULL);
}
PROGRAM(a_receive_ends_when_its_time_is_over, .production_runs = 5, .allowed = { "waiting#1: none in time 1" })
{
    rh_send(rh_spawn(waiting, .ms = 5), go);
}

/* A wait that ended leaves nothing behind that would end another. */
RH_PROCESS(twice, rh_ref peer;);
RH_BODY(twice)
{
    for (int i = 0; i < 3; i++) {
        rh_send(state->peer, go);
        say(rh_receive(done, .timeout_ms = 60000) ? "done" : "none");
    }
}
RH_ACTOR(echo);
RH_HANDLER(echo, go)
{
    rh_reply(done);
}
RH_BEHAVIOUR(echo, open, go);
PROGRAM(a_timeout_belongs_to_its_receive, .semantics.time = RH_TIME_ORDERED,
        .allowed = { "twice#1: done done done", "twice#1: done done none", "twice#1: done none done",
                     "twice#1: done none none", "twice#1: none done done", "twice#1: none done none",
                     "twice#1: none none done", "twice#1: none none none" })
{
    rh_spawn(twice, .peer = rh_spawn(echo));
}

/* ---- in handlers, and beside other calls ------------------------------------------------------------------------- */
RH_ACTOR(handler_waits);
RH_HANDLER(handler_waits, go)
{
    say("begins");
    const struct number *n = rh_receive(number, .match = is_even);
    say("%d", n->value);
    say("ends");
}
RH_HANDLER(handler_waits, number)
{
    say("handles %d", msg->value);
}
RH_BEHAVIOUR(handler_waits, open, go, number);
PROGRAM(a_handler_may_wait_and_the_rest_is_handled_after_it,
        .allowed = { "handler_waits#1: begins 2 ends handles 1 handles 3" })
{
    rh_ref h = rh_spawn(handler_waits);
    rh_send(h, go);
    rh_send(h, number, .value = 1);
    rh_send(h, number, .value = 2);
    rh_send(h, number, .value = 3);
}

RH_PROCESS(interleaved, rh_ref peer;);
RH_BODY(interleaved)
{
    rh_send(self, number, .value = 1);
    rh_ask(state->peer, go, done);
    rh_send(self, number, .value = 2);
    rh_sleep(1);
    rh_ask(state->peer, go, done);
    say_number(rh_receive(number));
    say_number(rh_receive(number));
}
PROGRAM(asks_and_sleeps_leave_the_mailbox_alone, .production_runs = 20, .allowed = { "interleaved#1: 1 2" })
{
    rh_spawn(interleaved, .peer = rh_spawn(echo));
}

RH_PROCESS(fresh);
RH_BODY(fresh)
{
    size_t size = 1;
    bool none = rh_tail(&size) == NULL;
    say("%d %d %zu", rh_is_nobody(rh_sender()), none, size);
    rh_receive(go);
    say("%d", rh_is_nobody(rh_sender()));
}
RH_PROCESS(parent);
RH_BODY(parent)
{
    rh_send(rh_spawn(fresh), go);
}
PROGRAM(before_its_first_receive_a_process_handles_nothing, .allowed = { "parent#1/fresh#1: 1 1 0 0" })
{
    rh_spawn(parent);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* Says a set: values, and 'a', 'b' for the senders that it knows. */
static void say_set(const struct rh_envelope *e, size_t n, rh_ref a, rh_ref b)
{
    char text[64] = "none";
    for (size_t i = 0, at = 0; e && i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d%s", i ? "," : "", rh_as(&e[i], number)->value,
                               rh_same(e[i].sender, a)   ? "a"
                               : rh_same(e[i].sender, b) ? "b"
                                                         : "?");
    say("%s", text);
}

RH_PROCESS(takes_sets, size_t n;);
RH_BODY(takes_sets)
{
    rh_ref a = rh_spawn(sender, .to = self, .value = 10), b = rh_spawn(sender, .to = self, .value = 20);
    rh_send(b, go);
    rh_send(a, go);
    say_set(rh_receive_set(state->n, number), state->n, a, b);
    say_set(rh_receive_set(4 - state->n, number), 4 - state->n, a, b);
}
PROGRAM(a_set_is_in_the_order_of_its_senders,
        .allowed = { "takes_sets#1: 10a,11a 20b,21b", "takes_sets#1: 20b,21b 10a,11a",
                     "takes_sets#1: 10a,20b 11a,21b" })
{
    rh_spawn(takes_sets, .n = 2);
}
PROGRAM(a_set_of_all_messages_is_one_set, .allowed = { "takes_sets#1: 10a,11a,20b,21b none" })
{
    rh_spawn(takes_sets, .n = 4);
}
PROGRAM(a_set_of_one_is_a_receive, .allowed = { "takes_sets#1: 10a 11a,20b,21b", "takes_sets#1: 20b 10a,11a,21b" })
{
    rh_spawn(takes_sets, .n = 1);
}

RH_PROCESS(filters_sets);
RH_BODY(filters_sets)
{
    rh_ref a = rh_spawn(sender, .to = self, .value = 10), b = rh_spawn(sender, .to = self, .value = 20);
    rh_send(a, go);
    rh_send(b, go);
    say_set(rh_receive_set(2, number, .from = b), 2, a, b);
    rh_send(b, go);
    say_set(rh_receive_set(2, number, .match = is_even), 2, a, b);
    rh_send(self, word, .text = "w");
    const struct rh_envelope *e = rh_receive_set_any(3, .types = RH_TYPES(word, number));
    say("%s%s%s", e[0].type->name, e[1].type->name, e[2].type->name);
}
PROGRAM(a_set_has_a_filter, .allowed = { "filters_sets#1: 20b,21b 10a,20b wordnumbernumber" })
{
    rh_spawn(filters_sets);
}

RH_PROCESS(waits_for_sets);
RH_BODY(waits_for_sets)
{
    rh_send(self, number, .value = 1);
    rh_send(self, number, .value = 2);
    say_set(rh_receive_set(3, number, .timeout_ms = RH_POLL), 3, self, self);
    say_set(rh_receive_set(3, number, .timeout_ms = 1), 3, self, self);
    rh_send(self, number, .value = 3);
    say_set(rh_receive_set(3, number, .timeout_ms = 60000), 3, self, self);
    say_set(rh_receive_set(1, number, .timeout_ms = RH_POLL), 1, self, self);
    say("%d", rh_receive_set(0, number) != NULL);
}
PROGRAM(a_set_that_is_not_there_in_time_takes_nothing, .semantics.model = RH_MAILBOX, .production_runs = 20,
        .allowed = { "waits_for_sets#1: none none 1a,2a,3a none 1" })
{
    rh_spawn(waits_for_sets);
}

/* Messages in another one's name.  The receiver sees the first sender, which is the one that counts.  All stay: in
 * production whoever has ended may have lost its name. */
static void stay(void)
{
    rh_receive(go, .idle = true);
}
RH_PROCESS(first_of_all, rh_ref way, to;);
RH_BODY(first_of_all)
{
    rh_send(state->way, number, .value = 1);
    if (!rh_is_nobody(state->to))
        rh_send(state->to, number, .value = 2);
    stay();
}
RH_PROCESS(in_the_middle, rh_ref to;);
RH_BODY(in_the_middle)
{
    rh_send(state->to, number, .value = 3);
    stay();
}
RH_PROCESS(passes_on, rh_ref to;);
RH_BODY(passes_on)
{
    rh_receive(number);
    rh_forward(state->to);
    stay();
}
RH_PROCESS(takes_set, size_t n;);
RH_BODY(takes_set)
{
    say_set(rh_receive_set(state->n, number), state->n, self, self);
}
PROGRAM(a_set_shows_what_was_forwarded_by_its_first_sender, .allowed = { "takes_set#1: 1?,3?" })
{
    rh_ref t = rh_spawn(takes_set, .n = 2);
    rh_spawn(in_the_middle, .to = t);
    rh_spawn(first_of_all, .way = rh_spawn(passes_on, .to = t));
}
PROGRAM(a_set_shows_what_was_forwarded_from_outside_first, .allowed = { "takes_set#1: 1?,3?" })
{
    rh_ref t = rh_spawn(takes_set, .n = 2);
    rh_spawn(in_the_middle, .to = t);
    rh_send(rh_spawn(passes_on, .to = t), number, .value = 1);
}
PROGRAM(a_set_does_not_show_which_way_was_shorter, .allowed = { "takes_set#1: 2?,1?,3?" })
{
    rh_ref t = rh_spawn(takes_set, .n = 3);
    rh_spawn(in_the_middle, .to = t);
    rh_spawn(first_of_all, .way = rh_spawn(passes_on, .to = t), .to = t);
}
RH_PROCESS(speaks_for_ann, rh_ref to; int value;);
RH_BODY(speaks_for_ann)
{
    rh_send_from(rh_external("ann"), state->to, number, .value = state->value);
    stay();
}
PROGRAM(a_set_does_not_show_who_was_first_to_speak_for_another, .allowed = { "takes_set#1: 9?,1?,2?,3?" })
{
    rh_ref t = rh_spawn(takes_set, .n = 4);
    rh_send_from(rh_external("ann"), rh_spawn(passes_on, .to = t), number, .value = 1);
    rh_spawn(speaks_for_ann, .to = t, .value = 2);
    rh_spawn(speaks_for_ann, .to = t, .value = 3);
    rh_send_from(rh_external("ann"), t, number, .value = 9);
}

/* Answers all that ask it, in reverse. */
RH_PROCESS(answers_sets);
RH_BODY(answers_sets)
{
    const struct rh_envelope *e = rh_receive_set(2, chunk);
    say("%d", rh_same(rh_sender(), e[1].sender));
    for (int i = 2; i-- > 0;) {
        rh_turn_to(&e[i]);
        size_t size;
        const char *bytes = rh_tail(&size);
        say("%d%.*s", rh_same(rh_sender(), e[i].sender), (int)size, bytes);
        rh_reply(number, .value = rh_as(&e[i], chunk)->label);
    }
}
RH_PROCESS(asks, rh_ref whom; int label;);
RH_BODY(asks)
{
    rh_send_with(state->whom, state->label == 1 ? "x" : "y", 1, chunk, .label = state->label);
    say_number(rh_receive(number));
}
PROGRAM(each_message_of_a_set_can_be_answered, .allowed = { "answers_sets#1: 1 1y 1x | asks#1: 1 | asks#2: 2" })
{
    rh_ref p = rh_spawn(answers_sets);
    rh_spawn(asks, .whom = p, .label = 1);
    rh_spawn(asks, .whom = p, .label = 2);
}

RH_ACTOR(handler_takes_set);
RH_HANDLER(handler_takes_set, go)
{
    const struct rh_envelope *e = rh_receive_set(2, number);
    say("%d %d", rh_as(&e[0], number)->value, rh_as(&e[1], number)->value);
}
RH_HANDLER(handler_takes_set, number)
{
    say("handles %d", msg->value);
}
RH_BEHAVIOUR(handler_takes_set, open, go, number);
PROGRAM(a_handler_may_wait_for_a_set, .allowed = { "handler_takes_set#1: 1 2 handles 3" })
{
    rh_ref h = rh_spawn(handler_takes_set);
    rh_send(h, go);
    rh_send(h, number, .value = 1);
    rh_send(h, number, .value = 2);
    rh_send(h, number, .value = 3);
}

/* News of ends as a set: each monitor gives one, whatever came first. */
RH_PROCESS(short_lived);
RH_BODY(short_lived)
{
    rh_return(number, .value = 5);
}
RH_PROCESS(joins_all);
RH_BODY(joins_all)
{
    rh_ref who[3];
    for (int i = 0; i < 3; i++)
        who[i] = rh_spawn_monitor(short_lived);
    const struct rh_envelope *e = rh_receive_set(3, rh_down);
    for (int i = 0; i < 3; i++) {
        rh_turn_to(&e[i]);
        const struct number *n = rh_result(rh_as(&e[i], rh_down), number);
        say("%d%d", rh_same(rh_as(&e[i], rh_down)->who, who[i]), n ? n->value : -1);
    }
    say("%d", rh_receive(rh_down, .timeout_ms = RH_POLL) == NULL);
}
PROGRAM(a_set_of_ends, .allowed = { "joins_all#1: 15 15 15 1" })
{
    rh_spawn(joins_all);
}

/* Two processes pass a ball. */
RH_PROCESS(player, rh_ref other; int rounds;);
RH_BODY(player)
{
    int last = 0;
    for (int i = 0; i < state->rounds; i++) {
        const struct number *n = rh_receive(number);
        last = n->value;
        rh_reply(number, .value = n->value + 1);
    }
    say("%d", last);
}
RH_PROCESS(opener, rh_ref other; int rounds;);
RH_BODY(opener)
{
    rh_send(state->other, number, .value = 1);
    int last = 0;
    for (int i = 0; i < state->rounds; i++) {
        last = rh_receive(number)->value;
        if (i + 1 < state->rounds)
            rh_reply(number, .value = last + 1);
    }
    say("%d", last);
}
PROGRAM(two_processes_play, .allowed = { "opener#1: 40 | player#1: 39" })
{
    rh_spawn(opener, .other = rh_spawn(player, .rounds = 20), .rounds = 20);
}

MAIN()
