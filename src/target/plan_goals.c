/* See plan_goals.h. */
#include "target/plan_goals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "target/plan.h"

enum {
    MOST_OPENINGS = 12,
    MOST_SNAPSHOTS = 96,
    EACH_RUN = 16,        /* of these */
    MOST_REPAIRS = 3,     /* plans of a goal that are repaired */
    REPAIR_SNAPSHOTS = 2, /* states behind what fits of such a plan */
    ROOM = MOST_SNAPSHOTS + 64,
    MOST_BLOCKS = 64,
    MOST_PARAMETERS = RH__CONCRETE_WORDS
};

struct searching {
    struct rh__concrete *c;
    struct rh__goals *goals;
    const struct rh__search_options *options;
    struct rh__snapshot *snapshots; /* room for ROOM */
    uint32_t snapshot_count;
    struct plan_search *searches; /* one for each snapshot */
    struct sum_models *models;
    struct rh__goal *goal;     /* that is being searched for */
    char *stale[MOST_REPAIRS]; /* schedules of its plans that did not replay */
    uint32_t stale_count;
    uint32_t open;                    /* goals that are left */
    double summaries, summaries_left; /* processor time for summaries */
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static LLVMBasicBlockRef block_of(const struct rh__bitcode *b, uint32_t block)
{
    for (uint32_t i = 0; i < b->function_count; i++) {
        const struct rh__bitcode_function *f = &b->functions[i];
        if (block - f->first_block >= f->block_count || !f->value)
            continue;
        uint32_t number = f->first_block, index = 0;
        for (LLVMBasicBlockRef x = LLVMGetFirstBasicBlock(f->value); x; x = LLVMGetNextBasicBlock(x), index++)
            if (f->counted[index] && number++ == block)
                return x;
    }
    return NULL;
}

/* ---- one goal ---------------------------------------------------------------------------------------------------- */

static uint32_t choices_in(const char *schedule)
{
    uint32_t n = 0;
    for (const char *line = schedule, *next; *line; line = next) {
        const char *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        n += *line != '#' && *line != '.' && strncmp(line, "rehearse ", 9) != 0 && strncmp(line, "test ", 5) != 0 &&
             strncmp(line, "set ", 4) != 0;
    }
    return n;
}

/* The schedule without its comments. */
static char *without_comments(const char *schedule)
{
    char *text = malloc(strlen(schedule) + 1), *to = text;
    RH__ASSERT(text, "no memory for a schedule");
    for (const char *line = schedule, *next; *line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        if (*line == '#')
            continue;
        memcpy(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = 0;
    return text;
}

static bool confirm(void *arg, const char *schedule, uint32_t block)
{
    struct searching *x = arg;
    char error[256];
    x->goal->schedule = without_comments(schedule);
    x->goal->block = x->goal->blocks[block];
    if (getenv("REHEARSE_TARGET_PLANS"))
        fprintf(stderr, "---- a plan for %s\n%s", x->goal->place, x->goal->schedule);
    if (rh__concrete_replays(x->c, x->goal, error, sizeof error))
        return true;
    if (x->stale_count < MOST_REPAIRS && !strstr(x->goal->schedule, "\n...\n"))
        x->stale[x->stale_count++] = x->goal->schedule;
    else
        free(x->goal->schedule);
    x->goal->schedule = NULL;
    return false;
}

typedef bool searches(struct plan_search *s, const struct plan_goal *g);

static bool search_from(struct searching *x, searches *how, uint32_t snapshot, double until)
{
    LLVMBasicBlockRef blocks[MOST_BLOCKS];
    struct plan_search *s = &x->searches[snapshot];
    struct plan_goal goal = { .blocks = blocks, .until = until, .confirm = confirm, .arg = x };
    goal.interrupted = &x->c->interrupted;
    goal.makes = x->summaries_left > 0.4 * x->summaries; /* the rest is for other paths */
    while (goal.block_count < x->goal->block_count && goal.block_count < MOST_BLOCKS) {
        blocks[goal.block_count] = block_of(&x->goals->program->bitcode, x->goal->blocks[goal.block_count]);
        goal.block_count++;
    }
    return how(s, &goal);
}

static void note_reached(struct searching *x, uint32_t snapshot, enum rh__stage stage)
{
    char how[128];
    const char *word = stage == RH__STAGE_REPAIR ? "a plan was repaired" : "searched backwards";
    uint32_t choices = choices_in(x->goal->schedule), before = x->snapshots[snapshot].choices;
    x->goal->choices = choices;
    if (before)
        snprintf(how, sizeof how, "%s, to a state after %u step%s", word, before, before == 1 ? "" : "s");
    else
        snprintf(how, sizeof how, "%s", word);
    rh__goals_settle(x->goals, x->goal, RH__GOAL_REACHED, stage, how);
    if (x->options->alone)
        return;
    uint32_t also = rh__concrete_also(x->c, x->goals, x->goal);
    x->open -= also < x->open ? also : x->open;
}

/* Why it was not found, if that is known. */
static void note_missed(struct searching *x)
{
    const char *trouble = x->searches[0].trouble;
    char how[256];
    if (x->searches[0].ended && !*trouble && x->searches[0].stale)
        snprintf(how, sizeof how, "the search found %u plans, and none of them replays", x->searches[0].stale);
    else if (!x->searches[0].ended && !*trouble)
        snprintf(how, sizeof how, "the search was not over in its time (%u plans)", x->searches[0].plans);
    else if (*trouble)
        snprintf(how, sizeof how, "the search was not complete: %s", trouble);
    else
        snprintf(how, sizeof how, "the search found no plan that leads there");
    rh__goals_explain(x->goal, how);
}

/* Room for one more snapshot was checked. */
static void begin_search(struct searching *x, uint32_t i);

/* Repairs a plan that did not replay: as much of it as fits is a run, whose last states have the values that are really
 * there; the rest is searched for again, from those.  The new states serve other goals as well. */
static bool repair(struct searching *x, const char *schedule, double until, uint32_t *at)
{
    uint32_t count = 0, first = x->snapshot_count;
    char *fits = rh__concrete_fitting(x->c, schedule);
    char *record = fits ? rh__concrete_worlds(x->c, x->goals, fits, choices_in(fits), REPAIR_SNAPSHOTS, 0, x->c->seed,
                                              x->options->seconds / 20)
                        : NULL;
    struct rh__snapshot *more = record ? rh__snapshots_read(x->goals->program, record, &count) : NULL;
    free(fits);
    free(record);
    if (first + count > ROOM) {
        rh__snapshots_free(more, count);
        return false;
    }
    if (count)
        memcpy(x->snapshots + first, more, count * sizeof *more);
    free(more);
    x->snapshot_count += count;
    for (uint32_t i = first; i < first + count; i++)
        begin_search(x, i);
    for (uint32_t i = 0; i < x->snapshot_count; i++)
        x->searches[i].other_count = x->snapshot_count;
    bool found = false;
    for (uint32_t i = first; i < first + count && !found && !x->c->interrupted; i++) {
        *at = i;
        double now = sym__processor_seconds();
        found = search_from(x, plan__search_step, i, until) ||
                search_from(x, plan__search, i, now + (until - now) / (first + count - i));
    }
    return found;
}

static void repair_goal(struct searching *x, double until)
{
    uint32_t at = 0, count = x->stale_count;
    bool found = false;
    for (uint32_t i = 0; i < count && x->options->repair && !found && !x->c->interrupted; i++) {
        double now = sym__processor_seconds();
        found = now < until && repair(x, x->stale[i], now + (until - now) / (count - i), &at);
    }
    if (found)
        note_reached(x, at, RH__STAGE_REPAIR);
}

/* First one step from each snapshot, which is cheap.  Then the beginning gets half of the time, and the other snapshots
 * share the rest; late ones first.  Time for summaries counts for no goal: all goals use them. */
static void search_goal(struct searching *x, double all)
{
    uint32_t at = 0;
    double began = sym__processor_seconds(), until = began + (all - began) * (x->options->repair ? 0.8 : 1);
    double left = x->summaries_left;
    bool found = false;
    for (uint32_t i = 0; i < x->snapshot_count && x->snapshot_count > 1 && !found && !x->c->interrupted; i++) {
        found = search_from(x, plan__search_step, i, until);
        at = i;
    }
    until += left - x->summaries_left;
    all += left - x->summaries_left;
    double now = sym__processor_seconds(), half = x->snapshot_count > 1 ? now + (until - now) / 2 : until;
    if (!found) {
        found = search_from(x, plan__search, 0, half);
        at = 0;
    }
    for (uint32_t i = x->snapshot_count; i-- > 1 && !found && !x->c->interrupted;) {
        now = sym__processor_seconds();
        if (now >= until)
            break;
        at = i;
        found = search_from(x, plan__search, i, now + (until - now) / (i > 3 ? 3 : i));
    }
    if (found)
        note_reached(x, at, RH__STAGE_SEARCH);
    else {
        note_missed(x);
        repair_goal(x, all);
    }
    while (x->stale_count)
        free(x->stale[--x->stale_count]);
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static void set_model(struct plan_search *s)
{
    s->ordered = !strstr(s->snapshot->schedule, "\nset model=bag\n");
    s->by_mailbox = strstr(s->snapshot->schedule, "\nset model=mailbox\n") != NULL;
}

static void begin_search(struct searching *x, uint32_t i)
{
    const struct rh__search_options *o = x->options;
    struct plan_search *s = &x->searches[i];
    uint32_t actors = x->snapshots[i].actor_count;
    *s = (struct plan_search){
        .models = x->models, .flow = x->goals->flow, .snapshot = &x->snapshots[i], .others = x->searches
    };
    s->each = o->seconds / 6 < 0.3 ? 0.3 : o->seconds / 6;
    s->each = i ? s->each / 3 : s->each;
    s->left = &x->summaries_left;
    s->settings = (struct plan_settings){ o->h1, o->h2, o->feedback, x->c->seed };
    s->actors = sym__must(calloc(actors + 1, sizeof(struct sum_actor *)));
    s->made = sym__must(calloc(actors + 1, sizeof *s->made));
    s->exact = sym__must(calloc(actors + 1, sizeof *s->exact));
    s->exact_counts = sym__must(calloc(actors + 1, sizeof *s->exact_counts));
    if (i && !x->snapshots[i].choices) /* the beginning again */
        memset(s->made, PLAN_ALL, actors);
    set_model(s);
}

struct openings {
    struct searching *x;
    char *texts[MOST_OPENINGS];
    uint32_t count;
};

static void add_opening(void *arg, const char *schedule)
{
    struct openings *all = arg;
    if (all->count < MOST_OPENINGS)
        all->texts[all->count++] = strdup(schedule);
}

/* More snapshots: states after a message from outside whose values were solved for, one for each path that takes it;
 * drawn values may never take it. */
static void add_snapshots(struct searching *x, double seconds)
{
    struct openings all = { .x = x };
    plan__openings(&x->searches[0], MOST_OPENINGS, add_opening, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t count = 0;
        uint32_t most = (MOST_SNAPSHOTS - x->snapshot_count) / all.count;
        char *record = rh__concrete_worlds(x->c, x->goals, all.texts[i], 0, most, 0, x->c->seed, seconds / all.count);
        struct rh__snapshot *more = record ? rh__snapshots_read(x->goals->program, record, &count) : NULL;
        if (count && x->snapshot_count + count <= MOST_SNAPSHOTS) {
            memcpy(x->snapshots + x->snapshot_count, more, count * sizeof *more);
            x->snapshot_count += count;
            free(more);
        } else
            rh__snapshots_free(more, count);
        free(record);
        free(all.texts[i]);
    }
}

static void begin_searches(struct searching *x)
{
    const struct rh__search_options *o = x->options;
    x->summaries = x->summaries_left = o->seconds / 2;
    x->searches = calloc(ROOM, sizeof *x->searches);
    x->snapshots = realloc(x->snapshots, ROOM * sizeof *x->snapshots);
    RH__ASSERT(x->searches && x->snapshots, "no memory for the search");
    begin_search(x, 0);
    if (o->snapshots > 1)
        add_snapshots(x, o->seconds / 10);
    for (uint32_t i = 1; i < x->snapshot_count; i++)
        begin_search(x, i);
    for (uint32_t i = 0; i < x->snapshot_count; i++)
        x->searches[i].other_count = x->snapshot_count;
}

/* What the test's body runs before its first wait needs no plan. */
static void take_from_body(struct searching *x, const char *record)
{
    const char *from = NULL, *next;
    for (const char *line = record; (next = strchr(line, '\n')); line = next + 1) {
        uint32_t block, event = 1;
        if (strncmp(line, "rehearse schedule", 17) == 0)
            from = line;
        if (!from || sscanf(line, "# reached %u %u", &block, &event) != 2 || event)
            continue;
        for (uint32_t i = 0; i < x->goals->count; i++) {
            struct rh__goal *g = &x->goals->at[i];
            for (uint32_t k = 0; k < g->block_count && g->status == RH__GOAL_OPEN; k++) {
                if (g->blocks[k] != block)
                    continue;
                g->block = block;
                g->schedule = rh__concrete_cut(from, 0);
                rh__goals_settle(x->goals, g, RH__GOAL_REACHED, RH__STAGE_SEARCH, "the test's body");
            }
        }
    }
}

bool rh__search_possible(void)
{
    return true;
}

void rh__search_goals(struct rh__concrete *c, struct rh__goals *g, const struct rh__search_options *o)
{
    struct searching x = { .c = c, .goals = g, .options = o };
    double began = sym__processor_seconds(), until = began + o->seconds;
    const char *parameters[MOST_PARAMETERS + 1] = { NULL };
    for (uint32_t i = 0, n = 0; i + 1 < c->word_count; i += 2)
        if (strcmp(c->words[i], "-p") == 0)
            parameters[n++] = c->words[i + 1];
    char *record = rh__concrete_worlds(c, g, NULL, 0, o->snapshots, EACH_RUN, c->seed, o->seconds / 10);
    if (record)
        take_from_body(&x, record);
    if (record)
        x.snapshots = rh__snapshots_read(g->program, record, &x.snapshot_count);
    free(record);
    if (x.snapshot_count) {
        x.models = sum__models_new(g->program, parameters);
        begin_searches(&x);
        x.open = rh__goals_with(g, RH__GOAL_OPEN);
        for (uint32_t i = 0; i < g->count && !c->interrupted; i++) {
            double now = sym__processor_seconds();
            if (g->at[i].status != RH__GOAL_OPEN)
                continue;
            if (now >= until) {
                if (!g->at[i].how)
                    rh__goals_explain(&g->at[i], "the time was over before it was searched for");
                continue;
            }
            x.goal = &g->at[i];
            search_goal(&x, now + (until - now) / (x.open ? x.open : 1));
            g->at[i].seconds += sym__processor_seconds() - now;
            x.open -= x.open > 0;
        }
        for (uint32_t i = 0; i < x.snapshot_count; i++) {
            free(x.searches[i].actors);
            free(x.searches[i].made);
            for (uint32_t k = 0; k < x.snapshots[i].actor_count; k++)
                sum__paths_free(x.searches[i].exact[k], x.searches[i].exact_counts[k]);
            free(x.searches[i].exact);
            free(x.searches[i].exact_counts);
        }
        free(x.searches);
        sum__models_free(x.models);
    }
    rh__snapshots_free(x.snapshots, x.snapshot_count);
}
