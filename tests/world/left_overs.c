/* Messages that may remain at the end of a run: .may_remain, .may_remain_from and .outside_may_remain of a test.  And
 * how often an actor has restarted. */
#include "world/support/driver.h"

RH_MESSAGE(go);
RH_MESSAGE(request, int number;);
RH_MESSAGE(other);
RH_MESSAGE(answer, int number;);

/* A server that is not ready, and never will be. */
RH_ACTOR(server);
RH_HANDLER(server, go)
{
}
RH_BEHAVIOUR(server, starting, go, RH_DEFER(request), RH_DEFER(other));

RH_ACTOR(client, rh_ref server;);
RH_HANDLER(client, go)
{
    rh_send(state->server, request);
}
RH_BEHAVIOUR(client, asking, go);

static void ask_from_outside(void)
{
    rh_send_from(rh_external("somebody"), rh_spawn(server), request);
}
static void ask_by_client(void)
{
    rh_send(rh_spawn(client, .server = rh_spawn(server)), go);
}

RH_TEST(outside_must_not_remain)
{
    ask_from_outside();
}
RH_TEST(outside_remains, .outside_may_remain = true)
{
    ask_from_outside();
}
RH_TEST(a_client_is_not_outside, .outside_may_remain = true)
{
    ask_by_client();
}
RH_TEST(a_type_remains, .may_remain = RH_TYPES(other, request))
{
    ask_by_client();
}
RH_TEST(another_type_does_not, .may_remain = RH_TYPES(other))
{
    ask_by_client();
}
RH_TEST(what_clients_sent_remains, .may_remain_from = RH_ACTORS(client))
{
    ask_by_client();
}
RH_TEST(what_others_sent_does_not, .may_remain_from = RH_ACTORS(server))
{
    ask_by_client();
}
RH_TEST(one_of_two_does_not, .may_remain = RH_TYPES(other))
{
    rh_ref s = rh_spawn(server);
    rh_send(s, other);
    rh_send(s, request);
}

/* The receiver ends. */
RH_ACTOR(mortal);
RH_HANDLER(mortal, go)
{
    rh_stop();
}
RH_BEHAVIOUR(mortal, alive, go, RH_IGNORE(request));
static void send_to_mortal(void)
{
    rh_ref m = rh_spawn(mortal);
    rh_send(m, go);
    rh_send_from(rh_external("somebody"), m, request);
}
RH_TEST(dead_letters_fail, .dead_letters = RH_DEAD_LETTER_FAIL)
{
    send_to_mortal();
}
RH_TEST(dead_letters_that_may_remain, .dead_letters = RH_DEAD_LETTER_FAIL, .outside_may_remain = true)
{
    send_to_mortal();
}

static void note_end(struct rh_world *w, void *arg)
{
    tally_add(arg, rh_outcome_name(rh_world_outcome(w)->kind));
}

/* All runs of the test with whole handlers, and with each operation as a step, end like this. */
static void ends(const char *test, const char *always, const char *sometimes)
{
    for (int by_object = 0; by_object < 2; by_object++) {
        struct rh_semantics s = find_test(test)->semantics;
        struct tally t = { .count = 0 };
        s.granularity = by_object ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
        struct rh_world *w = open_test(test, &s);
        uint64_t runs = every_run(w, 1000, note_end, &t);
        rh_world_free(w);
        if (sometimes ? !tally_of(&t, sometimes) || tally_of(&t, sometimes) + tally_of(&t, always) != runs
                      : tally_of(&t, always) != runs) {
            tally_print(&t);
            fail_msg("%s does not end as it should", test);
        }
    }
}

static void only_declared_messages_may_remain(void **unused)
{
    (void)unused;
    ends("outside_must_not_remain", "stuck", NULL);
    ends("outside_remains", "finished", NULL);
    ends("a_client_is_not_outside", "stuck", NULL);
    ends("a_type_remains", "finished", NULL);
    ends("another_type_does_not", "stuck", NULL);
    ends("what_clients_sent_remains", "finished", NULL);
    ends("what_others_sent_does_not", "stuck", NULL);
    ends("one_of_two_does_not", "stuck", NULL);
}

static void a_stuck_run_says_what_to_declare(void **unused)
{
    (void)unused;
    struct rh_world *w = open_test("one_of_two_does_not", NULL);
    assert_non_null(strstr(rh_world_outcome(w)->text, "with 1 deferred message left"));
    assert_non_null(strstr(rh_world_outcome(w)->text, ".may_remain"));
    assert_null(strstr(rh_world_outcome(w)->text, ".outside_may_remain"));
    rh_world_free(w);
    w = open_test("outside_must_not_remain", NULL);
    assert_non_null(strstr(rh_world_outcome(w)->text, ".outside_may_remain = true"));
    rh_world_free(w);
}

static void what_may_remain_is_no_dead_letter(void **unused)
{
    (void)unused;
    ends("dead_letters_fail", "finished", "dead letter");
    ends("dead_letters_that_may_remain", "finished", NULL);
}

/* Strict, with every granularity: what a fault has lost is no dead letter, and a copy stands for its original. */
RH_TEST(one_for_a_mortal, .dead_letters = RH_DEAD_LETTER_STRICT, .may_lose = RH_ACTORS(mortal))
{
    rh_ref m = rh_spawn(mortal);
    rh_send_from(rh_external("somebody"), m, request);
    rh_send(m, go);
}

struct letters {
    uint64_t lost, dead;
};

static void note_letters(struct rh_world *w, void *arg)
{
    struct letters *l = arg;
    uint32_t n, copies = 0, lost = 0, taken = 0;
    const struct rh_event *events = rh_world_events(w, &n);
    for (uint32_t i = 0; i < n; i++) {
        bool about = rh__is_about_message(&events[i].choice) &&
                     strcmp(rh_world_message(w, events[i].choice.what).type->name, "request") == 0;
        copies += about && events[i].choice.kind == RH_CHOICE_DUPLICATE;
        lost += about && events[i].choice.kind == RH_CHOICE_LOSE;
        taken += about && events[i].choice.kind == RH_CHOICE_DELIVER;
    }
    bool dead =
        rh_world_outcome(w)->kind == RH_OUTCOME_DEAD_LETTER && strncmp(rh_world_outcome(w)->text, "request", 7) == 0;
    bool mortal_ended = rh_world_actor_ended(w, 1);
    l->lost += mortal_ended && lost == 1 + copies;
    l->dead += dead && copies && lost;
    if (mortal_ended)
        assert_int_equal(dead, !taken && lost < 1 + copies);
}

static void what_a_fault_has_lost_is_no_dead_letter(void **unused)
{
    (void)unused;
    for (int by_object = 0; by_object < 2; by_object++) {
        struct letters l = { 0 };
        struct rh_semantics s = find_test("one_for_a_mortal")->semantics;
        s.losses = s.duplicates = 1;
        s.granularity = by_object ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
        struct rh_world *w = open_test("one_for_a_mortal", &s);
        every_run(w, 20000, note_letters, &l);
        rh_world_free(w);
        assert_true(l.lost > 0 && (by_object || l.dead > 0)); /* by object, one fault befalls a message */
    }
}

/* ---- restarts, replies ------------------------------------------------------------------------------------------- */

RH_PROCESS(phoenix, rh_ref log;);
RH_BODY(phoenix)
{
    rh_send(state->log, answer, .number = (int)rh_restarts());
    rh_receive(other, .idle = true);
}
RH_ACTOR(listener, int numbers[3];);
RH_HANDLER(listener, answer)
{
    state->numbers[msg->number]++;
}
RH_BEHAVIOUR(listener, listening, answer);
RH_TEST(rises, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(phoenix))
{
    rh_spawn(phoenix, .log = rh_spawn(listener));
}

static void note_numbers(struct rh_world *w, void *arg)
{
    char text[32];
    const struct listener *l = rh_world_actor_state(w, 1);
    snprintf(text, sizeof text, "%d %d %d", l->numbers[0], l->numbers[1], l->numbers[2]);
    tally_add(arg, text);
}

static void a_process_knows_how_often_it_has_restarted(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("rises", NULL);
    uint64_t runs = every_run(w, 1000, note_numbers, &t);
    rh_world_free(w);
    /* it never crashes; crashes before it starts; or after */
    assert_true(tally_of(&t, "1 0 0") > 0 && tally_of(&t, "0 1 0") > 0 && tally_of(&t, "1 1 0") > 0);
    assert_int_equal(tally_of(&t, "1 0 0") + tally_of(&t, "0 1 0") + tally_of(&t, "1 1 0"), runs);
}

/* Granularity send: what is accepted for an actor that is down waits for its restart, with what was there before. */
RH_ACTOR(resting);
RH_HANDLER(resting, request)
{
}
RH_BEHAVIOUR(resting, awake, request);
RH_TEST(comes_back, .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND, .crashes = 1, .restarts = 1)
{
    rh_ref r = rh_spawn(resting);
    rh_send(r, request);
    rh_send(r, request);
}

static void note_taken(struct rh_world *w, void *arg)
{
    uint32_t n, taken = 0;
    const struct rh_event *events = rh_world_events(w, &n);
    for (uint32_t i = 0; i < n; i++)
        taken += events[i].choice.kind == RH_CHOICE_DELIVER;
    tally_add(arg, taken == 2 ? "both" : "fewer");
}

static void what_is_accepted_for_an_actor_that_is_down_waits_for_its_restart(void **unused)
{
    (void)unused;
    struct tally t = { .count = 0 };
    struct rh_world *w = open_test("comes_back", NULL);
    uint64_t runs = every_run(w, 1000, note_taken, &t);
    rh_world_free(w);
    assert_true(runs > 3);
    assert_int_equal(tally_of(&t, "both"), runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(only_declared_messages_may_remain),
        WORLD_TEST(a_stuck_run_says_what_to_declare),
        WORLD_TEST(what_may_remain_is_no_dead_letter),
        WORLD_TEST(what_a_fault_has_lost_is_no_dead_letter),
        WORLD_TEST(a_process_knows_how_often_it_has_restarted),
        WORLD_TEST(what_is_accepted_for_an_actor_that_is_down_waits_for_its_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
