/* Small programs made from a seed that between them use all there is, for comparing explorers.
 *
 * One struct features is one program.  What an actor does next is a pure function of the program's seed, its own number and
 * its history: a hash of all that it has received, chosen and been told so far.  Each such moment is a decision, known by a
 * number; a decision that is listed in `cut` does nothing, so a program can be made smaller piece by piece (oracle.h).
 *
 * Nothing here fails on purpose unless `fails` is set; runs may end stuck, or with an abnormal exit where links meet ends. */
#ifndef RH_TESTS_EXPLORE_ORACLE_PROGRAM_H
#define RH_TESTS_EXPLORE_ORACLE_PROGRAM_H

#include <rehearse/test.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* name, text, needs: another one without which it does nothing (itself for none), whether actors do it of themselves */
#define FEATURES(X)                                                                                                    \
    X(FAN, "fan", FAN, true)                                                                                           \
    X(REPLY, "reply", REPLY, true)                                                                                     \
    X(FORWARD, "forward", FORWARD, true)                                                                               \
    X(SPAWN, "spawn", SPAWN, true)                                                                                     \
    X(BECOME, "become", BECOME, true)                                                                                  \
    X(STOP, "stop", STOP, true)                                                                                        \
    X(EXIT, "exit", EXIT, true)                                                                                        \
    X(CHOOSE, "choose", CHOOSE, true)                                                                                  \
    X(TIMER, "timer", TIMER, true)                                                                                     \
    X(ASK, "ask", ASK, true)                                                                                           \
    X(WITHIN, "within", WITHIN, true)                                                                                  \
    X(KEEP, "keep", ASK, true)                                                                                         \
    X(NAME, "name", NAME, true)                                                                                        \
    X(LINK, "link", LINK, true)                                                                                        \
    X(MONITOR, "monitor", MONITOR, true)                                                                               \
    X(TRAP, "trap", LINK, true)                                                                                        \
    X(KILL, "kill", KILL, true)                                                                                        \
    X(ALIVE, "alive", ALIVE, true)                                                                                     \
    X(TABLE, "table", TABLE, true)                                                                                     \
    X(ORDERED, "ordered", ORDERED, true)                                                                               \
    X(STORE, "store", STORE, true)                                                                                     \
    X(SYNC, "sync", STORE, true)                                                                                       \
    X(ANNOUNCE, "announce", ANNOUNCE, true)                                                                            \
    X(NOW, "now", NOW, true)                                                                                           \
    X(LATE, "late", LATE, true) /* sends only from some time on */                                                     \
    X(EVENTUALLY, "eventually", EVENTUALLY, true)                                                                      \
    X(RECEIVE, "receive", RECEIVE, true)                                                                               \
    X(SLEEP, "sleep", SLEEP, true)                                                                                     \
    X(RANDOM, "random", RANDOM, true)                                                                                  \
    X(USER, "user", USER, true)    /* sends as somebody outside */                                                     \
    X(TYPE, "type", WALKER, false) /* the rest: how processes wait */                                                  \
    X(FROM, "from", WALKER, false)                                                                                     \
    X(MATCH, "match", WALKER, false)                                                                                   \
    X(TIMEOUT, "timeout", WALKER, false)                                                                               \
    X(POLL, "poll", WALKER, false)                                                                                     \
    X(WALKER, "walker", WALKER, false)    /* there are processes */                                                    \
    X(START, "start", START, false)       /* actors that handle rh_start */                                            \
    X(OUTSIDE, "outside", OUTSIDE, false) /* first messages come from different senders */                             \
    X(TEST, "test", TEST, false)          /* the test's body goes on after its preparations */                         \
    X(BIRTH, "birth", SPAWN, true)        /* spawns, and watches from birth; those from here on came later */          \
    X(JOIN, "join", JOIN, true)                                                                                        \
    X(RETURN, "return", RETURN, true)                                                                                  \
    X(TO_NAME, "to_name", NAME, true)                                                                                  \
    X(ASSUME, "assume", ASSUME, true)                                                                                  \
    X(BODY, "body", BODY, false)   /* and does things while it makes them; others know the test */                     \
    X(MIMIC, "mimic", MIMIC, true) /* sends messages of the types that the world sends */

enum feature {
#define F_X(name, text, needs, acts) F_##name,
    FEATURES(F_X)
#undef F_X
        F_COUNT
};
static const char *const feature_names[] = {
#define F_X(name, text, needs, acts) text,
    FEATURES(F_X)
#undef F_X
};
static const enum feature feature_needs[] = {
#define F_X(name, text, needs, acts) F_##needs,
    FEATURES(F_X)
#undef F_X
};
static const bool feature_acts[] = {
#define F_X(name, text, needs, acts) acts,
    FEATURES(F_X)
#undef F_X
};

enum { MOST_CUTS = 64, MOST_PLAYERS = 5, MOST_DECISIONS = 4096 };

struct features {
    uint64_t seed;
    uint64_t has; /* bits of enum feature; what a decision picks is picked among these */
    uint64_t off; /* bits: picked, but nothing is done */
    uint32_t actors, walkers, starts, ttl;
    uint32_t model, time, losses, duplicates, crashes, restarts, kept;
    uint32_t unopened, damaged, unstored; /* budgets: failed_opens, damaged_stores, failed_puts */
    uint32_t shares;                      /* so many stores for all; 0: each has its own */
    uint32_t may;                         /* whom faults may befall: 0 all, 1 players, 2 walkers */
    uint32_t fails;                       /* each so many-th history fails an assertion; 0: none */
    uint32_t cut_count;
    uint32_t cut[MOST_CUTS];
};

/* Written only between worlds. */
static struct features program;
static bool program_talks; /* decisions go to the log */
/* Which decisions came up, over all runs: shared memory, so that no world knows of it; NULL where nobody asks. */
static struct {
    uint32_t count;
    uint32_t list[MOST_DECISIONS];
} * decisions;

/* Written by the test's body before anything else happens. */
static rh_ref players[MOST_PLAYERS];
static uint32_t player_count;

struct mind {
    uint64_t history;
    uint32_t me, thought, mimics;
    bool child, starts, walks, took, keeps;
    rh_ref friend;
    struct rh_request kept;
};

#define CONTENT                                                                                                        \
    int32_t ttl;                                                                                                       \
    uint32_t value, from;                                                                                              \
    rh_ref friend;
RH_MESSAGE(work, CONTENT);
RH_MESSAGE(note, CONTENT);
RH_MESSAGE(tick, CONTENT);
RH_MESSAGE(question, CONTENT);
RH_MESSAGE(answer, CONTENT);

RH_ACTOR(player, struct mind mind;);
RH_ACTOR(starter, struct mind mind;);
RH_PROCESS(walker, struct mind mind;);
RH_MONITOR(watcher, struct mind mind;);
RH_TABLE(shared);
RH_TABLE(counted);
RH_TABLE_ORDERED(listed);

static uint64_t scrambled(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static bool has(enum feature f)
{
    return (program.has & ~program.off) >> f & 1;
}

/* ---- decisions ------------------------------------------------------------------------------------------------------- */

static void learn(struct mind *m, uint64_t what)
{
    m->history = scrambled(m->history, what);
    m->thought = 0;
}

static void note_decision(uint32_t number)
{
    for (uint32_t i = 0; i < decisions->count; i++)
        if (decisions->list[i] == number)
            return;
    if (decisions->count < MOST_DECISIONS)
        decisions->list[decisions->count++] = number;
}

/* Random bits for what comes next; 0 where it was cut. */
static uint64_t decide(struct mind *m)
{
    uint64_t bits = scrambled(scrambled(program.seed, m->me), m->history + m->thought++);
    uint32_t number = (uint32_t)(bits >> 32) % 1000000;
    if (decisions)
        note_decision(number);
    for (uint32_t i = 0; i < program.cut_count; i++)
        if (program.cut[i] == number)
            return 0;
    return bits | 1u << 31;
}

static rh_ref someone(const struct mind *m, uint64_t bits)
{
    uint32_t k = (uint32_t)(bits % (player_count + !rh_is_nobody(m->friend)));
    return k < player_count ? players[k] : m->friend;
}

#define FIELDS .ttl = ttl - 1, .value = (uint32_t)(bits >> 50 & 3), .from = m->me, .friend = m->friend

#define SAY(...)                                                                                                       \
    do {                                                                                                               \
        if (program_talks)                                                                                             \
            rh_log(__VA_ARGS__);                                                                                       \
    } while (0)

static bool is_odd(const struct rh_envelope *e, const void *arg)
{
    if (e->type != &rh_message_work && e->type != &rh_message_note)
        return false;
    return ((const struct work *)e->value)->value % 2 == *(const uint32_t *)arg;
}

static const struct rh_message_type *type_numbered(uint64_t n)
{
    static const struct rh_message_type *const types[] = { &rh_message_work, &rh_message_note, &rh_message_question,
                                                           &rh_message_tick };
    return types[n % 4];
}

static uint64_t content_of(const struct rh_envelope *e)
{
    if (e->type == &rh_message_rh_down) {
        const struct rh_down *d = e->value;
        const struct answer *a = rh_result(d, answer);
        return 100 + strlen(d->reason) + (a ? 1000 + a->value : 0);
    }
    if (e->type == &rh_message_rh_exited)
        return 100 + strlen(((const struct rh_exited *)e->value)->reason);
    if (e->type == &rh_message_rh_start)
        return 300 + ((const struct rh_start *)e->value)->restarts;
    if (e->type == &rh_message_rh_stored)
        return 200 + ((const struct rh_stored *)e->value)->ticket;
    const struct work *c = e->value;
    return scrambled(c->value * 64 + c->from * 4 + (uint32_t)c->ttl, strlen(e->type->name));
}

static bool has_content(const struct rh_message_type *type)
{
    return type == &rh_message_work || type == &rh_message_note || type == &rh_message_tick ||
           type == &rh_message_question || type == &rh_message_answer;
}

/* Waits as the bits say; gives what is left of the message's time to live. */
static int32_t receive(struct mind *m, uint64_t bits)
{
    uint32_t odd = bits >> 12 & 1;
    struct rh_filter f = { .idle = true };
    const struct rh_message_type *types[] = { type_numbered(bits >> 20), type_numbered(bits >> 22), NULL };
    if (has(F_TYPE) && bits & 3) {
        if (bits & 4)
            f.types = types;
        else
            f.type = types[0];
    }
    if (has(F_FROM) && bits >> 3 & 1)
        f.from = someone(m, bits >> 24);
    if (has(F_MATCH) && bits >> 4 & 3) {
        f.match = is_odd;
        f.arg = &odd;
    }
    if (has(F_TIMEOUT) && bits >> 6 & 3)
        f.timeout_ms = 10 * (1 + (bits >> 8 & 1));
    else if (has(F_POLL) && bits >> 9 & 3)
        f.timeout_ms = RH_POLL;
    SAY("waits for%s%s%s%s%s%s%s", f.type ? " " : "", f.type ? f.type->name : "", f.types ? " one of two types" : "",
        rh_is_nobody(f.from) ? "" : " from one", f.match ? odd ? " odd" : " even" : "",
        f.timeout_ms > 0 ? " some time" : "", f.timeout_ms < 0 ? " no time" : "");
    const struct rh_envelope *e = rh_receive_(&f, RH_HERE);
    if (!e) {
        SAY("got nothing");
        learn(m, 99);
        return 0;
    }
    learn(m, content_of(e));
    m->took = true;
    if (!has_content(e->type))
        return 0;
    const struct work *c = e->value;
    if (!rh_is_nobody(c->friend))
        m->friend = c->friend;
    return c->ttl;
}

/* ---- what can be done ------------------------------------------------------------------------------------------------- */

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

static void change_behaviour(const struct mind *m, uint64_t bits)
{
    if (m->walks)
        return;
    SAY("becomes %s", bits >> 22 & 3 ? bits >> 22 & 1 ? "closed" : "deaf" : "open");
    if (m->starts)
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
        SAY("puts %s into its store", key);
        rh_store_put(key, bits >> 25 & 3 ? &m->history : NULL, sizeof m->history);
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
    rh_exit(bits >> 22 & 1 ? "shutdown" : "normal");
}

static void act(struct mind *m, rh_ref self, int32_t ttl)
{
    uint64_t bits = decide(m);
    uint32_t acting[F_COUNT], n = 0;
    for (uint32_t f = 0; f < F_COUNT; f++)
        if (feature_acts[f] && program.has >> f & 1)
            acting[n++] = f;
    if (!bits)
        return;
    uint32_t pick = (uint32_t)(bits >> 52) % (n + 2); /* twice as often a plain send */
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
        rh_kill(someone(m, bits >> 22), "shutdown");
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
        receive(m, bits);
        break;
    case F_SLEEP:
        SAY("sleeps");
        rh_sleep(10);
        learn(m, 8);
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

static void act_some(struct mind *m, rh_ref self, int32_t ttl)
{
    uint64_t bits = decide(m);
    if (program.fails)
        rh_assert((m->history >> 8) % program.fails, "history %08x", (uint32_t)m->history);
    for (uint64_t n = bits ? ttl > 0 ? 1 + (bits >> 40) % 2 : (bits >> 40) % 4 == 0 : 0; n; n--)
        act(m, self, ttl);
}

static void take(struct mind *m, rh_ref self, const struct rh_message_type *type, const void *value)
{
    struct rh_envelope e = { .type = type, .value = value };
    const struct work *c = value;
    bool content = has_content(type);
    learn(m, content_of(&e));
    m->took = true;
    if (content && !rh_is_nobody(c->friend))
        m->friend = c->friend;
    if (type == &rh_message_question && decide(m) >> 40 & 3) {
        SAY("answers");
        rh_reply(answer, .ttl = c->ttl - 1, .value = (uint32_t)m->history & 3, .from = m->me);
    }
    act_some(m, self, content ? c->ttl : 0);
}

/* ---- who does it --------------------------------------------------------------------------------------------------------- */

#define TAKES(actor, type)                                                                                             \
    RH_HANDLER(actor, type)                                                                                            \
    {                                                                                                                  \
        take(&state->mind, self, &rh_message_##type, msg);                                                             \
    }
#define TAKES_ALL(actor)                                                                                               \
    TAKES(actor, work)                                                                                                 \
    TAKES(actor, note)                                                                                                 \
    TAKES(actor, tick)                                                                                                 \
    TAKES(actor, question)                                                                                             \
    TAKES(actor, answer)                                                                                               \
    TAKES(actor, rh_down)                                                                                              \
    TAKES(actor, rh_exited)                                                                                            \
    TAKES(actor, rh_stored)
TAKES_ALL(player)
TAKES_ALL(starter)

RH_HANDLER(starter, rh_start)
{
    learn(&state->mind, 50 + msg->restarts);
    state->mind.took = has(F_MIMIC); /* what it took in an earlier life is not what it handles */
    act_some(&state->mind, self, 1);
}

RH_BEHAVIOUR(player, open, work, note, tick, question, answer, rh_down, rh_exited, rh_stored);
RH_BEHAVIOUR(player, closed, RH_DEFER(work), note, tick, RH_DEFER(question), answer, rh_down, RH_DEFER(rh_exited),
             RH_DEFER(rh_stored));
RH_BEHAVIOUR(player, deaf, RH_IGNORE(work), note, RH_DEFER(tick), question, RH_IGNORE(answer), RH_IGNORE(rh_down),
             rh_exited, RH_DEFER(rh_stored));

RH_BEHAVIOUR(starter, open, rh_start, work, note, tick, question, answer, rh_down, rh_exited, rh_stored);
RH_BEHAVIOUR(starter, closed, RH_DEFER(work), note, tick, RH_DEFER(question), answer, rh_down, RH_DEFER(rh_exited),
             RH_IGNORE(rh_start), rh_stored);
RH_BEHAVIOUR(starter, deaf, RH_IGNORE(work), note, RH_DEFER(tick), question, RH_IGNORE(answer), RH_IGNORE(rh_down),
             rh_exited, RH_DEFER(rh_stored), RH_IGNORE(rh_start));

static void walk(struct mind *m, rh_ref self, int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        uint64_t bits = decide(m);
        if (!bits)
            continue;
        int32_t ttl = receive(m, bits);
        act_some(m, self, ttl);
    }
}

RH_BODY(walker)
{
    walk(&state->mind, self, state->mind.child ? 1 : 2);
}

RH_HANDLER(watcher, note)
{
    learn(&state->mind, msg->value * 8 + msg->from);
    if (has(F_NOW))
        learn(&state->mind, (uint64_t)rh_now_ms());
}
RH_BEHAVIOUR(watcher, watching, note);

static void prepare(rh_ref self)
{
    static const char *const users[] = { "u", "v", "w", "x" };
    struct mind mind = { .me = 7, .walks = true, .child = true };
    player_count = 0;
    if (has(F_ANNOUNCE))
        rh_observe(watcher);
    for (uint32_t i = 0; i < program.actors + program.walkers; i++) {
        struct mind m = { .me = i, .walks = i >= program.actors, .starts = has(F_START) && i % 2 == 0 };
        rh_ref who = m.walks    ? rh_spawn(walker, .mind = m)
                     : m.starts ? rh_spawn(starter, .mind = m)
                                : rh_spawn(player, .mind = m);
        players[player_count++] = who;
    }
    for (uint32_t i = 0; i < program.starts; i++) {
        uint64_t bits = scrambled(program.seed, 1000 + i);
        rh_ref to = players[(bits >> 8) % player_count];
        struct work w = { .ttl = (int32_t)program.ttl, .value = (uint32_t)(bits >> 40 & 3), .from = 16 + i };
        if (has(F_BODY)) {
            w.friend = bits >> 44 & 1 ? self : rh_nobody();
            act(&mind, self, 1);
        }
        if (has(F_OUTSIDE))
            rh_send_from_(rh_external(users[(bits >> 20) % 4]), to,
                          bits >> 30 & 1 ? &rh_message_note : &rh_message_work, &w, RH_HERE);
        else
            rh_send_(to, bits >> 30 & 1 ? &rh_message_note : &rh_message_work, &w, NULL, 0, RH_HERE);
    }
    if (has(F_TEST)) {
        act_some(&mind, self, 1);
        walk(&mind, self, 1);
    }
}

RH_TEST(features)
{
    prepare(self);
}

/* The same by a process, which is to make no difference. */
RH_PROCESS(root, int unused;);
RH_BODY(root)
{
    prepare(self);
}
RH_TEST(features_of_a_process)
{
    rh_spawn(root);
}

#endif
