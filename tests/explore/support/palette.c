#include "explore/support/palette.h"

#include <string.h>

#include "explore/support/faults.h"
#include "explore/support/scramble.h"

uint64_t palette_seed;

enum { PALETTE = 3 };

enum operation {
    SEND,
    SEND_TWO,
    BECOME_BUSY,
    BECOME_OPEN,
    STOP,
    EXIT,
    LINK,
    MONITOR,
    UNLINK,
    DEMONITOR,
    TRAP,
    KILL,
    REGISTER,
    REGISTER_OTHER,
    UNREGISTER,
    WHEREIS,
    ALIVE,
    TIMER,
    TIMER_OTHER,
    CANCEL,
    CHOOSE,
    ASK,
    ASK_WITHIN,
    PUT,
    SYNC,
    ANNOUNCE,
    EVENTUALLY,
    NOW,
    SPAWN,
    SPAWN_STROLLER,
    SLEEP,
    SEND_FROM,
    FORWARD,
    NOISE,
    LATER,
    RECEIVE,
    ASSERT,
    OPERATIONS,
    LATE = OPERATIONS, /* with logical time only, so that the programs of other seeds stay as they are */
    SPAWN_LINK,        /* these in every fourth program, for the same reason */
    SPAWN_MONITOR,
    JOIN,
    RETURN,
    TO_NAME,
    ASSUME,
    ALL_OPERATIONS,
};

static void operate(struct member *state, rh_ref self, enum operation what, uint64_t r, int32_t ttl)
{
    rh_ref to = state->peer[(r >> 8) % MEMBERS];
    const char *name = r >> 20 & 1 ? "x" : "y";
    bool self_or_nobody = rh_is_nobody(to) || rh_same(to, self);
    uint32_t value = (uint32_t)(r >> 32) % 100;
    if (rh_is_nobody(to))
        return;
    switch (what) {
    case SEND_TWO:
        if (ttl > 0)
            rh_send(state->peer[(r >> 12) % MEMBERS], job, .ttl = ttl, .value = value + 1);
        /* fall through */
    case SEND:
        if (ttl > 0)
            rh_send(to, job, .ttl = ttl, .value = value);
        break;
    case BECOME_BUSY:
        rh_become(member, busy);
        break;
    case BECOME_OPEN:
        rh_become(member, open);
        break;
    case STOP:
        rh_stop();
        break;
    case EXIT:
        rh_exit(value % 3 ? "normal" : "boom");
        break;
    case LINK:
        if (!self_or_nobody)
            rh_link(to);
        break;
    case MONITOR:
        if (!self_or_nobody)
            rh_monitor(to);
        break;
    case UNLINK:
        if (!self_or_nobody)
            rh_unlink(to);
        break;
    case DEMONITOR:
        if (!self_or_nobody)
            rh_demonitor(to);
        break;
    case TRAP:
        rh_trap_exits(value % 4 != 0);
        break;
    case KILL:
        if (!self_or_nobody)
            rh_kill(to, value % 2 ? "kill" : "tired");
        break;
    case REGISTER:
        state->number += rh_register(name, self);
        break;
    case REGISTER_OTHER:
        state->number += rh_register(name, to);
        break;
    case UNREGISTER:
        state->number += rh_unregister(name);
        break;
    case WHEREIS: {
        rh_ref found = rh_whereis(name);
        state->number = scrambled(state->number, !rh_is_nobody(found));
        if (!rh_is_nobody(found) && ttl > 0)
            rh_send(found, job, .ttl = ttl, .value = value);
        break;
    }
    case ALIVE:
        state->number = scrambled(state->number, rh_alive(to));
        break;
    case TIMER:
        rh_timer("t", 10 * (1 + value % 3), beat, .value = value);
        break;
    case TIMER_OTHER:
        rh_timer("u", 15, beat, .value = value);
        break;
    case CANCEL:
        state->number += rh_timer_cancel("t");
        break;
    case CHOOSE:
        state->number = scrambled(state->number, rh_choose(2));
        if (ttl > 0 && state->number % 2)
            rh_send(to, job, .ttl = ttl, .value = value);
        break;
    case ASK: {
        const struct told *a = rh_ask(state->helper, asked, told, .value = value % 8);
        state->number = scrambled(state->number, a->value);
        break;
    }
    case ASK_WITHIN: {
        const struct told *a = rh_ask_within(20, state->helper, asked, told, .value = value % 8);
        state->number = scrambled(state->number, a ? a->value : 1000);
        break;
    }
    case PUT:
        rh_store_open(rh_name(self));
        rh_store_put("k", &value, sizeof value);
        break;
    case SYNC:
        rh_store_open(rh_name(self));
        rh_store_put("k", &value, sizeof value);
        rh_store_sync();
        break;
    case ANNOUNCE:
        rh_announce(news, .value = value);
        break;
    case EVENTUALLY:
        rh_eventually("even", state->number % 2 == 0);
        break;
    case NOW:
        state->number = scrambled(state->number, (uint64_t)rh_now_ms());
        break;
    case SPAWN:
        if (!state->child && !state->children++) {
            rh_ref child = rh_spawn(member, .number = r, .left = 1, .child = true, .peer = { to, self, to },
                                    .helper = state->helper);
            rh_send(child, job, .ttl = ttl, .value = value);
            if (value % 2)
                rh_link(child);
        }
        break;
    case SPAWN_STROLLER:
        if (!state->child && !state->children++)
            rh_send(rh_spawn(stroller, .number = r, .to = to, .helper = state->helper), job, .ttl = ttl,
                    .value = value);
        break;
    case SLEEP:
        rh_sleep(12);
        break;
    case SEND_FROM:
        if (ttl > 0)
            rh_send_from(rh_external(value % 2 ? "user" : "device"), to, job, .ttl = ttl, .value = value);
        break;
    case FORWARD:
        if (!rh_same(to, self) && ttl > 0)
            rh_send(state->helper, asked, .value = 9);
        break;
    case NOISE:
        rh_send(to, noise, .value = value);
        break;
    case LATER:
        rh_send(to, later, .value = value);
        break;
    case RECEIVE: {
        const struct job *got = value % 2 ? rh_receive(job, .timeout_ms = 10)
                                          : rh_receive(job, .timeout_ms = RH_POLL, .from = state->peer[r % MEMBERS]);
        state->number = scrambled(state->number, got ? got->value : 77);
        break;
    }
    case ASSERT:
        rh_assert(state->number % 5 != 0, "number %u", (unsigned)(state->number % 25));
        break;
    case SPAWN_LINK:
    case SPAWN_MONITOR:
        if (!state->child && !state->children++) {
            struct member m = {
                .number = r, .left = 1, .child = true, .peer = { to, self, to }, .helper = state->helper
            };
            rh_ref child = what == SPAWN_LINK ? rh_spawn_watched_(&rh_actor_member, &m, RH_WATCH_LINK, RH_HERE)
                                              : rh_spawn_watched_(&rh_actor_member, &m, RH_WATCH_MONITOR, RH_HERE);
            rh_send(child, job, .ttl = ttl, .value = value);
        }
        break;
    case JOIN:
        if (!rh_same(to, self)) {
            const struct rh_down *d = rh_join_within(value % 2 ? 10 : RH_POLL, to);
            const struct told *t = rh_result(d, told);
            state->number = scrambled(state->number, d ? strlen(d->reason) + (t ? t->value : 0) : 97);
        }
        break;
    case RETURN:
        rh_return(told, .value = value);
    case TO_NAME:
        if (ttl > 0)
            state->number = scrambled(state->number, rh_send_to_name(name, job, .ttl = ttl, .value = value));
        break;
    case ASSUME:
        rh_assume(state->number % 3 != 0);
        break;
    case ALL_OPERATIONS:
        break;
    case LATE:
        if (rh_now_ms() >= 1 + value % 4 && ttl > 0)
            rh_send(to, job, .ttl = ttl, .value = value);
        break;
    }
}

static bool palette_clock(uint64_t seed)
{
    return seed >= PALETTE_CLOCK && seed < PALETTE_OUTSIDE;
}

static bool palette_logical(uint64_t seed)
{
    return seed >= PALETTE_LOGICAL && seed < PALETTE_CLOCK;
}

static enum operation operation_in(uint64_t slot)
{
    if (slot == 0)
        return SEND;
    if (slot == 1 && palette_logical(palette_seed))
        return palette_seed & 4 ? LATE : NOW;
    if (slot == 1 && palette_clock(palette_seed)) {
        static const enum operation timed[] = { TIMER, TIMER_OTHER, CANCEL, ASK_WITHIN, SLEEP, RECEIVE, NOW, TIMER };
        return timed[palette_seed >> 2 & 7];
    }
    if (slot == 2 && scrambled(palette_seed, 7) % 4 == 0)
        return (enum operation)(SPAWN_LINK + scrambled(palette_seed, 8) % (ALL_OPERATIONS - SPAWN_LINK));
    return (enum operation)(scrambled(palette_seed, 1000 + slot) % OPERATIONS);
}

static void act(struct member *state, rh_ref self, uint32_t kind, uint32_t value, int32_t ttl)
{
    state->number = scrambled(state->number, kind * 1000 + value);
    if (state->left-- <= 0)
        return;
    uint64_t r = scrambled(palette_seed, state->number);
    for (uint32_t n = 1 + (uint32_t)(r % 2); n; n--) {
        operate(state, self, operation_in((r >> 40) % (PALETTE + 1)), r, ttl);
        r = scrambled(r, state->number);
    }
}

RH_HANDLER(member, job)
{
    act(state, self, 1, msg->value, msg->ttl - 1);
}
RH_HANDLER(member, later)
{
    act(state, self, 2, msg->value, 0);
}
RH_HANDLER(member, beat)
{
    act(state, self, 3, msg->value, 1);
}
RH_HANDLER(member, told)
{
    act(state, self, 4, msg->value, 1);
}
RH_HANDLER(member, rh_down)
{
    act(state, self, 5, (uint32_t)strlen(msg->reason), 1);
}
RH_HANDLER(member, rh_exited)
{
    act(state, self, 6, (uint32_t)strlen(msg->reason), 1);
}
RH_HANDLER(member, rh_stored)
{
    act(state, self, 7, msg->ticket, 1);
}
RH_BEHAVIOUR(member, open, job, later, beat, told, rh_down, rh_exited, rh_stored);
RH_BEHAVIOUR(member, busy, RH_DEFER(job), beat, told, rh_down, rh_exited, rh_stored, RH_IGNORE(noise));

RH_HANDLER(helper, asked)
{
    uint64_t r = scrambled(palette_seed, scrambled(state->number++, msg->value));
    switch (r % 6) {
    case 0:
        rh_sleep(15);
        rh_reply(told, .value = msg->value + 1);
        break;
    case 1:
        if (!rh_is_nobody(state->other)) {
            rh_forward(state->other);
            break;
        }
        rh_reply(told, .value = msg->value + 2);
        break;
    case 2:
        rh_reply(told, .value = rh_choose(2));
        rh_reply(told, .value = 7); /* one answer too many */
        break;
    case 3:
        if (r >> 20 & 1)
            rh_stop();
        rh_reply(told, .value = msg->value + 4);
        break;
    default:
        rh_reply(told, .value = msg->value + 3 + (uint32_t)state->number);
    }
}
RH_BEHAVIOUR(helper, helping, asked);

static bool is_odd(const struct rh_envelope *m, const void *arg)
{
    (void)arg;
    return m->type == &rh_message_job && ((const struct job *)m->value)->value % 2;
}

RH_BODY(stroller)
{
    uint64_t r = scrambled(palette_seed, 55);
    for (int turn = 0; turn < 2; turn++, r >>= 8) {
        uint32_t value = 0;
        switch (r % 8) {
        case 0: {
            const struct job *m = rh_receive(job, .timeout_ms = 10);
            value = m ? m->value : 99;
            break;
        }
        case 1: {
            const struct rh_envelope *m = rh_receive_any(.types = RH_TYPES(job, noise), .timeout_ms = RH_POLL);
            value = m ? 5 : 6;
            break;
        }
        case 2: {
            const struct rh_envelope *m = rh_receive_any(.match = is_odd, .idle = true, .timeout_ms = 30);
            value = m ? rh_as(m, job)->value : 3;
            break;
        }
        case 3: {
            const struct told *a = rh_ask_within(25, state->helper, asked, told, .value = 4);
            value = a ? a->value : 98;
            break;
        }
        case 4:
            rh_sleep(12);
            break;
        case 5:
            value = rh_choose(2);
            break;
        case 6:
            rh_timer("w", 20, beat, .value = 1);
            value = rh_receive_any(.idle = true)->type == &rh_message_beat;
            break;
        default:
            rh_register("x", rh_self());
        }
        state->number = scrambled(state->number, value);
        if (!rh_is_nobody(state->to))
            rh_send(state->to, job, .ttl = 1, .value = (uint32_t)(state->number % 10));
    }
}

RH_HANDLER(gazette, news)
{
    state->number = scrambled(state->number, msg->value);
    rh_assert(state->number % 7, "news %u", (unsigned)(state->number % 49));
    if (++state->seen % 2)
        rh_become(gazette, thrilled);
    else
        rh_become(gazette, calm);
}
RH_BEHAVIOUR(gazette, calm, news);
RH_HOT_BEHAVIOUR(gazette, thrilled, news);

static bool is_small(const struct job *m)
{
    return m->ttl > 0 && m->ttl < 3 && m->value < 3;
}

RH_TEST(palette)
{
    uint64_t r = scrambled(palette_seed, 99);
    rh_ref all[MEMBERS], second = rh_spawn(helper), h = rh_spawn(helper, .number = 1, .other = second);
    bool late = (r >> 30) % 8 == 0;
    if (!late)
        rh_observe(gazette);
    /* The first knows only itself, the others those before them. */
    for (int i = 0; i < MEMBERS; i++) {
        struct member m = { .number = (uint64_t)i, .left = 2, .helper = h };
        for (int k = 0; k < i; k++)
            m.peer[k] = all[(r >> (k + 3 * i)) % (uint64_t)i];
        if (i == MEMBERS - 1 || (r >> 40) % 3 == 0)
            m.peer[i] = all[0];
        all[i] = rh_spawn_value(member, &m);
    }
    uint32_t n = 2 + (uint32_t)(r % 2);
    for (uint32_t i = 0; i < n; i++)
        if (i == 1 && r >> 20 & 1)
            rh_send_from(rh_external("user"), all[2 - (r >> (4 * i + 4)) % 2], job, .ttl = 2, .value = i);
        else
            rh_send(all[2 - (r >> (4 * i + 4)) % 2], job, .ttl = 2, .value = i);
    if (palette_semantics(palette_seed).outside)
        rh_open(all[(r >> 50) % MEMBERS], job, .when = is_small);
    if (late) {
        rh_sleep(5);
        rh_observe(gazette);
    }
}

struct rh_semantics palette_semantics(uint64_t seed)
{
    struct rh_semantics s = { .model = (enum rh_model)(seed % 4), .max_steps = 200, .max_actors = 32, .seed = 1 };
    uint64_t r = scrambled(seed, 5);
    s.granularity = r % 3 ? RH_GRAIN_HANDLER : (enum rh_granularity)(RH_GRAIN_HANDLER + (r >> 4) % 3);
    if (s.granularity == RH_GRAIN_SEND && s.model != RH_MAILBOX)
        s.granularity = RH_GRAIN_HANDLER;
    s.time = r >> 8 & 1 && s.granularity != RH_GRAIN_OBJECT ? RH_TIME_ORDERED : RH_TIME_FREE;
    if (palette_logical(seed))
        s.time = RH_TIME_LOGICAL;
    if (palette_clock(seed)) {
        s.granularity = RH_GRAIN_OBJECT;
        s.time = RH_TIME_ORDERED;
        s.pauses = r >> 9 & 1;
    }
    s.dead_letters = (enum rh_dead_letter)((r >> 12) % 3);
    one_fault(&s, (r >> 16) % 12);
    vary_partitions(&s, r >> 44);
    if ((r >> 40 & 3) == 0)
        strcpy(s.timer_budgets, "t=1, u=1");
    if (seed >= PALETTE_OUTSIDE) {
        s.outside = 1;
        s.outside_values = 2;
    }
    static const struct rh_actor_type *const members[] = { &rh_actor_member, NULL };
    if (r >> 28 & 1)
        s.may_crash = s.may_lose = members;
    return s;
}
