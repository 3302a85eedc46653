/* Every misuse of the API by an actor ends the run with a sentence and the place of the call; the tool itself goes
 * on. */
#include "misuse/things.h"

/* ---- things to misuse -------------------------------------------------------------------------------------------- */

RH_ACTOR(without_behaviour, int unused;);
RH_PROCESS(without_body, int unused;);
RH_ACTOR(huge, char bytes[1 << 16];);
RH_HANDLER(huge, note)
{
}
RH_BEHAVIOUR(huge, waiting, note);

RH_MONITOR(blocking_monitor, int unused;);
RH_HANDLER(blocking_monitor, note)
{
    switch (msg->number) {
    case 1:
        HERE(rh_sleep(5));
        break;
    case 2:
        HERE(rh_receive(note));
        break;
    case 3:
        HERE(rh_announce(note, .number = 1));
        break;
    case 4:
        HERE(rh_ask(rh_self(), question, answer));
        break;
    case 5:
        HERE(rh_choose(3));
        break;
    case 6:
        HERE(rh_stop());
        break;
    case 7:
        HERE(rh_table_get(some, "key", NULL, 0));
        break;
    default:
        break;
    }
}
RH_BEHAVIOUR(blocking_monitor, watching, note);

/* ---- misuses, from inside an actor ------------------------------------------------------------------------------- */

static void send_to_nobody(void)
{
    HERE(rh_send(rh_nobody(), note));
}
static void send_to_made_up(void)
{
    HERE(rh_send(made_up(), note));
}
static void send_to_unknown_name(void)
{
    HERE(rh_send(rh_whereis("no such name"), note));
}
static void ask_nobody(void)
{
    HERE(rh_ask(rh_nobody(), question, answer));
}
static void forward_to_nobody(void)
{
    HERE(rh_forward(rh_nobody()));
}
static void kill_nobody(void)
{
    HERE(rh_kill(rh_nobody(), "why"));
}
static void link_made_up(void)
{
    HERE(rh_link(made_up()));
}
static void monitor_nobody(void)
{
    HERE(rh_monitor(rh_nobody()));
}
static void register_made_up(void)
{
    HERE(rh_register("name", made_up()));
}
static void register_without_name(void)
{
    HERE(rh_register("", rh_self()));
}
static void whereis_null(void)
{
    HERE(rh_whereis(NULL));
}
static void send_too_large(void)
{
    static char bytes[3000];
    rh_ref s = rh_spawn(stranger);
    HERE(rh_send_with(s, bytes, sizeof bytes, note));
}
static void send_absurdly_large(void)
{
    rh_ref s = rh_spawn(stranger);
    HERE(rh_send_with(s, "x", (size_t)1 << 40, note));
}
static void store_too_large(void)
{
    static char bytes[3000];
    rh_store_open("some");
    HERE(rh_store_put("key", bytes, sizeof bytes));
}
static void table_too_large(void)
{
    static char bytes[3000];
    HERE(rh_table_put(some, "key", bytes, sizeof bytes));
}
static void store_without_key(void)
{
    rh_store_open("some");
    HERE(rh_store_put(NULL, "x", 1));
}
static void store_sync_put_without_key(void)
{
    rh_store_open("some");
    HERE(rh_store_put_sync(NULL, "x", 1));
}
static void store_sync_put_without_open(void)
{
    HERE(rh_store_put_sync("key", "x", 1));
}
static bool apply_any(void *state, const struct rh_operation *o)
{
    (void)state, (void)o;
    return true;
}
RH_HISTORY(sound, .apply = apply_any);
RH_HISTORY(other_sound, .apply = apply_any);
RH_HISTORY(without_model, .state_size = 4);
RH_HISTORY(too_large, .apply = apply_any, .state_size = 65537);
static void history_without_model(void)
{
    HERE((void)rh_history_call(without_model, "x", note));
}
static void history_too_large(void)
{
    HERE((void)rh_history_call(too_large, "x", note));
}
static void history_key_too_long(void)
{
    char key[200];
    memset(key, 'x', sizeof key);
    key[199] = 0;
    HERE((void)rh_history_call(sound, key, note));
}
static void history_return_of_nothing(void)
{
    struct rh_call none = { 0 };
    HERE(rh_history_return(sound, none, note));
}
static void history_return_of_another(void)
{
    struct rh_call c = rh_history_call(other_sound, "x", note);
    HERE(rh_history_return(sound, c, note));
}
static void history_return_twice(void)
{
    struct rh_call c = rh_history_call(sound, "x", note);
    rh_history_return(sound, c, note);
    HERE(rh_history_return(sound, c, note));
}
static void store_without_open(void)
{
    HERE(rh_store_put("key", "x", 1));
}
static void store_read_without_open(void)
{
    HERE(rh_store_get("key", NULL, 0));
}
static void store_sync_without_open(void)
{
    HERE(rh_store_sync());
}
static void store_without_name(void)
{
    HERE(rh_store_open(""));
}
static void store_name_too_long(void)
{
    char name[200];
    memset(name, 'x', sizeof name);
    name[199] = 0;
    HERE(rh_store_open(name));
}
static void store_name_with_control(void)
{
    HERE(rh_store_open("a\nb"));
}
static void store_twice(void)
{
    rh_store_open("some");
    rh_store_open("some"); /* the same again is fine */
    HERE(rh_store_open("other"));
}
static void become_foreign(void)
{
    line = __LINE__ + 1;
    rh_become(stranger, strange);
}
static void ask_oneself(void)
{
    HERE(rh_ask(rh_self(), question, answer));
}
static void choose_of_none(void)
{
    HERE(rh_choose(0));
}
static void choose_of_too_many(void)
{
    HERE(rh_choose(0xffffffff));
}
static void take_wrong_reply(void)
{
    rh_ref s = rh_spawn(stranger);
    HERE(rh_ask(s, question, answer));
}
static void turn_to_another_set(void)
{
    rh_send(rh_self(), note);
    rh_send(rh_self(), note);
    const struct rh_envelope *first = rh_receive_set(1, note);
    rh_receive_set(1, note);
    HERE(rh_turn_to(first));
}
static void turn_to_without_a_set(void)
{
    struct rh_envelope own = { .type = NULL };
    HERE(rh_turn_to(&own));
}
RH_ACTOR(two_sets);
RH_HANDLER(two_sets, note)
{
}
RH_HANDLER(two_sets, question)
{
}
RH_BEHAVIOUR(two_sets, open, RH_SETS(note, 2), RH_SETS(question, 2));
static void sets_of_two_types(void)
{
    rh_spawn(two_sets);
}
RH_ACTOR(set_of_exits);
RH_HANDLER(set_of_exits, rh_exited)
{
}
RH_BEHAVIOUR(set_of_exits, open, RH_SETS(rh_exited, 2));
static void sets_of_exits(void)
{
    rh_spawn(set_of_exits);
}
static void timer_in_the_past(void)
{
    HERE(rh_timer("tick", -1, note));
}
static void timer_without_name(void)
{
    HERE(rh_timer(NULL, 1, note));
}
static void cancel_without_name(void)
{
    HERE(rh_timer_cancel(NULL));
}
static void get_without_key(void)
{
    char byte;
    rh_store_open("ledger");
    HERE(rh_store_get(NULL, &byte, 1));
}
static void cover_without_name(void)
{
    HERE(rh_cover(NULL));
}
static void always_without_name(void)
{
    HERE(rh_always(NULL, true));
}
static void eventually_without_name(void)
{
    HERE(rh_eventually(NULL, false));
}
static void unregister_without_name(void)
{
    HERE(rh_unregister(NULL));
}
static void spawn_without_behaviour(void)
{
    HERE(rh_spawn(without_behaviour));
}
static void spawn_without_body(void)
{
    HERE(rh_spawn(without_body));
}
static void spawn_a_monitor(void)
{
    HERE(rh_spawn(blocking_monitor));
}
static void observe_no_monitor(void)
{
    HERE(rh_observe(stranger));
}
static void send_to_a_monitor(void)
{
    rh_ref m = rh_observe(blocking_monitor);
    HERE(rh_send(m, note));
}
static void send_from_an_actor(void)
{
    rh_ref s = rh_spawn(stranger);
    HERE(rh_send_from(s, s, note));
}
static void abstract_without_key(void)
{
    HERE(rh_abstract(NULL, 1));
}
static void external_without_name(void)
{
    HERE(rh_external(""));
}
#define IN_A_MONITOR(name, n)                                                                                          \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        rh_observe(blocking_monitor);                                                                                  \
        rh_announce(note, .number = n);                                                                                \
    }
IN_A_MONITOR(monitor_sleeps, 1)
IN_A_MONITOR(monitor_receives, 2)
IN_A_MONITOR(monitor_announces, 3)
IN_A_MONITOR(monitor_asks, 4)
IN_A_MONITOR(monitor_chooses, 5)
IN_A_MONITOR(monitor_stops, 6)
IN_A_MONITOR(monitor_reads_a_table, 7)

static void spawn_too_many(void)
{
    for (int i = 0; i < 100; i++)
        rh_spawn(stranger);
}
static void send_too_many(void)
{
    rh_ref s = rh_spawn(stranger);
    for (int i = 0; i < 1000; i++)
        HERE(rh_send(s, note, .number = i));
}
static void spawn_too_large(void)
{
    HERE(rh_spawn(huge));
}
static void allocate_too_much(void)
{
    for (int i = 0; i < 1000; i++)
        HERE(memset(malloc(100), 1, 100));
}

static const struct misuse {
    const char *claim;
    void (*commit)(void);
    enum rh_outcome_kind kind;
    const char *text;
} misuses[] = {
    { "a send to nobody is a misuse", send_to_nobody, RH_OUTCOME_MISUSE,
      "rh_send was given the reference that names nobody" },
    { "a send to a made-up reference is a misuse", send_to_made_up, RH_OUTCOME_MISUSE,
      "no actor of this world (12345)" },
    { "an unknown name gives nobody, and a send to it is a misuse", send_to_unknown_name, RH_OUTCOME_MISUSE, "nobody" },
    { "rh_ask of nobody is a misuse", ask_nobody, RH_OUTCOME_MISUSE, "rh_ask was given" },
    { "rh_forward to nobody is a misuse", forward_to_nobody, RH_OUTCOME_MISUSE, "rh_forward was given" },
    { "rh_kill of nobody is a misuse", kill_nobody, RH_OUTCOME_MISUSE, "rh_kill was given" },
    { "rh_link with a made-up reference is a misuse", link_made_up, RH_OUTCOME_MISUSE, "rh_link was given" },
    { "rh_monitor of nobody is a misuse", monitor_nobody, RH_OUTCOME_MISUSE, "rh_monitor was given" },
    { "rh_register of a made-up reference is a misuse", register_made_up, RH_OUTCOME_MISUSE, "rh_register was given" },
    { "rh_register without a name is a misuse", register_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "rh_whereis of NULL is a misuse", whereis_null, RH_OUTCOME_MISUSE, "needs a name" },
    { "a message over the limit is a misuse", send_too_large, RH_OUTCOME_MISUSE, "max_message_bytes" },
    { "a message of a tebibyte is a misuse", send_absurdly_large, RH_OUTCOME_MISUSE, "max_message_bytes" },
    { "a stored value over the limit is a misuse", store_too_large, RH_OUTCOME_MISUSE, "max_message_bytes" },
    { "a value of a table over the limit is a misuse", table_too_large, RH_OUTCOME_MISUSE, "max_message_bytes" },
    { "a put without a key is a misuse", store_without_key, RH_OUTCOME_MISUSE, "needs a key" },
    { "a history without a model is a misuse", history_without_model, RH_OUTCOME_MISUSE, "needs .apply" },
    { "a history with a large state is a misuse", history_too_large, RH_OUTCOME_MISUSE, "65536 bytes" },
    { "a long key of a history is a misuse", history_key_too_long, RH_OUTCOME_MISUSE, "at most 127 bytes" },
    { "a return without a call is a misuse", history_return_of_nothing, RH_OUTCOME_MISUSE,
      "not a call of history sound" },
    { "so is one of another history", history_return_of_another, RH_OUTCOME_MISUSE, "not a call of history sound" },
    { "and a second one", history_return_twice, RH_OUTCOME_MISUSE, "has returned already" },
    { "so is a synchronous put", store_sync_put_without_key, RH_OUTCOME_MISUSE, "rh_store_put_sync needs a key" },
    { "and one before its store is named", store_sync_put_without_open, RH_OUTCOME_MISUSE,
      "rh_store_put_sync before rh_store_open" },
    { "a put before its store is named is a misuse", store_without_open, RH_OUTCOME_MISUSE, "before rh_store_open" },
    { "so is a get", store_read_without_open, RH_OUTCOME_MISUSE, "rh_store_get before rh_store_open" },
    { "and a sync", store_sync_without_open, RH_OUTCOME_MISUSE, "rh_store_sync before rh_store_open" },
    { "a store without a name is a misuse", store_without_name, RH_OUTCOME_MISUSE, "1 to 127 bytes" },
    { "a long name is a misuse", store_name_too_long, RH_OUTCOME_MISUSE, "1 to 127 bytes" },
    { "a name with a line's end is a misuse", store_name_with_control, RH_OUTCOME_MISUSE, "control characters" },
    { "a second store is a misuse", store_twice, RH_OUTCOME_MISUSE, "opened \"some\" already" },
    { "rh_become to a behaviour of another actor is a misuse", become_foreign, RH_OUTCOME_MISUSE,
      "behaviour of stranger" },
    { "rh_ask of oneself is a misuse", ask_oneself, RH_OUTCOME_MISUSE, "asks itself" },
    { "rh_choose(0) is a misuse", choose_of_none, RH_OUTCOME_MISUSE, "rh_choose(0)" },
    { "rh_choose of four billion values is a misuse", choose_of_too_many, RH_OUTCOME_MISUSE, "rh_choose(4294967295)" },
    { "a reply of the wrong type is a misuse", take_wrong_reply, RH_OUTCOME_MISUSE,
      "expected answer as the reply to question, but got other_answer" },
    { "rh_turn_to a message of an earlier set is a misuse", turn_to_another_set, RH_OUTCOME_MISUSE, "received last" },
    { "rh_turn_to without a set is a misuse", turn_to_without_a_set, RH_OUTCOME_MISUSE, "received last" },
    { "sets of two types are a misuse", sets_of_two_types, RH_OUTCOME_MISUSE, "one type of messages in sets" },
    { "sets of exits are a misuse", sets_of_exits, RH_OUTCOME_MISUSE, "cannot be taken in sets" },
    { "a timer in the past is a misuse", timer_in_the_past, RH_OUTCOME_MISUSE, "negative delay (-1 ms)" },
    { "a timer without a name is a misuse", timer_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "rh_timer_cancel of NULL is a misuse", cancel_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "a get without a key is a misuse", get_without_key, RH_OUTCOME_MISUSE, "needs a key" },
    { "rh_cover without a name is a misuse", cover_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "rh_always without a name is a misuse", always_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "rh_eventually without a name is a misuse", eventually_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "rh_abstract without a key is a misuse", abstract_without_key, RH_OUTCOME_MISUSE, "needs a key" },
    { "rh_unregister without a name is a misuse", unregister_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "an actor without a behaviour cannot be spawned", spawn_without_behaviour, RH_OUTCOME_MISUSE,
      "without_behaviour has no RH_BEHAVIOUR" },
    { "a process without a body cannot be spawned", spawn_without_body, RH_OUTCOME_MISUSE,
      "without_body has no RH_BODY" },
    { "a monitor cannot be spawned", spawn_a_monitor, RH_OUTCOME_MISUSE, "use rh_observe" },
    { "an actor cannot observe", observe_no_monitor, RH_OUTCOME_MISUSE, "stranger is not a monitor" },
    { "a send to a monitor is a misuse", send_to_a_monitor, RH_OUTCOME_MISUSE, "use rh_announce" },
    { "rh_send_from an actor is a misuse", send_from_an_actor, RH_OUTCOME_MISUSE, "external senders" },
    { "an external sender without a name is a misuse", external_without_name, RH_OUTCOME_MISUSE, "needs a name" },
    { "a monitor that sleeps is a misuse", monitor_sleeps, RH_OUTCOME_MISUSE, "monitor" },
    { "a monitor that receives is a misuse", monitor_receives, RH_OUTCOME_MISUSE, "monitor" },
    { "a monitor that announces is a misuse", monitor_announces, RH_OUTCOME_MISUSE, "monitor" },
    { "a monitor that asks is a misuse", monitor_asks, RH_OUTCOME_MISUSE, "monitor" },
    { "a monitor that chooses is a misuse", monitor_chooses, RH_OUTCOME_MISUSE, "monitor" },
    { "a monitor that stops is a misuse", monitor_stops, RH_OUTCOME_MISUSE, "monitor" },
    { "a monitor that uses a table is a misuse", monitor_reads_a_table, RH_OUTCOME_MISUSE,
      "rh_table_get cannot be used by a monitor" },
    { "too many messages under way are a limit", send_too_many, RH_OUTCOME_LIMIT, "max_messages" },
    { "a state over the limit is a limit", spawn_too_large, RH_OUTCOME_LIMIT, "max_bytes_per_actor" },
    { "a heap over the limit is a limit", allocate_too_much, RH_OUTCOME_LIMIT, "max_bytes_per_actor" },
    { "too many actors are a limit", spawn_too_many, RH_OUTCOME_LIMIT, "max_actors" },
};

RH_ACTOR(culprit, int unused;);
RH_HANDLER(culprit, go)
{
    misuses[rh_param("misuse", 0)].commit();
}
RH_BEHAVIOUR(culprit, acting, go);

RH_PROCESS(wanderer, int unused;);
RH_BODY(wanderer)
{
    rh_receive(go);
    misuses[rh_param("misuse", 0)].commit();
}

#define SMALL .max_actors = 50, .max_messages = 500, .max_message_bytes = 2000, .max_bytes_per_actor = 20000

RH_TEST(handler, SMALL)
{
    rh_send(rh_spawn(culprit), go);
}
RH_TEST(process, SMALL)
{
    rh_send(rh_spawn(wanderer), go);
}

static void is_reported(void **state)
{
    const struct misuse *misuse = *state;
    char number[8], place[64];
    snprintf(number, sizeof number, "%d", (int)(misuse - misuses));
    struct rh_param param = { "misuse", number };
    for (int i = 0; i < 2; i++) {
        if (i == 1 && misuse->commit == become_foreign)
            break; /* a process has no behaviour: see below */
        line = 0;
        struct rh_world *w = world_with(i ? "process" : "handler", NULL, &param, 1);
        rh_world_begin(w);
        run_first(w, NULL);
        check_outcome(w, misuse->kind);
        const struct rh_outcome *o = rh_world_outcome(w);
        check_contains(o->text, misuse->text);
        if (line) {
            snprintf(place, sizeof place, "misuse.c:%d", line);
            check_contains(o->place, place);
        }
        check_contains(name_of(w, o->actor), i ? "wanderer#1" : "culprit#1");

        /* The world is as good as before: back, and the same again. */
        rh_world_reset(w);
        assert_int_equal(rh_world_outcome(w)->kind, RH_OUTCOME_RUNNING);
        run_first(w, NULL);
        check_outcome(w, misuse->kind);
        close_world(w);
    }
}

/* ---- processes, the body of the test ----------------------------------------------------------------------------- */

RH_PROCESS(stopping, int unused;);
RH_BODY(stopping)
{
    HERE(rh_stop());
}
RH_TEST(process_stops)
{
    rh_spawn(stopping);
}
RH_TEST(body_replies)
{
    HERE(rh_reply(note));
}
RH_TEST(body_forwards)
{
    HERE(rh_forward(rh_self()));
}

static void check_misuse(const char *test, const char *text)
{
    char place[64];
    struct rh_world *w = world_of(test);
    rh_world_begin(w);
    run_first(w, NULL);
    check_outcome(w, RH_OUTCOME_MISUSE);
    check_contains(rh_world_outcome(w)->text, text);
    snprintf(place, sizeof place, "misuse.c:%d", line);
    check_contains(rh_world_outcome(w)->place, place);
    close_world(w);
}

static void rh_stop_in_a_process_is_a_misuse(void **unused)
{
    (void)unused;
    check_misuse("process_stops", "rh_stop is for actors");
}

static void a_reply_where_no_message_is_handled_is_a_misuse(void **unused)
{
    (void)unused;
    check_misuse("body_replies", "no message is being handled");
    check_misuse("body_forwards", "no message is being handled");
}

int main(void)
{
    enum { MISUSES = sizeof misuses / sizeof *misuses };
    const struct CMUnitTest others[] = {
        TEST(rh_stop_in_a_process_is_a_misuse),
        TEST(a_reply_where_no_message_is_handled_is_a_misuse),
    };
    struct CMUnitTest tests[MISUSES + sizeof others / sizeof *others];
    for (size_t i = 0; i < MISUSES; i++)
        tests[i] = (struct CMUnitTest){ misuses[i].claim, is_reported, NULL, free_world_left, (void *)&misuses[i] };
    memcpy(tests + MISUSES, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
