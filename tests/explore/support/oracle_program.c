#include "explore/support/oracle_program.h"

#include "explore/support/oracle_mind.h"

const char *const feature_names[F_COUNT] = {
#define F_X(name, text, needs, acts) text,
    FEATURES(F_X)
#undef F_X
};
const enum feature feature_needs[F_COUNT] = {
#define F_X(name, text, needs, acts) F_##needs,
    FEATURES(F_X)
#undef F_X
};
const bool feature_acts[F_COUNT] = {
#define F_X(name, text, needs, acts) acts,
    FEATURES(F_X)
#undef F_X
};

struct features program;
bool program_talks;
struct decisions *decisions;

rh_ref players[MOST_PLAYERS];
uint32_t player_count;

bool has(enum feature f)
{
    return (program.has & ~program.off) >> f & 1;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

void learn(struct mind *m, uint64_t what)
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

uint64_t decide(struct mind *m)
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

rh_ref someone(const struct mind *m, uint64_t bits)
{
    uint32_t k = (uint32_t)(bits % (player_count + !rh_is_nobody(m->friend)));
    return k < player_count ? players[k] : m->friend;
}

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

uint64_t content_of(const struct rh_envelope *e)
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

bool has_content(const struct rh_message_type *type)
{
    return type == &rh_message_work || type == &rh_message_note || type == &rh_message_tick ||
           type == &rh_message_question || type == &rh_message_answer;
}

int32_t receive(struct mind *m, uint64_t bits)
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
    if (has(F_EXITED) && bits >> 44 & 1) {
        f.types = NULL;
        f.type = &rh_message_rh_exited;
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
    if (has(F_SET) && bits >> 14 & 3)
        f.count = 1 + (bits >> 16 & 1) + (bits >> 17 & 1);
    if (f.count && program.untimed)
        f.timeout_ms = 0;
    SAY("waits for%s%s%s%s%s%s%s%s", f.count > 1 ? f.count > 2 ? " three" : " two" : "", f.type ? " " : "",
        f.type ? f.type->name : "", f.types ? " one of two types" : "", rh_is_nobody(f.from) ? "" : " from one",
        f.match ? odd ? " odd" : " even" : "", f.timeout_ms > 0 ? " some time" : "",
        f.timeout_ms < 0 ? " no time" : "");
    const struct rh_envelope *e = f.count ? rh_receive_set_(f.count, &f, RH_HERE) : rh_receive_(&f, RH_HERE);
    if (!e) {
        SAY("got nothing");
        learn(m, 99);
        return 0;
    }
    for (uint32_t i = 0; i < f.count; i++) {
        rh_turn_to(&e[i]);
        learn(m, content_of(&e[i]));
    }
    if (f.count)
        e += bits >> 18 & 1 ? 0 : f.count - 1;
    else
        learn(m, content_of(e));
    m->took = true;
    if (!has_content(e->type))
        return 0;
    const struct work *c = e->value;
    if (!rh_is_nobody(c->friend))
        m->friend = c->friend;
    return c->ttl;
}

/* ---- who does it ------------------------------------------------------------------------------------------------- */

static void act_some(struct mind *m, rh_ref self, int32_t ttl)
{
    uint64_t bits = decide(m);
    if (program.fails)
        rh_assert((m->history >> 8) % program.fails, "history %08x", (uint32_t)m->history);
    uint64_t n = bits ? ttl > 0 ? 1 + (bits >> 40) % (program.crowd ? 3 : 2) : (bits >> 40) % 4 == 0 : 0;
    for (n += n ? program.busy : 0; n; n--) {
        act(m, self, ttl);
        if (program.fails && program.crowd) /* right after an operation, in the same step */
            rh_assert((m->history >> 8) % program.fails, "history %08x", (uint32_t)m->history);
    }
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
TAKES_ALL(gatherer)

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

RH_BEHAVIOUR(gatherer, open, RH_SETS_OF(work, size), note, tick, question, answer, rh_down, rh_exited, rh_stored);
RH_BEHAVIOUR(gatherer, closed, RH_DEFER(work), RH_SETS(note, 2), tick, RH_DEFER(question), answer, rh_down,
             RH_DEFER(rh_exited), RH_DEFER(rh_stored));
RH_BEHAVIOUR(gatherer, deaf, work, RH_IGNORE(note), RH_SETS(tick, 2), question, RH_IGNORE(answer), RH_IGNORE(rh_down),
             rh_exited, RH_DEFER(rh_stored));

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

/* All players are there before the first of them can look whom it knows, which is a global: with kills anywhere a spawn
 * would be a step of its own, but for its place, which features_semantics names as atomic. */
static rh_ref start_player(uint32_t i)
{
    struct mind m = { .me = i, .walks = i >= program.actors, .starts = has(F_START) && i % 2 == 0 };
    m.gathers = has(F_GATHER) && !m.walks && !m.starts;
    struct gatherer gathers = { .mind = m, .size = 2 + (program.seed >> i & 1) };
    struct starter starts = { .mind = m };
    struct walker walks = { .mind = m };
    struct player plays = { .mind = m };
    return m.walks     ? rh_spawn_(&rh_actor_walker, &walks, PREPARATIONS)
           : m.starts  ? rh_spawn_(&rh_actor_starter, &starts, PREPARATIONS)
           : m.gathers ? rh_spawn_(&rh_actor_gatherer, &gathers, PREPARATIONS)
                       : rh_spawn_(&rh_actor_player, &plays, PREPARATIONS);
}

static void prepare(rh_ref self)
{
    static const char *const users[] = { "u", "v", "w", "x" };
    struct mind mind = { .me = 7, .walks = true, .child = true };
    player_count = 0;
    if (has(F_ANNOUNCE))
        rh_observe(watcher);
    for (uint32_t i = 0; i < program.actors + program.walkers; i++)
        players[player_count++] = start_player(i);
    for (uint32_t i = 0; i < program.starts; i++) {
        uint64_t bits = scrambled(program.seed, 1000 + i);
        rh_ref to = players[(program.crowd ? i : bits >> 8) % player_count];
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
