/* The lifetime of a world: new, begin, reset, undo, rollback, snapshots (rehearse/world.h). */
#include <rehearse/world.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "actor/blocking.h"
#include "base/copy.h"
#include "base/fail.h"
#include "world/actors.h"
#include "world/control.h"
#include "world/deeds.h"
#include "world/fiber.h"
#include "world/fingerprint.h"
#include "world/guard.h"
#include "world/history.h"
#include "world/interpose.h"
#include "world/log.h"
#include "world/memory.h"
#include "world/outside.h"
#include "world/pages.h"
#include "world/seam.h"
#include "world/self_check.h"
#include "world/step.h"
#include "world/threads.h"

struct rh_world *rh__world;

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void fill_in(uint32_t *limit, uint32_t otherwise)
{
    if (!*limit)
        *limit = otherwise;
}

static bool too_large(const char *what, uint64_t value, uint64_t most, char *error, size_t error_size)
{
    if (value <= most)
        return false;
    snprintf(error, error_size, "%s is %llu; at most %llu is possible", what, (unsigned long long)value,
             (unsigned long long)most);
    return true;
}

_Static_assert(MAX_EVENTS == 1u << 25, "the most steps of RH_LIMITS fit");

static bool settle_semantics(struct rh_semantics *s, char *error, size_t error_size)
{
#define RH_X(field, otherwise, most, option, help)                                                                     \
    fill_in(&s->field, otherwise);                                                                                     \
    if (too_large(#field, s->field, most, error, error_size))                                                          \
        return false;
    RH_LIMITS(RH_X)
#undef RH_X
    if (s->granularity == RH_GRAIN_DEFAULT)
        s->granularity = s->kills == RH_KILL_ANYWHERE ? RH_GRAIN_OBJECT : RH_GRAIN_HANDLER;
    if (s->granularity == RH_GRAIN_SEND && !rh__delivery(s->model)->by_receiver) {
        snprintf(error, error_size, "granularity send requires delivery model mailbox");
        return false;
    }
    if (s->max_stack_bytes < 16 << 10) {
        snprintf(error, error_size, "max_stack_bytes is %u; a handler needs at least %u", s->max_stack_bytes, 16 << 10);
        return false;
    }
    struct rh__timer_budget budgets[RH__TIMER_BUDGETS];
    char why[256];
    if (rh__timer_budgets_read(s->timer_budgets, budgets, why, sizeof why) < 0) {
        snprintf(error, error_size, "timer_budgets: %s", why);
        return false;
    }
    return !too_large("max_actors times max_bytes_per_actor", (uint64_t)s->max_actors * s->max_bytes_per_actor,
                      (uint64_t)1 << 42, error, error_size);
}

/* With this option AddressSanitizer keeps variables of functions apart from their stacks, where they are not undone. */
extern int __asan_option_detect_stack_use_after_return __attribute__((weak));

static bool variables_are_apart(char *error, size_t error_size)
{
    if (!&__asan_option_detect_stack_use_after_return || !__asan_option_detect_stack_use_after_return)
        return false;
    snprintf(error, error_size,
             "AddressSanitizer keeps variables of functions where they cannot be undone: set "
             "ASAN_OPTIONS=detect_stack_use_after_return=0 (such mistakes are found in production)");
    return true;
}

struct rh_world *rh_world_new(const struct rh_world_options *options, char *error, size_t error_size)
{
    if (rh__world) {
        snprintf(error, error_size, "there is already a world in this process");
        return NULL;
    }
    struct rh_semantics s = options->semantics ? *options->semantics : options->test->semantics;
    if (!settle_semantics(&s, error, error_size) || variables_are_apart(error, error_size))
        return NULL;
    struct rh_world *w = rh__memory_reserve(&s, error, error_size);
    if (!w)
        return NULL;
    w->timer_budget_count = (uint32_t)rh__timer_budgets_read(w->semantics.timer_budgets, w->timer_budgets, NULL, 0);
    w->test = options->test;
    w->params = options->params;
    w->param_count = options->param_count;
    w->params_asked = options->params_asked;
    w->monitors_known = options->monitors;
    w->timer_names_seen = options->timer_names;
    w->atomic_met = options->atomic_met;
    w->no_undo = w->never_undoes = options->no_undo;
    w->quiet = options->quiet;
#define RH_X(field, spends, option, help) w->any_faults |= s.field != 0;
    RH_BUDGETS(RH_X)
#undef RH_X
    w->isolates = s.check_isolation;
    w->threaded = s.contexts == RH_CONTEXT_THREADS;
    w->own_clocks = s.granularity == RH_GRAIN_OBJECT || s.time == RH_TIME_LOGICAL;
    w->crash_points = rh__has_crash_points(&s);
    w->heads_first = w->delivery.head_is_free && !w->any_faults && s.granularity != RH_GRAIN_OBJECT;
    w->kill_points = s.granularity == RH_GRAIN_OBJECT && s.kills == RH_KILL_ANYWHERE;
    w->tick_ns = s.time == RH_TIME_LOGICAL ? 1000000 : 0;
    w->current = w->observing = w->matching = w->clock = RH_NONE;
    rh__world_run_begin(w);
    if (!rh__histories_reserve()) {
        snprintf(error, error_size, "not enough memory");
        rh__histories_release();
        rh__memory_release(w);
        return NULL;
    }
    rh__world = w;
    return w;
}

void rh_world_free(struct rh_world *w)
{
    if (!w)
        return;
    if (w->begun) {
        rh__threads_end(w);
        rh__log_rollback(w, w->log_start); /* restores the globals to their values before the world */
        rh__pages_free_all(w);
        rh__guard_end(w); /* not earlier: binding its calls writes to the program's pages */
    }
    rh_seam_use(NULL);
    rh__calls_are_plain = true;
    rh__world = NULL;
    rh__outside_release(w);
    rh__histories_release();
    rh__memory_release(w);
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

static const struct rh_actor_type test_type = { .name = "test", .kind = RH_KIND_PROCESS };

/* A large table of which a run uses a few pages: these are given back, and are zero when they are used again. */
static void clear_table(void *table, size_t size)
{
    if (madvise(table, size, MADV_REMOVE) != 0)
        memset(table, 0, size);
}

/* A child that crashed may have left its own world in the shared tables. */
static void clear(struct rh_world *w)
{
    memset(w->ready, 0, (w->channel_count + 63) / 64 * sizeof *w->ready);
    memset(w->large, 0, w->actor_count * sizeof *w->large);
    memset(w->channel_cache, 0xff, sizeof w->channel_cache);
    if (w->timer_pool.count)
        clear_table(w->timer_names, TIMER_NAMES * sizeof *w->timer_names);
    if (w->object_count)
        clear_table(w->objects, MAX_OBJECTS * sizeof *w->objects);
    memset(&w->event_count, 0, offsetof(struct rh_world, logged_end) - offsetof(struct rh_world, event_count));
    for (uint32_t i = 0; i < w->property_count; i++)
        w->properties[i].run = 0;
    w->payload_at = 16;
    w->timer_pool.free = w->link_pool.free = w->name_pool.free = w->write_pool.free = w->store_pool.free =
        w->item_pool.free = RH_NONE;
    w->clock = RH_NONE;
    w->timer_newest = w->first_name = w->first_store = w->stack_free = w->chooser = RH_NONE;
    w->current = w->observing = w->matching = RH_NONE;
    for (uint32_t i = 0; i < w->timer_budget_count; i++)
        w->timers_left[i] = w->timer_budgets[i].most;
#define RH_X(field, spends, option, help) w->left.field = w->semantics.field;
    RH_BUDGETS(RH_X)
#undef RH_X
    w->inside = false;
    w->fill = FILL_NOT;
    w->exit_reason = NULL;
    w->hashing = false;
    w->choices_log = w->parts.log = NULL;
    w->lists_end = 0;
    w->globals = NULL;
    w->hot_pages = w->large_count = 0;
    w->stacks_guarded = 0;
    w->log = w->log_start;
    w->epoch = 0;
    rh__epoch_begin(w);
    w->can_read_stacks = true;
}

void rh_world_begin(struct rh_world *w)
{
    RH__ASSERT(!w->begun || w->log_start, "a world begins once in a process");
    clear(w);
    rh_seam_use(w->deeds ? rh__noting_seam() : &rh__controlled_seam);
    rh__fiber_calls(w);
    rh__control_begin();
    rh__interpose_start();
    rh__guard_begin(w);
    rh__threads_begin(w);
    rh__globals_begin(w);
    rh__images_find(&w->images);
    rh__actor_spawn(w, RH_NONE, &test_type, "", w->test->place);
    w->begun = true;
    struct rh_choice begin = { RH_CHOICE_BEGIN, 0, 0, 0 };
    rh__take(w, &begin);
    w->baseline_log = w->log;
    w->baseline_messages = w->message_count;
    w->baseline_payload = w->payload_at;
    w->baseline_under_way = w->under_way;
    w->baseline_actors = w->actor_count;
    w->baseline_channels = w->channel_count;
    w->baseline_writes = w->write_pool.count;
    w->baseline_operations = w->operation_count;
    w->baseline_lines = w->line_count;
    w->baseline_shown = w->shown_count;
    w->baseline_accesses = w->access_count;
    w->run.first_actors = w->actor_count;
    w->loaded_events = 1;
    rh__epoch_begin(w);
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

static void back_to(struct rh_world *w, uint32_t events, char *log, uint32_t messages, uint64_t payload,
                    uint32_t under_way)
{
    uint64_t hashed_log = w->hashed_log;
    rh__log_rollback(w, log);
    if (w->hashing)
        rh__hashes_undone(w, hashed_log);
    w->choices_log = w->parts.log = NULL;
    w->event_count = events;
    w->message_count = messages;
    w->payload_at = payload;
    w->under_way = under_way;
    rh__epoch_begin(w);
    if (w->large_count)
        rh__pages_settle(w);
    if (w->hashing && events < w->hashing_since)
        w->hashing = false;
    if (!w->no_undo)
        rh__list_again(w);
    if (RH__IS_HOSTILE) {
        rh__check_undo(w);
        rh__check_kept_list(w);
    }
}

void rh_world_rollback(struct rh_world *w, uint32_t events)
{
    if (events < w->loaded_events)
        events = 1; /* steps before a snapshot cannot be undone one by one */
    if (events >= w->event_count)
        return;
    RH__ASSERT(events == 1 || !w->no_undo, "a world without undo can only be reset");
    const struct rh_event *first_undone = &w->events[events];
    w->counts.undone += w->event_count - events;
    if (events == 1) {
        w->loaded_events = 1;
        rh__threads_renew(w);
    }
    if (events == 1) /* also drops what fingerprints of the beginning have logged */
        back_to(w, 1, w->baseline_log, w->baseline_messages, w->baseline_payload, w->baseline_under_way);
    else
        back_to(w, events, (char *)(uintptr_t)first_undone->private_mark[0], first_undone->first_message,
                first_undone->private_mark[1], (uint32_t)first_undone->private_mark[2]);
}

bool rh_world_undo(struct rh_world *w)
{
    if (w->event_count <= w->loaded_events || w->no_undo)
        return false;
    rh_world_rollback(w, w->event_count - 1);
    return true;
}

void rh_world_reset(struct rh_world *w)
{
    w->counts.resets++;
    rh_world_rollback(w, 1);
}
