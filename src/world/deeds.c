/* See deeds.h.
 *
 * An operation may stop its actor first, so that it happens in a later event: it is noted when the call returns.  Calls
 * that do not return, or wait, are noted before. */
#include "world/deeds.h"

#include <rehearse/sandbox.h>
#include <stdarg.h>
#include <string.h>

#include "world/network.h"
#include "world/seam.h"
#include "world/state.h"
#include "world/symbol.h"
#include "world/values.h"

struct rh__deeds *rh__deeds_new(void)
{
    return rh_shared_new(sizeof(struct rh__deeds));
}

void rh__deeds_free(struct rh__deeds *d)
{
    if (d)
        rh_shared_free(d, sizeof *d);
}

void rh__world_note_deeds(struct rh_world *w, struct rh__deeds *to)
{
    w->deeds = to;
    if (to)
        to->count = to->used = to->full = to->story_names = 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

enum { DEEPEST = 64 };

void rh__run_logical_name(const struct rh__run *r, uint32_t actor, struct rh__text *t)
{
    uint32_t path[DEEPEST], depth = 0;
    if (actor >= r->actor_count || actor == r->clock) {
        rh__text_add(t, actor == r->clock && actor != RH_NONE ? "the clock" : "nobody");
        return;
    }
    if (rh__run_actor(r, actor)->status == STATUS_OUTSIDE) {
        rh__text_add(t, "%s", r->payload + rh__run_actor(r, actor)->initial);
        return;
    }
    for (; actor && depth < DEEPEST; depth++) {
        uint32_t parent = rh__run_actor(r, actor)->parent;
        path[depth] = 0;
        for (uint32_t i = 1; i <= actor; i++)
            path[depth] += rh__run_actor(r, i)->parent == parent && rh__run_actor(r, i)->status != STATUS_OUTSIDE;
        actor = parent < r->actor_count ? parent : 0;
    }
    rh__text_add(t, actor ? "P..." : "P1");
    while (depth)
        rh__text_add(t, ".%u", path[--depth]);
}

bool rh__handler_place(const struct rh_behaviour *behaviour, const struct rh_message_type *type, char *buffer,
                       size_t size)
{
    const struct rh_entry *entry = NULL;
    for (size_t i = 0; behaviour && i < behaviour->entry_count; i++)
        if (behaviour->entries[i].type == type)
            entry = &behaviour->entries[i];
    if (!entry || !entry->call || !rh__symbol_place((const void *)(uintptr_t)entry->call, buffer, size))
        return false;
    buffer[strcspn(buffer, " ")] = 0; /* without the name of the function, which the macro has made */
    return true;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

enum { LONGEST_DEED = 480 };

void rh__deed_add(struct rh__deeds *d, uint32_t event, uint32_t actor, const char *place, const char *text)
{
    uint32_t size = (uint32_t)strlen(text) + 1, more = place ? (uint32_t)strlen(place) + 1 : 1;
    d->full = d->full || d->count == RH__MOST_DEEDS || d->used + size + more > RH__DEEDS_BYTES;
    if (d->full)
        return;
    memcpy(d->texts + d->used, text, size);
    memcpy(d->texts + d->used + size, place ? place : "", more);
    d->at[d->count] = (struct rh__deed){
        .event = event, .actor = actor, .accesses = UINT32_MAX, .text = d->used, .place = d->used + size
    };
    d->used += size + more;
    d->count++; /* last: the process may die at any time */
}

static void note_list(const struct rh_message_type *sends, const char *place, const char *format, va_list list)
{
    struct rh_world *w = rh__world;
    struct rh__deeds *d = w->deeds;
    char text[LONGEST_DEED];
    struct rh__text t;
    if (!d || code_of(w) == RH_NONE)
        return;
    rh__text_init(&t, text, sizeof text);
    rh__text_add_list(&t, format, list);
    rh__deed_add(d, w->event_count - 1, code_of(w), place, text);
    if (!d->full) {
        d->at[d->count - 1].accesses = w->access_count;
        d->at[d->count - 1].sends = sends;
    }
}

__attribute__((format(printf, 2, 3))) static void note(const char *place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    note_list(NULL, place, format, list);
    va_end(list);
}

__attribute__((format(printf, 3, 4))) static void note_send(const struct rh_message_type *type, const char *place,
                                                            const char *format, ...)
{
    va_list list;
    va_start(list, format);
    note_list(type, place, format, list);
    va_end(list);
}

struct name {
    char text[80];
};

static struct name name_of(rh_ref who)
{
    struct name n;
    struct rh__text t;
    uint32_t actor = actor_of(rh__world, who);
    rh__text_init(&t, n.text, sizeof n.text);
    if (rh__world->deeds && rh__world->deeds->story_names && actor < rh__world->actor_count)
        rh_world_actor_name(rh__world, actor, n.text, sizeof n.text);
    else
        rh__run_logical_name(rh__world_run(rh__world), actor, &t);
    return n;
}
#define NAME(who) name_of(who).text

/* A message with its fields: "deposit(amount=50)". */
struct shown {
    char text[256];
};

static struct shown message_of(const struct rh_message_type *type, const void *value)
{
    struct shown s;
    char fields[128];
    struct rh__text t;
    rh__text_init(&t, fields, sizeof fields);
    bool known = value && rh__value_write(rh__world_run(rh__world), type->name, type->size, value, type->size, &t);
    rh__text_init(&t, s.text, sizeof s.text);
    rh__text_add(&t, "%s", type->name);
    if (known && *fields)
        rh__text_add(&t, "(%s)", fields);
    return s;
}
#define MESSAGE(type, value) message_of(type, value).text

/* ---- the seam ---------------------------------------------------------------------------------------------------- */

#define PASS rh__controlled_seam

static const char *article(const char *name)
{
    return strchr("aeiou", *name) ? "an" : "a";
}

static rh_ref noting_spawn(const struct rh_actor_type *type, const void *state, enum rh_watch watch, const char *here)
{
    rh_ref who = PASS.spawn(type, state, watch, here);
    note(here, "spawns %s, %s %s%s", NAME(who), article(type->name), type->name,
         watch == RH_WATCH_LINK      ? ", and links itself to it"
         : watch == RH_WATCH_MONITOR ? ", and monitors it"
                                     : "");
    return who;
}

static void noting_send(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const void *tail,
                        size_t tail_size, const char *here)
{
    PASS.send(from, to, type, value, tail, tail_size, here);
    if (rh_is_nobody(from))
        note(here, "sends %s to %s", MESSAGE(type, value), NAME(to));
    else
        note(here, "sends %s to %s in the name of %s", MESSAGE(type, value), NAME(to), NAME(from));
}

static bool noting_send_to_name(const char *name, const struct rh_message_type *type, const void *value,
                                const char *here)
{
    bool sent = PASS.send_to_name(name, type, value, here);
    note(here, sent ? "sends %s to the name \"%s\"" : "cannot send %s: nobody has the name \"%s\"",
         MESSAGE(type, value), name);
    return sent;
}

static struct rh_request noting_keep_request(const char *here)
{
    struct rh_request request = PASS.keep_request(here);
    note(here, "keeps the request of %s", NAME(request.who));
    return request;
}

static void noting_reply(struct rh_request request, const struct rh_message_type *type, const void *value,
                         const void *tail, size_t tail_size, const char *here)
{
    PASS.reply(request, type, value, tail, tail_size, here);
    note(here, "answers %s with %s", NAME(request.who), MESSAGE(type, value));
}

static void noting_forward(rh_ref to, const char *here)
{
    PASS.forward(to, here);
    note(here, "passes its message on to %s", NAME(to));
}

static const void *noting_ask(rh_ref to, const struct rh_message_type *type, const void *value,
                              const struct rh_message_type *reply, int64_t timeout_ms, const char *here)
{
    note_send(type, here, "sends %s to %s, and waits for %s", MESSAGE(type, value), NAME(to), reply->name);
    const void *got = PASS.ask(to, type, value, reply, timeout_ms, here);
    if (got)
        note(here, "receives the answer %s from %s", reply->name, NAME(to));
    else
        note(here, "stops waiting for %s: its time is over", reply->name);
    return got;
}

static const struct rh_envelope *noting_receive(const struct rh_filter *filter, const char *here)
{
    const struct rh_envelope *e = PASS.receive(filter, here);
    uint32_t count = filter->count ? filter->count : 1;
    for (uint32_t i = 0; e && i < count; i++)
        note(here, "receives %s from %s", MESSAGE(e[i].type, e[i].value), NAME(e[i].sender));
    if (!e)
        note(here, "%s%s", filter->timeout_ms == RH_POLL ? "finds no " : "stops waiting: its time is over; no ",
             filter->type ? filter->type->name : "message");
    return e;
}

static bool noting_alive(rh_ref who, const char *here)
{
    bool alive = PASS.alive(who, here);
    note(here, "sees that %s %s", NAME(who), alive ? "is alive" : "has ended");
    return alive;
}

static void noting_become(const struct rh_behaviour *behaviour, const char *here)
{
    PASS.become(behaviour, here);
    note(here, "becomes %s", behaviour->name);
}

static void noting_stop(const char *here)
{
    PASS.stop(here);
    note(here, "will end with reason \"normal\"");
}

static void noting_exit(const char *reason, const struct rh_message_type *type, const void *value, const char *here)
{
    if (type)
        note(here, "returns %s", MESSAGE(type, value));
    else
        note(here, "exits with reason \"%s\"", reason ? reason : "normal");
    PASS.exit(reason, type, value, here);
}

static void noting_kill(rh_ref who, const char *reason, const char *here)
{
    PASS.kill(who, reason, here);
    note(here, "sends an exit signal with reason \"%s\" to %s", reason ? reason : "kill", NAME(who));
}

static void noting_link(rh_ref who, bool on, const char *here)
{
    PASS.link(who, on, here);
    note(here, on ? "links itself to %s" : "unlinks itself from %s", NAME(who));
}

static void noting_monitor(rh_ref who, bool on, const char *here)
{
    PASS.monitor(who, on, here);
    note(here, on ? "monitors %s" : "ceases to monitor %s", NAME(who));
}

static const struct rh_down *noting_join(rh_ref who, int64_t timeout_ms, const char *here)
{
    const struct rh_down *down = PASS.join(who, timeout_ms, here);
    if (down)
        note(here, "learns that %s has ended (%s)", NAME(who), down->reason);
    else
        note(here, "stops waiting for the end of %s: its time is over", NAME(who));
    return down;
}

static void noting_trap_exits(bool yes, const char *here)
{
    PASS.trap_exits(yes, here);
    note(here, yes ? "begins to trap exits" : "ceases to trap exits");
}

static bool noting_name_set(const char *name, rh_ref who, const char *here)
{
    bool done = PASS.name_set(name, who, here);
    if (rh_is_nobody(who))
        note(here, done ? "unregisters \"%s\"" : "fails to unregister \"%s\" because nobody has the name", name);
    else
        note(here, "%s %s as \"%s\"%s", done ? "registers" : "fails to register", NAME(who), name,
             done ? "" : " because it has ended or the name is taken");
    return done;
}

static rh_ref noting_name_find(const char *name, const char *here)
{
    rh_ref who = PASS.name_find(name, here);
    note(here, "looks up \"%s\" and finds %s", name, NAME(who));
    return who;
}

static void noting_timer(const char *name, int64_t delay_ms, const struct rh_message_type *type, const void *value,
                         const char *here)
{
    PASS.timer(name, delay_ms, type, value, here);
    note(here, "sets its timer \"%s\" to %lld ms, for %s", name, (long long)delay_ms, type->name);
}

static bool noting_timer_cancel(const char *name, const char *here)
{
    bool was_set = PASS.timer_cancel(name, here);
    note(here, "cancels its timer \"%s\"%s", name, was_set ? "" : ", which is not set");
    return was_set;
}

static void noting_sleep(int64_t ms, const char *here)
{
    note(here, "sleeps");
    PASS.sleep(ms, here);
    note(here, "wakes up");
}

static uint32_t noting_choose(uint32_t n, const char *here)
{
    uint32_t value = PASS.choose(n, here);
    note(here, "chooses %u of %u", value, n);
    return value;
}

static void noting_store_open(const char *name, const char *here)
{
    PASS.store_open(name, here);
    note(here, "opens its store \"%s\"", name);
}

static uint32_t noting_store_put(const char *key, const void *bytes, size_t size, const char *here)
{
    uint32_t ticket = PASS.store_put(key, bytes, size, here);
    note(here, bytes ? "puts \"%s\" into its store" : "removes \"%s\" from its store", key);
    return ticket;
}

static void noting_store_put_sync(const char *key, const void *bytes, size_t size, const char *here)
{
    PASS.store_put_sync(key, bytes, size, here);
    note(here, bytes ? "puts \"%s\" into its store, durably" : "removes \"%s\" from its store, durably", key);
}

static int64_t noting_store_get(const char *key, void *buffer, size_t capacity, const char *here)
{
    int64_t size = PASS.store_get(key, buffer, capacity, here);
    note(here, size < 0 ? "finds no \"%s\" in its store" : "reads \"%s\" from its store", key);
    return size;
}

static void noting_store_sync(const char *here)
{
    PASS.store_sync(here);
    note(here, "knows that its puts are durable");
}

static bool noting_table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here)
{
    bool held = PASS.table_change(table, change, here);
    note(here, "%s \"%s\" in table %s%s", change->bytes ? "puts" : "removes", change->key, table->name,
         held                            ? change->when == RH_WHEN_ANY ? ", which had a value" : ""
         : change->when == RH_WHEN_ANY   ? ", which had no value"
         : change->when == RH_WHEN_EQUAL ? ": in vain, the value is another one"
                                         : ": in vain, it has a value");
    return held;
}

static int64_t noting_table_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                                const char *here)
{
    int64_t size = PASS.table_get(table, key, buffer, capacity, here);
    note(here, size < 0 ? "finds no \"%s\" in table %s" : "reads \"%s\" in table %s", key, table->name);
    return size;
}

static int64_t noting_table_add(const struct rh_table *table, const char *key, int64_t delta, const char *here)
{
    int64_t sum = PASS.table_add(table, key, delta, here);
    note(here, "adds %lld to \"%s\" in table %s, which is %lld then", (long long)delta, key, table->name,
         (long long)sum);
    return sum;
}

static uint32_t noting_table_count(const struct rh_table *table, const char *here)
{
    uint32_t count = PASS.table_count(table, here);
    note(here, "counts %u keys in table %s", count, table->name);
    return count;
}

static bool noting_table_next(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                              const char *here)
{
    bool found = PASS.table_next(table, previous, key, capacity, here);
    note(here, "finds %s%s%s as the next key in table %s", found ? "\"" : "", found ? key : "nothing",
         found ? "\"" : "", table->name);
    return found;
}

static uint64_t noting_history_call(const struct rh_history *history, const char *key,
                                    const struct rh_message_type *type, const void *value, const char *here)
{
    uint64_t call = PASS.history_call(history, key, type, value, here);
    note(here, "records the call %s in history %s", type->name, history->name);
    return call;
}

static void noting_history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                                  const void *value, const char *here)
{
    PASS.history_return(history, call, type, value, here);
    note(here, "records the result %s in history %s", type->name, history->name);
}

static void noting_failed(const char *here, const char *condition, const char *text)
{
    note(here, "fails: %s%s`%s` does not hold", text, *text ? ": " : "", condition);
    PASS.failed(here, condition, text);
}

static void noting_property(enum rh_property kind, const char *name, bool holds, const char *here)
{
    note(here, "finds that \"%s\" %s", name, holds ? "holds" : "does not hold");
    PASS.property(kind, name, holds, here);
}

static void noting_announce(const struct rh_message_type *type, const void *value, const char *here)
{
    PASS.announce(type, value, here);
    note(here, "announces %s", MESSAGE(type, value));
}

static rh_ref noting_observe(const struct rh_actor_type *monitor, const void *state, const char *here)
{
    rh_ref who = PASS.observe(monitor, state, here);
    note(here, "starts monitor %s, %s %s", NAME(who), article(monitor->name), monitor->name);
    return who;
}

static const void *noting_wanted(int wanted, const struct rh_message_type *type, rh_ref from, rh_ref to,
                                 const char *here)
{
    static const char *const words[] = { "expects", "allows", "disallows" };
    note(here, "%s %s", words[wanted], type->name);
    return PASS.wanted(wanted, type, from, to, here);
}

static void noting_advance_time(int64_t ms, const char *here)
{
    note(here, "lets %lld ms pass", (long long)ms);
    PASS.advance_time(ms, here);
}

static void noting_log(const char *text)
{
    PASS.log(text);
    note(NULL, "logs: %s", text);
}

/* Calls that nobody else can notice stay as they are. */
const struct rh_seam *rh__noting_seam(void)
{
    static struct rh_seam seam;
    seam = rh__controlled_seam;
    seam.name = "noting";
    seam.spawn = noting_spawn;
    seam.send = noting_send;
    seam.send_to_name = noting_send_to_name;
    seam.keep_request = noting_keep_request;
    seam.reply = noting_reply;
    seam.forward = noting_forward;
    seam.ask = noting_ask;
    seam.receive = noting_receive;
    seam.alive = noting_alive;
    seam.become = noting_become;
    seam.stop = noting_stop;
    seam.exit = noting_exit;
    seam.kill = noting_kill;
    seam.link = noting_link;
    seam.monitor = noting_monitor;
    seam.join = noting_join;
    seam.trap_exits = noting_trap_exits;
    seam.name_set = noting_name_set;
    seam.name_find = noting_name_find;
    seam.timer = noting_timer;
    seam.timer_cancel = noting_timer_cancel;
    seam.sleep = noting_sleep;
    seam.choose = noting_choose;
    seam.store_open = noting_store_open;
    seam.store_put = noting_store_put;
    seam.store_put_sync = noting_store_put_sync;
    seam.store_get = noting_store_get;
    seam.store_sync = noting_store_sync;
    seam.table_change = noting_table_change;
    seam.table_get = noting_table_get;
    seam.table_add = noting_table_add;
    seam.table_count = noting_table_count;
    seam.table_next = noting_table_next;
    seam.failed = noting_failed;
    seam.property = noting_property;
    seam.history_call = noting_history_call;
    seam.history_return = noting_history_return;
    seam.announce = noting_announce;
    seam.observe = noting_observe;
    seam.wanted = noting_wanted;
    seam.advance_time = noting_advance_time;
    seam.log = noting_log;
    return &seam;
}
