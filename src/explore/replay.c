/* replay: one schedule, line by line; then, if the program goes on, another explorer (prefix-then-hand-over).
 *
 *     replay:FILE            and then the first open choice each time
 *     replay:FILE,EXPLORER   and then EXPLORER, for every run anew
 *
 * `...` in the schedule takes first choices until the line behind it fits, and holds back what a later line wants (Bita V).  A
 * line that fits nothing is a divergence: the
 * run ends there, and the line and what was possible instead are kept for the report. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "explore/engine.h"
#include "explore/explorers.h"
#include "trace/schedule.h"
#include "world/state.h"

struct replay {
    struct rh__schedule_line *lines;
    uint32_t line_count;
    struct rh_inner then; /* explorer NULL: first choices */
    uint32_t at, runs;
    uint32_t handed_over; /* events when the schedule was done */
    char *text;           /* of one choice: room for the longest line */
    size_t room;
    struct rh_exploration *x;
    char path[4096], divergence[4096];
};

/* The comma behind FILE, NULL where nothing follows it: the name of a file may have commas of its own. */
static const char *end_of_path(const char *arg)
{
    char path[4096];
    if (access(arg, F_OK) == 0)
        return NULL;
    for (const char *comma = strchr(arg, ','); comma; comma = strchr(comma + 1, ',')) {
        snprintf(path, sizeof path, "%.*s", (int)(comma - arg), arg);
        if (access(path, F_OK) == 0)
            return comma;
    }
    return strchr(arg, ',');
}

static uint32_t replay_parts(const char *arg, struct rh_part *parts)
{
    const char *comma = *arg ? end_of_path(arg) : NULL;
    parts[0] = (struct rh_part){ comma ? comma + 1 : "", comma ? strlen(comma + 1) : 0 };
    return comma != NULL;
}

static const struct rh_inner *replay_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct replay *r = state;
    *count = r->then.explorer != NULL;
    *now = 0;
    return &r->then;
}

/* Into memory that is given back with the exploration. */
static bool keep_lines(struct replay *r, struct rh_exploration *x, const struct rh__schedule *s)
{
    size_t bytes = 1;
    r->room = 8;
    for (uint32_t i = 0; i < s->line_count; i++) {
        size_t size = strlen(s->lines[i].text) + 1;
        bytes += size;
        r->room = size >= r->room ? size + 1 : r->room;
    }
    r->lines = rh_exploration_memory(x, (s->line_count + 1) * sizeof *r->lines);
    r->text = rh_exploration_memory(x, r->room);
    char *text = rh_exploration_memory(x, bytes);
    if (!r->lines || !r->text || !text)
        return false;
    for (uint32_t i = 0; i < s->line_count; i++) {
        size_t size = strlen(s->lines[i].text) + 1;
        r->lines[i] = (struct rh__schedule_line){ memcpy(text, s->lines[i].text, size), s->lines[i].number };
        text += size;
    }
    r->line_count = s->line_count;
    return true;
}

static bool replay_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct replay *r = state;
    struct rh__schedule schedule;
    char *path = r->path;
    const char *comma = end_of_path(arg);
    r->x = x;
    if (!*arg) {
        snprintf(error, error_size, "replay wants a schedule: replay:FILE");
        return false;
    }
    snprintf(path, sizeof r->path, "%.*s", comma ? (int)(comma - arg) : (int)strlen(arg), arg);
    if (!rh__schedule_read(&schedule, path, error, error_size))
        return false;
    if (schedule.test && strcmp(schedule.test, x->world->test->name) != 0) {
        snprintf(error, error_size, "%s is for test %s, not for %s", path, schedule.test, x->world->test->name);
        rh__schedule_release(&schedule);
        return false;
    }
    bool kept = keep_lines(r, x, &schedule);
    rh__schedule_release(&schedule);
    if (!kept) {
        snprintf(error, error_size, "no memory for explorer replay");
        return false;
    }
    return !comma || rh_exploration_inner(x, comma + 1, &r->then, error, error_size);
}

static uint32_t replay_begin(void *state, struct rh_world *w)
{
    struct replay *r = state;
    uint32_t keep = 1;
    if (r->then.explorer) {
        keep = rh_inner_begin(&r->then, w);
        if (keep >= r->handed_over && r->handed_over)
            return keep; /* inside what it explores itself */
        keep = keep && !*r->divergence ? 1 : 0;
    } else if (r->runs) {
        return 0;
    }
    r->runs++;
    r->at = r->handed_over = 0;
    return keep;
}

/* Cheap, and mostly enough: the line of a message names its type, but for the end of a wait. */
static bool may_fit(const struct rh_world *w, const struct rh_choice *c, const char *line)
{
    if (c->kind != RH_CHOICE_DELIVER && c->kind != RH_CHOICE_LOSE && c->kind != RH_CHOICE_DUPLICATE)
        return true;
    const struct message *m = &w->messages[c->what];
    return m->wake || strstr(line, m->type->name);
}

/* Text that does not fit into the room for the longest line is none of them. */
static bool fits(const struct replay *r, const struct rh_world *w, const struct rh_choice *c, const char *line)
{
    if (!may_fit(w, c, line))
        return false;
    struct rh__text t;
    rh__text_init(&t, r->text, r->room);
    rh__choice_line(w, c, &t);
    return !t.cut && strcmp(r->text, line) == 0;
}

static uint32_t find(const struct replay *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                     const char *line)
{
    for (uint32_t i = 0; i < count; i++)
        if (fits(r, w, &open[i], line))
            return i;
    return RH_NONE;
}

/* The first line from `line` on that is waiting for a choice; RH_NONE for none. */
static uint32_t held_for(const struct replay *r, const struct rh_world *w, const struct rh_choice *c, uint32_t line)
{
    for (uint32_t k = line; k < r->line_count; k++)
        if (strcmp(r->lines[k].text, "...") != 0 && fits(r, w, c, r->lines[k].text))
            return k;
    return RH_NONE;
}

/* In a gap: the first choice that no line from `line` on is waiting for; RH_NONE where all are. */
static uint32_t fill_gap(const struct replay *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                         uint32_t line)
{
    for (uint32_t i = 0; i < count; i++)
        if (held_for(r, w, &open[i], line) == RH_NONE)
            return i;
    return RH_NONE;
}

/* Whoever reports sees it, however deep this explorer is inside of others. */
static void become_stale(struct replay *r)
{
    r->x->stale = r->divergence;
    r->x->stale_file = r->path;
}

static uint32_t diverge(struct replay *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                        uint32_t at)
{
    const struct rh__schedule_line *line = &r->lines[at];
    struct rh__text t;
    rh__text_init(&t, r->divergence, sizeof r->divergence);
    rh__text_add(&t, "line %u: `%s` is not possible here; possible is:", line->number, line->text);
    for (uint32_t i = 0; i < count && i < 20; i++) {
        rh__text_add(&t, "\n    ");
        rh__choice_line(w, &open[i], &t);
        uint32_t held = at > r->at ? held_for(r, w, &open[i], at) : RH_NONE;
        if (held != RH_NONE)
            rh__text_add(&t, "  (held back for line %u)", r->lines[held].number);
    }
    if (count > 20)
        rh__text_add(&t, "\n    and %u more", count - 20);
    become_stale(r);
    return RH_NONE;
}

static uint32_t replay_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct replay *r = state;
    if (rh__depth(w) == 1) /* also where begin wanted to keep more: see rehearse/explorer.h */
        r->at = 0;
    uint32_t line = r->at;
    while (line < r->line_count && strcmp(r->lines[line].text, "...") == 0)
        line++;
    bool gap = line > r->at;
    if (line < r->line_count) {
        uint32_t pick = find(r, w, open, count, r->lines[line].text);
        if (pick != RH_NONE) {
            r->at = line + 1;
            return pick;
        }
        pick = gap ? fill_gap(r, w, open, count, line) : RH_NONE;
        return pick != RH_NONE ? pick : diverge(r, w, open, count, line);
    }
    if (!r->handed_over)
        r->handed_over = rh__depth(w);
    return r->then.explorer ? rh_inner_choose(&r->then, w, open, count) : 0;
}

static void replay_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct replay *r = state;
    if (r->then.explorer)
        rh_inner_end(&r->then, w, run);
    uint32_t left = r->at;
    while (left < r->line_count && strcmp(r->lines[left].text, "...") == 0)
        left++; /* stands for nothing as well */
    if (left < r->line_count && !*r->divergence && run->outcome == RH_OUTCOME_FINISHED) {
        snprintf(r->divergence, sizeof r->divergence, "line %u: `%s` is not possible: the run is over",
                 r->lines[left].number, r->lines[left].text);
        become_stale(r);
    }
}

/* Every run behind the schedule is every run within a bound. */
static enum rh_verdict replay_verdict(const void *state)
{
    const struct replay *r = state;
    if (!r->then.explorer || *r->divergence)
        return RH_VERDICT_SAMPLED;
    enum rh_verdict v = rh_inner_verdict(&r->then);
    return v == RH_VERDICT_EXHAUSTIVE ? RH_VERDICT_BOUNDED : v;
}

/* Where the schedule ends, and what was seen on the way, is known in this process only. */
static size_t replay_pack(void *state, void *buffer, size_t room, bool half)
{
    (void)state, (void)buffer, (void)room, (void)half;
    return 0;
}

const char *rh__replay_divergence(const void *state)
{
    return ((const struct replay *)state)->divergence;
}

bool rh__replay_went_on(const void *state)
{
    return ((const struct replay *)state)->handed_over != 0;
}

const struct rh_explorer rh__explorer_replay = {
    .name = "replay",
    .summary = "replay:FILE[,EXPLORER]: the schedule in FILE, and then as EXPLORER wants",
    .state_size = sizeof(struct replay),
    .parts = replay_parts,
    .inner = replay_inner,
    .open = replay_open,
    .begin = replay_begin,
    .choose = replay_choose,
    .end = replay_end,
    .verdict = replay_verdict,
    .pack = replay_pack,
};
