/* replay: one schedule, line by line; then, if the program goes on, another explorer (prefix-then-hand-over).
 *
 *     replay:FILE            and then the first open choice each time
 *     replay:FILE,EXPLORER   and then EXPLORER, for every run anew
 *
 * `...` in the schedule takes first choices until the line behind it fits.  A line that fits nothing is a divergence: the
 * run ends there, and the line and what was possible instead are kept for the report. */
#include <stdio.h>
#include <string.h>

#include "explore/explorers.h"
#include "trace/schedule.h"

struct replay {
    struct rh__schedule schedule; /* read before the first fork: children see it too */
    struct rh_inner then;         /* explorer NULL: first choices */
    uint32_t at, taken, runs;
    uint32_t handed_over;         /* events when the schedule was done */
    char divergence[4096];
};

static bool replay_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct replay *r = state;
    char path[4096];
    const char *comma = strchr(arg, ',');
    if (!*arg) {
        snprintf(error, error_size, "replay wants a schedule: replay:FILE");
        return false;
    }
    snprintf(path, sizeof path, "%.*s", comma ? (int)(comma - arg) : (int)strlen(arg), arg);
    if (!rh__schedule_read(&r->schedule, path, error, error_size))
        return false;
    return !comma || rh_exploration_inner(x, comma + 1, &r->then, error, error_size);
}

static uint32_t replay_begin(void *state, struct rh_world *w)
{
    struct replay *r = state;
    uint32_t keep = 1;
    if (r->then.explorer) {
        keep = r->then.explorer->begin(r->then.state, w);
        if (keep > r->handed_over && r->handed_over)
            return keep; /* inside what it explores itself */
        keep = keep ? 1 : 0;
    } else if (r->runs) {
        return 0;
    }
    r->runs++;
    r->at = r->taken = r->handed_over = 0;
    return keep;
}

static bool fits(const struct rh_world *w, const struct rh_choice *c, const char *line)
{
    char text[1024];
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    rh__choice_line(w, c, &t);
    return strcmp(text, line) == 0;
}

static uint32_t find(const struct rh_world *w, const struct rh_choice *open, uint32_t count, const char *line)
{
    for (uint32_t i = 0; i < count; i++)
        if (fits(w, &open[i], line))
            return i;
    return RH_NONE;
}

static uint32_t diverge(struct replay *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    const struct rh__schedule_line *line = &r->schedule.lines[r->at];
    struct rh__text t;
    rh__text_init(&t, r->divergence, sizeof r->divergence);
    rh__text_add(&t, "line %u: `%s` is not possible here; possible is:", line->number, line->text);
    for (uint32_t i = 0; i < count && i < 20; i++) {
        rh__text_add(&t, "\n    ");
        rh__choice_line(w, &open[i], &t);
    }
    if (count > 20)
        rh__text_add(&t, "\n    and %u more", count - 20);
    return RH_NONE;
}

static uint32_t replay_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct replay *r = state;
    bool gap = r->at < r->schedule.line_count && strcmp(r->schedule.lines[r->at].text, "...") == 0;
    uint32_t line = r->at + gap;
    if (line < r->schedule.line_count) {
        uint32_t pick = find(w, open, count, r->schedule.lines[line].text);
        if (pick != RH_NONE) {
            r->at = line + 1;
            r->taken++;
            return pick;
        }
        return gap ? 0 : diverge(r, w, open, count);
    }
    if (!r->handed_over)
        r->handed_over = rh__depth(w);
    return r->then.explorer ? r->then.explorer->choose(r->then.state, w, open, count) : 0;
}

static void replay_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct replay *r = state;
    if (r->then.explorer && r->then.explorer->end)
        r->then.explorer->end(r->then.state, w, run);
    if (r->at < r->schedule.line_count && !*r->divergence && run->outcome == RH_OUTCOME_FINISHED)
        snprintf(r->divergence, sizeof r->divergence, "line %u: `%s` is not possible: the run is over",
                 r->schedule.lines[r->at].number, r->schedule.lines[r->at].text);
}

const char *rh__replay_divergence(const void *state)
{
    return ((const struct replay *)state)->divergence;
}

uint32_t rh__replay_progress(const void *state)
{
    return ((const struct replay *)state)->taken;
}

const struct rh_explorer rh__explorer_replay = {
    .name = "replay",
    .summary = "replay:FILE[,EXPLORER]: the schedule in FILE, and then as EXPLORER wants",
    .state_size = sizeof(struct replay),
    .open = replay_open,
    .begin = replay_begin,
    .choose = replay_choose,
    .end = replay_end,
};
