/* Fingerprints: states with one fingerprint have one future, and states that are equal have one fingerprint.
 *
 * The future of a state is computed by brute force, as a hash of the tree of all that can happen from there: the
 * texts of the choices, what the messages carry, and at the leaves the outcome and the states of all actors.  No
 * notion of what is in a fingerprint enters.  Wherever two paths meet in a fingerprint, their futures are compared. */
#include "world/support/driver.h"

#include "support/few.h"
#include "world/support/futures.h"
#include "world/support/rich.h"

/* ---- generated programs ---------------------------------------------------------------------------------------- */

static struct generated_program program;

RH_MESSAGE(note, struct generated_message m;);
RH_ACTOR(player, uint8_t me; uint64_t number; uint32_t took;);
RH_HANDLER(player, note)
{
    struct generated_message sends[GENERATED_FAN];
    uint32_t count;
    state->number =
        generated_handle(&program, state->me, state->number, (uint8_t)state->took++, &msg->m, sends, &count);
    for (uint32_t i = 0; i < count; i++) {
        const char name[] = { (char)('a' + sends[i].to), 0 };
        rh_send(rh_whereis(name), note, .m = sends[i]);
    }
}
RH_BEHAVIOUR(player, playing, note);
RH_TEST(generated)
{
    static const char *const outside[] = { "w", "x", "y", "z" };
    rh_ref all[GENERATED_ACTORS];
    for (uint8_t i = 0; i < program.actors; i++) {
        const char name[] = { (char)('a' + i), 0 };
        all[i] = rh_spawn(player, .me = i, .number = i);
        rh_register(name, all[i]);
    }
    for (uint32_t i = 0; i < program.starts; i++)
        rh_send_from(rh_external(outside[program.start[i].id.sender - GENERATED_OUTSIDE]), all[program.start[i].to],
                     note, .m = program.start[i]);
}

/* All that matters in such a program: the players' numbers, and what is under way in which order. */
static uint64_t digest_small(const struct rh_world *w)
{
    uint64_t h = mix(w->left.losses, w->left.duplicates);
    for (uint32_t i = 0; i < w->actor_count; i++) {
        const struct world_actor *a = &w->actors[i];
        if (a->type == &rh_actor_player)
            h = mix(h, digest_hash(a->region, sizeof(struct player)));
    }
    for (uint32_t c = 0; c < w->channel_count; c++) {
        uint64_t x = 0;
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next)
            x = mix(x + 1, digest_hash(rh__message_value(w, &w->messages[m]), sizeof(struct note)) +
                               w->messages[m].receiver + 100 * (w->messages[m].copy_of != RH_NONE));
        if (x) /* channels are made in different orders */
            h += mix(x, (uint64_t)w->channels[c].sender << 32 | w->channels[c].receiver);
    }
    return h;
}

/* Pairs of fingerprint and digest over all states: each fingerprint has one digest and each digest one fingerprint. */
static struct {
    uint64_t key, value;
} * pairs[2];
static uint32_t distinct[2];

static bool pair(int which, uint64_t key, uint64_t value)
{
    uint32_t i = (uint32_t)(key % SLOTS);
    while (pairs[which][i].key && pairs[which][i].key != key)
        i = (i + 1) % SLOTS;
    if (!pairs[which][i].key) {
        distinct[which]++;
        pairs[which][i].key = key;
        pairs[which][i].value = value;
    }
    return pairs[which][i].value == value;
}

static bool all_pairs(struct rh_world *w, uint64_t seed)
{
    uint32_t n;
    uint64_t f = rh_world_fingerprint(w), d = digest_small(w);
    if (++states > MOST_STATES)
        return false;
    if (!pair(0, f, d) || !pair(1, d, f))
        fail_msg("program %llu: fingerprint %llx and digest %llx do not go together", (unsigned long long)seed,
                 (unsigned long long)f, (unsigned long long)d);
    struct rh_choice *open = copy_choices(w, &n);
    bool fine = true;
    for (uint32_t i = 0; i < n && fine; i++) {
        assert_true(rh_world_step(w, &open[i]));
        fine = all_pairs(w, seed);
        assert_true(rh_world_undo(w));
    }
    free(open);
    return fine;
}

static const struct rh_semantics models[] = {
    { .model = RH_FIFO, .max_actors = 16, .max_bytes_per_actor = 65536 },
    { .model = RH_BAG, .max_actors = 16, .max_bytes_per_actor = 65536 },
    { .model = RH_MAILBOX, .max_actors = 16, .max_bytes_per_actor = 65536 },
    { .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND, .max_actors = 16, .max_bytes_per_actor = 65536 },
    { .model = RH_FIFO, .losses = 1, .duplicates = 1, .max_actors = 16, .max_bytes_per_actor = 65536 },
    { .model = RH_CAUSAL, .max_actors = 16, .max_bytes_per_actor = 65536 },
};
enum { CAUSAL = 5, MODELS = 6 };

static void fingerprints_are_as_many_as_states(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pairs[i] = calloc(SLOTS, sizeof *pairs[i]);
        assert_non_null(pairs[i]);
    }
    uint32_t compared = 0;
    uint64_t merged = 0;
    for (uint64_t seed = 0; seed < MANY_OR_FEW(60, 12); seed++)
        for (int m = 0; m < CAUSAL; m++) { /* causal: what was sent before what is state too, and in no table */
            generated_make(&program, seed);
            memset(pairs[0], 0, SLOTS * sizeof *pairs[0]);
            memset(pairs[1], 0, SLOTS * sizeof *pairs[1]);
            distinct[0] = distinct[1] = 0;
            states = 0;
            struct rh_world *w = open_test("generated", &models[m]);
            bool fine = all_pairs(w, seed);
            rh_world_free(w);
            assert_int_equal(distinct[0], distinct[1]);
            compared += fine;
            merged += states - distinct[0];
        }
    print_message("%u programs, %llu times a state was reached again\n", compared, (unsigned long long)merged);
    assert_in_range(compared, MANY_OR_FEW(100, 20), 300);
    for (int i = 0; i < 2; i++)
        free(pairs[i]);
}

static void equal_fingerprints_have_equal_futures_in_generated_programs(void **unused)
{
    (void)unused;
    uint64_t meetings = 0;
    for (uint64_t seed = 0; seed < MANY_OR_FEW(40, 8); seed++)
        for (int m = 0; m < MODELS; m++) {
            generated_make(&program, seed);
            explore("generated", &models[m]);
            if (clash[0])
                fail_msg("program %llu, model %d: %s", (unsigned long long)seed, m, clash);
            meetings += met;
        }
    print_message("%llu meetings\n", (unsigned long long)meetings);
    assert_true(meetings > MANY_OR_FEW(1000, 100));
}

/* ---- a program that uses all there is, a few steps ahead ------------------------------------------------------- */

/* All sequences of `depth` steps from here; each state reached is compared with others by what can happen two steps
 * on. */
static void around(struct rh_world *w, uint32_t depth)
{
    uint32_t n;
    if (!depth) {
        uint64_t fingerprint = rh_world_fingerprint(w), h;
        if (seen_count < SLOTS / 2 && future(w, 1, false, &h))
            record(w, fingerprint, h);
        return;
    }
    struct rh_choice *open = copy_choices(w, &n);
    for (uint32_t i = 0; i < n && i < 6; i++) {
        assert_true(rh_world_step(w, &open[i]));
        around(w, depth - 1);
        assert_true(rh_world_undo(w));
    }
    free(open);
}

static void walk_around(struct rh_world *w, uint64_t random)
{
    for (int walk = 0; walk < 6; walk++) {
        uint32_t n, length = generated_below(&random, 14);
        rh_world_reset(w);
        for (uint32_t i = 0; i < length; i++) {
            const struct rh_choice *open = rh_world_enabled(w, &n);
            if (n)
                rh_world_step(w, &open[generated_below(&random, n)]);
        }
        states = 0;
        around(w, 3);
    }
}

static void equal_fingerprints_have_equal_futures_in_a_program_that_uses_all_there_is(void **unused)
{
    (void)unused;
    uint64_t meetings = 0;
    for (uint64_t seed = 1; seed <= MANY_OR_FEW(48, 12); seed++) {
        struct rh_semantics s = models[seed % MODELS];
        s.time = (enum rh_time)(seed % 3);
        if (seed % 5 == 0)
            s.granularity = RH_GRAIN_OBJECT;
        s.crashes = seed % 4 == 0;
        s.restarts = seed % 8 == 0;
        s.max_actors = 64;
        s.max_bytes_per_actor = 8 << 20;
        rich_seed = seed;
        rich_megabytes = false;
        struct rh_world *w = open_test("rich_program", &s);
        uint32_t meaning;
        do {
            meaning = rh_world_fingerprint_meaning(w);
            begin();
            walk_around(w, seed);
        } while (meaning != rh_world_fingerprint_meaning(w));
        rh_world_free(w);
        meetings += met;
        if (clash[0])
            fail_msg("program %llu: %s", (unsigned long long)seed, clash);
    }
    print_message("%llu meetings\n", (unsigned long long)meetings);
    assert_true(meetings > MANY_OR_FEW(500, 50));
}

/* ---- states that are easily taken for one another -------------------------------------------------------------- */

RH_MESSAGE(go);
RH_MESSAGE(go_on);
RH_MESSAGE(value_is, uint32_t value;);

/* A handler that waits has a message in its hands: what it carries, and who sent it, is state. */
RH_ACTOR(chooser_, rh_ref to;);
RH_HANDLER(chooser_, go)
{
    rh_send(state->to, value_is, .value = rh_choose(2));
}
RH_BEHAVIOUR(chooser_, ready, go);
RH_ACTOR(sleeper_, uint32_t was;);
RH_HANDLER(sleeper_, value_is)
{
    rh_sleep(10);
    state->was = msg->value;
}
RH_BEHAVIOUR(sleeper_, ready, value_is);
RH_TEST(message_in_hands)
{
    rh_send(rh_spawn(chooser_, .to = rh_spawn(sleeper_)), go);
}

RH_ACTOR(caller_, bool silent;);
RH_HANDLER(caller_, go)
{
    rh_send(rh_whereis("sleeper"), go);
}
RH_HANDLER(caller_, go_on)
{
}
RH_BEHAVIOUR(caller_, ready, go, go_on);
RH_ACTOR(replier_, uint32_t unused;);
RH_HANDLER(replier_, go)
{
    rh_sleep(10);
    rh_reply(go_on);
}
RH_BEHAVIOUR(replier_, ready, go);
RH_ACTOR(tosser_, rh_ref a; rh_ref b;);
RH_HANDLER(tosser_, go)
{
    rh_send(rh_choose(2) ? state->a : state->b, go);
}
RH_BEHAVIOUR(tosser_, ready, go);
RH_TEST(sender_in_hands)
{
    rh_register("sleeper", rh_spawn(replier_));
    rh_ref a = rh_spawn(caller_), b = rh_spawn(caller_);
    rh_send(rh_spawn(tosser_, .a = a, .b = b), go);
}

static void what_a_waiting_handler_holds_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("message_in_hands", NULL);
    require_no_clash("sender_in_hands", NULL);
}

/* What was taken of a set, and in the end the whole set, is state: two choices give values to the same senders. */
RH_PROCESS(gatherer_, rh_ref to;);
RH_BODY(gatherer_)
{
    const struct rh_envelope *e = rh_receive_set(2, value_is);
    rh_sleep(10);
    rh_send(state->to, value_is, .value = rh_as(&e[0], value_is)->value * 2 + rh_as(&e[1], value_is)->value);
}
RH_TEST(set_in_hands)
{
    rh_ref to = rh_spawn(gatherer_, .to = rh_spawn(sleeper_));
    for (int i = 0; i < 3; i++)
        rh_send(rh_spawn(chooser_, .to = to), go);
}

static void what_was_taken_of_a_set_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("set_in_hands", NULL);
    assert_true(met > 100);
}

/* Two actors of different types, made in either order; the first one made gets a message. */
RH_ACTOR(x_, int took;);
RH_HANDLER(x_, go)
{
    state->took = 1;
}
RH_BEHAVIOUR(x_, ready, go);
RH_ACTOR(y_, int took;);
RH_HANDLER(y_, go)
{
    state->took = 2;
}
RH_BEHAVIOUR(y_, ready, go);
RH_ACTOR(maker_, int unused;);
RH_HANDLER(maker_, go)
{
    if (rh_choose(2)) {
        rh_send(rh_spawn(x_), go);
        rh_spawn(y_);
    } else {
        rh_send(rh_spawn(y_), go);
        rh_spawn(x_);
    }
}
RH_BEHAVIOUR(maker_, ready, go);
RH_TEST(made_in_either_order)
{
    rh_send(rh_spawn(maker_), go);
}

/* The same with senders from outside, which are made when they are first named. */
RH_ACTOR(teller_, uint32_t hears;);
RH_HANDLER(teller_, go)
{
    state->hears = state->hears * 2 + rh_same(rh_sender(), rh_external("mary"));
}
RH_BEHAVIOUR(teller_, ready, go);
RH_ACTOR(voice_, rh_ref to;);
RH_HANDLER(voice_, go)
{
    bool first = rh_choose(2);
    rh_send_from(rh_external(first ? "mary" : "john"), state->to, go);
    rh_external(first ? "john" : "mary");
}
RH_BEHAVIOUR(voice_, ready, go);
RH_TEST(heard_from_either)
{
    rh_send(rh_spawn(voice_, .to = rh_spawn(teller_)), go);
}

static void who_is_who_is_part_of_the_state(void **unused)
{
    (void)unused;
    require_no_clash("made_in_either_order", NULL);
    require_no_clash("heard_from_either", NULL);
}

/* A copy cannot be duplicated once more, an original can. */
RH_ACTOR(counter_, int took;);
RH_HANDLER(counter_, go)
{
    state->took++;
}
RH_BEHAVIOUR(counter_, ready, go);
RH_TEST(two_alike)
{
    rh_ref c = rh_spawn(counter_);
    rh_send(c, go);
    rh_send(c, go);
}

static void a_copy_is_not_an_original(void **unused)
{
    (void)unused;
    require_no_clash("two_alike", &(struct rh_semantics){ .model = RH_BAG, .duplicates = 2 });
    require_no_clash("two_alike", &(struct rh_semantics){ .model = RH_FIFO, .duplicates = 2, .losses = 1 });
}

/* Causal: s sends x to r and y to a, in either order; when a, having taken y, sends z to r, then only in one of them
 * must z wait for x.  Before it does so, nothing under way tells the two apart. */
RH_ACTOR(listener_, uint32_t heard;);
RH_HANDLER(listener_, value_is)
{
    state->heard = state->heard * 10 + msg->value;
}
RH_BEHAVIOUR(listener_, ready, value_is);
RH_ACTOR(relay_, rh_ref to;);
RH_HANDLER(relay_, go)
{
}
RH_HANDLER(relay_, go_on)
{
    rh_send(state->to, value_is, .value = 2);
}
RH_BEHAVIOUR(relay_, ready, go, go_on);
RH_ACTOR(source_, rh_ref to; rh_ref by;);
RH_HANDLER(source_, go)
{
    bool first = rh_choose(2);
    if (first)
        rh_send(state->to, value_is, .value = 1);
    rh_send(state->by, go);
    if (!first)
        rh_send(state->to, value_is, .value = 1);
}
RH_BEHAVIOUR(source_, ready, go);
RH_TEST(hidden_cause)
{
    rh_ref r = rh_spawn(listener_), a = rh_spawn(relay_, .to = r);
    rh_send_from(rh_external("one"), rh_spawn(source_, .to = r, .by = a), go);
    rh_send_from(rh_external("two"), a, go_on);
}

static void what_an_actor_has_seen_sent_is_part_of_the_state_under_causal(void **unused)
{
    (void)unused;
    require_no_clash("hidden_cause", &(struct rh_semantics){ .model = RH_CAUSAL });
}

/* ---- states that are equal though the paths differ ------------------------------------------------------------- */

/* Two independent actors; each allocates, sets a timer, registers, writes to its store and asks a server of its own. */
RH_MESSAGE(question);
RH_MESSAGE(answered);
RH_ACTOR(own_server_, int asked;);
RH_HANDLER(own_server_, question)
{
    state->asked++;
    rh_reply(answered);
}
RH_BEHAVIOUR(own_server_, serving, question);
RH_ACTOR(busy_, rh_ref server; char *text; char name[8];);
RH_HANDLER(busy_, go)
{
    state->text = malloc(20);
    strcpy(state->text, "something");
    rh_register(state->name, self);
    rh_timer("later", 10, go_on);
    rh_store_open(state->name);
    rh_store_put("key", "value", 5);
}
RH_HANDLER(busy_, go_on)
{
    free(state->text);
    state->text = NULL;
    rh_link(state->server);
}
RH_BEHAVIOUR(busy_, ready, go, go_on);
RH_TEST(two_of_a_kind)
{
    rh_ref a = rh_spawn(busy_, .name = "a", .server = rh_spawn(own_server_));
    rh_ref b = rh_spawn(busy_, .name = "b", .server = rh_spawn(own_server_));
    rh_send(a, go);
    rh_send(b, go);
}

static void independent_steps_in_either_order_give_one_fingerprint(void **unused)
{
    (void)unused;
    static const char *const a[] = { "busy_#1 takes go", "busy_#1's oldest", "busy_#1's timer" };
    static const char *const b[] = { "busy_#2 takes go", "busy_#2's oldest", "busy_#2's timer" };
    struct rh_world *w = open_test("two_of_a_kind", NULL);
    /* Each interleaving of three steps and three steps, as a bit per step: after the same numbers of steps of each, the
     * same fingerprint. */
    uint64_t at[4][4] = { { 0 } };
    for (uint32_t order = 0; order < 64; order++) {
        uint32_t i = 0, k = 0;
        if (__builtin_popcount(order) != 3)
            continue;
        rh_world_reset(w);
        for (uint32_t bit = 0; bit < 6; bit++) {
            step_by_text(w, order >> bit & 1 ? a[i++] : b[k++]);
            uint64_t f = rh_world_fingerprint(w);
            if (at[i][k] && at[i][k] != f)
                fail_msg("order %x, after %u and %u steps: %llx and %llx", order, i, k, (unsigned long long)at[i][k],
                         (unsigned long long)f);
            at[i][k] = f;
        }
    }
    for (uint32_t i = 0; i < 16; i++) /* and different numbers of steps give different ones */
        for (uint32_t k = 0; k < i; k++)
            if (k)
                assert_int_not_equal(at[i / 4][i % 4], at[k / 4][k % 4]);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(independent_steps_in_either_order_give_one_fingerprint),
        WORLD_TEST(fingerprints_are_as_many_as_states),
        WORLD_TEST(equal_fingerprints_have_equal_futures_in_generated_programs),
        WORLD_TEST(equal_fingerprints_have_equal_futures_in_a_program_that_uses_all_there_is),
        WORLD_TEST(what_a_waiting_handler_holds_is_part_of_the_state),
        WORLD_TEST(what_was_taken_of_a_set_is_part_of_the_state),
        WORLD_TEST(who_is_who_is_part_of_the_state),
        WORLD_TEST(a_copy_is_not_an_original),
        WORLD_TEST(what_an_actor_has_seen_sent_is_part_of_the_state_under_causal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
