#include "world/support/rich.h"

uint64_t rich_seed;

bool rich_megabytes;

uint64_t rich_board[RICH_BOARD];

static const char *const rich_names[] = { "r0", "r1", "r2", "server", "walker", "extra" };
enum { RICH_NAMES = sizeof rich_names / sizeof *rich_names };

static rh_ref rich_someone(uint64_t *random)
{
    return rh_whereis(rich_names[generated_below(random, 3)]);
}

static void rich_send_some(uint64_t *random, int32_t ttl)
{
    for (uint32_t n = generated_below(random, 3); n && ttl > 0; n--) {
        rh_ref to = rich_someone(random);
        uint32_t value = generated_below(random, 50);
        if (rh_is_nobody(to))
            continue;
        switch (generated_below(random, 8)) {
        case 0:
            rh_send(to, later, .value = value);
            break;
        case 1:
            rh_send(to, noise, .value = value);
            break;
        case 2: {
            char tail[40];
            size_t size = generated_below(random, sizeof tail);
            memset(tail, (int)value, sizeof tail);
            rh_send_with(to, tail, size, op, .value = value, .ttl = ttl - 1);
            break;
        }
        default:
            rh_send(to, op, .value = value, .ttl = ttl - 1);
        }
    }
}

static void rich_heap(struct rich *state, uint64_t *random)
{
    uint32_t i = generated_below(random, RICH_BLOCKS);
    uint32_t kind = generated_below(random, 12);
    uint32_t size = kind == 0 && rich_megabytes ? 3000000
                    : kind < 3                  ? 9000 + generated_below(random, 30000)
                                                : 1 + generated_below(random, 300);
    switch (generated_below(random, 4)) {
    case 0:
        free(state->block[i]);
        state->block[i] = NULL;
        state->size[i] = 0;
        break;
    case 1: {
        void *grown = realloc(state->block[i], size);
        if (!grown)
            return;
        state->block[i] = grown;
        state->size[i] = size;
        break;
    }
    default:
        free(state->block[i]);
        state->block[i] = malloc(size);
        state->size[i] = state->block[i] ? size : 0;
    }
    for (uint32_t k = 0; k < 10 && state->size[i]; k++)
        ((char *)state->block[i])[generated_below(random, state->size[i])] = (char)generated_random(random);
}

static void rich_names_and_links(struct rich *state, rh_ref self, uint64_t *random)
{
    rh_ref other = rh_whereis(rich_names[generated_below(random, RICH_NAMES)]);
    (void)state;
    switch (generated_below(random, 8)) {
    case 0:
        if (!rh_is_nobody(other))
            rh_link(other);
        break;
    case 1:
        if (!rh_is_nobody(other))
            rh_unlink(other);
        break;
    case 2:
        if (!rh_is_nobody(other))
            rh_monitor(other);
        break;
    case 3:
        if (!rh_is_nobody(other))
            rh_demonitor(other);
        break;
    case 4:
        rh_register("extra", self);
        break;
    case 5:
        rh_unregister("extra");
        break;
    case 6:
        rh_trap_exits(generated_below(random, 4) != 0);
        break;
    default:
        if (!rh_is_nobody(other) && generated_below(random, 6) == 0)
            rh_kill(other, generated_below(random, 2) ? "kill" : "tired");
    }
}

static void rich_tables(struct rich *state, uint64_t *random)
{
    char key[RH_TABLE_KEY_SIZE] = "key0";
    uint64_t was = 0, now = state->number % 1000;
    key[3] = (char)('0' + generated_below(random, 5));
    switch (generated_below(random, 10)) {
    case 0:
        state->number += rh_table_put(shared, key, &now, generated_below(random, 9));
        break;
    case 1:
        state->number += rh_table_put(listed, key, &now, sizeof now);
        break;
    case 2:
        state->number += rh_table_insert_new(listed, key, &now, generated_below(random, 9));
        break;
    case 3:
        state->number += rh_table_remove(shared, key);
        break;
    case 4:
        state->number += rh_table_remove(listed, key);
        break;
    case 5:
        state->number = state->number * 31 + (uint64_t)rh_table_get(listed, key, &was, sizeof was) + was;
        if (rh_table_swap(listed, key, &was, sizeof was, &now, sizeof now))
            state->number++;
        break;
    case 6:
        state->number = state->number * 31 + (uint64_t)rh_table_add(counted, key, (int64_t)now);
        break;
    case 7:
        state->number += rh_table_count(listed);
        break;
    case 8:
        for (key[0] = 0; rh_table_next(listed, key, key, sizeof key);)
            state->number = state->number * 31 + (uint64_t)key[3];
        break;
    default:
        state->number = state->number * 31 + (uint64_t)rh_table_get(shared, key, &was, sizeof was) + was;
    }
}

static void rich_ask(struct rich *state, uint64_t *random)
{
    rh_ref server = rh_whereis("server");
    if (rh_is_nobody(server) || state->child)
        return;
    rh_ref sender = rh_sender();
    const struct answer *a = generated_below(random, 3)
                                 ? rh_ask_within(20, server, query, answer, .value = generated_below(random, 9))
                                 : rh_ask(server, query, answer, .value = generated_below(random, 9));
    state->number = state->number * 31 + (a ? a->value : 1000);
    state->number = state->number * 31 + rh_same(rh_sender(), sender);
}

static void rich_act(struct rich *state, rh_ref self, uint64_t *random, int32_t ttl)
{
    char key[] = "key0";
    switch (generated_below(random, 23)) {
    case 0:
    case 1:
    case 2:
        rich_heap(state, random);
        break;
    case 3:
        rich_board[generated_below(random, RICH_BOARD)] += 1 + generated_below(random, 5);
        break;
    case 4: {
        uint32_t value = rh_choose(1 + generated_below(random, 3));
        state->number = state->number * 31 + value;
        *random += value;
        rich_send_some(random, ttl);
        break;
    }
    case 5:
        rh_timer(generated_below(random, 2) ? "one" : "two", 10 * generated_below(random, 4), tick,
                 .value = generated_below(random, 9));
        break;
    case 6:
        state->number += rh_timer_cancel("one");
        break;
    case 7:
        if (state->children < 2 && !state->child) {
            state->children++;
            rh_ref child = rh_spawn(rich, .number = state->number, .child = true);
            rh_send(child, op, .value = 1, .ttl = ttl - 1);
            if (generated_below(random, 2))
                rh_link(child);
        }
        break;
    case 8:
        if (generated_below(random, 4) == 0)
            rh_stop();
        break;
    case 9:
        if (generated_below(random, 5) == 0)
            rh_exit(generated_below(random, 3) ? "normal" : "boom");
        break;
    case 10:
    case 11:
        rich_names_and_links(state, self, random);
        break;
    case 12:
        rich_ask(state, random);
        break;
    case 13:
        key[3] = (char)('0' + generated_below(random, 3));
        rh_store_open(rh_name(self));
        if (generated_below(random, 5))
            rh_store_put(key, &state->number, 8);
        else
            rh_store_put_sync(key, generated_below(random, 2) ? &state->number : NULL, 8);
        break;
    case 14: {
        uint64_t was = 0;
        rh_store_open(rh_name(self));
        key[3] = (char)('0' + generated_below(random, 3));
        state->number = state->number * 31 + (uint64_t)rh_store_get(key, &was, sizeof was) + was;
        if (generated_below(random, 3) == 0)
            rh_store_sync();
        break;
    }
    case 15:
        if (generated_below(random, 2))
            rh_become(rich, busy);
        else
            rh_become(rich, open);
        break;
    case 16:
        state->number = state->number * 31 + rh_random() % 7 + (uint64_t)rh_now_ms();
        break;
    case 17:
        rh_announce(op, .value = (uint32_t)state->number % 50);
        rh_eventually("the number is even", state->number % 2 == 0);
        break;
    case 18:
        rh_log("number %llu", (unsigned long long)state->number);
        if (generated_below(random, 3) == 0)
            rh_sleep(5 * generated_below(random, 3));
        break;
    case 19:
    case 20:
    case 21:
        rich_tables(state, random);
        break;
    default: {
        rh_ref walker = rh_whereis("walker");
        if (!rh_is_nobody(walker))
            rh_send(walker, op, .value = generated_below(random, 9), .ttl = 0);
    }
    }
}

static void rich_take(struct rich *state, rh_ref self, uint32_t kind, uint32_t value, int32_t ttl)
{
    uint64_t random = rich_seed * 1000003 + state->number * 8191 + kind * 131 + value;
    size_t tail = 0;
    const unsigned char *bytes = rh_tail(&tail);
    state->number = state->number * 31 + kind * 7 + value + tail + (bytes && tail ? bytes[tail - 1] : 0);
    for (uint32_t n = 1 + generated_below(&random, 3); n; n--)
        rich_act(state, self, &random, ttl);
    rich_send_some(&random, ttl);
}

RH_HANDLER(rich, rh_start)
{
    rich_take(state, self, 1, msg->restarts, 1);
}

RH_HANDLER(rich, op)
{
    rich_take(state, self, 2, msg->value, msg->ttl);
}

RH_HANDLER(rich, later)
{
    rich_take(state, self, 3, msg->value, 1);
}

RH_HANDLER(rich, tick)
{
    rich_take(state, self, 4, msg->value, 1);
}

RH_HANDLER(rich, rh_down)
{
    rich_take(state, self, 5, (uint32_t)strlen(msg->reason), 1);
}

RH_HANDLER(rich, rh_exited)
{
    rich_take(state, self, 6, (uint32_t)strlen(msg->reason), 1);
}

RH_HANDLER(rich, rh_stored)
{
    state->number = state->number * 31 + msg->ticket;
}

RH_BEHAVIOUR(rich, open, rh_start, op, later, tick, rh_down, rh_exited, rh_stored);

RH_BEHAVIOUR(rich, busy, op, rh_down, rh_exited, RH_DEFER(tick), RH_IGNORE(noise), RH_DEFER(rh_stored));

RH_HANDLER(server, query)
{
    uint64_t random = rich_seed * 31 + state->number++ * 17 + msg->value;
    switch (generated_below(&random, 6)) {
    case 0:
        break; /* no answer */
    case 1:
        rh_sleep(15);
        rh_reply(answer, .value = msg->value + 1);
        break;
    case 2:
        if (!rh_is_nobody(state->other) && rh_alive(state->other)) {
            rh_forward(state->other);
            break;
        }
        rh_reply(answer, .value = msg->value + 2);
        break;
    case 3:
        rh_reply(answer, .value = rh_choose(2));
        rh_reply(answer, .value = 7); /* one answer too many */
        break;
    default:
        rh_reply(answer, .value = msg->value + 3);
    }
}

RH_BEHAVIOUR(server, serving, query);

static bool rich_is_odd(const struct rh_envelope *m, const void *arg)
{
    (void)arg;
    return m->type == &rh_message_op && ((const struct op *)m->value)->value % 2;
}

RH_BODY(walker)
{
    uint64_t random = rich_seed * 77;
    for (int turn = 0; turn < 6; turn++) {
        uint32_t value = 0;
        switch (generated_below(&random, 8)) {
        case 0: {
            const struct op *m = rh_receive(op, .timeout_ms = 30);
            value = m ? m->value : 99;
            break;
        }
        case 7: {
            const struct rh_envelope *m = rh_receive_set(2, op, .timeout_ms = 30);
            value = m ? rh_as(&m[0], op)->value * 8 + rh_as(&m[1], op)->value : 97;
            break;
        }
        case 1: {
            const struct rh_envelope *m =
                rh_receive_any(.types = RH_TYPES(op, answer), .timeout_ms = RH_POLL, .idle = true);
            value = m ? 5 : 6;
            break;
        }
        case 2: {
            const struct rh_envelope *m = rh_receive_any(.match = rich_is_odd, .idle = true);
            value = rh_as(m, op)->value;
            break;
        }
        case 3: {
            rh_ref server = rh_whereis("server");
            const struct answer *a = rh_is_nobody(server) ? NULL : rh_ask_within(25, server, query, answer, .value = 4);
            value = a ? a->value : 98;
            break;
        }
        case 4:
            rh_sleep(12);
            free(state->text);
            state->text = malloc(100 + generated_below(&random, 9000));
            if (state->text)
                state->text[50] = 'w';
            break;
        case 5:
            value = (uint32_t)rh_table_add(counted, "key1", 1);
            rh_table_put(listed, "walker", &value, sizeof value);
            break;
        default:
            value = rh_choose(2);
            rich_board[700] += value;
        }
        state->number = state->number * 31 + value;
        random += value;
        rich_send_some(&random, 2);
    }
}

RH_HANDLER(seen, op)
{
    state->number = state->number * 31 + msg->value;
    if (state->number % 3 == 0) {
        free(state->text);
        state->text = malloc(20 + msg->value);
        if (state->text)
            state->text[3] = 's';
    }
    if (msg->value % 2)
        rh_become(seen, odd);
}

RH_BEHAVIOUR(seen, even, op);

RH_BEHAVIOUR(seen, odd, op);

RH_TEST(rich_program)
{
    uint64_t random = rich_seed * 13 + 5;
    rh_observe(seen);
    for (int i = 0; i < 3; i++)
        rh_register(rich_names[i], rh_spawn(rich, .number = (uint64_t)i));
    rh_ref second = rh_spawn(server, .number = 3);
    rh_register("server", rh_spawn(server, .number = 1, .other = second));
    rh_register("walker", rh_spawn(walker));
    for (int i = 0; i < 3; i++)
        rh_send_from(rh_external(i % 2 ? "left" : "right"), rh_whereis(rich_names[i]), op,
                     .value = generated_below(&random, 50), .ttl = RICH_TTL);
    rich_board[3] = rh_choose(2);
    rh_sleep(20);
    rh_send(second, query, .value = 1);
}
