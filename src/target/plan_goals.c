/* See plan_goals.h. */
#include "target/plan_goals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "target/plan.h"

enum { MOST_SNAPSHOTS = 32, MOST_BLOCKS = 64, MOST_PARAMETERS = RH__CONCRETE_WORDS };

struct searching {
    struct rh__concrete *c;
    struct rh__goals *goals;
    struct rh__snapshot *snapshots;
    uint32_t snapshot_count;
    struct plan_search *searches; /* one for each snapshot */
    struct sum_models *models;
    struct rh__search_counts *counts;
    struct rh__goal *goal; /* that is being searched for */
    uint32_t open;         /* goals that are left */
    bool alone;            /* each goal needs a plan of its own */
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
    free(x->goal->schedule);
    x->goal->schedule = NULL;
    return false;
}

static bool search_from(struct searching *x, uint32_t snapshot, double until)
{
    LLVMBasicBlockRef blocks[MOST_BLOCKS];
    struct plan_search *s = &x->searches[snapshot];
    struct plan_goal goal = { .blocks = blocks, .until = until, .confirm = confirm, .arg = x };
    goal.interrupted = &x->c->interrupted;
    while (goal.block_count < x->goal->block_count && goal.block_count < MOST_BLOCKS) {
        blocks[goal.block_count] = block_of(&x->goals->program->bitcode, x->goal->blocks[goal.block_count]);
        goal.block_count++;
    }
    uint32_t plans = s->plans, checks = s->checks, tried = s->tried, stale = s->stale;
    bool found = plan__search(s, &goal);
    x->counts->plans += s->plans - plans;
    x->counts->checks += s->checks - checks;
    x->counts->tried += s->tried - tried;
    x->counts->stale += s->stale - stale;
    return found;
}

static void note_reached(struct searching *x, uint32_t snapshot)
{
    char how[128];
    uint32_t choices = choices_in(x->goal->schedule), before = x->snapshots[snapshot].choices;
    x->goal->status = RH__GOAL_REACHED;
    x->goal->choices = choices;
    if (before)
        snprintf(how, sizeof how, "searched backwards, to a state after %u step%s", before, before == 1 ? "" : "s");
    else
        snprintf(how, sizeof how, "searched backwards");
    free(x->goal->how);
    x->goal->how = strdup(how);
    x->counts->reached++;
    if (x->alone)
        return;
    uint32_t also = rh__concrete_also(x->c, x->goals, x->goal);
    x->counts->reached += also;
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
    free(x->goal->how);
    x->goal->how = strdup(how);
}

/* The beginning gets half of the time, the other snapshots share the rest; late ones first. */
static void search_goal(struct searching *x, double until)
{
    double now = sum__processor_seconds(), half = x->snapshot_count > 1 ? now + (until - now) / 2 : until;
    bool found = search_from(x, 0, half);
    uint32_t at = 0;
    for (uint32_t i = x->snapshot_count; i-- > 1 && !found && !x->c->interrupted;) {
        now = sum__processor_seconds();
        if (now >= until)
            break;
        at = i;
        found = search_from(x, i, now + (until - now) / (i > 3 ? 3 : i));
    }
    if (found)
        note_reached(x, at);
    else
        note_missed(x);
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static void set_model(struct plan_search *s)
{
    s->ordered = !strstr(s->snapshot->schedule, "\nset model=bag\n");
    s->by_mailbox = strstr(s->snapshot->schedule, "\nset model=mailbox\n") != NULL;
}

static void begin_searches(struct searching *x, const struct rh__search_options *o)
{
    x->searches = calloc(x->snapshot_count + 1, sizeof *x->searches);
    RH__ASSERT(x->searches, "no memory for the search");
    for (uint32_t i = 0; i < x->snapshot_count; i++) {
        struct plan_search *s = &x->searches[i];
        *s = (struct plan_search){ .models = x->models, .snapshot = &x->snapshots[i], .first = i ? x->searches : NULL };
        s->each = o->seconds / 12 < 0.3 ? 0.3 : o->seconds / 12;
        s->settings = (struct plan_settings){ o->h1, o->h2, o->feedback, x->c->seed };
        s->actors = sym__must(calloc(x->snapshots[i].actor_count + 1, sizeof(struct sum_actor *)));
        s->made = sym__must(calloc(x->snapshots[i].actor_count + 1, sizeof *s->made));
        set_model(s);
    }
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
                g->status = RH__GOAL_REACHED;
                g->block = block;
                free(g->how);
                g->how = strdup("the test's body");
                g->schedule = rh__concrete_cut(from, 0);
                x->counts->reached++;
            }
        }
    }
}

bool rh__search_possible(void)
{
    return true;
}

void rh__search_goals(struct rh__concrete *c, struct rh__goals *g, const struct rh__search_options *o,
                      struct rh__search_counts *counts)
{
    struct searching x = { .c = c, .goals = g, .counts = counts, .alone = o->alone };
    double began = sum__processor_seconds(), until = began + o->seconds;
    const char *parameters[MOST_PARAMETERS + 1] = { NULL };
    for (uint32_t i = 0, n = 0; i + 1 < c->word_count; i += 2)
        if (strcmp(c->words[i], "-p") == 0)
            parameters[n++] = c->words[i + 1];
    char *record = rh__concrete_worlds(c, g, o->snapshots, c->seed, o->seconds / 10);
    if (record)
        take_from_body(&x, record);
    if (record)
        x.snapshots = rh__snapshots_read(g->program, record, &x.snapshot_count);
    free(record);
    if (x.snapshot_count) {
        x.models = sum__models_new(g->program, parameters);
        begin_searches(&x, o);
        x.open = rh__goals_with(g, RH__GOAL_OPEN);
        for (uint32_t i = 0; i < g->count && !c->interrupted; i++) {
            double now = sum__processor_seconds();
            if (g->at[i].status != RH__GOAL_OPEN || now >= until)
                continue;
            x.goal = &g->at[i];
            search_goal(&x, now + (until - now) / (x.open ? x.open : 1));
            x.open -= x.open > 0;
        }
        for (uint32_t i = 0; i < x.snapshot_count; i++) {
            free(x.searches[i].actors);
            free(x.searches[i].made);
        }
        free(x.searches);
        sum__models_free(x.models);
    }
    rh__snapshots_free(x.snapshots, x.snapshot_count);
    counts->seconds += sum__processor_seconds() - began;
}
