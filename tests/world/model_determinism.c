/* The determinism check: fine with programs that are deterministic, and it names the first event that is not. */
#include "world/support/driver.h"

#include <sys/mman.h>

#include "support/few.h"
#include "world/support/rich.h"

/* Memory that no world knows of: what is written there stays over a reset. */
static uint32_t *outside;

RH_MESSAGE(step_on, uint32_t value;);

enum what { THE_MESSAGE, THE_STATE, THE_NUMBER_OF_MESSAGES, NOTHING_AT_ALL };
static enum what what_differs;

RH_ACTOR(link_, rh_ref next; bool last; uint32_t was;);
RH_HANDLER(link_, step_on)
{
    uint32_t value = msg->value;
    if (state->last) {
        uint32_t times = ++*outside;
        if (what_differs == THE_MESSAGE)
            value += times;
        if (what_differs == THE_STATE)
            state->was = times;
        if (what_differs == THE_NUMBER_OF_MESSAGES && times % 2)
            return;
    }
    if (!rh_is_nobody(state->next))
        rh_send(state->next, step_on, .value = value + 1);
}
RH_BEHAVIOUR(link_, ready, step_on);

/* test -> 1 -> 2 -> 3 -> 4, one choice each time; event 3 is where 3 takes its message, and it is the one at fault. */
RH_TEST(chain)
{
    rh_ref four = rh_spawn(link_);
    rh_ref three = rh_spawn(link_, .next = four, .last = true);
    rh_ref two = rh_spawn(link_, .next = three);
    rh_ref one = rh_spawn(link_, .next = two);
    rh_send(one, step_on, .value = 1);
}

static struct rh_outcome check(enum what what)
{
    outside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(outside, MAP_FAILED);
    what_differs = what;
    struct rh_world *w = open_test("chain", NULL);
    struct rh_outcome o = rh_world_check_determinism(w, 1);
    rh_world_free(w);
    munmap(outside, 4096);
    return o;
}

static void require_event_3(enum what what, const char *says)
{
    struct rh_outcome o = check(what);
    assert_int_equal(o.kind, RH_OUTCOME_NONDETERMINISM);
    assert_int_equal(o.actor, 2); /* the second that was spawned */
    if (!strstr(o.text, "at event 3 ") || !strstr(o.text, says))
        fail_msg("no \"at event 3\" or \"%s\" in: %s", says, o.text);
}

static void a_deterministic_chain_passes(void **unused)
{
    (void)unused;
    assert_int_equal(check(NOTHING_AT_ALL).kind, RH_OUTCOME_FINISHED);
}

static void a_message_that_differs_is_found(void **unused)
{
    (void)unused;
    require_event_3(THE_MESSAGE, "the messages sent differ");
}

/* It may never matter: a note that says where to look. */
static void a_state_that_differs_is_noted(void **unused)
{
    (void)unused;
    struct rh_outcome o = check(THE_STATE);
    assert_int_equal(o.kind, RH_OUTCOME_FINISHED);
    assert_int_equal(o.actor, 2);
    if (!strstr(o.text, "different memory in link_#2: in field `was` (byte 12)") &&
        !strstr(o.text, "different memory in link_#2: at byte 12 of its fields"))
        fail_msg("not named: %s", o.text);
}

/* ---- what is not written by anybody ------------------------------------------------------------------------------ */

struct padded {
    char small; /* seven bytes of padding behind it */
    uint64_t large;
};
RH_MESSAGE(padded_message, struct padded value; uint32_t number; bool yes;);

enum {
    NOTHING_READ,
    FIELD_NOT_WRITTEN,
    CHOICE_BY_GARBAGE,
    CHOICE_IF_ABOVE,
    CHOICE_IF_BELOW,
    MESSAGE_BY_CLOCK,
    MESSAGE_BY_ADDRESS
};
static int careless;

/* Leaves other things on the stack each time. */
__attribute__((noinline)) static void leave_dirt(unsigned char what)
{
    volatile unsigned char dirt[8192];
    for (size_t i = 0; i < sizeof dirt; i++)
        dirt[i] = what;
}

__attribute__((noinline)) static void send_padded(rh_ref to, uint32_t times)
{
    struct padded_message m;
    volatile struct padded_message *fields = &m;
    volatile uint32_t garbage[1024]; /* the first ones are deeper than earlier calls went */
    fields->value.small = 1;
    fields->value.large = 2;
    fields->yes = true;
    if (careless != FIELD_NOT_WRITTEN)
        fields->number = 3;
    if (careless == MESSAGE_BY_CLOCK)
        fields->number = times;
    if (careless == MESSAGE_BY_ADDRESS)
        fields->value.large = 0x7f0000000000u + 4096ull * times;
    rh_send_value(to, padded_message, &m);
    if (careless == CHOICE_BY_GARBAGE && garbage[times % 4] > 1)
        rh_send_value(to, padded_message, &m);
    if (careless == CHOICE_IF_ABOVE && (int32_t)garbage[0] > 5)
        rh_send_value(to, padded_message, &m);
    if (careless == CHOICE_IF_BELOW && (int32_t)garbage[0] < -5)
        rh_send_value(to, padded_message, &m);
}

RH_ACTOR(careless_actor, rh_ref next;);
RH_HANDLER(careless_actor, step_on)
{
    uint32_t times = ++*outside;
    (void)msg;
    if (!rh_is_nobody(state->next))
        send_padded(state->next, times);
    leave_dirt((unsigned char)times);
}
RH_HANDLER(careless_actor, padded_message)
{
    rh_assert(msg->yes && msg->value.small == 1);
}
RH_BEHAVIOUR(careless_actor, ready, step_on, padded_message);
RH_TEST(careless_senders)
{
    rh_ref a = rh_spawn(careless_actor), b = rh_spawn(careless_actor, .next = a);
    rh_send(b, step_on);
    rh_send(b, step_on);
}

static struct rh_outcome check_careless(int how)
{
    outside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(outside, MAP_FAILED);
    careless = how;
    struct rh_world *w = open_test("careless_senders", NULL);
    struct rh_outcome o = rh_world_check_determinism(w, 1);
    rh_world_free(w);
    munmap(outside, 4096);
    return o;
}

static void require_text(const struct rh_outcome *o, enum rh_outcome_kind kind, const char *says, const char *or_says)
{
    if (o->kind != kind || (!strstr(o->text, says) && !strstr(o->text, or_says)))
        fail_msg("%s: \"%s\" should say \"%s\"", rh_outcome_name(o->kind), o->text, says);
}

static void padding_is_no_difference(void **unused)
{
    (void)unused;
    struct rh_outcome o = check_careless(NOTHING_READ);
    assert_int_equal(o.kind, RH_OUTCOME_FINISHED);
    assert_string_equal(o.text, "");
}

static void a_field_that_nobody_wrote_is_noted(void **unused)
{
    (void)unused;
    struct rh_outcome o = check_careless(FIELD_NOT_WRITTEN);
    assert_int_equal(o.kind, RH_OUTCOME_FINISHED);
    if (*o.text && !strstr(o.text, "field `number` of message padded_message"))
        fail_msg("%s", o.text);
}

static void what_depends_on_garbage_is_found(void **unused)
{
    (void)unused;
    struct rh_outcome o = check_careless(CHOICE_BY_GARBAGE);
    require_text(&o, RH_OUTCOME_NONDETERMINISM, "memory that was never written", "numbers of messages");
}

static void garbage_is_positive_and_negative(void **unused)
{
    (void)unused;
    for (int how = CHOICE_IF_ABOVE; how <= CHOICE_IF_BELOW; how++) {
        struct rh_outcome o = check_careless(how);
        require_text(&o, RH_OUTCOME_NONDETERMINISM, "memory that was never written", "numbers of messages");
    }
}

static void a_value_that_is_another_each_time_is_found(void **unused)
{
    (void)unused;
    struct rh_outcome o = check_careless(MESSAGE_BY_CLOCK);
    require_text(&o, RH_OUTCOME_NONDETERMINISM, "padded_message to careless_actor#1 in field `number`",
                 "padded_message to careless_actor#1 at byte 16 of its fields");
    o = check_careless(MESSAGE_BY_ADDRESS);
    require_text(&o, RH_OUTCOME_NONDETERMINISM, "in field `value.large`", "at byte");
    require_text(&o, RH_OUTCOME_NONDETERMINISM, "looks like an address", "looks like an address");
}

static void a_number_of_messages_that_differs_is_found(void **unused)
{
    (void)unused;
    require_event_3(THE_NUMBER_OF_MESSAGES, "the numbers of messages sent differ");
}

static void a_program_that_uses_all_there_is_passes(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= MANY_OR_FEW(40, 8); seed++) {
        struct rh_semantics s = { .model = (enum rh_model)(seed % 4),
                                  .crashes = seed % 3 == 0,
                                  .restarts = 1,
                                  .losses = 1,
                                  .max_actors = 64,
                                  .max_bytes_per_actor = 8 << 20 };
        rich_seed = seed;
        rich_megabytes = seed % 10 == 0;
        struct rh_world *w = open_test("rich_program", &s);
        for (uint64_t pick = 0; pick < 5; pick++) {
            struct rh_outcome o = rh_world_check_determinism(w, pick);
            if (o.kind != RH_OUTCOME_FINISHED)
                fail_msg("program %llu, choices %llu: %s", (unsigned long long)seed, (unsigned long long)pick, o.text);
        }
        rh_world_free(w);
    }
}

/* Two makers each start a worker that draws numbers and writes to its store.  Which worker is made first is a matter of
 * the schedule; what each of them sees is not, or two runs in which every actor took the same messages in the same
 * order could still differ. */
RH_ACTOR(worker_, uint64_t drawn; uint32_t ticket; uint64_t last;);
RH_HANDLER(worker_, step_on)
{
    state->drawn = rh_random();
    rh_store_open(rh_name(self));
    state->ticket = rh_store_put("key", "value", 5);
    state->last = (uint64_t)rand();
}
RH_BEHAVIOUR(worker_, ready, step_on);
RH_ACTOR(maker_, int unused;);
RH_HANDLER(maker_, step_on)
{
    rh_send(rh_spawn(worker_), step_on);
}
RH_BEHAVIOUR(maker_, ready, step_on);
RH_TEST(two_makers)
{
    rh_send(rh_spawn(maker_), step_on);
    rh_send(rh_spawn(maker_), step_on);
}

static void note_workers(struct rh_world *w, void *arg)
{
    struct worker_(*seen)[2] = arg;
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        char name[64];
        rh_world_actor_name(w, i, name, sizeof name);
        if (rh_world_actor_type(w, i) != &rh_actor_worker_)
            continue;
        struct worker_ *was = &(*seen)[strcmp(name, "maker_#1/worker_#1") == 0];
        if (!was->ticket)
            memcpy(was, rh_world_actor_state(w, i), sizeof *was);
        assert_memory_equal(was, rh_world_actor_state(w, i), sizeof *was);
    }
}

static void what_an_actor_sees_does_not_depend_on_unrelated_actors(void **unused)
{
    (void)unused;
    struct worker_ seen[2] = { { 0 }, { 0 } };
    struct rh_world *w = open_test("two_makers", NULL);
    every_run(w, 10000, note_workers, &seen);
    assert_int_equal(seen[0].ticket, 1);
    assert_int_equal(seen[1].ticket, 1);
    assert_true(seen[0].drawn != seen[1].drawn); /* they are two streams */
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_deterministic_chain_passes),
        WORLD_TEST(a_message_that_differs_is_found),
        WORLD_TEST(a_state_that_differs_is_noted),
        WORLD_TEST(padding_is_no_difference),
        WORLD_TEST(a_field_that_nobody_wrote_is_noted),
        WORLD_TEST(what_depends_on_garbage_is_found),
        WORLD_TEST(garbage_is_positive_and_negative),
        WORLD_TEST(a_value_that_is_another_each_time_is_found),
        WORLD_TEST(a_number_of_messages_that_differs_is_found),
        WORLD_TEST(a_program_that_uses_all_there_is_passes),
        WORLD_TEST(what_an_actor_sees_does_not_depend_on_unrelated_actors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
