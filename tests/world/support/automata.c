#include "world/support/automata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/generated.h"

struct automata automata;

static rh_ref all[AUTOMATA_MOST]; /* written by the test's body, before anything else happens */
static uint8_t shared_byte;

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

static uint64_t bits_of(const struct soul *s, uint32_t type, uint32_t value, uint32_t turn)
{
    uint64_t h =
        automata.seed * 0x9e3779b97f4a7c15u + s->me * 1000003u + s->mood * 10007u + type * 101u + value * 11u + turn;
    generated_random(&h);
    return generated_random(&h);
}

static void learn(struct soul *s, const char *what, uint64_t value)
{
    rh_log("%u %s %llu", s->me, what, (unsigned long long)value);
    s->mood = (uint8_t)((s->mood + value) % 3);
}

static uint32_t count_of(void)
{
    return automata.cells + automata.walkers;
}

static rh_ref someone(const struct soul *s, uint64_t bits)
{
    if (!rh_is_nobody(s->friend_) && bits % 3 == 0)
        return s->friend_;
    return all[(bits / 3) % count_of()];
}

static uint32_t kind_of(const struct rh_message_type *t)
{
    return t == &rh_message_coin ? 1 : t == &rh_message_demand ? 2 : t == &rh_message_payback ? 3 : 4;
}

static bool has_content(const struct rh_message_type *t)
{
    return t == &rh_message_coin || t == &rh_message_demand || t == &rh_message_payback || t == &rh_message_chime;
}

/* What a program can see of a message, as one number. */
static uint64_t sight_of(const struct rh_envelope *e)
{
    const struct coin *t = e->value;
    uint64_t h = kind_of(e->type) * 16 + e->tail_size;
    if (has_content(e->type))
        h = h * 8 + t->value * 4 + t->ttl;
    else if (e->type == &rh_message_rh_down)
        h = h * 64 + strlen(((const struct rh_down *)e->value)->reason) * 2 +
            (((const struct rh_down *)e->value)->result != 0);
    else if (e->type == &rh_message_rh_exited)
        h = h * 32 + strlen(((const struct rh_exited *)e->value)->reason);
    for (uint32_t i = 0; i < count_of(); i++)
        h = h * 2 + rh_same(e->sender, all[i]);
    return h;
}

static uint8_t ttl_of(const struct rh_envelope *e)
{
    return has_content(e->type) ? ((const struct coin *)e->value)->ttl : 0;
}

/* ---- deeds ------------------------------------------------------------------------------------------------------- */

#define FIELDS .ttl = (uint8_t)(ttl - 1), .value = (uint8_t)(bits >> 20 & 1)

static void send_one(uint64_t bits, uint8_t ttl, rh_ref to)
{
    if (!ttl)
        return;
    if (bits >> 21 & 1)
        rh_send(to, coin, FIELDS);
    else
        rh_send(to, demand, FIELDS);
}

static void do_spawn(struct soul *s, uint64_t bits, uint8_t ttl)
{
    if (s->child || !rh_is_nobody(s->friend_))
        return;
    struct soul child = { .me = (uint8_t)(s->me + 8), .child = true };
    enum rh_watch watch = bits >> 30 & 1 ? bits >> 31 & 1 ? RH_WATCH_LINK : RH_WATCH_MONITOR : RH_WATCH_NONE;
    if (bits >> 32 & 1)
        s->friend_ = rh_spawn_watched_(&rh_actor_cell, &(struct cell){ .soul = child }, watch, RH_HERE);
    else if (bits >> 33 & 1)
        s->friend_ = rh_spawn_watched_(&rh_actor_riser, &(struct riser){ .soul = child }, watch, RH_HERE);
    else
        s->friend_ = rh_spawn_watched_(&rh_actor_strider, &(struct strider){ .soul = child }, watch, RH_HERE);
    send_one(bits >> 3, ttl, s->friend_);
}

static void do_become(const struct soul *s, uint64_t bits, uint32_t kind)
{
    bool deaf = bits >> 30 & 1;
    if (kind == 0 && deaf)
        rh_become(cell, deaf);
    else if (kind == 0)
        rh_become(cell, open);
    else if (kind == 1 && deaf)
        rh_become(riser, deaf);
    else if (kind == 1)
        rh_become(riser, open);
    (void)s;
}

static void do_timer(struct soul *s, uint64_t bits, uint8_t ttl)
{
    const char *name = bits >> 30 & 1 ? "one" : "two";
    if (bits >> 31 & 3 && ttl)
        rh_timer(name, 10 * (1 + (int64_t)(bits >> 34 & 1)), chime, FIELDS);
    else
        learn(s, "cancels", rh_timer_cancel(name));
}

static void do_ask(struct soul *s, rh_ref self, uint64_t bits, uint8_t ttl, bool within)
{
    rh_ref to = someone(s, bits >> 30);
    if (rh_same(to, self) || !ttl)
        return;
    const struct payback *a =
        within ? rh_ask_within(10, to, demand, payback, FIELDS) : rh_ask(to, demand, payback, FIELDS);
    learn(s, "is answered", a ? 1 + a->value : 0);
}

static void do_name(struct soul *s, rh_ref self, uint64_t bits, uint8_t ttl)
{
    const char *name = bits >> 30 & 1 ? "a" : "b";
    switch (bits >> 31 & 3) {
    case 0:
        learn(s, "registers", rh_register(name, bits >> 33 & 1 ? self : someone(s, bits >> 34)));
        break;
    case 1:
        learn(s, "unregisters", rh_unregister(name));
        break;
    default: {
        rh_ref who = rh_whereis(name);
        learn(s, "looks up", !rh_is_nobody(who));
        if (!rh_is_nobody(who))
            send_one(bits, ttl, who);
    }
    }
}

static void do_link(const struct soul *s, uint64_t bits, bool monitors)
{
    rh_ref who = someone(s, bits >> 30);
    bool on = bits >> 40 & 3;
    if (monitors && on)
        rh_monitor(who);
    else if (monitors)
        rh_demonitor(who);
    else if (on)
        rh_link(who);
    else
        rh_unlink(who);
}

static void do_join(struct soul *s, rh_ref self, uint64_t bits)
{
    rh_ref who = someone(s, bits >> 30);
    if (rh_same(who, self))
        return;
    const struct rh_down *d = rh_join_within(bits >> 41 & 1 ? 10 : bits >> 42 & 1 ? RH_POLL : 0, who);
    const struct payback *a = rh_result(d, payback);
    learn(s, "joins", d ? strlen(d->reason) * 4 + (a ? 1 + a->value : 0) : 0);
}

static void do_table(struct soul *s, uint64_t bits)
{
    const char *key = bits >> 30 & 1 ? "k0" : "k1";
    uint8_t value = bits >> 31 & 1, other = 1, got = 0;
    switch ((bits >> 32) % 6) {
    case 0:
        learn(s, "puts", rh_table_put(board, key, &value, 1));
        break;
    case 1:
        learn(s, "inserts", rh_table_insert_new(board, key, &value, 1));
        break;
    case 2:
        learn(s, "removes", rh_table_remove(board, key));
        break;
    case 3:
        learn(s, "swaps", rh_table_swap(board, key, &other, 1, &value, 1));
        break;
    case 4:
        learn(s, "adds", (uint64_t)rh_table_add(list_, bits >> 36 & 1 ? "n0" : "n1", 1 - 2 * (int64_t)value));
        break;
    default: {
        int64_t size = rh_table_get(board, key, &got, 1);
        learn(s, "gets", (uint64_t)(size + 1) * 2 + got);
    }
    }
}

static void do_ordered(struct soul *s, uint64_t bits)
{
    char key[RH_TABLE_KEY_SIZE] = "n0";
    int64_t one = 1;
    key[1] = (char)('0' + (bits >> 30 & 1));
    switch ((bits >> 31) % 4) {
    case 0:
        learn(s, "puts in order", rh_table_put(list_, key, &one, sizeof one));
        break;
    case 1:
        learn(s, "removes in order", rh_table_remove(list_, key));
        break;
    case 2:
        learn(s, "counts", rh_table_count(list_));
        break;
    default:
        learn(s, "next", rh_table_next(list_, bits >> 33 & 1 ? key : "", key, sizeof key) ? (uint64_t)key[1] : 5);
    }
}

static void do_store(struct soul *s, uint64_t bits, bool sync)
{
    const char *key = bits >> 30 & 1 ? "k0" : "k1";
    uint8_t value = bits >> 31 & 1, got = 0;
    char name[8];
    snprintf(name, sizeof name, "s%u", automata.seed & 8 ? s->me : 0);
    rh_store_open(name);
    if (sync) {
        rh_store_sync();
        learn(s, "syncs", 1);
    } else if (bits >> 32 & 3) {
        learn(s, "stores", rh_store_put(key, bits >> 34 & 3 ? &value : NULL, 1));
    } else {
        int64_t size = rh_store_get(key, &got, 1);
        learn(s, "reads", (uint64_t)(size + 1) * 2 + got);
    }
}

static bool is_one(const struct rh_envelope *e, const void *arg)
{
    return has_content(e->type) && ((const struct coin *)e->value)->value == *(const uint8_t *)arg;
}

/* Waits as the bits say; returns what is left of the message's time to live, and whether there was one. */
static uint8_t receive(struct soul *s, uint64_t bits, bool *got)
{
    int64_t ms = bits >> 30 & 1 ? 0 : bits >> 31 & 1 ? 10 : RH_POLL;
    const struct rh_envelope *e;
    switch (bits >> 33 & 7) {
    case 0:
        e = rh_receive_any(.types = RH_TYPES(coin, chime), .timeout_ms = ms);
        break;
    case 1:
        e = rh_receive_any(.from = someone(s, bits >> 40), .timeout_ms = ms);
        break;
    case 2:
        e = rh_receive_any(.match = is_one, .arg = &s->mood, .timeout_ms = ms);
        break;
    default:
        e = rh_receive_any(.timeout_ms = ms);
    }
    uint8_t ttl = e ? ttl_of(e) : 0;
    *got = e;
    learn(s, "receives", e ? sight_of(e) : 0);
    if (e && bits >> 50 & 1 && e->type == &rh_message_demand && ttl)
        rh_reply(payback, FIELDS);
    if (e && bits >> 51 & 1) { /* looks at it again, later */
        rh_sleep(10);
        learn(s, "looks again", sight_of(e));
    }
    return ttl;
}

static void do_set(struct soul *s, uint64_t bits)
{
    int64_t ms = bits >> 30 & 1 ? 0 : bits >> 31 & 1 ? 10 : RH_POLL;
    size_t n = 1 + (bits >> 32 & 1);
    const struct rh_envelope *e =
        bits >> 33 & 1 ? rh_receive_set(n, coin, .timeout_ms = ms) : rh_receive_set_any(n, .timeout_ms = ms);
    if (e && bits >> 34 & 1)
        rh_sleep(10);
    uint64_t sum = 0;
    for (size_t i = 0; e && i < n; i++)
        sum = sum * 7 + sight_of(&e[i]);
    learn(s, "takes a set", sum);
}

static void do_heap(struct soul *s, uint64_t bits)
{
    if (s->block && bits >> 30 & 1) {
        learn(s, "finds in its block", *s->block);
        free(s->block);
        s->block = NULL;
    } else if (!s->block && (s->block = malloc(1))) {
        *s->block = bits >> 31 & 1;
    }
}

static void do_keep(struct soul *s, uint64_t bits, uint8_t ttl, bool handles)
{
    if (s->keeps) {
        s->keeps = false;
        rh_reply_to(s->kept, payback, FIELDS);
        memset(&s->kept, 0, sizeof s->kept);
    } else if (handles) {
        s->kept = rh_keep_request();
        s->keeps = true;
    }
}

static void leave(uint64_t bits, uint8_t ttl, bool returns)
{
    if (returns)
        rh_return(payback, FIELDS);
    rh_exit(bits >> 30 & 1 ? "shutdown" : bits >> 31 & 1 ? "bad" : "normal");
}

/* kind: 0 a cell, 1 a riser, 2 a process, 3 the test's body. */
static void do_deed(struct soul *s, rh_ref self, uint32_t kind, enum deed deed, uint64_t bits, uint8_t ttl,
                    bool handles)
{
    switch (deed) {
    case DEED_SEND:
        send_one(bits, ttl, someone(s, bits >> 30));
        break;
    case DEED_FAN:
        send_one(bits, ttl, someone(s, bits >> 30));
        send_one(bits >> 1, ttl, someone(s, bits >> 34));
        break;
    case DEED_TAIL:
        if (ttl)
            rh_send_with(someone(s, bits >> 30), "xyz", bits >> 40 & 3, coin, FIELDS);
        break;
    case DEED_REPLY:
        if (handles && ttl)
            rh_reply(payback, FIELDS);
        break;
    case DEED_FORWARD:
        if (handles && s->me + 1u < count_of())
            rh_forward(all[s->me + 1]);
        break;
    case DEED_KEEP:
        do_keep(s, bits, ttl, handles);
        break;
    case DEED_ASK:
    case DEED_WITHIN:
        do_ask(s, self, bits, ttl, deed == DEED_WITHIN);
        break;
    case DEED_SPAWN:
        do_spawn(s, bits, ttl);
        break;
    case DEED_BECOME:
        do_become(s, bits, kind);
        break;
    case DEED_STOP:
        if (kind < 2)
            rh_stop();
        break;
    case DEED_EXIT:
    case DEED_RETURN:
        if (kind < 3)
            leave(bits, ttl, deed == DEED_RETURN);
        break;
    case DEED_KILL:
        rh_kill(someone(s, bits >> 30), bits >> 40 & 1 ? "shutdown" : "bad");
        break;
    case DEED_CHOOSE:
        learn(s, "chooses", rh_choose(2 + (bits >> 30 & 1)));
        break;
    case DEED_TIMER:
        do_timer(s, bits, ttl);
        break;
    case DEED_SLEEP:
        rh_sleep(10 * (1 + (int64_t)(bits >> 30 & 1)));
        learn(s, "wakes", 1);
        break;
    case DEED_NOW:
        learn(s, "finds the time", (uint64_t)rh_now_ms());
        break;
    case DEED_NAME:
        do_name(s, self, bits, ttl);
        break;
    case DEED_TO_NAME:
        if (ttl)
            learn(s, "sends to a name", rh_send_to_name(bits >> 30 & 1 ? "a" : "b", coin, FIELDS));
        break;
    case DEED_LINK:
    case DEED_MONITOR:
        do_link(s, bits, deed == DEED_MONITOR);
        break;
    case DEED_TRAP:
        rh_trap_exits(bits >> 30 & 1);
        break;
    case DEED_ALIVE:
        learn(s, "finds alive", rh_alive(someone(s, bits >> 30)));
        break;
    case DEED_JOIN:
        do_join(s, self, bits);
        break;
    case DEED_TABLE:
        do_table(s, bits);
        break;
    case DEED_ORDERED:
        do_ordered(s, bits);
        break;
    case DEED_STORE:
    case DEED_SYNC:
        do_store(s, bits, deed == DEED_SYNC);
        break;
    case DEED_ANNOUNCE:
        rh_announce(gossip, FIELDS);
        break;
    case DEED_EVENTUALLY:
        rh_eventually("a cold mood", s->mood == 0);
        break;
    case DEED_RECEIVE:
        receive(s, bits, &handles);
        break;
    case DEED_SET:
        do_set(s, bits);
        break;
    case DEED_RANDOM:
        learn(s, "draws", rh_random() & 1);
        break;
    case DEED_USER:
        if (ttl)
            rh_send_from(rh_external(bits >> 40 & 1 ? "u" : "v"), someone(s, bits >> 30), coin, FIELDS);
        break;
    case DEED_HEAP:
        do_heap(s, bits);
        break;
    case DEED_GLOBAL:
        learn(s, "reads the global", shared_byte);
        shared_byte = bits >> 30 & 1;
        break;
    case DEED_FAIL:
        rh_assert(s->mood != 2 || bits & 3, "a bad mood");
        break;
    case DEED_OPEN: /* the test's body alone */
    case DEED_COUNT:
        break;
    }
}

static void act(struct soul *s, rh_ref self, uint32_t kind, uint32_t type, uint32_t value, uint8_t ttl, bool handles)
{
    uint64_t bits = bits_of(s, type, value, 0);
    uint32_t n = 1 + (bits & 1), first = bits >> 2 & 1;
    for (uint32_t i = 0; i < n; i++, bits = bits_of(s, type, value, i)) {
        uint32_t pick = (uint32_t)(bits >> 56) % (automata.deed_count + first);
        enum deed deed = pick < automata.deed_count ? automata.deeds[pick] : DEED_SEND;
        do_deed(s, self, kind, deed, bits, ttl, handles);
    }
    s->mood = (uint8_t)((s->mood + (bits >> 10)) % 3);
}

/* ---- who there is ------------------------------------------------------------------------------------------------ */

#define SEES_CONTENT(actor, kind, message, type)                                                                       \
    RH_HANDLER(actor, message)                                                                                         \
    {                                                                                                                  \
        size_t tail;                                                                                                   \
        rh_tail(&tail);                                                                                                \
        act(&state->soul, self, kind, type, msg->value + 2 * (uint32_t)tail, msg->ttl, true);                          \
    }
#define SEES_END(actor, kind, message, type)                                                                           \
    RH_HANDLER(actor, message)                                                                                         \
    {                                                                                                                  \
        learn(&state->soul, #message, strlen(msg->reason));                                                            \
        act(&state->soul, self, kind, type, 0, 0, false);                                                              \
    }
#define AUTOMATON(actor, kind)                                                                                         \
    SEES_CONTENT(actor, kind, coin, 1)                                                                                 \
    SEES_CONTENT(actor, kind, demand, 2)                                                                               \
    SEES_CONTENT(actor, kind, payback, 3)                                                                              \
    SEES_CONTENT(actor, kind, chime, 4)                                                                                \
    SEES_END(actor, kind, rh_down, 5)                                                                                  \
    SEES_END(actor, kind, rh_exited, 6)                                                                                \
    RH_HANDLER(actor, rh_stored)                                                                                       \
    {                                                                                                                  \
        learn(&state->soul, "is stored", msg->ticket);                                                                 \
    }

AUTOMATON(cell, 0)
RH_BEHAVIOUR(cell, open, coin, demand, payback, chime, rh_down, rh_exited, rh_stored);
RH_BEHAVIOUR(cell, deaf, RH_DEFER(coin), demand, RH_IGNORE(payback), chime, rh_down, rh_exited);

AUTOMATON(riser, 1)
RH_HANDLER(riser, rh_start)
{
    learn(&state->soul, "starts", msg->restarts);
    act(&state->soul, self, 1, 7, msg->restarts, 2, false);
}
RH_BEHAVIOUR(riser, open, rh_start, coin, demand, payback, chime, rh_down, rh_exited, rh_stored);
RH_BEHAVIOUR(riser, deaf, rh_start, RH_DEFER(coin), demand, RH_IGNORE(payback), chime, rh_down, rh_exited);

RH_BODY(strider)
{
    struct soul *s = &state->soul;
    for (int i = 0; i < 3; i++) {
        bool got;
        uint8_t ttl = receive(s, bits_of(s, 8, 0, 0), &got);
        act(s, self, 2, 9, 0, ttl, got);
    }
}

RH_HANDLER(onlooker, gossip)
{
    rh_log("an onlooker in mood %u sees %u", state->mood, msg->value);
    state->mood = (uint8_t)((state->mood + 1 + msg->value) % 3);
    if (state->mood == 1)
        rh_become(onlooker, waiting);
    else
        rh_become(onlooker, calm);
}
RH_BEHAVIOUR(onlooker, calm, gossip);
RH_HOT_BEHAVIOUR(onlooker, waiting, gossip);

static bool has(enum deed deed)
{
    uint32_t i = 0;
    while (i < automata.deed_count && automata.deeds[i] != deed)
        i++;
    return i < automata.deed_count;
}

RH_TEST(automata)
{
    struct soul body = { .me = 20 };
    for (uint32_t i = 0; i < count_of(); i++) {
        struct soul soul = { .me = (uint8_t)i };
        if (i >= automata.cells)
            all[i] = rh_spawn(strider, .soul = soul);
        else if (automata.rises && i % 2 == 0)
            all[i] = rh_spawn(riser, .soul = soul);
        else
            all[i] = rh_spawn(cell, .soul = soul);
    }
    if (has(DEED_ANNOUNCE))
        rh_observe(onlooker);
    for (uint32_t i = 0; i < automata.starts; i++) {
        uint64_t bits = bits_of(&body, 10, i, 0);
        if (bits >> 50 & 1)
            rh_send_from(rh_external(bits >> 51 & 1 ? "u" : "v"), all[(bits >> 30) % count_of()], coin,
                         .ttl = (uint8_t)automata.ttl, .value = bits >> 40 & 1);
        else
            rh_send(all[(bits >> 30) % count_of()], coin, .ttl = (uint8_t)automata.ttl, .value = bits >> 40 & 1);
    }
    if (has(DEED_OPEN)) {
        uint32_t to = rh_choose(count_of());
        if (rh_choose(2))
            rh_open(all[to], coin);
        else
            rh_open(all[to], demand);
    }
    for (uint32_t i = 0; i < automata.body; i++)
        act(&body, self, 3, 11, i, (uint8_t)automata.ttl, false);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void make_semantics(struct automata *p, uint64_t *random)
{
    static const enum rh_granularity grains[] = { RH_GRAIN_HANDLER, RH_GRAIN_HANDLER, RH_GRAIN_OBJECT, RH_GRAIN_SEND,
                                                  RH_GRAIN_OBJECT };
    struct rh_semantics *s = &p->semantics;
    *s =
        (struct rh_semantics){ .model = (enum rh_model)(p->seed % 4),
                               .granularity = grains[generated_below(random, 5)],
                               .time = (enum rh_time)generated_below(random, 3),
                               .dead_letters = generated_below(random, 4) ? RH_DEAD_LETTER_IGNORE : RH_DEAD_LETTER_FAIL,
                               .max_actors = 24,
                               .max_steps = 200,
                               .max_bytes_per_actor = 65536,
                               .delay_steps = 2,
                               .outside_values = 2,
                               .pauses = p->seed >> 3 & 1,
                               .seed = p->seed + 1 };
    if (s->granularity == RH_GRAIN_SEND)
        s->model = RH_MAILBOX;
    switch (generated_below(random, 10)) {
    case 0:
        s->losses = 1;
        break;
    case 1:
        s->duplicates = 1;
        break;
    case 2:
        s->crashes = s->restarts = 1;
        break;
    case 3:
        s->crashes = s->kept_restarts = 1;
        break;
    case 4:
        s->partitions = 1;
        s->splits = (enum rh_splits)(p->seed % RH_ROWS(RH_SPLITS));
        s->across = (enum rh_across)(p->seed / 8 % RH_ROWS(RH_ACROSS));
        break;
    case 5:
        s->delays = 1;
        strcpy(s->timer_budgets, "one=1, two=2");
        break;
    case 6:
        s->losses = s->duplicates = 1;
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < p->deed_count; i++) {
        bool stores = p->deeds[i] == DEED_STORE || p->deeds[i] == DEED_SYNC;
        if (stores && generated_below(random, 3) == 0)
            s->failed_puts = s->failed_opens = 1;
        if (stores && generated_below(random, 3) == 0)
            s->crashes = s->restarts = 1;
        if (p->deeds[i] == DEED_OPEN)
            s->outside = 1 + generated_below(random, 2);
    }
}

void automata_make(struct automata *p, uint64_t seed)
{
    uint64_t random = seed * 77 + 5;
    generated_random(&random);
    *p = (struct automata){ .seed = seed };
    p->deed_count = 1 + generated_below(&random, 4);
    for (uint32_t i = 0; i < p->deed_count; i++)
        p->deeds[i] = (enum deed)generated_below(&random, DEED_COUNT);
    p->walkers = generated_below(&random, 3) ? 0 : 1 + generated_below(&random, 2);
    p->cells = 1 + generated_below(&random, 2) + !p->walkers;
    if (p->cells + p->walkers > AUTOMATA_MOST)
        p->cells = AUTOMATA_MOST - p->walkers;
    p->starts = 1 + generated_below(&random, 3);
    p->ttl = 1 + generated_below(&random, 3);
    p->body = generated_below(&random, 3) ? 0 : 1 + generated_below(&random, 2);
    p->rises = generated_below(&random, 2);
    make_semantics(p, &random);
}

bool automata_shrink(struct automata *p)
{
    if (p->ttl > 1)
        p->ttl--;
    else if (p->starts > 1)
        p->starts--;
    else if (p->body)
        p->body--;
    else
        return false;
    return true;
}

void automata_write(const struct automata *p, char *text, size_t size)
{
    static const char *const names[] = {
#define DEED_X(name) #name,
        DEEDS(DEED_X)
#undef DEED_X
    };
    const struct rh_semantics *s = &p->semantics;
    size_t n =
        (size_t)snprintf(text, size,
                         "seed %llu: %u cells%s, %u processes, %u starts, ttl %u, body %u; model %d, granularity "
                         "%d, time %d, dead letters %d; faults",
                         (unsigned long long)p->seed, p->cells, p->rises ? " (rising)" : "", p->walkers, p->starts,
                         p->ttl, p->body, s->model, s->granularity, s->time, s->dead_letters);
#define BUDGET(field) n += s->field && n < size ? (size_t)snprintf(text + n, size - n, " " #field "=%u", s->field) : 0;
    BUDGET(losses)
    BUDGET(duplicates)
    BUDGET(crashes)
    BUDGET(restarts)
    BUDGET(kept_restarts)
    BUDGET(partitions)
    BUDGET(delays)
    BUDGET(failed_puts)
    BUDGET(failed_opens)
    BUDGET(outside)
#undef BUDGET
    for (uint32_t i = 0; i < p->deed_count && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? " " : "; deeds ", names[p->deeds[i]]);
}
