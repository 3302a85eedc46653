/* The program's side of the seam: each function of rehearse.h calls into the current world.  This file also has what
 * all worlds share: registration of behaviours and bodies, formatting of texts, and the sentence for a program that
 * makes a call before there is a world. */
#include <rehearse/seam.h>
#include <rehearse/test.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actor/blocking.h"
#include "actor/describe.h"
#include "actor/monitors.h"
#include "actor/nowhere.h"
#include "actor/state_hash.h"

/* Set once, before the first actor starts; runs do not change it. */
static const struct rh_seam *world = &rh__nowhere;

void rh_seam_use(const struct rh_seam *seam)
{
    world = seam ? seam : &rh__nowhere;
}

/* ---- declarations, before main --------------------------------------------------------------------------------- */

static const struct rh_actor_type *monitors[RH__MONITORS];
static uint32_t monitor_count;

const struct rh_actor_type *rh__monitor_declared(uint32_t number)
{
    return number < monitor_count ? monitors[number] : NULL;
}

uint32_t rh__monitor_number(const struct rh_actor_type *type)
{
    uint32_t i = 0;
    while (i < monitor_count && monitors[i] != type)
        i++;
    return i < monitor_count ? i : RH__MONITORS;
}

void rh_behaviour_register_(const struct rh_behaviour *behaviour, struct rh_actor_type *actor)
{
    if (!actor->initial && actor->kind == RH_KIND_MONITOR && monitor_count < RH__MONITORS)
        monitors[monitor_count++] = actor;
    if (!actor->initial)
        actor->initial = behaviour;
    actor->may_be_hot |= behaviour->hot;
}

void rh_body_register_(struct rh_actor_type *process, rh_body_fn *body)
{
    process->body = body;
}

void rh_state_register_(struct rh_actor_type *actor, rh_state_fn *state_hash)
{
    actor->state_hash = state_hash;
}

void rh_state_add(struct rh_state_hash *hash, const void *bytes, size_t size)
{
    hash->chain = rh__wide_mix(hash->chain, rh__wide_hash(bytes, size, 1));
}

void rh_state_add_any(struct rh_state_hash *hash, const void *bytes, size_t size)
{
    hash->sum = rh__wide_sum(hash->sum, rh__wide_hash(bytes, size, 2));
}

static struct rh_test *first_test, **last_test = &first_test;

void rh_test_register_(struct rh_test *test)
{
    *last_test = test;
    last_test = &test->next;
}

const struct rh_test *rh_test_first(void)
{
    return first_test;
}

static struct rh_param_entry *first_param, **last_param = &first_param;
static struct rh_param_entry *first_bug, **last_bug = &first_bug;

void rh_param_register_(struct rh_param_entry *entry, bool bug)
{
    struct rh_param_entry ***last = bug ? &last_bug : &last_param;
    **last = entry;
    *last = &entry->next;
}

const struct rh_param_entry *rh_param_first(void)
{
    return first_param;
}

const struct rh_param_entry *rh_bug_first(void)
{
    return first_bug;
}

static struct rh_replica_number *numbers;

void rh_replica_number_register_(struct rh_replica_number *number)
{
    number->next = numbers;
    numbers = number;
}

const struct rh_replica_number *rh_replica_number_first(void)
{
    return numbers;
}

/* ---- actors ---------------------------------------------------------------------------------------------------- */

rh_ref RH__BEHIND(rh_spawn_)(const struct rh_actor_type *type, const void *state, const char *here)
{
    return world->spawn(type, state, RH_WATCH_NONE, here);
}

rh_ref RH__BEHIND(rh_spawn_watched_)(const struct rh_actor_type *type, const void *state, enum rh_watch watch,
                                     const char *here)
{
    return world->spawn(type, state, watch, here);
}

bool RH__BEHIND(rh_send_to_name_)(const char *name, const struct rh_message_type *type, const void *value,
                                  const char *here)
{
    return world->send_to_name(name, type, value, here);
}

void RH__BEHIND(rh_send_)(rh_ref to, const struct rh_message_type *type, const void *value, const void *tail,
                          size_t tail_size, const char *here)
{
    world->send(rh_nobody(), to, type, value, tail, tail_size, here);
}

const void *RH__BEHIND(rh_tail)(size_t *size)
{
    return world->tail(size);
}

void RH__BEHIND(rh_reply_)(const struct rh_message_type *type, const void *value, const void *tail, size_t tail_size,
                           const char *here)
{
    world->reply(world->request(here), type, value, tail, tail_size, here);
}

struct rh_request rh_keep_request_(const char *here)
{
    return world->keep_request(here);
}

void RH__BEHIND(rh_reply_to_)(struct rh_request request, const struct rh_message_type *type, const void *value,
                              const void *tail, size_t tail_size, const char *here)
{
    world->reply(request, type, value, tail, tail_size, here);
}

void RH__BEHIND(rh_forward_)(rh_ref to, const char *here)
{
    world->forward(to, here);
}

const void *RH__BEHIND(rh_ask_)(rh_ref to, const struct rh_message_type *type, const void *value,
                                const struct rh_message_type *reply, int64_t timeout_ms, const char *here)
{
    return world->ask(to, type, value, reply, timeout_ms, here);
}

rh_ref rh_self(void)
{
    return world->self();
}

rh_ref rh_sender(void)
{
    return world->sender();
}

uint32_t rh_restarts(void)
{
    return world->restarts();
}

void RH__BEHIND(rh_yield_)(const char *here)
{
    world->yield(here);
}

void RH__BEHIND(rh_info_)(rh_ref who, struct rh_actor_info *to, const char *here)
{
    *to = world->info(who, here);
}

bool RH__BEHIND(rh_alive_)(rh_ref who, const char *here)
{
    return world->alive(who, here);
}

const char *RH__BEHIND(rh_name)(rh_ref who)
{
    const char *described = rh__description_name(who);
    return described ? described : world->name_of(who);
}

void RH__BEHIND(rh_become_)(const struct rh_behaviour *behaviour, const char *here)
{
    world->become(behaviour, here);
}

void RH__BEHIND(rh_stop_)(const char *here)
{
    world->stop(here);
}

void RH__BEHIND(rh_exit_)(const char *reason, const char *here)
{
    world->exit(reason, NULL, NULL, here);
    abort(); /* a world's exit never returns */
}

void RH__BEHIND(rh_return_)(const struct rh_message_type *type, const void *value, const char *here)
{
    world->exit("normal", type, value, here);
    abort();
}

void RH__BEHIND(rh_kill_)(rh_ref who, const char *reason, const char *here)
{
    world->kill(who, reason, here);
}

void RH__BEHIND(rh_link_)(rh_ref who, const char *here)
{
    world->link(who, true, here);
}

void RH__BEHIND(rh_unlink_)(rh_ref who, const char *here)
{
    world->link(who, false, here);
}

void RH__BEHIND(rh_monitor_)(rh_ref who, const char *here)
{
    world->monitor(who, true, here);
}

const struct rh_down *RH__BEHIND(rh_join_)(rh_ref who, int64_t timeout_ms, const char *here)
{
    return world->join(who, timeout_ms, here);
}

uint64_t rh_result_type_(const struct rh_message_type *type)
{
    return rh__hash(type->name, strlen(type->name), type->size) | 1;
}

/* In all worlds the tail of a message follows its fields at a multiple of 16 bytes.  This test detects a copy of an
 * rh_down, and an rh_down received before the last message, whose tails are not available. */
const void *rh_result_(const struct rh_down *down, const struct rh_message_type *type)
{
    size_t size, tail_at = (sizeof *down + 15) & ~(size_t)15;
    const char *tail = world->tail(&size);
    bool fits = down && down->result == rh_result_type_(type) && size == type->size;
    return fits && tail == (const char *)down + tail_at ? tail : NULL;
}

void RH__BEHIND(rh_demonitor_)(rh_ref who, const char *here)
{
    world->monitor(who, false, here);
}

void RH__BEHIND(rh_trap_exits_)(bool yes, const char *here)
{
    world->trap_exits(yes, here);
}

bool RH__BEHIND(rh_register_)(const char *name, rh_ref who, const char *here)
{
    return world->name_set(name, who, here);
}

bool RH__BEHIND(rh_unregister_)(const char *name, const char *here)
{
    return world->name_set(name, rh_nobody(), here);
}

rh_ref RH__BEHIND(rh_whereis_)(const char *name, const char *here)
{
    return world->name_find(name, here);
}

/* ---- time, chance, receive, store -------------------------------------------------------------------------------- */

void RH__BEHIND(rh_timer_)(const char *name, int64_t delay_ms, const struct rh_message_type *type, const void *value,
                           const char *here)
{
    world->timer(name, delay_ms, type, value, here);
}

bool RH__BEHIND(rh_timer_cancel_)(const char *name, const char *here)
{
    return world->timer_cancel(name, here);
}

int64_t RH__BEHIND(rh_now_ms)(void)
{
    return world->now_ms();
}

void RH__BEHIND(rh_sleep_)(int64_t ms, const char *here)
{
    world->sleep(ms, here);
}

uint32_t RH__BEHIND(rh_choose_)(uint32_t n, const char *here)
{
    return world->choose(n, here);
}

uint64_t RH__BEHIND(rh_random)(void)
{
    return world->random();
}

const struct rh_envelope *RH__BEHIND(rh_receive_)(const struct rh_filter *filter, const char *here)
{
    return world->receive(filter, here);
}

const struct rh_envelope *RH__BEHIND(rh_receive_set_)(size_t n, const struct rh_filter *filter, const char *here)
{
    static const struct rh_envelope none;
    struct rh_filter with_count = *filter;
    with_count.count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    return n ? world->receive(&with_count, here) : &none; /* the empty set is always there */
}

void RH__BEHIND(rh_turn_to_)(const struct rh_envelope *envelope, const char *here)
{
    world->turn_to(envelope, here);
}

void RH__BEHIND(rh_store_open_)(const char *name, const char *here)
{
    world->store_open(name, here);
}

uint32_t RH__BEHIND(rh_store_put_)(const char *key, const void *bytes, size_t size, const char *here)
{
    return world->store_put(key, bytes, size, here);
}

int64_t RH__BEHIND(rh_store_get_)(const char *key, void *buffer, size_t capacity, const char *here)
{
    return world->store_get(key, buffer, capacity, here);
}

void RH__BEHIND(rh_store_sync_)(const char *here)
{
    world->store_sync(here);
}

void RH__BEHIND(rh_store_put_sync_)(const char *key, const void *bytes, size_t size, const char *here)
{
    world->store_put_sync(key, bytes, size, here);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

bool RH__BEHIND(rh_table_put_)(const struct rh_table *table, const char *key, const void *bytes, size_t size,
                               const char *here)
{
    struct rh_table_change change = { "rh_table_put", key, RH_WHEN_ANY, NULL, 0, bytes, bytes ? size : 0 };
    return world->table_change(table, &change, here);
}

bool RH__BEHIND(rh_table_insert_new_)(const struct rh_table *table, const char *key, const void *bytes, size_t size,
                                      const char *here)
{
    struct rh_table_change change = { "rh_table_insert_new", key, RH_WHEN_ABSENT, NULL, 0, bytes, bytes ? size : 0 };
    return world->table_change(table, &change, here);
}

bool RH__BEHIND(rh_table_remove_)(const struct rh_table *table, const char *key, const char *here)
{
    struct rh_table_change change = { "rh_table_remove", key, RH_WHEN_ANY, NULL, 0, NULL, 0 };
    return world->table_change(table, &change, here);
}

bool RH__BEHIND(rh_table_swap_)(const struct rh_table *table, const char *key, const void *expected,
                                size_t expected_size, const void *bytes, size_t size, const char *here)
{
    struct rh_table_change change = { "rh_table_swap", key,           expected ? RH_WHEN_EQUAL : RH_WHEN_ABSENT,
                                      expected,        expected_size, bytes,
                                      bytes ? size : 0 };
    return world->table_change(table, &change, here);
}

int64_t RH__BEHIND(rh_table_get_)(const struct rh_table *table, const char *key, void *buffer, size_t capacity,
                                  const char *here)
{
    return world->table_get(table, key, buffer, capacity, here);
}

int64_t RH__BEHIND(rh_table_add_)(const struct rh_table *table, const char *key, int64_t delta, const char *here)
{
    return world->table_add(table, key, delta, here);
}

uint32_t RH__BEHIND(rh_table_count_)(const struct rh_table *table, const char *here)
{
    return world->table_count(table, here);
}

bool RH__BEHIND(rh_table_next_)(const struct rh_table *table, const char *previous, char *key, size_t capacity,
                                const char *here)
{
    return world->table_next(table, previous, key, capacity, here);
}

/* ---- what must hold, tests --------------------------------------------------------------------------------------- */

/* A macro cannot stringise its first argument alone without expanding it, so `arguments` contains all of them.  The
 * condition ends at the first comma outside of brackets and quotes. */
static size_t length_of_first(const char *arguments)
{
    int depth = 0;
    char quote = 0;
    const char *c = arguments;
    for (; *c && !(*c == ',' && depth == 0 && !quote); c++) {
        if (quote)
            quote = *c == quote ? 0 : quote;
        else if (*c == '"' || *c == '\'')
            quote = *c;
        else if (strchr("([{", *c))
            depth++;
        else if (strchr(")]}", *c))
            depth--;
        if (*c == '\\' && c[1])
            c++;
    }
    return (size_t)(c - arguments);
}

void rh_assert_failed_(const char *here, const char *arguments, const char *format, ...)
{
    char text[512] = "", condition[256];
    snprintf(condition, sizeof condition, "%.*s", format ? (int)length_of_first(arguments) : 255, arguments);
    if (format) {
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
    }
    world->failed(here, condition, text);
}

void rh_assume_failed_(const char *here)
{
    world->assume_failed(here);
}

void RH__BEHIND(rh_property_)(enum rh_property kind, const char *name, bool holds, const char *here)
{
    world->property(kind, name, holds, here);
}

struct rh_call RH__BEHIND(rh_history_call_)(const struct rh_history *history, const char *key,
                                            const struct rh_message_type *type, const void *value, const char *here)
{
    struct rh_call call = { world->history_call(history, key, type, value, here) };
    return call;
}

void RH__BEHIND(rh_history_return_)(const struct rh_history *history, struct rh_call call,
                                    const struct rh_message_type *type, const void *value, const char *here)
{
    world->history_return(history, call.id, type, value, here);
}

void RH__BEHIND(rh_announce_)(const struct rh_message_type *type, const void *value, const char *here)
{
    world->announce(type, value, here);
}

void RH__BEHIND(rh_abstract_)(const char *key, uint64_t value, const char *here)
{
    world->abstract(key, value, here);
}

rh_ref RH__BEHIND(rh_observe_)(const struct rh_actor_type *monitor, const void *state, const char *here)
{
    return world->observe(monitor, state, here);
}

void RH__BEHIND(rh_open_)(rh_ref to, const struct rh_message_type *type, rh_when_fn *when, const char *here)
{
    world->open(to, type, when, here);
}

const void *RH__BEHIND(rh_wanted_)(enum rh_wanted wanted, const struct rh_message_type *type,
                                   const struct rh_between *between, const char *here)
{
    return world->wanted((int)wanted, type, between->from, between->to, here);
}

void RH__BEHIND(rh_advance_time_)(int64_t ms, const char *here)
{
    world->advance_time(ms, here);
}

const void *RH__BEHIND(rh_state_of_)(const struct rh_actor_type *type, rh_ref who, const char *here)
{
    return world->state_of(type, who, here);
}

void rh_log(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format ? format : "(rh_log was given no format)", args);
    va_end(args);
    world->log(text);
    rh__clean_stack();
}

rh_ref RH__BEHIND(rh_external_)(const char *name, const char *here)
{
    return world->external(name, here);
}

void RH__BEHIND(rh_send_from_)(rh_ref from, rh_ref to, const struct rh_message_type *type, const void *value,
                               const char *here)
{
    world->send(from, to, type, value, NULL, 0, here);
}

const char *rh_param_text(const char *name, const char *otherwise)
{
    const char *value = world->param(name, false);
    return value ? value : otherwise;
}

int64_t rh_param(const char *name, int64_t otherwise)
{
    const char *value = world->param(name, true);
    return value ? strtoll(value, NULL, 0) : otherwise;
}

bool rh_bug(const char *name)
{
    const char *value = world->param(name ? "bug" : NULL, false);
    return value && strcmp(value, name) == 0;
}
