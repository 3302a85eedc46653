#include "conformance/support/generated_program.h"

#include <sched.h>
#include <time.h>

enum { PALETTE = 4 };

enum operation {
    SEND,
    SEND_TWO,
    REPLY,
    FORWARD,
    SPAWN,
    SPAWN_LINK,
    SPAWN_MONITOR,
    LINK,
    UNLINK,
    MONITOR,
    DEMONITOR,
    TRAP,
    KILL,
    KILL_AND_WATCH,
    ALIVE,
    REGISTER,
    REGISTER_OTHER,
    UNREGISTER,
    WHEREIS,
    SEND_TO_NAME,
    PUT,
    INSERT_NEW,
    SWAP,
    REMOVE,
    GET,
    ADD,
    BECOME,
    STOP,
    EXIT,
    RETURN,
    ASK,
    ASK_WITHIN,
    POLL,
    RECEIVE,
    RECEIVE_SET,
    TIMER,
    CANCEL,
    CHOOSE,
    SLEEP,
    JOIN,
    JOIN_WITHIN,
    OPERATIONS,
};

uint64_t generated_seed;

uint64_t stirred(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* What is seen is said, and what is said is what decides on the rest. */
__attribute__((format(printf, 2, 3))) static void see(struct mind *m, const char *format, ...)
{
    char text[96];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (const char *c = text; *c; c++)
        m->seen = stirred(m->seen, (unsigned char)*c);
    rh_log("say %s", text);
}

/* In production others get a chance here. */
static void shake(void)
{
#ifdef RH_CONFORMANCE_RT
    static _Atomic(uint32_t) turns;
    uint32_t r = (uint32_t)stirred(turns++, 3);
    if (r % 16 == 0)
        nanosleep(&(struct timespec){ .tv_nsec = r >> 16 }, NULL);
    else if (r % 4 == 0)
        sched_yield();
    else if (r % 4 == 1)
        for (volatile uint32_t i = 0; i < (r >> 8) % 2000; i++)
            ;
#endif
}

/* How an actor calls those that it knows: in production one that has ended may have lost its name.  Whoever is outside
 * is nobody in production and the test in the controlled world: both are somebody unknown. */
static char letter_of(const struct mind *m, rh_ref self, rh_ref who)
{
    for (int i = 0; i < KNOWN && !rh_is_nobody(who); i++)
        if (rh_same(m->known[i], who))
            return (char)('a' + i);
    return rh_same(who, self) ? 's' : '?';
}

static void get_to_know(struct mind *m, rh_ref self, rh_ref who)
{
    if (rh_is_nobody(who) || letter_of(m, self, who) != '?')
        return;
    for (int i = 0; i < KNOWN; i++)
        if (rh_is_nobody(m->known[i])) {
            m->known[i] = who;
            return;
        }
}

static rh_ref someone(const struct mind *m, rh_ref self, uint64_t bits)
{
    rh_ref all[KNOWN + 1];
    uint32_t n = 0;
    for (int i = 0; i < KNOWN; i++)
        if (!rh_is_nobody(m->known[i]))
            all[n++] = m->known[i];
    if (!n || bits % 16 == 0)
        all[n++] = self;
    return all[bits / 16 % n];
}

static void send_job(struct mind *m, rh_ref self, rh_ref to, uint64_t bits, int32_t ttl)
{
    rh_ref about = bits >> 3 & 1 ? someone(m, self, bits >> 4) : self;
    if (ttl > 0)
        rh_send(to, job, .ttl = ttl, .value = (uint32_t)(bits >> 24) % 8, .about = about);
}

static void spawn_one(struct mind *m, uint64_t bits, enum operation what, rh_ref self, int32_t ttl)
{
    struct mind child = { .seen = bits % 97, .left = 1, .child = true, .known = { self } };
    rh_ref who;
    if (m->child || !rh_is_nobody(m->known[KNOWN - 1]))
        return;
    child.walks = bits & 1;
    if (child.walks)
        who = what == SPAWN        ? rh_spawn(walker, .mind = child)
              : what == SPAWN_LINK ? rh_spawn_link(walker, .mind = child)
                                   : rh_spawn_monitor(walker, .mind = child);
    else
        who = what == SPAWN        ? rh_spawn(member, .mind = child)
              : what == SPAWN_LINK ? rh_spawn_link(member, .mind = child)
                                   : rh_spawn_monitor(member, .mind = child);
    m->known[KNOWN - 1] = who;
    send_job(m, self, who, bits >> 8, ttl);
}

static void see_received(struct mind *m, rh_ref self, const struct rh_envelope *e)
{
    if (!e) {
        see(m, "nothing");
        return;
    }
    const struct job *j = rh_as(e, job);
    if (j) {
        get_to_know(m, self, j->about);
        see(m, "job%u%c", j->value, letter_of(m, self, e->sender));
    } else if (rh_as(e, rh_down)) {
        const struct rh_down *d = rh_as(e, rh_down);
        const struct sum *s = rh_result(d, sum);
        see(m, "down-%c-%s-%d", letter_of(m, self, d->who), d->reason, s ? (int)s->value : -1);
    } else {
        see(m, "%s%c", e->type->name, letter_of(m, self, e->sender));
    }
}

static void use_table(struct mind *m, enum operation what, uint64_t bits)
{
    const char *key = bits & 1 ? "k" : "l";
    uint32_t value = (uint32_t)(bits >> 1) % 2, other = 1, got = 9;
    switch (what) {
    case PUT:
        see(m, "put%d", rh_table_put(shared, key, &value, sizeof value));
        break;
    case INSERT_NEW:
        see(m, "new%d", rh_table_insert_new(shared, key, &value, sizeof value));
        break;
    case SWAP:
        see(m, "swap%d", rh_table_swap(shared, key, &other, sizeof other, &value, sizeof value));
        break;
    case REMOVE:
        see(m, "remove%d", rh_table_remove(shared, key));
        break;
    case GET: {
        int64_t size = rh_table_get(shared, key, &got, sizeof got);
        see(m, "get%d-%u", (int)size, got);
        break;
    }
    default:
        see(m, "add%d", (int)rh_table_add(shared, "sum", 1));
    }
}

static void use_life(struct mind *m, rh_ref self, enum operation what, uint64_t bits)
{
    rh_ref who = someone(m, self, bits);
    uint64_t r = bits >> 10;
    switch (what) {
    case LINK:
        rh_link(who);
        break;
    case UNLINK:
        rh_unlink(who);
        break;
    case MONITOR:
        rh_monitor(who);
        break;
    case DEMONITOR:
        rh_demonitor(who);
        break;
    case KILL:
        rh_kill(who, r % 4 == 0 ? "kill" : r % 4 == 1 ? "normal" : "tired");
        break;
    case KILL_AND_WATCH:
        rh_kill(who, "tired");
        rh_monitor(who);
        see(m, "alive%d", rh_alive(who));
        break;
    case ALIVE:
        see(m, "alive%d", rh_alive(who));
        break;
    default:
        break;
    }
}

static void use_name(struct mind *m, rh_ref self, enum operation what, uint64_t bits, int32_t ttl)
{
    const char *name = bits & 1 ? "x" : "y";
    rh_ref who = what == REGISTER_OTHER ? someone(m, self, bits >> 1) : self;
    switch (what) {
    case UNREGISTER:
        see(m, "unregister%d", rh_unregister(name));
        break;
    case WHEREIS:
        who = rh_whereis(name);
        see(m, "whereis%d", !rh_is_nobody(who));
        if (!rh_is_nobody(who))
            send_job(m, self, who, bits >> 8, ttl);
        break;
    case SEND_TO_NAME:
        if (ttl > 0)
            see(m, "sent%d", rh_send_to_name(name, job, .ttl = ttl, .value = (uint32_t)(bits >> 24) % 8));
        break;
    default:
        see(m, "register%d", rh_register(name, who));
    }
}

static void wait_for(struct mind *m, rh_ref self, enum operation what, uint64_t bits)
{
    rh_ref who = someone(m, self, bits);
    const struct told *t;
    switch (what) {
    case ASK:
    case ASK_WITHIN:
        if (rh_same(who, self))
            break;
        t = what == ASK ? rh_ask(who, asked, told, .value = 1) : rh_ask_within(1, who, asked, told, .value = 2);
        see(m, "told%d", t ? (int)t->value : -1);
        break;
    case JOIN:
    case JOIN_WITHIN:
        if (rh_same(who, self))
            break;
        const struct rh_down *d = what == JOIN ? rh_join(who) : rh_join_within(bits >> 9 & 1 ? 1 : RH_POLL, who);
        const struct sum *s = rh_result(d, sum);
        see(m, "joined-%s-%d", d ? d->reason : "none", s ? (int)s->value : -1);
        break;
    case SLEEP:
        rh_sleep(1);
        break;
    default: {
        struct rh_filter f = { .timeout_ms = what == POLL ? RH_POLL : 1 };
        if (bits >> 8 & 1)
            f.type = &rh_message_job;
        if (bits >> 9 & 1)
            f.from = who;
        if (what == RECEIVE_SET) {
            const struct rh_envelope *e = rh_receive_set_(2, &f, RH_HERE);
            see_received(m, self, e);
            see_received(m, self, e ? &e[1] : NULL);
        } else {
            see_received(m, self, rh_receive_(&f, RH_HERE));
        }
    }
    }
}

static void operate(struct mind *m, rh_ref self, enum operation what, uint64_t bits, int32_t ttl, bool handles)
{
    shake();
    switch (what) {
    case SEND_TWO:
        send_job(m, self, someone(m, self, bits >> 30), bits >> 5, ttl);
        send_job(m, self, someone(m, self, bits), bits, ttl);
        break;
    case SEND:
        send_job(m, self, someone(m, self, bits), bits, ttl);
        break;
    case REPLY:
        if (handles)
            rh_reply(told, .value = (uint32_t)(bits % 4));
        break;
    case FORWARD:
        if (handles && m->left > 0 && !rh_same(someone(m, self, bits), self) && ttl > 0)
            rh_forward(someone(m, self, bits));
        break;
    case SPAWN:
    case SPAWN_LINK:
    case SPAWN_MONITOR:
        spawn_one(m, bits, what, self, ttl);
        break;
    case LINK:
    case UNLINK:
    case MONITOR:
    case DEMONITOR:
    case KILL:
    case KILL_AND_WATCH:
    case ALIVE:
        use_life(m, self, what, bits);
        break;
    case TRAP:
        rh_trap_exits(bits % 4 != 0);
        break;
    case REGISTER:
    case REGISTER_OTHER:
    case UNREGISTER:
    case WHEREIS:
    case SEND_TO_NAME:
        use_name(m, self, what, bits, ttl);
        break;
    case PUT:
    case INSERT_NEW:
    case SWAP:
    case REMOVE:
    case GET:
    case ADD:
        use_table(m, what, bits);
        break;
    case BECOME:
        if (m->walks)
            break;
        if (bits % 3)
            rh_become(member, busy);
        else
            rh_become(member, open);
        break;
    case STOP:
        if (!m->walks)
            rh_stop();
        break;
    case EXIT:
        rh_exit(bits & 1 ? "shutdown" : "normal");
    case RETURN:
        rh_return(sum, .value = (uint32_t)(m->seen % 10));
    case TIMER:
        rh_timer(bits & 1 ? "t" : "u", 1, beat, .value = (uint32_t)(bits >> 4) % 4);
        break;
    case CANCEL:
        see(m, "cancel%d", rh_timer_cancel("t"));
        break;
    case CHOOSE:
        see(m, "chose%u", rh_choose(2));
        break;
    default:
        wait_for(m, self, what, bits);
    }
    shake();
}

static enum operation operation_in(uint64_t slot)
{
    return slot == 0 ? SEND : (enum operation)(stirred(generated_seed, 1000 + slot) % OPERATIONS);
}

static void act(struct mind *m, rh_ref self, int32_t ttl, bool handles)
{
    if (m->left-- <= 0)
        return;
    uint64_t r = stirred(generated_seed, m->seen);
    for (uint64_t n = 1 + r % 3; n; n--) {
        r = stirred(r, m->seen);
        operate(m, self, operation_in((r >> 40) % (PALETTE + 1)), r >> 4 & 0x3ffffffffu, ttl, handles);
    }
}

RH_HANDLER(member, job)
{
    get_to_know(&state->mind, self, msg->about);
    see(&state->mind, "job%u%c", msg->value, letter_of(&state->mind, self, rh_sender()));
    act(&state->mind, self, msg->ttl - 1, true);
}

RH_HANDLER(member, beat)
{
    see(&state->mind, "beat%u", msg->value);
    act(&state->mind, self, 1, true);
}

RH_HANDLER(member, asked)
{
    see(&state->mind, "asked%u", msg->value);
    if (stirred(generated_seed, state->mind.seen) % 4)
        rh_reply(told, .value = (uint32_t)(state->mind.seen % 4));
    act(&state->mind, self, 1, true);
}

RH_HANDLER(member, told)
{
    see(&state->mind, "told%u", msg->value);
    act(&state->mind, self, 0, true);
}

RH_HANDLER(member, rh_down)
{
    const struct sum *s = rh_result(msg, sum);
    see(&state->mind, "down-%c-%s-%d", letter_of(&state->mind, self, msg->who), msg->reason, s ? (int)s->value : -1);
    act(&state->mind, self, 1, true);
}

RH_HANDLER(member, rh_exited)
{
    see(&state->mind, "exited-%c-%s", letter_of(&state->mind, self, msg->who), msg->reason);
    act(&state->mind, self, 1, true);
}

RH_BEHAVIOUR(member, open, job, beat, asked, told, rh_down, rh_exited);

RH_BEHAVIOUR(member, busy, RH_DEFER(job), beat, asked, told, RH_DEFER(rh_down), rh_exited);

RH_BODY(walker)
{
    struct mind *m = &state->mind;
    for (int turn = 0; turn < 2; turn++) {
        uint64_t r = stirred(generated_seed, m->seen + 5);
        const struct rh_envelope *e = rh_receive_any(.timeout_ms = r % 4 == 0 ? 1 : 0, .idle = true);
        const struct job *j = e ? rh_as(e, job) : NULL;
        int32_t ttl = j ? j->ttl - 1 : 0;
        see_received(m, self, e);
        act(m, self, ttl, e != NULL);
    }
}

void generated_start(void)
{
    uint64_t r = stirred(generated_seed, 99);
    enum { MOST = 3 };
    rh_ref all[MOST];
    int n = 2 + (int)(r % 2);
    for (int i = 0; i < n; i++) {
        struct mind m = { .seen = (uint64_t)i, .left = 2, .walks = (r >> (8 + i)) % 4 == 0 };
        for (int k = 0; k < i; k++)
            m.known[k] = all[k];
        all[i] = m.walks ? rh_spawn(walker, .mind = m) : rh_spawn(member, .mind = m);
    }
    for (int i = 0; i < 2; i++)
        rh_send(all[(r >> (16 + 4 * i)) % (uint64_t)n], job, .ttl = 2, .value = (uint32_t)i, .about = all[n - 1]);
}

/* ---- outcomes ---------------------------------------------------------------------------------------------------- */

void said_add(struct said *s, const char *actor, const char *text)
{
    if (strncmp(text, "say ", 4) != 0)
        return;
    if (s->count == MOST_SAID) {
        fprintf(stderr, "more than %d lines in one run\n", MOST_SAID);
        abort();
    }
    snprintf(s->actor[s->count], SAID_SIZE, "%s", actor);
    snprintf(s->text[s->count++], SAID_SIZE, "%s", text + 4);
}

void said_outcome(const struct said *s, char *buffer)
{
    size_t at = 0;
    const char *last = "";
    buffer[0] = '\0';
    for (;;) {
        const char *least = NULL;
        for (uint32_t i = 0; i < s->count; i++)
            if (strcmp(s->actor[i], last) > 0 && (!least || strcmp(s->actor[i], least) < 0))
                least = s->actor[i];
        if (!least)
            return;
        at += (size_t)snprintf(buffer + at, OUTCOME_SIZE - at, "%s%s:", at ? " | " : "", least);
        for (uint32_t i = 0; i < s->count; i++)
            if (strcmp(s->actor[i], least) == 0)
                at += (size_t)snprintf(buffer + at, OUTCOME_SIZE - at, " %s", s->text[i]);
        last = least;
    }
}
