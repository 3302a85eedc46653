/* What actors of oracle_program.h can do. */
#include "explore/support/oracle_mind.h"

static void send_one(struct mind *m, uint64_t bits, int32_t ttl, rh_ref to)
{
    if (ttl <= 0)
        return;
    SAY("sends %s with %u to %s", bits >> 20 & 1 ? "note" : "work", (uint32_t)(bits >> 50 & 3), rh_name(to));
    if (bits >> 20 & 1)
        rh_send(to, note, FIELDS);
    else
        rh_send(to, work, FIELDS);
}

static void spawn_one(struct mind *m, uint64_t bits, int32_t ttl, enum rh_watch from_birth)
{
    if (m->child || !rh_is_nobody(m->friend))
        return;
    struct mind mind = { .me = m->me + 8, .child = true };
    switch ((bits >> 22) % 3) {
    case 0:
        mind.walks = true;
        m->friend = rh_spawn_watched_(&rh_actor_walker, &(struct walker){ .mind = mind }, from_birth, RH_HERE);
        break;
    case 1:
        mind.starts = true;
        m->friend = rh_spawn_watched_(&rh_actor_starter, &(struct starter){ .mind = mind }, from_birth, RH_HERE);
        break;
    default:
        m->friend = rh_spawn_watched_(&rh_actor_player, &(struct player){ .mind = mind }, from_birth, RH_HERE);
    }
    SAY("spawns %s", rh_name(m->friend));
    if (bits >> 24 & 3)
        send_one(m, bits, ttl, m->friend);
}

/* A register with small values; `crowd` makes it weak. */
static bool apply_to_cell(void *state, const struct rh_operation *o)
{
    uint32_t *cell = state;
    const struct wrote *w = rh_as(&o->call, wrote);
    const struct found *f = rh_as(&o->result, found);
    if (w && w->value)
        *cell = w->value;
    return !f || f->value == *cell;
}
RH_HISTORY(cells, .state_size = sizeof(uint32_t), .apply = apply_to_cell);
RH_HISTORY(weak_cells, .state_size = sizeof(uint32_t), .consistency = RH_SEQUENTIAL, .apply = apply_to_cell);

/* Calls, or returns from the last call: a write of 1 or 2, or a read (0), which finds what it likes. */
static void use_history(struct mind *m, uint64_t bits)
{
    uint32_t value = (uint32_t)(bits >> 22) % 3;
    const char *key = bits >> 26 & 3 ? NULL : "k";
    bool weak = program.seed % 4 == 0;
    SAY("%s %u", m->call.id ? "returns" : "calls", value);
    if (!m->call.id) {
        m->call = weak ? rh_history_call(weak_cells, key, wrote, .value = value)
                       : rh_history_call(cells, key, wrote, .value = value);
    } else {
        struct rh_call call = m->call;
        m->call.id = 0;
        if (weak)
            rh_history_return(weak_cells, call, found, .value = value);
        else
            rh_history_return(cells, call, found, .value = value);
    }
}

static void change_behaviour(const struct mind *m, uint64_t bits)
{
    if (m->walks)
        return;
    SAY("becomes %s", bits >> 22 & 3 ? bits >> 22 & 1 ? "closed" : "deaf" : "open");
    if (m->gathers)
        switch (bits >> 22 & 3) {
        case 0:
            rh_become(gatherer, open);
            break;
        case 2:
            rh_become(gatherer, deaf);
            break;
        default:
            rh_become(gatherer, closed);
        }
    else if (m->starts)
        switch (bits >> 22 & 3) {
        case 0:
            rh_become(starter, open);
            break;
        case 2:
            rh_become(starter, deaf);
            break;
        default:
            rh_become(starter, closed);
        }
    else
        switch (bits >> 22 & 3) {
        case 0:
            rh_become(player, open);
            break;
        case 2:
            rh_become(player, deaf);
            break;
        default:
            rh_become(player, closed);
        }
}

static void use_timer(struct mind *m, uint64_t bits, int32_t ttl)
{
    const char *name = bits >> 22 & 1 ? "one" : "two";
    if (bits >> 23 & 3) {
        SAY("sets timer %s", name);
        rh_timer(name, 10 * (int64_t)(bits >> 26 & 1), tick, FIELDS);
    } else {
        bool was = rh_timer_cancel(name);
        SAY("cancels timer %s: %s", name, was ? "it was set" : "it was not set");
        learn(m, was);
    }
}

static void ask_someone(struct mind *m, rh_ref self, uint64_t bits, int32_t ttl, bool within)
{
    rh_ref to = someone(m, bits >> 22);
    if (rh_same(to, self) || ttl <= 0)
        return;
    SAY("asks %s%s", rh_name(to), within ? " for some time" : "");
    const struct answer *a =
        within ? rh_ask_within(10, to, question, answer, FIELDS) : rh_ask(to, question, answer, FIELDS);
    learn(m, a ? 10 + a->value * 8 + a->from : 9);
    SAY(a ? "got an answer" : "got no answer");
}

static void use_request(struct mind *m, uint64_t bits, int32_t ttl)
{
    if (m->keeps) {
        m->keeps = false;
        SAY("answers the request it kept");
        rh_reply_to(m->kept, answer, FIELDS);
    } else if (m->took) {
        SAY("keeps the request");
        m->kept = rh_keep_request();
        m->keeps = true;
    }
}

static void use_name(struct mind *m, rh_ref self, uint64_t bits, int32_t ttl)
{
    const char *name = bits >> 22 & 1 ? "a" : "b";
    switch (bits >> 23 & 3) {
    case 0: {
        bool done = rh_register(name, bits >> 25 & 1 ? self : someone(m, bits >> 26));
        SAY("registers %s: %d", name, done);
        learn(m, done);
        break;
    }
    case 1: {
        bool done = rh_unregister(name);
        SAY("unregisters %s: %d", name, done);
        learn(m, done);
        break;
    }
    default: {
        rh_ref who = rh_whereis(name);
        SAY("looks up %s: %s", name, rh_is_nobody(who) ? "nobody" : rh_name(who));
        learn(m, !rh_is_nobody(who));
        if (!rh_is_nobody(who))
            send_one(m, bits, ttl, who);
    }
    }
}

static void use_link(const struct mind *m, uint64_t bits, bool monitors)
{
    rh_ref who = someone(m, bits >> 22);
    bool on = bits >> 40 & 3;
    SAY("%s%s %s", on ? "" : "un", monitors ? "monitors" : "links", rh_name(who));
    if (monitors && on)
        rh_monitor(who);
    else if (monitors)
        rh_demonitor(who);
    else if (on)
        rh_link(who);
    else
        rh_unlink(who);
}

static void join_someone(struct mind *m, rh_ref self, uint64_t bits)
{
    rh_ref who = someone(m, bits >> 22);
    if (rh_same(who, self))
        return;
    int64_t ms = bits >> 41 & 1 ? 0 : bits >> 42 & 1 ? 10 : RH_POLL;
    SAY("joins %s%s", rh_name(who), ms ? " for some time" : "");
    const struct rh_down *d = rh_join_within(ms, who);
    const struct answer *a = rh_result(d, answer);
    learn(m, d ? strlen(d->reason) + (a ? 100 + a->value : 0) : 98);
}

static void use_table(struct mind *m, uint64_t bits)
{
    const char *key = bits >> 22 & 1 ? "k0" : "k1";
    uint32_t value = (uint32_t)bits >> 8 & 1, other = 1, got = 0;
    switch ((bits >> 23) % 6) {
    case 0:
        learn(m, rh_table_put(shared, key, &value, sizeof value));
        break;
    case 1:
        learn(m, rh_table_insert_new(shared, key, &value, sizeof value));
        break;
    case 2:
        learn(m, rh_table_remove(shared, key));
        break;
    case 3:
        learn(m, rh_table_swap(shared, key, &other, sizeof other, &value, sizeof value));
        break;
    case 4:
        learn(m, (uint64_t)rh_table_add(counted, key, 1 + value));
        break;
    default:
        learn(m, (uint64_t)rh_table_get(shared, key, &got, sizeof got) * 4 + got);
    }
    SAY("uses table key %s", key);
}

static void use_ordered(struct mind *m, uint64_t bits)
{
    char key[RH_TABLE_KEY_SIZE] = "k0";
    key[1] = (char)('0' + (bits >> 22 & 1));
    switch ((bits >> 23) % 4) {
    case 0:
        learn(m, rh_table_put(listed, key, "x", 1));
        break;
    case 1:
        learn(m, rh_table_remove(listed, key));
        break;
    case 2:
        learn(m, rh_table_count(listed));
        break;
    default:
        learn(m, rh_table_next(listed, bits >> 25 & 1 ? key : "", key, sizeof key) ? (uint64_t)key[1] : 5);
    }
    SAY("uses the ordered table");
}

static void open_store(const struct mind *m)
{
    char name[16];
    snprintf(name, sizeof name, "s%u", program.shares ? m->me % program.shares : m->me);
    SAY("opens %s", name);
    rh_store_open(name);
}

static void use_store(struct mind *m, uint64_t bits)
{
    const char *key = bits >> 22 & 1 ? "k0" : "k1";
    uint64_t got = 0;
    open_store(m);
    if (bits >> 23 & 3) {
        const void *value = bits >> 25 & 3 ? &m->history : NULL;
        bool sure = program.sure && bits >> 27 & 1;
        SAY("puts %s into its store%s", key, sure ? ", synchronously" : "");
        if (sure)
            rh_store_put_sync(key, value, sizeof m->history);
        else
            rh_store_put(key, value, sizeof m->history);
    } else {
        int64_t size = rh_store_get(key, &got, sizeof got);
        SAY("reads %s from its store: %d", key, (int)size);
        learn(m, (uint64_t)size + got);
    }
}

/* Once in a life: what is told so is not told on for ever. */
static void mimic(struct mind *m, rh_ref self, uint64_t bits)
{
    uint32_t k = (uint32_t)(bits >> 22) % player_count;
    bool starts = k >= program.actors || (has(F_START) && k % 2 == 0);
    rh_ref to = players[k];
    if (m->mimics++)
        return;
    SAY("tells %s something of the world's", rh_name(to));
    switch (bits >> 26 & 3) {
    case 0:
        rh_send(to, rh_down, .who = self, .reason = "mimic");
        break;
    case 1:
        rh_send(to, rh_exited, .who = self, .reason = "mimicry");
        break;
    case 2:
        if (!starts) {
            rh_send(to, rh_stored, .ticket = 9);
            break;
        } /* fall through */
    default:
        if (starts && m->took && bits >> 28 & 1)
            rh_forward(to);
        else if (starts)
            rh_send(to, rh_start, .restarts = 3);
    }
}

static void leave(const struct mind *m, uint64_t bits, bool stops)
{
    if (stops) {
        SAY("stops");
        if (!m->walks)
            rh_stop();
        return;
    }
    SAY("exits");
    if (has(F_EXITED) && bits >> 45 & 1)
        rh_exit("bad");
    rh_exit(bits >> 22 & 1 ? "shutdown" : "normal");
}

void act(struct mind *m, rh_ref self, int32_t ttl)
{
    uint64_t bits = decide(m);
    uint32_t acting[F_COUNT], n = 0;
    for (uint32_t f = 0; f < F_COUNT; f++)
        if (feature_acts[f] && program.has >> f & 1)
            acting[n++] = f;
    if (!bits)
        return;
    uint32_t pick = (uint32_t)(bits >> 52) % (n + (program.crowd ? 0 : 2)); /* twice as often a plain send */
    if (pick >= n) {
        send_one(m, bits, ttl, someone(m, bits >> 22));
        return;
    }
    enum feature f = (enum feature)acting[pick];
    if (!has(f))
        return;
    switch (f) {
    case F_FAN:
        send_one(m, bits, ttl, someone(m, bits >> 22));
        send_one(m, bits >> 1, ttl, someone(m, bits >> 30));
        break;
    case F_REPLY:
        if (m->took && ttl > 0) {
            SAY("replies");
            rh_reply(answer, FIELDS);
        }
        break;
    case F_FORWARD:
        if (m->took && !m->child && m->me + 1 < player_count) {
            SAY("forwards");
            rh_forward(players[m->me + 1]);
        }
        break;
    case F_SPAWN:
        spawn_one(m, bits, ttl, RH_WATCH_NONE);
        break;
    case F_BIRTH:
        spawn_one(m, bits, ttl, bits >> 45 & 1 ? RH_WATCH_LINK : RH_WATCH_MONITOR);
        break;
    case F_JOIN:
        join_someone(m, self, bits);
        break;
    case F_RETURN:
        SAY("returns");
        rh_return(answer, FIELDS);
    case F_TO_NAME:
        if (ttl > 0) {
            bool sent = rh_send_to_name(bits >> 22 & 1 ? "a" : "b", work, FIELDS);
            SAY("sends to a name: %d", sent);
            learn(m, sent);
        }
        break;
    case F_ASSUME:
        SAY("assumes");
        rh_assume((m->history >> 9) % 3);
        break;
    case F_BECOME:
        change_behaviour(m, bits);
        break;
    case F_STOP:
        leave(m, bits, true);
        break;
    case F_EXIT:
        leave(m, bits, false);
        break;
    case F_CHOOSE:
        learn(m, rh_choose(2 + (bits >> 22 & 1)));
        break;
    case F_TIMER:
        use_timer(m, bits, ttl);
        break;
    case F_ASK:
        ask_someone(m, self, bits, ttl, false);
        break;
    case F_WITHIN:
        ask_someone(m, self, bits, ttl, true);
        break;
    case F_KEEP:
        use_request(m, bits, ttl);
        break;
    case F_NAME:
        use_name(m, self, bits, ttl);
        break;
    case F_LINK:
        use_link(m, bits, false);
        break;
    case F_MONITOR:
        use_link(m, bits, true);
        break;
    case F_TRAP:
        SAY("traps exits");
        rh_trap_exits(bits >> 22 & 3);
        break;
    case F_KILL:
        SAY("kills %s", rh_name(someone(m, bits >> 22)));
        rh_kill(someone(m, bits >> 22), program.kills && bits >> 46 & 1 ? "kill" : "shutdown");
        break;
    case F_ALIVE: {
        bool alive = rh_alive(someone(m, bits >> 22));
        SAY("looks whether %s is alive: %d", rh_name(someone(m, bits >> 22)), alive);
        learn(m, alive);
        break;
    }
    case F_TABLE:
        use_table(m, bits);
        break;
    case F_ORDERED:
        use_ordered(m, bits);
        break;
    case F_STORE:
        use_store(m, bits);
        break;
    case F_SYNC:
        open_store(m);
        SAY("syncs");
        rh_store_sync();
        learn(m, 7);
        break;
    case F_HISTORY:
        use_history(m, bits);
        break;
    case F_ANNOUNCE:
        SAY("announces");
        rh_announce(note, FIELDS);
        break;
    case F_NOW:
        learn(m, (uint64_t)rh_now_ms());
        break;
    case F_LATE: {
        bool late = rh_now_ms() >= 1 + (int64_t)(bits >> 44 & 3);
        SAY("finds that it is %s", late ? "late" : "early");
        if (late)
            send_one(m, bits, ttl, someone(m, bits >> 22));
        break;
    }
    case F_EVENTUALLY:
        rh_eventually("an even history", m->history % 2 == 0);
        break;
    case F_RECEIVE:
        if (!m->gathers) /* a handler of sets must not */
            receive(m, bits);
        break;
    case F_SLEEP:
        SAY("sleeps");
        rh_sleep(10);
        learn(m, 8);
        break;
    case F_YIELD:
        SAY("yields");
        rh_yield();
        break;
    case F_MIMIC:
        mimic(m, self, bits);
        break;
    case F_RANDOM:
        learn(m, rh_random() & 1);
        break;
    case F_USER:
        if (ttl > 0) {
            SAY("lets a user send");
            rh_send_from(rh_external(bits >> 40 & 1 ? "u" : "v"), someone(m, bits >> 22), work, FIELDS);
        }
        break;
    default:
        break;
    }
}
