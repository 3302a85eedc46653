/* Programs made from a seed in which nodes of one type work with a hub: some are alike, some are told apart by a
 * number, a name or a random number.  They fail, end, wait, spawn, and use timers, stores, names, links and
 * monitors. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_NODES_H
#define RH_TESTS_EXPLORE_SUPPORT_NODES_H

#include "explore/support/faults.h"
#include "explore/support/runs.h"

RH_MESSAGE(job, int32_t ttl; uint32_t value; rh_ref who;);
RH_MESSAGE(tell, uint32_t value;);
RH_MESSAGE(told, uint32_t value;);
RH_ACTOR(node, uint64_t number; rh_ref hub; rh_ref peer; uint64_t * heap;);
RH_ACTOR(hub, uint64_t number; rh_ref last; uint32_t spawned;);

static uint64_t seed; /* written only between worlds */

static uint64_t scrambled(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

RH_HANDLER(node, job)
{
    state->number = scrambled(state->number, msg->value);
    uint64_t r = scrambled(seed, state->number);
    int32_t ttl = msg->ttl - 1;
    uint32_t value = (uint32_t)(r >> 32) % 100;
    if (!rh_is_nobody(msg->who) && !rh_same(msg->who, self))
        state->peer = msg->who;
    rh_assert(r % 23, "node");
    if (ttl <= 0)
        return;
    switch ((r >> 8) % 16) {
    case 0:
        rh_stop();
        break;
    case 1:
        rh_timer("t", 10, tell, .value = 3);
        break;
    case 2:
        if (r >> 60 < 4) { /* its name tells it apart */
            rh_store_open(rh_name(self));
            rh_store_put("k", "v", 1);
        }
        break;
    case 3:
        value += rh_choose(2);
        break;
    case 4:
        if (r >> 60 < 4)
            value += (uint32_t)(rh_random() % 3);
        break;
    case 5:
        if (r >> 60 < 4)
            value += (uint32_t)rh_name(self)[5];
        break;
    case 6: {
        const struct told *t = rh_ask(state->hub, tell, told, .value = value);
        state->number = scrambled(state->number, t->value);
        break;
    }
    case 7:
        value += rh_register("node", self);
        break;
    case 8:
        free(state->heap);
        state->heap = calloc(3, sizeof *state->heap);
        if (state->heap)
            state->heap[0] = (uint64_t)(uintptr_t)state->heap, state->heap[1] = r;
        break;
    case 9:
        rh_send(rh_is_nobody(state->peer) ? self : state->peer, job, .ttl = ttl, .value = value);
        return;
    case 10:
        rh_send(state->hub, job, .ttl = ttl, .value = value, .who = self);
        return;
    case 11:
        rh_link(state->hub);
        break;
    default:
        break;
    }
    rh_send(state->hub, job, .ttl = ttl, .value = value);
}
RH_HANDLER(node, tell)
{
    state->number = scrambled(state->number, msg->value);
}
RH_BEHAVIOUR(node, noding, job, tell);

RH_HANDLER(hub, job)
{
    state->number = scrambled(state->number, msg->value);
    uint64_t r = scrambled(seed + 1, state->number);
    int32_t ttl = msg->ttl - 1;
    rh_assert(r % 23, "hub");
    if (ttl <= 0)
        return;
    switch ((r >> 8) % 8) {
    case 0:
    case 1:
        rh_send(rh_sender(), job, .ttl = ttl, .value = 5, .who = msg->who);
        break;
    case 2:
        state->last = rh_sender();
        break;
    case 3:
        if (!rh_is_nobody(state->last))
            rh_send(state->last, job, .ttl = ttl, .value = 6, .who = rh_sender());
        state->last = (rh_ref){ 0 };
        break;
    case 4:
        if (state->spawned++ < 1)
            for (int i = 0; i < 2; i++)
                rh_send(rh_spawn(node, .number = 9, .hub = self), job, .ttl = ttl, .value = 7);
        break;
    case 5:
        rh_monitor(rh_sender());
        break;
    default:
        break;
    }
}
RH_HANDLER(hub, tell)
{
    state->number++;
    rh_reply(told, .value = msg->value + (uint32_t)state->number % 2);
}
RH_HANDLER(hub, rh_down)
{
    (void)msg;
    state->number = scrambled(state->number, 77);
}
RH_BEHAVIOUR(hub, hubbing, job, tell, rh_down);

RH_TEST(nodes)
{
    uint64_t r = scrambled(seed, 4);
    rh_ref h = rh_spawn(hub);
    uint32_t n = 2 + r % 2;
    for (uint32_t i = 0; i < n; i++) {
        rh_ref one = rh_spawn(node, .hub = h, .number = r >> 20 & 1 ? 1 : i / 2);
        rh_send(one, job, .ttl = 3 + (r >> 8) % 2, .value = 1);
        if (r >> 30 & 1)
            rh_send_from(rh_external("user"), one, job, .ttl = 2, .value = 2);
    }
}

static inline struct rh_semantics semantics_of(uint64_t number)
{
    static const enum rh_model models[] = { RH_FIFO, RH_BAG, RH_MAILBOX };
    struct rh_semantics s = { .model = models[number % 3],
                              .max_steps = 200,
                              .max_actors = 32,
                              .seed = 1,
                              .dead_letters = RH_DEAD_LETTER_IGNORE };
    uint64_t r = scrambled(number, 5);
    s.time = r >> 8 & 1 ? RH_TIME_FREE : RH_TIME_ORDERED;
    s.granularity = r >> 9 & 1 ? RH_GRAIN_HANDLER : RH_GRAIN_OBJECT;
    one_fault(&s, (r >> 16) % 8);
    vary_partitions(&s, r >> 44);
    return s;
}

#endif
