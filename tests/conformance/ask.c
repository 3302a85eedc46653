/* rh_ask: send and wait for the reply. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(note, int value;);
RH_MESSAGE(question, int value;);
RH_MESSAGE(answer, int value; rh_ref by;);
RH_MESSAGE(quiet_question, int value;);

RH_ACTOR(doubler, int asked;);
RH_HANDLER(doubler, question)
{
    rh_reply(answer, .value = 2 * msg->value, .by = self);
}
RH_HANDLER(doubler, quiet_question)
{
    state->asked++; /* and no reply */
}
RH_BEHAVIOUR(doubler, open, question, quiet_question);

RH_PROCESS(asker, rh_ref to; int value;);
RH_BODY(asker)
{
    const struct answer *a = rh_ask(state->to, question, answer, .value = state->value);
    say("%d by %s", a->value, rh_name(a->by));
}
PROGRAM(an_ask_gives_the_reply, .allowed = { "asker#1: 42 by doubler#1" })
{
    rh_spawn(asker, .to = rh_spawn(doubler), .value = 21);
}

/* ---- other forms of replies -------------------------------------------------------------------------------------- */
RH_ACTOR(verbose, struct rh_request kept;);
RH_HANDLER(verbose, question)
{
    struct answer a = { .value = msg->value + 1, .by = self };
    if (msg->value == 1)
        rh_reply_value(answer, &a);
    else if (msg->value == 2)
        rh_reply_with("tail", 5, answer, .value = 20, .by = self);
    else if (msg->value == 3)
        rh_reply_with("end", 4, answer);
    else
        rh_reply_to_value(rh_keep_request(), answer, &a);
}
RH_BEHAVIOUR(verbose, open, question);

RH_PROCESS(curious, rh_ref to;);
RH_BODY(curious)
{
    for (int i = 1; i <= 4; i++) {
        size_t size = 0;
        const char *tail = NULL;
        const struct answer *a;
        if (i == 2 || i == 3) { /* a tail is read of what was received */
            rh_send(state->to, question, .value = i);
            a = rh_receive(answer);
            tail = rh_tail(&size);
        } else {
            a = rh_ask(state->to, question, answer, .value = i);
        }
        say("%d%s%s", a->value, tail ? ":" : "", tail ? tail : "");
    }
    say("%u", rh_restarts());
}
PROGRAM(replies_have_values_and_tails, .allowed = { "curious#1: 2 20:tail 0:end 5 0" })
{
    rh_spawn(curious, .to = rh_spawn(verbose));
}

/* ---- answered later ---------------------------------------------------------------------------------------------- */
RH_ACTOR(slow, struct rh_request open; bool asked; bool going;);
static void answer_if_ready(struct slow *state)
{
    if (state->asked && state->going)
        rh_reply_to(state->open, answer, .value = 5);
}
RH_HANDLER(slow, question)
{
    state->open = rh_keep_request();
    state->asked = true;
    answer_if_ready(state);
}
RH_HANDLER(slow, go)
{
    state->going = true;
    answer_if_ready(state);
    if (state->asked)
        rh_reply_to(state->open, answer, .value = 6); /* too late: it has its answer */
}
RH_BEHAVIOUR(slow, open, question, go);
PROGRAM(a_request_that_was_kept_is_answered_later, .allowed = { "asker#1: 5 by nobody" })
{
    rh_ref s = rh_spawn(slow);
    rh_spawn(asker, .to = s, .value = 1);
    rh_send(s, go);
}

/* ---- in time or not ---------------------------------------------------------------------------------------------- */
static void say_answer(const struct answer *a)
{
    if (a)
        say("%d", a->value);
    else
        say("none");
}

RH_PROCESS(hurried, rh_ref to; int64_t ms;);
RH_BODY(hurried)
{
    say_answer(rh_ask_within(state->ms, state->to, quiet_question, answer));
    say_answer(rh_ask(state->to, question, answer, .value = 4));
}
PROGRAM(an_ask_without_a_reply_ends_in_time, .production_runs = 5, .allowed = { "hurried#1: none 8" })
{
    rh_spawn(hurried, .to = rh_spawn(doubler), .ms = 3);
}

RH_PROCESS(patient, rh_ref to;);
RH_BODY(patient)
{
    say_answer(rh_ask_within(60000, state->to, question, answer, .value = 3));
}
PROGRAM(a_reply_races_with_the_limit, .allowed = { "patient#1: 6", "patient#1: none" })
{
    rh_spawn(patient, .to = rh_spawn(doubler));
}

RH_ACTOR(sleeper);
RH_HANDLER(sleeper, question)
{
    rh_sleep(msg->value);
    rh_reply(answer, .value = 100 + msg->value);
}
RH_BEHAVIOUR(sleeper, open, question);
RH_PROCESS(impatient, rh_ref to;);
RH_BODY(impatient)
{
    say_answer(rh_ask_within(2, state->to, question, answer, .value = 20));
    say_answer(rh_ask(state->to, question, answer, .value = 1));
    say(rh_receive_any(.timeout_ms = RH_POLL) ? "more" : "no more");
}
PROGRAM(a_reply_that_comes_too_late_answers_no_other_ask, .production_runs = 5,
        .allowed = { "impatient#1: none 101 no more", "impatient#1: 120 101 no more" })
{
    rh_spawn(impatient, .to = rh_spawn(sleeper));
}

RH_ACTOR(mortal);
RH_HANDLER(mortal, go)
{
    rh_stop();
}
RH_BEHAVIOUR(mortal, open, go);
RH_PROCESS(mourner);
RH_BODY(mourner)
{
    rh_ref m = rh_spawn(mortal);
    rh_monitor(m);
    rh_send(m, go);
    rh_receive(rh_down);
    say_answer(rh_ask_within(2, m, question, answer));
}
PROGRAM(an_ask_of_one_that_has_ended_ends_in_time, .production_runs = 5, .allowed = { "mourner#1: none" })
{
    rh_spawn(mourner);
}

/* ---- more than one reply, and by others -------------------------------------------------------------------------- */
RH_ACTOR(eager);
RH_HANDLER(eager, question)
{
    rh_reply(answer, .value = msg->value);
    rh_reply(answer, .value = msg->value + 1);
}
RH_BEHAVIOUR(eager, open, question);
RH_PROCESS(modest, rh_ref to;);
RH_BODY(modest)
{
    say_answer(rh_ask(state->to, question, answer, .value = 10));
    say_answer(rh_receive(answer, .timeout_ms = RH_POLL));
    say_answer(rh_ask(state->to, question, answer, .value = 20));
    say_answer(rh_receive(answer, .timeout_ms = 2));
}
PROGRAM(of_two_replies_to_an_ask_the_first_counts, .production_runs = 20, .allowed = { "modest#1: 10 none 20 none" })
{
    rh_spawn(modest, .to = rh_spawn(eager));
}

RH_ACTOR(desk, rh_ref to;);
RH_HANDLER(desk, question)
{
    rh_forward(state->to);
}
RH_BEHAVIOUR(desk, open, question);
PROGRAM(an_ask_is_answered_through_forwards, .allowed = { "asker#1: 10 by doubler#1" })
{
    rh_ref d = rh_spawn(desk, .to = rh_spawn(desk, .to = rh_spawn(doubler)));
    rh_spawn(asker, .to = d, .value = 5);
}

/* Both of the asked reply to the one who asked. */
RH_ACTOR(both, rh_ref to;);
RH_HANDLER(both, question)
{
    rh_forward(state->to);
    rh_reply(answer, .value = 1, .by = self);
}
RH_BEHAVIOUR(both, open, question);
PROGRAM(one_who_forwards_may_reply_as_well, .allowed = { "asker#1: 1 by both#1", "asker#1: 2 by doubler#1" })
{
    rh_spawn(asker, .to = rh_spawn(both, .to = rh_spawn(doubler)), .value = 1);
}

/* ---- asks inside handlers ---------------------------------------------------------------------------------------- */
RH_ACTOR(link, rh_ref next;);
RH_HANDLER(link, question)
{
    const char *before = rh_is_nobody(rh_sender()) ? "nobody" : "one";
    rh_ref asked_by = rh_sender();
    int value = msg->value;
    if (!rh_is_nobody(state->next))
        value = rh_ask(state->next, question, answer, .value = msg->value + 1)->value;
    say("%d for %s %s %d", value, before, rh_same(asked_by, rh_sender()) ? "still" : "another", msg->value);
    rh_reply(answer, .value = 10 * value, .by = self);
}
RH_BEHAVIOUR(link, open, question);
PROGRAM(asks_nest, .allowed = { "asker#1: 4000 by link#3 | link#1: 4 for one still 4 | link#2: 40 for one still 3 | "
                                "link#3: 400 for one still 2" })
{
    rh_ref c = rh_spawn(link);
    rh_ref b = rh_spawn(link, .next = c);
    rh_spawn(asker, .to = rh_spawn(link, .next = b), .value = 2);
}

RH_ACTOR(busy, rh_ref to;);
RH_HANDLER(busy, go)
{
    say("asks");
    say_answer(rh_ask(state->to, question, answer, .value = 1));
}
RH_HANDLER(busy, note)
{
    say("note %d", msg->value);
}
RH_BEHAVIOUR(busy, open, go, note);
PROGRAM(one_who_asks_takes_nothing_else_meanwhile, .allowed = { "busy#1: asks 2 note 1 note 2" })
{
    rh_ref b = rh_spawn(busy, .to = rh_spawn(doubler));
    rh_send(b, go);
    rh_send(b, note, .value = 1);
    rh_send(b, note, .value = 2);
}

/* The second reply finds nobody who waits for it: it is no message to the actor. */
PROGRAM(a_second_reply_is_not_handled_as_a_message, .allowed = { "busy#1: asks 1 note 1 asks 1 note 2" })
{
    rh_ref b = rh_spawn(busy, .to = rh_spawn(eager));
    rh_send(b, go);
    rh_send(b, note, .value = 1);
    rh_send(b, go);
    rh_send(b, note, .value = 2);
}

RH_ACTOR(teller, int next;);
RH_HANDLER(teller, question)
{
    rh_reply(answer, .value = ++state->next, .by = self);
}
RH_BEHAVIOUR(teller, open, question);
PROGRAM(each_asker_gets_its_own_reply, .allowed = { "asker#1: 1 by teller#1 | asker#2: 2 by teller#1",
                                                    "asker#1: 2 by teller#1 | asker#2: 1 by teller#1" })
{
    rh_ref t = rh_spawn(teller);
    rh_spawn(asker, .to = t);
    rh_spawn(asker, .to = t);
}

/* a asks b, which forwards to c, which asks d before it replies. */
RH_ACTOR(consultant, rh_ref expert;);
RH_HANDLER(consultant, question)
{
    int value = rh_ask(state->expert, question, answer, .value = msg->value)->value;
    rh_reply(answer, .value = value + 1, .by = self);
}
RH_BEHAVIOUR(consultant, open, question);
PROGRAM(a_forwarded_ask_may_be_answered_after_another_ask, .allowed = { "asker#1: 9 by consultant#1" })
{
    rh_ref c = rh_spawn(consultant, .expert = rh_spawn(doubler));
    rh_spawn(asker, .to = rh_spawn(desk, .to = c), .value = 4);
}

/* A process that serves: it replies to what it received last. */
RH_PROCESS(serving, int count;);
RH_BODY(serving)
{
    for (int i = 0; i < state->count; i++) {
        const struct question *q = rh_receive(question);
        rh_reply(answer, .value = q->value + 1000, .by = self);
    }
}
PROGRAM(a_process_answers_asks_too, .allowed = { "asker#1: 1001 by serving#1 | asker#2: 1002 by serving#1" })
{
    rh_ref s = rh_spawn(serving, .count = 2);
    rh_spawn(asker, .to = s, .value = 1);
    rh_spawn(asker, .to = s, .value = 2);
}

MAIN()
