/* Shared tables: what one actor sees, what several do to each other. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);

RH_TABLE(seats);
RH_TABLE(counters);
RH_TABLE_ORDERED(members);

#define STEPS .semantics = { .granularity = RH_GRAIN_OBJECT }

/* ---- one actor --------------------------------------------------------------------------------------------------- */

static void say_value(const char *key, size_t capacity)
{
    char buffer[64] = "................";
    int64_t size = rh_table_get(seats, key, buffer, capacity);
    buffer[6] = 0;
    say("%s=%lld:%s", key, (long long)size, buffer);
}

RH_PROCESS(clerk);
RH_BODY(clerk)
{
    say_value("a", 64);
    say("%d", rh_table_put(seats, "a", "one", 3));
    say_value("a", 64);
    say("%d", rh_table_put(seats, "a", "three", 5));
    say_value("a", 2); /* the size is told, no more than fits is copied */
    say("%d", rh_table_insert_new(seats, "a", "x", 1));
    say("%d", rh_table_insert_new(seats, "b", "", 0));
    say_value("b", 64);
    say("%d", rh_table_remove(seats, "a"));
    say("%d", rh_table_remove(seats, "a"));
    say_value("a", 64);
    say("%lld", (long long)rh_table_get(seats, "b", NULL, 0));
    say("%d", rh_table_put(seats, "b", NULL, 0)); /* removes it */
    say_value("b", 64);
    say("%lld", (long long)rh_table_get(counters, "b", NULL, 0));
}
PROGRAM(an_actor_sees_what_it_has_put,
        .allowed = {
            "clerk#1: a=-1:...... 0 a=3:one... 1 a=5:th.... 0 1 b=0:...... 1 0 a=-1:...... 0 1 b=-1:...... -1" })
{
    rh_spawn(clerk);
}

RH_PROCESS(swapper);
RH_BODY(swapper)
{
    say("%d", rh_table_swap(seats, "a", "x", 1, "y", 1)); /* there is nothing */
    say("%d", rh_table_swap(seats, "a", NULL, 0, "x", 1));
    say("%d", rh_table_swap(seats, "a", NULL, 0, "x", 1));
    say("%d", rh_table_swap(seats, "a", "xx", 2, "y", 1));
    say("%d", rh_table_swap(seats, "a", "z", 1, "y", 1));
    say("%d", rh_table_swap(seats, "a", "x", 1, "yy", 2));
    say_value("a", 64);
    say("%d", rh_table_swap(seats, "a", "yy", 2, "", 0));
    say("%d", rh_table_swap(seats, "a", "", 0, NULL, 0));
    say_value("a", 64);
}
PROGRAM(a_swap_needs_the_value_that_was_expected, .allowed = { "swapper#1: 0 1 0 0 0 1 a=2:yy.... 1 1 a=-1:......" })
{
    rh_spawn(swapper);
}

RH_PROCESS(adder);
RH_BODY(adder)
{
    int64_t value = 0;
    say("%lld", (long long)rh_table_add(counters, "n", 5));
    say("%lld", (long long)rh_table_add(counters, "n", -7));
    say("%lld", (long long)rh_table_add(counters, "m", 0));
    say("%lld", (long long)rh_table_get(counters, "n", &value, sizeof value));
    say("%lld", (long long)value);
    value = INT64_MAX;
    rh_table_put(counters, "n", &value, sizeof value);
    say("%d", rh_table_add(counters, "n", 1) == INT64_MIN);
}
PROGRAM(a_counter_is_a_number, .allowed = { "adder#1: 5 -2 0 8 -2 1" })
{
    rh_spawn(adder);
}

static void say_members(void)
{
    char key[RH_TABLE_KEY_SIZE] = "", all[LINE_SIZE] = "";
    while (rh_table_next(members, key, key, sizeof key))
        strcat(all, key);
    say("%s", *all ? all : "nobody");
}

RH_PROCESS(keeper);
RH_BODY(keeper)
{
    static const char *const names[] = { "d", "b", "aa", "e", "a", "c" };
    char key[4];
    say("%u", rh_table_count(members));
    say_members();
    for (int i = 0; i < 6; i++)
        rh_table_put(members, names[i], "", 0);
    say("%u", rh_table_count(members));
    say_members();
    rh_table_remove(members, "b");
    rh_table_remove(members, "z");
    rh_table_put(members, "e", "again", 5);
    say("%u", rh_table_count(members));
    say_members();
    say("%d %s", rh_table_next(members, "b", key, sizeof key), key); /* one that is not there */
    say("%d %s", rh_table_next(members, NULL, key, 2), key);
    say("%d", rh_table_next(members, "e", key, sizeof key));
    while (rh_table_next(members, NULL, key, sizeof key))
        rh_table_remove(members, key);
    say("%u", rh_table_count(members));
}
PROGRAM(an_ordered_table_is_walked_through_in_order, .allowed = { "keeper#1: 0 nobody 6 aaabcde 5 aaacde 1 c 1 a 0 0" })
{
    rh_spawn(keeper);
}

RH_PROCESS(large);
RH_BODY(large)
{
    enum { SIZE = 100 * 1024 };
    unsigned char *bytes = malloc(SIZE);
    char key[RH_TABLE_KEY_SIZE];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = 0;
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i % 253);
    rh_table_put(seats, key, bytes, SIZE);
    memset(bytes, 0, SIZE);
    int64_t size = rh_table_get(seats, key, bytes, SIZE);
    int wrong = 0;
    for (int i = 0; i < SIZE; i++)
        wrong += bytes[i] != i % 253;
    say("%lld %d", (long long)size, wrong);
    free(bytes);
}
PROGRAM(a_large_value_and_a_long_key_are_kept, .allowed = { "large#1: 102400 0" })
{
    rh_spawn(large);
}

/* ---- several actors ---------------------------------------------------------------------------------------------- */

RH_PROCESS(hasty);
RH_BODY(hasty)
{
    int64_t value = 0;
    rh_table_get(counters, "sold", &value, sizeof value);
    value++;
    rh_table_put(counters, "sold", &value, sizeof value);
    say("%lld", (long long)value);
}
PROGRAM(between_a_get_and_a_put_others_run, STEPS,
        .allowed = { "hasty#1: 1 | hasty#2: 2", "hasty#1: 2 | hasty#2: 1", "hasty#1: 1 | hasty#2: 1" })
{
    rh_spawn(hasty);
    rh_spawn(hasty);
}

RH_ACTOR(rash);
RH_HANDLER(rash, go)
{
    int64_t value = 0;
    rh_table_get(counters, "sold", &value, sizeof value);
    value++;
    rh_table_put(counters, "sold", &value, sizeof value);
    say("%lld", (long long)value);
}
RH_BEHAVIOUR(rash, open, go);
PROGRAM(between_a_get_and_a_put_of_a_handler_others_run_too, .semantics = { .granularity = RH_GRAIN_OBJECT },
        .allowed = { "rash#1: 1 | rash#2: 2", "rash#1: 2 | rash#2: 1", "rash#1: 1 | rash#2: 1" })
{
    rh_ref a = rh_spawn(rash), b = rh_spawn(rash);
    rh_send(a, go);
    rh_send(b, go);
}

RH_PROCESS(careful);
RH_BODY(careful)
{
    for (;;) {
        int64_t old = 0, new;
        bool any = rh_table_get(counters, "sold", &old, sizeof old) >= 0;
        new = old + 1;
        if (rh_table_swap(counters, "sold", any ? &old : NULL, sizeof old, &new, sizeof new)) {
            say("%lld", (long long)new);
            return;
        }
    }
}
PROGRAM(a_swap_loses_no_update, STEPS, .allowed = { "careful#1: 1 | careful#2: 2", "careful#1: 2 | careful#2: 1" })
{
    rh_spawn(careful);
    rh_spawn(careful);
}

RH_PROCESS(counting);
RH_BODY(counting)
{
    say("%lld", (long long)rh_table_add(counters, "sold", 1));
}
PROGRAM(an_add_loses_no_update, STEPS,
        .allowed = { "counting#1: 1 | counting#2: 2 | counting#3: 3", "counting#1: 1 | counting#2: 3 | counting#3: 2",
                     "counting#1: 2 | counting#2: 1 | counting#3: 3", "counting#1: 2 | counting#2: 3 | counting#3: 1",
                     "counting#1: 3 | counting#2: 1 | counting#3: 2", "counting#1: 3 | counting#2: 2 | counting#3: 1" })
{
    for (int i = 0; i < 3; i++)
        rh_spawn(counting);
}

RH_PROCESS(buyer);
RH_BODY(buyer)
{
    say(rh_table_insert_new(seats, "12A", &self, sizeof self) ? "sits" : "stands");
}
PROGRAM(of_several_that_insert_one_wins, STEPS,
        .allowed = { "buyer#1: sits | buyer#2: stands | buyer#3: stands",
                     "buyer#1: stands | buyer#2: sits | buyer#3: stands",
                     "buyer#1: stands | buyer#2: stands | buyer#3: sits" })
{
    for (int i = 0; i < 3; i++)
        rh_spawn(buyer);
}

RH_ACTOR(guest, const char *seat;);
RH_HANDLER(guest, go)
{
    say("%d", rh_table_remove(seats, state->seat));
}
RH_BEHAVIOUR(guest, open, go);
PROGRAM(of_two_that_remove_one_had_it, .allowed = { "guest#1: 1 | guest#2: 0", "guest#1: 0 | guest#2: 1" })
{
    rh_table_put(seats, "12A", "x", 1); /* from outside */
    rh_ref a = rh_spawn(guest, .seat = "12A"), b = rh_spawn(guest, .seat = "12A");
    rh_send(a, go);
    rh_send(b, go);
}

/* ---- a walk while others change the table ------------------------------------------------------------------------ */

RH_PROCESS(walker);
RH_BODY(walker)
{
    say_members();
}
RH_PROCESS(joiner);
RH_BODY(joiner)
{
    rh_table_put(members, "a", "", 0);
    rh_table_put(members, "c", "", 0);
}
PROGRAM(a_walk_sees_what_stays_and_perhaps_what_comes, STEPS,
        .allowed = { "walker#1: abcd", "walker#1: abd", "walker#1: bcd", "walker#1: bd" })
{
    rh_table_put(members, "b", "", 0);
    rh_table_put(members, "d", "", 0);
    rh_spawn(walker);
    rh_spawn(joiner);
}

RH_PROCESS(leaver);
RH_BODY(leaver)
{
    rh_table_remove(members, "a");
}
RH_PROCESS(counter);
RH_BODY(counter)
{
    say("%u", rh_table_count(members));
}
PROGRAM(a_count_is_of_one_moment, STEPS, .allowed = { "counter#1: 2", "counter#1: 1", "counter#1: 3" })
{
    rh_table_put(members, "a", "", 0);
    rh_table_put(members, "b", "", 0);
    rh_spawn(leaver);
    rh_spawn(joiner);
    rh_spawn(counter);
}

/* ---- whose it is ------------------------------------------------------------------------------------------------- */

RH_PROCESS(dying);
RH_BODY(dying)
{
    rh_table_put(seats, "mine", "kept", 4);
    rh_receive(go);
    rh_exit("gone");
}
RH_PROCESS(heir);
RH_BODY(heir)
{
    rh_ref who = rh_spawn(dying);
    rh_monitor(who);
    rh_send(who, go);
    rh_receive(rh_down);
    say_value("mine", 64);
}
PROGRAM(what_one_has_put_outlives_it, .allowed = { "heir#1: mine=4:kept.." })
{
    rh_spawn(heir);
}

/* ---- misuse ------------------------------------------------------------------------------------------------------ */

static char long_key[RH_TABLE_KEY_SIZE + 1];
static char many_bytes[(1 << 20) + 1];

static void put_abc(void)
{
    rh_table_put(members, "abc", "", 0);
}

#define MISUSE(name, text, call)                                                                                       \
    RH_PROCESS(misuser_##name);                                                                                        \
    RH_BODY(misuser_##name)                                                                                            \
    {                                                                                                                  \
        memset(long_key, 'k', sizeof long_key - 1);                                                                    \
        call;                                                                                                          \
    }                                                                                                                  \
    PROGRAM(misuse_of_##name, .failure_line = __LINE__, .failure_text = { text },                                      \
            .allowed = { "! misuse misuser_" #name "#1" })                                                             \
    {                                                                                                                  \
        rh_spawn(misuser_##name);                                                                                      \
    }

/* Each on one line: that is the place it is told with. */
MISUSE(put_without_key, "rh_table_put needs a key (table seats)", rh_table_put(seats, NULL, "x", 1))
MISUSE(put_with_empty_key, "rh_table_put needs a key", rh_table_put(seats, "", "x", 1))
MISUSE(put_with_long_key, "rh_table_put: a key has at most 127 bytes", rh_table_put(seats, long_key, "x", 1))
MISUSE(put_too_much, "value of 1048577 bytes, the limit is 1048576", rh_table_put(seats, "a", many_bytes, 1048577))
MISUSE(put_beyond_all, "max_message_bytes", rh_table_put(seats, "a", many_bytes, SIZE_MAX))
MISUSE(insert_of_nothing, "rh_table_insert_new needs a value", rh_table_insert_new(seats, "a", NULL, 0))
MISUSE(remove_without_key, "rh_table_remove needs a key", rh_table_remove(seats, NULL))
MISUSE(swap_without_key, "rh_table_swap needs a key", rh_table_swap(seats, NULL, NULL, 0, "x", 1))
MISUSE(swap_too_much, "rh_table_swap: a value of", rh_table_swap(seats, "a", NULL, 0, many_bytes, sizeof many_bytes))
MISUSE(get_without_key, "rh_table_get needs a key", rh_table_get(seats, NULL, NULL, 0))
MISUSE(get_without_buffer, "rh_table_get needs a buffer", rh_table_get(seats, "a", NULL, 8))
MISUSE(add_without_key, "rh_table_add needs a key", rh_table_add(counters, NULL, 1))
MISUSE(add_to_text, "an int64_t: it has 3", rh_table_put(counters, "a", "one", 3); rh_table_add(counters, "a", 1))
MISUSE(add_to_empty, "an int64_t: it has 0", rh_table_put(counters, "a", "", 0); rh_table_add(counters, "a", 1))
MISUSE(count_without_order, "table seats is not ordered: declare it with RH_TABLE_ORDERED", rh_table_count(seats))
MISUSE(next_without_order, "rh_table_next: table seats is not ordered", rh_table_next(seats, NULL, long_key, 9))
MISUSE(next_without_buffer, "rh_table_next needs a buffer", rh_table_next(members, NULL, NULL, 9))
MISUSE(next_without_room, "needs 4 bytes, the buffer has 3", put_abc(); rh_table_next(members, NULL, long_key, 3))

MAIN()
