#include "explore/support/program.h"

#include "explore/support/faults.h"
#include "explore/support/scramble.h"

#include <string.h>

uint64_t program_seed;
bool program_crashes, program_is_open;

RH_HANDLER(server, question)
{
    rh_reply(answer, .value = ++state->served + msg->value);
}
RH_BEHAVIOUR(server, serving, question);

RH_HANDLER(node, work)
{
    state->number = scrambled(state->number, msg->value);
    rh_sometimes("an odd number", state->number % 2);
    uint64_t r = scrambled(program_seed, state->number);
    int32_t ttl = msg->ttl - 1;
    rh_ref to = state->peer[(r >> 8) % 3];
    if (program_crashes && r % 7 == 0)
        __builtin_trap();
    if (ttl <= 0 || rh_is_nobody(to))
        return; /* node#1 knows nobody */
    switch ((r >> 16) % 12) {
    case 0:
    case 1:
        rh_send(to, work, .ttl = ttl, .value = (uint32_t)(r >> 32) % 100);
        break;
    case 2:
    case 3:
        rh_send(to, work, .ttl = ttl, .value = 1);
        rh_send(state->peer[(r >> 12) % 3], work, .ttl = ttl, .value = 2);
        break;
    case 4:
        rh_timer("t", 10, tick, .value = 3);
        break;
    case 5:
        state->number += rh_choose(2);
        rh_send(to, work, .ttl = ttl, .value = (uint32_t)state->number % 10);
        break;
    case 6:
        if (!state->child && !state->children++) {
            rh_ref child =
                rh_spawn(node, .number = r, .peer = { to, to, self }, .server = state->server, .child = true);
            rh_send(child, work, .ttl = ttl, .value = 4);
        }
        break;
    case 7:
        rh_store_open(rh_name(self));
        rh_store_put("k", "v", 1);
        break;
    case 8: {
        const struct answer *a = rh_ask(state->server, question, answer, .value = 5);
        state->number = scrambled(state->number, a->value);
        break;
    }
    case 9:
        if (state->child)
            rh_stop();
        else
            rh_send(to, work, .ttl = ttl, .value = 6);
        break;
    case 10:
        rh_send_from(rh_external(r >> 40 & 1 ? "user" : "device"), to, work, .ttl = ttl, .value = 7);
        break;
    default:
        rh_send(rh_spawn(reader, .number = r, .to = to), work, .ttl = ttl, .value = 8);
    }
}
RH_HANDLER(node, tick)
{
    state->number = scrambled(state->number, msg->value);
}
RH_BEHAVIOUR(node, working, work, tick);

RH_BODY(reader)
{
    const struct work *got = rh_receive(work, .timeout_ms = 10);
    if (got)
        rh_send(state->to, work, .ttl = got->ttl - 1, .value = got->value + 1);
}

void program_begin(void)
{
    rh_ref s = rh_spawn(server);
    rh_ref a = rh_spawn(node, .number = 1, .server = s);
    rh_ref b = rh_spawn(node, .number = 2, .peer = { a, a, a }, .server = s);
    rh_ref c = rh_spawn(node, .number = 3, .peer = { a, b, a }, .server = s);
    rh_ref all[] = { c, b, a };
    uint64_t r = scrambled(program_seed, 99);
    uint32_t n = 2 + (uint32_t)(r % 2);
    for (uint32_t i = 0; i < n; i++)
        if (i == 1 && r >> 20 & 1)
            rh_send_from(rh_external("user"), all[(r >> (4 * i)) % 3], work, .ttl = 3, .value = i);
        else
            rh_send(all[(r >> (4 * i)) % 3], work, .ttl = 3, .value = i);
    if (program_is_open)
        rh_open(all[(r >> 30) % 3], work);
}

RH_TEST(program)
{
    program_begin();
}

struct rh_semantics program_semantics(uint64_t seed)
{
    struct rh_semantics s = { .model = (enum rh_model)(seed % 4),
                              .max_steps = 200,
                              .max_actors = 32,
                              .seed = 1,
                              .dead_letters = RH_DEAD_LETTER_IGNORE };
    uint64_t r = scrambled(seed, 5);
    if (s.model == RH_MAILBOX && r % 2)
        s.granularity = RH_GRAIN_SEND;
    else if (r % 5 == 0)
        s.granularity = RH_GRAIN_OBJECT;
    s.time = r >> 8 & 1 ? RH_TIME_FREE : RH_TIME_ORDERED;
    one_fault(&s, (r >> 16) % 8);
    vary_partitions(&s, r >> 44);
    if (r >> 40 & 1)
        strcpy(s.timer_budgets, "t=1");
    return s;
}
