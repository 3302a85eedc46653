/* reach(FILE, EXPLORER): makes EXPLORER's runs, and appends to FILE the first run that reaches a basic block.
 *
 * Only programs that count their blocks (base/blocks.h) have this explorer: `rehearse target` uses it.  A record is a
 * schedule, and behind it a comment for each block that this run was the first to reach:
 *
 *     # reached B E     block B ran in event E: the first E choices of the schedule lead there
 *     # ran B           block B ran, but not in a run of the search (see take_back)
 *     # state B E S M   with states=N, for the first N times that a function with first block B is the handler of a
 *                       message from outside: the bytes of the state and of the message, in hexadecimal
 *     # world E ...     with worlds=N, for the beginning and for up to N - 1 later points of runs: see worlds.h; with
 *                       after=E only for points behind event E
 *
 * wanted=LIST names a file with the numbers of blocks, one a line: others are not recorded, and the search is over when
 * all have run.  numbers=LIST names a file with numbers that are drawn for messages from outside, too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/fail.h"
#include "explore/decorate/reaches.h"
#include "explore/decorate/worlds.h"
#include "explore/explorers.h"
#include "trace/schedule.h"
#include "world/live.h"

struct note {
    uint32_t block, event;
};

enum { MOST_WORLDS = 64, MOST_STATES = 256, STATE_BYTES = 4096, MESSAGE_BYTES = 1024 };

struct state {
    struct note at;
    uint32_t state_size, message_size;
    uint8_t state[STATE_BYTES], message[MESSAGE_BYTES];
};

struct reach {
    struct rh_inner inner;
    const char *path;
    struct note *notes; /* of the run under way; in shared memory, like this struct */
    uint32_t note_count;
    uint32_t left;         /* wanted blocks that have not run */
    bool failed;           /* the file cannot be written */
    uint32_t most_states;  /* for each function */
    uint8_t *state_counts; /* by block */
    struct state *states;  /* of the run under way */
    uint32_t kept_states;
    bool worlds_wanted;
    uint32_t worlds_left, world_count, world_gap; /* how many are wanted; were written; steps until the next one */
    uint32_t worlds_after;                        /* event */
    uint32_t worlds_each, of_run;                 /* most of one run, 0 for any number; so many of this one */
    uint64_t worlds[MOST_WORLDS];                 /* fingerprints */
};

/* A block calls without arguments, so they are here.  Written before the first run. */
static struct reach *reach_now;
static const uint32_t *event_counter;
static const struct rh_world *world_now;

/* At the first block of a handler its state is as the message found it.  True if more states are wanted. */
static bool note_state(struct reach *r, uint32_t block, uint32_t event)
{
    uint32_t actor, message;
    if (r->state_counts[block] >= r->most_states || !(rh__blocks.table[(size_t)block * 2 + 1] & 1))
        return false;
    if (r->kept_states == MOST_STATES || !rh__world_handling(world_now, &actor, &message))
        return true;
    struct rh_message_info m = rh_world_message(world_now, message);
    uint32_t size = rh_world_actor_type(world_now, actor)->size;
    if (!rh__run_is_outside(rh__world_run(world_now), m.sender) || size > STATE_BYTES || m.size > MESSAGE_BYTES)
        return true;
    struct state *s = &r->states[r->kept_states++];
    s->at = (struct note){ block, event };
    s->state_size = size;
    s->message_size = m.size;
    memcpy(s->state, rh_world_actor_state(world_now, actor), size);
    memcpy(s->message, m.value, m.size);
    return ++r->state_counts[block] < r->most_states;
}

/* Called by the program, on the stack of a handler. */
static void note_block(uint32_t block)
{
    struct reach *r = reach_now;
    uint32_t events = event_counter ? *event_counter : 0;
    if (r->most_states && note_state(r, block, events ? events - 1 : 0))
        return;
    rh__blocks.flags[block] &= (uint8_t)~RH__BLOCK_WANTED;
    r->notes[r->note_count++] = (struct note){ block, events ? events - 1 : 0 };
    r->left--;
}

static bool want_listed(struct reach *r, const char *path, char *error, size_t error_size)
{
    FILE *f = fopen(path, "r");
    unsigned block;
    int got = 1;
    if (!f) {
        snprintf(error, error_size, "%s cannot be read", path);
        return false;
    }
    while ((got = fscanf(f, "%u", &block)) == 1 && block < rh__blocks.count)
        if (!(rh__blocks.flags[block] & RH__BLOCK_WANTED)) {
            rh__blocks.flags[block] |= RH__BLOCK_WANTED;
            r->left++;
        }
    fclose(f);
    if (got != EOF)
        snprintf(error, error_size, "%s: it is a list of blocks, 0 to %u", path, rh__blocks.count - 1);
    return got == EOF;
}

static bool draw_from_list(struct rh_exploration *x, const char *path, char *error, size_t error_size)
{
    enum { MOST = 4096 };
    int64_t *numbers = rh_exploration_memory(x, MOST * sizeof *numbers);
    FILE *f = fopen(path, "r");
    uint32_t count = 0;
    while (f && numbers && count < MOST && fscanf(f, "%" SCNd64, &numbers[count]) == 1)
        count++;
    bool good = f && numbers && (feof(f) || count == MOST);
    if (f)
        fclose(f);
    if (good)
        rh__world_draw_from(rh__exploration_world(x), numbers, count);
    else
        snprintf(error, error_size, "%s is no list of numbers", path);
    return good;
}

static bool reach_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct reach *r = state;
    const char *wanted = rh_arguments_text(a, "wanted", NULL), *numbers = rh_arguments_text(a, "numbers", NULL);
    r->path = rh_arguments_text(a, "file", "");
    r->most_states = (uint32_t)rh_arguments_number(a, "states", 0);
    r->worlds_left = (uint32_t)rh_arguments_number(a, "worlds", 0);
    r->worlds_wanted = r->worlds_left;
    r->worlds_after = (uint32_t)rh_arguments_number(a, "after", 0);
    r->worlds_each = (uint32_t)rh_arguments_number(a, "each", 0);
    r->notes = rh_exploration_memory(x, 2 * (size_t)rh__blocks.count * sizeof *r->notes);
    r->state_counts = rh_exploration_memory(x, rh__blocks.count + 1);
    r->states = rh_exploration_memory(x, MOST_STATES * sizeof *r->states);
    if (!r->notes || !r->state_counts || !r->states) {
        snprintf(error, error_size, "no memory for explorer reach");
        return false;
    }
    if ((wanted && !want_listed(r, wanted, error, error_size)) ||
        (numbers && !draw_from_list(x, numbers, error, error_size)))
        return false;
    for (uint32_t i = 0; !wanted && i < rh__blocks.count; i++, r->left++)
        rh__blocks.flags[i] |= RH__BLOCK_WANTED;
    reach_now = r;
    rh__blocks.reached = note_block;
    world_now = rh__exploration_world(x);
    event_counter = rh__world_event_counter(world_now);
    return rh_exploration_inner(x, a, 0, &r->inner, error, error_size);
}

/* Appends what the run has reached first; with its schedule, if it is there to be written. */
static void save(struct reach *r, const struct rh_world *w)
{
    enum { ROOM = 4 << 20 };
    struct rh__text t;
    char *text = w ? rh__alloc(ROOM) : NULL;
    FILE *f = fopen(r->path, "a");
    if (text) {
        rh__text_init(&t, text, ROOM);
        rh__schedule_write(rh__world_run(w), &t);
    }
    bool whole = text && !t.cut;
    if (f && whole)
        fputs(text, f);
    for (uint32_t i = 0; f && i < r->note_count; i++)
        if (whole)
            fprintf(f, "# reached %u %u\n", r->notes[i].block, r->notes[i].event);
        else
            fprintf(f, "# ran %u\n", r->notes[i].block);
    for (uint32_t i = 0; f && whole && i < r->kept_states; i++) {
        const struct state *s = &r->states[i];
        fprintf(f, "# state %u %u ", s->at.block, s->at.event);
        for (uint32_t k = 0; k < s->state_size; k++)
            fprintf(f, "%02x", s->state[k]);
        fputc(' ', f);
        for (uint32_t k = 0; k < s->message_size; k++)
            fprintf(f, "%02x", s->message[k]);
        fputc('\n', f);
    }
    r->kept_states = 0;
    r->failed |= !f || ferror(f);
    if (f)
        r->failed |= fclose(f) != 0;
    rh__free(text);
    r->note_count = 0;
}

/* Blocks that ran in no run of the search: in a run that was dropped, or while determinism was checked.  They are still
 * wanted.  What the test's body has reached belongs to the first run. */
static void take_back(struct reach *r)
{
    uint32_t all = r->note_count, of_body = 0;
    while (of_body < all && !r->notes[of_body].event)
        of_body++;
    if (of_body == all)
        return;
    for (uint32_t i = of_body; i < all; i++, r->left++)
        rh__blocks.flags[r->notes[i].block] |= RH__BLOCK_WANTED;
    memmove(r->notes + all, r->notes, of_body * sizeof *r->notes);
    memmove(r->notes, r->notes + of_body, (all - of_body) * sizeof *r->notes);
    r->note_count = all - of_body;
    save(r, NULL);
    memmove(r->notes, r->notes + all, of_body * sizeof *r->notes);
    r->note_count = of_body;
}

static uint32_t reach_begin(void *state, const struct rh_world *w)
{
    struct reach *r = state;
    take_back(r);
    r->of_run = 0;
    r->kept_states = 0; /* of no run of the search */
    if ((r->worlds_wanted ? !r->worlds_left : !r->left) || r->failed)
        return 0;
    return rh_inner_begin(&r->inner, w);
}

/* Steps until the next state is wanted: two in a row, which show a step, then a few more; or few of a run, ever further
 * apart. */
static uint32_t next_gap(const struct reach *r)
{
    if (r->worlds_each)
        return r->of_run == r->worlds_each ? UINT32_MAX : 1 + r->of_run * r->of_run / 6;
    return r->world_count % 2 ? 1 : 1 + r->world_count % 8;
}

/* The beginning of the first run, then later points of runs. */
static void save_world(struct reach *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    enum { ROOM = 1 << 20 };
    if (r->worlds_each && !r->of_run)
        r->world_gap = 1;
    if (r->world_gap && --r->world_gap)
        return;
    uint64_t print = rh_world_fingerprint(w);
    uint32_t i = 0;
    while (i < r->world_count && r->worlds[i] != print)
        i++;
    if (i < r->world_count || !rh__worlds_fits(w))
        return;
    struct rh__text t;
    char *text = rh__alloc(ROOM);
    FILE *f = text ? fopen(r->path, "a") : NULL;
    if (text) {
        rh__text_init(&t, text, ROOM);
        rh__schedule_write(rh__world_run(w), &t);
    }
    if (f && !t.cut) {
        fputs(text, f);
        rh__worlds_write(w, open, count, f);
        r->worlds_left--;
        r->worlds[r->world_count++] = print;
        r->of_run++;
        r->world_gap = next_gap(r);
    }
    r->failed |= !f || ferror(f);
    if (f)
        r->failed |= fclose(f) != 0;
    rh__free(text);
}

static uint32_t reach_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct reach *r = state;
    if (r->worlds_left && !rh__world_is_choosing(w) && *event_counter > r->worlds_after)
        save_world(r, w, open, count);
    uint32_t pick = rh_inner_choose(&r->inner, w, open, count);
    if ((pick == RH_ABANDON || pick == RH_ASIDE) && (r->note_count || r->kept_states))
        save(r, w);
    return pick;
}

static void reach_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct reach *r = state;
    if (r->note_count || r->kept_states)
        save(r, w);
    rh_inner_end(&r->inner, w, run);
}

/* Blocks that another process reaches would be unknown here. */
static bool reach_can_share(const void *state)
{
    (void)state;
    return false;
}

/* A search that ended because everything has run has not made every run. */
static enum rh_verdict reach_verdict(const void *state)
{
    const struct reach *r = state;
    return r->left && !r->failed ? rh_inner_verdict(&r->inner) : RH_VERDICT_SAMPLED;
}

static const struct rh_explorer_report reach_report = { .verdict = reach_verdict };
static const struct rh_explorer_share reach_share = { .can = reach_can_share };
static const struct rh_argument reach_arguments[] = {
    { .name = "file", .kind = RH_ARGUMENT_FILE, .required = true, .help = "gets the schedules" },
    { .name = "wanted", .kind = RH_ARGUMENT_FILE, .named = true, .help = "numbers of blocks; default: all" },
    { .name = "numbers", .kind = RH_ARGUMENT_FILE, .named = true, .help = "drawn for messages from outside" },
    { .name = "states",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 64,
      .named = true,
      .help = "so many states of each handler whose first block is wanted" },
    { .name = "worlds",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = MOST_WORLDS,
      .named = true,
      .help = "so many states of the world between two steps" },
    { .name = "after", .kind = RH_ARGUMENT_NUMBER, .most = 1e9, .named = true, .help = "event behind which they are" },
    { .name = "each", .kind = RH_ARGUMENT_NUMBER, .most = MOST_WORLDS, .named = true, .help = "most of one run" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_reach = {
    .name = "reach",
    .summary = "as EXPLORER wants; runs that reach a basic block first are appended to FILE",
    .state_size = sizeof(struct reach),
    .arguments = reach_arguments,
    .open = reach_open,
    .begin = reach_begin,
    .choose = reach_choose,
    .end = reach_end,
    .report = &reach_report,
    .share = &reach_share,
    .decorator = &rh_only_decorator,
};
