/* The main loop of the agent (agent.h): limits, checkpoints, beginning and end of a pool. */
#include "cluster/agent.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/interrupt.h"
#include "base/visible.h"
#include "cluster/checkpoint.h"

static const double grace_seconds = 0.5; /* processor time for slices under way when a limit is reached */
/* Wall-clock limits of the grace period.  After an interrupt, a handler that does not return may use up its time, so
 * that it is found (max_handler_ms, twice for a busy machine). */
static const double longest_grace = 30, longest_grace_interrupted = 5, handlers_of_grace = 2;
static const double checkpoint_seconds = 5; /* least time between two checkpoints */
/* Largest share of the time spent on checkpoints. */
static const double checkpoint_cost = 0.05;

bool rh__agent_fail(struct rh__agent *a, const char *why)
{
    snprintf(a->error, a->error_size, "%s: %s", why, strerror(errno));
    a->failed = true;
    return false;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Reads the meters at most every 10 ms, because each read is a system call. */
static bool out_of_time(struct rh__agent *a, double now)
{
    double most = a->x->limits.max_seconds;
    if (most <= 0 || now < a->next_meter)
        return false;
    a->next_meter = now + 0.010;
    a->x->clock.pool_used = rh__agent_used_seconds(a) / a->o->workers;
    return now - a->x->clock.started >= most * RH__WALL_FACTOR || a->x->clock.pool_used >= most;
}

static bool is_enough(struct rh__agent *a, double now)
{
    const struct rh__limits *l = &a->x->limits;
    const struct rh__results *r = rh__agent_totals(a);
    if (a->o->link && !a->o->link->explorer) /* limits are the explorer's */
        return a->failed || a->x->end.interrupted;
    return a->failed || a->x->end.interrupted || (r->finding_count && !l->keep_going) ||
           (l->max_runs && r->count.runs >= l->max_runs) || (l->max_all_steps && r->count.steps >= l->max_all_steps) ||
           out_of_time(a, now);
}

static void begin_grace(struct rh__agent *a)
{
    rh__agent_used_seconds(a);
    for (uint32_t i = 0; i < a->o->workers; i++)
        a->slots[i].grace_from = a->slots[i].used;
}

/* True if the busy workers have had enough time to report.  `seconds`: wall-clock time since the agent decided to
 * stop. */
static bool grace_is_over(struct rh__agent *a, double seconds)
{
    bool over = true;
    rh__agent_used_seconds(a);
    for (uint32_t i = 0; i < a->o->workers; i++)
        over &= !rh__slot_is_busy(&a->slots[i]) || a->slots[i].used - a->slots[i].grace_from > grace_seconds;
    double handler = handlers_of_grace * rh_world_semantics(a->x->world)->max_handler_ms / 1000;
    return over || seconds > (a->x->end.interrupted ? longest_grace_interrupted + handler : longest_grace);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Writes a checkpoint.  A failed write in between is no error, because a later write may succeed.  Only the first and
 * the last checkpoint must succeed. */
static void write_checkpoint(struct rh__agent *a, bool last)
{
    double from = rh__now_seconds();
    if (!a->o->checkpoint)
        return;
    char why[512];
    bool was = a->unsaved;
    a->unsaved = !rh__checkpoint_write(&a->file, a->binding, &a->x->explorer, &a->queue,
                                       a->seconds_before + from - a->x->clock.started, why, sizeof why);
    if (a->unsaved)
        snprintf(a->x->end.trouble, sizeof a->x->end.trouble, "the checkpoint is not up to date: %s", why);
    else if (was)
        a->x->end.trouble[0] = 0;
    if (a->unsaved && !was && !last)
        rh__complain("warning: no checkpoint for now: %s", why);
    double now = rh__now_seconds(), cost = now - from, pause = a->o->checkpoint_seconds;
    pause = pause > 0 ? pause : checkpoint_seconds;
    a->next_checkpoint = now + (cost / checkpoint_cost > pause ? cost / checkpoint_cost : pause);
}

static bool some_worker_is_busy(const struct rh__agent *a)
{
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (rh__slot_is_busy(&a->slots[i]))
            return true;
    return false;
}

static void show_workers(struct rh__agent *a)
{
    for (uint32_t i = 0; i < a->o->workers; i++)
        a->pids[i] = a->slots[i].pid;
    a->o->watch(a->o->watch_arg, a->x, a->pids);
}

/* Whether the server has news that end the exploration: then a snapshot is due at once. */
static bool is_news(const struct rh__agent *a)
{
    const struct rh__link_state *s = rh__linked_state(a->queue.state);
    const struct rh__limits *l = &a->x->limits;
    const struct rh__results *r = rh__agent_totals(a);
    return (s->findings && !r->finding_count && !l->keep_going) || (l->max_runs && s->runs >= l->max_runs) ||
           (l->max_all_steps && s->steps >= l->max_all_steps);
}

/* With a link: keeps the leases, takes snapshots.  Returns true if the job is over. */
static bool attend(struct rh__agent *a)
{
    void *q = a->queue.state;
    if (!rh__linked_attend(q, a->o->link->explorer && is_news(a), a->error, a->error_size)) {
        a->failed = true;
        return true;
    }
    bool anew = rh__linked_has_dropped(q);
    for (uint32_t i = 0; anew && i < a->o->workers && !a->failed; i++)
        rh__agent_replace(a, &a->slots[i]);
    a->x->agents = (uint32_t)rh__linked_state(q)->agents;
    a->x->all_workers = (uint32_t)rh__linked_state(q)->workers;
    a->x->offline = !rh__linked_is_online(q);
    if (rh__linked_is_removed(q) && a->o->link->explorer && !a->x->end.trouble[0])
        snprintf(a->x->end.trouble, sizeof a->x->end.trouble, "the job was removed from the server: this is not all");
    const struct rh_inner *e = a->o->link->explorer ? rh_inner_with_rounds(&a->x->explorer) : NULL;
    a->over = rh__linked_is_over(q); /* it gathers what was told */
    if (e && !rh__linked_is_removed(q) && e->explorer->share->rounds->has_more(e->state))
        a->over = false;
    return a->over;
}

/* Runs until no worker is busy: either no work is left, or the agent decided to stop and the slices are over. */
static void run_loop(struct rh__agent *a)
{
    struct rh_exploration *x = a->x;
    double enough_since = 0, next_look = 0;
    for (;;) {
        double now = rh__now_seconds();
        if (!enough_since && is_enough(a, now)) {
            enough_since = now;
            begin_grace(a);
        }
        if (!enough_since) {
            rh__agent_feed(a);
            rh__agent_hand_out(a);
        }
        if (a->failed || (enough_since && grace_is_over(a, now - enough_since)))
            break;
        if (a->o->link ? attend(a) || (enough_since && !some_worker_is_busy(a)) : !some_worker_is_busy(a))
            break;
        rh__agent_take_reports(a);
        if (now >= next_look) {
            rh__agent_look_after(a, now);
            next_look = now + 0.2;
        }
        if (a->o->watch)
            show_workers(a);
        rh__curve_note(x, false);
        if (x->progress && now >= x->clock.next_progress)
            x->progress(x);
        if (a->o->checkpoint && now >= a->next_checkpoint)
            write_checkpoint(a, false);
    }
    x->end.stopped = enough_since > 0;
}

/* Gives back the items of busy workers, and decides whether the tree is exhausted. */
static void conclude(struct rh__agent *a)
{
    const struct rh__queue *q = &a->queue;
    struct rh_exploration *x = a->x;
    for (uint32_t i = 0; i < a->o->workers; i++)
        if (rh__slot_is_busy(&a->slots[i]))
            q->table->give_back(q->state, a->slots[i].lease.number, false);
    const struct rh_inner *e = rh_inner_with_rounds(&x->explorer);
    if (a->o->link && !a->over && !rh__linked_attend(q->state, true, a->error, a->error_size))
        a->failed = true;
    bool over = !a->o->link || a->over || rh__linked_is_over(q->state);
    bool left = !over || (a->o->link && rh__linked_is_removed(q->state)) || q->table->waiting(q->state) ||
                q->table->leased(q->state) || (e && e->explorer->share->rounds->has_more(e->state));
    /* The agent's explorer never had work.  The call of `begin` tells this explorer that it is done. */
    x->end.exhausted = !left && rh_inner_begin(&x->explorer, x->world) == 0;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static bool is_empty(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 && s.st_size == 0;
}

/* Fills the queue with the root item, or with the items of the checkpoint. */
static enum rh__pool_end fill(struct rh__agent *a)
{
    unsigned char root;
    if (!rh_inner_can_share(&a->x->explorer)) {
        snprintf(a->error, a->error_size,
                 "explorer %s cannot share its work, so it cannot have several workers (-j, --cluster) or a "
                 "checkpoint; dfs, "
                 "dpor, optimal, stateful, delay, auto and samplers can, and bound, portfolio, symmetry and (but for "
                 "stateful) preempt of these",
                 a->o->explorer);
        return RH__POOL_REFUSED;
    }
    if (a->o->link && !a->o->link->explorer)
        return RH__POOL_DONE; /* the explorer has the items */
    if (a->o->resume)
        return rh__checkpoint_read(&a->file, a->binding, &a->x->explorer, &a->queue, &a->seconds_before, a->error,
                                   a->error_size)
                   ? RH__POOL_DONE
                   : RH__POOL_REFUSED;
    if (rh_inner_with_rounds(&a->x->explorer))
        return RH__POOL_DONE; /* it gives its items */
    if (a->queue.table->add(a->queue.state, &root, rh_item_put_root(&root, sizeof root)))
        return RH__POOL_DONE;
    snprintf(a->error, a->error_size, "no memory for an item");
    return RH__POOL_FAILED;
}

static bool take_memory(struct rh__agent *a)
{
    uint32_t n = a->o->workers;
    snprintf(a->error, a->error_size, "no memory for %u workers", n);
    a->slots = rh__alloc_array(n, sizeof *a->slots);
    a->pids = rh__alloc_array(n, sizeof *a->pids);
    a->polls = rh__alloc_array(n, sizeof *a->polls);
    a->binding = rh__alloc_array(1, RH__BINDING_BYTES);
    a->given = rh__alloc_array(1, RH__GIVEN_BYTES);
    a->meters = rh_shared_new(n * sizeof *a->meters);
    for (uint32_t i = 0; a->slots && i < n; i++)
        a->slots[i] = (struct rh__slot){ .fd = -1, .in = rh__writer_new() };
    return a->slots && a->meters && a->pids && a->polls && a->binding && a->given;
}

static enum rh__pool_end open_checkpoint(struct rh__agent *a)
{
    if (!a->o->checkpoint && !a->o->link)
        return RH__POOL_DONE;
    if (!rh__checkpoint_binding(a->x, a->binding, RH__BINDING_BYTES, a->error, a->error_size))
        return RH__POOL_FAILED;
    if (!a->o->checkpoint)
        return RH__POOL_DONE;
    if (!rh__kept_open(&a->file, a->o->checkpoint, a->o->resume, a->error, a->error_size))
        return RH__POOL_REFUSED;
    if (!a->o->resume && a->file.fd >= 0 && !is_empty(a->file.fd)) {
        snprintf(a->error, a->error_size,
                 "%s is there already: add --resume to go on from it, or remove it to begin anew", a->o->checkpoint);
        return RH__POOL_REFUSED;
    }
    return RH__POOL_DONE;
}

static enum rh__pool_end open_agent(struct rh__agent *a)
{
    char where[16];
    snprintf(where, sizeof where, "%d", a->o->link ? a->o->link->fd : -1);
    a->queue.table = a->o->link ? &rh__queue_linked : &rh__queue_local;
    if (!take_memory(a) ||
        !(a->queue.state = a->queue.table->open(a->o->link ? where : NULL, a->x->results, a->error, a->error_size)))
        return RH__POOL_FAILED;
    enum rh__pool_end end = open_checkpoint(a);
    if (end != RH__POOL_DONE)
        return end;
    rh__results_meet(a->x->results, a->x->world); /* the determinism check has run the program already */
    end = fill(a);
    if (end == RH__POOL_DONE)
        a->error[0] = 0; /* what was said of attempts is no reason for what fails later */
    return end;
}

static void release(struct rh__agent *a)
{
    if (a->queue.state)
        a->queue.table->close(a->queue.state);
    rh__kept_close(&a->file);
    rh__free(a->binding);
    rh__free(a->given);
    rh__free(a->polls);
    rh__free(a->pids);
    rh_shared_free(a->meters, a->o->workers * sizeof *a->meters);
    rh__free(a->slots);
}

static bool gather(void *arg, const void *told, size_t size)
{
    const struct rh_inner *e = arg;
    return e->explorer->share->rounds->gather(e->state, told, size);
}

static const void *known(void *arg, uint64_t *life, size_t *size)
{
    const struct rh_inner *e = arg;
    return e->explorer->share->rounds->known(e->state, life, size);
}

static bool learn(void *arg, const void *bytes, size_t size)
{
    const struct rh_inner *e = arg;
    return e->explorer->share->rounds->learn(e->state, bytes, size);
}

static void set_rounds(struct rh__agent *a)
{
    const struct rh_inner *e = rh_inner_with_rounds(&a->x->explorer);
    bool learns = e && e->explorer->share->rounds->learn;
    if (e)
        rh__linked_set_rounds(
            a->queue.state,
            &(struct rh__linked_rounds){ (void *)(uintptr_t)e, gather, learns ? known : NULL, learns ? learn : NULL });
}

/* With a link: begins a generation of the job, or takes part in it. */
static bool begin_linked(struct rh__agent *a)
{
    const struct rh__pool_link *l = a->o->link;
    a->linked = (struct rh__linked_job){ .binding = a->binding,
                                         .job = l->job,
                                         .size = l->job_size,
                                         .lease_seconds = l->lease_seconds,
                                         .max_runs = a->x->limits.max_runs,
                                         .max_steps = a->x->limits.max_all_steps };
    rh__linked_set_workers(a->queue.state, a->o->workers);
    set_rounds(a);
    if (!l->explorer)
        rh__linked_join(a->queue.state, l->lease_seconds);
    return !l->explorer || rh__linked_begin(a->queue.state, &a->linked, a->error, a->error_size);
}

/* Runs the pool.  Writes the first checkpoint and the last one. */
static enum rh__pool_end work(struct rh__agent *a)
{
    write_checkpoint(a, true);
    if (a->unsaved) { /* refuses an unwritable checkpoint before any work is done */
        snprintf(a->error, a->error_size, "%s", a->x->end.trouble);
        return RH__POOL_REFUSED;
    }
    if (a->o->link && !begin_linked(a))
        return RH__POOL_FAILED;
    for (uint32_t i = 0; i < a->o->workers && !a->failed; i++)
        rh__agent_start(a, &a->slots[i]);
    if (!a->failed) {
        run_loop(a);
        conclude(a);
    }
    rh__agent_dismiss(a);
    write_checkpoint(a, true);
    if (a->o->link)
        rh__linked_end(a->queue.state);
    return a->failed ? RH__POOL_FAILED : RH__POOL_DONE;
}

enum rh__pool_end rh__pool_explore(struct rh_exploration *x, const struct rh__pool_options *o, char *error,
                                   size_t error_size)
{
    struct rh__agent a = { .x = x, .o = o, .file.fd = -1, .error = error, .error_size = error_size };
    a.job = (struct rh__worker_job){ .world = o->world,
                                     .explorer = o->explorer,
                                     .seed = x->seed,
                                     .keep_going = x->limits.keep_going,
                                     .unchecked = x->limits.unchecked,
                                     .criteria = x->results->coverage ? x->results->coverage->criteria : 0,
                                     .mute = x->mute,
                                     .agent = rh_inner_with_rounds(&x->explorer) ? x : NULL };
    x->workers = o->workers;
    enum rh__pool_end end = open_agent(&a);
    if (end == RH__POOL_DONE) {
        struct rh__interrupts interrupts;
        rh__interrupts_begin(&interrupts, &x->end.interrupted);
        x->clock.started = rh__now_seconds();
        end = work(&a);
        rh__interrupts_end(&interrupts);
        rh__results_sort(x->results);
        x->clock.processor_seconds = rh__agent_used_seconds(&a);
        x->clock.seconds = a.seconds_before + rh__now_seconds() - x->clock.started;
    }
    release(&a);
    return end;
}

uint32_t rh__cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > RH__MOST_WORKERS ? RH__MOST_WORKERS : (uint32_t)n;
}
