/* See nowhere.h.  Calls that must not return (rh_exit) end the process with the exit code for wrong use. */
#include "actor/nowhere.h"

#include <stdio.h>
#include <stdlib.h>

static void too_early(const char *call, const char *here)
{
    fprintf(stderr,
            "rehearse: %s%s%s was called outside of any world: start the runtime (rh_runtime_start) or run "
            "under RH_MAIN first\n",
            here ? here : "", here ? ": " : "", call);
}

static rh_ref spawn(const struct rh_actor_type *type, const void *state, enum rh_watch watch, const char *here)
{
    (void)type, (void)state, (void)watch;
    too_early("rh_spawn", here);
    return rh_nobody();
}

static void send(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value, const void *tail,
                 size_t tail_size, const char *here)
{
    (void)from, (void)to, (void)type, (void)value, (void)tail, (void)tail_size;
    too_early("rh_send", here);
}

static bool send_to_name(const char *name, const struct rh_message_type *type, const void *value, const char *here)
{
    (void)name, (void)type, (void)value;
    too_early("rh_send_to_name", here);
    return false;
}

static struct rh_request request(const char *here)
{
    struct rh_request none = { { 0 }, 0 };
    too_early("rh_reply", here);
    return none;
}

static void reply(struct rh_request to, const struct rh_message_type *type, const void *value, const void *tail,
                  size_t tail_size, const char *here)
{
    (void)type, (void)value, (void)tail, (void)tail_size;
    if (!rh_is_nobody(to.who))
        too_early("rh_reply", here);
}

static void forward(rh_ref to, const char *here)
{
    (void)to;
    too_early("rh_forward", here);
}

static const void *ask(rh_ref to, const struct rh_message_type *type, const void *value,
                       const struct rh_message_type *reply_type, int64_t timeout_ms, const char *here)
{
    (void)to, (void)type, (void)value, (void)reply_type, (void)timeout_ms;
    too_early("rh_ask", here);
    return NULL;
}

static const struct rh_envelope *receive(const struct rh_filter *filter, const char *here)
{
    (void)filter;
    too_early("rh_receive", here);
    return NULL;
}

static void turn_to(const struct rh_envelope *envelope, const char *here)
{
    (void)envelope;
    too_early("rh_turn_to", here);
}

static const void *tail_of(size_t *size)
{
    if (size)
        *size = 0;
    return NULL;
}

static rh_ref nobody(void)
{
    return rh_nobody();
}

static uint32_t restarts(void)
{
    return 0;
}

static void yield(const char *here)
{
    too_early("rh_yield", here);
}

static struct rh_actor_info info(rh_ref who, const char *here)
{
    struct rh_actor_info none = { .doing = RH_DOING_ENDED };
    (void)who;
    too_early("rh_info", here);
    return none;
}

static bool alive(rh_ref who, const char *here)
{
    (void)who;
    (void)here;
    return false;
}

static const char *name_of(rh_ref who)
{
    (void)who;
    return "nobody";
}

static rh_ref external(const char *name, const char *here)
{
    (void)name;
    too_early("rh_external", here);
    return rh_nobody();
}

static void become(const struct rh_behaviour *behaviour, const char *here)
{
    (void)behaviour;
    too_early("rh_become", here);
}

static void stop(const char *here)
{
    too_early("rh_stop", here);
}

static void exit_now(const char *reason, const struct rh_message_type *type, const void *value, const char *here)
{
    (void)reason, (void)value;
    too_early(type ? "rh_return" : "rh_exit", here);
    exit(2);
}

static void kill_other(rh_ref who, const char *reason, const char *here)
{
    (void)who, (void)reason;
    too_early("rh_kill", here);
}

static void link_with(rh_ref who, bool on, const char *here)
{
    (void)who, (void)on;
    too_early("rh_link", here);
}

static void monitor(rh_ref who, bool on, const char *here)
{
    (void)who, (void)on;
    too_early("rh_monitor", here);
}

static const struct rh_down *join(rh_ref who, int64_t timeout_ms, const char *here)
{
    (void)who, (void)timeout_ms;
    too_early("rh_join", here);
    return NULL;
}

static void trap_exits(bool yes, const char *here)
{
    (void)yes;
    too_early("rh_trap_exits", here);
}

static bool name_set(const char *name, rh_ref who, const char *here)
{
    (void)name, (void)who;
    too_early("rh_register", here);
    return false;
}

static rh_ref name_find(const char *name, const char *here)
{
    (void)name;
    too_early("rh_whereis", here);
    return rh_nobody();
}

static void timer(const char *name, int64_t delay_ms, const struct rh_message_type *type, const void *value,
                  const char *here)
{
    (void)name, (void)delay_ms, (void)type, (void)value;
    too_early("rh_timer", here);
}

static bool timer_cancel(const char *name, const char *here)
{
    (void)name;
    too_early("rh_timer_cancel", here);
    return false;
}

static int64_t now_ms(void)
{
    return 0;
}

static void sleep_ms(int64_t ms, const char *here)
{
    (void)ms;
    too_early("rh_sleep", here);
}

static uint32_t choose(uint32_t n, const char *here)
{
    (void)n;
    too_early("rh_choose", here);
    return 0;
}

static uint64_t random_value(void)
{
    return 0;
}

static void store_open(const char *name, const char *here)
{
    (void)name;
    too_early("rh_store_open", here);
}

static uint32_t store_put(const char *key, const void *bytes, size_t size, const char *here)
{
    (void)key, (void)bytes, (void)size;
    too_early("rh_store_put", here);
    return 0;
}

static void store_put_sync(const char *key, const void *bytes, size_t size, const char *here)
{
    (void)key, (void)bytes, (void)size;
    too_early("rh_store_put_sync", here);
}

static int64_t store_get(const char *key, void *buffer, size_t capacity, const char *here)
{
    (void)key, (void)buffer, (void)capacity;
    too_early("rh_store_get", here);
    return -1;
}

static void store_sync(const char *here)
{
    too_early("rh_store_sync", here);
}

static bool table_change(const struct rh_table *table, const struct rh_table_change *change, const char *here)
{
    (void)table;
    too_early(change->call, here);
    return false;
}

static int64_t table_get(const struct rh_table *table, const char *key, void *buffer, size_t capacity, const char *here)
{
    (void)table, (void)key, (void)buffer, (void)capacity;
    too_early("rh_table_get", here);
    return -1;
}

static int64_t table_add(const struct rh_table *table, const char *key, int64_t delta, const char *here)
{
    (void)table, (void)key, (void)delta;
    too_early("rh_table_add", here);
    return 0;
}

static uint32_t table_count(const struct rh_table *table, const char *here)
{
    (void)table;
    too_early("rh_table_count", here);
    return 0;
}

static bool table_next(const struct rh_table *table, const char *previous, char *key, size_t capacity, const char *here)
{
    (void)table, (void)previous, (void)key, (void)capacity;
    too_early("rh_table_next", here);
    return false;
}

static void failed(const char *here, const char *condition, const char *text)
{
    fprintf(stderr, "rehearse: %s: assertion `%s` does not hold%s%s\n", here, condition, *text ? ": " : "", text);
    abort();
}

static void property(enum rh_property kind, const char *name, bool holds, const char *here)
{
    if (kind == RH_ALWAYS && !holds)
        failed(here, name, "");
}

static void assume_failed(const char *here)
{
    too_early("rh_assume", here);
}

static uint64_t history_call(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                             const void *value, const char *here)
{
    (void)history, (void)key, (void)type, (void)value;
    too_early("rh_history_call", here);
    return 0;
}

static void history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                           const void *value, const char *here)
{
    (void)history, (void)call, (void)type, (void)value;
    too_early("rh_history_return", here);
}

static void announce(const struct rh_message_type *type, const void *value, const char *here)
{
    (void)type, (void)value, (void)here;
}

static void abstract(const char *key, uint64_t value, const char *here)
{
    (void)key, (void)value, (void)here;
}

static void open_to_outside(rh_ref to, const struct rh_message_type *type, bool (*when)(const void *message),
                            const char *here)
{
    (void)to, (void)type, (void)when;
    too_early("rh_open", here);
}

static rh_ref observe(const struct rh_actor_type *type, const void *state, const char *here)
{
    (void)type, (void)state;
    too_early("rh_observe", here);
    return rh_nobody();
}

static const void *wanted(int kind, const struct rh_message_type *type, rh_ref from, rh_ref to, const char *here)
{
    (void)kind, (void)type, (void)from, (void)to;
    too_early("rh_expect", here);
    return NULL;
}

static void advance_time(int64_t ms, const char *here)
{
    (void)ms;
    too_early("rh_advance_time", here);
}

static const void *state_of(const struct rh_actor_type *type, rh_ref who, const char *here)
{
    (void)type, (void)who;
    too_early("rh_state_of", here);
    return NULL;
}

static void log_line(const char *text)
{
    fprintf(stderr, "%s\n", text);
}

static const char *param(const char *name, bool number)
{
    (void)name, (void)number;
    return NULL;
}

const struct rh_seam rh__nowhere = {
    .name = "nowhere",
    .spawn = spawn,
    .send = send,
    .send_to_name = send_to_name,
    .request = request,
    .keep_request = request,
    .reply = reply,
    .forward = forward,
    .ask = ask,
    .receive = receive,
    .turn_to = turn_to,
    .tail = tail_of,
    .self = nobody,
    .sender = nobody,
    .alive = alive,
    .yield = yield,
    .info = info,
    .restarts = restarts,
    .name_of = name_of,
    .external = external,
    .become = become,
    .stop = stop,
    .exit = exit_now,
    .kill = kill_other,
    .link = link_with,
    .monitor = monitor,
    .join = join,
    .trap_exits = trap_exits,
    .name_set = name_set,
    .name_find = name_find,
    .timer = timer,
    .timer_cancel = timer_cancel,
    .now_ms = now_ms,
    .sleep = sleep_ms,
    .choose = choose,
    .random = random_value,
    .store_open = store_open,
    .store_put = store_put,
    .store_put_sync = store_put_sync,
    .store_get = store_get,
    .store_sync = store_sync,
    .table_change = table_change,
    .table_get = table_get,
    .table_add = table_add,
    .table_count = table_count,
    .table_next = table_next,
    .failed = failed,
    .property = property,
    .assume_failed = assume_failed,
    .history_call = history_call,
    .history_return = history_return,
    .announce = announce,
    .abstract = abstract,
    .observe = observe,
    .open = open_to_outside,
    .wanted = wanted,
    .advance_time = advance_time,
    .state_of = state_of,
    .log = log_line,
    .param = param,
};
