#include "coverage/support/plain.h"

struct plain_program plain_program;

static rh_ref plain_workers[PLAIN_WORKERS]; /* written by the test's body before anything else happens */

static uint64_t plain_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void plain_send(const struct worker *state, uint64_t r, int32_t ttl)
{
    rh_ref to = plain_workers[(r >> 8) % plain_program.workers];
    if (r >> 16 & 1 && !rh_is_nobody(state->friend))
        to = state->friend;
    if (r >> 17 & 1)
        rh_send(to, task, .ttl = ttl - 1, .value = (uint32_t)(r >> 40), .friend = state->friend);
    else
        rh_send(to, memo, .ttl = ttl - 1, .value = (uint32_t)(r >> 40), .friend = state->friend);
}

static void plain_take(struct worker *state, uint32_t kind, int32_t ttl, uint32_t value, rh_ref friend)
{
    state->number = plain_mix(state->number, value * 2 + kind);
    if (!rh_is_nobody(friend))
        state->friend = friend;
    uint64_t r = plain_mix(plain_program.seed, state->number);
    if ((plain_program.by_state ? r : plain_mix(plain_program.seed, value)) % 3 == 0) {
        state->eager = !state->eager;
        if (state->eager)
            rh_become(worker, eager);
        else
            rh_become(worker, calm);
    }
    if (ttl <= 0)
        return;
    if (r >> 4 & 1 && !state->child && rh_is_nobody(state->friend))
        state->friend = rh_spawn(worker, .number = r, .child = true);
    for (uint64_t n = (r >> 6) % (plain_program.fan + 1); n; n--)
        plain_send(state, r = plain_mix(r, n), ttl);
}

RH_HANDLER(worker, task)
{
    plain_take(state, 0, msg->ttl, msg->value, msg->friend);
}

RH_HANDLER(worker, memo)
{
    plain_take(state, 1, msg->ttl, msg->value, msg->friend);
}

RH_BEHAVIOUR(worker, calm, task, memo);

RH_BEHAVIOUR(worker, eager, memo, task);

RH_TEST(plain)
{
    static const char *const users[PLAIN_USERS] = { "a", "b", "c", "d" };
    for (uint32_t i = 0; i < plain_program.workers; i++)
        plain_workers[i] = rh_spawn(worker, .number = i);
    for (uint32_t i = 0; i < plain_program.users; i++) {
        uint64_t r = plain_mix(plain_program.seed, 1000 + i);
        rh_ref to = plain_workers[(r >> 8) % plain_program.workers];
        if (r >> 20 & 1)
            rh_send(to, task, .ttl = (int32_t)plain_program.ttl, .value = i);
        else
            rh_send_from(rh_external(users[(r >> 24) % PLAIN_USERS]), to, task, .ttl = (int32_t)plain_program.ttl,
                         .value = i);
    }
}

void plain_make(uint64_t seed, uint32_t size)
{
    uint64_t r = plain_mix(seed, 31);
    plain_program.seed = seed;
    plain_program.workers = 2 + (uint32_t)(r % 3);
    plain_program.users = 2 + (uint32_t)(r >> 8) % 3;
    plain_program.fan = 1 + (uint32_t)(r >> 16) % 2;
    plain_program.ttl = size;
}
